"""A query planned once more with a flip's changes, and the decision in it that the flip was about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.decisions.choices import Decision
from planviz.decisions.flips import Change, Flip, SettingChange, StatisticsChange, TextChange
from planviz.errors import InputError, PlanvizError
from planviz.execution import QueryExecution
from planviz.expressions.ids import Ids
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

#: From where the ids count of a query that is read anew: none of them is in the catalogue's views.
_NEW_IDS = 1 << 40
#: A relation of a plan: its name and where the text has it (None: it stands in another text, a view's).
Leaf = tuple[str, int | None]
#: A decision's strategy, the kind of its operator, and the relations of each side with their places.
Place = tuple[str, str, tuple[tuple[tuple[str, int], ...], ...]]


def applied(execution: QueryExecution, changes: Sequence[Change]) -> QueryExecution:
    """The query to be planned with a flip's changes.

    Raises InputError for statistics of a table that the catalogue has not got.
    """
    settings = {c.key: c.value for c in changes if isinstance(c, SettingChange)}
    sql, catalog = execution.sql, execution.catalog
    if not sql and execution.statement is None:
        return _of_plans(execution, changes, execution.config.with_settings(settings))
    for change in changes:
        if isinstance(change, TextChange):
            sql = change.on(sql)
        elif isinstance(change, StatisticsChange):
            catalog = _counted(catalog, change)
    config = execution.config.with_settings(settings)
    if sql == execution.sql and catalog is execution.catalog:
        return execution.again(config)
    return with_sql(execution, sql, catalog, config)


def with_sql(
    execution: QueryExecution, sql: str, catalog: Catalog | None = None, config: OptimizerConfig | None = None
) -> QueryExecution:
    """Another text to be planned as the query is: over the same tables with the same settings, or over these."""
    return QueryExecution(
        sql, catalog or execution.catalog, config or execution.config, params=execution.params, infer=execution.infer,
        ids=Ids(_NEW_IDS),
    )  # fmt: skip


def _of_plans(execution: QueryExecution, changes: Sequence[Change], config: OptimizerConfig) -> QueryExecution:
    """The same of a query that is no text but plans."""
    counted = {c.table: c for c in changes if isinstance(c, StatisticsChange)}
    if not counted:
        return execution.again(config)

    def renewed(plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, LogicalRelation) or plan.table is None:
            return plan
        change = counted.get(plan.table.shown_name)
        return plan if change is None else plan.replace(table=with_statistics(plan.table, change))

    base = execution.stage(execution.base)
    assert isinstance(base, LogicalPlan)
    plan = base.transform_with_subqueries(renewed)
    return execution.again(config, plans={execution.base: plan})


def _counted(catalog: Catalog, change: StatisticsChange) -> Catalog:
    table = catalog.table(tuple(change.table.split(".")))
    if table is None:
        raise InputError(
            f"There is no table {change.table!r} in the catalogue; there are {', '.join(catalog.names())}."
        )
    return catalog.with_table(with_statistics(table, change))


def with_statistics(table: Table, change: StatisticsChange) -> Table:
    """The table with these statistics."""
    return replace(
        table,
        size_in_bytes=table.size_in_bytes if change.size_in_bytes is None else change.size_in_bytes,
        row_count=table.row_count if change.row_count is None else change.row_count,
        fitted=table.fitted and change.size_in_bytes is None,
    )


class PlannedDecisions:
    """The decisions of a planned query, each by its place: the relations that it is about, whatever their ids.

    `changes` are those under which the query was planned anew: relations count from where they stood before.
    `places` has the places of all, in the order in which the planner decided. Raises what planning raises.
    """

    def __init__(self, execution: QueryExecution, changes: Sequence[Change] = ()) -> None:
        edits = tuple(c for c in changes if isinstance(c, TextChange))
        decisions = execution.planned.decisions
        self.places = [_place_of(d, execution, edits) for d in decisions]
        self.at: dict[Place, list[Decision]] = {}
        self.by_subject: dict[tuple[str, int], Place] = {}
        for d, at in zip(decisions, self.places, strict=True):
            self.at.setdefault(at, []).append(d)
            self.by_subject.setdefault((d.strategy, id(d.subject)), at)

    def place(self, decision: Decision) -> Place | None:
        """The place of a decision of this planning; None of another's."""
        return self.by_subject.get((decision.strategy, id(decision.subject)))

    def of(self, decision: Decision, base: PlannedDecisions) -> Decision | None:
        """The decision of the query as it was planned first (`base`) in this planning; None where it has none."""
        at = base.place(decision)
        if at is None:
            return None
        mine, found = base.at[at], self.at.get(at, [])
        if len(found) != len(mine):
            return None
        return next((f for m, f in zip(mine, found, strict=True) if m.subject is decision.subject), None)


