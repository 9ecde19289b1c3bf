-- title: COUNT(DISTINCT) beside SUM, in four stages
-- about: One distinct count beside plain aggregates is computed by four aggregates in a row with two shuffles.
-- look at: the modes of the functions (partial, merge, partial and final count), and the keys of the two exchanges.
-- catalogue: shop
-- tables: orders
-- capture: explain extended
SELECT store_id, count(DISTINCT user_id) AS buyers, sum(amount) AS revenue, max(quantity) AS largest
FROM orders
WHERE status = 'paid'
GROUP BY store_id
