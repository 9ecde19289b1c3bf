-- title: The three best items of each country (window)
-- about: A filter on row_number() is pushed below the window, so that each task keeps three rows per country before the shuffle.
-- look at: WindowGroupLimit appears twice, Partial before the exchange and Final after it.
-- catalogue: shop
-- tables: orders, users, items
-- capture: explain simple
WITH sold AS (
  SELECT u.country, o.item_id, sum(o.quantity) AS pieces
  FROM orders o JOIN users u ON u.user_id = o.user_id
  GROUP BY u.country, o.item_id
), ranked AS (
  SELECT country, item_id, pieces,
         row_number() OVER (PARTITION BY country ORDER BY pieces DESC) AS place
  FROM sold
)
SELECT r.country, r.place, i.name, r.pieces
FROM ranked r JOIN items i ON i.item_id = r.item_id
WHERE r.place <= 3
