"""The queries of a text that has several: the one that a page is about is the one whose plan Explore shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from planviz.document import Document
from planviz.render.text import one_line
from planviz.ui import views
from planviz.ui.cache import derived
from planviz.ui.opened import Opened, in_worker
from planviz.units import duration

#: Characters of a statement that it is called by.
_LONGEST = 60


@dataclass(frozen=True)
class Query:
    """One of several queries: its `number`, from 1, what it is called, and the names of its plans in the text's order.

    `first` is the plan that is shown first of it, `milliseconds` how long it ran, where an event log tells that.
    """

    number: int
    words: str
    plans: tuple[str, ...]
    first: str
    milliseconds: int | None = None


@in_worker
def queries(opened: Opened) -> tuple[Query, ...]:
    """The queries of a text; none where it has one query or plan, or is a rule log."""
    document = opened.document
    if len(document.groups) < 2:
        return ()
    return tuple([_query(document, at) for at in range(len(document.groups))])


def _query(document: Document, at: int) -> Query:
    group = document.groups[at]
    statement = next((s for s in document.statements if {*s.plans} & {*group}), None)
    physical = [plan for plan in group if document.plans[plan].stage == "physical"]
    first = (physical or group)[-1]
    program = document.recognised.endswith(" program")
    words = "" if program else views.tables_of(document.plans[first])
    if statement is not None and statement.sql:
        words = f"{words or one_line(statement.sql, _LONGEST)} · line {statement.line}"
    words = words or one_line(document.plans[first].title, _LONGEST)
    if number := views.executed(document, group):  # an execution has a number of its own
        ran = next(document.plans[plan] for plan in group if document.plans[plan].milliseconds is not None)
        words = words.removeprefix(f"{number}: ")
        took = f"{duration(ran.milliseconds or 0)}{', failed' if ran.failure else ''}"
        told = f"#{number} · {words} · {took}"
        return Query(at + 1, told, tuple(map(str, group)), str(first), ran.milliseconds)
    return Query(at + 1, f"{at + 1} · {words}", tuple(map(str, group)), str(first))


def query_of(opened: Opened, plan: str) -> Query | None:
    """The query that a plan of the text belongs to; None where the text has no several, or none of them has it."""
    return next((query for query in queries(opened) if plan in query.plans), None)


def number_of(opened: Opened, plan: str) -> int | None:
    """The number of the query of a plan; None of a text with one."""
    query = query_of(opened, plan)
    return None if query is None else query.number


def first_of(opened: Opened, number: str) -> str | None:
    """The plan shown first of the query of this number, as an address has it; None where there is none."""
    return next((query.first for query in queries(opened) if str(query.number) == number), None)


def alone(opened: Opened, plan: str) -> Opened:
    """The document of the query that a plan belongs to, where the text has several; else the document itself."""
    query = query_of(opened, plan)
    if query is None:
        return opened
    return derived(opened, _variant(query), partial(Document.alone, group=query.number - 1)) or opened


def address_of(opened: Opened, plan: str) -> dict[str, str]:
    """The part of an address that names the query of a plan; nothing of a text with one."""
    query = query_of(opened, plan)
    return {} if query is None else {"query": str(query.number)}


def has(opened: Opened, plan: str, statement: int | None, index: int | None) -> bool:
    """Whether the query of a plan is that of a statement, or of the pasted plan of this index."""
    query = query_of(opened, plan)
    if query is None:
        return False
    plans = (index,) if statement is None else opened.document.statements[statement].plans
    return not {*map(str, plans)}.isdisjoint(query.plans)


def is_about(told: Opened, opened: Opened, plan: str) -> bool:
    """Whether a document that `alone` gave of `opened` is that of the query of a plan."""
    query = query_of(opened, plan)
    return query is None or told.source.variant.endswith(_variant(query))


def _variant(query: Query) -> str:
    return f"query-{query.number}"
