"""The planner's data beside our own operators."""

from __future__ import annotations

import pytest

from planviz.errors import InputError
from planviz.logical import objects, operators, relations
from planviz.logical.combining import Union
from planviz.physical import planner
from planviz.physical.broadcast_limits import MAP_CAPACITY
from planviz.physical.buffers import is_mutable
from planviz.types.reading import parse_type

MORE = ("memory", "limits", "corrections")


def test_every_logical_operator_of_the_mapping_is_one_of_ours():
    ours = {n for module in (operators, relations, objects) for n in vars(module)} | {Union.__name__}

    assert {m.logical for m in planner.one_to_one()} <= ours


def test_every_strategy_of_the_mapping_is_asked():
    assert {m.strategy for m in planner.one_to_one()} <= set(planner.strategies())


def test_strategies_differ_by_version_in_what_was_added():
    old, new = planner.strategies("spark-3.0"), planner.strategies("spark-4.3")

    assert [s for s in new if s in old] == old
    assert (len(old), len(new)) == (11, 17)
    with pytest.raises(InputError, match=r"spark-3\.0"):
        planner.strategies("spark-1")


def test_the_pipeline_names_its_stages_in_order():
    assert [s["name"] for s in planner.pipeline()] == ["parsed", "analyzed", "optimized", "sparkPlan", "executedPlan"]


def test_classes_stand_below_their_parents():
    names = [c["name"] for c in planner.hierarchy()]

    assert all(c["parent"] is None or c["parent"] in names for c in planner.hierarchy())


@pytest.mark.parametrize(
    ("operator", "category"),
    [
        ("LocalTableScan", "LeafExecNode"),
        ("ExpandExec", "UnaryExecNode"),
        ("SortMergeJoin", "BinaryExecNode"),
        ("UnionExec", "other"),
        ("MyPlan", "other"),
    ],
)
def test_categories(operator, category):
    assert planner.category(operator) == category


def test_every_section_is_a_full_table():
    found = {s.name: s for s in planner.sections()}

    assert list(found) == ["pipeline", "classes", "strategies", "mapping", "patterns", "categories", *MORE]
    assert all(len(row) == len(s.columns) for s in found.values() for row in s.rows)
    assert found["strategies"].rows[10][:3] == ("11", "9", "JoinSelection")
    assert found["strategies"].rows[3][:3] == ("4", "–", "V2CommandStrategy")
    assert "EnsureRequirements" in found["pipeline"].note


def test_where_aggregates_keep_their_groups():
    memory = next(s for s in planner.sections() if s.name == "memory")
    told = {(row[0], row[1]): row[2] for row in memory.rows}
    assert "appends the key with an empty buffer" in told["HashAggregate", "UnsafeFixedWidthAggregationMap"]
    assert "one item is (group key, aggregation buffer)" in told["HashAggregate", "BytesToBytesMap"]
    assert "2,147,483,647" in told["HashAggregate", "TungstenAggregationIterator"]
    assert "no sort is needed" in told["HashAggregate", "why it comes first"]
    assert "keeps one buffer" in told["SortAggregate", "SortBasedAggregationIterator"]
    assert "arrays of Java objects" in told["ObjectHashAggregate", "ObjectAggregationMap"]
    assert "SortAggregate" in told["ObjectHashAggregate", "before Spark 2.2.0"]


@pytest.mark.parametrize(
    "name", ["boolean", "int", "double", "decimal(38,10)", "date", "timestamp", "string", "binary"]
)
def test_the_list_of_mutable_types_is_what_the_planner_does(name):
    memory = next(s for s in planner.sections() if s.name == "memory")
    listed = next(row[2] for row in memory.rows if row[1] == "mutable types")
    taken, refused = listed.split(". Not ")
    assert (name.partition("(")[0] in taken) is is_mutable(parse_type(name))
    assert (name.partition("(")[0] in refused) is not is_mutable(parse_type(name))


def test_the_row_limits_are_those_that_broadcasts_have():
    limits = {row[1]: row[2] for row in next(s for s in planner.sections() if s.name == "limits").rows}
    assert limits["MAX_BROADCAST_TABLE_ROWS"] == "512,000,000 rows"
    assert limits["BytesToBytesMap.MAX_CAPACITY / 1.5"] == f"{int(MAP_CAPACITY / 1.5):,} rows"


def test_a_card_says_where_the_documents_are_wrong():
    ((said, done),) = planner.corrections("RewriteIntersectAll")
    assert "> 1" in said
    assert "≥ 1" in done
    assert planner.corrections("ConstantFolding") == []
