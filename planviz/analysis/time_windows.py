"""GROUP BY window(...) and session_window(...): the interval of time that a row belongs to."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.errors import PlanTooLarge
from planviz.expressions.arithmetic import Add, Divide, Multiply, Remainder, Subtract
from planviz.expressions.calls import FunctionCall
from planviz.expressions.casts import Cast
from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.conditional import CaseWhen
from planviz.expressions.core import (
    AUTO_GENERATED,
    Alias,
    AttributeReference,
    Expression,
    Literal,
    NamedExpression,
    lit,
    occurs,
)
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import And, EqualTo, GreaterThan, GreaterThanOrEqual, IsNotNull, LessThan
from planviz.expressions.specs import FunctionSpec
from planviz.expressions.unresolved import SESSION_WINDOW, SessionWindow, TimeWindow
from planviz.frontend.errors import analysis_error
from planviz.frontend.literals import interval_text
from planviz.logical.operators import Expand, Filter, Project
from planviz.logical.plan import LogicalPlan
from planviz.trees.depth import HEAVIEST
from planviz.types import (
    CALENDAR_INTERVAL,
    DOUBLE,
    LONG,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    DataType,
    StructType,
)
from planviz.versions import Behaviour


@cache  # two calls are the same only where their signatures are
def _conversion(t: DataType) -> FunctionSpec:
    return FunctionSpec("precisetimestampconversion", (), lambda _: t)


def _converted(e: Expression, a: DataType, b: DataType) -> Expression:
    return FunctionCall("precisetimestampconversion", (e,), _conversion(b), (a.scala_name, b.scala_name))


_WINDOW_TIME = FunctionSpec("window_time", (), lambda _: TIMESTAMP)


_KNOWN_NULLABLE = FunctionSpec("knownnullable", (), lambda args: args[0].data_type, True)


def _interval(start: Expression, end: Expression, t: DataType, nullable: bool = True) -> CreateNamedStruct:
    parts: list[Expression] = []
    for name, value in (("start", start), ("end", end)):
        moment = _converted(value, LONG, t)
        parts += [lit(name), FunctionCall("knownnullable", (moment,), _KNOWN_NULLABLE) if nullable else moment]
    return CreateNamedStruct(tuple(parts))


def _long(value: int) -> Literal:
    return Literal(value, LONG)


def _nth(window: TimeWindow, i: int, known: Behaviour) -> CreateNamedStruct:
    """The i-th window, counted backwards, that the moment is in; before 3.3 counted on from the first one."""
    if known.time_windows != "negative":
        return _nth_then(window, i, ceiling=known.time_windows == "ceiling")
    t = window.column.data_type
    moment = _converted(window.column, t, LONG)
    rest = Remainder(Subtract(moment, _long(window.start)), _long(window.slide))
    negative = LessThan(rest, Cast(lit(0), LONG))
    last = Subtract(moment, CaseWhen((negative, Add(rest, _long(window.slide))), rest))
    start = Subtract(last, _long(i * window.slide))
    return _interval(start, Add(start, _long(window.size)), t)


def _nth_then(window: TimeWindow, i: int, ceiling: bool) -> CreateNamedStruct:
    """The same by the formula of 3.3, which takes no moment before the first window, or by that of 3.2 and older."""
    t = window.column.data_type
    since = Subtract(_converted(window.column, t, LONG), _long(window.start))
    if not ceiling:
        rest = Remainder(Add(since, _long(window.slide)), _long(window.slide))
        start: Expression = Subtract(Subtract(_converted(window.column, t, LONG), rest), _long(i * window.slide))
    else:
        slides = Divide(Cast(since, DOUBLE), Cast(_long(window.slide), DOUBLE))
        up = FunctionCall("CEIL", (slides,), _CEILING)
        next_one = CaseWhen((EqualTo(Cast(up, DOUBLE), slides), Add(up, Cast(lit(1), LONG))), up)
        at = Subtract(Add(next_one, Cast(lit(i), LONG)), Cast(lit(_overlapping(window)), LONG))
        start = Add(Multiply(at, _long(window.slide)), _long(window.start))
    return _interval(start, Add(start, _long(window.size)), t, nullable=False)


_CEILING = FunctionSpec("CEIL", (), lambda _: LONG)


def _overlapping(window: TimeWindow) -> int:
    """How many windows a moment may be in."""
    return -(-window.size // window.slide)


class TimeWindowing(AnalyzerRule):
    """Compute the windows of time that rows belong to: one by a Project, several that overlap by an Expand.

    Aggregate [window(ts, 5 minutes)] over p  =>  Aggregate [window#1] over Project [... AS window#1, *] over Filter ...
    """

    matches = (TimeWindow,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan | None:
        return plan.resolve_operators_up(self._one, TimeWindow.BIT)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        window = _single(plan, TimeWindow)
        if window is None:
            return plan
        (child,) = plan.children
        if _is_window(window.column.data_type):
            # A window of windows goes by the last moment of the inner ones.
            moment = FunctionCall("window_time", (window.column,), _WINDOW_TIME)
            return plan.map_expressions(
                lambda e: e.transform_up(lambda x: x.replace(column=moment) if x == window else x, TimeWindow.BIT)
            )
        if occurs(window.column, FunctionCall.BIT) and any(map(_is_window_time, window.column.collect(FunctionCall))):
            return plan
        _check(window)
        known = self.context.config.behaviour
        remarks = lateness_of(window.column)
        made = AttributeReference("window", _nth(window, 0, known).data_type, True, next_id(), metadata=remarks)
        if window.size == window.slide:
            computed = Alias(_nth(window, 0, known), made.name, made.expr_id)
            computed = computed.remarked(*remarks) if remarks else computed
            below: LogicalPlan
            if known.time_windows == "ceiling":
                below = Filter(IsNotNull(window.column), Project((computed, *child.output), child))
            else:
                below = Project((computed, *child.output), Filter(IsNotNull(window.column), child))
        else:
            count = _overlapping(window)
            _refuse_many(count, _nth(window, 0, known))
            rows = tuple((_nth(window, i, known), *child.output) for i in range(count))
            start, end = GetStructField(made, 0), GetStructField(made, 1)
            whole = window.size % window.slide == 0 and known.time_windows != "ceiling"
            inside = And(GreaterThanOrEqual(window.column, start), LessThan(window.column, end))
            expand = Expand(rows, (made, *child.output), child)
            expand = expand.in_lists() if known.lists_are_named else expand
            below = Filter(IsNotNull(window.column) if whole else inside, expand)
        return _over(plan, below, TimeWindow, made)


class SessionWindowing(AnalyzerRule):
    """Compute the session that a row alone would make; rows are merged into longer ones when they are grouped.

    Aggregate [session_window(ts, gap)] over p  =>  Aggregate [session_window#1] over Filter over Project [...] over p
    """

    matches = (SessionWindow,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._one, SessionWindow.BIT)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        window = _single(plan, SessionWindow)
        if window is None:
            return plan
        _check_moment(window)
        (child,) = plan.children
        t = window.column.data_type
        until = Add(window.column, Cast(window.gap, CALENDAR_INTERVAL))
        moment = _converted(_converted(window.column, t, LONG), LONG, t)
        if not moment.nullable:
            # The struct's fields may be null.
            moment = FunctionCall("knownnullable", (moment,), _KNOWN_NULLABLE)
        known = self.context.config.behaviour
        end = _interval(window.column, _converted(until, t, LONG), t, known.session_ends_may_be_null).parts[2:]
        value = CreateNamedStruct((lit("start"), moment, *end))
        remarks = (SESSION_WINDOW, *lateness_of(window.column))
        made = AttributeReference("session_window", value.data_type, True, next_id(), metadata=remarks)
        kept: Expression = IsNotNull(window.column)
        read = self.context.config.behaviour.session_gaps_are_read
        if not (read and isinstance(window.gap, Literal)) or _backwards(window.gap):
            kept = And(kept, GreaterThan(GetStructField(made, 1), GetStructField(made, 0)))
        computed = Alias(value, made.name, made.expr_id).remarked(*remarks)
        below = Filter(kept, Project((computed, *child.output), child))
        return _over(plan, below, SessionWindow, made)


def lateness_of(column: Expression) -> tuple[str, ...]:
    """The remarks on how late rows may come by a column: what is made of its moments has them, too."""
    return column.delay if isinstance(column, NamedExpression) else ()


def _refuse_many(count: int, window: Expression) -> None:
    """Raise PlanTooLarge where every row is in so many windows that the plan is too heavy; Spark's memory runs full."""
    if count * window.weight > HEAVIEST:
        raise PlanTooLarge(
            f"Every row belongs to {count:,} windows that overlap, and the plan writes each of them out; at most "
            f"{HEAVIEST // window.weight:,} are worked on. Let the windows slide by more, or make them shorter."
        )


def _backwards(gap: Literal) -> bool:
    """Whether a constant gap is not longer than nothing."""
    found = interval_text(gap.value) if isinstance(gap.value, str) else None
    return isinstance(found, Literal) and isinstance(found.value, int) and found.value <= 0


def _is_window_time(e: Expression) -> bool:
    return isinstance(e, FunctionCall) and e.name == "window_time"


class ResolveWindowTime(AnalyzerRule):
    """Compute the last moment of a window below the operator that asks for it.

    Project [window_time(w)] over p  =>  Project [window_time(w)#1] over Project [... AS window_time(w)#1, *] over p
    """

    matches = (FunctionCall,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._one, self.mask)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        if len(plan.children) != 1 or not plan.children_resolved:
            return plan
        calls = [x for e in plan.expressions for x in e.collect(FunctionCall) if _is_window_time(x)]
        found = {x.canonicalized: x for x in calls if x.children_resolved and _is_window(x.arguments[0].data_type)}
        if not found:
            return plan
        made = {
            key: Alias(_last_moment(x.arguments[0]), x.pretty, next_id()).remarked(*lateness_of(x.arguments[0]))
            for key, x in found.items()
        }
        (child,) = plan.children

        def moved(x: Expression) -> Expression:
            return made[x.canonicalized].to_attribute() if _is_window_time(x) and x.canonicalized in made else x

        def item(e: Expression) -> Expression:
            # An item without a name is the column itself, which has that name.
            if isinstance(e, Alias) and AUTO_GENERATED in e.metadata and _is_window_time(e.child):
                return moved(e.child)
            return e.transform_up(moved, FunctionCall.BIT)

        new = plan.map_expressions(item)
        return new.with_new_children((Project((*made.values(), *child.output), child),))


def _is_window(t: DataType) -> bool:
    return isinstance(t, StructType) and [f.name for f in t.fields] == ["start", "end"]


def _last_moment(window: Expression) -> Expression:
    """The microsecond before the window's end."""
    end = GetStructField(window, 1)
    t = end.data_type
    return _converted(Subtract(_converted(end, t, LONG), _long(1)), LONG, t)


W = TypeVar("W", TimeWindow, SessionWindow)


def _single(plan: LogicalPlan, kind: type[W]) -> W | None:
    """The one window that the operator computes, when it can be computed now."""
    if len(plan.children) != 1 or not plan.children_resolved:
        return None
    both = (TimeWindow, SessionWindow)
    found = {w for e in plan.expressions for k in both if e.bits & k.BIT for w in e.collect(k)}
    if len(found) > 1:
        raise analysis_error(
            "_LEGACY_ERROR_TEMP_1039",
            "Multiple time/session window expressions would result in a cartesian product of rows, therefore they are "
            "currently not supported.",
            plan,
        )
    window = next((w for w in found if isinstance(w, kind)), None)
    return window if window is not None and window.children_resolved else None


def _check(window: TimeWindow) -> None:
    _check_moment(window)
    wrong = None
    if window.slide > window.size:
        wrong = f"The `slide_duration`({window.slide}L) must be <= the `window_duration`({window.size}L)"
    elif window.size <= 0 or window.slide <= 0:
        wrong = "The durations of a window must be > 0"
    elif abs(window.start) >= window.slide:
        wrong = f"The `abs(start_time)`({abs(window.start)}L) must be < the `slide_duration`({window.slide}L)"
    if wrong is not None:
        subclass = "VALUE_OUT_OF_RANGE" if "> 0" in wrong else "PARAMETER_CONSTRAINT_VIOLATION"
        raise analysis_error(f"DATATYPE_MISMATCH.{subclass}", f"Cannot resolve {window}: {wrong}.", window)


def _check_moment(window: TimeWindow | SessionWindow) -> None:
    t = window.column.data_type
    if t not in (TIMESTAMP, TIMESTAMP_NTZ, UNKNOWN):
        raise analysis_error(
            "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
            f'Cannot resolve "{window}" due to data type mismatch: The first parameter requires the '
            f'("TIMESTAMP" or "TIMESTAMP WITHOUT TIME ZONE") type, however "{window.column.pretty}" has the type '
            f'"{t.sql}".',
            window,
        )


def _over(
    plan: LogicalPlan, below: LogicalPlan, kind: type[TimeWindow | SessionWindow], made: AttributeReference
) -> LogicalPlan:
    new = plan.map_expressions(
        lambda e: e.transform_up(lambda x: made if isinstance(x, kind) else x, kind.BIT) if e.bits & kind.BIT else e
    )
    return new.with_new_children((below,))
