"""Planner: from the optimized plan to the executed one, and what Spark's planner consists of."""

import streamlit as st

from planviz.ui import components, explore, planner, state
from planviz.ui.actions import actions, open_button
from planviz.ui.page import page

opened = state.current()
with page("Planner", document=state.name() if opened else "") as bar:
    if opened is not None:
        explore.heading(opened, "")
    with st.container(key="planviz-body"):
        st.html(planner.page(opened))
    components.drop_zone()
    with bar:
        if opened is None:
            open_button()
        else:
            actions(opened, "planner")
