"""The stages of one aggregate as cards from the input to the result, with what lies between them: plain values.

The Aggregations page paints them, `planviz.document.rows.stage_drawing` draws them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from planviz.decisions.choices import Check
from planviz.decisions.estimates import figure_text
from planviz.document.decisions.aggregates import (
    ALLOWED,
    DISTINCT_SET,
    IN_PYTHON,
    MUTABLE,
    OBJECTS,
    PYTHON,
    REPLACE,
    SORTED,
    AggregateReport,
    StageReport,
    exchange_words,
    number_of,
)
from planviz.document.decisions.pasted_aggregate import values_alone
from planviz.document.rows.aggregates import Played, StageEstimate, input_rows, sample_columns, stage_estimates
from planviz.expressions.core import AttributeReference
from planviz.jsontypes import JsonObject
from planviz.mechanics.play import text_of
from planviz.physical.buffers import is_mutable
from planviz.plantext.operators.pieces import split
from planviz.render.text import one_line
from planviz.types.values import Value
from planviz.units import beyond, byte_size, short

#: What a mode does, in the words of inventory C-026.
MODES = {
    "partial": "rows → buffers",
    "merge": "buffers → buffers",
    "final": "buffers → results",
    "complete": "rows → results",
}
_LONGEST = 400
#: Beyond so many names a list has several in a line, so that what follows is seen, and an exchange counts the rest.
_LIST, _FEW = 4, 3
#: More buffers than a card lists.
_BUFFERS = 8
#: More bytes than any exchange moves (8 PiB): what comes of joins whose formulas multiply.
_IMMENSE = 1 << 53
_QUESTIONS = {
    PYTHON: ("A function written in Python?", "", ""),
    MUTABLE: ("Every buffer updated in place?", "HashAggregate", ""),
    OBJECTS: ("A function that keeps objects?", "", "SortAggregate"),
    ALLOWED: ("May objects be hashed?", "ObjectHashAggregate", "SortAggregate"),
    SORTED: ("Rows sorted by the keys already?", "SortAggregate", ""),
}
#: What is told of questions that were not asked.
_UNASKED = {OBJECTS: "Objects: not asked", ALLOWED: "May objects be hashed?"}
_CATALOGUE = re.compile(r"\bspark_catalog\.\w+\.")

Partitions = Sequence[Sequence[Sequence[Value]]]


@dataclass(frozen=True)
class Item:
    """A name in a list, what is said beside it (a type, a mode), and its `tone`: "", "mode", "mutable" or "fixed"."""

    text: str
    aside: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Question:
    """What was asked about the operator, the answer ("" where it was not asked), what was seen, what it ruled out."""

    text: str
    answer: str = ""
    seen: str = ""
    ruled_out: str = ""


@dataclass(frozen=True)
class Part:
    """A section of a card: names, questions with their `outcome`, `figures`, or `quiet` words; `small` lines below.

    `is_many` says that the names stand several in a line.
    """

    title: str
    items: tuple[Item, ...] = ()
    questions: tuple[Question, ...] = ()
    outcome: str = ""
    figures: str = ""
    quiet: str = ""
    small: tuple[str, ...] = ()
    is_many: bool = False


@dataclass(frozen=True)
class Rows:
    """Sample rows at a card: columns with types, and partitions.

    Of each partition its name, its rows as texts (None: null), and what is told where it has none.
    """

    caption: str
    columns: tuple[tuple[str, str], ...]
    partitions: tuple[tuple[str, tuple[tuple[str | None, ...], ...], str], ...]


@dataclass(frozen=True)
class Card:
    """The input, the Expand, or a stage (with its `number`, from 1)."""

    kind: str
    number: int
    title: str
    about: str
    parts: tuple[Part, ...]
    rows: Rows | None


@dataclass(frozen=True)
class Between:
    """What lies between two cards: an exchange (`name`, "" for none) with what it moves, a sort, or nothing."""

    name: str
    lines: tuple[str, ...] = ()
    sorts: bool = False


@dataclass(frozen=True)
class Flow:
    """All cards, and what lies between each and the next one: one less."""

    cards: tuple[Card, ...]
    between: tuple[Between, ...]

    def to_json(self) -> JsonObject:
        """The same as JSON values."""
        return asdict(self)


def flow(report: AggregateReport, model: AggregateReport | None, played: Played | None) -> Flow:
    """The stages of an aggregate; estimates only of tables that are known.

    `model` has the buffers' types, where there is one, and `played` are sample rows sent through.
    """
    estimates: Sequence[StageEstimate] = stage_estimates(report)
    cards, between = [_input(report, *input_rows(report), played)], []
    if report.expand is not None:
        between.append(Between(""))
        cards.append(_expand(report, played))
    for at, stage in enumerate(report.stages):
        before = estimates[at - 1] if at and estimates else None
        moved = played.stages[at].moved if played is not None else ()
        shuffled = stage.exchange is not None and (at > 0 or report.chain.input_shuffle is not None)
        between.append(_exchange(stage, before, moved) if shuffled else _same_task(stage, at == 0))
        planned = model.stages[at] if model is not None else None
        cards.append(_stage(stage, planned, estimates[at] if estimates else None, played, at))
    return Flow(tuple(cards), tuple(between))


def names(report: AggregateReport) -> list[str]:
    """The functions as people know them: what was put around values is left out, and over the Expand of several
    DISTINCT sets, where all were rewritten, only the results' names tell."""
    if report.expand is None or number_of(report.expand) != DISTINCT_SET:
        return [values_alone(function) for function in report.functions]
    results = report.decisions[-1].value("results") or ()
    return [r.name for r in results if r.name not in report.keys]


