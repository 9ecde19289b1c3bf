-- title: Adaptive execution splits a skewed join
-- about: The plan after the run, final and initial: user 7 makes one event in eight, so its partition was split and small ones were joined together.
-- look at: AQEShuffleRead "coalesced and skewed" in the final plan, SortMergeJoin(skew=true), and the same join in the initial plan.
-- catalogue: shop
-- tables: events, orders
-- settings: spark.sql.autoBroadcastJoinThreshold=-1, spark.sql.adaptive.advisoryPartitionSizeInBytes=1MB, spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes=1MB, spark.sql.files.maxPartitionBytes=8MB
-- capture: executed
SELECT e.kind, count(*) AS pairs, sum(o.amount) AS amount, max(e.session) AS last_session
FROM events e
JOIN orders o ON o.user_id = e.user_id
WHERE length(e.session) > 3
GROUP BY e.kind
ORDER BY pairs DESC
