-- title: ColumnPruning
-- about: max_date is asked for by nobody: neither the aggregate nor the scan makes it.
-- catalogue: documents
-- rules: ColumnPruning
SELECT customer_id
FROM (SELECT customer_id, max(s_date) AS max_date, sum(amount) AS total FROM orders GROUP BY customer_id)
