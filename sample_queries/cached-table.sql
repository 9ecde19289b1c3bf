-- title: Reading a cached table
-- about: A cached query appears as InMemoryRelation with its own plan inside, read by InMemoryTableScan.
-- look at: the plan inside InMemoryRelation is not run again; the filter on country is pushed into the cached batches.
-- catalogue: shop
-- tables: orders, stores
-- capture: explain simple
CACHE LAZY TABLE store_revenue AS
SELECT s.store_id, s.country, sum(o.amount) AS revenue
FROM orders o JOIN stores s ON s.store_id = o.store_id
GROUP BY s.store_id, s.country;

SELECT a.store_id, a.revenue, b.best
FROM store_revenue a
JOIN (SELECT country, max(revenue) AS best FROM store_revenue GROUP BY country) b ON b.country = a.country
WHERE a.country IN ('DE', 'FR') AND a.revenue > b.best / 2
