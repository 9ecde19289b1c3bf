-- title: PushFoldableIntoBranches
-- about: A comparison with a constant goes into the branches, where it can be decided.
-- catalogue: documents
-- rules: PushFoldableIntoBranches
SELECT *
FROM t1
WHERE CASE WHEN b > 1 THEN 1 ELSE 2 END = 2
