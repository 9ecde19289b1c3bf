"""`planviz spark analyze`: statistics of real tables, as a catalogue that planviz plans with."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from planviz.cli.files import write_file
from planviz.cli.spark.session import JOB_LIMIT, QUERY_LIMIT, add_session, live_spark, progress, session_arguments


def add_analyze(parser: argparse.ArgumentParser) -> None:
    """The options of the part."""
    parser.add_argument("--tables", nargs="+", default=["*"], metavar="NAME", help="tables; also sales.* (default: *)")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the catalogue, written after each table")
    parser.add_argument("--resume", action="store_true", help="keep the tables that the file has already")
    add_session(parser)


def analyze(options: argparse.Namespace) -> int:
    """Count every table and write the catalogue after each, so that a stopped run can be resumed."""
    from json import dumps, loads

    from planviz.catalog.files import FORMAT, read_catalog

    path = Path(options.output)
    found: dict[str, Any] = {"format": FORMAT, "name": path.stem, "tables": {}}
    if options.resume and path.is_file():
        read_catalog(path)
        found = loads(path.read_text(encoding="utf-8"))
    arguments = session_arguments(options)
    live = live_spark(options)
    try:
        names = live.call("tables", {"tables": options.tables, **arguments}, limit=options.limit or QUERY_LIMIT)
        for at, name in enumerate(names, 1):
            told = f"{at} of {len(names)}, {name}"
            if name in found["tables"]:
                print(f"{told}: kept", file=sys.stderr)
                continue
            begin = time.monotonic()
            asked = {"table": name, **arguments}
            entry = live.call("analyze", asked, limit=options.limit or JOB_LIMIT, on_progress=progress(told))
            found["tables"][name] = entry
            write_file(path, (dumps(found, indent=1) + "\n").encode())
            print(f"{told}: {entry['stats']['rowCount']:,} rows, {time.monotonic() - begin:,.1f} s", file=sys.stderr)
    finally:
        live.close()
    return 0
