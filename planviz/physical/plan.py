"""What every physical operator is (Spark: SparkPlan)."""

from __future__ import annotations

import itertools
from typing import ClassVar

from planviz.expressions.core import Alias, AttributeReference, Expression, SortOrder
from planviz.expressions.subqueries import QueryPlan
from planviz.logical.plan import arguments_of, positioned, positions_of
from planviz.physical.distribution import (
    UNSPECIFIED,
    Distribution,
    OutputOrder,
    Partitioning,
    UnknownPartitioning,
)
from planviz.trees.node import always, lazy
from planviz.trees.text import tree_string


class PlanHolder(Expression):
    """An expression whose value a physical plan gives (Spark: ExecSubqueryExpression); `plan` is the subquery's."""

    plan: SparkPlan


class SparkPlan(QueryPlan["SparkPlan"]):
    """A physical operator.

    `output` are its columns; `required_distribution` and `required_ordering` say, child by child, what it asks for;
    `output_partitioning` and `output_ordering` what it gives.
    """

    #: Whether the operator is of those that whole-stage code generation can fuse.
    CODEGEN: ClassVar[bool] = False
    #: Whether it reads batches of columns as well as rows.
    TAKES_COLUMNS: ClassVar[bool] = False
    #: Whether its children are stages of their own even where they could be fused with it.
    APART: ClassVar[bool] = False

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns, in order."""
        return ()

    @lazy
    def output_set(self) -> frozenset[int]:
        """The ids of the columns."""
        return frozenset([a.expr_id for a in self.output])

    #: Only resolved plans are planned.
    resolved = always(True)

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """What each child's rows must be distributed like (Spark: requiredChildDistribution)."""
        return (UNSPECIFIED,) * len(self.children)

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """What each child's partitions must be sorted by (Spark: requiredChildOrdering)."""
        return ((),) * len(self.children)

    @lazy
    def output_partitioning(self) -> Partitioning:
        """How the rows are spread over partitions."""
        return UnknownPartitioning(0)

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """What every partition is sorted by."""
        return ()

    @property
    def supports_codegen(self) -> bool:
        """Whether this very operator can be part of a generated stage (Spark: CodegenSupport.supportCodegen)."""
        return self.CODEGEN

    @property
    def driven(self) -> tuple[SparkPlan, ...]:
        """The children whose rows pass through this operator one by one: not those that are gathered first."""
        return self.children

    @property
    def columnar(self) -> bool:
        """Whether it gives batches of columns instead of rows (Spark: supportsColumnar)."""
        return False

    @property
    def row_based(self) -> bool:
        """Whether it gives rows (Spark: supportsRowBased)."""
        return not self.columnar

    @lazy
    def subqueries(self) -> tuple[SparkPlan, ...]:
        """The plans that the expressions hold, in order."""
        bit = PlanHolder.BIT
        return tuple(s.plan for e in self.expressions if e.bits & bit for s in e.collect(PlanHolder))

    @property
    def inner_children(self) -> tuple[QueryPlan, ...]:
        """The plans of the subqueries."""
        return self.subqueries

    @lazy
    def canonicalized(self) -> SparkPlan:
        """A form that is equal for plans that give the same rows in the same order of columns."""
        positions = positions_of([a for c in self.children for a in c.output])
        own = itertools.count()

        def normal(e: Expression) -> Expression:
            if isinstance(e, Alias):
                return Alias(positioned(e.child, positions).canonicalized, "", next(own))
            if isinstance(e, AttributeReference) and e.expr_id not in positions:
                return e.with_id(next(own)).canonicalized
            if isinstance(e, SortOrder) and isinstance(e.child, Alias):
                # A stage's sort by a key that is computed under a name.
                e = e.replace(child=e.child.child)
            return positioned(e, positions).canonicalized

        return self.map_expressions(normal).map_children(lambda c: c.canonicalized)

    # -------------------------------------------------------------------------------------------- text

    @property
    def node_name(self) -> str:
        """The operator's name: the class's without Exec."""
        return type(self).__name__.removesuffix("Exec")

    def arguments(self) -> list[str]:
        """What stands behind the name: every field that is no child, empty ones left out."""
        return arguments_of(self, SparkPlan)

    @lazy
    def simple_string(self) -> str:
        """The operator's line of a plan text."""
        return f"{self.node_name} {', '.join(self.arguments())}".rstrip(" ")

    @property
    def tree_string(self) -> str:
        """The tree as Spark prints it."""
        return tree_string(self)

    def __str__(self) -> str:
        return self.tree_string


class LeafExec(SparkPlan):
    """An operator without children (Spark: LeafExecNode)."""


class UnaryExec(SparkPlan):
    """An operator over one child (Spark: UnaryExecNode); rows stay where they are and in their order."""

    child: SparkPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's."""
        out: tuple[AttributeReference, ...] = self.child.output
        return out

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The child's."""
        found: Partitioning = self.child.output_partitioning
        return found

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """The child's."""
        found: tuple[OutputOrder, ...] = self.child.output_ordering
        return found


class BinaryExec(SparkPlan):
    """An operator over `left` and `right` (Spark: BinaryExecNode)."""

    left: SparkPlan
    right: SparkPlan
