-- title: DecimalAggregates
-- about: Sums of small decimals are sums of their digits, which are longs.
-- catalogue: documents
-- rules: DecimalAggregates
SELECT sum(price) AS total, avg(price) AS mean
FROM orders
