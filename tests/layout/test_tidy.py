"""The tidy layout: no overlap, parents centred, compact, any depth and width, linear."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planviz.layout import tidy
from tests.steps import steps

GAP_X, GAP_Y = 20, 10


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[int], list[float], list[float]]:
    count = draw(st.integers(1, 60))
    parent = [-1]
    for i in range(1, count):
        parent.append(draw(st.integers(max(-1, i - draw(st.sampled_from([1, 3, 60]))), i - 1)))
    sizes = st.sampled_from([10.0, 46.0, 62.0, 190.0, 260.0])
    return parent, [draw(sizes) for _ in parent], [draw(sizes) for _ in parent]


def children_of(parent: list[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for i, p in enumerate(parent):
        found.setdefault(p, []).append(i)
    return found


def assert_apart(parent: list[int], w: list[float], h: list[float], x: list[float], y: list[float]) -> None:
    for a in range(len(parent)):
        for b in range(a):
            beside = x[a] + w[a] + GAP_X <= x[b] + 1e-6 or x[b] + w[b] + GAP_X <= x[a] + 1e-6
            below = y[a] + h[a] + GAP_Y <= y[b] + 1e-6 or y[b] + h[b] + GAP_Y <= y[a] + 1e-6
            assert beside or below, (a, b)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(forests(), st.sampled_from([0, 18]))
def test_boxes_keep_their_distance(forest: tuple[list[int], list[float], list[float]], fork_gap: int) -> None:
    parent, w, h = forest
    x, y = tidy(parent, w, h, gap_x=GAP_X, gap_y=GAP_Y, fork_gap=fork_gap)

    assert_apart(parent, w, h, x, y)
    assert min(x) == 0
    assert all(y[root] == 0 for root in children_of(parent)[-1])


@settings(max_examples=200, deadline=None)
@given(forests())
def test_parents_stand_centred_above_their_children_in_order(
    forest: tuple[list[int], list[float], list[float]],
) -> None:
    parent, w, h = forest
    x, y = tidy(parent, w, h, gap_x=GAP_X, gap_y=GAP_Y)

    for p, below in children_of(parent).items():
        assert all(x[a] + w[a] + GAP_X <= x[b] + 1e-6 for a, b in itertools.pairwise(below))
        if p >= 0:
            first, last = below[0], below[-1]
            middle = (x[first] + w[first] / 2 + x[last] + w[last] / 2) / 2
            assert x[p] + w[p] / 2 == pytest.approx(middle)
            assert all(y[child] == y[p] + h[p] + GAP_Y for child in below)


@settings(max_examples=200, deadline=None)
@given(forests())
def test_edges_cross_no_box(forest: tuple[list[int], list[float], list[float]]) -> None:
    parent, w, h = forest
    x, y = tidy(parent, w, h, gap_x=GAP_X, gap_y=GAP_Y, fork_gap=18)

    for p, below in children_of(parent).items():
        if p < 0:
            continue
        top, bottom = y[p] + h[p], y[below[0]]
        left, right = x[below[0]] + w[below[0]] / 2, x[below[-1]] + w[below[-1]] / 2
        for box in range(len(parent)):
            inside = x[box] < right - 1e-6 and left + 1e-6 < x[box] + w[box]
            assert not (inside and y[box] < bottom - 1e-6 and top + 1e-6 < y[box] + h[box]), (p, box)


@settings(max_examples=100, deadline=None)
@given(forests())
def test_first_and_last_subtrees_touch_something_or_the_tree_would_not_be_compact(
    forest: tuple[list[int], list[float], list[float]],
) -> None:
    """Two subtrees of a node with two children stand exactly the gap apart somewhere."""
    parent, w, h = forest
    x, y = tidy(parent, w, h, gap_x=GAP_X, gap_y=GAP_Y)
    below = children_of(parent)

    def subtree(start: int) -> list[int]:
        found, stack = [], [start]
        while stack:
            found.append(stack.pop())
            stack.extend(below.get(found[-1], ()))
        return found

    for children in below.values():
        if len(children) != 2:
            continue
        left, right = subtree(children[0]), subtree(children[1])
        room = min(
            x[b] - x[a] - w[a] for a in left for b in right if y[a] < y[b] + h[b] + GAP_Y and y[b] < y[a] + h[a] + GAP_Y
        )
        assert room == pytest.approx(GAP_X)


def test_small_siblings_share_the_room_between_two_big_ones() -> None:
    #        0
    #   1  2  3  4         1 and 4 have wide subtrees that push them apart, 2 and 3 are leaves
    parent = [-1, 0, 0, 0, 0, 1, 1, 1, 4, 4, 4]
    w = h = [10.0] * len(parent)
    x, _ = tidy(parent, w, h, gap_x=GAP_X, gap_y=GAP_Y)

    steps = [x[b] - x[a] for a, b in ((1, 2), (2, 3), (3, 4))]
    assert steps[0] == pytest.approx(steps[1]) == pytest.approx(steps[2])


def test_several_roots_stand_side_by_side() -> None:
    x, y = tidy([-1, 0, -1, 2], [100.0] * 4, [40.0] * 4, gap_x=GAP_X, gap_y=GAP_Y)

    assert x == [0, 0, 120, 120]
    assert y == [0, 50, 0, 50]


def test_nothing_and_one() -> None:
    assert tidy([], [], []) == ([], [])
    assert tidy([-1], [5.0], [5.0]) == ([0], [0])


def test_a_parent_after_its_child_is_refused() -> None:
    with pytest.raises(ValueError, match="node 0 stands before its parent 1"):
        tidy([1, -1], [1.0, 1.0], [1.0, 1.0])


def chain(n: int) -> list[int]:
    return list(range(-1, n - 1))


def fan(n: int) -> list[int]:
    return [-1] + [0] * (n - 1)


def comb(n: int) -> list[int]:
    """A left-deep tree of joins: every second node is a leaf."""
    return [-1] + [0 if i < 3 else i - 2 if i % 2 else i - 3 for i in range(1, n)]


def teeth(n: int) -> list[int]:
    """A root with chains of growing length side by side: long outlines merge again and again."""
    parent, length = [-1], 0
    while len(parent) < n:
        length += 1
        parent.append(0)
        top = len(parent) - 1
        parent.extend(range(top, top + length))
    return parent


def binary(n: int) -> list[int]:
    return [-1] + [(i - 1) // 2 for i in range(1, n)]


SHAPES = {"chain": chain, "fan": fan, "comb": comb, "teeth": teeth, "binary": binary}


@pytest.mark.parametrize("shape", SHAPES)
def test_20000_nodes_of_any_shape(shape: str) -> None:
    parent = SHAPES[shape](20_000)
    size = [46.0] * len(parent)
    x, y = tidy(parent, size, size)

    assert len(x) == len(y) == len(parent)
    if shape == "chain":
        assert set(x) == {0}
        assert y[-1] == 72 * (len(parent) - 1)
    if shape == "fan":
        assert x[0] == pytest.approx((x[1] + x[-1]) / 2)
        assert x[-1] == pytest.approx((len(parent) - 2) * 74)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_grows_with_the_number_of_nodes(shape: str) -> None:
    def taken(n: int) -> int:
        parent = SHAPES[shape](n)
        size = [46.0] * len(parent)
        return steps(lambda: tidy(parent, size, size))

    assert taken(16_000) < 4 * 1.2 * taken(4_000) + 100
