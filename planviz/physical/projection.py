"""What is left of partitionings and orders after a projection (Spark: AliasAwareOutputExpression)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from planviz.expressions.core import Alias, AttributeReference, Expression, SortOrder
from planviz.physical.distribution import (
    HashPartitioning,
    OutputOrder,
    Partitioning,
    RangePartitioning,
    UnknownPartitioning,
    collection,
    flattened,
)

#: How many equivalent forms of one expression are kept (spark.sql.optimizer.expressionProjectionCandidateLimit).
LIMIT = 100


class Projection:
    """The names that a list of output expressions gives to values."""

    def __init__(self, outputs: Sequence[Expression]) -> None:
        self.names: dict[object, list[AttributeReference]] = {}
        for e in outputs:
            key = e.child if isinstance(e, Alias) else e
            if e.deterministic:
                self.names.setdefault(key.canonicalized, []).append(e.to_attribute())

    def forms(self, e: Expression) -> list[Expression]:
        """Every way to write an expression over the output; none when it cannot be."""
        found: list[Expression] = list(self.names.get(e.canonicalized, ()))
        if e.children and not isinstance(e, AttributeReference):
            ways = [self.forms(c) for c in e.children]
            for combination in itertools.islice(itertools.product(*ways), LIMIT):
                found.append(e.with_new_children(combination))
        elif not e.children and not isinstance(e, AttributeReference):
            found.append(e)
        return found[:LIMIT]

    def partitioning(self, p: Partitioning) -> Partitioning:
        """The partitioning over the output."""
        ways: list[Partitioning] = []
        for way in flattened(p):
            if isinstance(way, HashPartitioning):
                ways += [replace(way, keys=k) for k in itertools.product(*map(self.forms, way.keys))]
            elif isinstance(way, RangePartitioning):
                ways += [replace(way, order=k) for k in itertools.product(*map(self._orders, way.order))]
            else:
                ways.append(way)
        if not ways:
            return UnknownPartitioning(p.number)
        return ways[0] if len(ways) == 1 else collection(ways)

    def _orders(self, key: SortOrder) -> list[SortOrder]:
        """Every way to write a sort key over the output."""
        return [key.replace(child=form) for form in self.forms(key.child)]

    def ordering(self, order: Sequence[OutputOrder]) -> tuple[OutputOrder, ...]:
        """The order over the output, up to the first key that is not there."""
        out: list[OutputOrder] = []
        for o in order:
            forms = [f for e in o.all for f in self.forms(e)]
            if not forms:
                break
            out.append(OutputOrder(forms[0], o.direction, o.null_order, tuple(forms[1:])))
        return tuple(out)
