-- title: An id and a hundred more
-- about: id = 11 AND item_id = 100 + id: the second comparison gets its number while planning.
-- catalogue: documents
-- rules: ConstantPropagation, ConstantFolding
SELECT *
FROM orders
WHERE id = 11 AND item_id = 100 + id
