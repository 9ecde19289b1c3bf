-- title: SimplifyBinaryComparison
-- about: b = b says only that b is not null, and a <=> a says nothing.
-- catalogue: documents
-- rules: SimplifyBinaryComparison
SELECT *
FROM t1
WHERE a <=> a AND b = b AND b IS NOT NULL
