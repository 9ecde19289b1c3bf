"""The layout for plans of many joins: columns, rows, nothing on top of anything."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from planviz.layout.spine import spine

GAPS = {"gap_x": 20.0, "gap_y": 30.0}


def placed(parent: list[int], aside: list[bool] | None = None) -> list[tuple[float, float]]:
    xs, ys = spine(parent, [100.0] * len(parent), [40.0] * len(parent), aside=aside, **GAPS)
    return list(zip(xs, ys, strict=True))


def test_a_chain_is_one_column() -> None:
    assert placed([-1, 0, 1]) == [(0, 0), (0, 70), (0, 140)]


def test_a_left_deep_tree_is_two_columns_with_every_input_beside_its_join() -> None:
    # join(join(join(a, b), c), d): 0 1 2 joins, 3 a, 4 b, 5 c, 6 d
    found = placed([-1, 0, 1, 2, 2, 1, 0])
    assert [x for x, _ in found] == [0, 0, 0, 0, 120, 120, 120]
    assert [y for _, y in found] == [0, 70, 140, 210, 210, 140, 70]


def test_the_spine_waits_for_an_input_of_two_boxes() -> None:
    # join(join(a, b), filter(c)): 0 1 joins, 2 a, 3 b, 4 filter, 5 c
    found = placed([-1, 0, 1, 1, 0, 4])
    assert found[1] == (0, 140 - 0) or found[1] == (0, 70)
    assert found[4] == (120, 70)
    assert found[5] == (120, 140)
    assert found[3][1] > found[5][1]


def test_a_large_input_stands_further_aside_so_that_no_long_gap_comes() -> None:
    # join(filter(join(a, b)), chain of ten): 0 join, 1 filter, 2 join, 3 a, 4 b, 5.. the chain
    found = placed([-1, 0, 1, 2, 2, 0, *range(5, 14)])
    assert found[1] == (0, 70)
    assert found[4] == (120, 210)
    assert [x for x, _ in found[5:]] == [240] * 10
    assert found[5][1] == 70


def test_every_column_is_as_wide_as_its_own_boxes() -> None:
    xs, _ = spine([-1, 0, 0], [200.0, 100.0, 60.0], [40.0] * 3, **GAPS)
    assert xs == [0, 50, 220]


def test_a_subquery_never_stands_straight_below() -> None:
    found = placed([-1, 0, 0], aside=[False, True, False])
    assert found[1][0] == 120
    assert found[2][0] == 0


@given(st.lists(st.integers(0, 30), max_size=60))
def test_no_box_stands_on_another_and_children_stand_below(picks: list[int]) -> None:
    parent = [-1] + [pick % (i + 1) for i, pick in enumerate(picks)]
    found = placed(parent)
    assert len(set(found)) == len(found)
    for i, above in enumerate(parent):
        if above >= 0:
            assert found[i][1] > found[above][1]
            assert found[i][0] >= found[above][0]


def test_a_long_chain_takes_no_recursion() -> None:
    assert placed([i - 1 for i in range(20_000)])[-1] == (0, 70 * 19_999)


def test_a_short_second_input_lies_in_one_row() -> None:
    # join(join(a, exchange(filter(b))), exchange(c)): 0 1 joins, 2 a, 3 exchange, 4 filter, 5 b, 6 exchange, 7 c
    parent, width = [-1, 0, 1, 1, 3, 4, 0, 6], [100.0, 100.0, 100.0, 80.0, 60.0, 70.0, 90.0, 110.0]
    xs, ys = spine(parent, width, [40.0] * 8, lying=True, **GAPS)
    assert ys == [0, 70, 140, 140, 140, 140, 70, 70]
    assert xs[3:6] == [120, 220, 300]
    assert xs[6:] == [120, 230]


def test_inputs_of_a_union_and_long_chains_stand() -> None:
    union = [-1, 0, 1, 0, 3, 0, 5]
    assert spine(union, [100.0] * 7, [40.0] * 7, lying=True, **GAPS) == spine(union, [100.0] * 7, [40.0] * 7, **GAPS)
    long = [-1, 0, 0, *range(2, 8)]
    assert spine(long, [100.0] * 9, [40.0] * 9, lying=True, **GAPS) == spine(long, [100.0] * 9, [40.0] * 9, **GAPS)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(20, 200), st.booleans()), max_size=60))
def test_no_box_stands_on_another_where_chains_lie(picks: list[tuple[int, int, bool]]) -> None:
    parent = [-1] + [max(0, i - back) for i, (back, _, _) in enumerate(picks)]
    width, aside = [50.0, *(float(w) for _, w, _ in picks)], [False, *(off for *_, off in picks)]
    xs, ys = spine(parent, width, [40.0] * len(parent), aside=aside, lying=True, **GAPS)
    rows: dict[float, list[tuple[float, float]]] = {}
    for x, y, w in zip(xs, ys, width, strict=True):
        rows.setdefault(y, []).append((x, x + w))
    for boxes in rows.values():
        boxes.sort()
        assert all(right + GAPS["gap_x"] <= left + 1e-6 for (_, right), (left, _) in pairwise(boxes))
    for i, above in enumerate(parent):
        if above >= 0:
            assert ys[i] > ys[above] or (ys[i] == ys[above] and xs[i] > xs[above])