def decision_after(
    decision: Decision, execution: QueryExecution, flip: Flip, other: QueryExecution | None = None
) -> Decision | None:
    """The same decision in the query planned with the flip (`other`, when it is planned already).

    It is the one on the same relations and, of several, that in the same place. None where the changed plan has none:
    joins may come in another order. Raises what planning raises.
    """
    after = PlannedDecisions(other or applied(execution, flip.changes), flip.changes)
    return after.of(decision, PlannedDecisions(execution))


def confirmed(decision: Decision, execution: QueryExecution, flip: Flip, other: QueryExecution | None = None) -> bool:
    """Whether planning with the flip (`other`, when it is planned already) gives what it promises, and not the same."""
    try:
        return gives(flip, decision, decision_after(decision, execution, flip, other))
    except PlanvizError:
        return False


def gives(flip: Flip, decision: Decision, after: Decision | None) -> bool:
    """Whether a decision came out as the flip promises, and otherwise than before."""
    return after is not None and _chosen(after) == (flip.outcome, flip.build) != _chosen(decision)


def _chosen(decision: Decision) -> tuple[str, str]:
    return decision.outcome, decision.value("build") or ""


def _place_of(decision: Decision, execution: QueryExecution, edits: tuple[TextChange, ...]) -> Place:
    """What tells a decision from the others of its query: strategy, kind, the relations beneath each side."""
    plan = decision.subject
    sides = tuple([tuple(_before(leaves(child, execution), edits)) for child in plan.children])
    return decision.strategy, getattr(plan, "kind", ""), sides


def _before(found: tuple[Leaf, ...], edits: tuple[TextChange, ...]) -> list[tuple[str, int]]:
    """The relations where they stood before the text was changed."""
    for e in reversed(edits):
        grown = len(e.text) - (e.end - e.start)
        found = tuple([(n, o if o is None or o < e.start else o - grown) for n, o in found])
    return sorted([(n, -1 if o is None else o) for n, o in found])


def leaves(plan: LogicalPlan, execution: QueryExecution) -> tuple[Leaf, ...]:
    """The relations of a plan with their places in the query's own text."""
    found: list[Leaf] = []
    todo = [plan]
    while todo:
        node = todo.pop()
        todo += reversed(node.children)
        if not node.children:
            found.append(leaf(node, execution))
    return tuple(found)


def leaf(node: LogicalPlan, execution: QueryExecution) -> Leaf:
    """A relation's name and its place."""
    name = getattr(node, "name", None) or node.node_name
    return ".".join(name) if isinstance(name, tuple) else str(name), place(node, execution)


def place(node: LogicalPlan, execution: QueryExecution) -> int | None:
    """Where a node stands in the query's SQL; None where it comes from another text."""
    if node.origin is None:
        return None
    text, offset = node.origin
    start = 0 if execution.statement is None else execution.statement.start
    at: int = offset - start
    own = text[start : start + len(execution.sql)] == execution.sql
    return at if own and 0 <= at < len(execution.sql) else None
