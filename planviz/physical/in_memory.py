"""Scans of what a cache keeps (Spark: InMemoryTableScanExec)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.subqueries import QueryPlan
from planviz.logical.cached import InMemoryRelation
from planviz.logical.plan import bracketed, positioned, positions_of
from planviz.physical.codegen import AdaptiveSparkPlanExec, fields_in
from planviz.physical.conf import operator_conf
from planviz.physical.distribution import (
    HashPartitioning,
    OutputOrder,
    Partitioning,
    RangePartitioning,
    UnknownPartitioning,
    collection,
    flattened,
)
from planviz.physical.plan import LeafExec, SparkPlan
from planviz.trees.node import Held, lazy, node
from planviz.types import BOOLEAN, BYTE, DOUBLE, FLOAT, INT, LONG, SHORT

#: Types whose cached values are read as batches of columns.
_BATCHED = (BOOLEAN, BYTE, SHORT, INT, LONG, FLOAT, DOUBLE)


@node
class InMemoryTableScanExec(LeafExec):
    """Reads `columns` of a cache; `predicates` let it skip batches of rows by their least and greatest values.

    `vectorized` says whether batches of columns may be given, `gives_rows` whether rows may be given then, too.
    """

    columns: tuple[AttributeReference, ...]
    predicates: tuple[Expression, ...]
    relation: Held[InMemoryRelation]
    vectorized: bool = True
    gives_rows: bool = True

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns."""
        return self.columns

    @lazy
    def expressions(self) -> tuple[Expression, ...]:
        """The predicates; the columns are its own."""
        return self.predicates

    def map_expressions(self, f: Callable[[Expression], Expression], mask: int = -1) -> InMemoryTableScanExec:
        """Only the predicates are mapped."""
        new = tuple(f(e) if e.bits & mask else e for e in self.predicates)
        return self if new == self.predicates else self.replace(predicates=new)

    @property
    def inner_children(self) -> tuple[QueryPlan, ...]:
        """The relation with the plan that fills it, and the plans of the predicates' subqueries."""
        return (self.relation, *self.subqueries)

    @property
    def cached_plan(self) -> SparkPlan:
        """The physical plan that fills the cache."""
        plan = self.relation.cached.plan
        assert isinstance(plan, SparkPlan)
        return plan

    @property
    def adaptive(self) -> bool:
        """Whether the plan that fills the cache is planned anew while it runs: nothing is known of its rows before."""
        return isinstance(self.cached_plan, AdaptiveSparkPlanExec)

    @property
    def columnar(self) -> bool:
        """Whether it can give batches: all cached columns are plain numbers, and not too many of them."""
        types = [a.type for a in self.relation.output]
        return self.vectorized and all(t in _BATCHED for t in types) and fields_in(types) <= operator_conf().max_fields

    @property
    def row_based(self) -> bool:
        """It can give rows anyway; before Spark 3.1 only where it gives no batches."""
        return self.gives_rows or not self.columnar

    @lazy
    def _names(self) -> dict[int, AttributeReference]:
        """The columns that are read here, by the ids that they have in the plan that fills the cache."""
        pairs = zip(self.cached_plan.output, self.relation.output, strict=True)
        return {a.expr_id: b for a, b in pairs}

    def _renamed(self, e: Expression) -> Expression:
        names = self._names
        known = AttributeReference.BIT
        return e.transform_up(lambda x: names.get(x.expr_id, x) if type(x) is AttributeReference else x, known)

    @lazy
    def output_partitioning(self) -> Partitioning:
        """That of the plan that fills the cache."""
        if self.adaptive:
            return UnknownPartitioning(0)
        ways: list[Partitioning] = []
        for way in flattened(self.cached_plan.output_partitioning):
            if isinstance(way, HashPartitioning):
                way = replace(way, keys=tuple(map(self._renamed, way.keys)))
            elif isinstance(way, RangePartitioning):
                way = replace(way, order=tuple([o.replace(child=self._renamed(o.child)) for o in way.order]))
            ways.append(way)
        return ways[0] if len(ways) == 1 else collection(ways)

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """That of the plan that fills the cache."""
        if self.adaptive:
            return ()
        return tuple(
            replace(o, child=self._renamed(o.child), others=tuple(map(self._renamed, o.others)))
            for o in self.cached_plan.output_ordering
        )

    @lazy
    def canonicalized(self) -> InMemoryTableScanExec:
        """Ids are the columns' positions in the cache."""
        positions = positions_of(self.relation.output)
        columns, predicates = (
            tuple(positioned(e, positions).canonicalized for e in own) for own in (self.columns, self.predicates)
        )
        return self.replace(columns=columns, predicates=predicates, relation=self.relation.canonicalized)

    @property
    def node_name(self) -> str:
        """InMemoryTableScan, or Scan In-memory table t."""
        name = self.relation.cached.name
        return f"Scan In-memory table {name}" if name else "InMemoryTableScan"

    @lazy
    def simple_string(self) -> str:
        """InMemoryTableScan [columns], [predicates]."""
        shown = [bracketed(own) for own in (self.columns, self.predicates) if own]
        return f"{self.node_name} {', '.join(shown)}".rstrip()
