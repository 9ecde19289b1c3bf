-- title: RewriteWithExpression
-- about: An expression that nullif needs twice is computed once below and used by name.
-- catalogue: documents
-- rules: RewriteWithExpression
SELECT nullif(a + b, 3) AS x
FROM t1
