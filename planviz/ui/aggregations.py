"""What the Aggregations page shows, as plain values: the document's aggregates, sample rows, plays of stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cmp_to_key
from typing import Any

from planviz.document.alternatives.aggregate_flips import WhatIf, what_ifs
from planviz.document.decisions.aggregates import AggregateReport, StageReport, aggregates
from planviz.document.decisions.pasted_aggregate import modelled
from planviz.document.decisions.queries import answer, plain, seen
from planviz.document.rows.aggregates import Played, played, rows_from, sample_of, sample_texts
from planviz.document.rows.stage_cards import names
from planviz.errors import InputError
from planviz.evaluation import DEFAULT_EVALUATOR, compare
from planviz.mechanics.choice import played_on
from planviz.mechanics.flow import Options
from planviz.mechanics.play import CannotPlay, Input, Play
from planviz.ui.opened import Opened

#: Queries to begin with, on the tables of the small shop: title and SQL.
EXAMPLES = (
    (
        "Two stages",
        "SELECT user_id, count(*) AS orders, sum(amount) AS total\nFROM orders\nGROUP BY user_id",
    ),
    (
        "One DISTINCT, four stages",
        "SELECT user_id, count(DISTINCT item_id) AS items, sum(amount) AS total\nFROM orders\nGROUP BY user_id",
    ),
    (
        "Several DISTINCT sets and a FILTER",
        "SELECT count(DISTINCT user_id) AS users, sum(DISTINCT amount) AS amounts,\n"
        "       max(quantity) FILTER (WHERE status = 'paid') AS most\nFROM orders",
    ),
    (
        "Buffers that are objects",
        "SELECT store_id, collect_list(status) AS statuses, max(status) AS last\nFROM orders\nGROUP BY store_id",
    ),
    (
        "A string buffer sorts",
        "SELECT user_id, max(status) AS status\nFROM orders\nGROUP BY user_id",
    ),
    (
        "Rows that are together already",
        "SELECT /*+ MERGE(u) */ o.user_id, count(*) AS orders\n"
        "FROM orders o JOIN users u ON o.user_id = u.user_id\nGROUP BY o.user_id",
    ),
)


@dataclass(frozen=True)
class Entry:
    """One row of the table of aggregates."""

    number: int
    keys: str
    functions: str
    stages: int
    shuffles: int
    operators: str


def reports(opened: Opened) -> tuple[AggregateReport, ...]:
    """The document's aggregates, made once."""
    if ("aggregates",) not in opened.made:
        opened.made["aggregates",] = aggregates(opened.document)
    found: tuple[AggregateReport, ...] = opened.made["aggregates",]
    return found


def entries(found: Sequence[AggregateReport]) -> list[Entry]:
    """The table's rows, numbered from 1."""
    return [
        Entry(
            number,
            ", ".join(r.keys) or "none",
            ", ".join(names(r)) or "none: only groups",
            len(r.stages),
            r.shuffles,
            ", ".join(dict.fromkeys(s.text.operator for s in r.stages)),
        )
        for number, r in enumerate(found, 1)
    ]


def model_of(opened: Opened, number: int) -> AggregateReport | str:
    """The aggregate through which rows can be sent: itself, or of a pasted plan a query planned alike; or why not."""
    name = ("aggregate", number)
    if name not in opened.made:
        report = reports(opened)[number - 1]
        opened.made[name] = report if report.execution is not None else modelled(report, report.graph)
    found: AggregateReport | str = opened.made[name]
    return found


def variants(opened: Opened, number: int) -> list[WhatIf]:
    """Settings that would give the stages other operators, each planned anew, once."""
    name = ("aggregate-variants", number)
    if name not in opened.made:
        opened.made[name] = list(what_ifs(reports(opened)[number - 1]))
    found: list[WhatIf] = opened.made[name]
    return found


# -------------------------------------------------------------------------------------------------- sample rows


def editable(model: AggregateReport) -> bool:
    """Whether every sample column can be written as a text."""
    try:
        return rows_from(model, sample_texts(model)) == sample_of(model)
    except InputError:
        return False


def through(model: AggregateReport, rows: Sequence[tuple[Decimal | int | str | None, ...]]) -> Played | str:
    """The rows in every stage, or why they cannot be known."""
    return played(model, rows)


def checks(report: AggregateReport) -> list[tuple[str, str, str]]:
    """What decided how many stages there are: question, answer, and what was seen; none of a pasted plan."""
    found = []
    for d in report.decisions:
        for c in d.checks:
            if not c.node.startswith("stage"):
                found.append((c.condition, answer(c), seen(c)))
    return list(dict.fromkeys(found))


def rejected(report: AggregateReport) -> list[tuple[str, str]]:
    """Operators that no stage has in the end, and why the planner did not take them."""
    taken = {s.text.operator for s in report.stages}
    found = [(r.operator, plain(r.reason)) for d in report.decisions for r in d.rejected if r.operator not in taken]
    return list(dict.fromkeys(found))


# ------------------------------------------------------------------------------------------------------ mechanics


def plays(model: AggregateReport, shown: Played, room: int | None = None) -> list[Play]:
    """The stages' operators played on the rows that reach them; fewer where one cannot be played.

    `room` is how many groups a map holds before it spills or falls back to sorting; None: all of them.
    """
    options = Options(capacity=room, threshold=room or Options().threshold)
    found: list[Play] = []
    columns = tuple(shown.columns if shown.expanded is None else model.expand.columns)
    for stage, given in zip(model.stages, shown.stages, strict=True):
        name = "sample rows" if not found else f"stage {stage.text.number - 1}"
        source = Input(name, columns, tuple(map(tuple, given.taken)))
        try:
            found.append(played_on(stage.node, source if stage.sorts else _in_order(stage, source), options))
        except CannotPlay:
            return found
        columns = tuple([r.to_attribute() for r in stage.node.results])
    return found


def _in_order(stage: StageReport, source: Input) -> Input:
    """Rows as a stage without a sort of its own gets them: sorted already where it needs them so."""
    if not any(stage.node.required_ordering):
        return source

    def key(row: tuple[object, ...]) -> Any:
        return cmp_to_key(compare)(tuple([DEFAULT_EVALUATOR.row_value(k, source.env(row)) for k in stage.node.keys]))

    return replace(source, partitions=tuple([tuple(sorted(part, key=key)) for part in source.partitions]))
