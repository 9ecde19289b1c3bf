-- title: EliminateSorts
-- about: The order inside is lost at the order outside.
-- catalogue: documents
-- rules: EliminateSorts
SELECT *
FROM (SELECT * FROM t1 ORDER BY a)
ORDER BY b
