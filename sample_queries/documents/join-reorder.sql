-- title: Item, customer and order
-- about: Three tables joined in an order that never multiplies two of them.
-- catalogue: documents
-- rules: ReorderJoin
SELECT c.name, i.name AS item
FROM item i, customer c, orders o
WHERE i.id = o.item_id AND c.id = o.customer_id
