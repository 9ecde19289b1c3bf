"""`planviz spark`: what only a live Spark knows."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module

#: The parts: module of this package, functions that add its options and run it, help. Loaded when asked for.
_PARTS = {
    "capture": ("add_capture", "capture", "plans, rules and measured rows of queries, as files that planviz opens"),
    "compare": ("add_compare", "compare_queries", "the same query by planviz and by Spark: plans, rules, estimates"),
    "ingest": ("add_ingest", "ingest", "read event logs into a catalogue of executions (Parquet)"),
    "analyze": ("add_analyze", "analyze", "statistics of real tables, as a catalogue that planviz plans with"),
    "sample-data": ("add_sample_data", "sample_data", "make the tables of a small shop, at any scale (Parquet)"),
}


def add_spark(parser: argparse.ArgumentParser) -> None:
    """The parts of `planviz spark` and their options."""
    parts = parser.add_subparsers(dest="part", metavar="|".join(_PARTS), required=True)
    for name, (add, _, told) in _PARTS.items():
        _part(name, add)(parts.add_parser(name, help=told, description=f"{told[0].upper()}{told[1:]}."))


def spark(options: argparse.Namespace) -> int:
    """Run one part; its status."""
    status: int = _part(options.part, _PARTS[options.part][1])(options)
    return status


def _part(name: str, function: str) -> Callable[..., int]:
    found: Callable[..., int] = getattr(import_module(f"planviz.cli.spark.{name.replace('-', '_')}"), function)
    return found
