"""How rows are spread and sorted: what operators ask for (Distribution) and what they give (Partitioning, order)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planviz.expressions.core import AttributeReference, Expression, SortOrder
from planviz.physical.conf import operator_conf


def same(a: Expression, b: Expression) -> bool:
    """Whether two expressions always give the same value."""
    return a is b or bool(a.semantic_equals(b))


def among(e: Expression, others: Sequence[Expression]) -> bool:
    """Whether an expression has its like among others."""
    return any(same(e, o) for o in others)


class Alike:
    """Where among some expressions the like of another one is, in a step however many there are."""

    def __init__(self, expressions: Sequence[Expression]) -> None:
        self._places: dict[object, list[int]] = {}
        for i, e in enumerate(expressions):
            self._places.setdefault(_form(e), []).append(i)

    def places(self, e: Expression) -> list[int]:
        """Where expressions are that always give the same value, from 0."""
        return self._places.get(_form(e), [])


def _form(e: Expression) -> object:
    """What is equal for expressions that are the `same`; a random one has only itself."""
    return e.canonicalized if e.deterministic else id(e)


@dataclass(frozen=True)
class BroadcastMode:
    """What a broadcast makes of the rows: `keys` (over the rows' positions) of a hash relation, none for plain rows."""

    keys: tuple[Expression, ...] = ()
    null_aware: bool = False
    identity: bool = False

    def __str__(self) -> str:
        return self.words(f",{str(self.null_aware).lower()}")

    def words(self, null_aware: str) -> str:
        """The mode as Spark writes it, with these words on nulls."""
        if self.identity:
            return "IdentityBroadcastMode"
        return f"HashedRelationBroadcastMode(List({', '.join(map(str, self.keys))}){null_aware})"


# ------------------------------------------------------------------------------------------------ what is asked for


@dataclass(frozen=True)
class Distribution:
    """Anything (Spark: UnspecifiedDistribution)."""


UNSPECIFIED = Distribution()


@dataclass(frozen=True)
class AllTuples(Distribution):
    """All rows in one partition."""


@dataclass(frozen=True)
class ClusteredDistribution(Distribution):
    """Rows that are equal in `keys` in one partition."""

    keys: tuple[Expression, ...]


@dataclass(frozen=True)
class StatefulDistribution(Distribution):
    """Rows by the hash of these very `keys`: where a stream's state was before, it has to be again."""

    keys: tuple[Expression, ...]


class Stateful(tuple[Expression, ...]):
    """Keys by whose very hash rows have to be together (StatefulDistribution)."""

    __slots__ = ()


@dataclass(frozen=True)
class OrderedDistribution(Distribution):
    """Every partition wholly before the next one."""

    order: tuple[SortOrder, ...]


@dataclass(frozen=True)
class BroadcastDistribution(Distribution):
    """All rows everywhere, as `mode` says."""

    mode: BroadcastMode


# ------------------------------------------------------------------------------------------------ what is given


@dataclass(frozen=True)
class Partitioning:
    """How rows are spread over `number` partitions; `satisfies` says whether that is enough for a distribution."""

    number: int

    def satisfies(self, wanted: Distribution) -> bool:
        """Whether rows spread like this are as wanted."""
        if wanted == UNSPECIFIED:
            return True
        return isinstance(wanted, AllTuples) and self.number == 1


@dataclass(frozen=True)
class UnknownPartitioning(Partitioning):
    """Nothing is known."""

    def satisfies(self, wanted: Distribution) -> bool:
        """Only where nothing is asked for, or one partition is all there is."""
        return super().satisfies(wanted)


@dataclass(frozen=True)
class RoundRobinPartitioning(UnknownPartitioning):
    """In turn."""


@dataclass(frozen=True)
class SinglePartition(Partitioning):
    """All rows in one."""

    number: int = 1

    def satisfies(self, wanted: Distribution) -> bool:
        """All but a broadcast."""
        return not isinstance(wanted, BroadcastDistribution)


@dataclass(frozen=True)
class HashPartitioning(Partitioning):
    """By the hash of `keys`."""

    keys: tuple[Expression, ...] = ()

    def satisfies(self, wanted: Distribution) -> bool:
        """Also clusters by these keys and more: rows that agree in more keys agree in these."""
        if isinstance(wanted, StatefulDistribution):
            return len(self.keys) == len(wanted.keys) and all(map(same, self.keys, wanted.keys))
        if isinstance(wanted, ClusteredDistribution):
            if operator_conf().all_keys_for_distribution:
                return len(self.keys) == len(wanted.keys) and all(map(same, self.keys, wanted.keys))
            alike = Alike(wanted.keys)
            return all(alike.places(k) for k in self.keys)
        return super().satisfies(wanted)


@dataclass(frozen=True)
class RangePartitioning(Partitioning):
    """By ranges of the order."""

    order: tuple[SortOrder, ...] = ()

    def satisfies(self, wanted: Distribution) -> bool:
        """Also orders that begin like this one, and clusters by its keys and more."""
        if isinstance(wanted, ClusteredDistribution):
            alike = Alike(wanted.keys)
            return all(alike.places(o.child) for o in self.order)
        if isinstance(wanted, OrderedDistribution):
            # Spark compares the very expressions: a column under another qualifier, of a subquery, is another one.
            pairs = list(zip(self.order, wanted.order, strict=False))
            return bool(pairs) and all(a == b and qualifiers_of(a) == qualifiers_of(b) for a, b in pairs)
        return super().satisfies(wanted)


def qualifiers_of(e: Expression) -> list[tuple[str, ...]]:
    """The qualifiers of the columns in an expression, in order."""
    return [x.qualifier for x in e.collect(AttributeReference)]


@dataclass(frozen=True)
class BroadcastPartitioning(Partitioning):
    """All rows everywhere."""

    number: int = 1
    mode: BroadcastMode = BroadcastMode()

    def satisfies(self, wanted: Distribution) -> bool:
        """A broadcast of the same mode."""
        if isinstance(wanted, BroadcastDistribution):
            return wanted.mode == self.mode
        return wanted == UNSPECIFIED


@dataclass(frozen=True)
class PartitioningCollection(Partitioning):
    """Spread in several equivalent ways: an inner join's output is by the left keys and by the right ones."""

    ways: tuple[Partitioning, ...] = ()

    def satisfies(self, wanted: Distribution) -> bool:
        """When one of the ways does."""
        return any(w.satisfies(wanted) for w in self.ways)


def collection(ways: Sequence[Partitioning]) -> Partitioning:
    """Several ways as one partitioning."""
    return PartitioningCollection(ways[0].number, tuple(ways))


def flattened(p: Partitioning) -> list[Partitioning]:
    """Every single way."""
    if isinstance(p, PartitioningCollection):
        return [x for w in p.ways for x in flattened(w)]
    return [p]


def canonical_partitioning(p: Partitioning) -> Partitioning:
    """The partitioning with its expressions in the form that is equal for equal values, the first way of several."""
    match flattened(p)[0]:
        case HashPartitioning(number, keys):
            return HashPartitioning(number, tuple(k.canonicalized for k in keys))
        case RangePartitioning(number):
            return UnknownPartitioning(number)
        case first:
            return first


# ------------------------------------------------------------------------------------------------ orders


@dataclass(frozen=True)
class OutputOrder:
    """A sort key of rows that are sorted; `others` are expressions of equal value (Spark: sameOrderExpressions)."""

    child: Expression
    direction: str = "ASC"
    null_order: str = "NULLS FIRST"
    others: tuple[Expression, ...] = ()

    @property
    def all(self) -> tuple[Expression, ...]:
        """The key in all its forms."""
        return (self.child, *self.others)

    def satisfies(self, wanted: SortOrder) -> bool:
        """Whether rows sorted like this are sorted as wanted (Spark: SortOrder.satisfies)."""
        return (
            self.direction == wanted.direction
            and self.null_order == wanted.null_order
            and among(wanted.child, self.all)
        )


def given_order(order: Sequence[SortOrder]) -> tuple[OutputOrder, ...]:
    """What rows sorted by this order give."""
    return tuple(OutputOrder(o.child, o.direction, o.null_order) for o in order)


def ascending(keys: Sequence[Expression]) -> tuple[SortOrder, ...]:
    """The keys, each ascending."""
    return tuple(SortOrder(k) for k in keys)


def ordering_satisfies(given: Sequence[OutputOrder], wanted: Sequence[SortOrder]) -> bool:
    """Whether rows sorted as given are sorted as wanted (Spark: SortOrder.orderingSatisfies)."""
    return len(wanted) <= len(given) and all(g.satisfies(w) for g, w in zip(given, wanted, strict=False))
