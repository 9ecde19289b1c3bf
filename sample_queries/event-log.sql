-- title: The event log of a small run
-- about: Two queries run by one application, as Spark's event log keeps them: plans, adaptive changes, and the metrics of every operator.
-- look at: the rows each operator really produced, and the final plan that replaced the initial one.
-- catalogue: shop
-- tables: stores, items
-- settings: spark.sql.shuffle.partitions=4
-- capture: event log
SELECT country, count(*) AS stores, min(opened) AS first
FROM stores
GROUP BY country
ORDER BY stores DESC, country;

SELECT i.brand, s.city, sum(i.price) AS worth
FROM items i
JOIN stores s ON s.store_id = i.item_id % 200 + 1
WHERE i.category IN ('toys', 'games') AND s.country <> 'US'
GROUP BY i.brand, s.city
HAVING count(*) > 1
