-- title: ConstantFolding
-- about: Everything that needs no row is computed while planning.
-- catalogue: documents
-- rules: ConstantFolding
SELECT *
FROM t1
WHERE a > 1 + 2 * 3 AND length('abc') = 3
