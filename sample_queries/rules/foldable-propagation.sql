-- title: FoldablePropagation
-- about: x is the literal 1, so sorting by it means nothing.
-- catalogue: documents
-- rules: FoldablePropagation
SELECT 1 AS x, a
FROM t1
ORDER BY x, a
