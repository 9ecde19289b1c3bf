-- title: ReorderAssociativeOperator
-- about: The constants of a sum are added while planning (without ANSI mode, where no overflow is reported).
-- catalogue: documents
-- settings: spark.sql.ansi.enabled=false
-- rules: ReorderAssociativeOperator
SELECT 1 + a + 2 + b + 3 AS x
FROM t1
