-- title: A plan as JSON (TreeNode.toJSON)
-- about: The optimized plan as df.queryExecution.optimizedPlan.toJSON prints it: every node and expression with its class.
-- look at: the same plan as any explain text, with expression ids, types and nullability that the text leaves out.
-- catalogue: shop
-- tables: orders, stores
-- capture: plan json
SELECT s.city, sum(o.amount) AS revenue
FROM orders o
JOIN stores s ON s.store_id = o.store_id
WHERE o.status IN ('paid', 'sent') AND s.country = 'CA'
GROUP BY s.city
