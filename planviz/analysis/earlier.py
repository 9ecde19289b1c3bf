"""What older versions of Spark parsed and resolved in another way: constants, arithmetic, ORDER BY."""

from __future__ import annotations

from planviz.analysis.coercion.expressions import coerced_tree
from planviz.analysis.coercion.rules import coercion_of, in_version
from planviz.analysis.context import AnalysisContext
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateExpression, FirstLast
from planviz.expressions.arithmetic import UNPROMOTED, BinaryArithmetic
from planviz.expressions.core import Alias, Expression, Literal, alias
from planviz.expressions.earlier import PlainlyNamedLike, as_called_then, stored, undetermined, untyped_interval
from planviz.expressions.patterns import Like, RLike
from planviz.expressions.unresolved import TempResolvedColumn, UnresolvedFunction
from planviz.logical.combining import Except, ExceptInOneWord, Intersect, IntersectInOneWord, Union
from planviz.logical.operators import Aggregate, Project, RepartitionByExpression, Sample, Sort, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedSubqueryColumnAliases, UnresolvedWith
from planviz.types import BOOLEAN


def as_parsed_then(plan: LogicalPlan, config: OptimizerConfig) -> LogicalPlan:
    """The plan, subqueries included, with intervals, dates and arithmetic as the configured version has them."""
    known, zone = config.behaviour, config.text("spark.sql.session.timeZone")
    mask = Literal.BIT | BinaryArithmetic.BIT | Like.BIT | RLike.BIT
    if not known.ordered_functions_are_deterministic:
        mask |= FirstLast.BIT
    if not known.modes_show_their_order:
        mask |= UnresolvedFunction.BIT
    if known.samples_show_their_method:
        return plan

    def step(e: Expression) -> Expression:
        if isinstance(e, BinaryArithmetic):
            return e.rebuilt(e.replace(mode=UNPROMOTED)) if known.decimals_are_promoted else e
        if isinstance(e, FirstLast):
            return e if known.ordered_functions_are_deterministic else undetermined(e)
        if isinstance(e, UnresolvedFunction):
            # PySpark says of mode() that any of several values will do: it does so where mode() can be told.
            told = e.parts == ("mode",) and e.arguments[1:] == (Literal(False, BOOLEAN),)
            return e.rebuilt(e.replace(arguments=e.arguments[:1])) if told else e
        if isinstance(e, Like):
            plain = not known.names_have_escapes and e.escape != "\\"
            return e.rebuilt(PlainlyNamedLike(e.left, e.right, e.escape)) if plain else e
        if isinstance(e, RLike):
            return as_called_then(e, known)
        made = e if known.intervals_are_typed else untyped_interval(e)
        return stored(made, zone) if known.values_are_shown_as_stored else made

    def operator(p: LogicalPlan) -> LogicalPlan:
        if isinstance(p, Union) and not known.unions_show_flags:
            p = p.replace(shows_flags=False)
        if isinstance(p, RepartitionByExpression) and not known.repartitions_leave_their_number_open:
            p = p.replace(number=p.number or config.shuffle_partitions)
        if isinstance(p, Sample) and not known.samples_show_their_method:
            p = p.replace(method="")
        if isinstance(p, Intersect | Except) and not known.set_operations_are_spaced:
            cls = IntersectInOneWord if isinstance(p, Intersect) else ExceptInOneWord
            p = cls(p.left, p.right, p.is_all)
        if isinstance(p, SubqueryAlias) and not known.aliases_name_columns_last:
            p = _named_above(p)
        if isinstance(p, UnresolvedWith):
            # The name of a definition stands above its columns' names in every version.
            p = p.replace(plans=tuple(d.map_children(lambda c: c.transform_with_subqueries(operator)) for d in p.plans))
        return p.transform_expressions_up(step, mask)

    return plan.transform_with_subqueries(operator)


def _named_above(p: SubqueryAlias) -> LogicalPlan:
    """t(a, b) over a relation with the columns' names given above the alias: t.a means none of them."""
    named = p.child
    if not isinstance(named, UnresolvedSubqueryColumnAliases):
        return p
    return named.replace(child=p.replace(child=named.child))


def order_computed_below(plan: Sort, context: AnalysisContext) -> Project | None:
    """ORDER BY over an Aggregate with what is open in it computed there, as before Spark 3.2; None: it cannot be.

    Sort ['a] over Aggregate [a]  =>  Project [a] over Sort [a] over Aggregate [a]

    An item is open while it is not bound, reads what the Aggregate does not give or holds an aggregate function. If one
    of them cannot be computed there, all wait to be bound to the results.
    """
    agg: LogicalPlan = plan.child
    if not isinstance(agg, Aggregate) or not agg.resolved or context.analyze is None:
        return None
    open_items = [o for o in plan.order if _is_open(o, agg)]
    if not open_items:
        return None
    keys = [_without_marks(o.children[0]) for o in open_items]
    asked = agg.replace(aggregates=tuple(alias(k, "aggOrder") for k in keys))
    try:
        answered: LogicalPlan = context.analyze(asked, context)
    except AnalysisError:
        return None
    if not isinstance(answered, Aggregate) or not answered.resolved or len(answered.aggregates) != len(open_items):
        return None
    items = [i for i in answered.aggregates if isinstance(i, Alias)]
    if not all(_computable(i.child, agg) for i in items):
        return None
    added: list[Expression] = []
    meant: dict[int, Expression] = {}
    for o, item in zip(open_items, items, strict=True):
        known = next((a for a in agg.aggregates if item.child.semantic_equals(_cast(_value(a), context))), None)
        if known is None:
            added.append(item)
        meant[id(o)] = o.rebuilt(o.replace(child=(known or item).to_attribute()))
    order = tuple(meant.get(id(o), o) for o in plan.order)
    return Project(agg.output, plan.replace(order=order, child=agg.replace(aggregates=(*agg.aggregates, *added))))


def _is_open(o: Expression, agg: LogicalPlan) -> bool:
    marked = o.bits & (AggregateExpression.BIT | TempResolvedColumn.BIT)
    return not o.resolved or not o.references <= agg.output_set or bool(marked)


def _without_marks(e: Expression) -> Expression:
    return e.transform_up(lambda x: x.child if isinstance(x, TempResolvedColumn) else x, TempResolvedColumn.BIT)


def _cast(e: Expression, context: AnalysisContext) -> Expression:
    """A result with the casts that it is about to get, where the version looks for it so."""
    if not context.config.behaviour.order_finds_results_before_their_casts:
        return e
    return coerced_tree(e, in_version(coercion_of(context), context.config.behaviour))


def _value(e: Expression) -> Expression:
    return e.child if isinstance(e, Alias) else e


def _computable(e: Expression, agg: Aggregate) -> bool:
    """Whether an Aggregate can give it: made of its keys, of constants and of aggregate functions."""
    if isinstance(e, AggregateExpression) or any(g.semantic_equals(e) for g in agg.grouping):
        return True
    return (bool(e.children) or e.foldable) and all(_computable(c, agg) for c in e.children)
