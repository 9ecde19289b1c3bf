"""Where a subquery may stand and what it may read of the query around it (Spark: CheckAnalysis, subqueries)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.arithmetic import operands
from planviz.expressions.core import Expression, occurs
from planviz.expressions.predicates import EqualTo, Or, conjunction, disjunction
from planviz.expressions.predicates import split_conjunction as split
from planviz.expressions.subqueries import (
    Exists,
    LateralSubquery,
    ListQuery,
    ScalarSubquery,
    SubqueryExpression,
    above_aggregates,
)
from planviz.expressions.unresolved import OuterReference
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import CTERelationDef, Join, LateralJoin, SetOperation, Union, WithCTE
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Limit,
    Offset,
    Project,
    Repartition,
    RepartitionByExpression,
    ResolvedHint,
    Sort,
    SQLFunctionNode,
    SubqueryAlias,
    View,
    Window,
)
from planviz.logical.plan import LogicalPlan
from planviz.trees.node import TreeNode
from planviz.versions import Behaviour

#: Operators whose own expressions may read the query around.
_READ_OUTER = (Filter, Project, Join)
#: Operators that stay where a plan beneath them is joined with the query around.
_PASS = (
    *_READ_OUTER,
    Aggregate,
    CTERelationDef,
    Distinct,
    LateralJoin,
    Limit,
    Offset,
    Repartition,
    RepartitionByExpression,
    ResolvedHint,
    SetOperation,
    SQLFunctionNode,
    Sort,
    SubqueryAlias,
    Union,
    View,
    Window,
    WithCTE,
)


def check_subquery(e: SubqueryExpression, plan: LogicalPlan, known: Behaviour) -> None:
    """Raise AnalysisError for a subquery of the operator that has no place there or reads what it must not."""
    if isinstance(e, ScalarSubquery) and e.plan.resolved:
        _check_scalar(e, plan)
        if e.outer and not known.single_rows_are_tested:
            _check_aggregated(e)
    elif isinstance(e, LateralSubquery) and isinstance(plan, LateralJoin):
        _check_lateral(e, plan)
    elif isinstance(e, ListQuery | Exists) and not isinstance(plan, Filter | Project | Aggregate | Join):
        raise _unsupported(
            "UNSUPPORTED_IN_EXISTS_SUBQUERY",
            "IN/EXISTS predicate subqueries can only be used in filters, joins, aggregations, window functions, "
            "projections.",
            e,
        )
    _check_correlations(e.plan, _Allowed.to(e, known), True)
    if not known.single_rows_are_tested:
        _check_limits(cast(LogicalPlan, e.plan), isinstance(e, LateralSubquery))


def _unsupported(subclass: str, message: str, e: TreeNode) -> AnalysisError:
    return analysis_error(
        f"UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.{subclass}", f"Unsupported subquery expression: {message}", e
    )


def _check_scalar(e: ScalarSubquery, plan: LogicalPlan) -> None:
    columns = len(e.plan.output)
    if columns != 1:
        raise analysis_error(
            "INVALID_SUBQUERY_EXPRESSION.SCALAR_SUBQUERY_RETURN_MORE_THAN_ONE_OUTPUT_COLUMN",
            f"Invalid subquery: Scalar subquery must return only one column, but got {columns}.",
            e,
        )
    if not e.outer:
        return
    if not isinstance(plan, Filter | Project | Aggregate):
        raise _unsupported(
            "UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY",
            "Correlated scalar subqueries can only be used in filters, aggregations, projections, and "
            "UPDATE/MERGE/DELETE commands.",
            plan,
        )
    _check_grouped(e, plan)


def _check_aggregated(e: ScalarSubquery) -> None:
    """Before Spark 4.0 a correlated scalar subquery is one whose plan tells that it gives one row."""
    top = cast(LogicalPlan, e.plan)
    while isinstance(top, SubqueryAlias | Project | ResolvedHint):
        top = top.child
    grouped = top.child if isinstance(top, Filter) else top
    if not isinstance(grouped, Aggregate):
        if top.max_rows in (0, 1):
            return
        raise _unsupported(
            "MUST_AGGREGATE_CORRELATED_SCALAR_SUBQUERY",
            f"Correlated scalar subqueries must be aggregated to return at most one row: {top.simple_string}",
            e,
        )
    keys = frozenset[int]().union(*[g.references for g in grouped.grouping])
    pairs = [c for f in grouped.child.collect(Filter) for c in split(f.condition) if isinstance(c, EqualTo)]
    sides = [(a, b) for c in pairs for a, b in ((c.left, c.right), (c.right, c.left))]
    bound = frozenset[int]().union(*[b.references for a, b in sides if occurs(a, OuterReference.BIT)])
    if not keys <= bound:
        raise _unsupported(
            "NON_CORRELATED_COLUMNS_IN_GROUP_BY",
            "A GROUP BY clause in a scalar correlated subquery cannot contain non-correlated columns.",
            e,
        )


def _check_limits(plan: LogicalPlan, lateral: bool) -> None:
    """Before Spark 4.0 nothing below a limit may read the query around, nor below a set operation but in LATERAL."""
    kinds: tuple[type[LogicalPlan], ...] = (Limit,) if lateral else (Limit, SetOperation, Union)
    for above in [found for kind in kinds for found in plan.collect(kind)]:
        if above.bits & OuterReference.BIT:
            raise _unsupported(
                "ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED",
                f"Accessing outer query column is not allowed in this location: {above.simple_string}",
                above,
            )


def _check_grouped(e: ScalarSubquery, plan: LogicalPlan) -> None:
    """Under GROUP BY a subquery that reads the rows around it counts as a key, or stands in an aggregate function."""
    if not isinstance(plan, Aggregate) or not plan.grouping:
        return
    if any(g.bits & e.BIT for g in plan.grouping):
        keys = [x.canonicalized for g in plan.grouping for x in g.collect(ScalarSubquery)]
        shown = {x.canonicalized for i in plan.aggregates for x in i.collect(ScalarSubquery)}
        if e.canonicalized in keys and e.canonicalized not in shown:
            raise _unsupported(
                "MUST_AGGREGATE_CORRELATED_SCALAR_SUBQUERY",
                "Correlated scalar subqueries in the GROUP BY clause must also be in the SELECT list.",
                e,
            )
        return
    if not any(_stands_free(i, e) for i in plan.aggregates):
        return
    raise analysis_error(
        "SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION",
        f'The correlated scalar subquery "{e.pretty}" is neither present in GROUP BY, nor in an aggregate function.\n'
        "Add it to GROUP BY using ordinal position or wrap it in `first()` (or `first_value`) if you don't care which "
        "value you get.",
        e,
    )


def _stands_free(item: Expression, e: ScalarSubquery) -> bool:
    if item is e:
        return True
    return not isinstance(item, AggregateExpression) and any(_stands_free(c, e) for c in item.children)


def _check_lateral(e: LateralSubquery, plan: LateralJoin) -> None:
    if not e.deterministic and plan.child.max_rows not in (0, 1):
        raise _unsupported(
            "NON_DETERMINISTIC_LATERAL_SUBQUERIES",
            "Non-deterministic lateral subqueries are not supported when joining with outer relations that produce "
            "more than one row.",
            e,
        )
    if plan.condition is not None and not plan.condition.deterministic:
        raise _unsupported(
            "LATERAL_JOIN_CONDITION_NON_DETERMINISTIC",
            f"Lateral join condition cannot be non-deterministic: {plan.condition.sql}.",
            plan.condition,
        )


@dataclass(frozen=True)
class _Allowed:
    """What may read the query around in a kind of subquery, what may stand above that, and whether an aggregate may
    stand above other comparisons than equalities."""

    readers: tuple[type[LogicalPlan], ...] = _READ_OUTER
    above: tuple[type[LogicalPlan], ...] = _PASS
    compared_below_aggregates: bool = True

    @classmethod
    def to(cls, e: SubqueryExpression, known: Behaviour) -> _Allowed:
        """What a version lets a subquery do."""
        if not isinstance(e, ScalarSubquery | LateralSubquery) and not known.existence_is_decorrelated:
            return cls((Filter,), tuple([kind for kind in _PASS if kind is not Window]), False)
        return cls(compared_below_aggregates=known.aggregates_stand_above_comparisons)


def _check_correlations(plan: LogicalPlan, allowed: _Allowed, may_read: bool, aggregated: bool = False) -> None:
    """Only some operators may read the query around, and only where they can be joined with it."""
    if not plan.bits & OuterReference.BIT:
        return
    readers = [e for e in plan.expressions if occurs(e, OuterReference.BIT)]
    for e in readers:
        _check_mixed(e)
    if readers and not may_read:
        raise _unsupported(
            "ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED",
            f"Accessing outer query column is not allowed in this location: {plan.simple_string}",
            plan,
        )
    passes = may_read and (isinstance(plan, allowed.above) or (isinstance(plan, Generate) and bool(plan.child.output)))
    if readers and passes and not isinstance(plan, allowed.readers):
        raise _unsupported(
            "CORRELATED_REFERENCE",
            f'Expressions referencing the outer query are not supported outside of WHERE/HAVING clauses: "'
            f'{readers[0].sql}".',
            plan,
        )
    if aggregated and isinstance(plan, Filter):
        _check_equalities(plan.condition)
    aggregated = aggregated or (isinstance(plan, Aggregate) and not allowed.compared_below_aggregates)
    kind = plan.kind if isinstance(plan, Join) else ""
    for i, child in enumerate(plan.children):
        _check_correlations(child, allowed, passes and _joins_side(kind, i), aggregated)


def _check_equalities(condition: Expression) -> None:
    """Below an aggregate the query around is compared for equality only, also in what all parts of an OR ask."""
    for p in [part for c in split(condition) for part in _factored(c)]:
        if occurs(p, OuterReference.BIT) and not above_aggregates(p):
            raise _unsupported(
                "CORRELATED_COLUMN_IS_NOT_ALLOWED_IN_PREDICATE",
                f"Correlated column is not allowed in predicate: {p.sql}",
                p,
            )


def _factored(p: Expression) -> list[Expression]:
    """What all parts of an OR ask, and what is left of it (Spark simplifies before it looks at them).

    (a AND b) OR (a AND c)  =>  a, b OR c
    """
    if not isinstance(p, Or):
        return [p]
    parts = [{c.canonicalized: c for c in split(part)} for part in operands(p, Or)]
    shared = set(parts[0]).intersection(*parts[1:])
    if not shared:
        return [p]
    common = [c for form, c in parts[0].items() if form in shared]
    left = [[c for form, c in part.items() if form not in shared] for part in parts]
    # Where one part asks nothing else, the others do not count.
    return common + ([disjunction([conjunction(rest) for rest in left])] if all(left) else [])


def _joins_side(kind: str, side: int) -> bool:
    """Whether what one side of a join reads of the query around can be tested above the join."""
    if kind in ("LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin"):
        return side == 0
    if kind == "RightOuter":
        return side == 1
    return kind != "FullOuter"


def _check_mixed(e: Expression) -> None:
    for x in e.collect(AggregateExpression):
        if occurs(x, OuterReference.BIT) and x.references:
            raise _unsupported(
                "AGGREGATE_FUNCTION_MIXED_OUTER_LOCAL_REFERENCES",
                f"Found an aggregate function in a correlated predicate that has both outer and local references, "
                f"which is not supported: {x.sql}.",
                x,
            )
