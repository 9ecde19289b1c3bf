-- title: EXISTS, NOT EXISTS and the null-aware NOT IN
-- about: EXISTS becomes a semi join and NOT EXISTS an anti join; NOT IN over a nullable column needs the null-aware anti join.
-- look at: BroadcastHashJoin LeftAnti with the flag at its end: a single null on the right would make the answer empty.
-- catalogue: shop
-- tables: users, orders, events
-- capture: explain extended
SELECT u.user_id, u.email
FROM users u
WHERE EXISTS (SELECT 1 FROM orders o WHERE o.user_id = u.user_id AND o.amount > 400)
  AND NOT EXISTS (SELECT 1 FROM orders r WHERE r.user_id = u.user_id AND r.status = 'returned')
  AND u.user_id NOT IN (SELECT e.user_id FROM events e WHERE e.kind = 'help' AND e.seen_at >= TIMESTAMP'2026-12-01')
