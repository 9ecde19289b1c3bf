-- title: ReplaceNullWithFalseInPredicate
-- about: In WHERE, unknown counts as false.
-- catalogue: documents
-- rules: ReplaceNullWithFalseInPredicate
-- source: A-120
SELECT *
FROM t1
WHERE if(a > 1, NULL, b > 2)
