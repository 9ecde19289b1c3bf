"""Planner: from the optimized plan to the executed one, and what Spark's planner consists of."""

import streamlit as st

from planviz.ui import planner, state
from planviz.ui.page import page

opened = state.current()
with page("Planner", document=state.name() if opened else ""), st.container(key="planviz-body"):
    st.html(planner.overview(opened.document if opened else None))
