-- title: ConstantPropagation
-- about: id is 11, so 100 + id is 111.
-- catalogue: documents
-- rules: ConstantPropagation
SELECT *
FROM orders
WHERE id = 11 AND item_id = 100 + id
