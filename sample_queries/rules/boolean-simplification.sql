-- title: BooleanSimplification
-- about: What both sides of OR have in common is taken out of them.
-- catalogue: documents
-- rules: BooleanSimplification
SELECT *
FROM t1
WHERE (a > 1 OR b > 2) AND (a > 1 OR c = 'x')
