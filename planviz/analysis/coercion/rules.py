"""The rules of the analyzer that cast implicitly (Spark: AnsiTypeCoercion, TypeCoercionBase)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache

from typing_extensions import override

from planviz.analysis.coercion import legacy
from planviz.analysis.coercion.expressions import coerced_tree
from planviz.analysis.coercion.lattice import ANSI, TypeCoercion, cast_to
from planviz.analysis.context import AnalysisContext, AnalyzerRule
from planviz.expressions.aggregates import Average, Sum
from planviz.expressions.arithmetic import Abs
from planviz.expressions.calls import FunctionCall
from planviz.expressions.casts import Cast
from planviz.expressions.core import BEYOND_LEAVES, AttributeReference, Expression, alias
from planviz.expressions.decimals import promoted
from planviz.logical.combining import Except, Intersect, Union, UnionLoop
from planviz.logical.operators import Project
from planviz.logical.plan import ANALYZED, LogicalPlan
from planviz.logical.unresolved import Unpivot
from planviz.types import DataType, DecimalType
from planviz.versions import Behaviour


class WidenSetOperationTypes(AnalyzerRule):
    """Cast the columns of UNION, INTERSECT and EXCEPT to types that hold all of them.

    Union(int, bigint)  =>  Union(Project [cast(a as bigint) AS a], ...)
    """

    matches = (Union, Intersect, Except, UnionLoop)
    package = "org.apache.spark.sql.catalyst.analysis.TypeCoercionBase$"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._operator, self.mask)

    def _step(self, plan: UnionLoop) -> LogicalPlan:
        """The rows of a recursion's step as rows of its anchor, where the anchor's types hold both."""
        if not plan.children_resolved or len(plan.left.output) != len(plan.right.output):
            return plan
        first, again = plan.left.output, plan.right.output
        targets = [a.type for a in first]
        if any(self.widest([a.type, b.type]) != a.type for a, b in zip(first, again, strict=True)):
            return plan
        return plan.with_new_children((plan.left, _projected(plan.right, targets, plan)))

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, UnionLoop):
            return self._step(plan)
        if not isinstance(plan, Union | Intersect | Except) or plan.resolved or not plan.children_resolved:
            return plan
        if isinstance(plan, Union) and plan.by_name:
            return plan
        children = plan.children
        outputs = [c.output for c in children]
        if len({len(o) for o in outputs}) != 1:
            return plan
        if not isinstance(plan, Union) and not plan.duplicate_resolved:
            return plan
        widest = [self.widest([a.type for a in column]) for column in zip(*outputs, strict=True)]
        targets = [t for t in widest if t is not None]
        if len(targets) < len(widest):
            return plan
        new = tuple(_projected(c, targets, plan) for c in children)
        if all(a is b for a, b in zip(children, new, strict=True)):
            return plan
        if not self.context.config.behaviour.only_widened_inputs_are_projected:
            new = tuple(Project(c.output, c) if c is n else n for c, n in zip(children, new, strict=True))
        return plan.with_new_children(new)

    def widest(self, types: list[DataType]) -> DataType | None:
        """The type of a column of all inputs, from left to right."""
        result: DataType | None = types[0]
        for t in types[1:]:
            result = None if result is None else coercion_of(self.context).wider(result, t)
        return result


def _projected(child: LogicalPlan, targets: Sequence[DataType], plan: LogicalPlan) -> LogicalPlan:
    """An input of `plan`, its columns cast where that differs. A cast that fails is told of at the plan's place."""
    items: list[Expression] = []
    for a, t in zip(child.output, targets, strict=True):
        items.append(a if a.type == t else alias(plan.rebuilt(Cast(a, t)), a.name))
    return child if all(i is a for i, a in zip(items, child.output, strict=True)) else Project(tuple(items), child)


class UnpivotCoercion(AnalyzerRule):
    """Give the value columns of UNPIVOT one type each."""

    matches = (Unpivot,)
    package = "org.apache.spark.sql.catalyst.analysis.TypeCoercionBase$"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def one(p: LogicalPlan) -> LogicalPlan:
            if not isinstance(p, Unpivot) or not all(e.resolved for g in p.groups for e in g):
                return p
            width = len(p.value_columns)
            if any(len(g) != width for g in p.groups):
                return p
            # In both modes strings are not promoted here.
            types = [legacy.LEGACY.least_common([g[i].data_type for g in p.groups]) for i in range(width)]
            if any(t is None for t in types):
                return p
            groups = tuple(
                tuple(cast_to(e, t) for e, t in zip(g, types, strict=True) if t is not None) for g in p.groups
            )
            return p.replace(groups=groups) if groups != p.groups else p

        return plan.resolve_operators_up(one, Unpivot.BIT)


