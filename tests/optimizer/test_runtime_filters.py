"""Bloom filters of joins over one key: which keys are tested, as real Sparks 3.5.9, 4.0.5, 4.2.1 and 4.3 print it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import Session
from planviz.expressions.calls import FunctionCall
from planviz.logical.operators import Filter
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.rules.runtime_filters import LEAST_SCAN

TABLES = """CREATE TABLE t (id int, y int) USING parquet;
CREATE TABLE i (tid int, n string) USING parquet;
CREATE TABLE k (tid int, n string) USING parquet;
CREATE TABLE c (tid int, st int) USING parquet"""
JOINS = """SELECT count(*) FROM t, i, k, c
WHERE t.id = i.tid AND t.id = k.tid AND t.id = c.tid AND i.n = 'x' AND c.st = 2"""


def keys_of(profile: str, sql: str = JOINS) -> list[str]:
    """The columns that Bloom filters test, from the top of the plan down."""
    known = {LEAST_SCAN: 0, "spark.sql.autoBroadcastJoinThreshold": -1, "spark.sql.adaptive.enabled": False}
    session = Session(config=OptimizerConfig.of(profile, **known))
    list(session.run(TABLES))
    for name in "tikc":
        table = session.catalog.table((name,))
        session.catalog = session.catalog.with_table(replace(table, size_in_bytes=1000))
    (done,) = session.run(sql)
    plan = done.execution.optimized
    tests = [c for f in plan.collect(Filter) for e in f.expressions for c in e.collect(FunctionCall)]
    keys = [c.children[1].children[0] for c in tests if c.name == "might_contain"]
    tables = {a.expr_id: r.name[-1] for r in plan.collect(LogicalRelation) for a in r.output}
    return [f"{tables[k.expr_id]}.{k.name}" for k in keys]


@pytest.mark.parametrize("profile", ["spark-4.0", "spark-4.3"])
def test_a_key_is_tested_once_and_its_later_partners_may_be_tested_instead(profile):
    assert keys_of(profile) == ["t.id", "k.tid", "c.tid"]


def test_before_4_0_the_partners_of_a_tested_key_are_not_tested():
    assert keys_of("spark-3.5") == ["t.id"]


@pytest.mark.parametrize(
    ("profile", "keys"),
    [("spark-3.4", []), ("spark-3.5", []), ("spark-4.0", ["c.tid"]), ("spark-4.3", ["c.tid"])],
)
def test_the_scan_of_a_key_s_partner_serves_since_4_0(profile, keys):
    # The join's own key comes from t, which no filter is selective on; its partner k.tid comes from one that is.
    sql = "SELECT count(*) FROM (SELECT id, y FROM t JOIN k ON t.id = k.tid WHERE k.n = 'x') s JOIN c ON s.id = c.tid"
    tested = keys_of(profile, sql)
    assert [k for k in tested if k.startswith("c.")] == keys
    assert "t.id" in tested


def test_a_definition_that_is_read_twice_is_tested_in_both_places():
    sql = """WITH w AS (SELECT c.tid, st FROM c JOIN k ON c.tid = k.tid WHERE k.n = 'x')
    SELECT tid FROM w WHERE st = 1 UNION ALL SELECT st FROM w WHERE st = 2"""
    # Before 3.5 both places have columns of the same ids.
    assert keys_of("spark-3.4", sql) == ["c.tid", "c.tid"]
    assert keys_of("spark-4.3", sql) == ["c.tid", "c.tid"]
