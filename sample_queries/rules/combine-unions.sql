-- title: CombineUnions
-- about: Unions that follow each other become one with three inputs.
-- catalogue: documents
-- rules: CombineUnions
SELECT a FROM t1
UNION ALL
(SELECT a FROM t2 UNION ALL SELECT a FROM t3)
