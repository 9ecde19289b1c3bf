"""What ROLLUP, CUBE and GROUPING SETS mean."""

from __future__ import annotations

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
        return _subsets(parts)
    return parts


def _subsets(parts: list[list[Expression]]) -> list[list[Expression]]:
    """The units of every subset; those with the first unit come before those without it."""
    if not parts:
        return [[]]
    rest = _subsets(parts[1:])
    return [[*parts[0], *r] for r in rest] + rest
