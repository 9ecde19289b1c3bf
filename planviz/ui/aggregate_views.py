"""What the Aggregations page's element shows and asks: every aggregate, one of them whole, sample rows sent through it.

Everything is a plain value, ready for JSON; what is edited is asked for at `POST /aggregations/<key>`.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from zlib import crc32

from planviz.document.decisions.aggregates import AggregateReport
from planviz.document.rows.aggregates import Played, labels, rows_from, sample_of, sample_texts
from planviz.document.rows.stage_cards import facts, flow, heading, names, plain
from planviz.document.rows.stage_drawing import draw_stages
from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.render.mechanics import mechanics_page
from planviz.render.primitives import Drawing
from planviz.render.theme import tokens
from planviz.ui import aggregations, queries
from planviz.ui.opened import Opened, in_worker

_HASHED = {"HashAggregate", "ObjectHashAggregate"}
#: Why no test is shown of a plan that was only read.
_UNSEEN = (
    "The text shows what was chosen, not what the planner saw. "
    "The SQL itself, or df.explain(True), planned again here, shows each test."
)


@dataclass(frozen=True)
class Asked:
    """What somebody wants to see: an aggregate (from 1) with a setting, in words ("" as planned).

    `rows` are the sample rows as edited, texts by column (None: those that were made up); `room` is how many groups a
    map holds (None: all).
    """

    number: int = 1
    setting: str = ""
    rows: Mapping[str, list[str]] | None = None
    room: int | None = None


@in_worker
def count(opened: Opened) -> int:
    """How many aggregates a document has."""
    return len(aggregations.reports(opened))


# -- the whole page


@in_worker
def data(opened: Opened, number: int | None, plan: str = "") -> bytes:
    """The element's data, gzipped: the same bytes for the same arguments; `number` is the selected one, from 1 (None:
    the first of the query of `plan`, one outside its subqueries where there is one).
    """
    name = ("aggregations-data", number, queries.number_of(opened, plan))
    if name not in opened.made:
        for old in [key for key in list(opened.made) if key[0] == "aggregations-data"]:
            opened.made.pop(old, None)
        text = json.dumps(page_data(opened, number, plan), separators=(",", ":"))
        opened.made[name] = gzip.compress(text.encode(), 6, mtime=0)
    made: bytes = opened.made[name]
    return made


def page_data(opened: Opened, number: int | None, plan: str = "") -> JsonObject:
    """The element's data as JSON values."""
    found = aggregations.reports(opened)
    mine = [n for n, report in enumerate(found, 1) if queries.has(opened, plan, report.statement, report.plan)]
    mine = mine or list(range(1, len(found) + 1))
    # A text prints subqueries first, and a reader comes for the query's own aggregate.
    first = next((n for n in mine if not found[n - 1].is_in_subquery), next(iter(mine), 1))
    return {
        "key": f"{opened.key}/aggregations",
        "ask": f"/aggregations/{opened.key}",
        "theme": tokens(),
        "dark": None,
        "rows": [asdict(entry) for entry in aggregations.entries(found)],
        "first": first,
        "told": asked_for(opened, Asked(max(1, min(number or first, len(found))))),
    }


def asked_for(opened: Opened, asked: Asked) -> JsonObject:
    """One aggregate: its heading, cards, the tests, and the sample rows; all texts as they are to be read."""
    report, promise = _variant(opened, asked)
    model = _model(opened, asked, report)
    read = model if isinstance(model, AggregateReport) else None
    played, error, note = _played(read, asked.rows) if read is not None else (None, "", "")
    room = asked.room if read is not None and _hashes(read) else None
    drawn = (None if played is None else played.partitions, room, asked.setting, asked.number)
    return {
        "number": asked.number,
        "setting": asked.setting,
        **_lead(report, promise),
        "flow": flow(report, read, played).to_json(),
        "tests": [list(map(plain, test)) for test in aggregations.checks(report)],
        "unseen": "" if aggregations.checks(report) else _UNSEEN,
        "rejected": [[name, plain(why)] for name, why in aggregations.rejected(report)],
        "sample": _sample(opened, model, asked.rows),
        "error": error,
        "note": note,
        "hashed": read is not None and _hashes(read),
        "playable": played is not None,
        "plays": f"{crc32(repr(drawn).encode()):x}",
    }


def _variant(opened: Opened, asked: Asked) -> tuple[AggregateReport, str]:
    """The aggregate with the setting that is asked for, else as planned; and what the setting gives.

    Raises InputError for an aggregate that there is not.
    """
    found = aggregations.reports(opened)
    if not 1 <= asked.number <= len(found):
        raise InputError(f"There is no aggregate {asked.number}: the document has {len(found)}.")
    for variant in aggregations.variants(opened, asked.number) if asked.setting else ():
        if variant.words == asked.setting:
            return variant.report, f"{variant.key} = {str(variant.value).lower()}"
    return found[asked.number - 1], ""


