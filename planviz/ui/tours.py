"""Tours on the pages: the strip below the top bar that tells of the step that is open, and the list of tours."""

from __future__ import annotations

from html import escape

import streamlit as st

from planviz.errors import InputError
from planviz.samples.tours import Step, Tour, step_at, tours
from planviz.ui import state
from planviz.ui.tour_addresses import address, step_of

_LEAD = """<div class="pv-lead"><h2>Or a tour</h2><span>A few steps each, on the real pages.</span></div>"""


def strip() -> None:
    """The step that the session is at: what to see, what to do, the way on; nothing where no tour was begun."""
    part = st.session_state.get(state.TOUR)
    if not part:
        return
    try:
        tour, number = step_of(part)
    except InputError as error:
        st.html(f'<p class="pv-alert" role="alert">{escape(str(error))}</p>')
        st.session_state[state.TOUR] = ""
        return
    with st.container(key="planviz-tour", horizontal=True, gap="small", vertical_alignment="center", wrap=False):
        st.html(_told(tour, number))
        st.button("End tour", on_click=_end, type="tertiary", width="content")


def _end() -> None:
    st.session_state[state.TOUR] = ""


def _told(tour: Tour, number: int) -> str:
    step, last = step_at(tour, number), len(tour.steps)
    ways = [
        f'<a href="{escape(address(tour.name, at))}" rel="{rel}">{words}</a>'
        for at, rel, words in ((number - 1, "prev", "← Back"), (number + 1, "next", "Next →"))
        if 1 <= at <= last
    ]
    return (
        f'<nav class="pv-tour" aria-label="Tour: {escape(tour.title)}"><p><b>{escape(step.title)}</b> '
        f"<small>{escape(tour.title)}, step {number} of {last}</small> {' '.join(ways)}</p>"
        f"<p>{escape(step.see)}{_rows(step)} <em>Try:</em> {escape(step.do)}</p></nav>"
    )


def _rows(step: Step) -> str:
    if step.rows is None:
        return ""
    rows = "; ".join(", ".join("null" if value is None else str(value) for value in row) for row in step.rows)
    return f" Its rows: {escape(rows)}."


def offered() -> None:
    """Links to the first step of every tour."""
    items = "".join(
        f'<a href="{escape(address(tour.name, 1))}" title="{escape(tour.about)}">{escape(tour.title)}</a>'
        for tour in tours().values()
    )
    st.html(f'{_LEAD}<nav class="pv-tours" aria-label="Tours">{items}</nav>')
