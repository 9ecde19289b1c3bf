-- title: Several distinct counts (Expand)
-- about: Distinct counts over different columns are rewritten to one Expand that copies each row once per column.
-- look at: the projections of Expand and its gid column, and the filters on gid in the aggregate above.
-- catalogue: shop
-- tables: events
-- capture: explain extended
SELECT kind, count(DISTINCT user_id) AS users, count(DISTINCT session) AS sessions, count(DISTINCT page) AS pages, count(*) AS events
FROM events
GROUP BY kind
