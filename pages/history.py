"""Event logs: past executions out of a catalogue, searched, ranked and opened."""

import streamlit as st

from planviz.ui import components, explore, history_page, state
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
        if st.button("Open…", on_click=state.ask) or state.unseen_error():
            explore.open_dialog()
        if found is not None:
            components.address_bar(history_page.address(), "history", None)
