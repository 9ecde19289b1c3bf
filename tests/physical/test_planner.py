"""The planner's data beside our own operators."""

from __future__ import annotations

import pytest

from planviz.errors import InputError
from planviz.logical import objects, operators, relations
from planviz.logical.combining import Union
from planviz.physical import planner


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

    assert list(found) == ["pipeline", "classes", "strategies", "mapping", "patterns", "categories"]
    assert all(len(row) == len(s.columns) for s in found.values() for row in s.rows)
    assert found["strategies"].rows[10][:3] == ("11", "9", "JoinSelection")
    assert found["strategies"].rows[3][:3] == ("4", "–", "V2CommandStrategy")
    assert "EnsureRequirements" in found["pipeline"].note
