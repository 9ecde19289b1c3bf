"""`planviz spark sample-data`: tables of a small shop at any scale, and their catalogue."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from planviz.cli.files import write
from planviz.cli.spark.session import JOB_LIMIT, add_master, live_spark, progress


def add_sample_data(parser: argparse.ArgumentParser) -> None:
    """The options of the part."""
    parser.add_argument("--scale", default="1", metavar="N", help="1 (default) is a million orders, about 150 MB")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="folder or URL that Spark can write")
    parser.add_argument("--tables", nargs="+", metavar="NAME", help="only these: stores items users orders events")
    add_master(parser)


def sample_data(options: argparse.Namespace) -> int:
    """Make the tables and say how many rows each has."""
    folder = options.output if "://" in options.output else str(Path(options.output).absolute())
    asked = {"folder": folder, "scale": options.scale, "tables": options.tables}
    live = live_spark(options)
    begin = time.monotonic()
    try:
        made = live.call("sample_data", asked, limit=options.limit or JOB_LIMIT, on_progress=progress("sample-data"))
    finally:
        live.close()
    for name, rows in made["rows"].items():
        write(f"{name:<8} {rows:>15,} rows\n")
    write(f"{options.output}: {time.monotonic() - begin:,.1f} s\n")
    if "://" in folder or not made["catalogue"]["tables"]:
        write("No catalogue beside them: planviz spark analyze makes it.\n")
    return 0
