-- title: PruneFilters
-- about: A filter that is never true leaves no rows.
-- catalogue: documents
-- rules: PruneFilters
SELECT *
FROM t1
WHERE 1 = 0
