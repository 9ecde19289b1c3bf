-- title: InferFiltersFromConstraints
-- about: From t1.a = t2.a and t1.a > 1 follows t2.a > 1, and that neither is null.
-- catalogue: documents
-- rules: InferFiltersFromConstraints
SELECT *
FROM t1
JOIN t2 ON t1.a = t2.a
WHERE t1.a > 1
