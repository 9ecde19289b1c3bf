-- title: item.id > 1 above a right join
-- about: The filter makes the right join an inner one, and item_id > 1 is inferred for the orders.
-- catalogue: documents
-- rules: EliminateOuterJoin, InferFiltersFromConstraints
SELECT *
FROM item
RIGHT JOIN orders ON item.id = orders.item_id
WHERE item.id > 1
