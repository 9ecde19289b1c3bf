"""Aggregations: the stages of every aggregate, why they are so, and rows on their way through (the fourth screen)."""

import streamlit as st

from planviz.ui import aggregate_page, aggregate_views, components, explore, replayed, state
from planviz.ui.page import begun, page

opened = begun("Aggregations", replayed.shown, state.current())
if opened is None or not begun("Aggregations", aggregate_views.count, opened):
    with page("Aggregations", document=state.name() if opened else "") as bar:
        if opened is not None:
            explore.heading(opened, "")
        with st.container(key="planviz-body"):
            explore.aggregations_opening(opened)
else:
    with page("Aggregations", document=state.name()) as bar:
        explore.heading(opened, "", "aggregates")
        aggregate_page.aggregations_of(opened)
        components.drop_zone()
        with bar:
            if st.button("Open…", on_click=state.ask) or state.unseen_error():
                explore.open_dialog()
            explore.plan_menu()
            query, portable = state.address(opened, plan=False)
            number = aggregate_page.chosen(opened)
            view = f"{opened.key}/aggregates/{number}"
            components.address_bar(query, view, number, button=portable, part="aggregate")
            if not portable:
                explore.too_long_for_link(opened)
