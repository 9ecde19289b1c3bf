-- title: CollapseRepartition
-- about: Only the last of two repartitions matters.
-- catalogue: documents
-- rules: CollapseRepartition
SELECT /*+ REPARTITION(3) */ *
FROM (SELECT /*+ REPARTITION(5) */ * FROM t1)
