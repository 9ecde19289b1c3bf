-- title: RewriteCorrelatedScalarSubquery
-- about: A subquery per customer becomes one left join with the totals of all customers.
-- catalogue: documents
-- rules: RewriteCorrelatedScalarSubquery
SELECT c.name, (SELECT sum(o.amount) FROM orders o WHERE o.customer_id = c.id) AS total
FROM customer c
