"""The layout for plans of many joins: columns, rows, nothing on top of anything."""

from __future__ import annotations

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
