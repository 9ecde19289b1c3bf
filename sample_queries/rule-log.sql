-- title: The optimizer's rule log
-- about: What spark.sql.planChangeLog.level=WARN wrote to the driver's log for one query: every rule that changed the plan, before and after.
-- look at: PushDownPredicates moves the filter on country to the scan of stores; ConstantFolding, ColumnPruning and InferFiltersFromConstraints follow.
-- catalogue: shop
-- tables: orders, stores
-- settings: spark.sql.planChangeLog.level=WARN
-- capture: rule log
SELECT city, total
FROM (
  SELECT s.city, s.country, sum(o.amount * 1) AS total
  FROM orders o JOIN stores s ON s.store_id = o.store_id
  GROUP BY s.city, s.country
)
WHERE country = 'DE' AND total > 100 + 900
