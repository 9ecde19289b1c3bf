"""The queries of all files, captured one after the other."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from planviz.cli.files import complain, read_text
from planviz.cli.spark.session import QUERY_LIMIT, live_spark, progress, session_arguments
from planviz.errors import PlanvizError
from planviz.jsontypes import JsonObject

#: What is done with a query: its name, text and capture, and whether there are several; answers a status.
Use = Callable[[str, str, JsonObject, bool], int]


def capture_each(options: argparse.Namespace, run: bool, use: Use) -> int:
    """Capture the queries of all files and use each; the largest status. A query that fails stops no other."""
    from planviz.spark.safety import queries_of

    status = 0
    queries: list[tuple[str, str]] = []
    for name in options.files:
        try:
            found = queries_of(read_text(name))
        except PlanvizError as error:
            status = _failed(name, error)
            continue
        stem = "stdin" if name == "-" else Path(name).stem
        queries += [(f"{stem}-{at}" if len(found) > 1 else stem, q.sql) for at, q in enumerate(found, 1)]
    if not queries:
        return status
    arguments = session_arguments(options)
    live = live_spark(options)
    try:
        for stem, sql in queries:
            try:
                asked = {"sql": sql, "run": run, **arguments}
                captured = live.call("capture", asked, limit=options.limit or QUERY_LIMIT, on_progress=progress(stem))
                status = max(status, use(stem, sql, captured, len(queries) > 1))
            except PlanvizError as error:
                status = _failed(stem, error)
    finally:
        live.close()
    return status


def _failed(name: str, error: PlanvizError) -> int:
    complain(name, error)
    return 2
