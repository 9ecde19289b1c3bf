"""The parts of the Event logs page: the catalogue, the filters, the table, one execution, a plan that changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planviz.errors import InputError, PlanvizError
from planviz.history import words
from planviz.history.catalogue import PastExecution
from planviz.history.changed import PlanChange
from planviz.history.questions import RANKS as MEANINGS
from planviz.history.questions import STATUSES, Question, moment
from planviz.jsontypes import JsonObject
from planviz.render.text import one_line
from planviz.ui import cardinality, components, history, queries, reader, state, views
from planviz.ui.components import past_executions
from planviz.ui.history import History
from planviz.ui.history_places import path_of, places
from planviz.ui.opened import Opened
from planviz.ui.page import page_links, to_page
from planviz.ui.workbench import workbench

_KEY = "planviz.history"
#: What the address says of the page; `execution` is the open one, `side` the plan of a change that is shown.
_PARTS = (
    "catalogue",
    "rank",
    "text",
    "application",
    "operator",
    "join",
    "status",
    "since",
    "until",
    "execution",
    "side",
)
_LEAD = """<div class="pv-lead"><h1>Search and rank past executions</h1>
<span>The slowest, the most spill or shuffle, the worst estimates, plans that changed between runs; any of them opens as
a document, with the rows that were measured.</span></div>"""
_INGEST = """<div class="pv-lead"><h2>Make a catalogue of event logs</h2>
<span>Spark writes a log per application (<code>spark.eventLog.enabled</code>). A job reads folders of them, plain or
packed, and again only what is new:</span></div>"""
_COMMANDS = """planviz spark ingest LOGS... -o catalogue/
planviz history catalogue/ --rank slowest
planviz serve --history catalogue/"""
_SERVED = """<div class="pv-lead"><span>This page shows the catalogues that the server was started with:
<code>planviz serve --history FOLDER</code>.</span></div>"""

_ONE = """<div class="pv-lead"><h2>One log alone</h2>
<span>Paste or drop it on Explore: every query that ran, with the rows, sizes and times
that were measured.</span></div>"""


_OPEN = """<div class="pv-lead"><h2>The log that is open</h2>
<span>Its executions, the slowest first; each opens on Explore.</span></div>"""
#: Executions of the open log that are offered.
_OFFERED = 20


def asked() -> JsonObject:
    """What the page is asked for, plain values under `_PARTS` and `limit`: at first those of the address."""
    if state.HISTORY not in st.session_state:
        told = {name: st.query_params.get(name, "")[:1_000] for name in _PARTS}
        told["rank"] = told["rank"] if told["rank"] in MEANINGS else "slowest"
        told |= {end: _day(told[end]) for end in ("since", "until")}
        named = places()
        told["catalogue"] = told["catalogue"] or (next(iter(named)) if named else "")
        st.session_state[state.HISTORY] = {**told, "limit": history.ROWS, "key": ""}
    found: JsonObject = st.session_state[state.HISTORY]
    return found


def _day(text: str) -> str:
    """A day of the address, "" for what is none."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return ""


def address() -> str:
    """The page's address after the "?"."""
    return urlencode({name: asked()[name] for name in _PARTS if asked()[name]}, quote_via=quote)


def opening(error: str = "") -> None:
    """Without a catalogue: how to make one, and the box for its path."""
    st.html(_style())
    with st.container(key="planviz-opening", horizontal=True, gap="large"):
        with st.container(key="planviz-opening-box"):
            st.html(_LEAD)
            if places():
                _catalogue_picker()
            if error:
                st.html(f'<p class="pv-alert" role="alert">{escape(error)}</p>')
            _open_log()
            st.html(_SERVED)
            st.html(_ONE)
            # Another page is shown: no callback may ask for that.
            if st.button("Open a sample log", key="planviz.history.sample"):
                state.open_sample("event-log")
                to_page("Explore")
        with st.container(key="planviz-opening-more"):
            st.html(_INGEST)
            components.lines(_COMMANDS)


def _open_log() -> None:
    """The executions of an event log that is open, the slowest first."""
    opened = state.current()
    ran = [] if opened is None else [q for q in queries.queries(opened) if q.milliseconds is not None]
    if not ran:
        return
    st.html(_OPEN)
    with st.container(gap=None):
        for query in sorted(ran, key=lambda query: -(query.milliseconds or 0))[:_OFFERED]:
            if st.button(reader.told(query.words), key=f"planviz.history.open.{query.number}", type="tertiary"):
                state.show_plan(query.first)
                to_page("Explore")


