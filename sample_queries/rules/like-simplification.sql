-- title: LikeSimplification
-- about: A pattern with a wildcard at one end is a comparison of prefixes.
-- catalogue: documents
-- rules: LikeSimplification
SELECT *
FROM t1
WHERE c LIKE 'abc%' OR c LIKE '%abc' OR c LIKE '%b%'
