"""The Catalogue page's widgets: a search, kinds, the list, the entry."""

from __future__ import annotations

from html import escape
from importlib.resources import files

import streamlit as st

from planviz.errors import PlanvizError
from planviz.reference import Entry, entry_named, search
from planviz.ui import catalogue
from planviz.ui.cache import Opened

_CHOSEN, _TEXT, _KIND = "planviz-catalogue-chosen", "planviz-catalogue-text", "planviz-catalogue-kind"
_LEAD = """<div class="pv-lead"><h1>Catalogue</h1>
<span>Every rule, operator, setting, batch, finding and function that planviz plans with, made from its code: what it
does, in which version of Spark, and an example planned now.</span></div>"""


def show(opened: Opened | None) -> None:
    """Draw the page; the address says which entry, what was searched and which kind."""
    st.html(f"<style>{files('planviz.ui').joinpath('catalogue.css').read_text(encoding='utf-8')}</style>{_LEAD}")
    _from_address()
    with st.container(key="planviz-catalogue", horizontal=True, gap="large", vertical_alignment="top"):
        with st.container(key="planviz-catalogue-list"):
            chosen = _list()
        with st.container(key="planviz-catalogue-entry"):
            if chosen is not None:
                _entry(chosen, opened)


def _from_address() -> None:
    """On the session's first visit what the address asks for, later what the widgets hold."""
    asked = st.query_params.get("entry", "")[:300]
    if asked and asked != st.session_state.get(_CHOSEN):
        try:
            found = entry_named(asked)
        except PlanvizError as error:
            st.html(f'<p class="pv-alert" role="alert">{escape(str(error))}</p>')
            return
        st.session_state[_CHOSEN] = asked
        st.session_state[_KIND], st.session_state[_TEXT] = found.kind, found.name


def _list() -> Entry | None:
    text = st.text_input("Search", key=_TEXT, placeholder="A name or words: broadcast, skew, LIMIT …")
    kinds = catalogue.kind_words()
    kind = st.segmented_control(
        "Kind", list(kinds), key=_KIND, format_func=lambda k: kinds[k], label_visibility="collapsed"
    )
    found = search(text or "", [kind] if kind else ())
    st.caption(catalogue.listed(found))
    shown = found[: catalogue.MOST]
    if not shown:
        return None
    with st.container(key="planviz-catalogue-names", height=560, border=False):
        at = st.radio(
            "Entries", range(len(shown)), format_func=lambda i: shown[i].name, label_visibility="collapsed",
            captions=[one.summary for one in shown], key=f"planviz-catalogue-{kind}-{text}",
        )  # fmt: skip
    chosen = shown[at or 0]
    address = f"{chosen.kind}:{chosen.name}"
    st.session_state[_CHOSEN] = address
    if st.query_params.get("entry") != address:
        st.query_params["entry"] = address
    return chosen


def _entry(chosen: Entry, opened: Opened | None) -> None:
    st.html(catalogue.card(chosen))
    shown = catalogue.example(chosen)
    if shown:
        st.html(shown)
    if opened is None or chosen.kind != "setting":
        effects = catalogue.effects(chosen, None)
    else:
        effects = catalogue.effects_on(opened, chosen.name)
    if effects:
        st.html(effects)
