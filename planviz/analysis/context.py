"""What the analyzer's rules need to know beside the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.plan import LogicalPlan
from planviz.trees.rule import NodeT, Rule
from planviz.trees.trace import Trace
from planviz.types import quote

if TYPE_CHECKING:
    from planviz.expressions.core import Expression
    from planviz.expressions.unresolved import UnresolvedFunction


@dataclass
class Counters:
    """Numbers handed out while one query is analyzed, and the warnings that came up."""

    cte: int = 0
    #: Bodies of SQL functions that were put in.
    bodies: int = 0
    #: The first call of a function that nobody knows.
    unknown: UnresolvedFunction | None = None
    warnings: list[str] = field(default_factory=list)

    def next_cte(self) -> int:
        """A fresh CTE id, from 0."""
        self.cte += 1
        return self.cte - 1

    def warn(self, text: str) -> None:
        """Remember a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)


@dataclass(frozen=True)
class AnalysisContext:
    """Catalogue, settings, the plans around a subquery (innermost first), and where to record what happens.

    `analyze` serves the plans of subqueries, `analyze_view` those of views, of which `views` are around. `views_read`
    has by a view's name its text as it was parsed the first time, and the ids of its columns.
    """

    catalog: Catalog
    config: OptimizerConfig
    trace: Trace
    counters: Counters
    outer: tuple[LogicalPlan, ...] = ()
    run: int | None = None
    analyze: Callable[[LogicalPlan, AnalysisContext], LogicalPlan] | None = None
    analyze_view: Callable[[LogicalPlan, AnalysisContext], LogicalPlan] | None = None
    views: int = 0
    views_read: dict[tuple[str, ...], tuple[LogicalPlan, tuple[int, ...]]] = field(default_factory=dict)

    def inside(self, outer: LogicalPlan) -> AnalysisContext:
        """The context of a subquery of `outer`."""
        return replace(self, outer=(outer, *self.outer))


class AnalyzerRule(Rule[NodeT]):
    """A rule with the context at hand; unresolved nodes are what it looks for."""

    package = "org.apache.spark.sql.catalyst.analysis.Analyzer$"

    def __init__(self, context: AnalysisContext) -> None:
        self.context = context


_exact: ContextVar[bool] = ContextVar("exact_names", default=False)


@contextmanager
def exact_names(exact: bool) -> Iterator[None]:
    """Within the block names differ by case, or do not (spark.sql.caseSensitive)."""
    token = _exact.set(exact)
    try:
        yield
    finally:
        _exact.reset(token)


def folded(name: str) -> str:
    """A name in the form that is equal for what counts as one name."""
    return name if _exact.get() else name.lower()


def same_name(a: str, b: str) -> bool:
    """Whether two names count as one; case does not matter unless spark.sql.caseSensitive is on."""
    return a == b or folded(a) == folded(b)


def sql_text(parts: tuple[str, ...]) -> str:
    """Name parts in backquotes with dots between, as Spark's messages write identifiers."""
    return ".".join(quote(p) for p in parts)


def subplans(plan: LogicalPlan, f: Callable[[LogicalPlan], LogicalPlan]) -> LogicalPlan:
    """One operator with `f` applied to the plans of its subquery expressions."""

    def inner(e: Expression) -> Expression:
        return e.with_plan(f(e.plan)) if isinstance(e, SubqueryExpression) else e

    return plan.transform_expressions_up(inner, SubqueryExpression.BIT)
