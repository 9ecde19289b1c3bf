-- title: OptimizeSubqueries
-- about: A subquery is optimized by itself; its ORDER BY has no meaning and is dropped.
-- catalogue: documents
-- rules: OptimizeSubqueries
SELECT *
FROM t1
WHERE a IN (SELECT a FROM t2 WHERE 1 = 1 ORDER BY b)
