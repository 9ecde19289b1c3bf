-- title: Customers worth a call
-- about: NOT EXISTS, and an average over the same customers, by the prefix of their number.
-- catalogue: tpch
SELECT code, count(*) AS customers, sum(c_acctbal) AS balance
FROM (
  SELECT substring(c_phone, 1, 2) AS code, c_acctbal
  FROM customer
  WHERE substring(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
    AND c_acctbal > (
      SELECT avg(c_acctbal)
      FROM customer
      WHERE c_acctbal > 0.00 AND substring(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17'))
    AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)) AS quiet
GROUP BY code
ORDER BY code
