"""What is tidied up at the end of analysis."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.core import Alias, Expression
from planviz.expressions.unresolved import MultiAlias
from planviz.logical.combining import Union
from planviz.logical.objects import AppendColumns, ObjectConsumer, ObjectProducer
from planviz.logical.operators import Aggregate, CollectMetrics, Project, Window
from planviz.logical.plan import LogicalPlan


class CleanupAliases(AnalyzerRule):
    """Drop aliases inside of expressions; those at the top of a select list stay.

    Project [f(a AS x) AS y]  =>  Project [f(a) AS y]
    """

    matches = (Alias,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._one, Alias.BIT)

    @staticmethod
    def _one(plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Project):
            return plan.replace(projects=_cleaned(plan.projects))
        if isinstance(plan, Aggregate):
            return plan.replace(grouping=_trimmed(plan.grouping), aggregates=_cleaned(plan.aggregates))
        if isinstance(plan, CollectMetrics):
            return plan.replace(metrics=_cleaned(plan.metrics))
        if isinstance(plan, Window):
            new = plan.replace(functions=_cleaned(plan.functions))
            partition, order = _trimmed(plan.partition), _trimmed(plan.order)
            same = partition is plan.partition and order is plan.order
            return new if same else new.replace(partition=partition, order=order)
        if isinstance(plan, ObjectProducer | ObjectConsumer | AppendColumns):
            # What an encoder wrote: its aliases name the columns.
            return plan
        return plan.map_expressions(lambda e: trim(e) if e.bits & Alias.BIT else e)


def _trimmed(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    new = tuple(trim(e) for e in items)
    return items if all(a is b for a, b in zip(items, new, strict=True)) else new


def _cleaned(items: tuple[Expression, ...]) -> tuple[Expression, ...]:
    new = tuple(trim_inner(e) for e in items)
    return items if all(a is b for a, b in zip(items, new, strict=True)) else new


def trim(e: Expression) -> Expression:
    """The expression without any alias."""
    return e.transform_up(lambda x: x.child if isinstance(x, Alias) else x, Alias.BIT) if e.bits & Alias.BIT else e


def trim_inner(e: Expression) -> Expression:
    """The expression without aliases beneath its own."""
    if isinstance(e, MultiAlias):
        child = trim(e.child)
        return e if child is e.child else e.replace(child=child)
    if isinstance(e, Alias):
        child = trim(e.child)
        if child is e.child:
            return e
        # What an alias beneath remarked about its column stays (Spark: explicitMetadata = Some(a.metadata)).
        new = e.replace(child=child)
        return new.remarked(*e.metadata) if e.metadata else new
    return trim(e)


class EliminateUnions(AnalyzerRule[Union]):
    """A union of one is that one.

    Union(a)  =>  a
    """

    matches = (Union,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def rewrite(self, node: Union) -> LogicalPlan:
        return node.inputs[0] if len(node.inputs) == 1 else node
