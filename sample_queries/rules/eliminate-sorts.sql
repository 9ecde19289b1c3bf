-- title: EliminateSorts
-- about: The order inside is lost at the order outside.
-- catalogue: documents
-- rules: EliminateSorts
-- source: A-102, A-103
SELECT *
FROM (SELECT * FROM t1 ORDER BY a)
ORDER BY b
