"""What ROLLUP, CUBE and GROUPING SETS mean."""

from __future__ import annotations

from planviz.errors import PlanTooLarge
from planviz.expressions.core import Expression
from planviz.expressions.unresolved import GroupingSets
from planviz.trees.depth import HEAVIEST


def units(g: GroupingSets) -> list[list[Expression]]:
    """The units of a ROLLUP or CUBE, or the sets of GROUPING SETS, as expressions."""
    return [[g.columns[i] for i in s] for s in g.sets]


def selected_sets(g: GroupingSets) -> list[list[Expression]]:
    """The grouping sets that are computed, in Spark's order. Raises PlanTooLarge for too many."""
    refuse_many(count_sets(g), len(g.columns))
    parts = units(g)
    if g.kind == "rollup":
        return [[e for u in parts[:n] for e in u] for n in range(len(parts), -1, -1)]
    if g.kind == "cube":
        return _subsets(parts)
    return parts


def count_sets(g: GroupingSets) -> int:
    """How many grouping sets are computed."""
    parts = len(units(g))
    return {"rollup": parts + 1, "cube": 1 << parts}.get(g.kind, parts)


def refuse_many(count: int, columns: int) -> None:
    """Raise PlanTooLarge for so many grouping sets of so many columns that the plan is too heavy to go on with."""
    if count * columns > HEAVIEST:
        raise PlanTooLarge(
            f"GROUP BY makes {count:,} grouping sets, and the plan writes each of them out. Group by fewer columns in "
            "CUBE and ROLLUP, or name the sets that are needed in GROUPING SETS."
        )


def _subsets(parts: list[list[Expression]]) -> list[list[Expression]]:
    """The units of every subset; those with the first unit come before those without it."""
    if not parts:
        return [[]]
    rest = _subsets(parts[1:])
    return [[*parts[0], *r] for r in rest] + rest
