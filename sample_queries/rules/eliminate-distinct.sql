-- title: EliminateDistinct
-- about: DISTINCT inside max and min changes nothing, so it goes.
-- catalogue: documents
-- rules: EliminateDistinct
SELECT max(DISTINCT a) AS largest, min(DISTINCT b) AS smallest
FROM t1
