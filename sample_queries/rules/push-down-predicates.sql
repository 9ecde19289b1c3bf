-- title: PushDownPredicates
-- about: The filter falls through the projection, onto the table.
-- catalogue: documents
-- rules: PushDownPredicates
SELECT x
FROM (SELECT a + 1 AS x, b FROM t1)
WHERE x > 5 AND b > 2
