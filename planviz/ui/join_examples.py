"""Queries to begin with on the Joins page."""

from __future__ import annotations

#: On the tables of TPC-H: title and SQL.
JOIN_EXAMPLES = (
    (
        "Broadcast beside sort merge",
        "SELECT n_name, sum(l_extendedprice) AS revenue\nFROM customer, orders, lineitem, nation\n"
        "WHERE c_custkey = o_custkey AND o_orderkey = l_orderkey AND c_nationkey = n_nationkey\nGROUP BY n_name",
    ),
    (
        "A hint that is followed, and one that is not",
        "SELECT /*+ SHUFFLE_HASH(o), BROADCAST(c) */ c_name, o_orderkey, l_quantity\n"
        "FROM customer c LEFT JOIN orders o ON c_custkey = o_custkey\n"
        "JOIN lineitem l ON o_orderkey = l_orderkey",
    ),
    (
        "NOT IN and EXISTS",
        "SELECT s_name FROM supplier\nWHERE s_nationkey NOT IN (SELECT n_nationkey FROM nation WHERE n_regionkey = 1)\n"
        "  AND EXISTS (SELECT 1 FROM partsupp WHERE ps_suppkey = s_suppkey AND ps_availqty > 9000)",
    ),
    (
        "No keys: a range to join by",
        "SELECT o_orderkey, p_name\nFROM orders JOIN part ON o_totalprice > p_retailprice * 100",
    ),
)
