"""The five join operators: what they ask of their inputs and what they give."""

from __future__ import annotations

import itertools
from typing import ClassVar

from planviz.expressions.arithmetic import BitwiseAnd, BitwiseOr, Shift
from planviz.expressions.casts import Cast
from planviz.expressions.core import AttributeReference, Expression, Literal, SortOrder
from planviz.expressions.objects import BoundReference
from planviz.logical.plan import bracketed
from planviz.physical.conf import operator_conf
from planviz.physical.distribution import (
    UNSPECIFIED,
    BroadcastDistribution,
    BroadcastMode,
    ClusteredDistribution,
    Distribution,
    HashPartitioning,
    OutputOrder,
    Partitioning,
    UnknownPartitioning,
    ascending,
    collection,
    flattened,
    given_order,
    ordering_satisfies,
)
from planviz.physical.plan import BinaryExec, SparkPlan
from planviz.trees.node import lazy, node
from planviz.types import INT, LONG, is_integral

INNER_LIKE = ("Inner", "Cross")


class JoinExec(BinaryExec):
    """Base of the joins: `kind` is the join type, `exists` the column that an ExistenceJoin makes."""

    #: Whether explain's formatted mode tells the join type in its tree.
    TYPE_IN_TREE: ClassVar[bool] = True
    #: Whether it tells beneath the tree both sides' columns and the arguments of the operator's line.
    SIDES_BENEATH: ClassVar[bool] = False
    #: What it leaves in the line behind the operator's.
    BLANK_BENEATH: ClassVar[str] = ""

    kind: str
    condition: Expression | None
    exists: AttributeReference | None

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The sides' columns, nullable where the join fills with nulls."""
        left, right = self.left.output, self.right.output
        if self.kind in ("LeftSemi", "LeftAnti"):
            return tuple(left)
        if self.kind == "ExistenceJoin":
            assert self.exists is not None
            return (*left, self.exists)
        if self.kind in ("RightOuter", "FullOuter"):
            left = tuple([a.with_nullability(True) for a in left])
        if self.kind in ("LeftOuter", "LeftSingle", "FullOuter"):
            right = tuple([a.with_nullability(True) for a in right])
        return (*left, *right)

    @lazy
    def canonicalized(self) -> SparkPlan:
        """As of every operator; the column that an ExistenceJoin makes keeps its id, so that it equals no other."""
        found = super().canonicalized
        return found if self.exists is None else found.replace(exists=self.exists)

    @lazy
    def shown_kind(self) -> str:
        """The join type as plans print it."""
        return f"ExistenceJoin({self.exists})" if self.kind == "ExistenceJoin" else self.kind

    @property
    def shown_condition(self) -> list[str]:
        """The condition that is checked beside the keys, if any."""
        return [] if self.condition is None else [self.condition.simple_string]


class EquiJoinExec(JoinExec):
    """Base of the joins by keys."""

    left_keys: tuple[Expression, ...]
    right_keys: tuple[Expression, ...]

    @property
    def shown_keys(self) -> list[str]:
        """Both sides' keys."""
        return [bracketed(self.left_keys), bracketed(self.right_keys)]


