"""Filters that are made while the query runs."""

from __future__ import annotations

from math import log
from typing import Literal

from typing_extensions import override

from planviz.estimation import UNKNOWN_SIZE
from planviz.expressions.aggregates import AggregateCall, AggregateExpression
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import AttributeReference, Expression, alias, id_of
from planviz.expressions.core import Literal as Constant
from planviz.expressions.ids import next_id
from planviz.expressions.patterns import Like, MultiLike, RLike, StringPredicate
from planviz.expressions.predicates import And, BinaryComparison, In, InSet, Not, Or, split_conjunction
from planviz.expressions.python import PythonFuncExpression
from planviz.expressions.specs import FunctionSpec
from planviz.expressions.subqueries import DynamicPruningSubquery, ScalarSubquery
from planviz.logical.combining import Join
from planviz.logical.join_keys import join_keys
from planviz.logical.operators import Aggregate, Filter, Project, Subquery, Window
from planviz.logical.plan import LeafNode, LogicalPlan
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.lineage import origin
from planviz.optimizer.rules.constants import ConstantFolding
from planviz.optimizer.rules.projections import ColumnPruning
from planviz.types import BINARY, BOOLEAN, LONG
from planviz.versions.model import Behaviour

HASH = FunctionSpec("xxhash64", result=lambda a: LONG, null=False)
BLOOM = FunctionSpec("bloom_filter_agg", result=lambda a: BINARY, null=True)
CONTAINS = FunctionSpec("might_contain", result=lambda a: BOOLEAN, null=True)
_BLOOM_FILTER = "spark.sql.optimizer.runtime.bloomFilter."
LEAST_SCAN = "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold"
_MOST_CREATION = "spark.sql.optimizer.runtime.bloomFilter.creationSideThreshold"
_NUMBER = "spark.sql.optimizer.runtimeFilter.number.threshold"
#: How many values that are not in a Bloom filter pass it, at most.
_FALSE_POSITIVES = 0.03
#: A key that a filter is built of, and the plan that gives it.
KeySource = tuple[Expression, LogicalPlan]
#: Joins whose left or right side keeps nothing that finds no match.
PRUNES_LEFT = ("Inner", "LeftSemi", "RightOuter")
PRUNES_RIGHT = ("Inner", "LeftSemi", "LeftOuter")


