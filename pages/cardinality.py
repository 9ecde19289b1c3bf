"""Cardinality: how many rows and bytes Spark expects, why, and what the plan becomes when they change (screen 5)."""

import streamlit as st

from planviz.ui import cardinality, components, explore, replayed, state
from planviz.ui.numbers import flow
from planviz.ui.page import begun, page

opened = begun("Cardinality", replayed.shown, state.current())
if opened is None or not begun("Cardinality", cardinality.has_numbers, opened):
    with page("Cardinality", document=state.name() if opened else "") as bar:
        if opened is not None:
            explore.heading(opened, "")
        with st.container(key="planviz-body"):
            explore.cardinality_opening(opened)
else:
    shown = st.session_state[state.DOCUMENT]
    with page("Cardinality", document=state.name()) as bar:
        explore.heading(opened, "", "optimized")
        with st.container(key="planviz-fill", horizontal=True, gap=None, height="stretch", wrap=False):
            flow(cardinality.data(opened, cardinality.asked_of(opened, shown["numbers"])))
        components.drop_zone()
        with bar:
            if st.button("Open…", on_click=state.ask) or state.unseen_error():
                explore.open_dialog()
            explore.plan_menu()
            query, portable = state.address(opened, plan=False)
            view, part = f"{opened.key}/cardinality", cardinality.part(shown["numbers"])
            components.address_bar(query, view, part, button=portable, part="numbers")
            if not portable:
                explore.too_long_for_link(opened)
