"""How many rows and bytes each stage of an aggregate gives by estimate, and sample rows through the stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key
from math import ceil
from typing import TYPE_CHECKING

from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Table
from planviz.config import OptimizerConfig
from planviz.decisions.estimates import Formula
from planviz.document.decisions.aggregates import AggregateReport
from planviz.errors import InputError
from planviz.estimation import UNKNOWN_SIZE, Estimate, Estimator, RowBounds
from planviz.estimation.aggregates import aggregate_estimate
from planviz.estimation.model import row_size
from planviz.evaluation import FailsError, UnknownValueError, compare, convert
from planviz.evaluation.core import OUT_OF_REACH
from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.mechanics.play import text_of
from planviz.mechanics.sample import sample_rows
from planviz.mechanics.stages import Partitions, StageRows, expanded, rows_through, split
from planviz.physical.exchanges import BroadcastExchangeExec, ShuffleExchangeExec
from planviz.physical.scans import FileSourceScanExec
from planviz.types import STRING
from planviz.types.values import Value

if TYPE_CHECKING:
    from planviz.physical.plan import SparkPlan

#: Sample rows, and the partitions in which they lie.
ROWS, PARTITIONS = 8, 2
#: Rows that are read at most: they are for people.
MOST_ROWS = 24
#: Bytes of a file that one task reads (spark.sql.files.maxPartitionBytes).
TASK_BYTES = 128 << 20

#: Distinct values of the only key of sample rows; several keys have one less each.
_FEW = 3

_FIRST = Formula("groups of every task", "min({rows}, {groups} * {tasks})", "AggregateEstimation")
_MERGED = Formula("groups", "min({rows}, {groups})", "AggregateEstimation")
_SHUFFLED = Formula("bytes", "{rows} * {row_bytes}", "EstimationUtils.getOutputSize")


@dataclass(frozen=True)
class StageEstimate:
    """What a stage is thought to give: rows (None: unknown), bytes of one, bytes of all, and how that was estimated.

    `tasks` run the stage; `unknown` are columns whose statistics would be needed.
    """

    rows: int | None
    row_bytes: int
    tasks: int
    calculation: str = ""
    unknown: tuple[str, ...] = ()

    @property
    def bytes(self) -> int | None:
        """Bytes of all rows: what an exchange above the stage moves."""
        return None if self.rows is None else self.rows * self.row_bytes

    @property
    def bytes_calculation(self) -> str:
        """How the bytes were estimated."""
        return _SHUFFLED.with_values({"rows": self.rows, "row_bytes": self.row_bytes})


def stage_estimates(report: AggregateReport) -> tuple[StageEstimate, ...]:
    """An estimate for every stage, from the input up; none for a pasted plan, where nothing is known of the tables.

    Rows are those of the cost-based optimizer's formulas whether it is on or not: groups are the product of the keys'
    distinct values, and a task of a first stage gives each of its groups once.
    """
    if report.execution is None or report.below is None:
        return ()
    return tuple(_estimates(report, Estimator.with_rows(OptimizerConfig()).estimate(report.below)))


def input_rows(report: AggregateReport) -> tuple[int | None, bool]:
    """The rows that the first stage reads, None where unknown, and whether they are estimated, not only a bound."""
    if report.below is None:
        return None, False
    estimator = Estimator.with_rows(OptimizerConfig())
    rows = estimator.estimate(report.below).rows
    return (rows, True) if rows is not None else (RowBounds(estimator).of(report.below), False)


def _estimates(report: AggregateReport, below: Estimate) -> Iterator[StageEstimate]:
    copies = len(report.expand.projections) if report.expand is not None else 1
    rows = None if below.rows is None else below.rows * copies
    tasks = _tasks(report.stages[0].node.child, Estimator(OptimizerConfig()))
    for stage in report.stages:
        planned = stage.planned
        assert planned is not None
        if planned.number > 1 and stage.exchange is not None:
            tasks = _partitions(stage.node.child)
        groups, unknown = _groups(report, planned.keys, below)
        together = planned.distribution is not None
        before, rows = rows, _least(rows, groups if together or groups is None else groups * tasks)
        formula = _MERGED if together else _FIRST
        values = {"rows": before, "groups": groups, "tasks": tasks}
        row_bytes = row_size([r.to_attribute() for r in planned.results], below.columns)
        known = groups is not None and rows is not None
        # Where nobody knows the rows that come in, a first stage without keys still gives one per task.
        calculation = formula.with_values(values) if known and before is not None else ""
        yield StageEstimate(rows if known else None, row_bytes, tasks, calculation, unknown)


def _least(rows: int | None, groups: int | None) -> int | None:
    return groups if rows is None else rows if groups is None else min(rows, groups)


def _groups(report: AggregateReport, keys: Sequence[Expression], below: Estimate) -> tuple[int | None, tuple[str, ...]]:
    """How many groups the keys make, and the keys of whose values nothing is known."""
    if report.expand is None or not {k.to_attribute().expr_id for k in keys} - report.below.output_set:
        return _product(keys, below)
    columns = [c.expr_id for c in report.expand.columns]
    wanted = [columns.index(i) for k in keys if (i := k.to_attribute().expr_id) in columns]
    total = 0
    for projection in report.expand.projections:
        groups, unknown = _product([projection[at] for at in wanted if not projection[at].foldable], below)
        if groups is None:
            return None, unknown
        total += groups
    return total, ()


def _product(keys: Sequence[Expression], below: Estimate) -> tuple[int | None, tuple[str, ...]]:
    if not keys:
        return 1, ()
    plain = [k.child if isinstance(k, Alias) else k for k in keys]
    found = aggregate_estimate(tuple(plain), (), (), below)
    if found is not None:
        return found.rows, ()
    known = [isinstance(k, AttributeReference) and k.expr_id in below.columns for k in plain]
    return None, tuple([getattr(k, "name", str(k)) for k, ok in zip(plain, known, strict=True) if not ok])


def _tasks(plan: SparkPlan, estimator: Estimator) -> int:
    """The tasks that run an operator: partitions of the shuffle below it, or of the largest file that it reads."""
    if isinstance(plan, ShuffleExchangeExec):
        return plan.number
    if isinstance(plan, FileSourceScanExec):
        leaves = [n for n in plan.origin.walk() if not n.children] if plan.origin is not None else []
        size = max([estimator.size_in_bytes(leaf) for leaf in leaves], default=1)
        return 1 if size >= UNKNOWN_SIZE else max(1, ceil(size / TASK_BYTES))
    streamed = [c for c in plan.children if not isinstance(c, BroadcastExchangeExec)]
    return max([_tasks(c, estimator) for c in streamed], default=1)


def _partitions(plan: SparkPlan) -> int:
    """The partitions of the exchange below a stage, through a sort."""
    while not isinstance(plan, ShuffleExchangeExec) and len(plan.children) == 1:
        plan = plan.children[0]
    return plan.number if isinstance(plan, ShuffleExchangeExec) else 1


# -------------------------------------------------------------------------------------------------- sample rows


def sample_columns(report: AggregateReport) -> tuple[AttributeReference, ...]:
    """The columns of the input that the aggregate reads, in the input's order."""
    first = report.stages[0].planned
    assert first is not None
    read = {i for e in (*first.keys, *first.functions) for i in e.references}
    if report.expand is not None:
        read = {i for p in report.expand.projections for e in p for i in e.references}
    return tuple([a for a in report.below.output if a.expr_id in read])


