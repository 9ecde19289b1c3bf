"""Aggregations: the stages of every aggregate, why they are so, and rows on their way through (the fourth screen)."""

import streamlit as st

from planviz.ui import aggregate_views, components, elements, explore, replayed, state
from planviz.ui.actions import actions, actions_beside_box
from planviz.ui.page import begun, page

opened = begun("Aggregations", replayed.shown, state.current())
if opened is None or not begun("Aggregations", aggregate_views.count, opened):
    with page("Aggregations", document=state.name() if opened else "") as bar:
        if opened is not None:
            explore.heading(opened, "")
        with st.container(key="planviz-body"):
            explore.aggregations_opening(opened)
        with bar:
            actions_beside_box(opened, "aggregations")
else:
    shown = st.session_state[state.DOCUMENT]
    with page("Aggregations", document=state.name()) as bar:
        explore.heading(opened, "", "aggregates")
        with st.container(key="planviz-fill", horizontal=True, gap=None, height="stretch", wrap=False):
            elements.fill("aggregations", aggregate_views.data(opened, shown["aggregate"], shown["plan"]))
        components.drop_zone()
        with bar:
            actions(opened, "aggregations", selected=shown["aggregate"], part="aggregate")
