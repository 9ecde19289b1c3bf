"""Windows: merged, exchanged, limited."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.aggregates import AggregateExpression, FirstLast
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, id_of, lit
from planviz.expressions.predicates import EqualTo, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual
from planviz.expressions.predicates import split_conjunction as split
from planviz.expressions.python import PythonUDAF
from planviz.expressions.windows import (
    CURRENT_ROW,
    UNBOUNDED_PRECEDING,
    NthValue,
    RankLike,
    SpecifiedWindowFrame,
    WindowExpression,
    WindowSpec,
)
from planviz.logical.operators import Filter, GlobalLimit, LocalLimit, Project, Window, WindowGroupLimit
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.rules.limits import top_rows


class OptimizeWindowFunctions(OptimizerRule):
    """first() over a frame that begins at the first row is nth_value(1) there.

    first(a) OVER (ORDER BY b)  =>  nth_value(a, 1) OVER (ORDER BY b)

    Pays because only one row is kept. Without ORDER BY any row may be the first.
    """

    matches = (WindowExpression,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        def step(e: Expression) -> Expression:
            match e:
                case WindowExpression(
                    AggregateExpression(FirstLast(child, "first" | "first_value", ignore)) as a,
                    WindowSpec(_, order, frame),
                ) if (
                    order
                    and isinstance(frame, SpecifiedWindowFrame)
                    and frame.kind == "RowFrame"
                    and frame.lower == UNBOUNDED_PRECEDING
                ):
                    return e.replace(function=a.replace(function=NthValue(child, lit(1), ignore)))
            return e

        return plan.transform_all_expressions(step, WindowExpression.BIT, self.settled)


def _made(window: Window) -> set[int]:
    return {id_of(f) for f in window.functions}


class CollapseWindow(OptimizerRule[Window]):
    """Two windows with the same keys and order are one.

    Window [f2] over Window [f1]  =>  Window [f1, f2]

    Pays because rows are sorted once. Not when the upper one reads the lower one's result, and Python functions stay
    by themselves.
    """

    matches = (Window,)
    order = "up"

    @override
    def rewrite(self, node: Window) -> LogicalPlan:
        match node:
            case Window(upper, keys, order, Window(lower, lower_keys, lower_order, child) as below) if (
                _equal(keys, lower_keys) and _equal(order, lower_order) and _of_one_kind(upper, lower)
            ):
                if not node.references & _made(below):
                    return Window(lower + upper, keys, order, child)
            case Window(upper, keys, order, Project(items, Window(lower, lower_keys, lower_order, child) as below)) if (
                _equal(keys, lower_keys) and _equal(order, lower_order) and _of_one_kind(upper, lower)
            ):
                if node.references <= child.output_set:
                    return Project(
                        (*items, *[f.to_attribute() for f in upper]), Window(lower + upper, keys, order, child)
                    )
        return node


def _of_one_kind(upper: tuple[Expression, ...], lower: tuple[Expression, ...]) -> bool:
    """Whether one operator can compute both (Spark: WindowFunctionType)."""
    return bool(upper and lower) and bool(upper[0].bits & PythonUDAF.BIT) == bool(lower[0].bits & PythonUDAF.BIT)


def _equal(a: tuple[Expression, ...], b: tuple[Expression, ...]) -> bool:
    """Whether two lists of keys mean the same, whatever name a column was reached by."""
    return len(a) == len(b) and all(x.canonicalized == y.canonicalized for x, y in zip(a, b, strict=True))


class TransposeWindow(OptimizerRule[Window]):
    """Put the window with fewer keys below when the other's keys begin with them.

    Window [a] over Window [a, b]  =>  Window [a, b] over Window [a]

    Pays because one exchange by a serves both. Not when one reads the other's result.
    """

    matches = (Window,)
    order = "up"

    @override
    def rewrite(self, node: Window) -> LogicalPlan:
        match node:
            case Window(child=Window(child=child) as below) if _transposable(node, below):
                return Project(node.output, below.replace(child=node.replace(child=child)))
            case Window(child=Project(items, Window(child=child) as below)) if (
                self.context.config.behaviour.windows_swap_through_projections
                and _transposable(node, below)
                and node.references <= child.output_set
            ):
                return Project(
                    (*items, *[f.to_attribute() for f in node.functions]),
                    below.replace(child=node.replace(child=child)),
                )
        return node


def _transposable(upper: Window, lower: Window) -> bool:
    if upper.references & _made(lower):
        return False
    if not all(e.deterministic for e in (*upper.expressions, *lower.expressions)):
        return False
    a, b = upper.partition, lower.partition
    if len(a) >= len(b):
        return False
    chosen = list(b)
    return all(any(x.semantic_equals(y) for y in chosen[: len(a)]) for x in a)


class EliminateWindowPartitions(OptimizerRule[Window]):
    """Partition keys that are the same for every row go.

    rank() OVER (PARTITION BY 'x' ORDER BY a)  =>  rank() OVER (ORDER BY a)

    Pays because shorter keys are compared. Only constants: a column may differ.
    """

    matches = (Window,)

    @override
    def rewrite(self, node: Window) -> LogicalPlan:
        kept = tuple(p for p in node.partition if not p.foldable)
        if len(kept) == len(node.partition):
            return node

        def step(e: Expression) -> Expression:
            if isinstance(e, WindowSpec):
                return e.replace(partition=tuple(p for p in e.partition if not p.foldable))
            return e

        functions = tuple(f.transform_up(step, WindowSpec.BIT) for f in node.functions)
        return node.replace(functions=functions, partition=kept)


class PullUpProjectAliasThroughWindow(OptimizerRule):
    """Rename above the windows what they do not read themselves.

    Project [x, w] over Window [w by k] over Project [k, k AS x]  =>  Project [k AS x, w] over Window over Project [k]

    Pays because x no longer travels through the window's shuffle, and what follows and wants rows together by x finds
    that they are together by k. Not where the window reads x, and not where its input is dropped below: in
    `SELECT x, rank() OVER (ORDER BY k) FROM (SELECT k, b + 1 AS x FROM t)` nothing above knows b.
    """

    matches = (Window,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(lambda p: self._project(p) if isinstance(p, Project) else p, Window.BIT)

    @staticmethod
    def _project(upper: Project) -> Project:
        windows: list[LogicalPlan] = []
        below: LogicalPlan = upper.child
        while isinstance(below, Window):
            windows.append(below)
            below = below.child
        if not windows or not isinstance(below, Project):
            return upper
        by_windows = frozenset[int]().union(*[w.references for w in windows])
        kept = frozenset(id_of(i) for i in below.projects) & by_windows
        bare = {i.expr_id for i in upper.projects if isinstance(i, AttributeReference)}
        others = [i.references for i in upper.projects if not isinstance(i, AttributeReference)]
        unread = bare - by_windows - frozenset[int]().union(*others)
        lifted = {
            i.expr_id: i
            for i in below.projects
            if isinstance(i, Alias) and i.expr_id in unread and i.references <= kept
        }
        if not lifted:
            return upper
        child: LogicalPlan = below.replace(projects=tuple(i for i in below.projects if id_of(i) not in lifted))
        for w in reversed(windows):
            child = w.replace(child=child)
        items = tuple(lifted.get(id_of(i), i) if isinstance(i, AttributeReference) else i for i in upper.projects)
        return Project(items, child)


class InferWindowGroupLimit(OptimizerRule):
    """Of every partition only the rows that can have a small enough rank are needed.

    Filter(rk <= 3, Window(rank() AS rk))  =>  Filter(rk <= 3, Window over WindowGroupLimit(rank, 3))

    Pays because few rows are sorted after the exchange. For sum() OVER every row counts.
    """

    matches = (Window,)
    settings = (
        "spark.sql.optimizer.windowGroupLimitThreshold",
        "spark.sql.execution.topKSortFallbackThreshold",
    )

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if self.context.config.number("spark.sql.optimizer.windowGroupLimitThreshold") == -1:
            return plan
        return plan.transform_down(self._step, Window.BIT, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        match plan:
            case Filter(condition, Window(functions, _, order, child) as window) if (
                not isinstance(child, WindowGroupLimit) and order and all(_expanding(f) for f in functions)
            ):
                return self._limited(plan, condition, window)
        return plan

    def _limited(self, plan: LogicalPlan, condition: Expression, window: Window) -> LogicalPlan:
        most = self.context.config.number("spark.sql.optimizer.windowGroupLimitThreshold")
        limits = []
        for f in window.functions:
            function = _rank(f)
            n = _rank_limit(condition, id_of(f))
            if function is not None and n is not None:
                limits.append((n, function))
        if not limits:
            return plan
        # row_number first: it is the cheapest to compute.
        chosen = [x for x in limits if x[1].name == "row_number"] or limits
        n, function = min(chosen, key=lambda x: x[0])
        if n > most or (window.child.max_rows is not None and window.child.max_rows <= n):
            return plan
        if n <= 0:
            return LocalRelation(plan.output)
        if function.name == "row_number" and not window.partition and n < top_rows(self.context):
            return plan.replace(child=GlobalLimit(lit(n), LocalLimit(lit(n), window)))
        below = WindowGroupLimit(window.partition, window.order, function, n, window.child)
        return plan.replace(child=window.replace(child=below))


_RANKS = ("row_number", "rank", "dense_rank")


def _expanding(f: Expression) -> bool:
    """Whether the function reads no row after the current one."""
    w = f.child if isinstance(f, Alias) else f
    if not isinstance(w, WindowExpression) or not isinstance(w.spec, WindowSpec):
        return False
    frame = w.spec.frame
    return (
        isinstance(frame, SpecifiedWindowFrame)
        and frame.kind == "RowFrame"
        and frame.lower == UNBOUNDED_PRECEDING
        and frame.upper == CURRENT_ROW
    )


def _rank(f: object) -> RankLike | None:
    w = f.child if isinstance(f, Alias) else f
    assert isinstance(w, WindowExpression)
    inner = w.function.function if isinstance(w.function, AggregateExpression) else w.function
    return inner if isinstance(inner, RankLike) and inner.name in _RANKS else None


def _rank_limit(condition: Expression, expr_id: int) -> int | None:
    found: list[int] = []
    for c in split(condition):
        match c:
            case EqualTo(AttributeReference() as a, Literal(int() as v, _)) if a.expr_id == expr_id:
                found.append(v)
            case EqualTo(Literal(int() as v, _), AttributeReference() as a) if a.expr_id == expr_id:
                found.append(v)
            case LessThan(AttributeReference() as a, Literal(int() as v, _)) if a.expr_id == expr_id:
                found.append(v - 1)
            case GreaterThan(Literal(int() as v, _), AttributeReference() as a) if a.expr_id == expr_id:
                found.append(v - 1)
            case LessThanOrEqual(AttributeReference() as a, Literal(int() as v, _)) if a.expr_id == expr_id:
                found.append(v)
            case GreaterThanOrEqual(Literal(int() as v, _), AttributeReference() as a) if a.expr_id == expr_id:
                found.append(v)
    return min(found) if found else None
