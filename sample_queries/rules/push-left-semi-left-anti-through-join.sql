-- title: PushLeftSemiLeftAntiThroughJoin
-- about: The semi join is done on the side it speaks of, before the other join.
-- catalogue: documents
-- rules: PushLeftSemiLeftAntiThroughJoin
SELECT *
FROM (SELECT t1.a, t2.b FROM t1 JOIN t2 ON t1.a = t2.a) j
LEFT SEMI JOIN t3 ON j.b = t3.b
