-- title: RemoveNoopOperators
-- about: A projection of all columns in their order does nothing.
-- catalogue: documents
-- rules: RemoveNoopOperators
SELECT *
FROM t1
