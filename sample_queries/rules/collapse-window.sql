-- title: CollapseWindow
-- about: Two windows over the same partitions and order are one pass.
-- catalogue: documents
-- rules: CollapseWindow
SELECT *, max(b) OVER (PARTITION BY a ORDER BY c) AS m
FROM (SELECT *, min(b) OVER (PARTITION BY a ORDER BY c) AS n FROM t1)
