"""`planviz explain`: the plans of every query of an SQL file or a PySpark program, as Spark's `explain` prints them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from planviz.cli.files import read_text, say, show_each
from planviz.cli.optimize import error_json, errors_of, statement_json
from planviz.cli.settings import catalog_of, config_of, is_plan, open_file
from planviz.errors import AnalysisError, InputError, ParseError, PlanvizError
from planviz.expressions.subqueries import QueryPlan

if TYPE_CHECKING:
    from planviz.document.model import Document, PlaceOf, SqlStatement
    from planviz.execution import QueryExecution
    from planviz.programs import Program


def explain(options: argparse.Namespace) -> int:
    """Print each file's plans; what fails goes to standard error and stops nothing else."""

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        from planviz.document.opening.sizes import NOT_OF_PROGRAMS
        from planviz.programs import looks_like_program

        text = read_text(name)
        program = name.endswith((".py", ".ipynb", ".scala", ".java")) or (
            looks_like_program(text) and not is_plan(text)
        )
        if program:
            if options.size:
                raise InputError(NOT_OF_PROGRAMS)
            shown = _program(text, options)
            if shown is not None:
                return shown
        document = open_file(text, options, "physical")
        if options.format == "json":
            statements = [
                {
                    **statement_json(s),
                    "line": s.line,
                    **_plans(s.execution, s.error),
                    **({"origin": _written(document, s.execution)} if options.origin and _is_planned(s) else {}),
                    "error": error_json(s.error),
                }
                for s in document.statements
            ]
            return json.dumps({"file": name, "statements": statements}, indent=1) + "\n", errors_of(document)
        if options.stage is not None:
            return "\n".join(filter(None, [s.text(options.stage) for s in document.statements])), errors_of(document)
        planned = [s.execution for s in document.statements if _is_planned(s)]
        if options.origin:
            return "\n".join(_written(document, execution) for execution in planned), errors_of(document)
        return "\n".join(e.explain_string(options.mode) for e in planned if e is not None), errors_of(document)

    return show_each(options.files, options.out, "json" if options.format == "json" else "txt", show)


def _is_planned(statement: SqlStatement) -> bool:
    return statement.execution is not None and statement.error is None


def _written(document: Document, execution: QueryExecution | None) -> str:
    """The origins of a query's physical plan; of a pasted plan nobody knows what was written."""
    if execution is None or document.place_of is None:
        raise InputError("--origin is for SQL and programs: a plan's text does not tell where its operators were made.")
    return _origins(document.place_of, execution.physical)


def _plans(execution: QueryExecution | None, error: PlanvizError | None) -> dict[str, object]:
    if execution is None or error is not None:
        return {"extended": None, "formatted": None}
    return {"extended": execution.explain_string("extended"), "formatted": execution.explain_string("formatted")}


def _text(execution: QueryExecution, options: argparse.Namespace) -> str:
    text: str = execution.explain_string(options.mode) if options.stage is None else execution.text(options.stage)
    return text


def _origins(place_of: PlaceOf, plan: QueryPlan) -> str:
    """Every operator of a plan, indented, with the line and column of the call or clause that made it."""
    lines: list[str] = []
    stack: list[tuple[QueryPlan, int, tuple[int, int] | None]] = [(plan, 0, None)]
    while stack:
        node, depth, above = stack.pop()
        # Exchanges and sorts are there for the operator above.
        place = place_of(node) or above
        shown = "" if place is None else f"{place[0]}:{place[1]}"
        lines.append(f"{shown:>8}  {'  ' * depth}{node.node_name}")
        stack += [(c, depth + 1, place) for c in reversed((*node.children, *node.inner_children))]
    return "\n".join(lines) + "\n"


def _program(text: str, options: argparse.Namespace) -> tuple[str, Sequence[PlanvizError]] | None:
    """What a program's actions print, and their errors; None where it has none, and SQL in its strings has plans."""
    from planviz.document.opening.embedded_sql import holds_sql
    from planviz.programs import read_program

    try:
        program = read_program(text, catalog_of(options), config_of(options), options.infer)
    except ParseError as failure:
        if options.format != "json":
            raise
        empty = {"actions": [], "error": {"line": failure.line, "condition": "SyntaxError", "message": str(failure)}}
        return json.dumps({**empty, "not_understood": []}, indent=1) + "\n", [failure]
    error, place_of = program.error, program.position_of
    told: list[PlanvizError] = []
    if error is not None:
        shown = f"line {error.place.line}, column {error.place.column}: {error.message}"
        told.append(InputError(shown if error.message.startswith("[") else f"{shown} [{error.condition}]"))
    if options.format == "json":
        return json.dumps(_program_json(program, options.origin), indent=1) + "\n", told
    if not program.actions and not told and holds_sql(text):
        return None
    for line, why in program.not_understood:
        say(f"planviz: note: line {line}: {why}")
    for note in program.notes:
        say(f"planviz: note: {note}")
    parts = []
    for a in program.actions:
        heading = f"-- {a.name}, line {a.place.line}\n"
        if a.error is not None:
            told.append(AnalysisError("NOT_PLANNED", str(a.error), line=a.place.line, column=a.place.column))
            continue
        shown = _origins(place_of, a.query.physical) if options.origin else _text(a.query, options)
        parts.append(heading + shown)
    if not parts and not told:
        told.append(InputError("there is no DataFrame with an action in the program; only queries have plans."))
    return "\n".join(parts), told


def _program_json(program: Program, origin: bool) -> dict[str, object]:
    """What is told of a program as JSON values; with `origin` also where each operator was made."""
    error, place_of = program.ends(), program.position_of
    return {
        "actions": [
            {
                "line": a.place.line,
                "column": a.place.column,
                "action": a.name,
                **_plans(a.execution, a.error),
                **({} if a.error is not None or a.runs is None else {"run": a.runs.explain_string("extended")}),
                **({"origin": _origins(place_of, a.query.physical)} if origin and not a.error else {}),
            }
            for a in program.actions
        ],
        "error": error
        and {
            "line": error.place.line,
            "column": error.place.column,
            "condition": error.condition,
            "message": error.message,
        },
        "not_understood": [list(entry) for entry in program.not_understood],
        "notes": program.notes,
        "shared": [
            {
                "line": None if s.place is None else s.place.line,
                "operator": s.plan.node_name,
                "actions": [a.place.line for a in s.actions],
                "keeps": {"rows": s.rows, "bytes": s.size},
                "saves": s.saved,
            }
            for s in program.shared
        ],
    }
