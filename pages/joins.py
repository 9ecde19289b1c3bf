"""Joins: why each join became its operator, and what would change it (the third screen)."""

import streamlit as st

from planviz.ui import components, elements, explore, replayed, state
from planviz.ui import joins as shown_joins
from planviz.ui.actions import actions, actions_beside_box
from planviz.ui.page import begun, page

opened = begun("Joins", replayed.shown, state.current())
why_not = begun("Joins", shown_joins.nothing_to_show, opened)
if opened is None or why_not:
    with page("Joins", document=state.name() if opened else "") as bar:
        if opened is not None:
            explore.heading(opened, "")
        with st.container(key="planviz-body"):
            explore.joins_opening(opened, why_not)
        with bar:
            actions_beside_box(opened, "joins")
else:
    shown = st.session_state[state.DOCUMENT]
    with page("Joins", document=state.name()) as bar:
        explore.heading(opened, "", "joins")
        with st.container(key="planviz-fill", horizontal=True, gap=None, height="stretch", wrap=False):
            elements.fill("joins", shown_joins.data(opened, shown["join"], shown["what"], shown["plan"]))
        components.drop_zone()
        with bar:
            actions(opened, "joins", selected=shown_joins.address(shown["join"], shown["what"]), part="join")
