"""How rows are put in an order: values, comparison, sorting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key

from planviz.evaluation import compare
from planviz.expressions.core import SortOrder
from planviz.mechanics.play import Input, Row, computed
from planviz.types.values import Value

Comparing = Callable[[Row, Row], int]


def order_values(source: Input, row: Row, order: Sequence[SortOrder]) -> Row:
    """What a row is sorted by, an item per SortOrder. Raises CannotPlay."""
    env = source.env(row)
    return tuple([computed(o.child, env) for o in order])


def comparison(order: Sequence[SortOrder]) -> Comparing:
    """How an order compares two such values: negative, 0 or positive."""

    def comparing(a: Row, b: Row) -> int:
        for o, x, y in zip(order, a, b, strict=True):
            if x is None or y is None:
                found = ((y is None) - (x is None)) * (1 if o.null_order == "NULLS FIRST" else -1)
            else:
                found = compare(x, y) * (1 if o.direction == "ASC" else -1)
            if found:
                return found
        return 0

    return comparing


def sort_key(source: Input, order: Sequence[SortOrder]) -> Callable[[Row], Value]:
    """The key by which Python sorts rows of an input in an order."""
    by_value: Callable[[Row], object] = cmp_to_key(comparison(order))
    return lambda row: by_value(order_values(source, row, order))


def order_text(order: Sequence[SortOrder]) -> str:
    """An order in words: k, v descending."""
    parts = []
    for o in order:
        name = getattr(o.child, "name", None) or str(o.child)
        usual = "NULLS FIRST" if o.direction == "ASC" else "NULLS LAST"
        nulls = "" if o.null_order == usual else f", {o.null_order.lower()}"
        parts.append(f"{name}{'' if o.direction == 'ASC' else ' descending'}{nulls}")
    return ", ".join(parts)
