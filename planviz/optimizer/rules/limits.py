"""Limits, offsets, sorts, repartitions."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from planviz.decisions.branches import logic
from planviz.evaluation import DEFAULT_EVALUATOR
from planviz.expressions.aggregates import AggregateExpression, Average, Count, Max, Min, Sum
from planviz.expressions.arithmetic import Add
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, SortOrder, id_of, lit
from planviz.expressions.windows import RUNNING_ROWS, RankLike, WindowExpression
from planviz.logical.combining import Join, Union, UnionLoop
from planviz.logical.operators import (
    Aggregate,
    Filter,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sort,
    Window,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.python import BaseEvalPython
from planviz.logical.relations import LocalRelation, Range
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.trees.depth import deep
from planviz.types import INTEGRAL, DecimalType


def constant(e: Expression) -> int | None:
    """The number a limit stands for, or None."""
    value = DEFAULT_EVALUATOR.value_of(e) if e.foldable else None
    return value.value if value is not None and isinstance(value.value, int) else None


class EliminateLimits(OptimizerRule[LocalLimit | GlobalLimit]):
    """A limit of 0 is no rows; a limit that the child keeps anyway goes; of two limits the lesser counts.

    GlobalLimit 3 over GlobalLimit 10  =>  GlobalLimit 3

    Pays because nothing is counted twice. A limit over a sort stays even if the sort gives few rows: it may be planned
    with it.
    """

    matches = (LocalLimit, GlobalLimit)

    @override
    def rewrite(self, node: LocalLimit | GlobalLimit) -> LogicalPlan:
        n = constant(node.limit)
        if n == 0:
            return LocalRelation(node.output)
        child = node.child
        if isinstance(node, GlobalLimit) and isinstance(child, LocalLimit) and child.limit == node.limit:
            below = child.child
            inner = _limit_pair(below)
            if n is not None and inner is not None:
                least = Literal(min(n, inner[0]), node.limit.data_type)
                return GlobalLimit(least, LocalLimit(least, inner[1]))
            rows = self._most_rows(below)
            if n is not None and rows is not None and rows <= n:
                return below
        most = self._most_rows(child)
        if n is not None and most is not None and most <= n:
            return child
        if type(child) is type(node):
            m = constant(child.limit)
            if n is not None and m is not None:
                return type(node)(Literal(min(n, m), node.limit.data_type), child.child)
        return node

    def _most_rows(self, plan: LogicalPlan) -> int | None:
        """How many rows the plan has at most, as far as the version of Spark knows."""
        known = self.context.config.behaviour.joins_know_most_rows or _counted(plan)
        return plan.max_rows if known else None


def _counted(plan: LogicalPlan) -> bool:
    """Whether no join stands between the plan and what tells its number of rows."""
    match plan:
        case Join():
            return False
        case GlobalLimit() | Aggregate(()):
            return True
    return all(_counted(c) for c in plan.children)


def _limit_pair(plan: LogicalPlan) -> tuple[int, LogicalPlan] | None:
    """The number of rows and the plan below of a LIMIT, which is a global and a local limit of the same number."""
    match plan:
        case GlobalLimit(n, LocalLimit(m, child)) if n == m:
            number = constant(n)
            return None if number is None else (number, child)
    return None


class EliminateOffsets(OptimizerRule[Offset]):
    """An offset of 0 goes; one beyond the last row leaves nothing; two are one.

    Offset 2 over Offset 3  =>  Offset 5

    Pays because rows are skipped once. With an unknown number of rows nothing is known to be left.
    """

    matches = (Offset,)

    @override
    def rewrite(self, node: Offset) -> LogicalPlan:
        n = constant(node.offset)
        if n == 0:
            return node.child
        if n is not None and node.child.max_rows is not None and node.child.max_rows <= n:
            return LocalRelation(node.output)
        if isinstance(node.child, Offset):
            m = constant(node.child.offset)
            if n is not None and m is not None:
                return Offset(Literal(n + m, node.offset.data_type), node.child.child)
        return node


def _limited(limit: Expression, plan: LogicalPlan) -> LogicalPlan:
    """A local limit over the plan, unless the plan gives no more rows anyway."""
    n, most = constant(limit), plan.max_rows
    if isinstance(plan, LocalLimit):
        m = constant(plan.limit)
        most = m if most is None or (m is not None and m < most) else most
    if n is not None and most is not None and n >= most:
        return plan
    # Fewer rows of each partition are asked for than a limit over all of them would leave.
    return LocalLimit(limit, plan.child if isinstance(plan, GlobalLimit) else plan)


class LimitPushDown(OptimizerRule):
    """Cut off early where the rest cannot be needed.

    LocalLimit 3 over Union(a, b)  =>  LocalLimit 3 over Union(LocalLimit 3 over a, LocalLimit 3 over b)

    Pays because less is read. Of a left outer join the left side may be cut, as each of its rows gives at least one;
    of an inner join with a condition neither: the first three rows of t may match nothing.
    """

    matches = (LocalLimit, Join)
    logic = logic(
        "for LIMIT n, unless what is below gives no more than n rows:",
        ("Union", "    over Union: n from each input"),
        ("LeftOuter", "    over LeftOuter: n from the left"),
        ("RightOuter", "    over RightOuter: n from the right"),
        ("both", "    over an outer, inner or cross join without condition: n from both"),
        ("left", "    over LeftSemi, LeftAnti without condition: n from the left"),
        "    over FullOuter, or a join with a condition: nothing",
        ("Python", "    over BatchEvalPython, ArrowEvalPython: n below it"),
        ("Offset", "    over OFFSET m: m + n below it"),
        ("groups", "    over a grouping without functions, n = 1: one row is enough"),
        ("one match", "for LeftSemi, LeftAnti without condition: one row from the right"),
    )

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, self.mask, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        match plan:
            case GlobalLimit(n, LocalLimit(m, child)) if n == m and constant(n) == 1:
                new = _first_group(plan, n, child)
                if new is not plan:
                    self.take(plan, "groups", "Any row belongs to some group, and one group is asked for.")
                return new
            case LocalLimit():
                return self._limit(plan)
            case Join(_, right, "LeftSemi" | "LeftAnti", None) if right.max_rows is None or right.max_rows > 1:
                self.take(plan, "one match", "Without a condition the first row of the right side matches all.")
                return plan.replace(right=_limited(lit(1), right))
        return plan

    def _limit(self, node: LocalLimit) -> LogicalPlan:
        limit = node.limit
        match node.child:
            case Union(inputs) as union:
                cut = tuple(_limited(limit, i) for i in inputs)
                if cut == inputs:
                    return self.refuse(node, "no input of the union gives more rows", limit)
                self.take(node, "Union", _UNION, [(limit, "rows of each input are enough")])
                return node.replace(child=union.replace(inputs=cut))
            case UnionLoop(limit=None) as loop if constant(limit) is not None:
                return loop.replace(limit=constant(limit))
            case Project(items, UnionLoop(limit=None) as loop) if constant(limit) is not None:
                return Project(items, loop.replace(limit=constant(limit)))
            case Join() as join:
                new = _into_join(limit, join)
                return self._refused(node, join) if new == join else node.replace(child=self._joined(node, join, new))
            case Project(items, Join() as join):
                new = _into_join(limit, join)
                if new == join:
                    return self._refused(node, join)
                return node.replace(child=Project(items, self._joined(node, join, new)))
            case BaseEvalPython() as evaluation:
                return self._python(node, evaluation, lambda new: new)
            case Project(items, BaseEvalPython() as evaluation):
                return self._python(node, evaluation, lambda new: Project(items, new))
            case Offset(offset, child):
                self.take(node, "Offset", "The rows that are skipped are needed too.", [(offset, "rows are skipped")])
                return Offset(offset, LocalLimit(Add(limit, offset), child))
        return self.refuse(node, "a limit goes below unions, some joins and offsets alone", node.child.node_name)

    def _python(
        self, node: LocalLimit, evaluation: BaseEvalPython, above: Callable[[LogicalPlan], LogicalPlan]
    ) -> LogicalPlan:
        new = evaluation.replace(child=_limited(node.limit, evaluation.child))
        if new is evaluation:
            return self.refuse(node, "what Python reads gives no more rows", node.limit)
        seen = [(limit_words(node), "rows are enough for Python")]
        self.take(node, "Python", "Python gives one row for every row that it gets.", seen)
        return node.replace(child=above(new))

    def _joined(self, node: LocalLimit, join: Join, new: Join) -> Join:
        """The new join; why its sides may be cut goes to those who want to know."""
        if self.branches is None:
            return new
        kind, free = join.kind, join.condition is None
        if not free or kind in ("LeftSemi", "LeftAnti"):
            branch = kind if kind in ("LeftOuter", "RightOuter") else "left"
        else:
            branch = "both"
        condition = ("no condition", "every row matches") if free else (join.condition, "not every row matches")
        sides = [s for s, a, b in (("left", join.left, new.left), ("right", join.right, new.right)) if a != b]
        cut = [(limit_words(node), f"of the {side} side are enough") for side in sides]
        reason = "Each row of a side that is cut gives at least one row of the result."
        self.take(node, branch, reason, [(kind, "the kind of join"), condition, *cut])
        return new

    def _refused(self, node: LocalLimit, join: Join) -> LogicalPlan:
        kind = join.kind
        if kind == "FullOuter":
            return self.refuse(node, "the first rows of neither side are those of a full outer join", kind)
        if join.condition is not None and kind in ("Inner", "Cross", "LeftSemi", "LeftAnti"):
            return self.refuse(node, "the first rows of a side may not pass the join's condition", join.condition)
        return self.refuse(node, "the side that may be cut gives no more rows", node.limit)


#: Why each input of a union may be cut.
_UNION = "The rows of one input may be all that come out, and of none can more be needed."


def limit_words(node: GlobalLimit | LocalLimit) -> str:
    """How many rows a limit keeps: "3 rows"."""
    return f"{node.limit} rows"


def _first_group(plan: LogicalPlan, limit: Expression, child: LogicalPlan) -> LogicalPlan:
    """The first of the groups is the first row, when nothing but the keys is asked of it."""

    def limited(projection: LogicalPlan) -> LogicalPlan:
        return GlobalLimit(limit, LocalLimit(limit, projection))

    match child:
        case Aggregate(_, items, below) if child.group_only:
            return limited(Project(items, LocalLimit(limit, below)))
        case Project(_, Aggregate(_, items, below) as a) if a.group_only:
            return limited(child.replace(child=Project(items, LocalLimit(limit, below))))
    return plan


def _into_join(limit: Expression, join: Join) -> Join:
    kind, free = join.kind, join.condition is None
    if kind == "LeftOuter" or (free and kind in ("Inner", "Cross", "RightOuter", "FullOuter", "LeftSemi", "LeftAnti")):
        join = join.replace(left=_limited(limit, join.left))
    if kind == "RightOuter" or (free and kind in ("Inner", "Cross", "LeftOuter", "FullOuter")):
        join = join.replace(right=_limited(limit, join.right))
    return join


class LimitPushDownThroughWindow(OptimizerRule):
    """Rank only the first rows when only those are wanted and ranks depend on earlier rows alone.

    LocalLimit n over Window(row_number, order)  =>  Window over GlobalLimit n over LocalLimit n over Sort(order)

    Pays because the window sees n rows. With PARTITION BY every partition would need its own.
    """

    matches = (Window,)
    settings = ("spark.sql.execution.topKSortFallbackThreshold",)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, Window.BIT, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        match plan:
            case LocalLimit(limit, Window() as window):
                return self._window(limit, window) or plan
            case LocalLimit(limit, Project(_, Window() as window) as project):
                new = self._window(limit, window)
                return project.replace(child=new) if new else plan
        return plan

    def _window(self, limit: Expression, window: Window) -> LogicalPlan | None:
        """The window over the first rows alone, or None."""
        n = constant(limit)
        most = window.child.max_rows
        if window.partition or n is None or (most is not None and most <= n) or n >= top_rows(self.context):
            return None
        for f in window.functions:
            w = f.child if hasattr(f, "child") else f
            if not isinstance(w, WindowExpression) or getattr(w.spec, "frame", None) != RUNNING_ROWS:
                return None
            inner = w.function.function if isinstance(w.function, AggregateExpression) else w.function
            if not isinstance(inner, RankLike) or inner.name not in ("row_number", "rank", "dense_rank"):
                return None
        first = Sort(window.order, True, window.child)
        return window.replace(child=GlobalLimit(limit, LocalLimit(limit, first)))


def top_rows(context: OptimizerContext) -> int:
    """The number of rows from which on a limit over a sort is no longer planned as one operator."""
    return context.config.number("spark.sql.execution.topKSortFallbackThreshold")


class CollapseRepartition(OptimizerRule[Repartition | RepartitionByExpression | RebalancePartitions]):
    """Of two repartitions that follow each other the upper one counts.

    Repartition 2 over Repartition 5  =>  Repartition 2

    Pays because rows move once. coalesce(2) over repartition(5) stays: without the lower one two tasks would do all
    the work below.
    """

    matches = (Repartition, RepartitionByExpression, RebalancePartitions)
    order = "up"

    @override
    def rewrite(self, node: Repartition | RepartitionByExpression | RebalancePartitions) -> LogicalPlan:
        match node:
            case Repartition(n, shuffle, child) if isinstance(child, Repartition | RepartitionByExpression):
                lower_shuffles = child.shuffle if isinstance(child, Repartition) else True
                if not shuffle and lower_shuffles:
                    known = child.number
                    return child if known is not None and n >= known else node
                return node.replace(child=child.child)
            case RebalancePartitions() if not self.context.config.behaviour.rebalancing_counts_alone:
                return node
            case RepartitionByExpression(_, child) | RebalancePartitions(_, child):
                if isinstance(child, Repartition | RepartitionByExpression | RebalancePartitions):
                    return node.replace(child=child.child)
                if isinstance(child, Sort) and child.whole:
                    return node.replace(child=child.child)
        return node


class OptimizeRepartition(OptimizerRule[RepartitionByExpression]):
    """Repartitioning by constants needs one partition.

    RepartitionByExpression ['x'], 10  =>  RepartitionByExpression ['x'], 1

    Pays because the others would be empty. By columns the number is the user's.
    """

    matches = (RepartitionByExpression,)

    @override
    def rewrite(self, node: RepartitionByExpression) -> LogicalPlan:
        if node.keys and all(k.foldable for k in node.keys) and node.number is None:
            return node.replace(number=1)
        return node


_ORDER_FREE = (Count, Min, Max)


class EliminateSorts(OptimizerRule):
    """Sorts that nobody can see.

    Sort [b] over Sort [a]  =>  Sort [b]        Sort ['k']  =>  nothing

    Pays because sorting is dear. Below a limit a sort says which rows: `SELECT * FROM (SELECT * FROM t ORDER BY a
    LIMIT 5) ORDER BY b` keeps both.
    """

    matches = (Sort,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, Sort.BIT, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        match plan:
            case Sort(order, whole, child):
                if self.context.config.behaviour.one_row_is_unsorted_here and child.max_rows in (0, 1):
                    return self._step(child) if isinstance(child, Sort) else child
                rest = tuple(o for o in order if not o.children[0].foldable)
                if not rest:
                    return self._step(child) if isinstance(child, Sort) else child
                if len(rest) < len(order):
                    return plan.replace(order=rest)
                if not whole and _sorted_by(child, order):
                    return child
                return plan.replace(child=_without_sort(child, whole))
            case Join(left, right):
                return plan.replace(left=_without_sort(left), right=_without_sort(right))
            case Aggregate(_, items, child) if _order_free(items):
                return plan.replace(child=_without_sort(child))
        return plan


def _sorted_by(child: LogicalPlan, order: tuple[Expression, ...]) -> bool:
    return isinstance(child, Sort) and child.order[: len(order)] == order


def _order_free(items: tuple[Expression, ...]) -> bool:
    def free(a: AggregateExpression) -> bool:
        f = a.function
        if isinstance(f, _ORDER_FREE):
            return True
        return isinstance(f, Sum | Average) and (
            f.child.data_type in INTEGRAL or isinstance(f.child.data_type, DecimalType)
        )

    return all(free(a) for i in items if i.bits & AggregateExpression.BIT for a in i.collect(AggregateExpression))


@deep
def _without_sort(plan: LogicalPlan, whole: bool = True) -> LogicalPlan:
    """The plan without the sorts that its reader cannot see; of partitions alone, where not `whole`."""
    match plan:
        case Sort(_, ordered, child) if whole or not ordered:
            return _without_sort(child, whole)
        case Project(items, child) if all(i.deterministic for i in items):
            below = _without_sort(child, whole)
        case Filter(condition, child) if condition.deterministic:
            below = _without_sort(child, whole)
        case Repartition(_, _, child) | RepartitionByExpression(_, child) | LocalLimit(_, child):
            below = _without_sort(child, whole)
        case _:
            return plan
    return plan if below is child else plan.replace(child=below)


class RemoveRedundantSorts(OptimizerRule[Sort]):
    """A sort of what is sorted that way already.

    Sort [a] over Project [a, b] over Sort [a]  =>  Project [a, b] over Sort [a]

    Pays because sorting is dear. A sort by more keys than below stays; numbers of a range are in order within their
    partitions.
    """

    matches = (Sort,)

    @override
    def rewrite(self, node: Sort) -> LogicalPlan:
        found = _order_of(node.child, not node.whole)
        if found is not None and _begins(found, node.order):
            return node.child
        return node


def _begins(found: tuple[Expression, ...], wanted: tuple[Expression, ...]) -> bool:
    """Whether an order begins with the wanted one, whatever names the columns were reached by."""
    pairs = zip(found, wanted, strict=False)
    return len(wanted) <= len(found) and all(a.canonicalized == b.canonicalized for a, b in pairs)


def _under_names(order: tuple[Expression, ...] | None, items: tuple[Expression, ...]) -> tuple[Expression, ...] | None:
    """An order by the names that a projection gives its keys."""
    renamed = [i for i in items if isinstance(i, Alias) and isinstance(i.child, AttributeReference)]
    if order is None or not renamed:
        return order
    names = {id_of(i.child): i.to_attribute() for i in renamed}

    def step(e: Expression) -> Expression:
        return names.get(e.expr_id, e) if isinstance(e, AttributeReference) else e

    return tuple(o.transform_up(step) for o in order)


@deep
def _order_of(plan: LogicalPlan, within: bool) -> tuple[Expression, ...] | None:
    """The order of the rows, `within` their partitions or of all of them."""
    match plan:
        case Sort(order, True, _):
            return order
        case Range(step=step, column=column) if within:
            return (SortOrder(column, "ASC", "NULLS FIRST") if step > 0 else SortOrder(column, "DESC", "NULLS LAST"),)
        case Project(items, child) if within or all(isinstance(i, AttributeReference) for i in items):
            return _under_names(_order_of(child, within), items)
        case Filter(_, child) | GlobalLimit(_, child) | LocalLimit(_, child):
            return _order_of(child, within)
    return None
