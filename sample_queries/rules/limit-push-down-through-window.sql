-- title: LimitPushDownThroughWindow
-- about: The first three rows by b need no row number of the others.
-- catalogue: documents
-- rules: LimitPushDownThroughWindow
SELECT a, b, row_number() OVER (ORDER BY b) AS place
FROM t1
LIMIT 3
