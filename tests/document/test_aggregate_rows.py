"""Estimates of stages, sample rows through them, pasted aggregates as queries that are planned alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.document import open_sql, open_text
from planviz.document.alternatives.aggregate_flips import what_ifs
from planviz.document.decisions.aggregates import aggregates
from planviz.document.decisions.pasted_aggregate import modelled
from planviz.document.rows.aggregates import (
    PARTITIONS,
    ROWS,
    TASK_BYTES,
    input_rows,
    played,
    sample_columns,
    sample_of,
    stage_estimates,
)
from planviz.types import INT, STRING, DecimalType, StructField

COLUMNS = tuple(StructField(n, t) for n, t in (("k", INT), ("v", INT), ("s", STRING), ("d", DecimalType(7, 2))))
STATS = tuple((n, ColumnStatistics(c, 1, c, 0, 4, 4)) for n, c in (("k", 100), ("v", 5000), ("d", 50)))
T = Table("t", COLUMNS, row_count=1_000_000, size_in_bytes=3 * TASK_BYTES, column_stats=STATS)
CATALOG = Catalog().with_table(T)


def report(sql: str, catalog: Catalog = CATALOG, **settings: Any) -> Any:
    config = OptimizerConfig().with_settings(
        {"spark.sql.adaptive.enabled": False, "spark.sql.shuffle.partitions": 4, **settings}
    )
    document = open_sql(sql, catalog, config)
    assert document.error is None, document.error
    return aggregates(document)[0]


def rows(sql: str, catalog: Catalog = CATALOG) -> list[int | None]:
    return [e.rows for e in stage_estimates(report(sql, catalog))]


@pytest.mark.parametrize(
    ("sql", "estimated"),
    [
        ("SELECT k, count(*) FROM t GROUP BY k", [300, 100]),
        ("SELECT count(*) FROM t", [3, 1]),
        ("SELECT k, v, count(*) FROM t GROUP BY k, v", [1_000_000, 500_000]),
        ("SELECT k, count(DISTINCT v) FROM t GROUP BY k", [1_000_000, 500_000, 400, 100]),
        ("SELECT count(DISTINCT v), count(DISTINCT d) FROM t", [15_150, 5050, 4, 1]),
        ("SELECT s, count(*) FROM t GROUP BY s", [None, None]),
    ],
)
def test_rows_of_stages(sql, estimated):
    assert rows(sql) == estimated


def test_bytes_are_rows_times_the_bytes_of_a_row():
    one, _ = stage_estimates(report("SELECT k, count(*) FROM t GROUP BY k"))

    assert one.row_bytes == 8 + 4 + 8
    assert one.bytes == 300 * 20
    assert one.calculation == "min(1,000,000, 100 * 3)"
    assert one.bytes_calculation == "300 * 20"


def test_columns_without_statistics_are_named():
    one, _ = stage_estimates(report("SELECT s, k, count(*) FROM t GROUP BY s, k"))

    assert one.unknown == ("s",)
    assert one.bytes is None


def test_without_keys_there_is_one_group_whatever_comes_in():
    windows = "SELECT avg(r) FROM (SELECT rank() OVER (PARTITION BY s ORDER BY k) AS r FROM t)"

    assert rows(windows) == [4, 1]
    assert input_rows(report(windows)) == (1_000_000, False)


def test_nothing_is_estimated_of_a_table_of_unknown_size():
    bare = Catalog().with_table(replace(T, row_count=None, column_stats=()))

    assert rows("SELECT k, count(*) FROM t GROUP BY k", bare) == [None, None]
    assert input_rows(report("SELECT k, count(*) FROM t GROUP BY k", bare)) == (None, False)


def test_sample_rows_are_the_same_every_time_and_make_groups():
    made = report("SELECT k, sum(d), max(s) FROM t WHERE v > 3 GROUP BY k")
    sample = sample_of(made)

    assert [a.name for a in sample_columns(made)] == ["k", "s", "d"]
    assert sample == sample_of(report("SELECT k, sum(d), max(s) FROM t WHERE v > 3 GROUP BY k"))
    assert len(sample) == ROWS
    assert 1 < len({row[0] for row in sample}) < ROWS / PARTITIONS


@pytest.mark.parametrize("sql", ["SELECT k, sum(v) FROM t GROUP BY k", "SELECT k, count(DISTINCT v) FROM t GROUP BY k"])
def test_sample_rows_meet_in_their_partition_and_across(sql):
    made = report(sql)
    shown = played(made, sample_of(made))
    first, second = (stage.partitions for stage in shown.stages[:2])

    assert sum(map(len, first)) < ROWS
    assert sum(map(len, second)) < sum(map(len, first))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, sum(d), avg(d), max(s) FROM t GROUP BY k",
        "SELECT k, count(DISTINCT v), sum(d) FROM t GROUP BY k",
        "SELECT count(DISTINCT v), count(DISTINCT s), max(d) FILTER (WHERE k > 1) FROM t",
        "SELECT k, collect_list(v), max(s) FROM t GROUP BY k",
        "SELECT k FROM t GROUP BY k",
    ],
)
def test_sample_rows_come_through_every_stage(sql):
    made = report(sql)
    shown = played(made, sample_of(made))

    assert not isinstance(shown, str), shown
    assert len(shown.stages) == len(made.stages)
    assert [name for name, _ in shown.stages[-1].columns] == [r.name for r in made.stages[-1].planned.results]
    assert sum(map(len, shown.stages[-1].partitions)) == len(
        {row[0] for row in sample_of(made)} if "BY" in sql else {1}
    )


def test_what_is_not_modelled_is_said():
    made = report("SELECT k, approx_count_distinct(v) FROM t GROUP BY k")

    assert "approx_count_distinct" in str(played(made, sample_of(made)))


def test_rows_on_which_the_query_fails_are_said():
    made = report("SELECT k, sum(v) / sum(v - v) FROM t GROUP BY k")

    assert str(played(made, sample_of(made))).startswith("The query fails on these rows")


# ------------------------------------------------------------------------------------------------- pasted plans


def pasted(sql: str) -> Any:
    text = report(sql).execution.text("physical")
    return aggregates(open_text(f"== Physical Plan ==\n{text}\n"))[0]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, count(v) FROM t GROUP BY k",
        "SELECT k, sum(d), avg(d) FROM t GROUP BY k",
        "SELECT k, count(DISTINCT v), max(s) FROM t GROUP BY k",
        "SELECT k % 3 AS r, sum(v) FILTER (WHERE v > 1) FROM t GROUP BY k % 3",
        "SELECT k, collect_list(v), max(s) FROM t GROUP BY k",
    ],
)
def test_a_pasted_aggregate_is_modelled_by_a_query_planned_alike(sql):
    found, mine = pasted(sql), report(sql)
    model = modelled(found, found.graph)

    assert not isinstance(model, str), model
    assert [[a.type for a in s.planned.buffers] for s in model.stages] == [
        [a.type for a in s.planned.buffers] for s in mine.stages
    ]
    assert not isinstance(played(model, sample_of(model)), str)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT k, count(*) FILTER (WHERE s = 'A') FROM t GROUP BY k",  # plans print texts without quotes
        "SELECT count(DISTINCT k), count(DISTINCT v) FROM t",  # reads an Expand
        "SELECT count(*) FROM t",
    ],
)
def test_a_pasted_aggregate_that_cannot_be_read_says_so(sql):
    found = pasted(sql)

    assert isinstance(modelled(found, found.graph), str)


# ----------------------------------------------------------------------------------------------------- what if


def test_settings_that_change_operators_are_offered():
    merged = "SELECT /*+ MERGE(b) */ a.k, count(*) FROM t a JOIN t b ON a.k = b.k GROUP BY a.k"
    (replaced,) = what_ifs(report(merged))
    (objects,) = what_ifs(report("SELECT k, collect_list(v) FROM t GROUP BY k"))

    assert (replaced.words, replaced.operators) == ("replaceHashWithSortAgg = false", ("HashAggregate",))
    assert objects.operators == ("SortAggregate", "SortAggregate")
    assert [s.text.operator for s in objects.report.stages] == list(objects.operators)
    assert list(what_ifs(report("SELECT k, max(s) FROM t GROUP BY k"))) == []
