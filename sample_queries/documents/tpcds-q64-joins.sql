-- title: TPC-DS Q64, its heart
-- about: Returns and sales of the same tickets with twelve dimensions around them.
-- catalogue: tpcds
-- rules: ReorderJoin, PushDownPredicates, InferFiltersFromConstraints
SELECT i_product_name, i_item_sk, s_store_name, s_zip, d1.d_year AS sold, d2.d_year AS first_sale, count(*) AS cnt, sum(ss_wholesale_cost) AS cost
FROM store_sales, store_returns, date_dim d1, date_dim d2, store, customer, customer_demographics cd1, customer_demographics cd2,
  promotion, household_demographics hd1, customer_address ad1, income_band ib1, item
WHERE ss_store_sk = s_store_sk AND ss_sold_date_sk = d1.d_date_sk AND ss_customer_sk = c_customer_sk
  AND ss_cdemo_sk = cd1.cd_demo_sk AND ss_hdemo_sk = hd1.hd_demo_sk AND ss_addr_sk = ad1.ca_address_sk
  AND ss_item_sk = i_item_sk AND ss_item_sk = sr_item_sk AND ss_ticket_number = sr_ticket_number
  AND c_current_cdemo_sk = cd2.cd_demo_sk AND c_first_sales_date_sk = d2.d_date_sk AND ss_promo_sk = p_promo_sk
  AND hd1.hd_income_band_sk = ib1.ib_income_band_sk AND cd1.cd_marital_status <> cd2.cd_marital_status
  AND i_color IN ('purple', 'burlywood', 'indian') AND i_current_price BETWEEN 64 AND 74
GROUP BY i_product_name, i_item_sk, s_store_name, s_zip, d1.d_year, d2.d_year
