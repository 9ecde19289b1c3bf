-- title: LimitPushDown
-- about: Three rows of the left side are enough for a left join limited to three.
-- catalogue: documents
-- rules: LimitPushDown
SELECT t1.a, t2.b
FROM t1
LEFT JOIN t2 ON t1.a = t2.a
LIMIT 3
