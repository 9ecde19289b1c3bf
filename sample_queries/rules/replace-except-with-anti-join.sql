-- title: ReplaceExceptWithAntiJoin
-- about: EXCEPT of different tables is a left anti join on every column, then DISTINCT.
-- catalogue: documents
-- rules: ReplaceExceptWithAntiJoin
SELECT a, b FROM t1
EXCEPT
SELECT a, b FROM t2
