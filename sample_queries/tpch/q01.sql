-- title: Pricing summary
-- about: Sums and averages of what was shipped, by return flag and line status.
-- catalogue: tpch
SELECT l_returnflag, l_linestatus, sum(l_quantity) AS quantity, sum(l_extendedprice) AS price,
       sum(l_extendedprice * (1 - l_discount)) AS discounted,
       sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS charged,
       avg(l_quantity) AS usual_quantity, avg(l_extendedprice) AS usual_price, avg(l_discount) AS usual_discount,
       count(*) AS n
FROM lineitem
WHERE l_shipdate <= DATE'1998-12-01' - INTERVAL '90' DAY
GROUP BY l_returnflag, l_linestatus
ORDER BY l_returnflag, l_linestatus
