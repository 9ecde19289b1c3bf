-- title: SimplifyCasts
-- about: A cast to the type that is there already goes, and of two widenings one is enough.
-- catalogue: documents
-- rules: SimplifyCasts
SELECT cast(a AS int) AS a, cast(cast(b AS bigint) AS decimal(20, 0)) AS b
FROM t1