def chosen() -> tuple[History | None, str]:
    """The catalogue that was asked for; None and why it cannot be read."""
    if not asked()["catalogue"]:
        return None, ""
    try:
        return history.history_of(path_of(asked()["catalogue"])), ""
    except PlanvizError as error:
        return None, str(error)


def heading(found: History) -> None:
    """The catalogue, what it holds, the faults of its logs."""
    with st.container(key="planviz-heading", horizontal=True, vertical_alignment="center", gap="small"):
        _catalogue_picker()
        logs = found.logs()
        holds = escape(history.contents_words(found.contents(), logs))
        st.html(f'<div class="pv-head pv-holds">{holds}</div>', width="content")
        damaged = [log for log in logs if log.faults]
        if damaged:
            label = "1 log with faults" if len(damaged) == 1 else f"{len(damaged):,} logs with faults"
            with st.popover(label, type="tertiary", width="content"):
                st.html(history.faults_html(damaged))


def results(found: History) -> None:
    """Filters, table, and below it what is open."""
    st.html(_style())
    with st.container(key="planviz-history", gap="xsmall"):
        try:
            counted = _ranking()
            _filters(found)
            question = _question()
            if question.rank == "changed":
                _changes(found, question, counted)
            else:
                _executions(found, question, counted)
        except InputError as error:
            st.html(f'<p class="pv-alert" role="alert">{escape(str(error))}</p>')


# -- filters


def _catalogue_picker() -> None:
    named, told = list(places()), asked()["catalogue"]
    options = named
    _widget("catalogue", told if told in named else None)
    st.selectbox(
        "Catalogue",
        options,
        index=None,
        key=f"{_KEY}.catalogue",
        on_change=_turn_catalogue,
        placeholder="Choose a catalogue",
        label_visibility="collapsed",
        width=320,
    )


def _turn_catalogue() -> None:
    """Another catalogue: filters of the one before may mean nothing in it."""
    told = asked()
    told |= dict.fromkeys(("text", "application", "operator", "join", "status", "since", "until", "execution"), "")
    told |= {"catalogue": str(st.session_state[f"{_KEY}.catalogue"] or "").strip(), "limit": history.ROWS}
    for name in ("text", "application", "operator", "join", "status", "days"):
        st.session_state.pop(f"{_KEY}.{name}", None)


def _ranking() -> DeltaGenerator:
    """The switch, and beside it the place for what was counted."""
    with st.container(key="planviz-history-rank", horizontal=True, vertical_alignment="center", gap="small"):
        _widget("rank", asked()["rank"])
        named = history.RANKS.__getitem__
        st.segmented_control("Ranking", list(history.RANKS), format_func=named, required=True, **_asks("rank"))
        return st.container(horizontal=True, vertical_alignment="center", gap="small", width="content")


def _filters(found: History) -> None:
    there = found.contents()
    with st.container(key="planviz-history-filters", horizontal=True, vertical_alignment="center", gap="small"):
        _widget("text", asked()["text"])
        st.text_input("Description or error", placeholder="In the description or the error", width=225, **_asks("text"))
        for name, options in (
            ("application", there.applications), ("operator", there.operators), ("join", there.joins),
            ("status", STATUSES),
        ):  # fmt: skip
            told = asked()[name]
            _widget(name, told if told in options else None)
            st.selectbox(name.title(), options, index=None, placeholder=f"Any {name}", width=150, **_asks(name))
        # A range needs its value here and not in the session; half of one is the first day alone.
        days: Any = tuple(date.fromisoformat(told) for told in (asked()["since"], asked()["until"]) if told)
        st.date_input("Days", value=days, width=225, **_asks("days"))


def _asks(name: str) -> JsonObject:
    return {"key": f"{_KEY}.{name}", "label_visibility": "collapsed", "on_change": _take, "args": (name,)}


def _take(name: str) -> None:
    """A filter was changed: begin with the first rows again."""
    value, told = st.session_state[f"{_KEY}.{name}"], asked()
    told["limit"] = history.ROWS
    if name == "days":
        told["since"], told["until"] = (*(day.isoformat() for day in value or ()), "", "")[:2]
        return
    told[name] = value or ("slowest" if name == "rank" else "")
    if name == "rank":
        told["execution"] = told["side"] = ""


