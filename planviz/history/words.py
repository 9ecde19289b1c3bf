"""Figures and names of past executions in words, the same on the page and on the command line."""

from __future__ import annotations

from datetime import datetime

from planviz import units
from planviz.history.catalogue import PastExecution
from planviz.history.changed import PlanChange
from planviz.history.ranked import estimate_error

_NOTHING = {
    "spill": "Nothing that the filters let through spilled to disk.",
    "shuffle": "Nothing that the filters let through wrote to a shuffle.",
    "estimate": "Nothing that the filters let through has both numbers: Spark writes what it expects into its logs "
    "only with spark.sql.ui.explainMode=cost and statistics of the tables.",
    "changed": "No query that the filters let through has had another plan before.",
    "failed": "Nothing that the filters let through failed.",
}


def nothing(rank: str) -> str:
    """Why a ranking is empty."""
    return _NOTHING.get(rank, "The filters let nothing through.")


def duration(milliseconds: float | None) -> str:
    """Milliseconds as 850 ms, 4.2 s, 3 min 07 s or 2 h 05 min; "" for None."""
    return "" if milliseconds is None else units.duration(milliseconds)


def size(bytes: int | None) -> str:
    """Bytes in their unit, "" for None and for nothing."""
    return units.byte_size(bytes) if bytes else ""


def when(time: datetime | None) -> str:
    """A time in UTC to the second, "" for None."""
    return "" if time is None else f"{time:%Y-%m-%d %H:%M:%S}"


def joins(execution: PastExecution) -> str:
    """Join strategies with their number: `2 BroadcastHash, SortMerge`."""
    names = {name.removesuffix("Join"): count for name, count in execution.joins.items()}
    return ", ".join(f"{count} {name}" if count > 1 else name for name, count in names.items())


def estimate(execution: PastExecution) -> str:
    """How far off the estimate was: `×12 too few`, `×5.4 too many`, `exact`; "" where one number is not known."""
    error = estimate_error(execution.estimated_rows, execution.output_rows)
    if error is None:
        return ""
    if abs(error) < 1.05:
        return "exact"
    factor = f"{abs(error):.1f}" if abs(error) < 9.95 else f"{abs(error):,.0f}"
    return f"×{factor} too {'many' if error > 0 else 'few'}"


def change_of_time(change: PlanChange) -> str:
    """`3.1 times as fast`, `5.0 times as slow`, `as fast as before`; "" where a plan never succeeded."""
    before, after = change.before.milliseconds, change.after.milliseconds
    if before is None or after is None:
        return ""
    one, two = max(before, 1.0), max(after, 1.0)
    factor = max(one / two, two / one)
    if factor < 1.05:
        return "as fast as before"
    return f"{factor:,.1f} times as {'slow' if two > one else 'fast'}"
