-- title: ReplaceNullWithFalseInPredicate
-- about: In WHERE, unknown counts as false.
-- catalogue: documents
-- rules: ReplaceNullWithFalseInPredicate
SELECT *
FROM t1
WHERE if(a > 1, NULL, b > 2)
