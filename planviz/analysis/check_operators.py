"""What an operator may hold once its expressions are fine (Spark: the second half of CheckAnalysis)."""

from __future__ import annotations

from collections.abc import Sequence

from planviz.analysis.context import sql_text
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Expression, GeneratorMark, NamedExpression, occurs
from planviz.expressions.subqueries import QueryPlan, SubqueryExpression
from planviz.expressions.windows import WindowExpression
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import Join, NearestByJoin, SetOperation, UnionLoop
from planviz.logical.operators import (
    Aggregate,
    CollectMetrics,
    Deduplicate,
    Distinct,
    Filter,
    Generate,
    Sample,
    Sort,
    Window,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import UnionLoopRef
from planviz.types import UNKNOWN, VARIANT, ArrayType, DataType, MapType, StructType, equal_structurally, is_orderable

_SPECIAL = AggregateExpression.BIT | WindowExpression.BIT | GeneratorMark.BIT


def check_operator(plan: LogicalPlan) -> None:
    """Raise AnalysisError for an operator whose resolved expressions have no place in it."""
    if isinstance(plan, Distinct | SetOperation):
        _check_compared(plan, plan.children[0].output)
    elif isinstance(plan, Deduplicate):
        _check_compared(plan, plan.keys)
    if isinstance(plan, UnionLoop):
        _check_places(plan.right, plan.id)
        for p in plan.right.walk():
            for s in (s for e in p.expressions for s in e.collect(SubqueryExpression)):
                _check_places(s.plan, plan.id)
        _check_steps(plan)
    if isinstance(plan, Join):
        wrong = next((e for e in plan.expressions if not e.deterministic), None)
        if wrong is not None:
            raise analysis_error(
                "INVALID_NON_DETERMINISTIC_EXPRESSIONS",
                f"The operator expects a deterministic expression, but the actual expression is {wrong.sql}.",
                plan,
            )
    if isinstance(plan, NearestByJoin):
        _check_ranking(plan)
    if isinstance(plan, Sample) and plan.method == "System":
        raise analysis_error(
            "UNSUPPORTED_FEATURE.TABLESAMPLE_SYSTEM_NO_SCAN",
            "TABLESAMPLE SYSTEM samples what a source can sample itself, which no table of Spark's own does.",
            plan,
        )
    found = [x for e in plan.expressions for x in _special(e, plan)]
    if found and isinstance(plan, Filter):
        raise analysis_error(
            "INVALID_WHERE_CONDITION",
            f'The WHERE condition "{plan.condition.pretty}" contains invalid expressions: '
            f"{', '.join(x.pretty for x in found)}.\n"
            "Rewrite the query to avoid window functions, aggregate functions, and generator functions in the "
            "WHERE clause.",
            plan,
        )
    if found:
        raise analysis_error(
            "UNSUPPORTED_EXPR_FOR_OPERATOR",
            f"A query operator contains one or more unsupported expressions: {', '.join(x.pretty for x in found)}.\n"
            "Consider to rewrite it to avoid window functions, aggregate functions, and generator functions in the "
            "WHERE clause.",
            plan,
        )


def _check_ranking(plan: NearestByJoin) -> None:
    """Raise AnalysisError where nothing says which row is nearer."""
    t = plan.ranking.data_type
    if t != UNKNOWN and not is_orderable(t):
        raise analysis_error(
            "NEAREST_BY_JOIN.NON_ORDERABLE_RANKING_EXPRESSION",
            f'Invalid nearest-by join. The ranking expression "{plan.ranking.pretty}" of type "{t.sql}" is not '
            "orderable. Provide an expression that returns an orderable type, such as a distance in numbers.",
            plan,
        )


def _check_steps(plan: UnionLoop) -> None:
    """Raise AnalysisError where a step's rows are no rows of the anchor: nothing is cast between them."""
    first, again = plan.left.output, plan.right.output
    if len(first) != len(again):
        raise analysis_error(
            "NUM_COLUMNS_MISMATCH",
            "UNION can only be performed on inputs with the same number of columns, but the first input has "
            f"{len(first)} columns and the second input has {len(again)} columns.",
            plan,
        )
    for a, b in zip(first, again, strict=True):
        if UNKNOWN not in (a.type, b.type) and not equal_structurally(a.type, b.type):
            raise analysis_error(
                "CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE",
                f'Failed to merge incompatible data types "{a.type.sql}" and "{b.type.sql}" of the column '
                f"{sql_text((a.name,))}: cast what the recursion gives to the type that the first query gives.",
                plan,
            )


def _check_places(plan: QueryPlan, number: int) -> None:
    """Raise AnalysisError where an operator of the recursion needs all rows of what only grows step by step."""
    read = [c for c in plan.children if any(r.id == number for r in c.collect(UnionLoopRef))]
    if not read:
        return
    whole: tuple[QueryPlan, ...] = ()
    if isinstance(plan, Aggregate | Window | Sort):
        whole = plan.children
    elif isinstance(plan, Join):
        sides = {"LeftOuter": (plan.right,), "LeftSemi": (plan.right,), "LeftAnti": (plan.right,),
                 "RightOuter": (plan.left,), "FullOuter": plan.children}  # fmt: skip
        whole = sides.get(plan.kind, ())
    if any(c is w for c in read for w in whole):
        raise analysis_error(
            "INVALID_RECURSIVE_REFERENCE.PLACE",
            "Invalid recursive reference found inside WITH RECURSIVE clause. Recursive references cannot be used on "
            "the right side of left outer/semi/anti joins, on the left side of right outer joins, in full outer joins, "
            "in aggregates, window functions or sorts.",
            plan,
        )
    for c in read:
        _check_places(c, number)


def _special(e: Expression, plan: LogicalPlan) -> list[Expression]:
    """The expressions that only other operators compute (Spark: specialExpressionsInUnsupportedOperator)."""
    if not occurs(e, _SPECIAL):
        return []
    return [
        x
        for x in e.walk()
        if (isinstance(x, WindowExpression) and not isinstance(plan, Window))
        or (isinstance(x, AggregateExpression) and not isinstance(plan, Aggregate | Window | CollectMetrics))
        or (isinstance(x, GeneratorMark) and not isinstance(plan, Generate))
    ]


def _check_compared(plan: LogicalPlan, compared: Sequence[Expression]) -> None:
    """Sets compare whole rows, and values of some types cannot be compared."""
    for a in compared:
        for kind, name in ((MapType, "MAP"), (None, "VARIANT")):
            if _holds(a.data_type, kind):
                shown = a.name if isinstance(a, NamedExpression) else a.pretty
                raise analysis_error(
                    f"UNSUPPORTED_FEATURE.SET_OPERATION_ON_{name}_TYPE",
                    f"Cannot have {name} type columns in DataFrame which calls set operations (INTERSECT, EXCEPT, "
                    f'etc.), but the type of column {sql_text((shown,))} is "{a.data_type.sql}".',
                    plan,
                )


def _holds(t: DataType, kind: type | None) -> bool:
    """Whether a type is, or has a part that is, of a kind; None means variants."""
    if (kind is None and t == VARIANT) or (kind is not None and isinstance(t, kind)):
        return True
    if isinstance(t, ArrayType):
        return _holds(t.element, kind)
    if isinstance(t, StructType):
        return any(_holds(f.data_type, kind) for f in t.fields)
    return isinstance(t, MapType) and (_holds(t.key, kind) or _holds(t.value, kind))
