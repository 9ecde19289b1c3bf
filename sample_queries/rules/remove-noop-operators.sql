-- title: RemoveNoopOperators
-- about: A projection of all columns in their order does nothing.
-- catalogue: documents
-- rules: RemoveNoopOperators
-- source: A-093
SELECT *
FROM t1
