-- title: UnwrapCastInBinaryComparison
-- about: The column is compared as it is; the literal takes its type.
-- catalogue: documents
-- rules: UnwrapCastInBinaryComparison
SELECT *
FROM t1
WHERE cast(a AS bigint) > 3
