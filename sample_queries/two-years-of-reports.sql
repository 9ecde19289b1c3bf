-- title: Two years of reports in one query (over 2,000 operators)
-- about: The kind of plan that a loop of unions writes: six reports for each of 24 months.
-- look at: the shape repeats; fold it, search for one month, and compare two branches.
-- catalogue: shop
-- tables: orders, users, items, stores
-- capture: explain simple
SELECT report, name, max(value) AS best, count(*) AS months FROM (
SELECT '2025-01' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-01' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-01', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-01' GROUP BY i.category
UNION ALL
SELECT '2025-01', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-01' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-01', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-01' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-01', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-01' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-01', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-01' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-02' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-02' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-02', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-02' GROUP BY i.category
UNION ALL
SELECT '2025-02', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-02' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-02', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-02' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-02', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-02' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-02', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-02' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-03' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-03' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-03', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-03' GROUP BY i.category
UNION ALL
SELECT '2025-03', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-03' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-03', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-03' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-03', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-03' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-03', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-03' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-04' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-04' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-04', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-04' GROUP BY i.category
UNION ALL
SELECT '2025-04', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-04' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-04', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-04' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-04', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-04' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-04', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-04' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-05' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-05' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-05', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-05' GROUP BY i.category
UNION ALL
SELECT '2025-05', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-05' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-05', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-05' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-05', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-05' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-05', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-05' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-06' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-06' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-06', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-06' GROUP BY i.category
UNION ALL
SELECT '2025-06', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-06' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-06', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-06' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-06', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-06' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-06', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-06' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-07' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-07' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-07', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-07' GROUP BY i.category
UNION ALL
SELECT '2025-07', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-07' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-07', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-07' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-07', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-07' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-07', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-07' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-08' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-08' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-08', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-08' GROUP BY i.category
UNION ALL
SELECT '2025-08', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-08' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-08', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-08' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-08', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-08' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-08', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-08' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-09' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-09' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-09', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-09' GROUP BY i.category
UNION ALL
SELECT '2025-09', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-09' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-09', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-09' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-09', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-09' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-09', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-09' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-10' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-10' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-10', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-10' GROUP BY i.category
UNION ALL
SELECT '2025-10', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-10' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-10', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-10' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-10', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-10' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-10', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-10' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-11' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-11' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-11', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-11' GROUP BY i.category
UNION ALL
SELECT '2025-11', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-11' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-11', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-11' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-11', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-11' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-11', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-11' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2025-12' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2025-12' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2025-12', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2025-12' GROUP BY i.category
UNION ALL
SELECT '2025-12', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-12' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2025-12', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2025-12' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2025-12', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2025-12' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2025-12', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2025-12' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-01' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-01' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-01', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-01' GROUP BY i.category
UNION ALL
SELECT '2026-01', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-01' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-01', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-01' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-01', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-01' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-01', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-01' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-02' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-02' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-02', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-02' GROUP BY i.category
UNION ALL
SELECT '2026-02', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-02' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-02', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-02' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-02', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-02' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-02', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-02' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-03' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-03' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-03', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-03' GROUP BY i.category
UNION ALL
SELECT '2026-03', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-03' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-03', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-03' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-03', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-03' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-03', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-03' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-04' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-04' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-04', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-04' GROUP BY i.category
UNION ALL
SELECT '2026-04', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-04' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-04', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-04' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-04', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-04' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-04', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-04' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-05' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-05' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-05', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-05' GROUP BY i.category
UNION ALL
SELECT '2026-05', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-05' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-05', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-05' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-05', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-05' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-05', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-05' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-06' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-06' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-06', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-06' GROUP BY i.category
UNION ALL
SELECT '2026-06', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-06' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-06', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-06' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-06', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-06' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-06', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-06' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-07' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-07' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-07', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-07' GROUP BY i.category
UNION ALL
SELECT '2026-07', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-07' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-07', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-07' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-07', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-07' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-07', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-07' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-08' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-08' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-08', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-08' GROUP BY i.category
UNION ALL
SELECT '2026-08', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-08' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-08', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-08' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-08', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-08' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-08', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-08' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-09' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-09' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-09', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-09' GROUP BY i.category
UNION ALL
SELECT '2026-09', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-09' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-09', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-09' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-09', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-09' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-09', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-09' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-10' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-10' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-10', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-10' GROUP BY i.category
UNION ALL
SELECT '2026-10', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-10' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-10', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-10' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-10', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-10' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-10', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-10' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-11' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-11' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-11', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-11' GROUP BY i.category
UNION ALL
SELECT '2026-11', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-11' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-11', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-11' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-11', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-11' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-11', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-11' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
UNION ALL
SELECT '2026-12' AS month, 'country' AS report, u.country AS name, sum(o.amount) AS value FROM orders o JOIN users u ON u.user_id = o.user_id JOIN stores s ON s.store_id = o.store_id WHERE o.order_month = '2026-12' AND s.country <> u.country GROUP BY u.country
UNION ALL
SELECT '2026-12', 'category', i.category, sum(o.quantity * i.price) FROM orders o JOIN items i ON i.item_id = o.item_id WHERE o.order_month = '2026-12' GROUP BY i.category
UNION ALL
SELECT '2026-12', 'tier', u.tier, count(DISTINCT o.user_id) FROM orders o JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-12' AND o.status = 'paid' GROUP BY u.tier
UNION ALL
SELECT '2026-12', 'store', s.name, count(*) FROM stores s JOIN orders o ON o.store_id = s.store_id WHERE o.order_month = '2026-12' AND o.status = 'returned' GROUP BY s.name
UNION ALL
SELECT '2026-12', 'visits', u.country, count(e.session) FROM orders o JOIN events e ON e.user_id = o.user_id JOIN users u ON u.user_id = o.user_id WHERE o.order_month = '2026-12' AND e.kind = 'buy' GROUP BY u.country
UNION ALL
SELECT '2026-12', 'brand', i.brand, sum(o.amount) FROM orders o JOIN items i ON i.item_id = o.item_id JOIN stores s ON s.store_id = o.store_id LEFT ANTI JOIN (SELECT user_id FROM events WHERE kind = 'help') h ON h.user_id = o.user_id WHERE o.order_month = '2026-12' AND s.opened < DATE'2015-01-01' GROUP BY i.brand
) GROUP BY report, name ORDER BY report, best DESC LIMIT 100
