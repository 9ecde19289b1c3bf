-- title: InlineCTE
-- about: A CTE that is used once is written where it is used.
-- catalogue: documents
-- rules: InlineCTE
WITH totals AS (SELECT customer_id, sum(amount) AS total FROM orders GROUP BY customer_id)
SELECT * FROM totals WHERE total > 10
