-- title: ConvertToLocalRelation
-- about: Filters and projections of rows that stand in the query are computed while planning.
-- catalogue: documents
-- rules: ConvertToLocalRelation
SELECT x + 1 AS y
FROM VALUES (1), (2), (3) AS v(x)
WHERE x > 1
