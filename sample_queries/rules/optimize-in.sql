-- title: OptimizeIn
-- about: Repeated values go; more than ten different ones become a set.
-- catalogue: documents
-- rules: OptimizeIn
SELECT *
FROM t1
WHERE a IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11) AND b IN (5)
