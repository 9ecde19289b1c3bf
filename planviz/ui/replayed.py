"""Pasted explains on the pages that plan: the replayed document, its badge, the settings and sizes behind it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from planviz.document.replay_report import ReplayReport, badge, replay_report
from planviz.document.replayed import replayed
from planviz.errors import PlanvizError
from planviz.replay.given import Given, given, given_from, given_text
from planviz.ui import state
from planviz.ui.cache import derived
from planviz.ui.opened import Opened, in_worker

_BOXES = "planviz.given"


def shown(opened: Opened | None) -> Opened | None:
    """What the pages that plan show of a document: a pasted explain replayed, with what was given; or itself."""
    if opened is None or opened.facts.statements or opened.facts.steps:
        return opened
    said = said_of()
    if opened.profile and not said.profile:
        said = replace(said, profile=opened.config.profile)
    return derived(opened, f"replayed {given_text(said)}", partial(replayed, said=said)) or opened


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


def heading(opened: Opened, about: str) -> None:
    """The badge of what is shown (`about`: optimized, joins, aggregates), and the panel; nothing of anything else."""
    found = report(opened, about)
    if found is None:
        return
    words, told = found
    tone = "warning" if "differs" in words else "plain"
    st.html(f'<div class="pv-head"><span class="pv-chip pv-chip-{tone}">{escape(words)}</span></div>', width="content")
    with st.popover("Settings and sizes", type="tertiary"):
        _panel(opened, told, about)


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
        sizes: dict[str, Any] = {}
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
