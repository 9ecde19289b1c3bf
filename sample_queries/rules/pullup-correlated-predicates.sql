-- title: PullupCorrelatedPredicates
-- about: The predicate that mentions the outer row leaves the subquery; b > 5 stays inside.
-- catalogue: documents
-- rules: PullupCorrelatedPredicates
SELECT *
FROM t1
WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a AND t2.b > 5)
