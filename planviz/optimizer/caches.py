"""Plans whose rows are kept, and what reads them instead of computing them anew (Spark: CacheManager)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.cached import CachedPlan, InMemoryRelation
from planviz.logical.operators import ResolvedHint
from planviz.logical.plan import LogicalPlan

if TYPE_CHECKING:
    from planviz.expressions.core import Expression


@dataclass(frozen=True, eq=False)
class CachedData:
    """An analyzed plan, and what keeps its rows."""

    plan: LogicalPlan
    cached: CachedPlan


class CacheManager:
    """The caches of a session, the latest first."""

    def __init__(self, caches: Iterable[CachedData] = ()) -> None:
        self.caches = tuple(caches)

    @property
    def last_plan_id(self) -> int:
        """The last number that an exchange or subquery of a cached plan has."""
        return max((c.cached.last_plan_id for c in self.caches), default=0)

    def copy(self) -> CacheManager:
        """The caches of this moment, whatever is cached or dropped later."""
        return CacheManager(self.caches)

    def add(self, data: CachedData) -> None:
        """Keep one more plan's rows; a plan that is kept already stays as it is (Spark warns)."""
        if self.find(data.plan) is None:
            self.caches = (data, *self.caches)

    def find(self, plan: LogicalPlan) -> CachedData | None:
        """The cache with the rows of an analyzed plan, or None (Spark: lookupCachedData)."""
        types = [a.type for a in plan.output]
        for c in self.caches:
            if [a.type for a in c.plan.output] == types and c.plan.canonicalized == plan.canonicalized:
                return c
        return None

    def drop(self, plan: LogicalPlan, dependents: bool) -> None:
        """Forget the rows of a plan; with `dependents` also those of every plan that it is part of."""
        wanted = plan.canonicalized
        if dependents:
            self.caches = tuple(c for c in self.caches if not _holds(c.plan, wanted))
        else:
            self.caches = tuple(c for c in self.caches if c.plan.canonicalized != wanted)

    def clear(self) -> None:
        """Forget everything."""
        self.caches = ()

    def use(self, plan: LogicalPlan) -> LogicalPlan:
        """The analyzed plan with every part that is cached, the topmost ones, read from its cache; hints stay
        (Spark: useCachedData)."""
        if not self.caches:
            return plan
        found = self.find(plan)
        if found is not None:
            made: LogicalPlan = InMemoryRelation(tuple(plan.output), found.cached)
            for hint in reversed(_hints(plan)):
                made = hint.replace(child=made)
            return made
        return plan.map_expressions(self._inside, SubqueryExpression.BIT).map_children(self.use)

    def _inside(self, e: Expression) -> Expression:
        def step(x: Expression) -> Expression:
            return x.with_plan(self.use(x.plan)) if isinstance(x, SubqueryExpression) else x

        return e.transform_up(step, SubqueryExpression.BIT)


def _holds(plan: LogicalPlan, wanted: LogicalPlan) -> bool:
    """Whether a plan or one of its subqueries has a part of this form."""
    return any(p.canonicalized == wanted or any(_holds(q, wanted) for q in p.subquery_plans) for p in plan.walk())


def _hints(plan: LogicalPlan) -> list[ResolvedHint]:
    """The hints at the top of a plan, outermost first (Spark: EliminateResolvedHint.extractHintsFromPlan)."""
    found: list[ResolvedHint] = []
    while len(plan.children) == 1:
        if isinstance(plan, ResolvedHint):
            found.append(plan)
        plan = plan.children[0]
    return found
