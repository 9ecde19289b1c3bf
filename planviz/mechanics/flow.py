"""The rows that flow through a physical plan, partition by partition: what an operator that is played gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from planviz.catalog.tables import Catalog
from planviz.expressions.core import Expression, Literal
from planviz.expressions.predicates import split_conjunction
from planviz.mechanics.exchange import sendings
from planviz.mechanics.naming import name_of
from planviz.mechanics.ordering import sort_key
from planviz.mechanics.play import MOST_ROWS, CannotPlay, Input, Play, Row, computed, sliced
from planviz.mechanics.sample import sample_rows
from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.codegen import AdaptiveSparkPlanExec, ColumnarToRowExec, InputAdapter, WholeStageCodegenExec
from planviz.physical.distribution import BroadcastDistribution, ordering_satisfies
from planviz.physical.exchanges import BroadcastExchangeExec, ReusedExchangeExec, ShuffleExchangeExec
from planviz.physical.joins import JoinExec
from planviz.physical.operators import (
    CollectLimitExec,
    ExpandExec,
    FilterExec,
    GlobalLimitExec,
    LocalLimitExec,
    ProjectExec,
    SortExec,
    TakeOrderedAndProjectExec,
    UnionExec,
)
from planviz.physical.plan import PlanHolder, SparkPlan, UnaryExec
from planviz.physical.preparations.requirements import partitioning_for
from planviz.physical.scans import FileSourceScanExec
from planviz.physical.sources import LocalTableScanExec, OneRowRelationExec, RangeExec
from planviz.physical.subqueries import DynamicPruningExpression, ReusedSubqueryExec, ScalarSubqueryExec, SubqueryExec
from planviz.types.values import Value

Partitions = tuple[tuple[Row, ...], ...]
#: Operators through which rows pass as they are.
PASSING = (
    WholeStageCodegenExec, InputAdapter, ColumnarToRowExec, AdaptiveSparkPlanExec, BroadcastExchangeExec,
)  # fmt: skip
#: Most rows that any operator may give on the way.
_MOST = 20 * MOST_ROWS


@dataclass(frozen=True)
class Options:
    """What is chosen for a play.

    `slices`: partitions of a table's rows. `partitions`: those of a shuffle that the plan does not have. `capacity`:
    keys (rows of a sort) that fit in memory, None for all; `fallback`: rows after which a hash map is spilled;
    `threshold`: keys after which an object hash map falls back.
    """

    slices: int = 2
    partitions: int = 4
    capacity: int | None = None
    fallback: int | None = None
    threshold: int = 128


@dataclass
class Flow:
    """Computes rows from the leaves up.

    `tables` has rows of catalogue tables by qualified or plain name, all columns; a table without is sampled by
    its columns' types and, where `catalog` has them, statistics, and named in `sampled`. `play` makes a play of an
    operator (`planviz.mechanics.choice.of`, which this module must not know).
    """

    tables: Mapping[str, Sequence[Row]]
    options: Options
    play: Callable[[SparkPlan, Flow], Play]
    catalog: Catalog | None = None
    names: Mapping[int, str] = field(default_factory=dict)
    sampled: dict[str, int] = field(default_factory=dict)

    def input(self, plan: SparkPlan, name: str) -> Input:
        """The rows of a plan as the input of what stands above it; `name` where it has no better one.

        Raises CannotPlay for an operator, an expression or a number of rows that is too much for here.
        """
        return Input(name_of(plan, self.names) or name, tuple(plan.output), self.partitions(plan))

    def fed(self, node: SparkPlan, at: int, name: str, *, apart: bool = False) -> Input:
        """The rows of an operator's input as it asks for them, whether the plan has an exchange and a sort or not.

        A sort that is needed is left to the play. So is the shuffle with `apart`, else it has been done. Raises
        CannotPlay.
        """
        child, wanted = node.children[at], node.required_distribution[at]
        below = through(child, SortExec)
        sort = any(isinstance(p, SortExec) for p in down(child, below))
        sort = sort or not ordering_satisfies(child.output_ordering, node.required_ordering[at])
        shuffled = isinstance(below, ShuffleExchangeExec) or isinstance(wanted, BroadcastDistribution)
        if not shuffled and not below.output_partitioning.satisfies(wanted):
            below = ShuffleExchangeExec.of(partitioning_for(wanted, self.options.partitions), below, 0)
        if apart and isinstance(below, ShuffleExchangeExec):
            return replace(self.input(below.child, name), shuffle=below, sort=sort)
        return replace(self.input(below, name), sort=sort)

    def partitions(self, plan: SparkPlan) -> Partitions:
        """The rows of a plan. Raises CannotPlay."""
        compute = next((f for c, f in _OPERATORS.items() if isinstance(plan, c)), None)
        if compute is None:
            raise CannotPlay(f"What {plan.node_name} does with rows is not modelled.")
        made = tuple(tuple(part) for part in compute(self, plan))
        if sum(map(len, made)) > _MOST:
            raise CannotPlay(f"{plan.node_name} gives more than {_MOST:,} rows: play fewer.")
        return made

    # ---- leaves

    def _scan(self, plan: FileSourceScanExec) -> Partitions:
        name = plan.table[-1]
        rows = next((self.tables[n] for n in (".".join(plan.table), name) if n in self.tables), None)
        if rows is None:
            table = self.catalog.table(plan.table) if self.catalog is not None else None
            rows = sample_rows(plan.relation, table)
            self.sampled[name] = len(rows)
        whole = Input(name, plan.relation, (tuple(rows),))
        if any(len(row) != len(plan.relation) for row in rows):
            raise CannotPlay(f"{name} has {len(plan.relation)} columns; give each of its rows so many values.")
        envs = [whole.env(row) for row in rows]
        # What is pruned while the query runs finds no partner anyway.
        filters = [self._answered(c) for c in plan.partition_filters if not isinstance(c, DynamicPruningExpression)]
        kept = [env for env in envs if all(computed(c, env) is True for c in filters)]
        return sliced([tuple(env[a.expr_id] for a in plan.columns) for env in kept], self.options.slices)

    def _range(self, plan: RangeExec) -> Partitions:
        numbers = range(plan.start, plan.end, plan.step)[: _MOST + 1]
        return sliced([(n,) for n in numbers], self.options.slices)

    # ---- rows that stay where they are

    def _each(self, plan: UnaryExec, f: Callable[[list[Value]], Sequence[Row]]) -> Partitions:
        """`f` over the environments of each partition of the child."""
        below = self.input(plan.child, "input")
        return tuple(tuple(f([below.env(row) for row in part])) for part in below.partitions)

    def _project(self, plan: ProjectExec) -> Partitions:
        projects = [self._answered(e) for e in plan.projects]
        return self._each(plan, lambda envs: [tuple(computed(e, env) for e in projects) for env in envs])

    def _filter(self, plan: FilterExec) -> Partitions:
        ids = [a.expr_id for a in plan.child.output]
        # A runtime filter drops rows only that find no partner further up: without it the result is the same.
        conjuncts = [c for c in split_conjunction(plan.condition) if getattr(c, "name", "") != "might_contain"]
        parts = [self._answered(c) for c in conjuncts]
        return self._each(
            plan,
            lambda envs: [tuple(env[i] for i in ids) for env in envs if all(computed(c, env) is True for c in parts)],
        )

    def _expand(self, plan: ExpandExec) -> Partitions:
        return self._each(
            plan, lambda envs: [tuple(computed(e, env) for e in p) for env in envs for p in plan.projections]
        )

    def _sort(self, plan: SortExec) -> Partitions:
        below = self.input(plan.child, "input")
        return tuple(tuple(sorted(part, key=sort_key(below, plan.order))) for part in below.partitions)

    def _union(self, plan: UnionExec) -> Partitions:
        return tuple(part for child in plan.inputs for part in self.partitions(child))

    def _answered(self, e: Expression) -> Value:
        """The expression with the values of its subqueries. Raises CannotPlay."""
        return e.transform_up(self._value) if e.bits & PlanHolder.BIT else e

    def _value(self, e: Expression) -> Expression:
        if not isinstance(e, ScalarSubqueryExec):
            return e
        rows = [row for part in self.partitions(through(e.plan, SubqueryExec)) for row in part]
        return Literal(rows[0][0] if rows else None, e.data_type)

    # ---- rows that move

    def _shuffle(self, plan: ShuffleExchangeExec) -> Partitions:
        below = self.input(plan.child, "input")
        parts: list[list[Row]] = [[] for _ in range(plan.number)]
        for row, sending in zip(below.rows, sendings(plan, below), strict=True):
            parts[sending.to].append(row)
        return tuple(map(tuple, parts))

    def _reused(self, plan: ReusedExchangeExec) -> Partitions:
        return self.partitions(plan.exchange)

    def _local_limit(self, plan: LocalLimitExec) -> Partitions:
        return tuple(part[: plan.limit] for part in self.partitions(plan.child))

    def _limit(self, plan: GlobalLimitExec | CollectLimitExec) -> Partitions:
        rows = [row for part in self.partitions(plan.child) for row in part]
        return (tuple(rows[: plan.limit][plan.offset :]),)

    def _top(self, plan: TakeOrderedAndProjectExec) -> Partitions:
        below = self.input(plan.child, "input")
        kept = sorted(below.rows, key=sort_key(below, plan.order))[: plan.limit][plan.offset :]
        return (tuple(tuple(computed(e, below.env(row)) for e in plan.projects) for row in kept),)

    def _played(self, plan: SparkPlan) -> Partitions:
        return self.play(plan, self).output


#: The rows that operators give. Any: each function takes its own.
_OPERATORS: dict[type | tuple[type, ...], Callable[[Flow, Any], Partitions]] = {
    LocalTableScanExec: lambda flow, plan: sliced(plan.rows, flow.options.slices),
    OneRowRelationExec: lambda flow, plan: (((),),),
    FileSourceScanExec: Flow._scan,
    RangeExec: Flow._range,
    PASSING: lambda flow, plan: flow.partitions(plan.child),
    ProjectExec: Flow._project,
    FilterExec: Flow._filter,
    ExpandExec: Flow._expand,
    SortExec: Flow._sort,
    UnionExec: Flow._union,
    ShuffleExchangeExec: Flow._shuffle,
    ReusedExchangeExec: Flow._reused,
    ReusedSubqueryExec: lambda flow, plan: flow.partitions(plan.subquery.child),
    LocalLimitExec: Flow._local_limit,
    (GlobalLimitExec, CollectLimitExec): Flow._limit,
    TakeOrderedAndProjectExec: Flow._top,
    (JoinExec, BaseAggregateExec): Flow._played,
}


def through(plan: SparkPlan, *classes: type[SparkPlan]) -> SparkPlan:
    """The plan below operators of these classes, and below those through which rows pass."""
    passing = (*PASSING, *classes)
    while isinstance(plan, passing):
        plan = plan.children[0]
    return plan


def down(plan: SparkPlan, to: SparkPlan) -> Iterator[SparkPlan]:
    """The operators from a plan down to one below it, that one left out."""
    while plan is not to:
        yield plan
        plan = plan.children[0]
