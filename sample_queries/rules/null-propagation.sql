-- title: NullPropagation
-- about: a + NULL is NULL, and count(NULL) is 0.
-- catalogue: documents
-- rules: NullPropagation
SELECT a + NULL AS n, coalesce(NULL, a, NULL) AS first_known, count(NULL) OVER () AS zero
FROM t1
