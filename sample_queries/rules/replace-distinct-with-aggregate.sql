-- title: ReplaceDistinctWithAggregate
-- about: DISTINCT is grouping by every column.
-- catalogue: documents
-- rules: ReplaceDistinctWithAggregate
SELECT DISTINCT a, b
FROM t1
