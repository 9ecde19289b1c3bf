"""The Aggregations page as plain values: what its widgets show of one aggregate, made where the document lives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from zlib import crc32

from planviz.document.decisions.aggregates import AggregateReport
from planviz.document.rows.aggregates import Played, labels, rows_from, sample_of, sample_texts
from planviz.errors import InputError
from planviz.render.mechanics import mechanics_page
from planviz.ui import aggregations
from planviz.ui.aggregations import Entry
from planviz.ui.opened import Opened, in_worker
from planviz.ui.stage_cards import counted, few, plain

_HASHED = {"HashAggregate", "ObjectHashAggregate"}
#: The sample rows as they were edited: texts by column, as items of a mapping.
Texts = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Shown:
    """One aggregate, as planned or with a setting.

    `lead`, `why` are HTML. `sample` says why there are no rows to send through, "" where there are; `texts` are those
    that can be edited, empty where none can, `known` what they were made from. `hashed` says whether a stage hashes.
    """

    lead: str
    why: str
    sample: str
    texts: Mapping[str, list[str]]
    known: str
    hashed: bool


@dataclass(frozen=True)
class Sent:
    """What became of sample rows: the cards as HTML, `plays` of the stages as JSON values, or an `error` or `note`.

    `playable` says whether rows came through, `rows` differs for other rows and other operators, `names` are the
    aggregate's functions.
    """

    cards: str
    plays: list[dict[str, object]]
    rows: int
    names: str
    playable: bool = False
    error: str = ""
    note: str = ""


@in_worker
def count(opened: Opened) -> int:
    """How many aggregates a document has."""
    return len(aggregations.reports(opened))


@in_worker
def entries(opened: Opened) -> list[Entry]:
    """The table of aggregates."""
    return aggregations.entries(aggregations.reports(opened))


@in_worker
def settings(opened: Opened, number: int) -> list[str]:
    """What can be tried of an aggregate (from 1), in words."""
    return [variant.words for variant in aggregations.variants(opened, number)]


def _variant(opened: Opened, number: int, words: str) -> tuple[AggregateReport, str]:
    """The aggregate with the setting of these words, else as planned; and what the setting gives."""
    for found in aggregations.variants(opened, number) if words else ():
        if found.words == words:
            return found.report, f"{found.key} = {str(found.value).lower()}"
    return aggregations.reports(opened)[number - 1], ""


def _model(opened: Opened, number: int, report: AggregateReport) -> AggregateReport | str:
    planned = report is aggregations.reports(opened)[number - 1]
    return aggregations.model_of(opened, number) if planned else report


@in_worker
def shown(opened: Opened, number: int, words: str) -> Shown:
    """An aggregate with the setting of these words ("": as planned)."""
    report, promise = _variant(opened, number, words)
    model = _model(opened, number, report)
    lead, why = _lead(report, promise), _why(report)
    if isinstance(model, str):
        return Shown(lead, why, model, {}, "", False)
    hashed = bool({s.text.operator for s in model.stages} & _HASHED)
    if not labels(model):
        return Shown(lead, why, "The aggregate reads no column: rows are only counted.", {}, "", hashed)
    known = "types and statistics" if model.execution is not None and opened.document.statements else "types"
    texts = sample_texts(model) if aggregations.editable(model) else {}
    return Shown(lead, why, "", texts, known, hashed)


@in_worker
def sent(opened: Opened, number: int, words: str, edited: Texts | None, room: int | None) -> Sent:
    """The cards of an aggregate with sample rows (None: those that were made up) sent through its stages.

    `room` is how many groups a map holds; None: all.
    """
    report, _ = _variant(opened, number, words)
    model = _model(opened, number, report)
    names = ", ".join(aggregations.names(report))
    if isinstance(model, str):
        return Sent(aggregations.cards(report, None, None), [], 0, names)
    found, error, note = _played(model, edited)
    plays = [] if found is None else [play.to_json() for play in aggregations.plays(model, found, room)]
    told = (None if found is None else found.partitions, room, [s.text.operator for s in model.stages])
    cards = aggregations.cards(report, model, found)
    names = ", ".join(aggregations.names(model))
    return Sent(cards, plays, crc32(repr(told).encode()), names, found is not None, error, note)


def _played(model: AggregateReport, edited: Texts | None) -> tuple[Played | None, str, str]:
    try:
        given: Mapping[str, Sequence[str]] = dict(edited or ())
        rows = sample_of(model) if edited is None else rows_from(model, given)
    except InputError as error:
        return None, str(error), ""
    found = aggregations.through(model, rows)
    return (None, "", found) if isinstance(found, str) else (found, "", "")


@in_worker
def page(opened: Opened, number: int, words: str, edited: Texts | None, room: int | None, title: str) -> bytes:
    """The stages at work as one interactive HTML file."""
    return mechanics_page(sent(opened, number, words, edited, room).plays, title=title).encode()


def _lead(report: AggregateReport, promise: str) -> str:
    keys = f" by {few(counted(report.keys))}" if report.keys else ""
    functions = plain(", ".join(aggregations.names(report))) or "only groups"
    stages, shuffles = len(report.stages), report.shuffles
    facts = [f"{stages} stage{'s' if stages > 1 else ''}", f"{shuffles} shuffle{'' if shuffles == 1 else 's'}"]
    facts += [f"with {escape(promise)}"] if promise else []
    notes = "".join(f"<p class='pv-note'>{_note(note)}</p>" for note in report.notes)
    return f'<div class="pv-agg-lead"><h2>{functions}<span>{keys}</span></h2><p>{" · ".join(facts)}</p>{notes}</div>'


def _note(note: str) -> str:
    rule, _, rest = note.partition(": ")
    return f"<b>{escape(rule)}</b> {escape(rest)}"


def _why(report: AggregateReport) -> str:
    """What decided the number of stages, and the operators that were not taken."""
    checks = "".join(
        f"<tr><td>{plain(question)}</td><td><b>{answer}</b></td><td>{plain(seen)}</td></tr>"
        for question, answer, seen in aggregations.checks(report)
    )
    rejected = "".join(f"<li><b>{escape(name)}</b> {plain(why)}</li>" for name, why in aggregations.rejected(report))
    if not checks:
        return (
            '<div class="pv-lead"><h2>Why these stages</h2><span>The text shows what was chosen, not what the planner '
            "saw. The SQL itself, or <code>df.explain(True)</code>, planned again here, shows each test.</span></div>"
        )
    listed = f'<div class="pv-lead"><h2>Not taken</h2></div><ul class="pv-rejected">{rejected}</ul>' if rejected else ""
    return (
        '<div class="pv-lead"><h2>Why these stages</h2></div>'
        f'<table class="pv-checks"><tbody>{checks}</tbody></table>{listed}'
    )
