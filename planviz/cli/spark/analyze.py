"""`planviz spark analyze`: statistics of real tables, as a catalogue that planviz plans with."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from planviz.cli.files import say, write_file
from planviz.cli.spark.session import JOB_LIMIT, QUERY_LIMIT, add_session, live_spark, progress, session_arguments
from planviz.jsontypes import JsonObject


def add_analyze(parser: argparse.ArgumentParser) -> None:
    """The options of the part."""
    parser.add_argument("--tables", nargs="+", default=["*"], metavar="NAME", help="tables; also sales.* (default: *)")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the catalogue, written after each table")
    parser.add_argument("--exact", action="store_true", help="Spark's own ANALYZE, which stores its numbers there, too")
    parser.add_argument("--histograms", action="store_true", help="histograms, too: about three times the CPU")
    parser.add_argument(
        "--sample", default="", metavar="SHARE|ROWS",
        help="count 0.01 of the rows, or 100000; distinct values are then estimated (Duj1), with a range",
    )  # fmt: skip
    parser.add_argument("--resume", action="store_true", help="keep the tables that the file has already")
    add_session(parser)


def analyze(options: argparse.Namespace) -> int:
    """Count every table and write the catalogue after each, so that a stopped run can be resumed.

    A table that cannot be counted is told and makes the status 1; the others are counted.
    """
    from planviz.errors import PlanvizError, SparkLost

    path = Path(options.output)
    found = _begun(path, options.resume)
    arguments = session_arguments(options)
    way = {"exact": options.exact, "histograms": options.histograms, "sample": options.sample}
    live = live_spark(options)
    failed = 0
    try:
        names = live.call("tables", {"tables": options.tables, **arguments}, limit=options.limit or QUERY_LIMIT)
        for at, name in enumerate(names, 1):
            told = f"{at} of {len(names)}, {name}"
            if options.resume and name in found["tables"]:
                say(f"{told}: kept")
                continue
            begin = time.monotonic()
            asked = {"table": name, **way, **arguments}
            try:
                entry = live.call("analyze", asked, limit=options.limit or JOB_LIMIT, on_progress=progress(told))
            except SparkLost:
                raise
            except PlanvizError as error:
                failed += 1
                say(f"{told}: {error}")
                continue
            found["tables"][name] = entry
            _write_whole(path, found)
            say(f"{told}: {entry['stats']['rowCount']:,} rows, {time.monotonic() - begin:,.1f} s")
    except KeyboardInterrupt:
        say(f"planviz: stopped; tables in {path}: {len(found['tables'])}; --resume goes on.")
        return 130
    finally:
        live.close()
    return 1 if failed else 0


def _begun(path: Path, resume: bool) -> JsonObject:
    """The catalogue to go on with: the file's with `resume`, if there is one, else one without tables.

    Raises InputError for a file that is no catalogue.
    """
    from json import loads

    from planviz.catalog.files import FORMAT, read_catalog

    if resume and path.is_file():
        read_catalog(path)
        found: JsonObject = loads(path.read_text(encoding="utf-8"))
        return found
    return {"format": FORMAT, "name": path.stem, "tables": {}}


def _write_whole(path: Path, document: dict[str, object]) -> None:
    """Put the file in place at once: whoever stops this finds the old one or the new one."""
    from json import dumps

    new = path.with_name(f".{path.name}.new")
    write_file(new, (dumps(document, indent=1) + "\n").encode())
    os.replace(new, path)
