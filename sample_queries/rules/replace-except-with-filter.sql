-- title: ReplaceExceptWithFilter
-- about: Both sides read the same rows and differ by a filter only, so one scan is enough.
-- catalogue: documents
-- rules: ReplaceExceptWithFilter
SELECT a, b FROM t1 WHERE b = 20
EXCEPT
SELECT a, b FROM t1 WHERE a = 2
