"""A join's decision as boxes and ways: what is lit, what is said, what stays open."""

from __future__ import annotations

import pytest

from planviz.catalog.bundled import read_bundled
from planviz.config import OptimizerConfig
from planviz.decisions.join_tree import join_tree
from planviz.document import open_text
from planviz.document.alternatives.what_if import joins_of
from planviz.document.decisions import charts
from planviz.document.decisions.queries import decided
from planviz.execution import explain
from planviz.samples import load

JOINS = """SELECT * FROM lineitem l {} JOIN orders o ON l_orderkey = o_orderkey"""


def decision(sql, settings=None, catalog="tpch"):
    """The decision on the topmost join."""
    return joins_of(explain(sql, read_bundled(catalog), OptimizerConfig().with_settings(settings or {})))[0]


def boxes(found, state):
    """What stands in the boxes of a state: the line by the box's name."""
    return {box.id: box.line for box in charts.join_boxes(found, join_tree())[0] if box.state == state}


@pytest.mark.parametrize("kind", ["", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI", "CROSS"])
@pytest.mark.parametrize("prefer", [True, False])
@pytest.mark.parametrize("threshold", [-1, 10 << 20, 1 << 40])
def test_one_path_is_lit_from_the_root_to_the_operator(kind, prefer, threshold):
    settings = {"spark.sql.join.preferSortMergeJoin": prefer, "spark.sql.autoBroadcastJoinThreshold": threshold}
    found = decision(JOINS.format(kind), settings)
    _, ways = charts.join_boxes(found, join_tree())
    lit = {way.source: way for way in ways if way.lit}
    at, steps = "N0", 0
    while at in lit:
        at, steps = lit[at].target, steps + 1
    assert steps == len(lit) == len(found.checks)
    assert list(boxes(found, "chosen")) == [at]
    assert len(boxes(found, "taken")) == steps
    assert not boxes(found, "open")


def test_boxes_say_what_was_seen():
    found = decision(JOINS.format(""))
    taken = boxes(found, "taken")
    assert taken["N0"] == "l_orderkey = o_orderkey"
    assert taken["N1"] == "none"
    assert taken["N3"] == "preferSortMergeJoin = true"
    assert taken["N6"] == "bigint"
    assert taken["N2"].endswith("> 10 MiB")
    assert " and " in taken["N2"]
    assert boxes(found, "chosen") == {"N6.yes": "sorts both sides"}
    assert boxes(found, "passed")["N2.yes"].startswith("over by ")


def test_a_side_that_may_not_be_built_is_not_weighed():
    found = decision("SELECT * FROM nation RIGHT JOIN orders ON n_nationkey = o_custkey")
    assert boxes(found, "taken")["N2"].count("iB") == 2
    assert boxes(found, "chosen") == {"N2.yes": "builds nation"}
    assert boxes(decision(JOINS.format("FULL")), "taken")["N2"] == "this type may build neither"


def test_hints_are_said_with_their_side():
    found = decision("SELECT /*+ SHUFFLE_HASH(o) */ * FROM lineitem JOIN orders o ON l_orderkey = o_orderkey")
    assert boxes(found, "taken")["N1"] == "SHUFFLE_HASH right"
    assert list(boxes(found, "chosen")) == ["H3.yes"]


def test_what_a_pasted_plan_does_not_say_is_open():
    (query,) = decided(open_text(load("broadcast-and-merge-join")))
    merge = query.of("JoinSelection")[1]
    taken, unknown = boxes(merge, "taken"), boxes(merge, "open")
    assert list(taken) == ["N0", "N1", "N2", "N6"]
    assert set(unknown) == {"N3", "N4", "N5"}
    assert set(unknown.values()) == {"unknown"}
    assert list(boxes(merge, "chosen")) == ["N6.yes"]


def test_the_path_in_words_ends_with_the_operator():
    found = decision("SELECT * FROM nation JOIN orders ON n_nationkey = o_custkey")
    words = charts.path_words(found, join_tree())
    assert words[0] == "Equi-join keys? yes (n_nationkey = o_custkey, bigint)"
    assert words[-1] == "BroadcastHashJoin, BuildLeft"
    drawing = charts.draw_join(found, "spark-4.3", theme="dark")
    assert drawing.title == "Broadcast Hash Join, Inner"
    assert drawing.description == ". ".join(words) + "."
