-- title: PropagateEmptyRelation
-- about: A join with nothing is nothing: the whole plan becomes an empty relation.
-- catalogue: documents
-- rules: PropagateEmptyRelation, PruneFilters
SELECT t1.*
FROM t1
JOIN (SELECT * FROM t2 WHERE 1 = 0) AS empty ON t1.a = empty.a
