-- title: CombineConcats
-- about: Nested concatenations are one.
-- catalogue: documents
-- rules: CombineConcats
SELECT concat(c, concat('x', concat(c, 'y'))) AS s
FROM t1
