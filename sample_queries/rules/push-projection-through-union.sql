-- title: PushProjectionThroughUnion
-- about: Every input of the union computes the expression itself.
-- catalogue: documents
-- rules: PushProjectionThroughUnion
SELECT col1 + 1 AS x, col2
FROM (SELECT col1, col2, col3 FROM u1 UNION ALL SELECT col1, col2, col3 FROM u2)
