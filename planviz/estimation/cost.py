"""The cheapest order of joins, found by dynamic programming (Spark: JoinReorderDP).

Level by level the cheapest plan for every set of relations is kept; a set's candidates join two kept plans of fewer
relations. A plan costs the rows and bytes of all results in between: its relations and its own result are the same in
every order. The search is exponential in the number of relations, hence the threshold that the rule asks first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from planviz.estimation.estimator import Estimator
from planviz.estimation.model import quotient
from planviz.expressions.core import Expression
from planviz.expressions.predicates import conjunction
from planviz.logical.combining import Join
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan

#: The ways in which costs were compared over the years (inventory E-066).
Comparison = Literal["product", "sum", "absolute"]


@dataclass(frozen=True, slots=True)
class Cost:
    """Rows and bytes of intermediate results."""

    rows: int = 0
    size: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.rows + other.rows, self.size + other.size)

    def less_than(self, other: Cost, weight: float, comparison: Comparison = "product") -> bool:
        """Whether it costs less; rows weigh `weight`, bytes the rest. Never when the other costs nothing.

        "product" multiplies the shares of the other's rows and bytes, with the weights as exponents (Spark 3.2 and
        later). "sum" adds the weighted shares (Spark 2.2 to 3.0): two plans can each be better than the other.
        "absolute" adds weighted rows and bytes themselves, as the slides have it: bytes, the larger numbers, decide.
        """
        if comparison == "absolute":
            return self.weighted(weight) < other.weighted(weight)
        if other.rows == 0 or other.size == 0:
            return False
        rows, size = float(quotient(self.rows, other.rows)), float(quotient(self.size, other.size))
        if comparison == "sum":
            return rows * weight + size * (1 - weight) < 1
        return bool(rows**weight * size ** (1 - weight) < 1)

    def weighted(self, weight: float) -> float:
        """Rows and bytes in one number, as the slides have it."""
        return weight * self.rows + (1 - weight) * self.size


NOTHING = Cost()


@dataclass
class JoinPlan:
    """A way to join a set of relations: the set as bits, its two parts (None for one relation) and its cost.

    The plan itself is made when it is asked for: candidates that lose never need it.
    """

    items: int
    cost: Cost
    relation: LogicalPlan | None = None
    left: JoinPlan | None = None
    right: JoinPlan | None = None
    conditions: tuple[Expression, ...] = ()
    needed: frozenset[int] = frozenset()
    _plan: LogicalPlan | None = field(default=None, repr=False)

    @property
    def plan(self) -> LogicalPlan:
        """The join, without the columns that nobody above reads."""
        if self._plan is None:
            self._plan = self.relation or self._joined()
        return self._plan

    def _joined(self) -> LogicalPlan:
        assert self.left is not None
        assert self.right is not None
        join = Join(self.left.plan, self.right.plan, "Inner", conjunction(list(self.conditions)))
        kept = tuple(a for a in join.output if a.expr_id in self.needed)
        return join if len(kept) == len(join.output) else Project(kept, join)

    def joins(self) -> Iterator[JoinPlan]:
        """The joins that it is made of, each after those beneath it."""
        if self.left is not None and self.right is not None:
            yield from self.left.joins()
            yield from self.right.joins()
            yield self


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate of a level: the two sets that it joins, its cost, and whether it was the best of its set so far."""

    left: int
    right: int
    cost: Cost
    kept: bool

    @property
    def items(self) -> int:
        """The set that it gives."""
        return self.left | self.right


@dataclass
class Reordering:
    """A search: the relations (bit i of a set means relation i), each level's candidates in order, the winner.

    Level 0 are the relations; level n joins n + 1 of them. `chosen` is None where no order joins all of them without a
    product.
    """

    relations: tuple[LogicalPlan, ...]
    weight: float
    levels: list[list[Candidate]] = field(default_factory=list)
    chosen: JoinPlan | None = None

    def winners(self, level: int) -> dict[int, Candidate]:
        """The candidate that each set of a level kept."""
        return {c.items: c for c in self.levels[level] if c.kept}


