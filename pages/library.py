"""Library: what was saved, found again (the ninth screen)."""

import streamlit as st

from planviz.ui import library_page, state
from planviz.ui.actions import open_button
from planviz.ui.page import page

opened = state.current()
with page("Library", document=state.name() if opened else "") as bar:
    with st.container(key="planviz-body"):
        library_page.show()
    with bar:
        open_button()