def sample_of(report: AggregateReport) -> list[tuple[Value, ...]]:
    """Rows for the sample columns, made from their types and statistics: the same for the same query."""
    known = Estimator.with_rows(OptimizerConfig()).estimate(report.below)
    columns, keys = sample_columns(report), _keys(report)
    stats = []
    for a in columns:
        found = known.columns.get(a.expr_id, ColumnStatistics())
        if a.expr_id in keys:
            # Few values, so that a group has several rows, and some of them in one partition.
            few = _FEW if len(keys) == 1 else _FEW - 1
            found = replace(found, distinct_count=min(few, found.distinct_count or few))
        stats.append((a.name, found))
    rows = sample_rows(columns, Table("input", (), row_count=known.rows, column_stats=tuple(stats)), ROWS)
    return _dealt(rows, [at for at, a in enumerate(columns) if a.expr_id in keys])


def _dealt(rows: list[tuple[object, ...]], keys: Sequence[int]) -> list[tuple[object, ...]]:
    """Rows so ordered that groups have rows in one partition and groups have rows in both."""
    if keys:
        rows = sorted(rows, key=lambda row: cmp_to_key(compare)(tuple([row[at] for at in keys])))
        middle = len(rows) // PARTITIONS
        rows[1], rows[middle] = rows[middle], rows[1]
    return rows


