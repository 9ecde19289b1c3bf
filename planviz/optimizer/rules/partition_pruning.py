"""Leaving out partitions that a filter rules out, or whose keys the other side of a join does not have."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.core import Expression, Literal
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import EqualTo, conjunction, split_conjunction
from planviz.expressions.python import PythonUDF
from planviz.expressions.subqueries import DynamicPruningSubquery, SubqueryExpression
from planviz.logical.combining import Join, Union
from planviz.logical.join_keys import join_keys
from planviz.logical.operators import Filter, Project, Subquery, SubqueryAlias
from planviz.logical.plan import LeafNode, LogicalPlan
from planviz.logical.relations import LocalRelation, LogicalRelation
from planviz.optimizer.attributes import has_subquery
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.lineage import origin, partition_ids, scanned, within
from planviz.optimizer.rules.runtime_filters import PRUNES_LEFT, PRUNES_RIGHT, likely_selective
from planviz.optimizer.scan_operation import ALWAYS_INLINE, physical_operation
from planviz.types import BOOLEAN


class PruneFileSourcePartitions(OptimizerRule[Filter | Project]):
    """Read of a table in files only the partitions that a filter leaves; from here on they alone are estimated.

    Filter(p = 1 AND (a = 2 AND b = 3), t)
        =>  Project(all columns of t, Filter(p = 1 AND a = 2 AND b = 3, t where p = 1))

    Pays where the table is partitioned by p: the other folders are not even listed. The filter stays, so that the scan
    can show it; its rows are therefore estimated from what it left already: of `p IN (1, 2)` a part is taken twice.
    Filters with subqueries are not known before the query runs: PartitionPruning sees to them.
    """

    matches = (Filter, Project)
    order = "down"
    settings = (ALWAYS_INLINE,)
    package = "org.apache.spark.sql.execution.datasources"

    @override
    def rewrite(self, node: Filter | Project) -> LogicalPlan:
        leaf = _below(node)
        # Folders that are read by their path are all listed already.
        named = isinstance(leaf, LogicalRelation) and leaf.name and not leaf.partition_filters
        columns = partition_ids(leaf) if isinstance(leaf, LogicalRelation) and named else None
        found = physical_operation(node, self.context) if columns else None
        filters = found and found.all_filters
        if not columns or not found or not filters:
            return node
        fixed = [f for f in filters if f.deterministic and not has_subquery(f) and not f.bits & PythonUDF.BIT]
        whole = [f for f in fixed if f.references and f.references <= columns]
        taken_apart = self.context.config.behaviour.filters_are_taken_apart
        mixed = [f for f in fixed if taken_apart and not f.references <= columns]
        parts = [p for f in mixed for p in within(f, columns) if p.references]
        kept = {f.canonicalized: f for f in reversed(whole + parts)}
        if not kept:
            return node
        pruned = found.relation.replace(partition_filters=tuple(reversed(kept.values())))
        return Project(found.projects, Filter(conjunction(filters), pruned))


def _below(plan: LogicalPlan) -> LogicalPlan:
    while isinstance(plan, Filter | Project):
        plan = plan.child
    return plan


_SETTINGS = "spark.sql.optimizer.dynamicPartitionPruning."


class PartitionPruning(OptimizerRule):
    """Read only the partitions whose key the filtered side of the join has.

    Join(fact, Filter(c, dim), fact.p = dim.k)
        =>  Join(Filter(dynamicpruning [p IN (k of Filter(c, dim))], fact), Filter(c, dim), fact.p = dim.k)

    Pays when the fact table is partitioned by p and the other side is selective; where the join broadcasts that side,
    its keys are there for nothing. The kept side of an outer join must not be filtered: `fact LEFT JOIN dim` keeps the
    rows of partitions without a match.
    """

    matches = (Join,)
    settings = (
        _SETTINGS + "enabled",
        _SETTINGS + "fallbackFilterRatio",
        _SETTINGS + "reuseBroadcastOnly",
        _SETTINGS + "useStats",
        "spark.sql.exchange.reuse",
    )
    package = "org.apache.spark.sql.execution.dynamicpruning"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Subquery) and plan.correlated:
            return plan
        if not self.context.on(_SETTINGS + "enabled"):
            return self.refuse(plan, "a setting switches it off", setting=_SETTINGS + "enabled")
        return plan.transform_up(lambda p: self._join(p) if isinstance(p, Join) else p, Join.BIT)

    def _join(self, join: Join) -> LogicalPlan:
        if join.condition is None or _pruned(join.left) or _pruned(join.right):
            return join
        left, right = join.left, join.right
        keys = join_keys(join)
        for c in split_conjunction(join.condition):
            sides = _sides(c, join)
            if sides is None:
                continue
            a, b = sides
            scans = _partitioned(a, join.left), _partitioned(b, join.right)
            if scans == (None, None) and self.refusals is None:
                # What holds of the inputs is costly to know, and nothing could be left out anyway.
                continue
            minds = self.context.config.behaviour.pruning_minds_constants
            if minds and (self._pinned(a, join.left) or self._pinned(b, join.right)):
                self.refuse(join, "the key is one value, which the partitions are chosen by already", a)
                continue
            if join.kind in PRUNES_LEFT and scans[0] is not None and _filters(join.right):
                left = self._filtered(a, left, b, join.right, [k for _, k in keys], scans[0])
            elif join.kind in PRUNES_RIGHT and scans[1] is not None and _filters(join.left):
                right = self._filtered(b, right, a, join.left, [k for k, _ in keys], scans[1])
            elif self.refusals is not None:
                self._refused(join, a, b)
        return join.replace(left=left, right=right)

    def _refused(self, join: Join, a: Expression, b: Expression) -> None:
        """Note why neither side's partitions can be left out by these keys."""
        if _partitioned(a, join.left) is None and _partitioned(b, join.right) is None:
            self.refuse(join, "neither key is a partition column of a table", a)
        elif not _filters(join.left) and not _filters(join.right):
            self.refuse(join, "the side beside the partitioned table has no selective filter")
        else:
            self.refuse(join, "the join keeps the rows of the partitioned table", join.kind)

    def _filtered(
        self,
        key: Expression,
        plan: LogicalPlan,
        other_key: Expression,
        other: LogicalPlan,
        other_keys: list[Expression],
        scan: LogicalPlan,
    ) -> LogicalPlan:
        pays = self._pays(key, scan, other_key, other)
        if not pays and not self.context.on("spark.sql.exchange.reuse"):
            self.refuse(
                plan, "what is not read is less than what is read once more", setting="spark.sql.exchange.reuse"
            )
            return plan
        only_reused = self.context.on(_SETTINGS + "reuseBroadcastOnly") or not pays
        at = next(i for i, k in enumerate(other_keys) if k == other_key)
        subquery = DynamicPruningSubquery(other, (key,), next_id(), (), tuple(other_keys), at, only_reused)
        return Filter(subquery, plan)

    def _pinned(self, key: Expression, plan: LogicalPlan) -> bool:
        """Whether a filter beneath leaves the key a single value."""
        for c in self.context.constraints.of(plan):
            if isinstance(c, EqualTo):
                for mine, other in ((c.left, c.right), (c.right, c.left)):
                    if isinstance(other, Literal) and mine.semantic_equals(key):
                        return True
        return False

    def _pays(self, key: Expression, scan: LogicalPlan, other_key: Expression, other: LogicalPlan) -> bool:
        """Whether what is not read is more than what is read once more to know it."""
        if not _selective(other):
            return False
        ratio = self._share_that_goes(key, scan, other_key, other)
        size_in_bytes = self.context.estimator.size_in_bytes
        again = sum(size_in_bytes(p) for p in other.walk() if isinstance(p, LeafNode))
        return ratio * size_in_bytes(scan) > again

    def _share_that_goes(self, key: Expression, scan: LogicalPlan, other_key: Expression, other: LogicalPlan) -> float:
        """What share of the partitions the other side's keys leave out; a guess where distinct values are unknown."""
        guess = self.context.config.ratio(_SETTINGS + "fallbackFilterRatio")
        if not self.context.on(_SETTINGS + "useStats"):
            return guess
        here, there = self._distinct(key, scan), self._distinct(other_key, other)
        # More keys than partitions: one of the counts is off.
        return guess if not here or there is None or here <= there else 1 - there / here

    def _distinct(self, key: Expression, plan: LogicalPlan) -> int | None:
        """The distinct values of the one column that a key reads."""
        columns = list(key.references)
        stats = self.context.estimator.estimate(plan).columns.get(columns[0]) if len(columns) == 1 else None
        return None if stats is None else stats.distinct_count


