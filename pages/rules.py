"""Rules: a trace step by step, each rule with its plan before and after (the second screen)."""

import streamlit as st

from planviz.ui import components, explore, replayed, state
from planviz.ui import rules as shown_rules
from planviz.ui.actions import actions, actions_beside_box
from planviz.ui.page import begun, page
from planviz.ui.player import player

opened = begun("Rules", replayed.shown_query, state.current())
if opened is None or not opened.facts.steps:
    with page("Rules", document=state.name() if opened else "") as bar:
        if opened is not None:
            explore.heading(opened, "", whole=state.current())
        with st.container(key="planviz-body"):
            explore.rules_opening(opened)
        with bar:
            actions_beside_box(opened, "rules")
else:
    shown = st.session_state[state.DOCUMENT]
    with page("Rules", document=state.name()) as bar:
        explore.heading(opened, "", "optimized", whole=state.current())
        with st.container(key="planviz-fill", horizontal=True, gap=None, height="stretch", wrap=False):
            player(shown_rules.data(opened, shown["step"], shown["off"], shown["why"]))
        components.drop_zone()
        with bar:
            actions(opened, "rules", "trace", shown["step"], part="step", export=lambda: explore.trace_menu(opened))
