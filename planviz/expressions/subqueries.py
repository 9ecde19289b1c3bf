"""Expressions that hold a plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic

from typing_extensions import TypeVar

from planviz.expressions.casts import Cast
from planviz.expressions.core import AttributeReference, Expression, NamedExpression, lit
from planviz.expressions.predicates import EqualNullSafe, EqualTo, Predicate
from planviz.trees.node import Held, TreeNode, always, lazy, node
from planviz.types import NULL, DataType, StructField, StructType

#: The kind of plan, logical or physical, that a plan's children are of.
PlanT = TypeVar("PlanT", bound="QueryPlan", default=Any)


class QueryPlan(TreeNode[PlanT], root=True):
    """Base of plans, named here because expressions hold them.

    `output` are the columns in order, `output_set` their ids.
    """

    output: tuple[AttributeReference, ...]
    output_set: frozenset[int]
    resolved: bool
    expressions: tuple[Expression, ...]

    @property
    def canonicalized(self) -> QueryPlan:
        """A form that is equal for plans that give the same rows."""
        raise NotImplementedError

    @property
    def node_name(self) -> str:
        """The operator's name."""
        return type(self).__name__

    @property
    def inner_children(self) -> tuple[QueryPlan, ...]:
        """The plans of the subqueries."""
        return ()


#: The kind of plan that a subquery's is: a logical one until it is planned, which who holds one knows.
HeldT = TypeVar("HeldT", bound=QueryPlan, default=Any)


class SubqueryExpression(Expression, Generic[HeldT]):
    """A plan used as a value.

    `outer` are the attributes of the surrounding plan that the subquery reads, `conditions` the correlated predicates
    once they were pulled out of the plan, `expr_id` names it.
    """

    plan: HeldT
    outer: tuple[Expression, ...]
    expr_id: int
    conditions: tuple[Expression, ...]
    LABEL: ClassVar[str] = "subquery"

    @lazy
    def children_resolved(self) -> bool:
        """The outer attributes and conditions."""
        return all(c.resolved for c in self.children)

    @lazy
    def resolved(self) -> bool:
        """When the plan is, too."""
        return self.children_resolved and bool(self.plan.resolved)

    @lazy
    def correlated(self) -> bool:
        """Whether the plan reads the surrounding query."""
        return bool(self.outer)

    @lazy
    def deterministic(self) -> bool:
        """When the plan is."""
        return bool(getattr(self.plan, "deterministic", True))

    foldable = always(False)

    @lazy
    def references(self) -> frozenset[int]:
        """The outer attributes; those of the conditions that the plan itself gives do not count."""
        found = frozenset[int]().union(*[c.references for c in (*self.outer, *self.conditions)])
        return found - self.plan.output_set if self.conditions else found

    @lazy
    def canonicalized(self) -> Expression:
        """Without its id, over the plan's own such form."""
        new: Expression = self.map_children(lambda c: c.canonicalized)
        return new.replace(expr_id=0, plan=self.plan.canonicalized)

    def with_plan(self, plan: QueryPlan) -> SubqueryExpression:
        """The same expression over another plan; itself when it is the same."""
        return self.replace(plan=plan)

    def to_string(self) -> str:
        """label#id [outer && conditions]."""
        inside = " && ".join(map(str, (*self.outer, *self.conditions)))
        return f"{self.LABEL}#{self.expr_id} [{inside}]"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The class's name."""
        return f"{self.pretty_name}({', '.join(r(c) for c in self.children)})"


@node
class ScalarSubquery(SubqueryExpression[HeldT]):
    """(SELECT one value). `zero_rows`: the join that it becomes has to put in what its aggregate gives for no rows
    (Spark: mayHaveCountBug), `single`: it has to fail on a second row (needSingleJoin); `hint` is what that join is
    told of the subquery's side.
    """

    plan: HeldT
    outer: tuple[Expression, ...]
    expr_id: int
    conditions: tuple[Expression, ...] = ()
    zero_rows: bool = False
    hint: str | None = None
    single: bool = False
    LABEL = "scalar-subquery"

    @property
    def data_type(self) -> DataType:
        """Its column's; void when it has none, which is reported at the end of analysis."""
        output = self.plan.output
        return output[0].data_type if output else NULL

    nullable = always(True)  # unless... no row gives null


