-- title: Dynamic partition pruning with a reused exchange
-- about: The months to read are found at run time: the scan of orders waits for the broadcast of the months that the join needs anyway.
-- look at: dynamicpruningexpression in the partition filters of orders, SubqueryBroadcast, and the ReusedExchange inside it.
-- catalogue: shop
-- tables: orders, stores, items
-- settings: spark.sql.adaptive.enabled=false
-- capture: explain extended
WITH months AS (
  SELECT date_format(opened + INTERVAL '10' YEAR, 'yyyy-MM') AS order_month, max(city) AS city
  FROM stores
  WHERE country = 'NL'
  GROUP BY 1
)
SELECT m.city, i.brand, sum(o.amount) AS revenue
FROM orders o
JOIN months m ON m.order_month = o.order_month
JOIN items i ON i.item_id = o.item_id
GROUP BY m.city, i.brand
