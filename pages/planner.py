"""Planner: from the optimized plan to the executed one, and what Spark's planner consists of."""

import streamlit as st

from planviz.ui import components, explore, planner, queries, state
from planviz.ui.actions import actions, open_button
from planviz.ui.page import page

opened = state.current()
with page("Planner", document=state.name() if opened else "") as bar:
    if opened is not None:
        explore.heading(opened, "", whole=opened)
    with st.container(key="planviz-body"):
        shown = None if opened is None else queries.alone(opened, st.session_state[state.DOCUMENT]["plan"])
        st.html(planner.page(shown))
    components.drop_zone()
    with bar:
        if opened is None:
            open_button()
        else:
            actions(opened, "planner")
