"""Explore: paste a plan, see it (the first screen)."""

import streamlit as st

from planviz.ui import components, explore, state, views
from planviz.ui.actions import actions
from planviz.ui.page import go_on, page
from planviz.ui.workbench import workbench

go_on()
opened = state.current()
if opened is None:
    with page("Explore"), st.container(key="planviz-body"):
        explore.opening()
else:
    shown = st.session_state[state.DOCUMENT]
    with page("Explore", document=state.name()) as bar:
        # Only now: what was selected on the page before is followed when a page begins.
        plan, node = shown["plan"], shown["node"]
        explore.heading(opened, plan)
        with st.container(key="planviz-fill", horizontal=True, gap=None, height="stretch", wrap=False):
            if plan.endswith(("a", "b")):
                with st.container(key="planviz-steps", width=340, height="stretch"):
                    explore.rule_steps(opened, plan)
            if plan:
                workbench(views.workbench(opened, plan, node), key=state.WORKBENCH, height="stretch", go=state.go_on)
            else:
                explore.only_text(opened)
        components.drop_zone()
        with bar:
            actions(opened, "", plan, node, stages=views.stages(opened, plan))
