"""`planviz optimize`: one stage of every query of an SQL file, as Spark's extended explain prints it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from planviz.cli.files import read_text, show_each
from planviz.cli.settings import open_file
from planviz.document import Document, SqlStatement
from planviz.errors import InputError, PlanvizError

_ENDINGS = {"text": "txt", "json": "json", "dot": "dot", "mmd": "mmd"}


def optimize(options: argparse.Namespace) -> int:
    """Print a stage of each file's queries; what fails goes to standard error and stops nothing else."""

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        document = open_file(read_text(name), options, options.stage)
        return _shown(document, name, options), errors_of(document)

    return show_each(options.files, options.out, _ENDINGS[options.format], show)


def _shown(document: Document, name: str, options: argparse.Namespace) -> str:
    if options.format == "json":
        statements = [
            {**statement_json(s), "text": s.text(options.stage), "error": error_json(s.error)}
            for s in document.statements
        ]
        return json.dumps({"file": name, "statements": statements}, ensure_ascii=True, indent=1) + "\n"
    if options.format == "text":
        return "\n".join(text for s in document.statements if (text := s.text(options.stage)) is not None)
    from planviz.render import render

    plans = [plan for plan in document.plans if plan.stage == options.stage]
    return "".join(render(plan, options.format).decode("utf-8") for plan in plans)


def statement_json(statement: SqlStatement) -> dict[str, object]:
    """What every JSON form says of a statement."""
    return {"i": statement.index, "kind": statement.kind, "sql": statement.sql}


def statement_heading(statement: SqlStatement) -> str:
    """The line above what is told of one of several statements."""
    return f"Statement {statement.index + 1}, line {statement.line}\n"


def error_json(error: PlanvizError | None) -> dict[str, object] | None:
    """An error as JSON: Spark's class where it has one, message, line and column from 1."""
    if error is None:
        return None
    return {
        "class": getattr(error, "error_class", type(error).__name__),
        "message": str(error),
        "line": getattr(error, "line", None),
        "column": getattr(error, "column", None),
    }


def errors_of(document: Document) -> list[PlanvizError]:
    """The errors of a document's statements; one when there is no query at all."""
    errors = [s.error for s in document.statements if s.error is not None]
    if not errors and not any(s.kind == "query" for s in document.statements):
        notes = [note for note in document.notes if not note.startswith("The text holds no query")]
        return [InputError(" ".join(["there is no query in the text; only queries have plans.", *notes]))]
    return errors
