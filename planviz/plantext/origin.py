"""Which engine printed a plan, and which versions of Spark print so: read from names and spellings alone.

A spelling tells a bound: `[plan_id=` came with 3.3, `CustomShuffleReader` went with 3.2. Vendors carry spellings back
into older versions, so bounds that contradict each other tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from planviz.graph import PlanGraph, PlanNode

_MOST_OPERATORS = 400
_NUMBERED = re.compile(r" \(\d+\)$")

_ENGINES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Databricks Photon", re.compile(r"Photon[A-Z]")),
    ("RAPIDS Accelerator", re.compile(r"Gpu[A-Z]|HostColumnarToGpu$")),
    ("DataFusion Comet", re.compile(r"Comet[A-Z]")),
    ("Gluten (ClickHouse)", re.compile(r"CH[A-Z]\w+(?:Transformer|ToRow|Columnar)|RowToCHNative")),
    ("Gluten (Velox)", re.compile(r"Velox[A-Z]|RowToVelox|\w+(?:Exec)?Transformer$")),
    ("Auron", re.compile(r"ConvertToNative$|Native(?:Parquet|Orc)Scan$|Native(?:Project|Filter|ShuffleExchange|Agg)$")),
    ("Apache Sedona", re.compile(r"(?:Range|Distance|BroadcastIndex)Join$|SpatialIndex$")),
)
_OLDEST, _NEWEST = (1, 0), (99, 0)
#: A spelling, the first version that prints it, the last one.
_SPELLINGS: tuple[tuple[re.Pattern[str], tuple[int, int], tuple[int, int]], ...] = (
    (re.compile(r"^Exchange \((?:Hash|Range)Partitioning |MetastoreRelation \w+, \w+, (?:None|Some)"), (1, 0), (1, 6)),
    (
        re.compile(r"^Tungsten(?:Aggregate|Exchange|Sort|Project)|^ConvertTo(?:Uns|S)afe$|,mode=\w+,isDistinct="),
        (1, 5),
        (1, 6),
    ),
    (re.compile(r" && "), (1, 0), (2, 4)),
    (re.compile(r"\) AND \(|#\d+L?\) AND "), (3, 0), _NEWEST),
    (re.compile(r"^Exchange .*, (?:true|false), \[id=#\d+\]$"), (3, 0), (3, 0)),
    (re.compile(r"ENSURE_REQUIREMENTS, \[id=#\d+\]"), (3, 1), (3, 2)),
    (re.compile(r"\[plan_id=\d+\]"), (3, 3), _NEWEST),
    (re.compile(r"^CustomShuffleReader"), (3, 0), (3, 1)),
    (re.compile(r"^AQEShuffleRead"), (3, 2), _NEWEST),
    (re.compile(r"REPARTITION_BY_NUM"), (3, 2), _NEWEST),
    (re.compile(r"^WindowGroupLimit|toprettystring\("), (3, 5), _NEWEST),
    (re.compile(r"^ResultQueryStage|^UnionLoop\b"), (4, 0), _NEWEST),
)


def origin_of(plans: Sequence[PlanGraph]) -> tuple[str, ...]:
    """The engine and the versions that the plans betray, in words: `("RAPIDS Accelerator", "Spark 3.1 or 3.2")`."""
    operators = [node for plan in plans for node in islice(plan, _MOST_OPERATORS)]
    found = list(dict.fromkeys(name for name, pattern in _ENGINES if any(pattern.match(node.op) for node in operators)))
    first, last = _OLDEST, _NEWEST
    for pattern, since, until in _SPELLINGS:
        if any(pattern.search(node.text, 0, 4_000) for node in operators):
            first, last = max(first, since), min(last, until)
    since, until = (
        _by_codegen(operators) if not any(name.startswith("Gluten") for name in found) else (_OLDEST, _NEWEST)
    )
    return (*found, *_in_words(max(first, since), min(last, until)))


def _by_codegen(operators: list[PlanNode]) -> tuple[tuple[int, int], tuple[int, int]]:
    """`*Project` until 2.2, `*(1) Project` since; `explain formatted` prints `* Project (4)` in all versions."""
    if any(node.codegen_stage is not None for node in operators):
        return (2, 3), _NEWEST
    starred = [node for node in operators if "codegen" in node.badges]
    if starred and not any(node.operator_id is not None or _NUMBERED.search(node.text) for node in starred):
        return (2, 0), (2, 2)
    return _OLDEST, _NEWEST


def _in_words(first: tuple[int, int], last: tuple[int, int]) -> tuple[str, ...]:
    if first > last or (first == _OLDEST and last == _NEWEST):
        return ()
    since, until = (f"{major}.{minor}" for major, minor in (first, last))
    if last == _NEWEST:
        return (f"Spark {since} or later",)
    if first == _OLDEST:
        return (f"Spark {until} or earlier",)
    return (f"Spark {since}" if first == last else f"Spark {since} to {until}",)
