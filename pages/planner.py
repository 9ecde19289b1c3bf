"""Planner: from the optimized plan to the executed one, and what Spark's planner consists of."""

import streamlit as st

from planviz.config import default_profile, profile_of
from planviz.ui import components, explore, planner, state
from planviz.ui.page import page

opened = state.current()
with page("Planner", document=state.name() if opened else "") as bar:
    if opened is not None:
        explore.heading(opened, "")
    with st.container(key="planviz-body"):
        profile = opened.config.profile if opened else profile_of(default_profile())
        st.html(planner.overview(opened.document if opened else None, profile))
    if opened is not None:
        with bar:
            query, portable = state.address(opened, plan=False)
            components.address_bar(query, f"{opened.key}/planner", None, button=portable)
