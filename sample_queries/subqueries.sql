-- title: Scalar and correlated subqueries
-- about: An uncorrelated scalar subquery runs beside the plan and is used twice; a correlated one has become a join with an aggregate.
-- look at: Subquery and ReusedSubquery under the filter, and the left outer join that stands where the correlated subquery was.
-- catalogue: shop
-- tables: orders, users
-- settings: spark.sql.adaptive.enabled=false
-- capture: explain extended
SELECT u.user_id, u.name,
       (SELECT max(o.amount) FROM orders o WHERE o.user_id = u.user_id) AS largest_order,
       (SELECT avg(amount) FROM orders) AS usual_order
FROM users u
WHERE u.tier = 'gold'
  AND 10 * (SELECT avg(amount) FROM orders) > (SELECT sum(o.amount) FROM orders o WHERE o.user_id = u.user_id AND o.status = 'paid')
