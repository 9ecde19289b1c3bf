-- title: RewriteDistinctAggregates
-- about: Two different DISTINCT aggregates: every row is copied once per group by Expand, then aggregated twice.
-- catalogue: documents
-- rules: RewriteDistinctAggregates
SELECT customer_id, count(DISTINCT item_id) AS items, count(DISTINCT status) AS statuses, sum(amount) AS total
FROM orders
GROUP BY customer_id
