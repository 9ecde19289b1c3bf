"""Cardinality: how many rows and bytes Spark expects, why, and what the plan becomes when they change (screen 5)."""

import streamlit as st

from planviz.ui import cardinality, components, elements, explore, replayed, state
from planviz.ui.actions import actions, actions_beside_box
from planviz.ui.page import begun, page

opened = begun("Cardinality", replayed.shown_query, state.current())
if opened is None or not begun("Cardinality", cardinality.has_numbers, opened):
    with page("Cardinality", document=state.name() if opened else "") as bar:
        if opened is not None:
            explore.heading(opened, "", whole=state.current())
        with st.container(key="planviz-body"):
            explore.cardinality_opening(opened)
        with bar:
            actions_beside_box(opened, "cardinality")
else:
    shown = st.session_state[state.DOCUMENT]
    with page("Cardinality", document=state.name()) as bar:
        explore.heading(opened, "", "optimized", whole=state.current())
        with st.container(key="planviz-fill", horizontal=True, gap=None, height="stretch", wrap=False):
            elements.fill("cardinality", cardinality.data(opened, cardinality.asked_of(opened, shown["numbers"])))
        components.drop_zone()
        with bar:
            actions(opened, "cardinality", selected=cardinality.part(shown["numbers"]), part="numbers")
