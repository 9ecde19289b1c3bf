-- title: RemoveRepetitionFromGroupExpressions
-- about: A grouping key that stands there twice counts once.
-- catalogue: documents
-- rules: RemoveRepetitionFromGroupExpressions
SELECT a, b, count(*) AS n
FROM t1
GROUP BY a, b, a
