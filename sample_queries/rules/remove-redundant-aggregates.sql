-- title: RemoveRedundantAggregates
-- about: The outer grouping of groups that are already distinct is a projection.
-- catalogue: documents
-- rules: RemoveRedundantAggregates
SELECT DISTINCT a
FROM (SELECT a, b FROM t1 GROUP BY a, b)
