-- title: RemoveRepetitionFromGroupExpressions
-- about: A grouping key that stands there twice counts once.
-- catalogue: documents
-- rules: RemoveRepetitionFromGroupExpressions
-- source: A-031
SELECT a, b, count(*) AS n
FROM t1
GROUP BY a, b, a