def _pruned(plan: LogicalPlan) -> bool:
    return isinstance(plan, Filter) and isinstance(plan.condition, DynamicPruningSubquery)


def _sides(condition: Expression, join: Join) -> tuple[Expression, Expression] | None:
    """The sides of an equality between the inputs, the left input's first."""
    if not isinstance(condition, EqualTo):
        return None
    left, right = join.left.output_set, join.right.output_set
    for a, b in ((condition.left, condition.right), (condition.right, condition.left)):
        if a.references and b.references and a.references <= left and b.references <= right:
            return a, b
    return None


def _partitioned(key: Expression, plan: LogicalPlan) -> LogicalPlan | None:
    """The table whose partitions the key names, or None."""
    found = origin(key, plan)
    if found is None or not isinstance(found[1], LogicalRelation):
        return None
    expression, relation = found[0], found[1]
    return relation if expression.references <= partition_ids(relation) else None


def _filters(plan: LogicalPlan) -> bool:
    return _selective(plan) or _at_hand(plan)


def _selective(plan: LogicalPlan) -> bool:
    return any(isinstance(p, Filter) and likely_selective(p.condition) for p in plan.walk())


def _at_hand(plan: LogicalPlan) -> bool:
    """Whether the rows are there already, so that reading them again costs next to nothing."""
    match plan:
        case LocalRelation():
            return True
        case Project() | Filter():
            return not any(has_subquery(e) for e in plan.expressions) and _at_hand(plan.child)
        case SubqueryAlias():
            return _at_hand(plan.child)
        case Union():
            return all(map(_at_hand, plan.children))
    return False


class CleanupDynamicPruningFilters(OptimizerRule):
    """Drop pruning filters that did not arrive at a scan.

    Filter(dynamicpruning AND c, Aggregate)  =>  Filter(true AND c, Aggregate)

    Above anything but a scan they would cost a subquery and leave out no partition. Wrong for any other filter:
    only these follow from the join above.
    """

    matches = (DynamicPruningSubquery,)
    settings = (_SETTINGS + "enabled",)
    package = "org.apache.spark.sql.execution.dynamicpruning"
    excludable = False

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if not self.context.on(_SETTINGS + "enabled"):
            return plan
        return plan.transform_down(self._step, DynamicPruningSubquery.BIT, self.settled)

    @staticmethod
    def _step(plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Filter) or scanned(plan) is not None:
            return plan
        return plan.transform_expressions_down(
            lambda e: Literal(True, BOOLEAN) if isinstance(e, DynamicPruningSubquery) else e, SubqueryExpression.BIT
        )
