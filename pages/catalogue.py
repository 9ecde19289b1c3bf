"""Catalogue: every rule, operator, setting, batch, finding and function, to look up and to try (the eighth screen)."""

import streamlit as st

from planviz.ui import catalogue_page, explore, state
from planviz.ui.actions import open_button
from planviz.ui.page import page

opened = state.current()
with page("Catalogue", document=state.name() if opened else "") as bar:
    if opened is not None:
        explore.heading(opened, "")
    with st.container(key="planviz-body"):
        catalogue_page.show(opened)
    with bar:
        open_button()
