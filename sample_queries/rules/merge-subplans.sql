-- title: MergeSubplans
-- about: Three averages of one table are computed in one pass.
-- catalogue: documents
-- rules: MergeSubplans
SELECT (SELECT avg(amount) FROM orders) AS mean, (SELECT max(amount) FROM orders) AS largest, (SELECT count(*) FROM orders) AS n
