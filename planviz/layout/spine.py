"""A layout for plans of many joins: the first input goes straight down, every other one stands to the right of it.

A left-deep tree becomes one column of joins with a column of inputs beside it, where a tidy tree is a staircase as wide
as it is deep. Boxes stand on a grid: one width for each column, one height for each row. The browser script lays out
large plans with the same steps, so a change here is a change there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

#: What a subtree takes of the grid, from its last row to its first: columns from its own on.
_Shape = list[int]
#: So many rows left empty are as bad as one more column: what stands beside a spine makes room for it instead.
_ROWS_A_COLUMN = 4


def spine(
    parent: Sequence[int],
    width: Sequence[float],
    height: Sequence[float],
    *,
    gap_x: float,
    gap_y: float,
    aside: Sequence[bool] | None = None,
) -> tuple[list[float], list[float]]:
    """Left and top of every box, in the unit of the sizes; `parent[i] < i`, or -1 for a root.

    `aside` tells boxes that never stand straight below (subqueries). Linear but for the heights of inputs that stand
    beside each other.
    """
    count = len(parent)
    below: list[list[int]] = [[] for _ in range(count)]
    roots: list[int] = []
    for i, above in enumerate(parent):
        (roots if above < 0 else below[above]).append(i)
    column, row = [0] * count, [0] * count
    shapes: list[_Shape] = [[] for _ in range(count)]
    for i in reversed(range(count)):
        shapes[i] = _placed(i, below[i], shapes, column, row, aside)
    right = 0
    for root in roots:
        column[root] = right
        right += max(shapes[root])
    for i, above in enumerate(parent):
        if above >= 0:
            column[i] += column[above]
            row[i] += row[above]
    return _coordinates(column, row, width, height, gap_x, gap_y)


def _placed(
    i: int,
    below: list[int],
    shapes: list[_Shape],
    column: list[int],
    row: list[int],
    aside: Sequence[bool] | None,
) -> _Shape:
    """Place the boxes under `i` relative to it; gives what it takes with them."""
    straight = next((child for child in below if aside is None or not aside[child]), None)
    others = [child for child in below if child != straight]
    beside: _Shape = []  # columns used beside the spine, from the first row below
    for child in others:
        shape = shapes[child][::-1]
        at = max([1, *beside[: len(shape)]])
        column[child], row[child] = at, 1
        beside += [1] * (len(shape) - len(beside))
        for r, used in enumerate(shape):
            beside[r] = max(beside[r], at + used)
        shapes[child] = []
    if straight is None:
        return [*beside[::-1], 1]
    main = shapes[straight]
    # The spine goes on as high as it can without its own inputs meeting these, or these make room for them.
    down = 0
    while any(used > 1 for used in main[max(0, len(main) - (len(beside) - down)) :] if down < len(beside)):
        down += 1
    further = max(main[max(0, len(main) - len(beside)) :], default=1) - 1
    if down > _ROWS_A_COLUMN * further:
        for child in others:
            column[child] += further
        beside, down = [used + further for used in beside], 0
    column[straight], row[straight] = 0, 1 + down
    shapes[straight] = []
    for r in range(down, len(beside)):
        at = len(main) - 1 - (r - down)
        if at < 0:
            main[:0] = [beside[r]]
        else:
            main[at] = max(main[at], beside[r])
    main += [*beside[:down][::-1], 1]
    return main


def _coordinates(
    column: list[int], row: list[int], width: Sequence[float], height: Sequence[float], gap_x: float, gap_y: float
) -> tuple[list[float], list[float]]:
    widest = [0.0] * (max(column, default=-1) + 1)
    tallest = [0.0] * (max(row, default=-1) + 1)
    for c, r, w, h in zip(column, row, width, height, strict=True):
        widest[c], tallest[r] = max(widest[c], w), max(tallest[r], h)
    left, top = _starts(widest, gap_x), _starts(tallest, gap_y)
    return [left[c] + (widest[c] - w) / 2 for c, w in zip(column, width, strict=True)], [top[r] for r in row]


def _starts(sizes: list[float], gap: float) -> list[float]:
    """Where each column or row begins, one after the other with a gap between."""
    return list(accumulate((size + gap for size in sizes), initial=0.0))