class InjectRuntimeFilter(OptimizerRule):
    """Build a Bloom filter of the small side's keys and test the big side with it before the join.

    Join(big, small, k = j)  =>  Join(Filter(might_contain(bloom of j, hash of k), big), small, k = j)

    Pays when the big side is scanned from many bytes and shuffled, and the small one is selective. The kept side of an
    outer join must not be filtered: `big LEFT JOIN small` keeps rows without a match.
    """

    matches = (Join,)
    settings = (
        "spark.sql.optimizer.runtime.bloomFilter.enabled",
        LEAST_SCAN,
        _MOST_CREATION,
        "spark.sql.optimizer.runtime.bloomFilter.expectedNumItems",
        "spark.sql.optimizer.runtime.bloomFilter.numBits",
        "spark.sql.optimizer.runtime.bloomFilter.maxNumItems",
        "spark.sql.optimizer.runtime.bloomFilter.maxNumBits",
        _NUMBER,
    )

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Subquery) and plan.correlated:
            return plan
        if not self.context.on(_BLOOM_FILTER + "enabled"):
            return self.refuse(plan, "a setting switches it off", setting=_BLOOM_FILTER + "enabled")
        self.count = 0
        self.tested: list[Expression] = []
        return plan.transform_up(lambda p: self._join(p) if isinstance(p, Join) else p, Join.BIT)

    def _join(self, join: Join) -> LogicalPlan:
        left, right = join.left, join.right
        for a, b in join_keys(join):
            if not self._may_filter(join, a, b, left, right):
                continue
            done = [self._tested(join, key, side) for key, side in ((a, left), (b, right))]
            if self.context.config.behaviour.tested_keys_keep_their_partners and any(done):
                continue
            shuffled = self._shuffled(join)
            if join.kind in PRUNES_LEFT and (shuffled or self._has_shuffle(join.left)) and not done[0]:
                made = self._beneficial(join, join.left, join.right, a, b)
                new = left if made is None else self._filtered(join, a, left, *made)
                if new is not left:
                    left, self.count = new, self.count + 1
                    self.tested.append(a)
                    continue
            if join.kind in PRUNES_RIGHT and (shuffled or self._has_shuffle(join.right)) and not done[1]:
                made = self._beneficial(join, join.right, join.left, b, a)
                new = right if made is None else self._filtered(join, b, right, *made)
                if new is not right:
                    right, self.count = new, self.count + 1
                    self.tested.append(b)
                    continue
            if join.kind not in PRUNES_LEFT + PRUNES_RIGHT:
                self.refuse(join, "the join keeps rows without a match on both sides", join.kind)
            elif not shuffled:
                self.refuse(join, "a side is small enough to be broadcast, and a broadcast filters by itself")
        return join.replace(left=left, right=right)

    def _may_filter(self, join: Join, a: Expression, b: Expression, left: LogicalPlan, right: LogicalPlan) -> bool:
        """Whether these keys may get a filter at all."""
        most = self.context.config.number(_NUMBER)
        if self.count >= most:
            self.refuse(join, "the query has as many runtime filters as are allowed", most, setting=_NUMBER)
        elif not simple(a) or not simple(b):
            self.refuse(join, "a key is too expensive to be computed once more", b if simple(a) else a)
        elif _pruned(a, left) or _pruned(b, right):
            self.refuse(join, "partitions are left out by this key already", a)
        else:
            return True
        return False

    def _tested(self, join: Join, key: Expression, side: LogicalPlan) -> bool:
        """Whether a filter of the side tests the key already, of a join beneath or of another pair of keys of this one.

        The same column may be tested elsewhere in the query: before 3.5 a definition that is read twice has one id.
        """
        if not any(t.semantic_equals(key) for t in self.tested):
            return False
        if side.find(lambda p: isinstance(p, Filter) and _tests(p.condition, key)) is None:
            return False
        self.refuse(join, "a runtime filter tests this key already", key)
        return True

    def _shuffled(self, join: Join) -> bool:
        can_broadcast = self.context.estimator.can_broadcast
        hinted = "broadcast" in (join.left_hint, join.right_hint)
        return not hinted and not can_broadcast(join.left) and not can_broadcast(join.right)

    def _has_shuffle(self, plan: LogicalPlan) -> bool:
        return bool(
            plan.find(lambda p: isinstance(p, Aggregate | Window) or (isinstance(p, Join) and self._shuffled(p)))
        )

    def _beneficial(
        self, join: Join, application: LogicalPlan, creation: LogicalPlan, key: Expression, creation_key: Expression
    ) -> KeySource | None:
        scan, found = self._largest_scan(application), None
        if origin(key, application) is None:
            self.refuse(join, "the key is computed, no column of a scan", key)
        elif scan < self.context.config.number(LEAST_SCAN):
            self.refuse(join, "the scan to be filtered has too few bytes", scan, setting=LEAST_SCAN)
        else:
            found = selective_scan(creation, creation_key, follows(self.context.config.behaviour))
            if found is None:
                self.refuse(join, "the other side's key comes from no scan below a selective filter", creation_key)
        return found

    def _largest_scan(self, plan: LogicalPlan) -> int:
        size_in_bytes = self.context.estimator.size_in_bytes
        sizes = [size_in_bytes(p) for p in plan.walk() if isinstance(p, LeafNode)]
        return max((0 if s == UNKNOWN_SIZE else s for s in sizes), default=0)

    def _bloom_size(self, rows: int | None) -> tuple[int, int]:
        """The values that the filter expects and its bits; of known rows so many that few others pass."""
        config = self.context.config
        bloom = _BLOOM_FILTER
        if not rows:
            return config.number(bloom + "expectedNumItems"), config.number(bloom + "numBits")
        if config.behaviour.bloom_filters_take_a_byte_a_row:
            return rows, 8 * rows
        most = config.number(bloom + "maxNumItems")
        # The fewer values, the fewer false positives a small filter can afford.
        wrong = min(rows / (most / _FALSE_POSITIVES), _FALSE_POSITIVES)
        bits = int(-rows * log(wrong) / log(2) ** 2)
        return rows, min(bits, config.number(bloom + "maxNumBits"))

    def _filtered(
        self, join: Join, key: Expression, plan: LogicalPlan, creation_key: Expression, creation: LogicalPlan
    ) -> LogicalPlan:
        estimate = self.context.estimator.estimate(creation)
        size = estimate.size
        if size > self.context.config.number(_MOST_CREATION):
            self.refuse(join, "the side that the filter is built of has too many bytes", size, setting=_MOST_CREATION)
            return plan
        items, bits = self._bloom_size(estimate.rows)
        call = AggregateCall(
            "bloom_filter_agg",
            (_hash(creation_key), Constant(items, LONG), Constant(bits, LONG)),
            BLOOM,
            ("0", "0"),
        )
        made = alias(AggregateExpression(call, "Complete", False, None, next_id()), "bloomFilter")
        aggregate = ColumnPruning(self.context).apply(Aggregate((), (made,), creation))
        folded = ConstantFolding(self.context).apply(aggregate)
        subquery = ScalarSubquery(folded, (), next_id())
        return Filter(FunctionCall("might_contain", (subquery, _hash(key)), CONTAINS), plan)


