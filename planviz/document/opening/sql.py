"""SQL opened: every query of the text planned by our own Catalyst, definitions kept for what follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.document.model import Document, PlaceOf, SqlStatement, StatementKind
from planviz.document.opening.embedded_sql import embedded_sql
from planviz.document.opening.plans import planned
from planviz.document.opening.sizes import NOT_OF_PROGRAMS, Sizes
from planviz.document.opening.unknown_texts import with_unknown_texts
from planviz.errors import InputError
from planviz.execution import Outcome, Session
from planviz.frontend import Parameters
from planviz.frontend.elsewhere import COMMANDS
from planviz.frontend.lexer import line_and_column
from planviz.graph import PlanGraph
from planviz.graph.trace import RuleTrace
from planviz.trees.node import TreeNode
from planviz.trees.origin import origin_of


def open_sql(
    text: str,
    catalog: Catalog | None = None,
    config: OptimizerConfig | None = None,
    *,
    params: Parameters | None = None,
    infer: bool | None = None,
    stage: str = "physical",
    sizes: Mapping[str, int] | None = None,
) -> Document:
    """Plan the queries of a text up to `stage`, with the catalogue's tables and the settings.

    `params` are the values of `:name` (by name) or `?` (in order). `infer` says to guess tables that are not known;
    None: where there is nothing, neither a catalogue nor a table that the text defines. `sizes` are bytes by a table's
    name, or its last part, in any case: they count before what the catalogue, the text or a guess says of the table.
    Definitions (CREATE TABLE, CREATE VIEW, CACHE TABLE, SET ...) count for the statements after them; nothing is
    executed. Nodes of a statement's plans and steps share their identities. Raises ParseError when the text cannot be
    read; SQL in a notebook's cell, a program or a dbt model is taken out of it before. Any later error stands in
    `Document.error` and with its statement, and what was reached before it is there. A size of a table that no query
    reads is told among the notes. Raises InputError for sizes of a program.
    """
    from planviz.document.opening.programs import open_program

    program = open_program(text, catalog, config, infer)
    if program is not None:
        if sizes:
            raise InputError(NOT_OF_PROGRAMS)
        return program
    sql, around = embedded_sql(text)

    def opened(parameters: Parameters | None, until: str, said: Sequence[str] = ()) -> Document:
        return _opened(text, sql, Session(catalog, config, parameters, infer), until, sizes, said)

    parameters, unknown = with_unknown_texts(sql, params, lambda given: opened(given, "analyzed"))
    document = opened(parameters, stage, unknown)
    return replace(document, notes=(*document.notes, *around))


def _opened(
    text: str, sql: str, session: Session, stage: str, sizes: Mapping[str, int] | None, said: Sequence[str]
) -> Document:
    """The document of SQL that was found in a text; what is `said` of all of it is a warning of its first query."""
    place_of = places_in(sql)
    plans: list[PlanGraph] = []
    statements: list[SqlStatement] = []
    known = Sizes(sizes or {})
    for first in session.run(sql, stage):
        outcome = known.applied(first, stage)
        statement, made = _statement(outcome, text, place_of, len(statements), len(plans))
        statements.append(statement)
        plans += made
    for execution in [s.execution for s in statements if s.execution is not None][:1]:
        execution.warnings += [*known.unread, *said]
    recognised, reasons = _recognised(statements)
    errors = [s.error for s in statements if s.error is not None]
    return Document(
        text,
        recognised,
        reasons,
        tuple(plans),
        next((s.trace for s in reversed(statements) if s.trace), RuleTrace()),
        notes=notes_of(statements),
        statements=tuple(statements),
        error=errors[0] if errors else None,
        place_of=place_of,
    )


def _statement(
    outcome: Outcome, text: str, place_of: PlaceOf, index: int, before: int
) -> tuple[SqlStatement, Sequence[PlanGraph]]:
    """A statement of a text with its plans, of which there are `before` of the statements in front of it."""
    plans, trace, unprinted = planned(outcome.execution, place_of, later=before > 0)
    places = tuple(range(before, before + len(plans)))
    s = outcome.statement
    line = text.count("\n", 0, s.start) + 1
    error = outcome.error or unprinted
    if isinstance(error, InputError) and line > 1:
        # What is wrong with a statement as a whole is wrong where it begins.
        error = error.placed(line, s.start - text.rfind("\n", 0, s.start))
    return SqlStatement(index, _kind(outcome), s.sql, line, places, trace, error, outcome.execution), plans


def places_in(text: str) -> PlaceOf:
    """What tells the place in a text that an operator comes from; None for one of another text (a stored view)."""

    def place(node: object) -> tuple[int, int] | None:
        origin = origin_of(node) if isinstance(node, TreeNode) else None
        return line_and_column(*origin) if origin is not None and origin[0] is text else None

    return place


def _kind(outcome: Outcome) -> StatementKind:
    if outcome.statement.kind == "query" or outcome.execution is not None:
        return "query"
    return "unsupported" if outcome.statement.kind == "unsupported" else "ddl"


def _where(told: list[SqlStatement], statements: Sequence[SqlStatement], shown: int | None) -> str:
    """Which statements a note is about; nothing where that is every query, or the one that is looked at."""
    here = {s.index for s in told}
    if len(statements) == 1 or here == {shown} or (len(here) > 1 and here >= {s.index for s in statements if s.plans}):
        return ""
    if len(here) == 1:
        return f"Statement {told[0].index + 1}, line {told[0].line}: "
    return f"Statements {', '.join(str(i + 1) for i in sorted(here))}: "


def _recognised(statements: list[SqlStatement]) -> tuple[str, tuple[str, ...]]:
    queries = sum(s.kind == "query" for s in statements)
    if len(statements) == 1 and queries:
        return "SQL query", (f"begins with {statements[0].sql.split(None, 1)[0].upper()}", "planned by planviz itself")
    counted = [f"{len(statements)} statements", "1 query" if queries == 1 else f"{queries} queries"]
    return "SQL script", (", ".join(counted), *(("planned by planviz itself",) if queries else ()))


_PASSED_OVER = {
    word: f"{word} is a command of {whose}, not of Spark, and has no plan." for word, whose in COMMANDS.items()
}


def notes_of(statements: Sequence[SqlStatement], shown: int | None = None) -> tuple[str, ...]:
    """What is to be said of statements, each sentence once with the statements that it is about.

    `shown` is the index of the one that is looked at: of the others only errors are told, and nothing is said twice.
    """
    about: dict[str, list[SqlStatement]] = {}
    for s in statements:
        if s.error is not None:
            about.setdefault(str(s.error), []).append(s)
        elif s.kind == "unsupported":
            word = s.sql.split(None, 1)[0].upper()
            passed = _PASSED_OVER.get(
                word, "{} is no query and defines nothing that is known here; it was passed over."
            )
            passed = passed.format(word)
            about.setdefault(passed, []).append(s)
        if s.execution is not None and shown in (None, s.index):
            for warning in s.execution.warnings:
                about.setdefault(warning, []).append(s)
    notes = [_where(told, statements, shown) + note for note, told in about.items()]
    if not any(s.kind == "query" or s.error is not None for s in statements):
        notes.append("The text holds no query, so there is no plan to show.")
    return tuple(notes)