class ShuffledJoinExec(EquiJoinExec):
    """Base of the joins for which both sides are shuffled by their keys (Spark: ShuffledJoin)."""

    APART = True

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """Rows of equal keys together."""
        return (ClusteredDistribution(self.left_keys), ClusteredDistribution(self.right_keys))

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The kept side's; both sides' for an inner join, none for a full one."""
        left, right = self.left.output_partitioning, self.right.output_partitioning
        if self.kind in INNER_LIKE:
            return collection([left, right])
        if self.kind == "FullOuter":
            return UnknownPartitioning(left.number)
        kept: Partitioning = right if self.kind == "RightOuter" else left
        return kept


@node
class SortMergeJoinExec(ShuffledJoinExec):
    """Walks two inputs that are sorted by the keys."""

    left_keys: tuple[Expression, ...]
    right_keys: tuple[Expression, ...]
    kind: str
    condition: Expression | None
    left: SparkPlan
    right: SparkPlan
    exists: AttributeReference | None = None
    CODEGEN = True

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """Both by their keys."""
        return (ascending(self.left_keys), ascending(self.right_keys))

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """The kept side's keys; both sides' for an inner join, none for a full one."""
        left = self._key_order(self.left_keys, self.left.output_ordering)
        right = self._key_order(self.right_keys, self.right.output_ordering)
        if self.kind in INNER_LIKE:
            pairs = zip(left, right, strict=True)
            return tuple(OutputOrder(a.child, a.direction, a.null_order, (*a.others, *b.all)) for a, b in pairs)
        if self.kind == "FullOuter":
            return ()
        return right if self.kind == "RightOuter" else left

    @staticmethod
    def _key_order(keys: tuple[Expression, ...], given: tuple[OutputOrder, ...]) -> tuple[OutputOrder, ...]:
        wanted = ascending(keys)
        if not ordering_satisfies(given, wanted):
            return given_order(wanted)
        pairs = zip(keys, given, strict=False)
        return tuple(OutputOrder(k, others=tuple(e for e in g.all if e != k)) for k, g in pairs)

    @lazy
    def simple_string(self) -> str:
        """SortMergeJoin [left keys], [right keys], Inner, (condition)."""
        return f"SortMergeJoin {', '.join([*self.shown_keys, self.shown_kind, *self.shown_condition])}"


class BuildSide:
    """A join that gathers one side, `build` (BuildLeft or BuildRight), and streams the other."""

    build: str
    left: SparkPlan
    right: SparkPlan

    @property
    def built(self) -> SparkPlan:
        """The side that is gathered."""
        return self.left if self.build == "BuildLeft" else self.right

    @property
    def streamed(self) -> SparkPlan:
        """The other side."""
        return self.right if self.build == "BuildLeft" else self.left

    @property
    def driven(self) -> tuple[SparkPlan, ...]:
        """The streamed side alone."""
        return (self.streamed,)

    def around(self, for_build: BroadcastDistribution, for_stream: Distribution) -> tuple[Distribution, Distribution]:
        """Left and right of what holds for the sides."""
        return (for_build, for_stream) if self.build == "BuildLeft" else (for_stream, for_build)


@node
class ShuffledHashJoinExec(BuildSide, ShuffledJoinExec):
    """Builds a hash relation of one side, partition by partition."""

    left_keys: tuple[Expression, ...]
    right_keys: tuple[Expression, ...]
    kind: str
    build: str
    condition: Expression | None
    left: SparkPlan
    right: SparkPlan
    exists: AttributeReference | None = None
    CODEGEN = True

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """The streamed side's, unless rows of the built side come in between."""
        outer = {"LeftOuter": "BuildLeft", "RightOuter": "BuildRight"}
        if self.kind == "FullOuter" or outer.get(self.kind) == self.build:
            return ()
        found: tuple[OutputOrder, ...] = self.streamed.output_ordering
        return found

    @lazy
    def simple_string(self) -> str:
        """ShuffledHashJoin [left keys], [right keys], Inner, BuildRight, (condition)."""
        parts = [*self.shown_keys, self.shown_kind, self.build, *self.shown_condition]
        return f"ShuffledHashJoin {', '.join(parts)}"


