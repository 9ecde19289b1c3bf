-- title: RewriteExceptAll
-- about: EXCEPT ALL counts +1 and -1 per row and repeats what is left over.
-- catalogue: documents
-- rules: RewriteExceptAll
SELECT a FROM t1
EXCEPT ALL
SELECT a FROM t2
