-- title: EliminateOuterJoin
-- about: No row that the left join fills with nulls can pass r.a > 1, so the join is an inner one.
-- catalogue: documents
-- rules: EliminateOuterJoin
SELECT p.a, r.b
FROM t1 p
LEFT JOIN t2 r ON p.a = r.a
WHERE r.a > 1
