"""Sizes and rows that operators print: estimates of explain cost, measures of stages that ran."""

from __future__ import annotations

import math
import re

from planviz.graph.node import Estimate
from planviz.units import beyond, byte_size

#: Stages of an adaptive plan: what their lines tell was measured when they were done.
MEASURED_STAGES = frozenset({"ShuffleQueryStage", "BroadcastQueryStage", "TableCacheQueryStage"})
_STATISTICS = re.compile(r"Statistics\(sizeInBytes=([\d.E+]+) (\w+)(?:, rowCount=([\d.E+]+))?")
_UNITS = {unit: 1024**power for power, unit in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))}
_UNITS |= {"KB": 1024, "MB": 1024**2, "GB": 1024**3, "TB": 1024**4}


def parse_size(number: str, unit: str) -> int | None:
    """Bytes of a size such as `("91.4", "MiB")`; None when the unit is unknown."""
    factor, value = _UNITS.get(unit), _float(number)
    return None if factor is None or value is None else int(value * factor)


def _float(number: str) -> float | None:
    try:
        value = float(number)
    except ValueError:
        return None  # cut in the middle: `1.62E+`
    return value if math.isfinite(value) else None


def estimate_of(text: str) -> Estimate | None:
    """The `Statistics(...)` that `explain cost` puts at the end of an operator's line, or None."""
    match = _STATISTICS.search(text)
    if match is None:
        return None
    size, rows = match.group(1), match.group(3)
    rounded = "." in size or "E" in size or (rows is not None and "E" in rows)
    count = None if rows is None else _float(rows)
    return Estimate(
        rows=None if count is None else int(count),
        size_in_bytes=parse_size(size, match.group(2)),
        rounded=rounded or match.group(2) != "B",
    )


def runtime_statistics(text: str) -> dict[str, str] | None:
    """The metrics behind the `Statistics(...)` of a finished stage of an adaptive plan, or None.

    Spark takes them from the metrics of the stage's exchange (QueryStageExec.computeStats), bytes and rows, and prints
    them with three or four figures.
    """
    found = estimate_of(text)
    if found is None:
        return None
    countless = found.rows is None or beyond(found.rows)
    told = {
        "number of output rows": None if countless else f"{found.rows:,}",
        "data size": None if found.size_in_bytes is None else byte_size(found.size_in_bytes),
    }
    return {name: value for name, value in told.items() if value is not None} or None