def heading(report: AggregateReport) -> tuple[str, str]:
    """The functions, and "by" the first keys ("" without): what an aggregate is called."""
    functions = plain(", ".join(names(report))) or "only groups"
    return functions, f"by {few(counted(report.keys))}" if report.keys else ""


def facts(report: AggregateReport) -> list[str]:
    """How many stages and shuffles, in words."""
    stages, shuffles = len(report.stages), report.shuffles
    return [f"{stages} stage{'s' if stages > 1 else ''}", f"{shuffles} shuffle{'' if shuffles == 1 else 's'}"]


def plain(text: object) -> str:
    """A text without ids and the names of the built-in catalogue, in one line."""
    return one_line(_CATALOGUE.sub("", re.sub(r"#\d+L?(?!\w)", "", str(text))), _LONGEST)


def counted(names: Iterable[object]) -> list[str]:
    """Names as `plain` gives them, each once: of columns of one name from several tables `d_year ×3`."""
    found = Counter(map(plain, names))
    return [_times(name, count) for name, count in found.items()]


def few(names: Sequence[str]) -> str:
    """The first names, and how many more there are: the cards list them all."""
    return ", ".join(names) if len(names) <= _FEW + 1 else f"{', '.join(names[:_FEW])} and {len(names) - _FEW} more"


def _times(name: str, count: int) -> str:
    return name if count == 1 else f"{name} ×{count}"


# -------------------------------------------------------------------------------------------------------- cards


def _input(report: AggregateReport, rows: int | None, estimated: bool, played: Played | None) -> Card:
    known = sample_columns(report) if report.execution is not None else ()
    columns = [(a.name, a.type.simple_string) for a in (known if played is None else played.columns)]
    found = Counter((plain(name), kind) for name, kind in columns)
    none = "not in the text" if played is None and report.execution is None else "none: rows are only counted"
    items = [Item(_times(name, count), plain(kind)) for (name, kind), count in found.items()]
    parts = (_listed("Columns", items, none), _input_estimate(rows, estimated))
    return Card(
        "input",
        0,
        "Input",
        "what the aggregate reads",
        parts,
        _rows(columns, None if played is None else played.partitions),
    )


