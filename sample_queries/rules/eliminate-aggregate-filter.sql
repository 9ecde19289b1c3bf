-- title: EliminateAggregateFilter
-- about: FILTER (WHERE true) is no filter.
-- catalogue: documents
-- rules: EliminateAggregateFilter
SELECT sum(b) FILTER (WHERE true) AS s, count(a) FILTER (WHERE 1 = 0) AS n
FROM t1