def _pruned(key: Expression, plan: LogicalPlan) -> bool:
    """Whether partitions are left out by this key already."""
    while isinstance(plan, Filter) and isinstance(plan.condition, DynamicPruningSubquery):
        if plan.condition.outer == (key,):
            return True
        plan = plan.child
    return False


def _tests(condition: Expression, key: Expression) -> bool:
    """Whether one of a filter's conditions is a bloom filter's test of the key."""
    return any(
        isinstance(c, FunctionCall) and c.spec is CONTAINS and c.arguments[1].semantic_equals(_hash(key))
        for c in split_conjunction(condition)
    )


def _hash(e: Expression) -> Expression:
    return FunctionCall("xxhash64", (e,), HASH, ("42",))


def simple(e: Expression) -> bool:
    """Whether an expression is cheap enough to be computed once more: no patterns, no parsing, no Python."""
    slow = Like.BIT | RLike.BIT | MultiLike.BIT | PythonFuncExpression.BIT
    if e.bits & slow:
        return False
    names = ("from_json", "regexp_extract", "regexp_extract_all", "regexp_replace")
    return not any(f.name in names for f in e.collect(FunctionCall))


def likely_selective(e: Expression) -> bool:
    """Whether a predicate is of a kind that usually drops rows."""
    match e:
        case Not(x):
            return likely_selective(x)
        case And(a, b):
            return likely_selective(a) or likely_selective(b)
        case Or(a, b):
            return likely_selective(a) and likely_selective(b)
    return isinstance(e, BinaryComparison | In | InSet | StringPredicate | Like | RLike | MultiLike)


#: Whether a key is followed through joins to its scan: never, to its own scan, or to that of its partner, too.
Follow = Literal["", "own", "partner"]


def follows(known: Behaviour) -> Follow:
    """How far a version follows the key that a bloom filter is built of."""
    if not known.bloom_filters_follow_keys:
        return ""
    return "partner" if known.bloom_filters_follow_partners else "own"


def selective_scan(plan: LogicalPlan, key: Expression, follow: Follow = "partner") -> KeySource | None:
    """The key and the part of the plan that gives it from a scan under a selective filter, or None.

    `follow`: whether through joins, too (since Spark 3.5), and where the key's partner on the other side will do as
    well (since 4.0).
    """
    return _extract(plan, frozenset(), False, False, plan, key, follow)


def _extract(
    plan: object,
    read: frozenset[int],
    filtered: bool,
    selective: bool,
    whole: LogicalPlan,
    key: Expression,
    follow: Follow,
) -> KeySource | None:
    match plan:
        case Project(items, child):
            if not filtered:
                return _extract(child, read, filtered, selective, whole, key, follow)
            used = [i for i in items if id_of(i) in read]
            if not all(map(simple, used)):
                return None
            below = frozenset[int]().union(*[i.references for i in used])
            return _extract(child, below, filtered, selective, whole, key, follow)
        case Filter(condition, child) if simple(condition):
            now = selective or likely_selective(condition)
            return _extract(child, read | condition.references, True, now, whole, key, follow)
        case Join() if join_keys(plan):
            return _extract_join(plan, key, follow) if follow else None
        case LeafNode() if selective:
            return key, whole
    return None


def _extract_join(plan: Join, key: Expression, follow: Follow) -> KeySource | None:
    if not isinstance(key, AttributeReference):
        return None
    left, right, kind = plan.left, plan.right, plan.kind
    pairs = join_keys(plan) if follow == "partner" else []
    keeps_left = kind in ("Inner", "Cross", "LeftSemi", "LeftOuter", "LeftAnti", "ExistenceJoin")
    keeps_right = kind in ("Inner", "Cross", "RightOuter")
    if key.expr_id in left.output_set:
        found = selective_scan(left, key, follow) if keeps_left or kind in ("RightOuter", "FullOuter") else None
        other = next((b for a, b in pairs if a.semantic_equals(key)), None)
        if found is None and other is not None and kind in ("Inner", "Cross", "LeftSemi"):
            found = selective_scan(right, other, follow)
        return found
    if key.expr_id in right.output_set:
        found = selective_scan(right, key, follow) if keeps_right or kind in ("LeftOuter", "FullOuter") else None
        other = next((a for a, b in pairs if b.semantic_equals(key)), None)
        if found is None and other is not None and kind in ("Inner", "Cross"):
            found = selective_scan(left, other, follow)
        return found
    return None
