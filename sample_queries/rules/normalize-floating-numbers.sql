-- title: NormalizeFloatingNumbers
-- about: 0.0 and -0.0 must meet in a join, and so must all NaNs.
-- catalogue: documents
-- rules: NormalizeFloatingNumbers
SELECT x.id
FROM fl x
JOIN fl y ON x.k = y.k