class JoinReorderDP:
    """The search for the cheapest order of `relations` under join `conditions`; `output` are the ids read above.

    `star` gives, as bits, the relations of a star: none of them is joined with another relation before all of them are
    joined (0: there is none). `record` says to note every candidate. The settings and the version of the estimator say
    what rows weigh beside bytes, and how costs are compared.
    """

    def __init__(
        self,
        relations: Sequence[LogicalPlan],
        conditions: Sequence[Expression],
        output: frozenset[int],
        estimator: Estimator,
        star: int = 0,
        record: bool = False,
    ) -> None:
        self.output, self.estimator, self.star, self.record = output, estimator, star, record
        self.comparison: Comparison = estimator.config.behaviour.join_cost
        weight = estimator.config.ratio("spark.sql.cbo.joinReorder.card.weight")
        self.search = Reordering(tuple(relations), weight)
        owner = {i: 1 << at for at, r in enumerate(relations) for i in r.output_set}
        self.conditions = [(c, self._read(c, owner)) for c in conditions]

    @staticmethod
    def _read(condition: Expression, owner: dict[int, int]) -> int:
        bits = 0
        for i in condition.references:
            bits |= owner.get(i, 0)
        return bits

    def run(self) -> Reordering:
        """Search all levels."""
        count = len(self.search.relations)
        found = [{1 << i: JoinPlan(1 << i, NOTHING, r) for i, r in enumerate(self.search.relations)}]
        while len(found) < count:
            found.append(self._level(found))
        self.search.chosen = found[-1].get((1 << count) - 1)
        return self.search

    def _level(self, found: list[dict[int, JoinPlan]]) -> dict[int, JoinPlan]:
        best: dict[int, JoinPlan] = {}
        noted: list[Candidate] = []
        for one, other in _pairs(found):
            made = self._join(one, other)
            if made is None:
                continue
            before = best.get(made.items)
            kept = before is None or made.cost.less_than(before.cost, self.search.weight, self.comparison)
            if kept:
                best[made.items] = made
            if self.record and made.left and made.right:
                noted.append(Candidate(made.left.items, made.right.items, made.cost, kept))
        if self.record:
            last = {c.items: n for n, c in enumerate(noted) if c.kept}
            self.search.levels.append(
                [Candidate(c.left, c.right, c.cost, last[c.items] == n) for n, c in enumerate(noted)]
            )
        return best

    def _join(self, one: JoinPlan, other: JoinPlan) -> JoinPlan | None:
        """The join of two plans without a common relation; None for a product, and where the star says no."""
        a, b = one.items, other.items
        both = a | b
        if not self._fits_star(both):
            return None
        on = [c for c, read in self.conditions if read & ~both == 0 and read & ~a and read & ~b]
        if not on:
            return None
        needed = set(self.output)
        for c, read in self.conditions:
            # What reads one relation alone is never taken for a join's condition, so that its columns stay.
            if read & ~both or read & (read - 1) == 0:
                needed |= c.references
        # The larger set on the left makes left-deep trees.
        left, right = (one, other) if self._larger_first(a, b) else (other, one)
        return JoinPlan(both, self._cost(one, other), None, left, right, tuple(on), frozenset(needed))

    def _larger_first(self, a: int, b: int) -> bool:
        return a.bit_count() >= b.bit_count()

    def _cost(self, one: JoinPlan, other: JoinPlan) -> Cost:
        return self._with_own(one) + self._with_own(other)

    def _with_own(self, made: JoinPlan) -> Cost:
        """The cost of a plan when it is an intermediate result of another one."""
        if made.left is None:
            return NOTHING
        own = self.estimator.estimate(made.plan)
        return made.cost + Cost(own.rows or 0, own.size)

    def _fits_star(self, items: int) -> bool:
        star = self.star
        return not star or items & ~star == 0 or star & ~items == 0 or items & star == 0


class GivenOrder(JoinReorderDP):
    """The joins of relations in an order that is known: `pairs` are the left and right side of every join, as bits."""

    def __init__(
        self,
        relations: Sequence[LogicalPlan],
        conditions: Sequence[Expression],
        output: frozenset[int],
        estimator: Estimator,
        pairs: dict[int, tuple[int, int]],
    ) -> None:
        super().__init__(relations, conditions, output, estimator)
        self.pairs = pairs

    def plan(self) -> JoinPlan | None:
        """The joins, or None where two sides have no condition in common."""
        return self._made((1 << len(self.search.relations)) - 1)

    def _made(self, items: int) -> JoinPlan | None:
        if items.bit_count() == 1:
            return JoinPlan(items, NOTHING, self.search.relations[items.bit_length() - 1])
        sides = [self._made(side) for side in self.pairs[items]]
        left, right = sides
        return None if left is None or right is None else self._join(left, right)

    def _larger_first(self, a: int, b: int) -> bool:
        return self.pairs[a | b][0] == a

    def _cost(self, one: JoinPlan, other: JoinPlan) -> Cost:
        return NOTHING


def _pairs(found: list[dict[int, JoinPlan]]) -> Iterator[tuple[JoinPlan, JoinPlan]]:
    """Every two kept plans without a common relation that have together as many as the next level, in Spark's order.

    Most pairs of large levels overlap: they are passed over in one go.
    """
    last = len(found) - 1
    for k in range(last // 2 + 1):
        ones, others = list(found[k].items()), list(found[last - k].items())
        for i, (a, one) in enumerate(ones):
            if k == last - k:
                others = ones[i:]
            for other in [plan for b, plan in others if not a & b]:
                yield one, other
