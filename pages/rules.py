"""Rules: a trace step by step, each rule with its plan before and after (the second screen)."""

import streamlit as st

from planviz.ui import components, explore, replayed, sharing, state
from planviz.ui import rules as shown_rules
from planviz.ui.page import begun, page
from planviz.ui.player import player

opened = begun("Rules", replayed.shown, state.current())
if opened is None or not opened.facts.steps:
    with page("Rules", document=state.name() if opened else "") as bar:
        if opened is not None:
            explore.heading(opened, "")
        with st.container(key="planviz-body"):
            explore.rules_opening(opened)
else:
    shown = st.session_state[state.DOCUMENT]
    with page("Rules", document=state.name()) as bar:
        explore.heading(opened, "", "optimized")
        with st.container(key="planviz-fill", horizontal=True, gap=None, height="stretch", wrap=False):
            player(shown_rules.data(opened, shown["step"], shown["off"], shown["why"]))
        components.drop_zone()
        with bar:
            if st.button("Open…", on_click=state.ask) or state.unseen_error():
                explore.open_dialog()
            explore.trace_menu(opened)
            query, portable = state.address(opened, plan=False)
            components.address_bar(query, f"{opened.key}/trace", shown["step"], button=portable, part="step")
            if not portable:
                explore.too_long_for_link(opened)
            sharing.share_menu(opened, query, "rules")