def _keys(report: AggregateReport) -> list[int]:
    """The columns that the first stage groups by, or that a set of distinct columns has."""
    first = report.stages[0].planned
    keys: Sequence[Expression] = first.keys if first is not None else ()
    if report.expand is not None:
        keys = [e for p in report.expand.projections for e in p[: len(report.stages[-1].text.keys)]]
    return list(dict.fromkeys(i for k in keys for i in sorted(k.references)))


def sample_texts(model: AggregateReport) -> dict[str, list[str]]:
    """The made-up rows as a table of texts by column; a null is empty."""
    rows = sample_of(model)
    return {
        name: ["" if row[at] is None else text_of(row[at]) for row in rows] for at, name in enumerate(labels(model))
    }


def labels(model: AggregateReport) -> list[str]:
    """The sample columns' names, those that stand twice with their table."""
    columns = sample_columns(model)
    names = [a.name for a in columns]
    return [
        a.name if names.count(a.name) == 1 else f"{a.qualifier[-1] if a.qualifier else at}.{a.name}"
        for at, a in enumerate(columns)
    ]


def rows_from(model: AggregateReport, edited: Mapping[str, Sequence[object]]) -> list[tuple[int | None, ...]]:
    """The rows of an edited table of texts. Raises InputError with the row and column that cannot be read."""
    given = [list(edited[name]) for name in labels(model)]
    rows = list(zip(*given, strict=True))[:MOST_ROWS]
    types = [a.data_type for a in sample_columns(model)]
    made = []
    for number, row in enumerate(rows, 1):
        values = []
        for label, text, kind in zip(labels(model), row, types, strict=True):
            blank = text is None or (str(text) == "")
            try:
                value = None if blank else convert(str(text), STRING, kind)
            except (UnknownValueError, *OUT_OF_REACH):
                value = None
            if value is None and not blank:
                raise InputError(f"Row {number}, {label}: {text} is no {kind.simple_string}.")
            values.append(value)
        made.append(tuple(values))
    return made


@dataclass(frozen=True)
class Played:
    """Sample rows: in their partitions, after the Expand where there is one, and through every stage."""

    columns: tuple[AttributeReference, ...]
    partitions: Partitions
    expanded: Partitions | None
    stages: tuple[StageRows, ...]


def played(report: AggregateReport, rows: Sequence[tuple[object, ...]]) -> Played | str:
    """Rows of the sample columns through the stages; a sentence where that cannot be computed here."""
    columns, laid = sample_columns(report), split(rows, PARTITIONS)
    stages = [s.planned for s in report.stages if s.planned is not None]
    shuffled = [s.exchange is not None and s.text.number > 1 for s in report.stages]
    shuffled[0] = stages[0].distribution is not None
    try:
        many = None if report.expand is None else expanded(report.expand.projections, columns, laid)
        read = columns if many is None else report.expand.columns
        return Played(columns, laid, many, rows_through(stages, read, many or laid, shuffled))
    except FailsError as error:
        return f"The query fails on these rows: {error}."
    except (UnknownValueError, *OUT_OF_REACH) as error:
        return f"What these rows become cannot be computed here: {error} is not modelled."