def _model(opened: Opened, asked: Asked, report: AggregateReport) -> AggregateReport | str:
    planned = report is aggregations.reports(opened)[asked.number - 1]
    return aggregations.model_of(opened, asked.number) if planned else report


def _hashes(model: AggregateReport) -> bool:
    return bool({s.text.operator for s in model.stages} & _HASHED)


def _lead(report: AggregateReport, promise: str) -> JsonObject:
    functions, keys = heading(report)
    return {
        "functions": functions,
        "keys": keys,
        "facts": [*facts(report), *([f"with {promise}"] if promise else [])],
        "notes": [[rule, rest] for rule, _, rest in (note.partition(": ") for note in report.notes)],
    }


# -- sample rows


def _sample(opened: Opened, model: AggregateReport | str, edited: Mapping[str, list[str]] | None) -> JsonObject:
    """The table of sample rows: why there is none, or its columns and texts, and what they were made from."""
    if isinstance(model, str):
        return {"why": model, "columns": [], "texts": [], "made": ""}
    if not labels(model):
        return {"why": "The aggregate reads no column: rows are only counted.", "columns": [], "texts": [], "made": ""}
    known = "types and statistics" if model.execution is not None and opened.document.statements else "types"
    texts = sample_texts(model) if aggregations.editable(model) else {}
    shown = dict(edited) if edited is not None and texts else texts
    rows = [list(row) for row in zip(*shown.values(), strict=True)]
    return {"why": "", "columns": list(texts), "texts": rows, "made": f"Made from the columns' {known}"}


def _played(model: AggregateReport, edited: Mapping[str, list[str]] | None) -> tuple[Played | None, str, str]:
    """Rows in every stage; else what is wrong with the rows, or why they cannot be known."""
    try:
        rows = sample_of(model) if edited is None else rows_from(model, edited)
    except InputError as error:
        return None, str(error), ""
    found = aggregations.through(model, rows)
    return (None, "", found) if isinstance(found, str) else (found, "", "")


def _plays(opened: Opened, asked: Asked) -> list[JsonObject]:
    """The stages' operators played on the sample rows, as the player takes them."""
    report, _ = _variant(opened, asked)
    model = _model(opened, asked, report)
    played = _played(model, asked.rows)[0] if isinstance(model, AggregateReport) else None
    if played is None or not isinstance(model, AggregateReport):
        return []
    return [play.to_json() for play in aggregations.plays(model, played, asked.room)]


# -- requests of the element


def reply(opened: Opened, body: JsonObject) -> JsonObject:
    """The answer to what the element asks: an aggregate as `asked_for` tells it.

    `want` is "settings" (what can be tried, in words), "plays" (the stages at work) or "page" (these as one HTML page).
    Raises InputError for a request that makes no sense, and what planning raises.
    """
    asked = _asked(body)
    if body.get("want") == "settings":
        _variant(opened, asked)
        return {"settings": [variant.words for variant in aggregations.variants(opened, asked.number)]}
    if body.get("want") == "plays":
        return {"plays": _plays(opened, asked)}
    if body.get("want") == "page":
        plays = _plays(opened, asked)
        if not plays:
            raise InputError("These operators cannot be played on these rows.")
        return {"html": mechanics_page(plays, title=", ".join(names(_variant(opened, asked)[0])) or None)}
    return asked_for(opened, asked)


def _asked(body: JsonObject) -> Asked:
    number, room, rows = body.get("number"), body.get("room"), body.get("rows")
    if not isinstance(number, int) or not (room is None or isinstance(room, int)):
        raise InputError("The page sent a request that names no aggregate.")
    if rows is not None:
        rows = {str(name): [str(text) for text in texts] for name, texts in dict(rows).items()}
    return Asked(number, str(body.get("setting") or ""), rows, None if room is None else max(1, room))


def stages_drawing(opened: Opened, number: int, setting: str, theme: str) -> Drawing:
    """An aggregate's stages (from 1) as a picture that stands alone, with the sample rows that were made up.

    Raises InputError for an aggregate that there is not.
    """
    asked = Asked(number, setting)
    report, promise = _variant(opened, asked)
    model = _model(opened, asked, report)
    read = model if isinstance(model, AggregateReport) else None
    played = _played(read, None)[0] if read is not None else None
    return draw_stages(report, read, played, promise=promise, theme=theme)
