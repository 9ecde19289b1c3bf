"""Plans whose rows are kept, and what reads them instead of computing them anew (Spark: CacheManager)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.expressions.core import Alias, AttributeReference
from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.cached import CachedPlan, InMemoryRelation
from planviz.logical.operators import Project, ResolvedHint
from planviz.logical.plan import LogicalPlan

if TYPE_CHECKING:
    from planviz.expressions.core import Expression


@dataclass(frozen=True, eq=False)
class CachedData:
    """An analyzed plan, and what keeps its rows."""

    plan: LogicalPlan
    cached: CachedPlan


class CacheManager:
    """The caches of a session, the latest first.

    `through_names`: a projection that does no more than give all columns other names, in their order, has the rows of
    what is below it (since Spark 4.0 a Project is canonicalized so).
    """

    def __init__(self, caches: Iterable[CachedData] = (), through_names: bool = True) -> None:
        self.caches = tuple(caches)
        self.through_names = through_names

    @property
    def last_plan_id(self) -> int:
        """The last number that an exchange or subquery of a cached plan has."""
        return max((c.cached.last_plan_id for c in self.caches), default=0)

    def copy(self) -> CacheManager:
        """The caches of this moment, whatever is cached or dropped later."""
        return CacheManager(self.caches, self.through_names)

    def add(self, data: CachedData) -> None:
        """Keep one more plan's rows; a plan that is kept already stays as it is (Spark warns)."""
        if self.find(data.plan) is None:
            self.caches = (data, *self.caches)

    def find(self, plan: LogicalPlan) -> CachedData | None:
        """The cache with the rows of an analyzed plan, or None (Spark: lookupCachedData)."""
        types = [a.type for a in plan.output]
        alike = [c for c in self.caches if [a.type for a in c.plan.output] == types]
        wanted = self._form(plan) if alike else plan
        return next((c for c in alike if self._form(c.plan) == wanted), None)

    def _form(self, plan: LogicalPlan) -> LogicalPlan:
        return (unnamed(plan) if self.through_names else plan).canonicalized

    def drop(self, plan: LogicalPlan, dependents: bool) -> None:
        """Forget the rows of a plan; with `dependents` also those of every plan that it is part of."""
        wanted = self._form(plan)
        if dependents:
            self.caches = tuple(c for c in self.caches if not self._holds(c.plan, wanted))
        else:
            self.caches = tuple(c for c in self.caches if self._form(c.plan) != wanted)

    def _holds(self, plan: LogicalPlan, wanted: LogicalPlan) -> bool:
        """Whether a plan or one of its subqueries has a part of this form."""
        return any(
            self._form(p) == wanted or any(self._holds(q, wanted) for q in p.subquery_plans) for p in plan.walk()
        )

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


def unnamed(plan: LogicalPlan) -> LogicalPlan:
    """The plan without projections that only give all columns other names; what reads these reads the columns."""
    meant: dict[int, Expression] = {}

    def read(e: Expression) -> Expression:
        return meant.get(e.expr_id, e) if isinstance(e, AttributeReference) else e

    def strip(node: LogicalPlan) -> LogicalPlan:
        made = node.map_children(strip)
        if meant:
            made = made.map_expressions(lambda e: e.transform_up(read))
        if isinstance(made, Project) and _only_names(made):
            meant.update({e.expr_id: e.child for e in made.projects if isinstance(e, Alias)})
            return made.child
        return made

    return strip(plan)


def _only_names(project: Project) -> bool:
    columns = [a.expr_id for a in project.child.output]
    read = [_column(e) for e in project.projects]
    return [None if a is None else a.expr_id for a in read] == columns


def _column(e: Expression) -> AttributeReference | None:
    """The column that is given a name, None where it is given remarks too, or computed."""
    child = e.child if isinstance(e, Alias) else e
    same = not isinstance(e, Alias) or e.metadata == getattr(child, "metadata", None)
    return child if isinstance(child, AttributeReference) and same else None


def _hints(plan: LogicalPlan) -> list[ResolvedHint]:
    """The hints at the top of a plan, outermost first (Spark: EliminateResolvedHint.extractHintsFromPlan)."""
    found: list[ResolvedHint] = []
    while len(plan.children) == 1:
        if isinstance(plan, ResolvedHint):
            found.append(plan)
        plan = plan.children[0]
    return found
