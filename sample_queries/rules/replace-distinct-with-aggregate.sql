-- title: ReplaceDistinctWithAggregate
-- about: DISTINCT is grouping by every column.
-- catalogue: documents
-- rules: ReplaceDistinctWithAggregate
-- source: A-025
SELECT DISTINCT a, b
FROM t1
