-- title: Best suppliers of a quarter
-- about: A common table expression that is used twice, once for its maximum.
-- catalogue: tpch
WITH revenue AS (
  SELECT l_suppkey AS supplier_no, sum(l_extendedprice * (1 - l_discount)) AS total
  FROM lineitem
  WHERE l_shipdate >= DATE'1996-01-01' AND l_shipdate < DATE'1996-04-01'
  GROUP BY l_suppkey
)
SELECT s_suppkey, s_name, s_address, s_phone, total
FROM supplier
JOIN revenue ON s_suppkey = supplier_no
WHERE total = (SELECT max(total) FROM revenue)
ORDER BY s_suppkey
