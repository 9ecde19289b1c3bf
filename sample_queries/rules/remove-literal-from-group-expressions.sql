-- title: RemoveLiteralFromGroupExpressions
-- about: Constants do not split groups.
-- catalogue: documents
-- rules: RemoveLiteralFromGroupExpressions
SELECT a, count(*) AS n
FROM t1
GROUP BY a, 'a', current_timestamp()
