-- title: FinishAnalysis
-- about: The current date becomes one literal, the same wherever it is used; hints move into the join; nvl becomes coalesce.
-- catalogue: documents
-- rules: FinishAnalysis
SELECT /*+ BROADCAST(t2) */ current_date() AS today, nvl(t1.b, 0) AS b
FROM t1
JOIN t2 ON t1.a = t2.a
