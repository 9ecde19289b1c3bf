-- title: OptimizeJoinCondition
-- about: Equal or both null is the null-safe comparison.
-- catalogue: documents
-- rules: OptimizeJoinCondition
SELECT *
FROM t1
JOIN t2 ON t1.a = t2.a OR (t1.a IS NULL AND t2.a IS NULL)
