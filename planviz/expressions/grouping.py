"""What ROLLUP, CUBE and GROUPING SETS mean."""

from __future__ import annotations

from itertools import combinations

from planviz.expressions.core import Expression
from planviz.expressions.unresolved import GroupingSets


def units(g: GroupingSets) -> list[list[Expression]]:
    """The units of a ROLLUP or CUBE, or the sets of GROUPING SETS, as expressions."""
    return [[g.columns[i] for i in s] for s in g.sets]


def selected_sets(g: GroupingSets) -> list[list[Expression]]:
    """The grouping sets that are computed, in Spark's order."""
    parts = units(g)
    if g.kind == "rollup":
        return [[e for u in parts[:n] for e in u] for n in range(len(parts), -1, -1)]
    if g.kind == "cube":
        sizes = range(len(parts), -1, -1)
        return [[e for u in chosen for e in u] for n in sizes for chosen in combinations(parts, n)]
    return parts
