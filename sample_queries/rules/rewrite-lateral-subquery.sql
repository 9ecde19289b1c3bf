-- title: RewriteLateralSubquery
-- about: A lateral subquery becomes a join with what it looks up.
-- catalogue: documents
-- rules: RewriteLateralSubquery
SELECT c.name, s.total
FROM customer c,
LATERAL (SELECT sum(o.amount) AS total FROM orders o WHERE o.customer_id = c.id) s
