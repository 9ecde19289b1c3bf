"""High trees and shared subtrees: nothing recurses deep, nothing is done twice."""

from __future__ import annotations

from typing import Any

import pytest

from planviz.trees.node import TreeNode, lazy, mask_of, node
from planviz.trees.text import tree_string

HEIGHT = 5_000


class Term(TreeNode, root=True):
    @lazy
    def size(self) -> int:
        return 1 + sum(c.size for c in self.children)

    @property
    def simple_string(self) -> str:
        return type(self).__name__


@node
class Number(Term):
    value: object


@node
class Sum(Term):
    left: Term
    right: Term


@node
class Call(Term):
    arguments: tuple[Term, ...]
    extra: Term | None = None


def chain(height: int, last: int = 0) -> Any:
    tree: Term = Number(last)
    for i in range(height):
        tree = Sum(tree, Number(i))
    return tree


def doubled(times: int) -> Any:
    tree: Term = Number(1)
    for _ in range(times):
        tree = Sum(tree, tree)
    return tree


def plus_one(n: Any) -> Any:
    return Number(n.value + 1) if isinstance(n, Number) else n


def test_height_counts_levels():
    assert [Number(1).height, chain(3).height, Call(()).height, Call((Number(1),), chain(2)).height] == [0, 3, 0, 3]


def test_a_lazy_value_of_a_high_tree():
    assert chain(HEIGHT).size == 2 * HEIGHT + 1


@pytest.mark.parametrize("height", [10, HEIGHT])
def test_equality_and_hash_of_high_trees(height):
    assert chain(height) == chain(height)
    assert hash(chain(height)) == hash(chain(height))
    assert chain(height) != chain(height, last=1)
    assert chain(height) != chain(height + 1)


def test_high_trees_that_differ_only_in_shape():
    high = chain(100)
    assert Call((high, Number(1))) != Call((high,), Number(1))
    assert Call((high,)) != Call((), high)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["transform_up", "transform_down"])
def test_transforms_of_high_trees(way):
    tree = chain(HEIGHT)

    assert getattr(tree, way)(plus_one).size == tree.size
    assert getattr(tree, way)(plus_one) == getattr(chain(HEIGHT), way)(plus_one)
    assert getattr(tree, way)(plus_one) != tree
    assert getattr(tree, way)(lambda n: n) is tree
    assert getattr(tree, way)(plus_one, mask_of(Call)) is tree


def test_down_on_a_high_tree_visits_parents_first_and_keeps_places():
    seen = []
    tree = chain(100)
    tree.__dict__["origin"] = ("text", 3)
    new = tree.transform_down(lambda n: seen.append(n) or plus_one(n))

    assert seen[0] is tree
    assert [n.value for n in seen if isinstance(n, Number)] == [0, *range(100)]
    assert new.origin == ("text", 3)
    assert new == tree.transform_up(plus_one)


@pytest.mark.parametrize("way", ["transform_up", "transform_down"])
@pytest.mark.parametrize("times", [20, 200])
def test_a_shared_subtree_is_visited_once(way, times):
    calls = []
    tree = doubled(times)
    new = getattr(tree, way)(lambda n: calls.append(n) or plus_one(n))

    # Below the height from which it pays to remember, every path is walked.
    assert len(calls) < 2**10 + times
    assert new.height == times
    assert new.size == tree.size == 2 ** (times + 1) - 1


def test_equal_trees_that_share_subtrees_in_many_places():
    assert doubled(50) == doubled(50)
    assert doubled(50) != doubled(50).transform_up(plus_one)


def test_the_text_of_a_high_tree():
    text = tree_string(chain(1_000))

    assert text.count("\n") == 2_001
    assert text.startswith("Sum\n:- Sum\n:  :- Sum\n")
