"""How the tasks of a stage went that a plan ran in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StageRun:
    """A stage of a plan that ran: Spark's number for it, how many tasks succeeded, and what they took and read.

    Times are those of executors in milliseconds, of all tasks together, the middle one and the longest; rows are those
    that a task read from files or shuffles. `nodes` are the operators that were measured in it, in the plan's order.
    """

    stage: int
    tasks: int
    milliseconds: int
    median: int
    longest: int
    median_rows: int
    most_rows: int
    nodes: tuple[int, ...] = ()
