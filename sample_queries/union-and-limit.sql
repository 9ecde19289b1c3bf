-- title: A limit over UNION ALL
-- about: The limit is copied into every branch of the union, and the sort with its limit becomes one operator.
-- look at: the LocalLimit in each branch of the optimized plan, and TakeOrderedAndProject at the top of the physical one.
-- catalogue: shop
-- tables: orders, events
-- capture: explain extended
SELECT what, user_id, at
FROM (
  (SELECT 'order' AS what, user_id, ordered_at AS at FROM orders WHERE status = 'open' LIMIT 500)
  UNION ALL
  (SELECT 'help' AS what, user_id, seen_at AS at FROM events WHERE kind = 'help' LIMIT 500)
  UNION ALL
  (SELECT * FROM (
     SELECT 'buy' AS what, user_id, seen_at AS at FROM events WHERE kind = 'buy'
     UNION ALL
     SELECT 'return' AS what, user_id, ordered_at AS at FROM orders WHERE status = 'returned') LIMIT 1000)
)
ORDER BY at DESC
LIMIT 20
