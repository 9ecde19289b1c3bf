-- title: OptimizeOneRowPlan
-- about: One row needs neither sorting nor DISTINCT.
-- catalogue: documents
-- rules: OptimizeOneRowPlan
SELECT *
FROM (SELECT max(a) AS m FROM t1)
ORDER BY m
