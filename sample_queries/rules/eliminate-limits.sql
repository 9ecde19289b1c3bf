-- title: EliminateLimits
-- about: LIMIT 0 needs no table at all; of two limits the smaller one counts.
-- catalogue: documents
-- rules: EliminateLimits
SELECT *
FROM (SELECT a FROM t1 LIMIT 10)
LIMIT 3
