"""The Compare page's widgets: the two sides, what the second is, the files; and its element."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from html import escape
from urllib.parse import quote, urlencode

import streamlit as st

from planviz.errors import PlanvizError
from planviz.jsontypes import JsonObject
from planviz.samples import load, samples
from planviz.ui import compare, components, explore, links, reader, sessions, sharing, state, upgrade_page, views
from planviz.ui.cache import open_document
from planviz.ui.compare import FORMATS, PRESETS, Other
from planviz.ui.elements import component
from planviz.ui.opened import Opened
from planviz.ui.versions import version_picker

KEY = "planviz.compare.element"
_TEXT_B, _SETTINGS_B = "planviz.compare.text-b", "planviz.compare.settings-b"
_BEFORE, _AFTER = "planviz.compare.before", "planviz.compare.after"
#: Characters of a text from which the box of the second side does not show it again: every act would send it both ways.
_LONG = 20_000
_LEAD = """<div class="pv-lead"><h1>See what changed between two plans</h1>
<span>Paste two plans of any Spark, or two versions of a query: what differs in words, the most important first, and
side by side.</span></div>"""
_ALONE = """<div class="pv-lead"><h2>Compare what is open with another text</h2>
<span>It holds one plan. Paste the other one: explain text of any mode and version, or an event log.</span></div>"""


def second(opened: Opened) -> Other | None:
    """The second side as it was chosen, else what suits the open text; None where there is none yet."""
    chosen = st.session_state.get(state.COMPARE)
    if chosen is None:
        return compare.default_other(opened)
    fields = {name: value for name, value in chosen.items() if name != "of"}
    found = Other(**fields)
    if chosen.get("of", opened.key) != opened.key:
        # Another text was opened: names of its plans and settings are of the one before.
        found = replace(found, plan_a="", plan_b="" if found.text is None else found.plan_b)
        if found.text is None and not opened.facts.statements:
            return compare.default_other(opened)
    return found


def choose(opened: Opened | None, other: Other) -> None:
    """Make that the second side."""
    st.session_state[state.COMPARE] = asdict(other) | ({"of": opened.key} if opened is not None else {})
    shown = state.current()
    if shown is not None:
        compare.begin(shown, other, state.name(), sessions.session())


# -- nothing to compare yet


def opening(opened: Opened | None) -> None:
    """Two boxes, or one where a plan is open; comparisons to begin with."""
    together = st.container(key="planviz-opening", horizontal=True, gap="large")
    with together, st.container(key="planviz-opening-box"):
        st.html(_LEAD if opened is None else _ALONE)
        _error()
        with st.container(horizontal=True, gap="small"):
            if opened is None:
                st.text_area("Before: SQL or plan text", height=260, key=_BEFORE, on_change=_begin_before)
            st.text_area("After: SQL or plan text", height=260, key=_AFTER)
        st.button("Compare", type="primary", on_click=_compare_boxes, args=(opened is None,))
        explore.catalog_picker("Tables for SQL", None, key=state.BOX_CATALOG, width=380)
    with together, st.container(key="planviz-opening-more"):
        st.html('<div class="pv-lead"><h2>Comparisons to begin with</h2><span>On the tables of TPC-H.</span></div>')
        with st.container(horizontal=True, gap="xsmall"):
            for title, sql, catalog, other in compare.examples():
                st.button(title, key=f"planviz.compare.{title}", on_click=_example, args=(title, sql, catalog, other))
            upgrade_page.example(choose)
            adaptive = next(sample for sample in samples() if sample.name == "adaptive-skew-join")
            st.button(f"{adaptive.title}: initial and final", on_click=_sample, args=(adaptive.name,))


def _error() -> None:
    error = st.session_state.get(state.ERROR)
    if error:
        st.error(error["message"], icon=":material/error:")


def _begin_before() -> None:
    """Let a worker open the first text while the second is filled in."""
    text = str(st.session_state.get(_BEFORE) or "")
    if text:
        state.begin(text)


def _compare_boxes(both: bool) -> None:
    after = str(st.session_state.get(_AFTER) or "")
    before = str(st.session_state.get(_BEFORE) or "")
    if both and not state.open_text(before):
        return
    try:
        catalog, opened = str(st.session_state.get(state.BOX_CATALOG) or "auto"), state.current()
        open_document(after, catalog, near=opened.key if opened is not None else "")
    except PlanvizError as error:
        state.fail(error)
        return
    choose(None, Other(text=after))


def _example(title: str, sql: str, catalog: str, other: Other) -> None:
    state.open_example(title.partition(" with")[0].partition(" before")[0], sql, catalog)
    choose(state.current(), other)


def _sample(name: str) -> None:
    state.open_sample(name)
    st.session_state[state.COMPARE] = None


# -- the two sides


def sides(opened: Opened, other: Other) -> None:
    """Name and plan of the open text, what it is compared with, and that one's plan."""
    with st.container(key="planviz-heading", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(
            f'<div class="pv-head"><b>A</b><span class="pv-chip">{escape(state.name())}</span></div>', width="content"
        )
        version_picker(opened)
        _plans((opened.key, compare.plan_labels(opened), views.first_plan(opened)), other, "plan_a")
        st.html('<div class="pv-head"><b>B</b></div>', width="content")
        with st.popover(_words(other), width=300):
            _choices(opened, other)
        with suppress(PlanvizError):  # The place of the picture says what is wrong.
            _plans(compare.other_labels(opened, other), other, "plan_b")
        key = f"planviz.compare.numbers.{other.key}"
        st.toggle("Numbers count", other.numbers, key=key, on_change=_count, args=(opened, other, key),
                  help="Other literals, limits and counts are differences, too")  # fmt: skip


def _words(other: Other) -> str:
    if other.more:
        return f"{_second_words(other)} and {len(other.more)} more"
    return _second_words(other)


def _second_words(other: Other) -> str:
    if other.text is not None:
        return other.name or "Another text"
    settings = other.settings.strip()
    if not settings:
        return "The same text"
    named = next((words for words, lines in PRESETS.items() if lines == settings), "Other settings")
    return compare.version_words(settings) or named


def _plans(side: tuple[str, dict[str, str], str], other: Other, which: str) -> None:
    """The plans of a side to choose from: its key, their labels, the first."""
    side_key, labels, first = side
    if len(labels) < 2:
        return
    chosen = getattr(other, which) or first
    key = f"planviz.compare.{which}.{side_key[:8]}.{chosen}"
    opened = state.current()
    st.selectbox(
        f"Plan of {which[-1].upper()}", list(labels), index=list(labels).index(chosen) if chosen in labels else 0,
        format_func=lambda plan: reader.told(labels.get(plan) or plan), key=key, on_change=_turn,
        args=(opened, other, which, key), label_visibility="collapsed", width=190,
    )  # fmt: skip


def _turn(opened: Opened | None, other: Other, which: str, key: str) -> None:
    plan = str(st.session_state[key])
    choose(opened, replace(other, plan_a=plan) if which == "plan_a" else replace(other, plan_b=plan))


def _count(opened: Opened, other: Other, key: str) -> None:
    choose(opened, replace(other, numbers=bool(st.session_state[key])))


def _choices(opened: Opened, other: Other) -> None:
    """What B may be: the same query with other settings, another plan of the same text, another text."""
    if opened.facts.planned and not opened.facts.is_pasted:
        upgrade_page.another_spark(opened, other, choose)
    if opened.facts.statements:
        st.markdown("**The same query with other settings**")
        with st.container(horizontal=True, gap="xsmall"):
            for words, lines in PRESETS.items():
                st.button(words, key=f"planviz.compare.preset.{words}", on_click=choose,
                          args=(opened, replace(other, text=None, name="", settings=lines)))  # fmt: skip
        st.text_area(
            "Settings, one in a line; profile=spark-3.5 for a version", other.settings, height=90, key=_SETTINGS_B
        )
        st.button("Plan with these settings", on_click=_settings, args=(opened, other))
    if len(opened.facts.stages) > 1:
        st.button("Another plan of the same text", on_click=choose, args=(opened, Other(plan_a=other.plan_a)))
    st.markdown("**Another text**")
    _error()
    text = other.text or ""
    long = len(text) > _LONG
    st.text_area(
        "SQL, plan text, event log or JSON", "" if long else text, height=150, key=_TEXT_B,
        placeholder=f"The text that is compared has {len(text):,} characters" if long else None,
    )  # fmt: skip
    with st.container(horizontal=True, gap="xsmall"):
        st.button("Compare with this text", type="primary", on_click=_text, args=(opened, other))
        st.button("Add it as the next plan", on_click=_next, args=(opened, other),
                  help="Three and more plans of one query over time: every step from one to the next")  # fmt: skip
    if other.more:
        st.button(
            f"Without the {len(other.more)} further plans", on_click=choose, args=(opened, replace(other, more=()))
        )
    names = {sample.name: sample.title for sample in samples()}
    st.selectbox("Or a sample", ["", *names], format_func=lambda name: reader.told(names.get(name, "–")),
                 key="planviz.compare.sample", on_change=_other_sample, args=(opened, other))  # fmt: skip


def _settings(opened: Opened, other: Other) -> None:
    choose(opened, replace(other, settings=str(st.session_state.get(_SETTINGS_B) or "")))


def _text(opened: Opened, other: Other) -> None:
    text = str(st.session_state.get(_TEXT_B) or "")
    try:
        open_document(text, opened.catalog or "auto", near=opened.key)
    except PlanvizError as error:
        state.fail(error)
        return
    st.session_state[state.ERROR] = None
    choose(opened, Other(text=text, plan_a=other.plan_a, numbers=other.numbers))


def _next(opened: Opened, other: Other) -> None:
    text = str(st.session_state.get(_TEXT_B) or "")
    try:
        longer = compare.longer(opened, other, "", text)
    except PlanvizError as error:
        state.fail(error)
        return
    st.session_state[state.ERROR] = None
    choose(opened, longer)


def _other_sample(opened: Opened, other: Other) -> None:
    name = str(st.session_state.get("planviz.compare.sample") or "")
    if name:
        title = next(sample.title for sample in samples() if sample.name == name)
        choose(opened, Other(text=load(name), name=title, plan_a=other.plan_a, numbers=other.numbers))


# -- files, address, element


def export_menu(opened: Opened, other: Other) -> None:
    """The difference in every format, made when its button is pressed."""
    name = state.name()
    with st.popover("Export"), st.container(gap=None):
        for format, (label, kind) in FORMATS.items():
            st.download_button(
                label, data=_export(opened, other, name, format), file_name=f"{views.file_name(name, 'diff')}.{format}",
                mime=kind, on_click="ignore", type="tertiary", key=f"planviz.compare.export.{format}",
            )  # fmt: skip


def _export(opened: Opened, other: Other, name: str, format: str) -> Callable[[], bytes]:
    return lambda: compare.exported(opened, other, name, format)


def address(opened: Opened, other: Other) -> tuple[str, bool]:
    """The address of this comparison, after the "?", and whether it works on any server."""
    query, portable = state.address(opened, plan=False)
    told: JsonObject = {name: value for name in ("plan_a", "plan_b", "settings") if (value := getattr(other, name))}
    if other.numbers:
        told["literals"] = "1"
    if other.text is not None:
        packed = links.pack(other.text)
        portable = portable and packed is not None and len(packed) + len(query) <= links.LINK_LIMIT
        if portable and packed is not None:
            told["b"] = packed
            told |= {"name_b": other.name} if other.name else {}
    if other.more:
        chain = links.pack_pairs(other.more)
        length = len(query) + sum(map(len, map(str, told.values())))
        portable = portable and chain is not None and len(chain) + length <= links.LINK_LIMIT
        if portable:
            told["more"] = chain
    return (f"{query}&{urlencode(told, quote_via=quote)}" if told else query), portable


def bar(opened: Opened, other: Other) -> None:
    """The buttons at the right end of the page's bar."""
    if st.button("Open…", on_click=state.ask) or state.unseen_error():
        explore.open_dialog()
    export_menu(opened, other)
    query, portable = address(opened, other)
    components.address_bar(query, f"{opened.key}/{other.key}", None, button=portable, part="node")
    if portable:
        sharing.share_menu(opened, query, "compare")


def element(data: bytes) -> None:
    """Draw the comparison; `data` is what `planviz.ui.compare.data` made."""
    component("compare")(key=KEY, data=data, height="stretch", width="stretch")
