-- title: SimplifyCaseConversionExpressions
-- about: Only the outer of upper and lower shows.
-- catalogue: documents
-- rules: SimplifyCaseConversionExpressions
SELECT upper(lower(c)) AS u, lower(lower(c)) AS l
FROM t1
