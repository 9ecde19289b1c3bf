"""What `planviz play` takes; apart, so that no other command loads what plays."""

from __future__ import annotations

import argparse

from planviz.cli.settings import add_settings

_OPERATORS = (
    "BroadcastHashJoin, ShuffledHashJoin, SortMergeJoin, BroadcastNestedLoopJoin, CartesianProduct, Aggregate (as the "
    "planner chooses), HashAggregate, ObjectHashAggregate, SortAggregate, Sort"
)
_ROWS = "rows as SQL (VALUES (1, 'x') AS a(k, v)) or a CSV file"


def add_play(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    add = parser.add_argument
    add("what", metavar="OPERATOR|FILE", help=f"{_OPERATORS}; or a file of SQL, - for standard input")
    add("-o", "--output", metavar="OUT", help="OUT.{html,txt,json}; default: text")
    add("--left", metavar="ROWS", help=f"a join's left side: {_ROWS}")
    add("--right", metavar="ROWS", help="its right side")
    add("--on", metavar="COLUMNS|CONDITION", default="", help="k, or a.k = b.k AND a.v < b.w")
    add("--type", default="inner", help="inner, cross, left, right, full, semi, anti, not-in or existence")
    add("--build", choices=("left", "right"), help="the side that is hashed or broadcast")
    add("--input", metavar="ROWS", help="what is aggregated or sorted")
    add("--group-by", metavar="KEYS", default="")
    add("--select", metavar="FUNCTIONS", default="count(*)", help="aggregate functions")
    add("--order-by", metavar="KEYS", help="of a Sort")
    add("--rows", metavar="TABLE=CSV", action="append", default=[], help="rows of a table of the SQL file")
    add("--operator", metavar="NAME", help="only the operators of this name, of the SQL file")
    add("--slices", type=_count, default=2, metavar="N", help="partitions of the input (2)")
    add("--partitions", type=_count, default=4, metavar="N", help="partitions of a shuffle (4)")
    add("--capacity", type=_count, metavar="N", help="keys, or rows of a sort, that memory holds")
    add("--fallback", type=_count, metavar="N", help="rows after which a hash map is spilled")
    add("--threshold", type=_count, default=128, metavar="N", help="keys of an object hash map (128)")
    add("--theme", choices=("light", "dark"), help="of the page; default: the reader's system")
    add("--title", metavar="TEXT")
    add_settings(parser)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: at least 1")
    return number
