"""Making one plan of several that read the same rows (Spark: PlanMerger)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateCall, AggregateExpression, FirstLast, MinMax
from planviz.expressions.conditional import If
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, alias, id_of
from planviz.expressions.predicates import And, Or
from planviz.expressions.python import PythonUDAF
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate, Filter, Project
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import Substitution, name_of, substitute
from planviz.types import BINARY, VARIANT, ArrayType, DataType, MapType, StringType, StructType

_PROPAGATION = "spark.sql.optimizer.mergeSubplans.filterPropagation."


@dataclass(frozen=True)
class Kept:
    """A plan that stands for one or several of those given; `merged` says that it has to be computed as one."""

    plan: LogicalPlan
    merged: bool = False


@dataclass(frozen=True)
class Merged:
    """Two plans in one. `mapping` gives for every column of the new plan the one that has its values now.

    `new_filter` and `kept_filter` are boolean columns that say which rows belong to the new and to the kept plan; none
    when all do. `fresh` tells whether the new plan's is not among the kept plan's columns yet.
    """

    plan: LogicalPlan
    mapping: Substitution
    new_filter: AttributeReference | None = None
    kept_filter: AttributeReference | None = None
    fresh: bool = True

    @property
    def filtered(self) -> bool:
        """Whether either side reads fewer rows than the merged plan gives."""
        return self.new_filter is not None or self.kept_filter is not None


class PlanMerger:
    """Keeps plans; a new one that equals a kept one, or differs only in what it computes of the same rows, joins it.

    `numbers` numbers the boolean columns of propagated filters.
    """

    def __init__(self, config: OptimizerConfig, numbers: Iterator[int] | None = None) -> None:
        self.kept: list[Kept] = []
        self.numbers = numbers or itertools.count()
        self.propagates = config.flag(_PROPAGATION + "enabled")
        self.symmetric = config.flag(_PROPAGATION + "symmetricFilterPropagation.enabled")
        self.through_join = config.flag(_PROPAGATION + "throughJoin.enabled")
        #: Conditions of filters that already hold what several plans keep, one or the other.
        self._widened: set[Expression] = set()

    def add(self, plan: LogicalPlan, subquery: bool) -> tuple[int, dict[int, int]]:
        """Where the plan is kept, and for the id of each of its columns the position there.

        Equal plans of subqueries need no merging: the same subquery is run once anyway. Other equal plans do.
        """
        for i, kept in enumerate(self.kept):
            if plan.canonicalized == kept.plan.canonicalized:
                self.kept[i] = Kept(kept.plan, kept.merged or not subquery)
                return i, _positions(plan)
            found = self._merge(plan, kept.plan, False)
            if found is not None and not found.filtered:
                self.kept[i] = Kept(found.plan, True)
                positions = _positions(found.plan)
                return i, {old: positions[id_of(now)] for old, now in found.mapping.items()}
        self.kept.append(Kept(plan))
        return len(self.kept) - 1, _positions(plan)

    def _merge(self, new: LogicalPlan, kept: LogicalPlan, propagate: bool) -> Merged | None:
        if new.canonicalized == kept.canonicalized:
            pairs = zip(new.output, kept.output, strict=True)
            return Merged(kept, {a.expr_id: b for a, b in pairs})
        if isinstance(new, Project) or isinstance(kept, Project):
            return self._projects(new, kept, propagate)
        match new, kept:
            case Aggregate(), Aggregate():
                return self._aggregates(new, kept)
            case Filter(), Filter():
                return self._filters(new, kept, propagate)
            case Filter(), _ if propagate:
                return self._filtered_new(new, kept)
            case _, Filter() if propagate:
                return self._filtered_kept(new, kept)
            case Join(), Join():
                return self._joins(new, kept, propagate)
        return None

    def _projects(self, new: LogicalPlan, kept: LogicalPlan, propagate: bool) -> Merged | None:
        new_items, new_child = (new.projects, new.child) if isinstance(new, Project) else (new.output, new)
        kept_items, kept_child = (kept.projects, kept.child) if isinstance(kept, Project) else (kept.output, kept)
        below = self._merge(new_child, kept_child, propagate)
        if below is None:
            return None
        items, mapping = _merged_items(new_items, kept_items, below)
        return Merged(Project(items, below.plan), mapping, below.new_filter, below.kept_filter, below.fresh)

    def _aggregates(self, new: Aggregate, kept: Aggregate) -> Merged | None:
        if _implementation(new) != _implementation(kept):
            return None
        # Rows of a group that only one side keeps would make the group appear on the other side.
        propagate = self.propagates and not new.grouping and not kept.grouping
        below = self._merge(new.child, kept.child, propagate)
        if below is None:
            return None
        # The order of the keys counts: another one may need a shuffle or sort that neither plan had.
        keys = [substitute(g, below.mapping).canonicalized for g in new.grouping]
        if keys != [g.canonicalized for g in kept.grouping]:
            return None
        items, mapping = _merged_items(
            _only_where(below.new_filter, new.aggregates),
            _only_where(below.kept_filter, kept.aggregates),
            Merged(below.plan, below.mapping),
        )
        return Merged(Aggregate(kept.grouping, items, below.plan), mapping)

    def _filters(self, new: Filter, kept: Filter, propagate: bool) -> Merged | None:
        below = self._merge(new.child, kept.child, propagate)
        if below is None:
            return None
        condition = substitute(new.condition, below.mapping)
        if condition.canonicalized == kept.condition.canonicalized:
            plan = Filter(kept.condition, below.plan)
            return Merged(plan, below.mapping, below.new_filter, below.kept_filter, below.fresh)
        if not propagate or not self.symmetric:
            return None
        condition = _and(below.new_filter, condition)
        if kept.condition in self._widened:
            return self._one_more(condition, kept, below)
        mine, theirs = self._propagated(condition), self._propagated(_and(below.kept_filter, kept.condition))
        either = Or(mine.to_attribute(), theirs.to_attribute())
        self._widened.add(either)
        project = Project((*below.plan.output, mine, theirs), below.plan)
        return Merged(Filter(either, project), below.mapping, mine.to_attribute(), theirs.to_attribute())

    def _one_more(self, condition: Expression, kept: Filter, below: Merged) -> Merged:
        """A filter that already stands for several plans takes one more, or knows its condition."""
        project = below.plan
        assert isinstance(project, Project)
        known = [
            p for p in project.projects if isinstance(p, Alias) and p.child.canonicalized == condition.canonicalized
        ]
        if known:
            plan = Filter(kept.condition, project)
            return Merged(plan, below.mapping, known[0].to_attribute(), None, fresh=False)
        mine = self._propagated(condition)
        either = Or(kept.condition, mine.to_attribute())
        self._widened.add(either)
        plan = Filter(either, Project((*project.projects, mine), project.child))
        return Merged(plan, below.mapping, mine.to_attribute())

    def _filtered_new(self, new: Filter, kept: LogicalPlan) -> Merged | None:
        below = self._merge(new.child, kept, True)
        if below is None or (below.kept_filter is not None and not self.symmetric):
            return None
        mine = self._propagated(_and(below.new_filter, substitute(new.condition, below.mapping)))
        project = Project((*below.plan.output, mine), below.plan)
        return Merged(project, below.mapping, mine.to_attribute(), below.kept_filter)

    def _filtered_kept(self, new: LogicalPlan, kept: Filter) -> Merged | None:
        below = self._merge(new, kept.child, True)
        if below is None or (below.new_filter is not None and not self.symmetric):
            return None
        if kept.condition in self._widened:
            # Its aggregates name their own rows already.
            return Merged(below.plan, below.mapping, below.new_filter, None, below.fresh)
        theirs = self._propagated(_and(below.kept_filter, kept.condition))
        project = Project((*below.plan.output, theirs), below.plan)
        return Merged(project, below.mapping, below.new_filter, theirs.to_attribute(), below.fresh)

    def _joins(self, new: Join, kept: Join, propagate: bool) -> Merged | None:
        if (new.kind, new.left_hint, new.right_hint) != (kept.kind, kept.left_hint, kept.right_hint):
            return None
        left = self._merge(new.left, kept.left, propagate)
        right = self._merge(new.right, kept.right, propagate) if left is not None else None
        if left is None or right is None or not self._passes(left, right, kept.kind):
            return None
        mapping = {**left.mapping, **right.mapping}
        condition = None if new.condition is None else substitute(new.condition, mapping).canonicalized
        if condition != (None if kept.condition is None else kept.condition.canonicalized):
            return None
        if new.exists is not None and kept.exists is not None:
            mapping[new.exists.expr_id] = kept.exists
        side = left if left.new_filter is not None else right
        return Merged(
            kept.replace(left=left.plan, right=right.plan),
            mapping,
            side.new_filter,
            left.kept_filter or right.kept_filter,
            side.fresh,
        )

    def _passes(self, left: Merged, right: Merged, kind: str) -> bool:
        """Whether the sides' filters may be applied above the join.

        Not on a side that the join fills with nulls: rows that the filter would have dropped find partners there,
        and `coalesce(a, 1)` would no longer see the null that it saw.
        """
        if not left.filtered and not right.filtered:
            return True
        both = (left.new_filter and right.new_filter) or (left.kept_filter and right.kept_filter)
        if both or not self.through_join:
            return False
        if left.filtered and kind not in ("Inner", "Cross", "LeftOuter", "LeftSemi", "LeftAnti"):
            return False
        return not right.filtered or kind in ("Inner", "Cross", "RightOuter")

    def _propagated(self, condition: Expression) -> Alias:
        return alias(condition, f"propagatedFilter_{next(self.numbers)}")


def _positions(plan: LogicalPlan) -> dict[int, int]:
    return {a.expr_id: i for i, a in enumerate(plan.output)}


def _and(filter_column: AttributeReference | None, condition: Expression) -> Expression:
    return condition if filter_column is None else And(filter_column, condition)


def _unnamed(e: Expression) -> Expression:
    return e.child if isinstance(e, Alias) else e


def _merged_items(
    new: Sequence[Expression], kept: Sequence[Expression], below: Merged
) -> tuple[tuple[Expression, ...], Substitution]:
    """The kept items and those of the new that are not among them; where each new one is found.

    What only one side computes it computes for its own rows only.
    """
    items, mapping, shared = list(kept), {}, set()
    for e in new:
        mapped = substitute(e, below.mapping)
        value = _unnamed(mapped)
        at = next((i for i, k in enumerate(items) if _unnamed(k).semantic_equals(value)), None)
        if at is None:
            at = len(items)
            if below.new_filter is not None and not isinstance(value, AttributeReference):
                mapped = alias(_only_for(below.new_filter, value), name_of(mapped))
            items.append(mapped)
        shared.add(at)
        mapping[id_of(e)] = items[at].to_attribute()
    if below.kept_filter is not None:
        for i, k in enumerate(kept):
            if i not in shared and isinstance(k, Alias) and not isinstance(k.child, AttributeReference):
                items[i] = Alias(_only_for(below.kept_filter, k.child), k.name, k.expr_id)
    items += [below.new_filter] if below.new_filter is not None and below.fresh else []
    items += [below.kept_filter] if below.kept_filter is not None else []
    return tuple(items), mapping


def _only_for(column: AttributeReference, value: Expression) -> If:
    return If(column, value, Literal(None, value.data_type))


def _only_where(column: AttributeReference | None, items: Sequence[Expression]) -> Sequence[Expression]:
    """The aggregates over the rows for which the column is true."""
    if column is None:
        return items

    def step(e: Expression) -> Expression:
        if not isinstance(e, AggregateExpression):
            return e
        return e.replace(where=column if e.where is None else And(column, e.where))

    return tuple(e.transform_up(step, AggregateExpression.BIT) for e in items)


def _implementation(plan: Aggregate) -> str:
    """How the aggregate is run: merging across would make the cheaper one as dear as the other."""
    functions = [a.function for e in plan.aggregates for a in e.collect(AggregateExpression)]
    python = next((f.name for f in functions if isinstance(f, PythonUDAF)), None)
    if python is not None:
        raise AnalysisError(
            "INTERNAL_ERROR",
            f"Spark fails here: MergeSubplans asks {python} for its buffer, and a Python function has none. Exclude "
            "org.apache.spark.sql.execution.planmerging.MergeSubplans in spark.sql.optimizer.excludedRules.",
        )
    if all(_updated_in_place(f) for f in functions):
        return "hash"
    return "object hash" if any(_holds_object(f) for f in functions) else "sort"


def _holds_object(f: Expression) -> bool:
    """Whether a function gathers into an object (Spark: TypedImperativeAggregate): its text ends with two offsets."""
    return isinstance(f, AggregateCall) and f.tail[:2] == ("0", "0") and f.name != "approx_count_distinct"


def _updated_in_place(f: Expression) -> bool:
    """Whether a function's buffer has a fixed width."""
    if _holds_object(f):
        return False
    buffers: list[DataType] = []
    if isinstance(f, MinMax | FirstLast):
        buffers = [f.child.data_type]
    elif isinstance(f, AggregateCall) and f.name in ("max_by", "min_by"):
        buffers = [a.data_type for a in f.arguments]
    return not any(
        t in (BINARY, VARIANT) or isinstance(t, StringType | ArrayType | MapType | StructType) for t in buffers
    )
