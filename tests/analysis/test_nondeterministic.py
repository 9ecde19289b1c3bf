"""What varies from row to row is computed below what sorts and groups by it, as Spark 4.3 printed it."""

from __future__ import annotations

import pytest

from planviz.execution import explain
from tests.plans import canonical, small_catalog

SORTED = """\
Project [a#1]
+- Sort [(cast(a#1 as double) + _nondeterministic#2) ASC NULLS FIRST], true
   +- Project [a#1, rand(4) AS _nondeterministic#2]
      +- Project [a#1]
         +- Filter (rand(3) > cast(0.5 as double))
            +- SubqueryAlias spark_catalog.default.t1
               +- Relation spark_catalog.default.t1[a#1,b#3,c#4] parquet"""
GROUPED = """\
Aggregate [_nondeterministic#1], [_nondeterministic#1 AS rand(2)#2, count(1) AS count(1)#3L]
+- Project [a#4, b#5, c#6, rand(2) AS _nondeterministic#1]
   +- SubqueryAlias spark_catalog.default.t1
      +- Relation spark_catalog.default.t1[a#4,b#5,c#6] parquet"""


@pytest.mark.parametrize(
    ("sql", "plan"),
    [
        ("SELECT a FROM t1 WHERE rand(3) > 0.5 ORDER BY a + rand(4)", SORTED),
        ("SELECT rand(2), count(*) FROM t1 GROUP BY rand(2)", GROUPED),
    ],
)
def test_random_keys_are_computed_below(sql, plan):
    assert canonical(explain(sql, small_catalog()).text("analyzed")).strip() == plan


def test_what_does_not_vary_stays():
    text = explain("SELECT a FROM t1 ORDER BY a + 1", small_catalog()).text("analyzed")

    assert "_nondeterministic" not in text
