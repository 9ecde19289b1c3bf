-- title: ReorderJoin
-- about: Written as i, c, o the first two would be multiplied; joined by their conditions they are not.
-- catalogue: documents
-- rules: ReorderJoin
SELECT c.name
FROM item i, customer c, orders o
WHERE i.id = o.item_id AND c.id = o.customer_id
