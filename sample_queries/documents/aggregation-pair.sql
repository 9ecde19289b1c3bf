-- title: One distinct and several
-- about: count(DISTINCT ...) alone runs in four stages; two of them need Expand.
-- catalogue: documents
-- rules: RewriteDistinctAggregates
SELECT customer_id, count(DISTINCT item_id) AS items, count(DISTINCT status) AS statuses
FROM orders
GROUP BY customer_id
