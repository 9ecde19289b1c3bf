-- title: SimplifyConditionals
-- about: A branch that can never be taken goes; a branch that is always taken is all that stays.
-- catalogue: documents
-- rules: SimplifyConditionals
SELECT if(1 = 2, a, b) AS x, CASE WHEN false THEN 1 WHEN a > 1 THEN 2 ELSE 3 END AS y
FROM t1
