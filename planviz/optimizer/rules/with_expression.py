"""Shared subexpressions become columns of a projection below."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.aggregates import AggregateExpression, is_aggregate
from planviz.expressions.common_expressions import CommonExpressionDef, CommonExpressionRef, With
from planviz.expressions.complex import ExtractValue
from planviz.expressions.conditional import CaseWhen, Coalesce, If
from planviz.expressions.core import Alias, Attribute, AttributeReference, Expression, alias
from planviz.expressions.python import PythonUDF
from planviz.expressions.unresolved import OuterReference
from planviz.logical.operators import Aggregate, Project
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.context import OptimizerRule

Shared = list[tuple[Alias, int]]


def is_cheap(e: Expression, calls: bool = False) -> bool:
    """Whether computing it twice costs nothing: attributes, constants, parts of complex values.

    Python functions of such are, for ExtractPythonUDFs lets equal calls share a column; with `calls` (before 4.0)
    those of anything.
    """
    if isinstance(e, Attribute | OuterReference) or e.foldable or (calls and isinstance(e, PythonUDF)):
        return True
    return isinstance(e, Alias | ExtractValue | PythonUDF) and all(is_cheap(c, calls) for c in e.children)


def over_functions(plan: Aggregate) -> Project:
    """What an aggregate computes from keys and aggregate functions in a projection over these (PhysicalAggregation)."""
    grouping = tuple(
        g if isinstance(g, AttributeReference | Alias) else alias(g, "_groupingexpression") for g in plan.grouping
    )
    keys = {g.canonicalized: n for g, n in zip(plan.grouping, grouping, strict=True)}
    functions: dict[Expression, Alias] = {}

    def result(e: Expression) -> Expression:
        if isinstance(e, AggregateExpression):
            made = functions.setdefault(e.canonicalized, Alias(e, "_aggregateexpression", e.result_id))
            return made.to_attribute()
        found = keys.get(e.canonicalized)
        if found is not None:
            return found.to_attribute()
        return e.map_children(result)

    results = tuple(e if isinstance(e, AttributeReference) else e.map_children(result) for e in plan.aggregates)
    # The keys keep these names until FoldablePropagation drops them: RemoveLiteralFromGroupExpressions, which ran
    # before, does not see that a key is a constant.
    return Project(results, Aggregate(grouping, (*grouping, *functions.values()), plan.child))


class RewriteWithExpression(OptimizerRule):
    """Give shared subexpressions a column below the operator; cheap ones are written out instead.

    Filter(WITH x := f(a): x >= 1 AND x <= 2)  =>  Filter(x >= 1 AND x <= 2) over Project [*, f(a) AS x]

    Pays because f(a) is computed once. In a branch of a CASE the expression is written out: computed below, the
    division of `CASE WHEN b <> 0 THEN a / b BETWEEN 1 AND 2 END` would fail for b = 0.
    """

    matches = (With,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_with_subqueries(
            lambda p: self._operator(p) if any(e.bits & With.BIT for e in p.expressions) else p, With.BIT
        )

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Aggregate) and any(e.bits & With.BIT for e in plan.expressions):
            return self._aggregate(plan)
        return self._rewritten(plan)

    def _aggregate(self, plan: Aggregate) -> LogicalPlan:
        """The aggregate functions below, what is computed from them in a projection above."""
        made = over_functions(plan)
        return self._rewritten(made.replace(child=self._rewritten(made.child)))

    def _rewritten(self, plan: LogicalPlan) -> LogicalPlan:
        shared: list[Shared] = [[] for _ in plan.children]
        new = plan.map_expressions(lambda e: self._expression(e, plan.children, shared))
        if any(shared):
            children = tuple(
                Project((*c.output, *[a for a, _ in s]), c) if s else c
                for c, s in zip(plan.children, shared, strict=True)
            )
            new = new.with_new_children(children)
        return Project(plan.output, new) if len(plan.output) < len(new.output) else new

    def _expression(self, e: Expression, inputs: tuple[LogicalPlan, ...], shared: list[Shared]) -> Expression:
        if not e.bits & With.BIT:
            return e
        match e:
            case With(body, definitions):
                values: dict[int, Expression] = {}
                for d in definitions:
                    new = self._expression(d, inputs, shared)
                    assert isinstance(new, CommonExpressionDef)
                    values[new.id] = self._place(new, inputs, shared)
                return _with_values(self._expression(body, inputs, shared), values)
            case CaseWhen(branches, _):
                first = self._expression(branches[0], inputs, shared)
                kept = e.replace(branches=(first, *branches[1:])) if first is not branches[0] else e
                return _written_out(kept)
            case If(predicate, _, _):
                return _written_out(e.replace(predicate=self._expression(predicate, inputs, shared)))
            case Coalesce(arguments):
                first = self._expression(arguments[0], inputs, shared)
                return _written_out(e if first is arguments[0] else Coalesce((first, *arguments[1:])))
        return e.map_children(lambda c: self._expression(c, inputs, shared))

    @staticmethod
    def _place(d: CommonExpressionDef, inputs: tuple[LogicalPlan, ...], shared: list[Shared]) -> Expression:
        """What a definition's references become: the expression itself, or a column below."""
        child = d.child
        where = next((i for i, p in enumerate(inputs) if child.references <= p.output_set), None)
        if is_cheap(child) or where is None or is_aggregate(child):
            return child
        known = next((a for a, i in shared[where] if i == d.id), None)
        if known is None:
            known = alias(child, f"_common_expr_{d.id}")
            shared[where].append((known, d.id))
        return known.to_attribute()


def _with_values(e: Expression, values: dict[int, Expression]) -> Expression:
    return e.transform_up(
        lambda x: values.get(x.id, x) if isinstance(x, CommonExpressionRef) else x, CommonExpressionRef.BIT
    )


def _written_out(e: Expression) -> Expression:
    """Every shared expression put in where it is used."""

    def step(x: Expression) -> Expression:
        if isinstance(x, With):
            return _with_values(x.body, {d.id: d.child for d in x.definitions if isinstance(d, CommonExpressionDef)})
        return x

    return e.transform_up(step, With.BIT)
