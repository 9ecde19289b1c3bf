-- title: A Python function in the filter and in the output
-- about: Rows leave the JVM twice: the function is evaluated once for the filter and once for the output column.
-- look at: the two evaluation nodes, the pythonUDF columns they add, and that the filter on them is not pushed to the scan.
-- catalogue: shop
-- tables: items, orders
-- functions: price_band(decimal) -> string and loud(string) -> boolean, in Python
-- capture: explain extended
SELECT price_band(i.price) AS band, count(*) AS orders, avg(o.amount) AS usual
FROM orders o
JOIN items i ON i.item_id = o.item_id
WHERE loud(i.brand) AND i.category = 'music'
GROUP BY price_band(i.price)