def _listed(title: str, items: Sequence[Item], none: str) -> Part:
    return Part(title, tuple(items), is_many=len(items) > _LIST) if items else Part(title, quiet=none)


def _input_estimate(rows: int | None, estimated: bool) -> Part:
    if rows is None:
        return Part("Estimate", quiet="unknown: no statistics or no formula for the rows that come in")
    if beyond(rows):
        return Part("Estimate", quiet="no usable estimate")
    if not estimated:
        return Part("Estimate", figures=f"at most {figure_text(rows)} rows")
    return Part("Estimate", figures=f"{figure_text(rows)} rows")


def _expand(report: AggregateReport, played: Played | None) -> Card:
    expand = report.expand
    columns = [(a.name, a.type.simple_string) for a in expand.columns]
    items = [Item(plain(name), plain(kind)) for name, kind in columns]
    copies = f"every row {len(expand.projections)} times: once per set, numbered by {number_of(expand)}"
    parts = (_listed("Columns", items, "none"), Part("Copies", quiet=copies))
    rows = _rows(columns, None if played is None else played.expanded, "rows out")
    return Card("expand", 0, "Expand", "rows once per set", parts, rows)


def _stage(
    stage: StageReport, model: StageReport | None, found: StageEstimate | None, played: Played | None, at: int
) -> Card:
    text = stage.text
    planned = model.planned if model is not None else None
    does = "; ".join(MODES.get(m, m) for m in text.mode.split(" and ")) if text.functions else "removes duplicates"
    shown = played.stages[at] if played is not None else None
    functions = [Item(plain(f["text"]), str(f["mode"]), "mode") for f in text.functions]
    parts = (
        _listed("Keys", [Item(key) for key in counted(text.keys)], "none: one group of all rows"),
        Part("Functions", tuple(functions), quiet="" if functions else "none: only groups"),
        _buffers(stage, planned.buffers if planned is not None else None),
        _path(stage.checks, text.operator),
        _estimated(found),
    )
    rows = None if shown is None else _rows(shown.columns, shown.partitions, "rows out")
    return Card("stage", text.number, _words(text.operator, text.mode), does, parts, rows)


