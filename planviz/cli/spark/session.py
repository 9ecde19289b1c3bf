"""What the parts of `planviz spark` share: which Spark, with which tables, and progress."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from planviz.cli.files import read_text, say
from planviz.cli.settings import catalog_of, pairs

if TYPE_CHECKING:
    from planviz.spark.process import LiveSpark

#: Seconds that one query may take.
QUERY_LIMIT = 600.0
#: Seconds that a job over tables or logs may take: as long as it needs.
JOB_LIMIT = 30 * 86_400.0


def add_master(parser: argparse.ArgumentParser) -> None:
    """Which Spark, and how much it may take."""
    parser.add_argument(
        "--master", default="local[*]", help="local[*] (default), spark://host:7077, yarn, or sc://host:15002 (Connect)"
    )
    parser.add_argument("--memory", default="2g", help="memory of Spark's driver (default: 2g)")
    parser.add_argument("--conf", metavar="KEY=VALUE", action="append", default=[], help="a spark.* setting")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="stop after so long (a query: 600)")


def add_session(parser: argparse.ArgumentParser) -> None:
    """Which Spark, and where its tables come from."""
    add_master(parser)
    parser.add_argument("--catalog", metavar="NAME|FILE", help="make these tables, empty, with their statistics")
    parser.add_argument("--data", metavar="DIR", help="a folder of Parquet tables")
    parser.add_argument("--setup", metavar="FILE", help="SQL of yours that is executed first, whatever it does")


def live_spark(options: argparse.Namespace) -> LiveSpark:
    """The Spark of the options; it starts with its first task."""
    from planviz.spark.process import LiveSpark, SparkSettings

    return LiveSpark(SparkSettings(options.master, tuple(pairs(options.conf, "--conf").items()), options.memory))


def session_arguments(options: argparse.Namespace) -> dict[str, object]:
    """What a task is told of the tables and the settings; see `planviz.spark.tasks.capture`."""
    from planviz.catalog.files import write_catalog

    found: dict[str, object] = {}
    if options.master.startswith("sc://"):
        found["conf"] = pairs(options.conf, "--conf")
    if options.catalog:
        found["catalog"] = write_catalog(catalog_of(options))
    if options.data:
        found["data"] = str(Path(options.data).resolve())
    if options.setup:
        found["setup"] = read_text(options.setup)
    return found


def progress(name: str) -> Callable[[str], None]:
    """Says on a terminal what a task is at."""
    return lambda at: say(f"{name}: {at} …") if sys.stderr.isatty() else None
