-- title: Events and their users
-- about: A filter on one table of a join, and columns of both.
-- catalogue: documents
-- rules: PushDownPredicates, InferFiltersFromConstraints, ColumnPruning
CREATE TABLE users (id int, name string, country string) USING parquet;
CREATE TABLE events (id int, user_id int, kind string, day date) USING parquet;
SELECT users.name, count(*) AS n
FROM events
JOIN users ON events.user_id = users.id
WHERE users.country = 'DE' AND events.day >= DATE '2024-01-01'
GROUP BY users.name;
