-- title: TPC-DS Q11, cut down
-- about: One year, one channel: the shape that the slides start from.
-- catalogue: tpcds
-- rules: PushDownPredicates, InferFiltersFromConstraints, ColumnPruning
SELECT c_customer_id, sum(ss_ext_list_price - ss_ext_discount_amt) AS year_total
FROM customer
JOIN store_sales ON c_customer_sk = ss_customer_sk
JOIN date_dim ON ss_sold_date_sk = d_date_sk
WHERE d_year = 2001
GROUP BY c_customer_id
