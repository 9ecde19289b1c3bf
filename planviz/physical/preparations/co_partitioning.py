"""Two or more children whose rows must meet partition by partition (Spark: ShuffleSpec, EnsureRequirements)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.estimation import Estimator
from planviz.physical.conf import operator_conf
from planviz.physical.distribution import (
    Alike,
    ClusteredDistribution,
    Distribution,
    HashPartitioning,
    Partitioning,
    PartitioningCollection,
    SinglePartition,
    same,
)
from planviz.physical.exchanges import Exchange, ShuffleExchangeExec

if TYPE_CHECKING:
    from planviz.expressions.core import Expression
    from planviz.physical.plan import SparkPlan


@dataclass(frozen=True)
class Spec:
    """How one child is spread, seen from the keys that it must be clustered by (Spark: ShuffleSpec)."""

    number: int
    #: For every hashed key the places among the clustering keys; None where the spread is no hash of them.
    ways: tuple[tuple[frozenset[int], ...], ...]
    single: bool
    creates: bool
    keys: int

    def fits(self, other: Spec) -> bool:
        """Whether equal rows of both are in partitions of the same number."""
        if self.single or other.single:
            return self.number == other.number == 1
        if self.keys != other.keys or self.number != other.number:
            return False
        return any(
            len(a) == len(b) and all(x & y for x, y in zip(a, b, strict=True)) for a in self.ways for b in other.ways
        )

    def partitioning(self, clustering: Sequence[Expression]) -> Partitioning:
        """The same spread by the keys of another side."""
        return HashPartitioning(self.number, tuple(clustering[min(places)] for places in self.ways[0]))


def spec_of(p: Partitioning, wanted: ClusteredDistribution) -> Spec:
    """The spec of a partitioning that satisfies a distribution."""
    hashes = _hashes(p, wanted)
    alike = Alike(wanted.keys)
    ways = tuple(tuple(frozenset(alike.places(e)) for e in h.keys) for h in hashes)
    creates = bool(ways) and (
        all(_by_all_keys(h, wanted) for h in hashes) or not operator_conf().all_keys_for_co_partition
    )
    return Spec(p.number, ways, isinstance(p, SinglePartition), creates, len(wanted.keys))


def _hashes(p: Partitioning, wanted: ClusteredDistribution) -> list[HashPartitioning]:
    if isinstance(p, PartitioningCollection):
        return [h for way in p.ways for h in _hashes(way, wanted)]
    return [p] if isinstance(p, HashPartitioning) and p.satisfies(wanted) else []


def _by_all_keys(p: HashPartitioning, wanted: ClusteredDistribution) -> bool:
    """Whether the hash takes each clustering key once and in their order: a key taken twice is another hash."""
    return len(p.keys) == len(wanted.keys) and all(map(same, p.keys, wanted.keys))


def co_partitioned(
    children: list[SparkPlan],
    wanted: Sequence[Distribution],
    exchange: Callable[[Partitioning, SparkPlan], SparkPlan],
    partitions: int,
    most: int,
    estimator: Estimator,
) -> list[SparkPlan]:
    """The children, shuffled anew where they do not fit each other.

    `partitions` is what a shuffle makes, `most` how many bytes may stay in one partition.
    """
    clustered = {i: d for i, d in enumerate(wanted) if isinstance(d, ClusteredDistribution)}
    if len(clustered) < 2:
        return children
    specs = {i: spec_of(children[i].output_partitioning, d) for i, d in clustered.items()}
    if all(s.single and _small(children[i], most, estimator) for i, s in specs.items()):
        return children
    best = _best(specs, children, partitions)
    out = list(children)
    for i, spec in specs.items():
        if best is not None and best.fits(spec):
            continue
        keys = clustered[i].keys
        out[i] = exchange(HashPartitioning(partitions, keys) if best is None else best.partitioning(keys), children[i])
    return out


def spread_exactly(p: Partitioning, keys: Sequence[Expression]) -> bool:
    """Whether rows are spread by exactly these keys in this order (before Spark 3.3: HashClusteredDistribution)."""
    if isinstance(p, PartitioningCollection):
        return any(spread_exactly(w, keys) for w in p.ways)
    if isinstance(p, SinglePartition):
        return True
    return isinstance(p, HashPartitioning) and len(p.keys) == len(keys) and all(map(same, p.keys, keys))


def agreeing(
    children: list[SparkPlan],
    wanted: Sequence[Distribution],
    exchange: Callable[[Partitioning, SparkPlan], SparkPlan],
    partitions: int,
) -> list[SparkPlan]:
    """The children, shuffled anew where they are not spread over as many partitions (before Spark 3.3).

    A child that is no shuffle keeps its partitions where no other child has more, and beside a shuffle only where a
    shuffle would make no more.
    """
    clustered = {i: d for i, d in enumerate(wanted) if isinstance(d, ClusteredDistribution)}
    numbers = {i: children[i].output_partitioning.number for i in clustered}
    if len(set(numbers.values())) < 2:
        return children
    standing = [n for i, n in numbers.items() if not isinstance(children[i], ShuffleExchangeExec)]
    most = max(standing or numbers.values())
    if 0 < len(standing) < len(numbers):
        most = max(most, partitions)
    out = list(children)
    for i, d in clustered.items():
        if numbers[i] != most:
            out[i] = exchange(HashPartitioning(most, d.keys), children[i])
    return out


def _small(child: SparkPlan, most: int, estimator: Estimator) -> bool:
    """Whether all rows of a child may be in one partition."""
    return child.origin is None or estimator.size_in_bytes(child.origin) <= most


def _best(specs: dict[int, Spec], children: list[SparkPlan], partitions: int) -> Spec | None:
    """The spread that the others follow: of a child that is no shuffle itself where there is one, else the widest."""
    usable = {i: s for i, s in specs.items() if s.creates}
    shuffled = {i for i in specs if isinstance(children[i], Exchange)}
    if all(i in shuffled or not s.creates for i, s in specs.items()):
        # Only where every side is shuffled anyway: few buckets are better than one more shuffle.
        usable = {i: s for i, s in usable.items() if s.number >= partitions}
    standing = {i: s for i, s in usable.items() if i not in shuffled} or usable
    return max(standing.values(), key=lambda s: s.number, default=None)
