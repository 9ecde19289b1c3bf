"""Queries whose plan is not what it was, with their times before and after.

A query is known by its application and its description. A description is the query's text where somebody set it (the
SQL shell and servers do); then any two of its executions are compared. Otherwise Spark describes an execution by the
line of code that asked for it (`collect at report.py:35`), and a line may ask for many queries, the same in each run:
then runs of the application are compared, and a plan changed when one run has plans that the run before had not, and
just as many are gone. What merely came or went is told by nothing here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from planviz.history.catalogue import Catalogue
from planviz.history.questions import Question, as_named, condition

if TYPE_CHECKING:
    import pyarrow

_CALL_SITE = re.compile(r"\S+ at \S.*:\d+")
_TEXTS = ("app_name", "description", "app_id", "fingerprint", "log")
_COLUMNS = (*_TEXTS, "execution_id", "started", "milliseconds", "status")


@dataclass(frozen=True)
class PlanTimes:
    """A plan of a query: how often it ran, the median time of those that succeeded, from when to when.

    `log` and `execution_id` name the last execution with this plan, one that succeeded where there is any.
    """

    fingerprint: str
    executions: int
    milliseconds: float | None
    first: datetime
    last: datetime
    log: str
    execution_id: int

    @property
    def reference(self) -> str:
        """The name by which that execution is opened: `LOG#ID`."""
        return f"{self.log}#{self.execution_id}"


@dataclass(frozen=True)
class PlanChange:
    """A query with the plan it has had last and the one before; `plans` counts all it has had.

    `overlapping` says that the older plan was still seen after the newer one had come: they take turns.
    """

    application: str
    description: str
    plans: int
    executions: int
    before: PlanTimes
    after: PlanTimes

    @property
    def overlapping(self) -> bool:
        """Whether the two plans take turns."""
        return self.before.last > self.after.first

    @property
    def slower(self) -> float | None:
        """Milliseconds by which the median grew; negative: it shrank; None where a plan never succeeded."""
        if self.before.milliseconds is None or self.after.milliseconds is None:
            return None
        return self.after.milliseconds - self.before.milliseconds


@dataclass(frozen=True)
class _Seen:
    """A plan of a query in one application: `succeeded` executions of all, the row that names the last one."""

    application_id: str
    plan: PlanTimes
    succeeded: int


def changes(catalogue: Catalogue, question: Question) -> tuple[list[PlanChange], int]:
    """The queries whose plan changed, the largest change of time first, and how many there are altogether."""
    rows = _rows(catalogue, question)
    if rows is None and (named := as_named(catalogue, question)) != question:
        rows = _rows(catalogue, named)
    found = [change for seen in _queries(rows) if (change := _change(*seen)) is not None]
    found.sort(key=lambda change: (-abs(change.slower or 0), change.application, change.description))
    return found[: question.limit], len(found)


def changed_plans(found: Sequence[PlanChange]) -> set[tuple[str, str, str]]:
    """Application, description and fingerprint of every plan that took the place of another."""
    return {(change.application, change.description, change.after.fingerprint) for change in found}


def _change(application: str, description: str, seen: list[_Seen]) -> PlanChange | None:
    plans = _merged(seen)
    pair = _between_runs(seen) if _CALL_SITE.fullmatch(description) else _last_two(plans)
    if pair is None:
        return None
    executions = sum(plan.executions for plan in plans.values())
    return PlanChange(application, description, len(plans), executions, plans[pair[0]], plans[pair[1]])


def _last_two(plans: dict[str, PlanTimes]) -> tuple[str, str]:
    before, after = sorted(plans.values(), key=lambda plan: plan.last)[-2:]
    return before.fingerprint, after.fingerprint


def _between_runs(seen: list[_Seen]) -> tuple[str, str] | None:
    """The plans before and after at the last run that changed one; of several the one that came first in it."""
    runs: dict[str, list[PlanTimes]] = defaultdict(list)
    for each in sorted(seen, key=lambda each: each.plan.first):
        runs[each.application_id].append(each.plan)
    ordered = sorted(runs.values(), key=lambda plans: plans[0].first, reverse=True)
    for after, before in pairwise(ordered):
        mine, theirs = ([plan.fingerprint for plan in run] for run in (before, after))
        gone = [plan for plan in mine if plan not in theirs]
        new = [plan for plan in theirs if plan not in mine]
        if gone and len(gone) == len(new):
            return gone[0], new[0]
    return None


def _merged(seen: list[_Seen]) -> dict[str, PlanTimes]:
    """The plans over all applications; a median over several is that of the medians, each as often as it stands for."""
    by_plan: dict[str, list[_Seen]] = defaultdict(list)
    for each in seen:
        by_plan[each.plan.fingerprint].append(each)
    return {fingerprint: _together(some) for fingerprint, some in by_plan.items()}


def _together(seen: list[_Seen]) -> PlanTimes:
    named = max(seen, key=lambda each: (each.succeeded > 0, each.plan.last)).plan
    return replace(
        named,
        executions=sum(each.plan.executions for each in seen),
        milliseconds=_weighted_median([(e.plan.milliseconds, e.succeeded) for e in seen]),
        first=min(each.plan.first for each in seen),
        last=max(each.plan.last for each in seen),
    )


def _weighted_median(values: list[tuple[float | None, int]]) -> float | None:
    known = sorted((value, weight) for value, weight in values if value is not None and weight)
    half = sum(weight for _, weight in known) / 2
    below = 0
    for value, weight in known:
        below += weight
        if below >= half:
            return value
    return None


# -- out of the catalogue


def _queries(rows: pyarrow.Table | None) -> Iterator[tuple[str, str, list[_Seen]]]:
    """Application, description and plans of every query that has had more than one plan.

    Texts are numbers until the last moment: a description of some hundred characters stands in thousands of rows.
    """
    if rows is None:
        return
    texts = {name: rows[name].chunk(0).dictionary for name in _TEXTS}
    by_query: dict[tuple[int, int], list[_Seen]] = defaultdict(list)
    for entry in _grouped(_only_changed(_numbered(rows))).to_pylist():
        at = entry["row_max"] if entry["row_max"] is not None else entry["any_max"]
        plan = PlanTimes(
            texts["fingerprint"][entry["fingerprint"]].as_py(),
            entry["started_count"],
            entry["time_approximate_median"],
            entry["started_min"],
            entry["started_max"],
            rows["log"][at].as_py(),
            rows["execution_id"][at].as_py(),
        )
        seen = _Seen(texts["app_id"][entry["app_id"]].as_py(), plan, entry["time_count"])
        by_query[entry["app_name"], entry["description"]].append(seen)
    for (application, description), plans in by_query.items():
        yield texts["app_name"][application].as_py(), texts["description"][description].as_py(), plans


def _rows(catalogue: Catalogue, question: Question) -> pyarrow.Table | None:
    """The columns of all executions, texts encoded, ordered by time; None when there are none."""
    import pyarrow

    pieces = []
    for table in catalogue.tables(_COLUMNS, condition(question)):
        for name in _TEXTS:
            at = table.schema.get_field_index(name)
            table = table.set_column(at, name, table[name].fill_null("").dictionary_encode())
        pieces.append(table)
    if not pieces:
        return None
    together = pyarrow.concat_tables(pieces).unify_dictionaries().combine_chunks()
    return together.sort_by("started")


def _numbered(rows: pyarrow.Table) -> pyarrow.Table:
    """The texts as their numbers, with the time of what succeeded, the row, and the row of what succeeded."""
    import pyarrow
    import pyarrow.compute as pc

    row = pyarrow.array(range(rows.num_rows), "int64")
    well = pc.equal(rows["status"], "succeeded")
    codes = {name: rows[name].chunk(0).indices for name in ("app_name", "description", "app_id", "fingerprint")}
    time = pc.if_else(well, rows["milliseconds"], None)
    return pyarrow.table({**codes, "started": rows["started"], "time": time, "any": row,
                          "row": pc.if_else(well, row, None)})  # fmt: skip


def _only_changed(rows: pyarrow.Table) -> pyarrow.Table:
    """The rows of queries with more than one plan."""
    import pyarrow.compute as pc

    query = ["app_name", "description"]
    ends = rows.group_by(query).aggregate([("fingerprint", "min"), ("fingerprint", "max")])
    several = ends.filter(pc.not_equal(ends["fingerprint_min"], ends["fingerprint_max"])).select(query)
    return rows.join(several, query, join_type="left semi")


def _grouped(rows: pyarrow.Table) -> pyarrow.Table:
    """One row for every plan of a query in one application."""
    wanted = [("started", "count"), ("started", "min"), ("started", "max"), ("time", "count"),
              ("time", "approximate_median"), ("any", "max"), ("row", "max")]  # fmt: skip
    return rows.group_by(["app_name", "description", "app_id", "fingerprint"]).aggregate(wanted)
