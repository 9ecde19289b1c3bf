"""Programs opened: every action is a statement with the plans of its query, each operator at its line."""

from __future__ import annotations

from dataclasses import replace

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.document.model import Document, SqlStatement
from planviz.document.opening.embedded_sql import holds_sql
from planviz.document.opening.plans import planned
from planviz.errors import AnalysisError, NotAPlan, ParseError
from planviz.graph import PlanGraph
from planviz.graph.trace import RuleTrace
from planviz.programs import Program, ProgramError, imports_spark, looks_like_program, other_language, read_program


class NoActions(NotAPlan):
    """A program from which no plan comes."""


def open_program(
    text: str, catalog: Catalog | None = None, config: OptimizerConfig | None = None, infer: bool | None = None
) -> Document | None:
    """The document of a program; None for a text that is none.

    Nothing of the program is run. Its first error stands in `Document.error`; where the program ends there before its
    first action, it is raised as AnalysisError, unless SQL in the program's strings can be opened instead. Raises
    NoActions where it ends without any, and NotAPlan for a language that is not read.
    """
    if (found := other_language(text)) is not None and not holds_sql(text):
        raise _unread(*found)
    if not looks_like_program(text):
        return None
    try:
        program = read_program(text, catalog, config, infer)
    except ParseError:
        return None
    has_sql = holds_sql(text)
    if not program.actions and program.error is not None and not has_sql:
        raise _error(program.error)
    if program.actions:
        return _document(text, program)
    if not has_sql and imports_spark(text):
        raise _without_actions(program)
    return None


def _unread(language: str, line: int) -> NotAPlan:
    return NotAPlan(
        f"This is a program in {language}; planviz reads programs in Python, Scala and Java. Paste what its explain "
        "prints, with explain(true) all of it, or the SQL that it runs.",
        line=line,
    )


def _without_actions(program: Program) -> NoActions:
    line, why = next(iter(program.not_understood), (1, ""))
    return NoActions(
        f"This {program.language} program was read, and nothing in it makes a DataFrame whose plan could be shown. "
        + (f"Line {line}: {why}" if why else "Paste the part that reads tables or files, too."),
        line=line,
    )


def _error(error: ProgramError) -> AnalysisError:
    message = error.message.removeprefix(f"[{error.condition}] ")
    return AnalysisError(error.condition, message, line=error.place.line, column=error.place.column)


def _document(text: str, program: Program) -> Document:
    plans: list[PlanGraph] = []
    statements: list[SqlStatement] = []

    for index, action in enumerate(program.actions):
        # Asking for the error plans the action to its end; only then are all its stages there.
        error = action.error
        made, trace, unprinted = planned(action.query, program.position_of, later=index > 0)
        places = tuple(range(len(plans), len(plans) + len(made)))
        plans += made
        shown = action.text or action.name
        statements.append(
            SqlStatement(index, "query", shown, action.place.line, places, trace, error or unprinted, action.query)
        )
    told = None if program.error is None else _error(program.error)
    count = len(statements)
    reasons = ("one action" if count == 1 else f"{count} actions", "read as text, never run; planned by planviz itself")
    notes = [*([str(told)] if told else []), *program.notes]
    notes += [f"Line {line}: {why}" for line, why in program.not_understood[:50]]
    notes += dict.fromkeys(w for s in statements if s.execution is not None for w in s.execution.warnings)
    return replace(
        Document(
            text,
            f"{program.language} program",
            reasons,
            tuple(plans),
            next((s.trace for s in reversed(statements) if s.trace), RuleTrace()),
        ),
        notes=tuple(notes),
        statements=tuple(statements),
        error=told or next((s.error for s in statements if s.error is not None), None),
        place_of=program.position_of,
        code=None if program.text.count("\n") == text.count("\n") else program.text,
    )
