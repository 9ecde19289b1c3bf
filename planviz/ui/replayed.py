"""Pasted explains on the pages that plan: the replayed document, its badge, the settings and sizes behind it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape

import streamlit as st

from planviz.document.comparison.replays import ReplayReport, badge, replay_report
from planviz.document.opening.replays import MOST, not_replayed, replayed
from planviz.errors import PlanvizError
from planviz.jsontypes import JsonObject
from planviz.replay.given import Given, given, given_from, given_text
from planviz.ui import queries, rules, state
from planviz.ui.cache import derived
from planviz.ui.opened import Opened, in_worker

_BOXES = "planviz.given"
#: What is kept of a document whose replay was stopped: nobody waits for it twice.
_STOPPED = ("stopped",)
#: Characters of a text whose replay nobody waits for: some seconds' worth at most.
_QUICK = 250_000


def shown(opened: Opened | None) -> Opened | None:
    """What the pages that plan show of a document: a pasted explain replayed, with what was given; or itself."""
    return shown_as(opened, said_of())


def shown_query(opened: Opened | None) -> Opened | None:
    """The same of the pages that are about one query: that of the plan which Explore shows."""
    found = shown(opened)
    return None if found is None else queries.alone(found, st.session_state[state.DOCUMENT]["plan"])


def shown_as(opened: Opened | None, said: Given) -> Opened | None:
    """What the pages that plan show of a document with what was given."""
    if opened is None or opened.facts.statements or not opened.facts.stages:
        return opened
    if opened.profile and not said.profile:
        said = replace(said, profile=opened.config.profile)
    return derived(opened, f"replayed {given_text(said)}", partial(replayed, said=said, most=MOST)) or opened


def with_reasons(opened: Opened) -> Opened:
    """What tells why a document's operators are there: a pasted explain replayed with what its text says, which the
    pages that plan show, too. One that would take long, or was stopped once, stays as it is."""
    if len(opened.text) > _QUICK or _STOPPED in opened.made:
        return opened
    try:
        return shown_as(opened, Given()) or opened
    except PlanvizError:
        opened.made[_STOPPED] = True
        return opened


def said_of() -> Given:
    """What was said beside the open text; nothing where that cannot be read."""
    try:
        return given_from(str((st.session_state.get(state.DOCUMENT) or {}).get("given") or ""))
    except PlanvizError:
        return Given()


@in_worker
def report(opened: Opened, about: str) -> tuple[str, ReplayReport] | None:
    """The badge of what is shown (`about`: optimized, joins, aggregates) and the report; None of anything else."""
    found = [s for s in opened.document.statements if s.replay is not None]
    return (badge(found[-1], about), replay_report(found[-1])) if found else None


@in_worker
def log_words(opened: Opened) -> list[tuple[str, int | None]]:
    """Of Spark's own log how every run of its optimizer compares, and the step that differs first, from 1."""
    return [(run.words, None if run.first is None else run.first.number + 1) for run in rules.logged(opened)]


@in_worker
def reason(opened: Opened) -> str:
    """Why a pasted text's plans are not shown replayed; "" for anything else."""
    document = opened.document
    pasted = document.is_pasted and not document.statements and document.plans and not document.trace.steps
    return not_replayed(document) if pasted else ""


def heading(opened: Opened, about: str) -> None:
    """The badge of what is shown (`about`: optimized, joins, aggregates), and the panel; nothing of anything else."""
    if about == "optimized" and opened.facts.steps and opened.facts.is_pasted:
        _log_heading(opened)
    found = report(opened, about)
    if found is None:
        why = reason(opened)
        if why:
            _chip("read from the text", "plain", why)
        return
    words, told = found
    _chip(words, "warning" if "differs" in words else "plain", told.counts)
    with st.popover("Settings and sizes"):
        _panel(opened, told, about)


def _chip(words: str, tone: str, why: str) -> None:
    chip = f'<span class="pv-chip pv-chip-{tone}" title="{escape(why, quote=True)}">{escape(words)}</span>'
    st.html(f'<div class="pv-head">{chip}</div>', width="content")


def _log_heading(opened: Opened) -> None:
    """Of Spark's own log: whether planviz takes its steps, and the way to the first that differs."""
    for words, first in log_words(opened):
        _chip(words, "plain" if first is None else "warning", "The optimizer ran again from the log's first plan.")
        if first is not None:
            st.button(f"Step {first}", key=f"planviz.differs.{first}", on_click=_show_step, args=(first,))


def _show_step(number: int) -> None:
    st.session_state[state.DOCUMENT]["step"] = number


def _panel(opened: Opened, report: ReplayReport, about: str) -> None:
    st.html(f'<p class="pv-note">{escape(report.counts)}</p>')
    if report.settings:
        rows = "".join(
            f"<tr><td>{escape(key.removeprefix('spark.sql.'))}</td><td><b>{escape(value)}</b></td>"
            f"<td>{escape(why)}</td></tr>"
            for key, value, why in report.settings
        )
        st.html(f'<table class="pv-checks"><tbody>{rows}</tbody></table>')
    for title, lines in (("Taken from the text", report.taken), ("Where it differs", report.differences(about))):
        if lines:
            items = "".join(f"<li>{escape(line)}</li>" for line in lines)
            st.html(f'<div class="pv-lead"><h2>{title}</h2></div><ul class="pv-rejected">{items}</ul>')
    _asked(opened, report)


def _asked(opened: Opened, report: ReplayReport) -> None:
    """The boxes in which settings and sizes are said; the pages then show the plans under them."""
    said = said_of()
    with st.form(f"{_BOXES}.{opened.key[:8]}", border=False):
        sizes: JsonObject = {}
        for size in report.sizes:
            sizes[size.name] = st.text_input(
                f"{size.name}: {size.words}",
                value=str(said.sizes.get(size.name, "")),
                placeholder="its size, as 10MB",
                help=size.why or None,
                key=f"{_BOXES}.{opened.key[:8]}.{size.name}",
            )
        settings = st.text_input(
            "Settings, as spark.sql.shuffle.partitions=20; …",
            value=given_text(Given(said.settings, {}, said.profile)),
            key=f"{_BOXES}.{opened.key[:8]}.settings",
        )
        if st.form_submit_button("Plan with these"):
            _plan_with(settings, {name: text.strip() for name, text in sizes.items() if text.strip()})


def _plan_with(settings: str, sizes: dict[str, str]) -> None:
    try:
        asked = given_from(settings.replace(" ", ""))
        said = given(asked.settings, {**asked.sizes, **sizes}, asked.profile)
    except PlanvizError as error:
        st.html(f'<p class="pv-alert" role="alert">{escape(str(error))}</p>')
        return
    st.session_state[state.DOCUMENT]["given"] = given_text(said)
    st.rerun()
