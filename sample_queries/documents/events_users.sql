-- title: Errors by place, from a join that is aggregated
-- about: The filter above the aggregate moves below it, below the join, to the scan of the events.
-- catalogue: documents
-- rules: PushDownPredicates, InferFiltersFromConstraints, ColumnPruning
CREATE TABLE events (event_id bigint, user_id int, status string, duration double) USING parquet;
CREATE TABLE users (user_id int, name string, loc string) USING parquet;
SELECT *
FROM (
  SELECT loc, status, avg(duration)
  FROM events
  JOIN users ON events.user_id = users.user_id
  GROUP BY loc, status
) AS stats
WHERE stats.status = 'ERR';
