-- title: A date nobody asked for
-- about: The subquery makes max_date and a sum; the query reads neither.
-- catalogue: documents
-- rules: ColumnPruning
SELECT customer_id
FROM (SELECT customer_id, max(s_date) AS max_date, sum(amount) AS s FROM orders GROUP BY customer_id)
