-- title: Broadcast join and sort merge join
-- about: One query with both join strategies, in all four stages from the parsed to the physical plan.
-- look at: stores fits under the broadcast threshold; orders and events do not, so each is shuffled and sorted by user_id.
-- catalogue: shop
-- tables: orders, events, stores
-- capture: explain extended
SELECT s.city, o.order_id, o.amount, e.session
FROM orders o
JOIN events e ON e.user_id = o.user_id AND e.seen_at > o.ordered_at
JOIN stores s ON s.store_id = o.store_id
WHERE e.kind = 'buy' AND o.amount > 100 AND s.country = 'DE'
