-- title: RemoveRedundantAliases
-- about: An alias that renames a column to its own name is no work.
-- catalogue: documents
-- rules: RemoveRedundantAliases
SELECT a AS a, x
FROM (SELECT t.a AS a, t.b AS x FROM t1 t)
