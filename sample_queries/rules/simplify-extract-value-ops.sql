-- title: SimplifyExtractValueOps
-- about: Taking one field out of a struct made a moment ago takes the value itself.
-- catalogue: documents
-- rules: SimplifyExtractValueOps
SELECT array(a, b, a + b)[1] AS second, map('k', a, 'j', b)['j'] AS j, named_struct('x', a, 'y', b).y AS y
FROM t1