class AnsiCombinedTypeCoercionRule(AnalyzerRule):
    """Cast the inputs of expressions to the types they take.

    a_int = b_bigint  =>  cast(a_int as bigint) = b_bigint

    One pass over every expression, children first, all of Spark's coercions in their order at each node.
    """

    package = "org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion$"
    coercion = ANSI

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        types_change = self.context.config.behaviour.decimals_are_promoted

        def operator(p: LogicalPlan) -> LogicalPlan:
            if not p.children_resolved or not p.expressions:
                return p
            typed = with_types_beneath(p) if types_change else p
            return typed.map_expressions(self._expression, BEYOND_LEAVES)

        return plan.transform_up(operator, settled=self.settled, kept=ANALYZED.key)

    def __init__(self, context: AnalysisContext) -> None:
        super().__init__(context)
        flags = (bool(context.config.get(key)) for key in _FLAGS)
        self.versioned = with_flags(in_version(self.coercion, context.config.behaviour), *flags)

    def _expression(self, e: Expression) -> Expression:
        known = self.context.config.behaviour
        if known.decimals_are_promoted and not known.coercions_run_together:
            null, mode = known.overflow_checks_show_null, self.coercion.mode
            e = e.transform_up(lambda x: promoted(legacy.with_decimals(x), mode, null) if x.children_resolved else x)
        return coerced_tree(e, self.versioned)


class CombinedTypeCoercionRule(AnsiCombinedTypeCoercionRule):
    """The same by the rules of spark.sql.ansi.enabled=false.

    a_string + b_int  =>  cast(a_string as double) + cast(b_int as double)

    What ANSI mode lets fail gives null here, so that casts and arithmetic take the mode LEGACY as well.
    """

    package = "org.apache.spark.sql.catalyst.analysis.TypeCoercionBase$"
    coercion = legacy.LEGACY


def with_types_beneath(plan: LogicalPlan) -> LogicalPlan:
    """The operator reading its inputs' columns under the types that they have now (Spark: propagateTypes).

    A quotient of two decimals is bound before it is promoted, which makes its type a wider one.
    """
    types = {
        a.expr_id: a.data_type for child in plan.children for a in child.output if isinstance(a.data_type, DecimalType)
    }

    def step(e: Expression) -> Expression:
        if isinstance(e, AttributeReference) and (new := types.get(e.expr_id)) is not None and new != e.type:
            return e.replace(type=new)
        return e

    return plan.transform_expressions_up(step, AttributeReference.BIT) if types else plan


#: The settings of `with_flags`, in its order.
_FLAGS = (
    "spark.sql.function.concatBinaryAsString",
    "spark.sql.function.eltOutputAsString",
    "spark.sql.legacy.sizeOfNull",
)


@cache
def with_flags(coercion: TypeCoercion, joined: bool, chosen: bool, sized: bool) -> TypeCoercion:
    """The rules under a session's settings for texts made of bytes, and for size() of null."""
    if (joined, chosen, sized) == (False, False, True):
        return coercion
    made = copy(coercion)
    made.bytes_join_as_text, made.bytes_are_chosen_as_text, made.null_has_a_size = joined, chosen, sized
    return made


@cache
def in_version(coercion: TypeCoercion, known: Behaviour) -> TypeCoercion:
    """The rules with what a version of Spark does beside: casts of sums, promotion of decimals, the text of abs()."""
    if known.sums_take_any_number and known.days_are_cast and not known.decimals_are_promoted:
        return coercion

    def finish(e: Expression) -> Expression:
        if not known.sums_take_any_number and isinstance(e, Sum | Average):
            wide: Expression = legacy.wide_sum(e)
            return wide
        if isinstance(e, FunctionCall) and e.name in ("date_add", "date_sub") and not known.days_are_cast:
            read: Expression = legacy.with_read_days(e)
            return read
        if known.abs_shows_whether_it_fails and isinstance(e, Abs):
            told: Expression = e.replace(tells=True)
            return told
        promotes = known.decimals_are_promoted and known.coercions_run_together
        return promoted(e, coercion.mode, known.overflow_checks_show_null) if promotes else e

    made = copy(coercion)
    made.finish = finish
    return made


def coercion_of(context: AnalysisContext) -> TypeCoercion:
    """The rules that a session casts by."""
    return ANSI if context.config.get("spark.sql.ansi.enabled") else legacy.LEGACY


def combined_rule(context: AnalysisContext) -> AnsiCombinedTypeCoercionRule:
    """The rule that applies them to expressions."""
    return (AnsiCombinedTypeCoercionRule if coercion_of(context) is ANSI else CombinedTypeCoercionRule)(context)
