"""DEFAULT in the rows of an INSERT: what the table's columns have where nothing is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planviz.catalog.tables import Catalog, Table
from planviz.expressions.core import Alias, Expression, Literal
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.frontend import Statement
from planviz.frontend.commands import Command
from planviz.frontend.errors import analysis_error
from planviz.logical.operators import Project, Sort
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedInlineTable
from planviz.types import NULL

#: The flag of an INSERT in whose query the word DEFAULT stands.
DEFAULTS = "DEFAULTS"


def with_defaults(s: Statement, catalog: Catalog) -> Statement:
    """The statement with the values that DEFAULT stands for in the rows it inserts; itself where there is no DEFAULT.

    Of a table that nobody describes the command has its name alone: nobody knows its defaults. Raises AnalysisError
    where DEFAULT stands within an expression (Spark: ResolveColumnDefaultInCommandInputQuery).
    """
    c = s.command
    if c is None or c.plan is None or DEFAULTS not in c.flags:
        return s
    table = catalog.table(c.name)
    if table is None or table.guessed:
        return replace(s, command=Command("INSERT", c.name))
    wanted = _columns(c, table)
    return replace(s, command=replace(c, plan=_given(c.plan, [value_of(n, table) for n in wanted])))


def value_of(column: str, table: Table) -> Expression:
    """What a column of a table has where an INSERT gives nothing: its DEFAULT or null."""
    types = {f.name.lower(): f.data_type for f in table.columns}
    known = {name.lower(): e for name, e in table.defaults}
    return known.get(column.lower()) or Literal(None, types[column.lower()])


def _columns(c: Command, table: Table) -> list[str]:
    """The columns of the table that the query gives, in its order."""
    known = {f.name.lower() for f in table.columns}
    fixed = {name.lower() for name, value in c.partition if value is not None}
    names = [f.name for f in c.columns] or [f.name for f in table.columns]
    return [n for n in names if n.lower() in known - fixed]


def _given(plan: LogicalPlan, values: Sequence[Expression]) -> LogicalPlan:
    match plan:
        case Sort():
            return plan.with_new_children((_given(plan.child, values),))
        case Project(items):
            return plan.rebuilt(plan.replace(projects=tuple(_item(e, i, values) for i, e in enumerate(items))))
        case UnresolvedInlineTable(_, rows):
            cells = tuple(tuple(_cell(e, i, values) for i, e in enumerate(row)) for row in rows)
            return plan.rebuilt(plan.replace(rows=cells))
    return plan


def _item(e: Expression, at: int, values: Sequence[Expression]) -> Expression:
    given = _cell(e, at, values)
    return e if given is e else e.rebuilt(Alias(given, "DEFAULT", next_id()))


def _cell(e: Expression, at: int, values: Sequence[Expression]) -> Expression:
    if _is_default(e):
        # Too many values are told of later.
        return values[at] if at < len(values) else Literal(None, NULL)
    wrong = next((a for a in e.collect(UnresolvedAttribute) if _is_default(a)), None)
    if wrong is not None:
        raise analysis_error(
            "DEFAULT_PLACEMENT_INVALID",
            "DEFAULT stands for a column's whole value in an INSERT: it cannot be part of an expression or be renamed.",
            None,
        )
    return e


def _is_default(e: Expression) -> bool:
    return isinstance(e, UnresolvedAttribute) and [p.upper() for p in e.parts] == ["DEFAULT"]
