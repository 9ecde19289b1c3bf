"""A tidy tree for cards of different sizes, in linear time and without recursion.

Contours as in Reingold and Tilford (1981), slack shared among the siblings in between as in Buchheim, Jünger and
Leipert (2002), children hung directly under their parent instead of on common levels as in van der Ploeg (2014). The
browser script lays out with the same steps when something is collapsed, so a change here is a change there.
"""

from __future__ import annotations

from collections.abc import Sequence


class _Forest:
    """The outline of subtrees that stand side by side.

    An outline is a list of steps from the deepest to the topmost (so that a parent is appended): step k reaches down to
    `bottoms[k]` and its edge is at `xs[k] + shift`. Merging replaces the top of the taller outline by the shorter one,
    which is what keeps the whole layout linear.
    """

    __slots__ = ("left_bottoms", "left_shift", "left_xs", "right_bottoms", "right_shift", "right_xs")

    def __init__(self, half: float, bottom: float) -> None:
        self.left_bottoms = [bottom]
        self.left_xs = [-half]
        self.left_shift = 0.0
        self.right_bottoms = [bottom]
        self.right_xs = [half]
        self.right_shift = 0.0

    def move(self, by: float) -> None:
        self.left_shift += by
        self.right_shift += by

    def put_on_top(self, half: float, bottom: float) -> None:
        """The parent, centred at 0, above everything else."""
        self.left_bottoms.append(bottom)
        self.left_xs.append(-half - self.left_shift)
        self.right_bottoms.append(bottom)
        self.right_xs.append(half - self.right_shift)

    def add(self, other: _Forest, gap: float, pushes: list[tuple[float, float]] | None) -> float:
        """Take in `other` as near on the right as `gap` allows and return how far it was moved.

        `other` must not be used afterwards. Each push after the first is noted in `pushes` as `(y, by)`.
        """
        bottoms, xs = self.right_bottoms, self.right_xs
        other_bottoms, other_xs = other.left_bottoms, other.left_xs
        base = self.right_shift + gap - other.left_shift
        i, j = len(xs) - 1, len(other_xs) - 1
        moved = xs[i] - other_xs[j] + base
        while True:
            bottom, other_bottom = bottoms[i], other_bottoms[j]
            if bottom <= other_bottom:
                i -= 1
            if other_bottom <= bottom:
                j -= 1
            if i < 0 or j < 0:
                break
            needed = xs[i] - other_xs[j] + base
            if needed > moved:
                if pushes is not None:
                    pushes.append((min(bottom, other_bottom), needed - moved))
                moved = needed
        other.move(moved)
        if i >= 0:
            self._replace_right_top(i, other)
        else:
            if j >= 0:
                self._replace_left_top(j, other)
            self.right_bottoms, self.right_xs, self.right_shift = other.right_bottoms, other.right_xs, other.right_shift
        return moved

    def _replace_right_top(self, keep: int, other: _Forest) -> None:
        by = other.right_shift - self.right_shift
        self.right_bottoms[keep + 1 :] = other.right_bottoms
        self.right_xs[keep + 1 :] = [x + by for x in other.right_xs]

    def _replace_left_top(self, keep: int, other: _Forest) -> None:
        by = self.left_shift - other.left_shift
        other.left_bottoms[keep + 1 :] = self.left_bottoms
        other.left_xs[keep + 1 :] = [x + by for x in self.left_xs]
        self.left_bottoms, self.left_xs, self.left_shift = other.left_bottoms, other.left_xs, other.left_shift