def _words(operator: str, mode: str) -> str:
    """Partial Hash Aggregate."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", operator)
    lead = {"merge": "Merging", "merge and partial": "Merging and Partial", "partial and merge": "Merging and Partial"}
    return f"{lead.get(mode, mode.title())} {name}"


def _buffers(stage: StageReport, buffers: Sequence[AttributeReference] | None) -> Part:
    if stage.text.operator in IN_PYTHON:
        return Part("Buffers", quiet="none: Python gets all rows of a group")
    if buffers is None:
        return Part("Buffers", quiet="types are not in the text" if stage.text.functions else "none")
    items = [
        Item(plain(a.name), plain(a.type.simple_string), "mutable" if is_mutable(a.type) else "fixed")
        for a in buffers[:_BUFFERS]
    ]
    more = (f"{len(buffers) - _BUFFERS} more",) if len(buffers) > _BUFFERS else ()
    return Part("Buffers", tuple(items), small=more, quiet="" if items else "none")


def _path(checks: Sequence[Check], operator: str) -> Part:
    """The questions that chose the operator, those that were not asked, too, and the outcome."""
    asked = {c.node: c for c in checks}
    if not asked:
        return Part("Operator", outcome=operator, quiet="chosen by another engine or version")
    asked_of = []
    for name, (question, if_yes, if_no) in _QUESTIONS.items():
        check = asked.get(name)
        if check is None:
            if (name == OBJECTS and PYTHON not in asked) or (name == ALLOWED and OBJECTS in asked):
                asked_of.append(Question(_UNASKED[name]))
            continue
        answer = "?" if check.passed is None else "yes" if check.passed else "no"
        leaf = if_yes if check.passed is False else if_no
        ruled_out = leaf if leaf and check.passed is not None and leaf != operator else ""
        asked_of.append(Question(question, answer, _seen(check), ruled_out))
    return Part("Operator", questions=tuple(asked_of), outcome=operator)


def _seen(check: Check) -> str:
    values = dict(check.values)
    if check.node == MUTABLE:
        fixed = values.get("first_fixed")
        return f"{plain(fixed)} is not" if fixed else ""
    if check.node in (OBJECTS, PYTHON):
        return ", ".join(plain(f) for f in check.texts("functions")) if check.passed else ""
    if check.node == SORTED and check.passed is False and values.get("value") is False:
        return f"{REPLACE.rpartition('.')[2]} is false"
    if check.passed is None:
        return "the text does not say"
    return check.setting.rpartition(".")[2] if check.setting and check.node == ALLOWED else ""


def _estimated(found: StageEstimate | None) -> Part:
    if found is None:
        return Part("Estimate", quiet="unknown")
    if found.rows is None or found.bytes is None:
        names = ", ".join(plain(n) for n in found.unknown[:3])
        return Part("Estimate", quiet="unknown", small=(f"no statistics of {names}",) if names else ())
    if beyond(found.rows) or found.bytes >= _IMMENSE:
        told = f"{short(found.rows)} rows of {found.row_bytes} B" if not beyond(found.rows) else "more than 10¹⁵ rows"
        return Part("Estimate", quiet="no usable estimate", small=(f"the formulas give {told}",))
    first = (f"rows = {found.calculation}",) if found.calculation else ()
    figures = f"{figure_text(found.rows)} rows · {byte_size(found.bytes)}"
    return Part("Estimate", figures=figures, small=(*first, f"bytes = {found.bytes_calculation}"))


def _rows(
    columns: Sequence[tuple[str, str]], partitions: Partitions | None, caption: str = "sample rows"
) -> Rows | None:
    if partitions is None:
        return None
    shown = []
    for number, rows in enumerate(partitions):
        name = f"partition {number}" if len(partitions) > 1 else "one partition"
        cells = tuple(tuple(map(_cell, row)) for row in rows if row)
        shown.append((name, cells, "" if rows and columns else f"{len(rows)} rows" if rows else "no rows"))
    count = sum(map(len, partitions))
    words = caption if count != 1 else caption.replace("rows", "row")
    return Rows(f"{count} {words}", tuple((plain(n), plain(t)) for n, t in columns), tuple(shown))


def _cell(value: object) -> str | None:
    return None if value is None else one_line(text_of(value), 60)


# ------------------------------------------------------------------------------------------------- between cards


def _same_task(stage: StageReport, first: bool) -> Between:
    return Between("", () if first else ("same task",), stage.sorts)


def _exchange(stage: StageReport, before: StageEstimate | None, moved: Sequence[tuple[int, int]]) -> Between:
    """An exchange with its partitioning, the size before it, and how many sample rows change partition."""
    name, _, rest = exchange_words(stage.exchange or "").partition(" ")
    hashed = re.fullmatch(r"hashpartitioning\((?:(.*), )?(\d+)\)", rest)
    if hashed is None:
        lines = [plain(rest).replace("SinglePartition", "one partition")]
    else:
        lines = [f"by {few(counted(split(hashed[1] or '')))}", f"{hashed[2]} partitions"]
    if before is not None and before.bytes is not None:
        lines.append("size unknown" if before.bytes >= _IMMENSE else f"≈ {byte_size(before.bytes)} shuffled")
    rows, size = stage.moved
    if rows is not None:
        lines.append(f"{short(rows)} rows{f', {byte_size(size)}' if size is not None else ''} measured")
    if moved:
        lines.append(f"{sum(a != b for a, b in moved)} of {len(moved)} sample rows change partition")
    return Between(name, tuple(filter(None, lines)), stage.sorts)
