-- title: What the cost-based optimizer expects
-- about: Every logical operator with its estimated size and rows, from statistics that ANALYZE collected, and with joins reordered by cost.
-- look at: rowCount along the joins, and that the join order is not the order of the query.
-- catalogue: shop
-- tables: orders, users, items, stores
-- settings: spark.sql.cbo.enabled=true, spark.sql.cbo.joinReorder.enabled=true, spark.sql.cbo.planStats.enabled=true
-- capture: explain cost
ANALYZE TABLE orders COMPUTE STATISTICS FOR COLUMNS user_id, store_id, item_id, amount, status, order_month;
ANALYZE TABLE users COMPUTE STATISTICS FOR COLUMNS user_id, country, tier;
ANALYZE TABLE items COMPUTE STATISTICS FOR COLUMNS item_id, category, price;
ANALYZE TABLE stores COMPUTE STATISTICS FOR COLUMNS store_id, country;

SELECT s.country, i.category, sum(o.amount) AS revenue
FROM orders o
JOIN users u ON u.user_id = o.user_id
JOIN items i ON i.item_id = o.item_id
JOIN stores s ON s.store_id = o.store_id
WHERE u.tier = 'gold' AND i.price > 150 AND s.country = 'JP' AND o.status = 'paid'
GROUP BY s.country, i.category
