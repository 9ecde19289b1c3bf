-- title: OptimizeWindowFunctions
-- about: first_value over the whole running frame is the nth of one.
-- catalogue: documents
-- rules: OptimizeWindowFunctions
SELECT first(b) OVER (PARTITION BY a ORDER BY c ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS f
FROM t1
