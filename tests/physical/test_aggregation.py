"""What the Aggregation strategy records: the checks with what they saw, the stages, the operators that it rejected."""

from __future__ import annotations

import pytest

from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.execution import explain
from planviz.physical.buffers import is_mutable
from planviz.physical.stages import stage_lines
from planviz.types import DATE, INT, STRING, DecimalType, StructField, parse_type

COLUMNS = tuple(
    StructField(n, t) for n, t in (("k", INT), ("v", INT), ("s", STRING), ("d", DecimalType(12, 2)), ("day", DATE))
)
CATALOG = Catalog().with_table(Table("t", COLUMNS, size_in_bytes=1 << 40))
OBJECT_HASH = "spark.sql.execution.useObjectHashAggregateExec"


def decisions(sql, **settings):
    config = OptimizerConfig().with_settings({"spark.sql.adaptive.enabled": False, **settings})
    return [d for d in explain(sql, CATALOG, config).planned.decisions if d.strategy == "Aggregation"]


def decision(sql, **settings):
    (found,) = decisions(sql, **settings)
    return found


def stages(found):
    return dict(found.values)["stages"]


def checks(found, at):
    return [(c.condition, c.passed, dict(c.values)) for c in found.checks if c.node == at]


def test_an_aggregate_without_distinct_has_two_stages_and_an_exchange():
    found = decision("SELECT k, sum(v) AS n FROM t GROUP BY k")
    one, two = stages(found)

    assert found.outcome == "HashAggregate"
    assert [s.modes for s in (one, two)] == [("Partial",), ("Final",)]
    assert [s.exchange for s in (one, two)] == [None, f"hashpartitioning({one.keys[0]})"]
    assert [(a.name, a.type.simple_string) for a in one.buffers] == [("sum", "bigint")]
    assert [a.name for a in one.results] == ["k", "sum"]
    assert [r.name for r in two.results] == ["k", "n"]


def test_a_decision_names_keys_functions_and_results():
    values = dict(decision("SELECT k, sum(v) + 1 AS n, count(*) AS c FROM t GROUP BY k").values)

    assert [a.name for a in values["keys"]] == ["k"]
    assert [f.function.pretty_name for f in values["functions"]] == ["sum", "count"]
    assert [r.name for r in values["results"]] == ["k", "n", "c"]


def test_one_set_of_distinct_columns_takes_four_stages():
    found = decision("SELECT k, count(DISTINCT v), sum(d) FROM t GROUP BY k")

    assert [s.modes for s in stages(found)] == [
        ("Partial",),
        ("PartialMerge",),
        ("Partial", "PartialMerge"),
        ("Final",),
    ]
    assert [len(s.keys) for s in stages(found)] == [2, 2, 1, 1]
    assert [s.exchange is not None for s in stages(found)] == [False, True, False, True]
    ((_, passed, seen),) = checks(found, "distinct")
    assert passed
    assert [c.split("#")[0] for c in seen["columns"]] == ["v"]


def test_several_sets_come_over_an_expand():
    upper, lower = decisions("SELECT k, count(DISTINCT v), count(DISTINCT s) FROM t GROUP BY k")

    assert [len(stages(d)) for d in (upper, lower)] == [2, 2]
    asked = [next(c for c in d.checks if c.node == "distinct") for d in (upper, lower)]
    assert sorted(c.values == (("columns", ()), ("expanded", True)) for c in asked) == [False, True]


def test_filters_are_shown():
    found = decision("SELECT k, count(*) FILTER (WHERE v > 1) FROM t GROUP BY k")

    ((_, passed, seen),) = checks(found, "filter")
    assert passed
    assert len(seen["conditions"]) == 1
    assert [f.where is not None for s in stages(found) for f in s.functions] == [True, False]


def test_an_aggregate_may_only_group():
    found = decision("SELECT k FROM t GROUP BY k")

    assert checks(found, "group-only")[0][1]
    assert [s.modes for s in stages(found)] == [(), ()]
    assert not checks(decision("SELECT count(*) FROM t"), "group-only")[0][1]


def test_the_first_buffer_that_cannot_be_updated_is_named():
    found = decision("SELECT k, sum(v), max(s), first(s) FROM t GROUP BY k")

    assert found.outcome == "SortAggregate"
    assert checks(found, "stage 1")[0][2]["first_fixed"] == "max string"
    assert [(r.operator, r.reason) for r in found.rejected] == [
        ("HashAggregate", "the buffer max string cannot be updated in place"),
        ("ObjectHashAggregate", "no function keeps an object as its buffer"),
    ]
    assert all(s.required_order for s in stages(found))


def test_functions_with_objects_are_hashed_unless_the_setting_says_no():
    sql = "SELECT k, collect_list(v), max(s) FROM t GROUP BY k"
    on, off = decision(sql), decision(sql, **{OBJECT_HASH: False})

    assert (on.outcome, off.outcome) == ("ObjectHashAggregate", "SortAggregate")
    assert checks(on, "stage 1")[1][2]["functions"] == ("collect_list",)
    assert next(c for c in off.checks if c.setting == OBJECT_HASH).passed is False
    assert ("ObjectHashAggregate", f"{OBJECT_HASH} is false") in [(r.operator, r.reason) for r in off.rejected]


def test_what_a_hash_aggregate_beat_is_named_once():
    rejected = decision("SELECT k, max(d), min(day) FROM t GROUP BY k").rejected

    assert [r.operator for r in rejected] == ["ObjectHashAggregate", "SortAggregate"]


def test_stages_print_from_the_input_up():
    lines = stage_lines(stages(decision("SELECT count(*) FROM t")))

    assert lines == [
        "1. HashAggregate (Partial): partial_count(1); buffer count bigint",
        "   Exchange SinglePartition",
        "2. HashAggregate (Final): count(1); buffer count bigint",
    ]


MUTABLE = (
    "boolean tinyint smallint int bigint float double decimal(10,2) decimal(38,2) date timestamp timestamp_ntz time(6) "
    "interval_day_to_second interval_year_to_month interval void"
)
FIXED = "string char(3) varchar(5) binary array<int> map<int,int> struct<a:int> variant"


@pytest.mark.parametrize(
    ("words", "mutable"),
    [*[(w, True) for w in MUTABLE.split()], *[(w, False) for w in FIXED.split()]],
)
def test_types_that_can_be_updated_in_place(words, mutable):
    assert is_mutable(parse_type(words.replace("_to_", " to ").replace("interval_", "interval "))) is mutable


def test_what_a_plain_functions_filter_reads_comes_through_the_expand():
    sql = "SELECT count(DISTINCT v), sum(DISTINCT d), max(day) FILTER (WHERE s = 'A') FROM t"
    lower = decisions(sql)[0]

    expand = lower.subject.child
    assert {i for f in dict(lower.values)["functions"] for i in f.where.references} <= expand.output_set