def tidy(
    parent: Sequence[int],
    width: Sequence[float],
    height: Sequence[float],
    *,
    gap_x: float = 28,
    gap_y: float = 26,
    fork_gap: float = 0,
) -> tuple[list[float], list[float]]:
    """Place a forest of boxes: parents centred over their first and last child, no two boxes nearer than the gaps.

    `parent[i]` is the index of i's parent, smaller than i, or -1 for a root; children stand in the order of their
    indices. Sizes and gaps are in one unit, say pixels; `fork_gap` is added to `gap_y` under a node with several
    children. Returns the lists x and y of the top left corners; the smallest x and the roots' y are 0.

    Raises ValueError when a parent does not come before its child.
    """
    count = len(parent)
    children: list[list[int]] = [[] for _ in range(count)]
    roots: list[int] = []
    for i, p in enumerate(parent):
        if p < 0:
            roots.append(i)
        elif p < i:
            children[p].append(i)
        else:
            raise ValueError(f"node {i} stands before its parent {p}")
    y = _tops(parent, height, children, gap_y, fork_gap)
    offset = [0.0] * count
    forests: list[_Forest | None] = [None] * count
    for i in range(count - 1, -1, -1):
        below = children[i]
        half, bottom = width[i] / 2, y[i] + height[i] + gap_y
        if not below:
            forests[i] = _Forest(half, bottom)
            continue
        forest = _beside(below, forests, offset, gap_x)
        forest.put_on_top(half, bottom)
        forests[i] = forest
    if roots:
        _beside(roots, forests, offset, gap_x)
    x = offset
    for i, p in enumerate(parent):
        if p >= 0:
            x[i] += x[p]
    x = [centre - w / 2 for centre, w in zip(x, width, strict=True)]
    leftmost = min(x, default=0.0)
    return [value - leftmost for value in x], y


def _tops(
    parent: Sequence[int], height: Sequence[float], children: list[list[int]], gap_y: float, fork_gap: float
) -> list[float]:
    y = [0.0] * len(parent)
    for i, p in enumerate(parent):
        if p >= 0:
            y[i] = y[p] + height[p] + (gap_y + fork_gap if len(children[p]) > 1 else gap_y)
    return y


def _beside(siblings: list[int], forests: list[_Forest | None], offset: list[float], gap: float) -> _Forest:
    """Stand subtrees side by side; their offsets become relative to the middle between the first and the last."""
    forest = forests[siblings[0]]
    assert forest is not None
    forests[siblings[0]] = None
    if len(siblings) == 1:
        return forest
    places = [0.0]
    # (lowest point, sibling) of those seen from the right, the nearest last: whoever ends above the next is hidden.
    visible: list[tuple[float, int]] = [(forest.right_bottoms[0], 0)]
    many = len(siblings) > 2
    ramps: list[tuple[int, int, float]] = []
    for k in range(1, len(siblings)):
        other = forests[siblings[k]]
        assert other is not None
        forests[siblings[k]] = None
        pushes: list[tuple[float, float]] | None = [] if many else None
        lowest = other.right_bottoms[0]
        places.append(forest.add(other, gap, pushes))
        if not many:
            continue
        owner = len(visible) - 1
        for depth, by in pushes or ():
            while visible[owner][0] <= depth:
                owner -= 1
            if visible[owner][1] < k - 1:
                ramps.append((visible[owner][1], k, by))
        while visible and visible[-1][0] <= lowest:
            visible.pop()
        visible.append((lowest, k))
    _share_slack(places, ramps)
    middle = (places[0] + places[-1]) / 2
    for sibling, place in zip(siblings, places, strict=True):
        offset[sibling] = place - middle
    forest.move(-middle)
    return forest


def _share_slack(places: list[float], ramps: list[tuple[int, int, float]]) -> None:
    """Move the siblings between `first` and `last` of every ramp by even steps into the room that opened up."""
    if not ramps:
        return
    spread = [0.0] * (len(places) + 1)  # how much the step from one sibling to the next changes here
    drop = [0.0] * (len(places) + 1)
    for first, last, by in ramps:
        step = by / (last - first)
        spread[first + 1] += step
        spread[last] -= step
        drop[last] += step * (last - first - 1)
    slope = moved = 0.0
    for k in range(len(places)):
        slope += spread[k]
        moved += slope - drop[k]
        places[k] += moved