@node
class BroadcastHashJoinExec(BuildSide, EquiJoinExec):
    """Broadcasts a hash relation of one side."""

    left_keys: tuple[Expression, ...]
    right_keys: tuple[Expression, ...]
    kind: str
    build: str
    condition: Expression | None
    left: SparkPlan
    right: SparkPlan
    null_aware: bool = False
    exists: AttributeReference | None = None
    CODEGEN = True

    @property
    def build_keys(self) -> tuple[Expression, ...]:
        """The keys of the side that is broadcast."""
        return self.left_keys if self.build == "BuildLeft" else self.right_keys

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """The hash relation of the built side everywhere."""
        keys = bound(relation_keys(self.build_keys), self.built.output)
        return self.around(BroadcastDistribution(BroadcastMode(keys, self.null_aware)), UNSPECIFIED)

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The streamed side's; for an inner join by the built side's keys, too."""
        given: Partitioning = self.streamed.output_partitioning
        if self.kind not in INNER_LIKE:
            return given
        ways: list[Partitioning] = []
        for way in flattened(given):
            ways += self._expanded(way) if isinstance(way, HashPartitioning) else [way]
        return ways[0] if len(ways) == 1 else collection(ways)

    def _expanded(self, way: HashPartitioning) -> list[Partitioning]:
        streamed = self.right_keys if self.build == "BuildLeft" else self.left_keys
        partners: dict[object, list[object]] = {}
        for s, b in zip(streamed, self.build_keys, strict=True):
            partners.setdefault(s.canonicalized, []).append(b)
        forms = [[k, *partners.get(k.canonicalized, ())] for k in way.keys]
        combinations = itertools.islice(itertools.product(*forms), operator_conf().expand_limit)
        return [HashPartitioning(way.number, tuple(c)) for c in combinations]

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """The streamed side's."""
        found: tuple[OutputOrder, ...] = self.streamed.output_ordering
        return found

    @lazy
    def simple_string(self) -> str:
        """BroadcastHashJoin [left keys], [right keys], Inner, BuildRight, (condition), null aware, false."""
        flags = [str(self.null_aware).lower(), "false"]
        parts = [*self.shown_keys, self.shown_kind, self.build, *self.shown_condition, *flags]
        return f"BroadcastHashJoin {', '.join(parts)}"


@node
class BroadcastNestedLoopJoinExec(BuildSide, JoinExec):
    """Broadcasts one side and compares every pair of rows."""

    build: str
    kind: str
    condition: Expression | None
    left: SparkPlan
    right: SparkPlan
    exists: AttributeReference | None = None

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """The rows of the built side everywhere."""
        return self.around(BroadcastDistribution(BroadcastMode(identity=True)), UNSPECIFIED)

    @property
    def supports_codegen(self) -> bool:
        """Where rows of the built side without a match do not matter."""
        if self.kind in INNER_LIKE:
            return True
        right = self.kind in ("LeftOuter", "LeftSingle", "LeftSemi", "LeftAnti")
        return (self.build == "BuildRight" and right) or (self.build == "BuildLeft" and self.kind == "RightOuter")

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The streamed side's, unless rows of the built side or a column come in."""
        given: Partitioning = self.streamed.output_partitioning
        return given if self.supports_codegen else UnknownPartitioning(given.number)

    @lazy
    def simple_string(self) -> str:
        """BroadcastNestedLoopJoin BuildRight, Cross, (condition)."""
        return f"BroadcastNestedLoopJoin {', '.join([self.build, self.shown_kind, *self.shown_condition])}"


@node
class CartesianProductExec(JoinExec):
    """Compares every pair of partitions."""

    condition: Expression | None
    left: SparkPlan
    right: SparkPlan
    kind: str = "Inner"
    exists: AttributeReference | None = None

    @lazy
    def simple_string(self) -> str:
        """CartesianProduct (condition)."""
        return " ".join(["CartesianProduct", *self.shown_condition])


def bound(keys: tuple[Expression, ...], output: tuple[AttributeReference, ...]) -> tuple[Expression, ...]:
    """The keys over the positions of the columns (Spark: BindReferences.bindReferences)."""
    at = {a.expr_id: i for i, a in reversed(list(enumerate(output)))}

    def bind(e: Expression) -> Expression:
        if isinstance(e, AttributeReference) and e.expr_id in at:
            column = output[at[e.expr_id]]
            return BoundReference(at[e.expr_id], column.type, column.is_nullable)
        return e

    return tuple(k.transform_up(bind) for k in keys)


def relation_keys(keys: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """The keys as a hash relation holds them: integers of 8 bytes at most packed into one (HashJoin.rewriteKeyExpr)."""
    if not keys or any(not is_integral(k.data_type) for k in keys) or sum(k.data_type.default_size for k in keys) > 8:
        return keys
    packed = keys[0] if keys[0].data_type == LONG else Cast(keys[0], LONG)
    for k in keys[1:]:
        packed = _packed(packed, k)
    return (packed,)


def _packed(high: Expression, low: Expression) -> Expression:
    bits = low.data_type.default_size * 8
    mask = Literal((1 << bits) - 1, LONG)
    return BitwiseOr(Shift(high, Literal(bits, INT), "shiftleft"), BitwiseAnd(Cast(low, LONG), mask))
