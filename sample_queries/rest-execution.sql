-- title: An execution from Spark's REST interface
-- about: The JSON that /api/v1/applications/.../sql/... gives for one execution: nodes, edges and the metrics that Spark's own page shows.
-- look at: rows and times per operator, measured; the codegen stages are clusters of nodes here.
-- catalogue: shop
-- tables: orders, users, stores
-- settings: spark.sql.shuffle.partitions=8
-- capture: rest json
SELECT u.country, u.tier, count(DISTINCT o.user_id) AS buyers, sum(o.amount) AS revenue
FROM orders o
JOIN users u ON u.user_id = o.user_id
JOIN stores s ON s.store_id = o.store_id
WHERE o.order_month IN ('2025-11', '2025-12') AND s.country = 'FR'
GROUP BY u.country, u.tier
ORDER BY revenue DESC
LIMIT 10
