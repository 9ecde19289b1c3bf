-- title: ReplaceIntersectWithSemiJoin
-- about: INTERSECT is a left semi join on every column, then DISTINCT; the comparison is null-safe.
-- catalogue: documents
-- rules: ReplaceIntersectWithSemiJoin
SELECT a, b FROM t1
INTERSECT
SELECT a, b FROM t2
