-- title: TransposeWindow
-- about: Windows change places so that rows are partitioned by a once more finely, not twice.
-- catalogue: documents
-- rules: TransposeWindow
SELECT *, sum(b) OVER (PARTITION BY a) AS by_a
FROM (SELECT *, sum(b) OVER (PARTITION BY a, c) AS by_a_and_c FROM t1)
