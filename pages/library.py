"""Library: what was saved, found again (the ninth screen)."""

import streamlit as st

from planviz.ui import library_page, state
from planviz.ui.page import page

opened = state.current()
with page("Library", document=state.name() if opened else ""), st.container(key="planviz-body"):
    library_page.show()
