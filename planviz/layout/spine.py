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
#: Boxes of a chain that lies in one row; a longer one is read better from top to bottom.
_LYING = 5
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
    lying: bool = False,
) -> tuple[list[float], list[float]]:
    """Left and top of every box, in the unit of the sizes; `parent[i] < i`, or -1 for a root.

    `aside` tells boxes that never stand straight below (subqueries). With `lying` the second of two inputs lies in one
    row when it is a short chain, each box to the right of the one that it feeds: a plan of many joins is as high as its
    spine then. Linear but for the heights of inputs that stand beside each other.
    """
    count = len(parent)
    below: list[list[int]] = [[] for _ in range(count)]
    roots: list[int] = []
    for i, above in enumerate(parent):
        (roots if above < 0 else below[above]).append(i)
    column, row = [0] * count, [0] * count
    shapes: list[_Shape] = [[] for _ in range(count)]
    lies = _lies(parent, below, aside) if lying else [False] * count
    for i in reversed(range(count)):
        if lies[i]:
            shapes[i] = _in_one_row(below[i], shapes, column)
        else:
            shapes[i] = _placed(i, below[i], shapes, column, row, aside)
    right = 0
    for root in roots:
        column[root] = right
        right += max(shapes[root])
    for i, above in enumerate(parent):
        if above >= 0:
            column[i] += column[above]
            row[i] += row[above]
    return _coordinates(column, row, width, height, gap_x, gap_y, _chains(parent, lies))


def _chains(parent: Sequence[int], lies: Sequence[bool]) -> list[list[int]]:
    """The boxes of every chain that lies, from the left."""
    found: list[list[int]] = []
    chain_of: dict[int, list[int]] = {}
    for i, above in enumerate(parent):
        if lies[i] and lies[above]:
            chain_of[i] = chain_of[above]
        elif lies[i]:
            found.append([])
            chain_of[i] = found[-1]
        if lies[i]:
            chain_of[i].append(i)
    return found


def _lies(parent: Sequence[int], below: list[list[int]], aside: Sequence[bool] | None) -> list[bool]:
    """The boxes of chains that lie."""
    length = [0] * len(parent)  # of the chain that a subtree is; 0 where it is none
    for i in reversed(range(len(parent))):
        if len(below[i]) < 2:
            length[i] = 1 + length[below[i][0]] if below[i] and length[below[i][0]] else int(not below[i])
    lies = [False] * len(parent)
    for i, above in enumerate(parent):
        if above < 0:
            continue
        second = len(below[above]) == 2 and i != _straight(below[above], aside)
        lies[i] = lies[above] or (second and 0 < length[i] <= _LYING)
    return lies


def _straight(below: list[int], aside: Sequence[bool] | None) -> int | None:
    """The box that stands straight below."""
    return next((child for child in below if aside is None or not aside[child]), None)


def _in_one_row(below: list[int], shapes: list[_Shape], column: list[int]) -> _Shape:
    for child in below:
        column[child] = 1
    return [1 + shapes[below[0]][0]] if below else [1]


def _placed(
    i: int,
    below: list[int],
    shapes: list[_Shape],
    column: list[int],
    row: list[int],
    aside: Sequence[bool] | None,
) -> _Shape:
    """Place the boxes under `i` relative to it; gives what it takes with them."""
    straight = _straight(below, aside)
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
    column: list[int],
    row: list[int],
    width: Sequence[float],
    height: Sequence[float],
    gap_x: float,
    gap_y: float,
    chains: Sequence[Sequence[int]],
) -> tuple[list[float], list[float]]:
    widest = [0.0] * (max(column, default=-1) + 1)
    tallest = [0.0] * (max(row, default=-1) + 1)
    lying = {i for chain in chains for i in chain}
    for i, (c, r, w, h) in enumerate(zip(column, row, width, height, strict=True)):
        widest[c], tallest[r] = max(widest[c], 0.0 if i in lying else w), max(tallest[r], h)
    # The boxes of a chain stand close together; its last column is as wide as that needs.
    for chain in chains:
        first, last = column[chain[0]], column[chain[-1]]
        widest[last] += max(0.0, sum(width[i] for i in chain) - sum(widest[first : last + 1]))
    left, top = _starts(widest, gap_x), _starts(tallest, gap_y)
    x = [left[c] + (widest[c] - w) / 2 for c, w in zip(column, width, strict=True)]
    for chain in chains:
        at = left[column[chain[0]]]
        for i in chain:
            x[i] = at
            at += width[i] + gap_x
    return x, [top[r] for r in row]


def _starts(sizes: list[float], gap: float) -> list[float]:
    """Where each column or row begins, one after the other with a gap between."""
    return list(accumulate((size + gap for size in sizes), initial=0.0))
