-- title: PushDownLeftSemiAntiJoin
-- about: The semi join is done before the aggregation, on fewer columns of more rows.
-- catalogue: documents
-- rules: PushDownLeftSemiAntiJoin
SELECT *
FROM (SELECT a, count(*) AS n FROM t1 GROUP BY a) g
LEFT SEMI JOIN t2 ON g.a = t2.a
