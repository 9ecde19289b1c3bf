"""Estimates tell how they came about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planviz.catalog import Catalog
from planviz.catalog.ddl import table_of
from planviz.config import OptimizerConfig
from planviz.estimation import Estimator, explain_estimates
from planviz.execution import explain
from planviz.types import parse_fields
from tests.estimation.test_estimates import small_tables

BY_ROWS = OptimizerConfig().with_settings({"spark.sql.cbo.enabled": True})
BY_SIZE = OptimizerConfig()


def records(sql, config=BY_ROWS, catalog=None):
    plan = explain(sql, catalog or small_tables(), config).optimized
    return list(explain_estimates(plan, config))


def test_a_filter_tells_the_share_of_every_condition():
    top = records("SELECT * FROM wide WHERE a BETWEEN 101 AND 201 AND NOT (b = 600 OR s LIKE 'x%')")[0]

    assert (top.rows, top.label, top.calculation) == (998, "estimated", "⌈10,000 × 0.0998⌉")
    assert top.formula.spark == "FilterEstimation"
    told = {s.about: s.calculation for s in _all(top.steps)}
    assert told["(a#1 >= 101)"] == "(1,001 - 101) / (1,001 - 1)"
    assert told["(a#1 <= 201)"] == "(201 - 101) / (1,001 - 101)"
    assert told["NOT (b#2 = 600)"] == "1 - 0.002"
    assert [a.name for a in top.assumptions] == ["independence", "uniformity", "every row"]
    assert top.selectivity == 0.0998


def _all(steps):
    return [s for step in steps for s in (step, *_all(step.parts))]


def test_a_filter_tells_columns_before_and_after():
    top = records("SELECT * FROM wide WHERE a < 501")[0]
    change = next(c for c in top.columns if c.name.startswith("a#"))

    assert (change.before.distinct_count, change.before.max) == (1000, 1001)
    assert (change.after.distinct_count, change.after.max) == (500, 501)


def test_a_join_tells_every_pair_of_keys():
    top = records("SELECT * FROM l JOIN r ON k = rk AND m = rm")[0]

    assert [s.value for s in top.steps] == [500_000, 5000, 50_000]
    assert top.steps[1].calculation == "⌈1,000 × 500 / max(100, 50)⌉"
    assert [a.name for a in top.assumptions] == ["uniformity", "containment", "strongest key"]
    assert top.size_formula.with_values(dict(top.size_inputs)) == "5,000 × 32"


def test_groups_tell_their_keys():
    top = records("SELECT n, count(*) FROM wide GROUP BY n")[0]

    assert [(s.value, s.calculation) for s in top.steps] == [(11, "10 + 1")]
    assert top.calculation == "min(11, 10,000)"


def test_without_rows_the_bytes_are_told():
    top = records("SELECT * FROM l JOIN r ON k = rk WHERE x = 1", BY_SIZE)[0]

    assert (top.rows, top.label, top.size_formula) == (None, "unknown", None)
    assert top.calculation == "200,000,000"
    assert [a.name for a in top.assumptions] == ["every pair"]


def test_an_operator_that_passes_rows_on_says_so():
    top, *rest = records("SELECT * FROM l ORDER BY x")

    assert top.inherited
    assert top.formula.name == "as the child"
    assert not rest[0].inherited


def test_statistics_say_where_they_come_from():
    catalog = small_tables()
    counted = replace(catalog.tables["default.r"], analyzed_at="2026-01-31")
    unknown = table_of(("u",), parse_fields("uk int"))
    sql = "SELECT * FROM l JOIN r ON k = rk JOIN u ON k = uk"
    top = records(sql, catalog=catalog.with_table(counted).with_table(unknown))[0]

    assert {s.table: (s.kind, s.analyzed_at) for s in top.sources} == {
        "l": ("declared", None), "r": ("analyzed", "2026-01-31"), "u": ("default size", None),
    }  # fmt: skip
    assert (top.label, top.size_label) == ("unknown", "unknown")


def test_a_guessed_table_is_told():
    query = explain("SELECT a + 1 FROM nowhere WHERE a > 1", Catalog(), BY_ROWS, infer=True)
    found = list(explain_estimates(query.optimized, BY_ROWS))

    assert found[-1].sources[0].kind == "guessed"


@pytest.mark.parametrize("config", [BY_ROWS, BY_SIZE], ids=["rows", "size"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, m, count(*) FROM l JOIN r ON k = rk LEFT JOIN far ON k = fk GROUP BY k, m LIMIT 10",
        "SELECT * FROM l WHERE k IN (SELECT rk FROM r) UNION ALL SELECT * FROM r TABLESAMPLE (10 PERCENT)",
        "SELECT k, m, count(DISTINCT x), rank() OVER (ORDER BY k) FROM l GROUP BY ROLLUP (k, m)",
        "SELECT (SELECT max(y) FROM r) FROM l WHERE x = 1 OFFSET 5",
        "SELECT * FROM range(10), VALUES (1), (2)",
        "SELECT * FROM (SELECT *, rank() OVER (PARTITION BY k ORDER BY x) AS p FROM l) WHERE p < 5",
        "SELECT * FROM l FULL JOIN r ON k = rk RIGHT JOIN far ON m = fk INTERSECT SELECT * FROM far, r, l",
    ],
)
def test_records_follow_the_text_and_name_every_number_of_their_formulas(sql, config):
    query = explain(sql, small_tables(), config)
    found = list(explain_estimates(query.optimized, config))
    printed = query.text("optimized").splitlines()

    assert len(found) == len(printed)
    for record, line in zip(found, printed, strict=True):
        assert line.endswith(record.operator)
        assert {name for name, _ in record.inputs} == record.formula.names
        if record.size_formula is not None:
            assert {name for name, _ in record.size_inputs} == record.size_formula.names
        for step in _all(record.steps):
            assert {name for name, _ in step.inputs} >= step.formula.names
        found_now = Estimator(config).estimate(record.node)
        assert (record.rows, record.size) == (found_now.rows, found_now.size)


def test_operators_over_a_repartitioned_plan_have_the_estimate_of_what_they_were_planned_for():
    sql = "SELECT a, row_number() OVER (PARTITION BY a ORDER BY b) FROM (SELECT /*+ REPARTITION(a) */ a, b FROM wide)"
    found = list(explain_estimates(explain(sql, small_tables(), BY_ROWS).physical, BY_ROWS))
    assert [(r.operator.split()[0], r.rows) for r in found][-3:] == [
        ("Sort", 10_000),
        ("Exchange", 10_000),
        ("FileScan", 10_000),
    ]
