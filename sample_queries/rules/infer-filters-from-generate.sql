-- title: InferFiltersFromGenerate
-- about: explode gives no row for an empty or missing array, so such rows may go before it.
-- catalogue: documents
-- rules: InferFiltersFromGenerate
SELECT id, x
FROM arr
LATERAL VIEW explode(xs) e AS x
