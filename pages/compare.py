"""Compare: two plans side by side or as one tree, what differs in words and in numbers (the sixth screen)."""

import streamlit as st

from planviz.errors import PlanvizError
from planviz.ui import compare, compare_page, components, explore, state, upgrade_page
from planviz.ui.actions import actions_beside_box
from planviz.ui.page import begun, page

opened = state.current()
other = begun("Compare", compare_page.second, opened) if opened is not None else None
with page("Compare", document=state.name() if opened else "") as bar:
    if opened is None or other is None:
        if opened is not None:
            explore.heading(opened, "")
        with st.container(key="planviz-body"):
            compare_page.opening(opened)
        with bar:
            actions_beside_box(opened, "compare")
    else:
        compare_page.sides(opened, other)
        causes = upgrade_page.place(opened, other)
        try:
            data = compare.data(opened, other, state.name())
        except PlanvizError as error:
            data = None
            with st.container(key="planviz-body"):
                st.error(str(error), icon=":material/error:")
        if data is not None:
            with st.container(key="planviz-fill", horizontal=True, gap=None, height="stretch", wrap=False):
                compare_page.element(data)
        components.drop_zone()
        with bar:
            compare_page.bar(opened, other)
        upgrade_page.told(causes, opened, other, compare_page.choose)
