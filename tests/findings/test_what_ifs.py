"""What-ifs that change the query's text: planned before they are offered, and not offered where they do not help."""

from __future__ import annotations

import pytest

from planviz.catalogs import find
from planviz.document import open_sql
from planviz.findings import Finding
from planviz.findings.documents import document_findings


def offered(sql: str) -> dict[str, Finding]:
    document = open_sql(sql, find("tpch"))
    return {one.name: one for query in document_findings(document, what_if=True) for one in query.findings}


@pytest.mark.parametrize(
    ("name", "sql", "before", "after"),
    [
        ("count-distinct", "SELECT count(DISTINCT l_partkey), l_returnflag FROM lineitem GROUP BY l_returnflag",
         "2 Exchange", "1 Exchange"),
        ("union-distinct", "SELECT o_custkey FROM orders UNION SELECT c_custkey FROM customer", "1 Exchange",
         "0 Exchange"),
        ("not-in-nulls", "SELECT c_name FROM customer WHERE c_custkey NOT IN (SELECT o_custkey FROM orders)",
         "1 BroadcastHashJoin", "1 SortMergeJoin"),
        ("filter-not-pushed", "SELECT count(*) FROM orders WHERE year(o_orderdate) = 1996",
         "IsNotNull(o_orderdate)", "GreaterThanOrEqual(o_orderdate,1996-01-01)"),
        ("filter-not-pushed", "SELECT count(*) FROM customer WHERE substring(c_phone, 1, 2) = '13'",
         "IsNotNull(c_phone)", "StringStartsWith(c_phone,13)"),
        ("coalesce-to-one", "SELECT /*+ COALESCE(1) */ * FROM orders", "1 Coalesce", "1 Exchange"),
    ],
)  # fmt: skip
def test_another_way_to_write_it(name: str, sql: str, before: str, after: str) -> None:
    change = offered(sql)[name].what_if
    assert change is not None
    assert before in change.before
    assert after in change.after


def test_nothing_is_offered_that_leaves_the_finding() -> None:
    sql = "SELECT count(*) FROM orders WHERE year(o_orderdate) + 1 = 1996 AND substring(o_clerk, 2, 3) = 'abc'"
    assert all(one.what_if is None for one in offered(sql).values())
