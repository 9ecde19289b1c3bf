"""Window functions."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule, folded
from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateExpression, AggregateFunction
from planviz.expressions.core import Alias, AttributeReference, Expression, NamedExpression, SortOrder, alias, occurs
from planviz.expressions.hash_sets import in_hash_map
from planviz.expressions.python import PythonUDAF
from planviz.expressions.unresolved import LateralColumnAliasReference
from planviz.expressions.windows import (
    DEFAULT_ORDERED,
    WHOLE_PARTITION,
    LagLead,
    RankLike,
    UnresolvedWindowExpression,
    UnspecifiedFrame,
    WindowExpression,
    WindowFunction,
    WindowSpec,
)
from planviz.frontend.errors import analysis_error
from planviz.logical.operators import Aggregate, Filter, Project, Window
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedHaving, UnresolvedQualify, WithWindowDefinition
from planviz.trees.depth import deep
from planviz.types import INT, UNKNOWN


class WindowsSubstitution(AnalyzerRule):
    """Put the specifications of the WINDOW clause where their names are used.

    sum(b) OVER w, WINDOW w AS (PARTITION BY a)  =>  sum(b) OVER (PARTITION BY a)
    """

    matches = (WithWindowDefinition, UnresolvedWindowExpression)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def define(p: LogicalPlan) -> LogicalPlan:
            if not isinstance(p, WithWindowDefinition):
                return p
            named = dict(zip(map(folded, p.names), p.specs, strict=True))

            def use(e: Expression) -> Expression:
                if not isinstance(e, UnresolvedWindowExpression):
                    return e
                spec = named.get(folded(e.name))
                if spec is None:
                    raise analysis_error(
                        "MISSING_WINDOW_SPECIFICATION",
                        f"Window specification is not defined in the WINDOW clause for {e.name}.",
                        e,
                    )
                return WindowExpression(e.function, spec)

            return p.child.transform_all_expressions(use, UnresolvedWindowExpression.BIT)

        # From below: a name means the nearest WINDOW clause around it, not that of a query further out.
        return plan.transform_up(define, WithWindowDefinition.BIT)


class ResolveWindowFrame(AnalyzerRule):
    """Write out the frame that the user left open.

    With ORDER BY: RANGE from the start to the current row; without: the whole partition; some functions ask for one.
    """

    matches = (WindowExpression,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan | None:
        return plan.resolve_expressions(self._one, WindowExpression.BIT)

    @staticmethod
    def _one(e: Expression) -> Expression:
        if not isinstance(e, WindowExpression) or not isinstance(e.spec, WindowSpec):
            return e
        spec, function = e.spec, e.function
        if isinstance(function, LagLead) and _casts_offset(function):
            # The frame is made of the offset before that is cast to a whole number.
            raise _other_frame(function, e)
        if not isinstance(spec.frame, UnspecifiedFrame):
            return _framed(e, function, spec.frame)
        if isinstance(function, WindowFunction) and not isinstance(function.frame, UnspecifiedFrame):
            if not function.resolved:
                return e
            return e.replace(spec=spec.replace(frame=function.frame))
        if not function.resolved:
            return e
        return e.replace(spec=spec.replace(frame=DEFAULT_ORDERED if spec.order else WHOLE_PARTITION))


def _framed(e: WindowExpression, function: Expression, frame: Expression) -> WindowExpression:
    """The expression as it is; AnalysisError where the function asks for another frame than the one written."""
    if isinstance(function, LagLead) and function.resolved and frame != function.frame:
        raise _other_frame(function, e)
    wanted = function.frame if isinstance(function, WindowFunction) and function.resolved else UnspecifiedFrame()
    if not isinstance(wanted, UnspecifiedFrame) and frame != wanted:
        raise analysis_error(
            "_LEGACY_ERROR_TEMP_1036", f"Window Frame {frame} must match the required frame {wanted}.", e
        )
    return e


def _other_frame(function: LagLead, at: Expression) -> AnalysisError:
    told = f"Cannot specify window frame for {function.pretty_name} function."
    return analysis_error("_LEGACY_ERROR_TEMP_1035", told, at)


def _casts_offset(function: LagLead) -> bool:
    return function.children_resolved and function.offset.data_type not in (INT, UNKNOWN)


class ResolveWindowOrder(AnalyzerRule):
    """Give the ranks the keys they compare.

    rank() OVER (ORDER BY b)  =>  rank(b) OVER (ORDER BY b)
    """

    matches = (WindowFunction,)
    RANKS = frozenset(("rank", "dense_rank", "percent_rank"))

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan | None:
        return plan.resolve_expressions(self._one, self.mask)

    def _one(self, e: Expression) -> Expression:
        if not isinstance(e, WindowExpression) or not isinstance(e.spec, WindowSpec) or not e.spec.resolved:
            return e
        function = e.function
        inner = function.function if isinstance(function, AggregateExpression) else function
        if isinstance(inner, WindowFunction) and not e.spec.order and inner.pretty_name != "cume_dist":
            raise analysis_error(
                "WINDOW_FUNCTION_FRAME_NOT_ORDERED",
                f"Window function {inner.pretty_name}() requires window to be ordered, please add ORDER BY clause.",
                e,
            )
        if isinstance(function, RankLike) and function.name in self.RANKS and not function.orders:
            keys = tuple(o.child for o in e.spec.order if isinstance(o, SortOrder))
            return e.replace(function=function.replace(orders=keys))
        return e


class ExtractWindowExpressions(AnalyzerRule):
    """Compute window functions in Window operators, one per partitioning and order.

    Project [a, sum(b) OVER (...) AS s]  =>  Project [a, s] over Project over Window [sum(b) ... AS s] over Project
    """

    matches = (WindowExpression,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_down(self._operator, WindowExpression.BIT)

    @property
    def _shared(self) -> bool:
        return self.context.config.behaviour.window_inputs_are_shared

    @property
    def _hashed(self) -> bool:
        return self.context.config.behaviour.windows_are_hashed

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        bit = WindowExpression.BIT
        if any(occurs(e, LateralColumnAliasReference.BIT) for e in plan.expressions):
            return plan
        if isinstance(plan, Filter) and occurs(plan.condition, bit):
            raise analysis_error(
                "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE",
                f'The WHERE condition "{plan.condition.pretty}" contains a window function; use QUALIFY or a subquery.',
                plan,
            )
        if isinstance(plan, Filter | UnresolvedHaving) and isinstance(plan.child, Aggregate) and plan.child.bits & bit:
            agg = plan.child
            if any(occurs(e, bit) for e in agg.aggregates) and agg.child.resolved and _all_resolved(agg):
                windows, regular = extract_windows(agg.aggregates, self._shared)
                filtered = plan.replace(child=Aggregate(agg.grouping, regular, agg.child))
                return Project(
                    tuple(e.to_attribute() for e in agg.aggregates), _add_windows(windows, filtered, self._hashed)
                )
        if not isinstance(plan, Aggregate | Project) or not plan.child.resolved or not _all_resolved(plan):
            return plan
        items = plan.aggregates if isinstance(plan, Aggregate) else plan.projects
        if not any(occurs(e, bit) for e in items):
            return plan
        windows, regular = extract_windows(items, self._shared)
        below: LogicalPlan = Project(regular, plan.child)
        if isinstance(plan, Aggregate):
            below = Aggregate(plan.grouping, regular, plan.child)
        return Project(tuple(e.to_attribute() for e in items), _add_windows(windows, below, self._hashed))


def _all_resolved(plan: LogicalPlan) -> bool:
    return all(e.resolved for e in plan.expressions)


class _Extraction:
    """Collects what window functions read and the select list does not give."""

    def __init__(self, regular: list[Expression], shared: bool) -> None:
        self.regular, self.shared = regular, shared
        #: By canonical form; by number where equal expressions are not shared (before Spark 3.4).
        self.found: dict[Expression | int, Alias | AttributeReference] = {}
        #: The ids of what the select list gives, and of what was found.
        self.given = {e.expr_id for e in regular if isinstance(e, NamedExpression)}

    def extract(self, e: Expression) -> Expression:
        if isinstance(e, AttributeReference | Alias):
            # What grouping() stands for has a name already; CleanupAliases takes it away.
            if e.expr_id not in self.given and not e.references <= self.given:
                self.found[e if isinstance(e, Alias) else e.canonicalized] = e
                self.given.add(e.expr_id)
            return e
        if isinstance(e, NamedExpression):
            return e
        if isinstance(e, SortOrder):
            return e.replace(child=self.extract(e.child))
        if e.foldable:
            return e
        key = e.canonicalized if self.shared else len(self.found)
        if key not in self.found:
            self.found[key] = alias(e, f"_w{len(self.found)}")
            self.given.add(self.found[key].expr_id)
        return self.found[key].to_attribute()

    @deep
    def visit(self, e: Expression) -> Expression:
        if isinstance(e, WindowExpression):
            function = e.function
            if isinstance(function, AggregateExpression):
                inner = function.function.map_children(self.extract)
                where = self.extract(function.where) if function.where is not None else None
                function = function.replace(function=inner, where=where)
            else:
                if isinstance(function, RankLike) and function.orders:
                    # A name within the order is one column, though the function holds the order, too.
                    function = function.replace(orders=tuple(o.child for o in e.spec.order))
                function = function.map_children(self.extract)
            spec = self._spec(e.spec)
            if not self.shared and isinstance(function, RankLike) and function.orders:
                function = function.replace(orders=tuple(o.child for o in spec.order))
            for a in (x for o in (*spec.partition, *spec.order) for x in o.attributes):
                self.extract(a)
            return e.replace(function=function, spec=spec)
        if isinstance(e, AggregateExpression):
            if occurs(e, WindowExpression.BIT):
                raise analysis_error(
                    "_LEGACY_ERROR_TEMP_1031",
                    "It is not allowed to use a window function inside an aggregate function. Please use the inner "
                    "window function in a sub-query.",
                    e,
                )
            return self.extract(e)
        if isinstance(e, AttributeReference):
            return self.extract(e)
        return e.map_children(self.visit)

    def _spec(self, spec: WindowSpec) -> WindowSpec:
        partition = tuple(self.extract(p) for p in spec.partition)
        order = tuple(o.replace(child=self.extract(o.child)) for o in spec.order)
        return spec.replace(partition=partition, order=order)


def extract_windows(items: tuple[Expression, ...], shared: bool) -> tuple[list[Expression], tuple[Expression, ...]]:
    """The items with what windows read taken out, and what the select list beneath gives.

    `shared` says whether equal expressions are given once.
    """
    bit = WindowExpression.BIT
    regular = [e for e in items if not occurs(e, bit)]
    extraction = _Extraction(regular, shared)
    windows = [extraction.visit(e) for e in items if occurs(e, bit)]
    return windows, (*regular, *extraction.found.values())


def _computed_by(function: Expression) -> str:
    """What computes a window function; one operator has functions of one such kind (Spark: WindowFunctionType)."""
    if isinstance(function, AggregateExpression) and isinstance(function.function, PythonUDAF):
        return "Python"
    return "SQL" if isinstance(function, AggregateExpression | AggregateFunction | WindowFunction) else "unknown"


#: What the functions of one operator share: partitioning, order, and who computes them.
_Group = tuple[tuple[Expression, ...], tuple[SortOrder, ...], str]


def _add_windows(items: list[Expression], child: LogicalPlan, hashed: bool) -> LogicalPlan:
    functions: list[tuple[Alias, WindowExpression]] = []

    def pull(e: Expression) -> Expression:
        if isinstance(e, Alias) and isinstance(e.child, WindowExpression):
            functions.append((e, e.child))
            return e.to_attribute()
        if isinstance(e, WindowExpression):
            named = alias(e, f"_we{len(functions)}")
            functions.append((named, e))
            return named.to_attribute()
        return e.map_children(pull) if occurs(e, WindowExpression.BIT) else e

    new = [pull(e) for e in items]
    groups: dict[_Group, list[Alias]] = {}
    for f, window in functions:
        kind = _computed_by(window.function)
        groups.setdefault((window.spec.partition, window.spec.order, kind), []).append(f)
    plan = child
    for (partition, order, _), fs in in_hash_map(groups) if hashed else groups.items():
        plan = Window(tuple(fs), partition, order, plan)
    return Project((*plan.output, *new), plan)


class ResolveQualify(AnalyzerRule[UnresolvedQualify]):
    """QUALIFY: filter on window functions.

    UnresolvedQualify(rn = 1, Project)  =>  Filter(rn = 1, Project), with the window function computed beneath
    """

    matches = (UnresolvedQualify,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def one(p: LogicalPlan) -> LogicalPlan:
            if isinstance(p, Project) and isinstance(p.child, UnresolvedQualify):
                new = self.rewrite(p.child)
                return p.replace(child=new.child if isinstance(new, Project) else new)
            return p

        return plan.resolve_operators_up(one, UnresolvedQualify.BIT).resolve_operators_up(
            lambda p: self.rewrite(p) if isinstance(p, UnresolvedQualify) else p, UnresolvedQualify.BIT
        )

    @override
    def rewrite(self, node: UnresolvedQualify) -> LogicalPlan:
        if not node.child.resolved or not node.condition.resolved:
            return node
        if not occurs(node.condition, WindowExpression.BIT):
            if not any(isinstance(p, Window) for p in node.child.walk()):
                raise analysis_error(
                    "QUALIFY_REQUIRES_WINDOW_FUNCTION",
                    "The QUALIFY clause requires at least one window function in the current SELECT list or the "
                    "QUALIFY condition.",
                    node,
                )
            return Filter(node.condition, node.child)
        found: dict[Expression, Alias] = {}

        def pull(e: Expression) -> Expression:
            if isinstance(e, WindowExpression):
                named = found.setdefault(e.canonicalized, alias(e, e.sql))
                return named.to_attribute()
            return e.map_children(pull)

        condition = pull(node.condition)
        below = Project((*node.child.output, *found.values()), node.child)
        return Project(node.child.output, Filter(condition, below))
