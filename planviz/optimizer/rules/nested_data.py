"""Arrays, maps and structs: only the parts that are read."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.complex import GetArrayStructFields, GetMapValue
from planviz.expressions.core import Alias, AttributeReference, Expression, alias
from planviz.expressions.generators import Explode
from planviz.expressions.subqueries import DynamicPruningSubquery, SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.logical.operators import Generate, Project
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.optimizer.context import OptimizerRule
from planviz.types import ArrayType, StructType


class PullOutNestedDataOuterRefExpressions(OptimizerRule):
    """The value that a subquery takes out of an outer map becomes a column of the outer plan.

    Filter((... outer(m)['k'] = x ...), p)
        =>  Project [p.*] over Filter((... outer(v) = x ...), Project [*, m['k'] AS v])

    Pays because the subquery becomes a join, and joins compare values, not maps. Only where the key comes from outside,
    too: `outer(m)[x]` with a column x of the subquery has another value for every row in there.
    """

    matches = (SubqueryExpression,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(lambda p: self._operator(p) if isinstance(p, UnaryNode) else p, SubqueryExpression.BIT)

    def _operator(self, plan: UnaryNode) -> UnaryNode:
        columns: dict[Expression, Alias] = {}

        def value(e: Expression) -> Expression:
            if not isinstance(e, GetMapValue) or not isinstance(e.child, OuterReference) or e.references:
                return e
            stripped = e.transform_up(lambda x: x.attribute if isinstance(x, OuterReference) else x)
            made = columns.setdefault(stripped.canonicalized, alias(stripped, stripped.pretty))
            return OuterReference(made.to_attribute())

        def subquery(e: Expression) -> Expression:
            if not isinstance(e, SubqueryExpression) or isinstance(e, DynamicPruningSubquery):
                return e
            inner: LogicalPlan = e.plan
            new = inner.transform_all_expressions(value, GetMapValue.BIT)
            return e if new is inner else e.replace(plan=new, outer=_outer_references(new))

        new = plan.transform_expressions_down(subquery, SubqueryExpression.BIT)
        if not columns:
            return plan
        below = Project((*plan.child.output, *columns.values()), plan.child)
        return Project(plan.output, new.replace(child=below))


def _outer_references(plan: LogicalPlan) -> tuple[Expression, ...]:
    """The outer attributes that a plan reads, each once."""
    found: dict[int, Expression] = {}
    for p in plan.walk():
        for e in p.expressions:
            for o in e.collect(OuterReference):
                found.setdefault(o.attribute.expr_id, o.attribute)
    return tuple(found.values())


class GenerateOptimization(OptimizerRule):
    """Of an exploded array of structs of which nothing is read only the smallest field is exploded.

    Project [] over Generate(explode(structs))  =>  Project [] over Generate(explode(structs.smallest))

    Pays because the scan then reads that field only. As soon as something of the elements is read, it must be there.
    """

    matches = (Generate,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(lambda p: self._project(p) if isinstance(p, Project) else p, Generate.BIT)

    @staticmethod
    def _project(plan: Project) -> Project:
        generate = plan.child
        if plan.references or not isinstance(generate, Generate) or not isinstance(generate.generator, Explode):
            return plan
        explode = generate.generator
        t = explode.child.data_type
        if explode.pretty_name == "inline" or not isinstance(t, ArrayType) or not isinstance(t.element, StructType):
            return plan
        sizes = [f.data_type.default_size for f in t.element.fields]
        if len(sizes) < 2:
            return plan
        new = explode.replace(child=GetArrayStructFields(explode.child, sizes.index(min(sizes))))
        columns = tuple(
            AttributeReference(c.name, f.data_type, f.nullable, c.expr_id, c.qualifier)
            for c, f in zip(generate.generator_output, new.element_schema, strict=True)
        )
        return plan.replace(child=generate.replace(generator=new, columns=columns))
