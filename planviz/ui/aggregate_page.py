"""The parts of the Aggregations page: the table, the cards, the sample rows, what decided, the player."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files

import streamlit as st

from planviz.ui import aggregate_views, reader, state, views
from planviz.ui.aggregate_views import Sent, Shown, Texts
from planviz.ui.mechanics import mechanics_player
from planviz.ui.opened import Opened

_AS_PLANNED = "as planned"
#: How many groups a map holds in the player.
_ROOMS = {"memory for all groups": None, "for 2 groups": 2}


@cache
def _style() -> str:
    return f"<style>{files('planviz.ui').joinpath('aggregations.css').read_text('utf-8')}</style>"


def aggregations_of(opened: Opened) -> None:
    """The whole page of a document that has aggregates."""
    st.html(_style())
    number = chosen(opened)
    with st.container(key="planviz-agg", gap="small"):
        if aggregate_views.count(opened) > 1:
            _table(opened, number)
        words = _variant(opened, number)
        shown = aggregate_views.shown(opened, number, words)
        st.html(shown.lead)
        place = st.container()
        with st.container(key="planviz-agg-below", horizontal=True, gap="large"):
            with st.container(key="planviz-agg-rows"):
                edited = _sample(opened, number, shown)
                said = st.container()
            with st.container(key="planviz-agg-why"):
                st.html(shown.why)
        room = _room_before(opened, number) if shown.hashed else None
        sent = aggregate_views.sent(opened, number, words, edited, room)
        with place:
            st.html(sent.cards)
        with said:
            _said(sent)
        if sent.playable:
            _play(opened, number, words, edited, room, sent, shown.hashed)


def chosen(opened: Opened) -> int:
    """The number of the aggregate that is shown, from 1."""
    number = st.session_state[state.DOCUMENT]["aggregate"] or 1
    return max(1, min(number, aggregate_views.count(opened)))


def _table(opened: Opened, number: int) -> None:
    rows = aggregate_views.entries(opened)
    picked = st.dataframe(
        {
            "#": [row.number for row in rows],
            "Functions": [reader.told(row.functions) for row in rows],
            "Keys": [reader.told(row.keys) for row in rows],
            "Stages": [row.stages for row in rows],
            "Shuffles": [row.shuffles for row in rows],
            "Operators": [row.operators for row in rows],
        },
        column_config={
            "#": st.column_config.Column(width=40),
            "Functions": st.column_config.Column(reader.told("Functions"), width="large"),
            "Keys": st.column_config.Column(reader.told("Keys"), width="medium"),
            "Stages": st.column_config.Column(reader.told("Stages"), width=70),
            "Shuffles": st.column_config.Column(reader.told("Shuffles"), width=70),
            "Operators": st.column_config.Column(reader.told("Operators"), width="medium"),
        },
        hide_index=True,
        height=min(36 + 33 * len(rows), 213),
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [number - 1]}},
        key=f"planviz.aggregates.{opened.key[:8]}",
    )
    selected = picked["selection"]["rows"]
    if selected and selected[0] + 1 != number:
        st.session_state[state.DOCUMENT]["aggregate"] = selected[0] + 1
        st.rerun()


def _variant(opened: Opened, number: int) -> str:
    """The setting that was chosen, in words; "" for none."""
    options = aggregate_views.settings(opened, number)
    if not options:
        return ""
    picked = st.segmented_control(
        "What if",
        [_AS_PLANNED, *options],
        default=_AS_PLANNED,
        key=f"planviz.aggregate-if.{opened.key[:8]}.{number}",
        label_visibility="collapsed",
        required=True,
    )
    return str(picked) if picked in options else ""


def _sample(opened: Opened, number: int, shown: Shown) -> Texts | None:
    """The rows to send through, to be edited; None for those that were made up."""
    if shown.sample:
        st.html(f'<div class="pv-lead"><h2>Sample rows</h2><span>{escape(shown.sample)}</span></div>')
        return None
    st.html(
        f'<div class="pv-lead"><h2>Sample rows</h2><span>Made from the columns\' {shown.known}; edit them, add or '
        "remove some. Empty is null.</span></div>"
    )
    if not shown.texts:
        return None
    edited = st.data_editor(
        dict(shown.texts),
        num_rows="dynamic",
        hide_index=True,
        key=f"planviz.aggregate-rows.{opened.key[:8]}.{number}",
    )
    return tuple((name, tuple(values)) for name, values in edited.items())


def _said(sent: Sent) -> None:
    if sent.error:
        st.html(f'<p class="pv-alert" role="alert">{escape(sent.error)}</p>')
    if sent.note:
        st.html(f'<p class="pv-note">{escape(sent.note)}</p>')


def _room_key(opened: Opened, number: int) -> str:
    return f"planviz.aggregate-room.{opened.key[:8]}.{number}"


def _room_before(opened: Opened, number: int) -> int | None:
    """How many groups a map holds, as the widget that stands below has it."""
    return _ROOMS.get(str(st.session_state.get(_room_key(opened, number))))


def _play(
    opened: Opened, number: int, words: str, edited: Texts | None, room: int | None, sent: Sent, hashed: bool
) -> None:
    """The stages' operators, row by row."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.html(
            '<div class="pv-lead"><h2>Row by row</h2><span>The operators at work on the sample rows.</span></div>',
            width="content",
        )
        if hashed:
            st.segmented_control(
                "Memory",
                _ROOMS,
                default=next(iter(_ROOMS)),
                key=_room_key(opened, number),
                label_visibility="collapsed",
                required=True,
            )
        place = st.container(horizontal=True, horizontal_alignment="right")
    if not sent.plays:
        st.html('<p class="pv-note">These operators cannot be played on these rows.</p>')
        return
    title = f"{state.name()}: {sent.names or 'groups'}"
    place.download_button(
        "As interactive HTML",
        lambda: aggregate_views.page(opened, number, words, edited, room, title),
        file_name=f"{views.file_name(state.name(), 'aggregate')}.html",
        mime="text/html",
        on_click="ignore",
        key="planviz.export.aggregate",
    )
    # A name of its own for every set of rows: the player keeps its step while it stays.
    mechanics_player(sent.plays, f"aggregate.{opened.key[:8]}.{number}.{sent.rows:x}", height=620)
