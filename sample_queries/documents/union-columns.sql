-- title: Two of three columns of a union
-- about: Each side of the union reads only what is asked for.
-- catalogue: documents
-- rules: PushProjectionThroughUnion
SELECT col1, col2
FROM (SELECT col1, col2, col3 FROM u1 UNION ALL SELECT col1, col2, col3 FROM u2)