@node
class ListQuery(SubqueryExpression[HeldT]):
    """The plan on the right of IN; `columns` counts what the user selected, `hint` is for the join that it becomes."""

    plan: HeldT
    outer: tuple[Expression, ...]
    expr_id: int
    conditions: tuple[Expression, ...] = ()
    columns: int = -1
    hint: str | None = None
    LABEL = "list"

    @lazy
    def child_outputs(self) -> tuple[AttributeReference, ...]:
        """The columns the user selected."""
        return self.plan.output[: self.columns] if self.columns >= 0 else self.plan.output

    @property
    def data_type(self) -> DataType:
        """Its column's, or a struct of its columns."""
        out = self.child_outputs
        if len(out) > 1:
            return StructType(tuple(StructField(a.name, a.type, a.is_nullable) for a in out))
        return out[0].data_type

    @lazy
    def nullable(self) -> bool:
        """When a column is."""
        return any(a.nullable for a in self.child_outputs)


@node
class Exists(SubqueryExpression[HeldT], Predicate):
    """EXISTS (plan); `hint` is for the join that it becomes."""

    plan: HeldT
    outer: tuple[Expression, ...]
    expr_id: int
    conditions: tuple[Expression, ...] = ()
    hint: str | None = None
    LABEL = "exists"

    nullable = always(False)


@node
class LateralSubquery(SubqueryExpression[HeldT]):
    """The right side of a lateral join."""

    plan: HeldT
    outer: tuple[Expression, ...]
    expr_id: int
    conditions: tuple[Expression, ...] = ()
    LABEL = "lateral-subquery"

    nullable = always(True)  # not a value


@node
class DynamicPruningSubquery(SubqueryExpression[HeldT], Predicate):
    """Whether the key (`outer`) is among the values of `keys[index]` in the plan: the other side of a join, which tells
    what partitions are needed. `only_reused` says to use it only where the join broadcasts that side anyway.
    """

    plan: HeldT
    outer: tuple[Expression, ...]
    expr_id: int
    conditions: tuple[Expression, ...] = ()
    keys: Held[tuple[Expression, ...]] = ()
    index: int = 0
    only_reused: bool = True
    LABEL = "dynamicpruning"

    nullable = always(False)


@node
class InSubquery(Predicate):
    """values IN (query): one value, or several compared column by column."""

    values: tuple[Expression, ...]
    query: Expression

    @property
    def value(self) -> Expression:
        """The single value, or a struct of them."""
        from planviz.expressions.complex import CreateNamedStruct

        if len(self.values) == 1:
            return self.values[0]
        parts: list[Expression] = []
        for i, v in enumerate(self.values):
            parts += [lit(v.name if isinstance(v, NamedExpression) else f"_{i}"), v]
        return CreateNamedStruct(tuple(parts))

    @lazy
    def nullable(self) -> bool:
        """When a value or a column is."""
        return any(c.nullable for c in self.children)

    @lazy
    def resolved(self) -> bool:
        """When the sides have the same types."""
        query = self.query
        if not self.children_resolved or not isinstance(query, ListQuery):
            return False
        out = query.child_outputs
        if len(out) != len(self.values):
            return False
        return all(
            v.data_type.simple_string == a.data_type.simple_string for v, a in zip(self.values, out, strict=True)
        )

    def to_string(self) -> str:
        """value IN (list#id [])."""
        return f"{self.value} IN ({self.query})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(value IN (listquery()))."""
        return f"({r(self.value)} IN ({r(self.query)}))"


def above_aggregates(p: Expression) -> bool:
    """Whether a predicate may be tested above an aggregate: it reads no inner attribute, or binds one to outer ones."""
    if not p.references:
        return True
    if not isinstance(p, EqualTo | EqualNullSafe):
        return False
    for mine, other in ((p.left, p.right), (p.right, p.left)):
        plain = mine.child if isinstance(mine, Cast) else mine
        if isinstance(plain, AttributeReference) and not other.references:
            return True
    return False
