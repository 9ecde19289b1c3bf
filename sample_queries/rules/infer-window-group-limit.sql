-- title: InferWindowGroupLimit
-- about: Only the best two of each a can pass, so each partition keeps two rows before they are exchanged.
-- catalogue: documents
-- rules: InferWindowGroupLimit
SELECT *
FROM (SELECT a, b, rank() OVER (PARTITION BY a ORDER BY b) AS place FROM t1)
WHERE place <= 2
