"""A form of a plan that is equal for plans that give the same rows, whatever their ids and names."""

from __future__ import annotations

from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.logical.combining import Join
from planviz.logical.operators import Project
from planviz.logical.plan import LeafNode, LogicalPlan
from planviz.trees.memo import Memo


class _Numbering:
    """Ids by first appearance, children first."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}

    def number(self, expr_id: int) -> int:
        return self.numbers.setdefault(expr_id, len(self.numbers) + 1)

    def expression(self, e: Expression) -> Expression:
        new = e.transform_up(self._renamed)
        return new.canonicalized

    def _renamed(self, e: Expression) -> Expression:
        if isinstance(e, AttributeReference):
            return AttributeReference("none", e.type, True, self.number(e.expr_id))
        if isinstance(e, Alias):
            return Alias(e.child, "none", self.number(e.expr_id))
        if isinstance(e, OuterReference):
            return e.replace(attribute=self._renamed(e.attribute))
        if isinstance(e, SubqueryExpression):
            return e.with_plan(self.plan(e.plan))
        return e

    def columns(self, attributes: tuple[Expression, ...]) -> tuple[object, ...]:
        return tuple(self._renamed(a) for a in attributes)

    def plan(self, plan: LogicalPlan) -> LogicalPlan:
        new: LogicalPlan = plan.map_children(self.plan)
        if isinstance(new, LeafNode) and new.output:
            own: dict[str, object] = {"attributes": self.columns(new.output)} if "attributes" in new.FIELDS else {}
            own = {"column": self._renamed(new.output[0])} if "column" in new.FIELDS else own
            return new.replace(**own)
        made = new.map_expressions(self.expression)
        if isinstance(new, Join) and new.exists is not None:
            # Part of the join's type for Spark, and keeps its id: a join that makes a column equals no other.
            made = made.replace(exists=new.exists)
        return made


_CANONICAL: Memo[LogicalPlan] = Memo("canonical")


def canonical(plan: LogicalPlan) -> LogicalPlan:
    """The plan with its ids numbered by first appearance and without names (Spark: `QueryPlan.canonicalized`)."""
    found = _CANONICAL.get(plan)
    return _CANONICAL.set(plan, _Numbering().plan(plan)) if found is None else found


def without_renaming(plan: LogicalPlan) -> LogicalPlan:
    """The plan without a projection at its top that gives all its child's columns in order, if under other names."""
    if isinstance(plan, Project) and len(plan.projects) == len(plan.child.output):
        pairs = zip(plan.projects, plan.child.output, strict=True)
        if all((i.child if isinstance(i, Alias) else i).semantic_equals(a) for i, a in pairs):
            return plan.child
    return plan
