-- title: CheckCartesianProducts
-- about: With cross joins forbidden, a join without a condition is an error; this one has its condition.
-- catalogue: documents
-- settings: spark.sql.crossJoin.enabled=false
-- rules: PushDownPredicates
SELECT *
FROM t1, t2
WHERE t1.a = t2.a
