"""Plans inside of expressions, and the expressions that hold them."""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, Expression, Typed, UnaryExpression
from planviz.logical.plan import LogicalPlan, bracketed, positioned, positions_of
from planviz.physical.plan import LeafExec, PlanHolder, SparkPlan, UnaryExec
from planviz.trees.node import Held, always, lazy, node
from planviz.types import BOOLEAN, DataType


@node
class SubqueryExec(UnaryExec):
    """The root of a subquery's plan."""

    name: str
    child: SparkPlan
    plan_id: int = 0

    UNCOMPARED = ("plan_id",)

    @lazy
    def canonicalized(self) -> SubqueryExec:
        """Without its name."""
        return SubqueryExec("", self.child.canonicalized)

    @lazy
    def simple_string(self) -> str:
        """Subquery name, [id=#7]."""
        return f"Subquery {self.name}, [id=#{self.plan_id}]"


@node
class ReusedSubqueryExec(LeafExec):
    """The value of another subquery of the plan."""

    subquery: Held[SubqueryExec]

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The subquery's."""
        return self.subquery.output

    @property
    def name(self) -> str:
        """The subquery's, by which expressions refer to it."""
        return self.subquery.name

    @lazy
    def canonicalized(self) -> SubqueryExec:
        """The subquery's."""
        return self.subquery.canonicalized

    @lazy
    def simple_string(self) -> str:
        """ReusedSubquery and the subquery."""
        return f"ReusedSubquery {self.subquery.simple_string}"


@node
class SubqueryBroadcastExec(SubqueryExec):
    """The keys that a join broadcasts anyway, read once more to prune partitions; `indices` are their places."""

    name: str
    child: SparkPlan
    plan_id: int = 0
    indices: tuple[int, ...] = ()
    keys: tuple[Expression, ...] = ()

    UNCOMPARED = ("plan_id",)

    @lazy
    def canonicalized(self) -> SubqueryBroadcastExec:
        """Without its name."""
        keys = tuple(positioned(k, positions_of(self.child.output)).canonicalized for k in self.keys)
        return SubqueryBroadcastExec("dynamicpruning", self.child.canonicalized, 0, self.indices, keys)

    @property
    def shown_keys(self) -> str:
        """The places of the keys that are read."""
        return bracketed(self.indices)

    @lazy
    def simple_string(self) -> str:
        """SubqueryBroadcast dynamicpruning#1, [0], [k#2], [id=#7]."""
        return f"SubqueryBroadcast {self.name}, {self.shown_keys}, {bracketed(self.keys)}, [id=#{self.plan_id}]"


@node
class SubqueryAdaptiveBroadcastExec(SubqueryExec):
    """The same before adaptive execution knows whether the join broadcasts; `build` is the other side's plan."""

    name: str
    child: SparkPlan
    plan_id: int = 0
    indices: tuple[int, ...] = ()
    only_reused: bool = True
    build: Held[LogicalPlan | None] = None
    keys: tuple[Expression, ...] = ()

    UNCOMPARED = ("plan_id",)

    @lazy
    def children(self) -> tuple[SparkPlan, ...]:
        """The physical plan alone."""
        return (self.child,)

    @property
    def shown_keys(self) -> str:
        """The places of the keys that are read."""
        return bracketed(self.indices)

    @lazy
    def simple_string(self) -> str:
        """SubqueryAdaptiveBroadcast dynamicpruning#1, [0], true, the plan's line, [k#2]."""
        assert self.build is not None
        only = str(self.only_reused).lower()
        parts = [self.name, self.shown_keys, only, self.build.simple_string, bracketed(self.keys)]
        return f"SubqueryAdaptiveBroadcast {', '.join(parts)}"


@node
class ScalarSubqueryExec(Typed, PlanHolder):
    """The single value of a subquery (Spark: execution.ScalarSubquery)."""

    plan: Held[SparkPlan]
    type: DataType
    expr_id: int

    nullable = always(True)
    foldable = always(False)

    @lazy
    def canonicalized(self) -> Expression:
        """Without its id."""
        return ScalarSubqueryExec(self.plan.canonicalized, self.type, 0)

    def to_string(self) -> str:
        """The plan's line."""
        return str(self.plan.simple_string)


@node
class InSubqueryExec(PlanHolder):
    """value IN the rows of a subquery."""

    value: Expression
    plan: Held[SubqueryExec | ReusedSubqueryExec]
    expr_id: int

    data_type = always(BOOLEAN)
    foldable = always(False)

    @lazy
    def canonicalized(self) -> Expression:
        """Without its id."""
        return InSubqueryExec(self.value.canonicalized, self.plan.canonicalized, 0)

    def to_string(self) -> str:
        """value IN the plan's name."""
        return f"{self.value} IN {self.plan.name}"


@node
class DynamicPruningExpression(UnaryExpression):
    """A condition on partitions whose values are known only when the query runs."""

    child: Expression

    data_type = always(BOOLEAN)

    def to_string(self) -> str:
        """dynamicpruningexpression(condition)."""
        return f"dynamicpruningexpression({self.child})"
