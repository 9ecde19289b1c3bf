"""The executions that come first in a ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from planviz.history.catalogue import FILE, Catalogue, PastExecution
from planviz.history.questions import Question, as_named, condition

if TYPE_CHECKING:
    import pyarrow

#: What names an execution.
_KEY = (FILE, "execution_id")


@dataclass(frozen=True)
class Answer:
    """The first executions of a ranking, and how many there are in it altogether."""

    executions: tuple[PastExecution, ...]
    count: int


@dataclass(frozen=True)
class _Ranking:
    """The columns that a ranking reads, its value (the highest first, null: not in it), and a status that it asks."""

    columns: tuple[str, ...]
    value: Callable[[pyarrow.Table], pyarrow.Array]
    status: str = ""


def estimate_error(estimated: float | None, measured: int | None) -> float | None:
    """How many times too many rows were expected, or negative: too few; 1 is exact. None where one is not known.

    No row counts as one: Spark never expects less.
    """
    if estimated is None or measured is None:
        return None
    expected, came = max(estimated, 1.0), max(float(measured), 1.0)
    return expected / came if expected >= came else -came / expected


def ranked(catalogue: Catalogue, question: Question) -> Answer:
    """Answer any ranking but `changed` (`changed.changes`). Raises InputError for an operator that nothing has.

    Two passes: the ranking's column of everything, then all columns of the few that came first.
    """
    best, count = _best(catalogue, question)
    if not count and (named := as_named(catalogue, question)) != question:
        best, count = _best(catalogue, named)
    return Answer(tuple(catalogue.executions(best)), count)


def _best(catalogue: Catalogue, question: Question) -> tuple[list[tuple[str, int]], int]:
    import pyarrow
    import pyarrow.compute as pc

    ranking = _RANKINGS[question.rank]
    if ranking.status and question.status not in ("", ranking.status):
        return [], 0
    asked = replace(question, status=ranking.status or question.status)
    kept, count = None, 0
    order = [("value", "descending"), *((name, "ascending") for name in _KEY)]
    for table in catalogue.tables([*_KEY, *ranking.columns], condition(asked)):
        found = table.select(_KEY).append_column("value", ranking.value(table))
        found = found.filter(pc.is_valid(found["value"]))
        count += found.num_rows
        both = found if kept is None else pyarrow.concat_tables([kept, found])
        kept = both.take(pc.select_k_unstable(both, k=min(question.limit, both.num_rows), sort_keys=order))
    if kept is None:
        return [], 0
    return list(zip(kept[FILE].to_pylist(), kept["execution_id"].to_pylist(), strict=True)), count


def _positive(column: str) -> Callable[[pyarrow.Table], pyarrow.Array]:
    """A column as a value; nothing of it is no place in the ranking."""

    def value(table: pyarrow.Table) -> pyarrow.Array:
        import pyarrow
        import pyarrow.compute as pc

        some = pc.greater(table[column], 0)
        return pc.if_else(some, table[column], pyarrow.scalar(None, table[column].type))

    return value


def _error(table: pyarrow.Table) -> pyarrow.Array:
    """`estimate_error` without its sign."""
    import pyarrow.compute as pc

    known = pc.and_(pc.is_valid(table["estimated_rows"]), pc.is_valid(table["output_rows"]))
    expected = pc.max_element_wise(table["estimated_rows"], 1.0)
    came = pc.max_element_wise(pc.cast(table["output_rows"], "double"), 1.0)
    error = pc.max_element_wise(pc.divide(expected, came), pc.divide(came, expected))
    return pc.if_else(known, error, None)


_RANKINGS = {
    "slowest": _Ranking(("milliseconds",), lambda table: table["milliseconds"]),
    "spill": _Ranking(("disk_spill_bytes",), _positive("disk_spill_bytes")),
    "shuffle": _Ranking(("shuffle_write_bytes",), _positive("shuffle_write_bytes")),
    "estimate": _Ranking(("estimated_rows", "output_rows"), _error),
    "failed": _Ranking(("started",), lambda table: table["started"], "failed"),
    "latest": _Ranking(("started",), lambda table: table["started"]),
}
