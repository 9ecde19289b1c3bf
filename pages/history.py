"""Event logs: past executions out of a catalogue, searched, ranked and opened."""

import streamlit as st

from planviz.ui import components, history_page, state
from planviz.ui.actions import open_button
from planviz.ui.page import page

state.current()
found, error = history_page.chosen()
with page("Event logs") as bar:
    if found is None:
        with st.container(key="planviz-body"):
            history_page.opening(error)
    else:
        history_page.heading(found)
        history_page.results(found)
    components.drop_zone()
    with bar:
        open_button()
        if found is not None:
            components.address_bar(history_page.address(), "history", None)
