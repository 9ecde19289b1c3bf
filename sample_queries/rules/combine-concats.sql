-- title: CombineConcats
-- about: Nested concatenations are one.
-- catalogue: documents
-- rules: CombineConcats
-- source: A-120
SELECT concat(c, concat('x', concat(c, 'y'))) AS s
FROM t1
