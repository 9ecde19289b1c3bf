-- title: Customers by their number of orders
-- about: An outer join with a filter in its condition, counted twice.
-- catalogue: tpch
SELECT orders, count(*) AS customers
FROM (
  SELECT c_custkey, count(o_orderkey) AS orders
  FROM customer
  LEFT JOIN orders ON c_custkey = o_custkey AND o_comment NOT LIKE '%special%requests%'
  GROUP BY c_custkey) AS counted
GROUP BY orders
ORDER BY customers DESC, orders DESC
