"""JoinSelection against the grid of what Spark chose, cell by cell; profiles; keys that SQL cannot write."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.decisions.join_tree import join_tree
from planviz.execution import explain
from planviz.expressions.core import AttributeReference
from planviz.expressions.predicates import EqualTo
from planviz.logical.combining import Join
from planviz.logical.relations import LogicalRelation
from planviz.physical.strategies.context import PlanningContext
from planviz.physical.strategies.join_selection import JoinSelection
from planviz.types import INT, MapType
from tests.acceptance.engines import real_spark, skip_without_java
from tests.physical.grid import Spark, catalog, ours, rows

ROWS = rows()
CELLS = [
    pytest.param(row, hint, code, id=f"{row.sql(hint)}; {row.settings}") for row in ROWS for hint, code in row.codes
]


@pytest.mark.parametrize(("row", "hint", "code"), CELLS)
def test_planviz_chooses_as_spark(row, hint, code):
    assert ours(row, hint) == code


@pytest.fixture(scope="module")
def spark():
    skip_without_java()
    return Spark(real_spark())


@pytest.mark.spark
@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row).split(" | B")[0])
def test_spark_still_does(row, spark):
    assert {hint: spark.answer(row, hint) for hint, _ in row.codes} == dict(row.codes)


def decision(sql, profile="spark-4.3", **settings):
    config = OptimizerConfig.of(profile, **{f"spark.sql.{k.replace('__', '.')}": v for k, v in settings.items()})
    execution = explain(sql, catalog(), config)
    return next(d for d in execution.planned.decisions if d.strategy == "JoinSelection"), execution


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["spark-4.3", "spark-3.0"])
def test_every_cell_is_a_path_of_the_tree(profile):
    tree = join_tree(profile)
    for row in ROWS[:: 7 if profile == "spark-3.0" else 3]:
        for hint, _ in row.codes:
            found, _ = decision(row.sql(hint), profile)
            assert tree.leaf(found.checks).operator == found.outcome


# ------------------------------------------------------------------------------------------- Spark 3.0


@pytest.mark.parametrize(
    ("sql", "settings", "old", "new"),
    [
        ("SELECT /*+ SHUFFLE_HASH(big2) */ * FROM big FULL JOIN big2 ON big.k = big2.k", {}, "M", "Sr"),
        ("SELECT /*+ SHUFFLE_HASH(big) */ * FROM big LEFT JOIN big2 ON big.k = big2.k", {}, "M", "Sl"),
        ("SELECT * FROM mid LEFT JOIN big ON mid.k = big.k", {"join__preferSortMergeJoin": False}, "M", "Sl"),
        ("SELECT * FROM big WHERE k NOT IN (SELECT k FROM big2)", {}, "Nr", "Br"),
        (
            "SELECT * FROM mid89 JOIN mid ON mid89.k = mid.k",
            {"join__preferSortMergeJoin": False, "shuffledHashJoinFactor": 2},
            "M",
            "Sr",
        ),
    ],
)
def test_spark_3_0_differs(sql, settings, old, new):
    letters = {"SortMergeJoin": "M", "ShuffledHashJoin": "S", "BroadcastNestedLoopJoin": "N", "BroadcastHashJoin": "B"}
    for profile, expected in (("spark-3.0", old), ("spark-4.3", new)):
        found, _ = decision(sql, profile, **settings)
        assert letters[found.outcome] + found.value("build")[5:6].lower() == expected


def test_spark_3_0_does_not_warn_of_hints_that_cannot_be_followed():
    sql = "SELECT /*+ BROADCAST(big) */ * FROM big LEFT JOIN big2 ON big.k = big2.k"
    _, old = decision(sql, "spark-3.0")
    _, new = decision(sql)

    assert not [w for w in old.warnings if "not supported" in w]
    assert "Hint (strategy=broadcast) is not supported in the query: build left for left outer join." in new.warnings


# ------------------------------------------------------------------------------------------- what is recorded


def test_every_candidate_that_lost_says_why_with_the_numbers():
    found, _ = decision("SELECT * FROM mid89 JOIN mid ON mid89.k = mid.k", join__preferSortMergeJoin=False)
    reasons = {r.operator: (r.node, r.reason, dict(r.values)) for r in found.rejected}

    assert found.outcome == "SortMergeJoin"
    node, reason, values = reasons["BroadcastHashJoin"]
    assert (node, reason) == ("N2", "left 90 MiB > 10 MiB; right 30 MiB > 10 MiB")
    assert values == {"left": (90 << 20) - 1, "right": 30 << 20, "limit": 10 << 20}
    node, reason, values = reasons["ShuffledHashJoin"]
    assert node == "N5"
    assert "right 30 MiB × 3 > left 90 MiB" in reason
    assert values["factor"] == 3
    assert reasons["CartesianProduct"][1] == "not asked: SortMergeJoin comes first"


def test_a_small_side_that_cannot_be_built_is_told():
    found, _ = decision("SELECT * FROM small LEFT JOIN big ON small.k = big.k")
    (lost,) = [r for r in found.rejected if r.operator == "BroadcastHashJoin"]

    assert "left 5 MiB is small enough, but a left outer join cannot build it" in lost.reason


def test_settings_that_only_spark_itself_obeys_are_told():
    _, forced = decision("SELECT * FROM big JOIN big2 ON big.k = big2.k", join__forceApplyShuffledHashJoin="true")
    _, later = decision("SELECT * FROM big JOIN big2 ON big.k = big2.k", adaptive__autoBroadcastJoinThreshold="1g")

    assert any("forceApplyShuffledHashJoin" in w and "own tests" in w for w in forced.warnings)
    assert any("adaptive.autoBroadcastJoinThreshold" in w and "while a query runs" in w for w in later.warnings)


# ------------------------------------------------------------------------------------------- keys without order


def side(number, key_type):
    key = AttributeReference("m", key_type, True, number)
    return LogicalRelation((key,), (f"t{number}",), None), key


@pytest.mark.parametrize(
    ("kind", "expected"), [("Inner", "CartesianProduct"), ("LeftOuter", "BroadcastNestedLoopJoin")]
)
def test_keys_without_order_leave_a_product_or_loops(kind, expected):
    (left, a), (right, b) = side(1, MapType(INT, INT)), side(2, MapType(INT, INT))
    context = PlanningContext(OptimizerConfig(), lambda plan: plan)
    chooser = JoinSelection(Join(left, right, kind, EqualTo(a, b)), context)

    assert chooser.choose()[0] == expected
    assert [c.node for c in chooser.recorder.checks] == ["N0", "N1", "N2", "N3", "N6", "N7"]
