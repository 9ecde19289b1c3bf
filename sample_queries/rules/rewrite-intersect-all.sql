-- title: RewriteIntersectAll
-- about: INTERSECT ALL counts both sides and repeats the smaller count.
-- catalogue: documents
-- rules: RewriteIntersectAll
SELECT a FROM t1
INTERSECT ALL
SELECT a FROM t2
