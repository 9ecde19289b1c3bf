-- title: RewritePredicateSubquery
-- about: EXISTS becomes a left semi join, NOT EXISTS a left anti join.
-- catalogue: documents
-- rules: RewritePredicateSubquery
SELECT *
FROM t1
WHERE a IN (SELECT a FROM t2) AND NOT EXISTS (SELECT 1 FROM t3 WHERE t3.b = t1.b)
