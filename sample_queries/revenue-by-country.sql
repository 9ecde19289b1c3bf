-- title: Revenue by country and category
-- about: A report over five tables: broadcast joins for the small ones, a sort merge join for the large ones, two aggregations and a top 50.
-- look at: which of the four joins are broadcast, and that the outer join to the views needs both sides shuffled and sorted.
-- catalogue: shop
-- tables: orders, users, items, stores, events
-- capture: explain formatted
SELECT u.country, i.category, count(*) AS orders, sum(o.amount) AS revenue, sum(v.views) AS views
FROM orders o
JOIN users u ON u.user_id = o.user_id
JOIN items i ON i.item_id = o.item_id
JOIN stores s ON s.store_id = o.store_id
LEFT JOIN (
  SELECT user_id, count(*) AS views
  FROM events
  WHERE kind = 'view'
  GROUP BY user_id
) v ON v.user_id = o.user_id
WHERE o.order_month >= '2026-01' AND o.status <> 'returned' AND s.country = u.country
GROUP BY u.country, i.category
HAVING sum(o.amount) > 1000
ORDER BY revenue DESC
LIMIT 50
