"""The tree of join selection holds together, and what the planner records is a path through it."""

from __future__ import annotations

import pytest

from planviz.decisions.choices import Check
from planviz.decisions.join_tree import JOIN_TREES, join_tree
from planviz.errors import PlanvizError

TREES = pytest.mark.parametrize("tree", JOIN_TREES.values(), ids=list(JOIN_TREES))


@TREES
def test_every_edge_leads_somewhere_and_everything_is_reached(tree):
    names = {q.name for q in tree.questions} | {o.name for o in tree.outcomes}
    assert {e.target for e in tree.edges} | {tree.root} == names
    assert len(names) == len(tree.questions) + len(tree.outcomes)


@TREES
def test_no_way_comes_back(tree):
    def ways(name, seen):
        assert name not in seen
        for e in tree.edges:
            if e.source == name:
                ways(e.target, {*seen, name})

    ways(tree.root, set())


def test_it_has_the_questions_and_leaves_of_the_inventory():
    tree = join_tree()
    assert len(tree.questions) == 18
    assert len(tree.outcomes) == 8
    assert "N9" not in {q.name for q in join_tree("spark-3.0").questions}


def test_checks_off_the_path_are_refused():
    with pytest.raises(PlanvizError, match="does not stand at N0"):
        join_tree().path([Check("N1", "", True)])


def test_a_path_ends_where_the_answer_is_not_known():
    path = join_tree().path([Check("N0", "", True), Check("N1", "", None)])
    assert [(e.source, e.label, e.target) for e in path] == [("N0", "yes", "N1")]
    assert join_tree().leaf([Check("N0", "", True), Check("N1", "", None)]) is None
