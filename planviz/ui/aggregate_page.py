"""The parts of the Aggregations page: the table, the cards, the sample rows, what decided, the player."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import Any
from zlib import crc32

import streamlit as st

from planviz.document.aggregate_rows import Played, labels, rows_from, sample_of, sample_texts
from planviz.document.aggregated import AggregateReport
from planviz.errors import InputError
from planviz.render.mechanics import mechanics_page
from planviz.ui import aggregations, state, views
from planviz.ui.cache import Opened
from planviz.ui.mechanics import mechanics_player
from planviz.ui.stage_cards import plain

_AS_PLANNED = "as planned"
#: How many groups a map holds in the player.
_ROOMS = {"memory for all groups": None, "for 2 groups": 2}


@cache
def _style() -> str:
    return f"<style>{files('planviz.ui').joinpath('aggregations.css').read_text('utf-8')}</style>"


def aggregations_of(opened: Opened) -> None:
    """The whole page of a document that has aggregates."""
    st.html(_style())
    found = aggregations.reports(opened)
    number = chosen(opened)
    with st.container(key="planviz-agg", gap="small"):
        if len(found) > 1:
            _table(opened, number)
        report, promise = _variant(opened, number)
        model = aggregations.model_of(opened, number) if report is found[number - 1] else report
        _lead(report, promise)
        place = st.container()
        with st.container(key="planviz-agg-below", horizontal=True, gap="large"):
            with st.container(key="planviz-agg-rows"):
                shown = _sample(opened, number, model)
            with st.container(key="planviz-agg-why"):
                _why(report)
        with place:
            st.html(aggregations.cards(report, None if isinstance(model, str) else model, shown))
        if shown is not None and isinstance(model, AggregateReport):
            _play(opened, number, model, shown)


def chosen(opened: Opened) -> int:
    """The number of the aggregate that is shown, from 1."""
    number = st.session_state[state.DOCUMENT]["aggregate"] or 1
    return max(1, min(number, len(aggregations.reports(opened))))


def _table(opened: Opened, number: int) -> None:
    rows = aggregations.entries(aggregations.reports(opened))
    picked: Any = st.dataframe(
        {
            "#": [row.number for row in rows],
            "Functions": [row.functions for row in rows],
            "Keys": [row.keys for row in rows],
            "Stages": [row.stages for row in rows],
            "Shuffles": [row.shuffles for row in rows],
            "Operators": [row.operators for row in rows],
        },
        column_config={"#": st.column_config.Column(width=40), "Functions": st.column_config.Column(width="large")},
        hide_index=True,
        height=min(38 + 35 * len(rows), 213),
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [number - 1]}},
        key=f"planviz.aggregates.{opened.key[:8]}",
    )
    selected = picked["selection"]["rows"]
    if selected and selected[0] + 1 != number:
        st.session_state[state.DOCUMENT]["aggregate"] = selected[0] + 1
        st.rerun()


def _variant(opened: Opened, number: int) -> tuple[AggregateReport, str]:
    """The aggregate as planned, or with the setting that was chosen; and what the setting gives."""
    report = aggregations.reports(opened)[number - 1]
    options = {w.words: w for w in aggregations.variants(opened, number)}
    if not options:
        return report, ""
    picked = st.segmented_control(
        "What if",
        [_AS_PLANNED, *options],
        default=_AS_PLANNED,
        key=f"planviz.aggregate-if.{opened.key[:8]}.{number}",
        label_visibility="collapsed",
        required=True,
    )
    found = options.get(str(picked))
    if found is None:
        return report, ""
    return found.report, f"{found.key} = {str(found.value).lower()}"


def _lead(report: AggregateReport, promise: str) -> None:
    keys = f" by {plain(', '.join(report.keys))}" if report.keys else ""
    functions = plain(", ".join(aggregations.names(report))) or "only groups"
    stages, shuffles = len(report.stages), report.shuffles
    facts = [f"{stages} stage{'s' if stages > 1 else ''}", f"{shuffles} shuffle{'' if shuffles == 1 else 's'}"]
    facts += [f"with {escape(promise)}"] if promise else []
    notes = "".join(f"<p class='pv-note'>{_note(note)}</p>" for note in report.notes)
    st.html(f'<div class="pv-agg-lead"><h2>{functions}<span>{keys}</span></h2><p>{" · ".join(facts)}</p>{notes}</div>')


def _note(note: str) -> str:
    rule, _, rest = note.partition(": ")
    return f"<b>{escape(rule)}</b> {escape(rest)}"


def _sample(opened: Opened, number: int, model: AggregateReport | str) -> Played | None:
    """The rows to send through, to be edited; what became of them."""
    if isinstance(model, str):
        st.html(f'<div class="pv-lead"><h2>Sample rows</h2><span>{escape(model)}</span></div>')
        return None
    if not labels(model):
        st.html(
            '<div class="pv-lead"><h2>Sample rows</h2><span>The aggregate reads no column: rows are only counted.'
            "</span></div>"
        )
        return _shown(model, sample_of(model))
    known = "types and statistics" if model.execution is not None and opened.document.statements else "types"
    st.html(
        f'<div class="pv-lead"><h2>Sample rows</h2><span>Made from the columns\' {known}; edit them, add or remove '
        "some. Empty is null.</span></div>"
    )
    if not aggregations.editable(model):
        return _shown(model, sample_of(model))
    edited = st.data_editor(
        sample_texts(model),
        num_rows="dynamic",
        hide_index=True,
        key=f"planviz.aggregate-rows.{opened.key[:8]}.{number}",
    )
    try:
        return _shown(model, rows_from(model, edited))
    except InputError as error:
        st.html(f'<p class="pv-alert" role="alert">{escape(str(error))}</p>')
        return None


def _shown(model: AggregateReport, rows: list[tuple[Any, ...]]) -> Played | None:
    found = aggregations.through(model, rows)
    if isinstance(found, str):
        st.html(f'<p class="pv-note">{escape(found)}</p>')
        return None
    return found


def _why(report: AggregateReport) -> None:
    """What decided the number of stages, and the operators that were not taken."""
    checks = "".join(
        f"<tr><td>{plain(question)}</td><td><b>{answer}</b></td><td>{plain(seen)}</td></tr>"
        for question, answer, seen in aggregations.checks(report)
    )
    rejected = "".join(f"<li><b>{escape(name)}</b> {plain(why)}</li>" for name, why in aggregations.rejected(report))
    if not checks:
        st.html(
            '<div class="pv-lead"><h2>Why these stages</h2><span>The text shows what was chosen, not what the planner '
            "saw. Answers marked ? cannot be told from it.</span></div>"
        )
        return
    st.html(
        f'<div class="pv-lead"><h2>Why these stages</h2></div><table class="pv-checks"><tbody>{checks}</tbody></table>'
        + (f'<div class="pv-lead"><h2>Not taken</h2></div><ul class="pv-rejected">{rejected}</ul>' if rejected else "")
    )


def _play(opened: Opened, number: int, model: AggregateReport, shown: Played) -> None:
    """The stages' operators, row by row."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.html(
            '<div class="pv-lead"><h2>Row by row</h2><span>The operators at work on the sample rows.</span></div>',
            width="content",
        )
        room = None
        if {s.text.operator for s in model.stages} & {"HashAggregate", "ObjectHashAggregate"}:
            picked = st.segmented_control(
                "Memory",
                _ROOMS,
                default=next(iter(_ROOMS)),
                key=f"planviz.aggregate-room.{opened.key[:8]}.{number}",
                label_visibility="collapsed",
                required=True,
            )
            room = _ROOMS.get(str(picked))
        place = st.container(horizontal=True, horizontal_alignment="right")
    found = aggregations.plays(model, shown, room)
    if not found:
        st.html('<p class="pv-note">These operators cannot be played on these rows.</p>')
        return
    title = f"{state.name()}: {', '.join(aggregations.names(model)) or 'groups'}"
    place.download_button(
        "As interactive HTML",
        lambda: mechanics_page([play.to_json() for play in found], title=title).encode(),
        file_name=f"{views.file_name(state.name(), 'aggregate')}.html",
        mime="text/html",
        on_click="ignore",
        key="planviz.export.aggregate",
    )
    # A name of its own for every set of rows: the player keeps its step while it stays.
    rows = crc32(repr((shown.partitions, room, [s.text.operator for s in model.stages])).encode())
    mechanics_player(found, f"aggregate.{opened.key[:8]}.{number}.{rows:x}", height=620)
