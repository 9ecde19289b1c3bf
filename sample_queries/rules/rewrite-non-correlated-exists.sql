-- title: RewriteNonCorrelatedExists
-- about: EXISTS without the outer row is a question asked once; Spark rewrites it within FinishAnalysis.
-- catalogue: documents
-- rules: FinishAnalysis
SELECT *
FROM t1
WHERE EXISTS (SELECT 1 FROM t2 WHERE b > 5)