def _widget(name: str, value: object) -> None:
    """A widget begins with what is asked for; Streamlit forgets it whenever another page is shown."""
    if f"{_KEY}.{name}" not in st.session_state:
        st.session_state[f"{_KEY}.{name}"] = value


def _question() -> Question:
    told = asked()
    since, until = (moment(told[end], end=end == "until") if told[end] else None for end in ("since", "until"))
    return Question(told["rank"], told["application"], told["text"], since, until, told["operator"], told["join"],
                    told["status"], told["limit"])  # fmt: skip


# -- tables and what is open


def _executions(found: History, question: Question, counted: DeltaGenerator) -> None:
    answer = found.ranked(question)
    selected = asked()["execution"]
    with counted:
        _counted(answer.count, len(answer.executions), "execution")
    if answer.executions:
        data = history.executions_table(answer, question.rank, found.plans(), selected)
        past_executions(data | _height(bool(selected), len(answer.executions)), key=f"{_KEY}.table", opened=_open_row)
    else:
        _nothing()
    if selected:
        past, text = found.past(selected)
        _opened(_document(past, text), history.facts(past))


def _changes(found: History, question: Question, counted: DeltaGenerator) -> None:
    changes, count = found.changes(question)
    selected = asked()["execution"]
    with counted:
        _counted(count, len(changes), "query", "queries")
    if changes:
        data = history.changes_table(changes, selected)
        past_executions(data | _height(bool(selected), len(changes)), key=f"{_KEY}.changes", opened=_open_row)
    else:
        _nothing()
    change = next((change for change in changes if change.after.reference == selected), None)
    if change is not None:
        cards = history.change_cards(change, found.difference(change))
        _opened(_document(*found.past(_side_of(change))), cards, sides=True)


def _nothing() -> None:
    st.html(f'<div class="pv-lead"><span>{escape(words.nothing(asked()["rank"]))}</span></div>')


def _side_of(change: PlanChange) -> str:
    return (change.before if asked()["side"] == "before" else change.after).reference


def _counted(count: int, shown: int, one: str, many: str = "") -> None:
    said = f"{count:,} {one if count == 1 else many or one + 's'}"
    first = f", the first {shown:,}" if shown < count else ""
    st.html(
        f'<p class="pv-count" title="{escape(MEANINGS[asked()["rank"]])}"><b>{said}</b>{first}</p>', width="content"
    )
    if shown < count:
        st.button("More", key=f"{_KEY}.more", type="tertiary", on_click=_more)


def _more() -> None:
    asked()["limit"] = min(asked()["limit"] * 4, 2_000)


def _height(is_open: bool, rows: int) -> dict[str, int]:
    """So many rows are seen that what is open has its place below."""
    return {"height": min(34 + 27 * rows, 218 if is_open else 640)}


def _open_row(reference: str) -> None:
    asked()["execution"], asked()["side"] = reference, ""


def _document(past: PastExecution, text: str) -> Opened:
    """An execution as the open document of the session. Raises InputError when its plan cannot be read."""
    shown = st.session_state.get(state.DOCUMENT)
    name = one_line(past.description, 120) or past.app_name
    if (shown is None or shown["text"] != text) and not state.open_text(text, name=name):
        raise InputError(st.session_state[state.ERROR]["message"])
    opened = state.current()
    assert opened is not None
    return opened


def _opened(opened: Opened, told: str, *, sides: bool = False) -> None:
    """What is told of it, the way to the pages that say more, and the plan in the workbench."""
    shown = st.session_state[state.DOCUMENT]
    st.html(told)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if sides:
            _widget("side", asked()["side"] or "after")
            st.segmented_control("Plan", ["before", "after"], format_func=str.title, required=True, **_asks("side"))
        kinds = views.kinds(opened, shown["plan"])
        page_links([title for title, applies in _applies(opened) if applies(kinds)])
    workbench(views.workbench(opened, shown["plan"], shown["node"]), key=f"{_KEY}.workbench", height=560)


def _applies(opened: Opened) -> list[tuple[str, Callable[[object], bool]]]:
    return [
        ("Explore", lambda kinds: True),
        ("Joins", lambda kinds: "join" in kinds),
        ("Aggregations", lambda kinds: "aggregate" in kinds),
        ("Cardinality", lambda kinds: cardinality.has_numbers(opened)),
    ]


@cache
def _style() -> str:
    return f"<style>{files('planviz.ui').joinpath('history_page.css').read_text('utf-8')}</style>"
