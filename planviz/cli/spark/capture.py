"""`planviz spark capture`: plans, rules and measured rows of queries, as files that planviz opens."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from planviz.cli.files import write
from planviz.cli.spark.queries import capture_each
from planviz.cli.spark.session import add_session
from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.units import duration

if TYPE_CHECKING:
    from planviz.document import Document


def add_capture(parser: argparse.ArgumentParser) -> None:
    """The options of the part."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="SQL queries; - for standard input")
    parser.add_argument("--run", action="store_true", help="execute the queries; without it they are planned only")
    parser.add_argument("-o", "--output", metavar="OUT", help="OUT.planviz.json.gz; a folder for several queries")
    add_session(parser)


def capture(options: argparse.Namespace) -> int:
    """Capture every query of every file; one that fails stops no other. 1 when one failed while it ran."""
    from planviz.spark.capture_file import capture_text, write_capture

    def keep(stem: str, sql: str, captured: JsonObject, several: bool) -> int:
        path = _path(options.output, stem, several)
        write_capture(captured, path)
        write(_summary(captured, path, capture_text(captured)))
        return int("failed" in captured.get("executed", ()))

    return capture_each(options, options.run, keep)


def _path(output: str | None, stem: str, several: bool) -> Path:
    from planviz.spark.capture_file import ENDING

    if output is None:
        return Path(f"{stem}{ENDING}")
    path = Path(output)
    if several or path.is_dir():
        if path.suffix:
            raise InputError(f"{output}: several queries are written to a folder; name one.")
        path.mkdir(parents=True, exist_ok=True)
        return path / f"{stem}{ENDING}"
    return path


def _summary(captured: JsonObject, path: Path, text: str) -> str:
    from planviz.document import open_text

    document = open_text(text)
    spark, times = captured["spark"], captured["milliseconds"]
    told = [f"{path}: Spark {spark['version']}, planned in {duration(times['planned'])}"]
    if document.trace.steps:
        replayed = f" (followed in {duration(times['replayed'])})" if "replayed" in times else ""
        told.append(f"{len(document.trace.steps)} rules at work{replayed}")
    executed = captured.get("executed")
    if executed and "failed" in executed:
        told.append(f"failed after {duration(executed['milliseconds'])}: {executed['failed']}")
    elif executed:
        rows = "1 row" if executed["rows"] == 1 else f"{executed['rows']:,} rows"
        told.append(f"ran in {duration(executed['milliseconds'])}, {rows}")
    return ", ".join(told) + "\n" + (_operators(document) if executed else "")


def _operators(document: Document) -> str:
    """The operators that ran: rows that were expected and measured, and how far these are apart."""
    from planviz.document.cardinality.measurements import measured_text, run_rows

    return "".join(f"  {line}" for line in measured_text(run_rows(document.plans[-1])).splitlines(keepends=True))
