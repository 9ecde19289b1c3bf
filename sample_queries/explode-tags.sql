-- title: Unnesting arrays (explode, posexplode)
-- about: Each item becomes one row per tag, and once more per word of its name; an outer generator keeps items without any.
-- look at: Generate with and without outer, the columns it requires, and the size filter on the array that was pushed to the scan.
-- catalogue: shop
-- tables: items
-- capture: explain extended
SELECT t.tag, w.place, count(*) AS items, sum(i.price) AS worth
FROM items i
LATERAL VIEW explode(i.tags) t AS tag
LATERAL VIEW OUTER posexplode(split(i.name, ' ')) w AS place, word
WHERE t.tag LIKE 'tag1%' AND w.word <> 'Item'
GROUP BY t.tag, w.place
