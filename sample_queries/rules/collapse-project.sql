-- title: CollapseProject
-- about: Two projections become one; the alias x is written out.
-- catalogue: documents
-- rules: CollapseProject
SELECT x + 1 AS y
FROM (SELECT a * 2 AS x, b FROM t1)
