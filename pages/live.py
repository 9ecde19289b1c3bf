"""Live Spark: capture queries, collect statistics, beside what planviz makes of them (the seventh screen)."""

import streamlit as st

from planviz.ui import components, live, live_report, live_session, state
from planviz.ui.actions import open_button
from planviz.ui.live_access import Access
from planviz.ui.page import page

live_session.take_over(live.level())
opened = state.current()
if opened is not None:
    live_session.take_query(opened)
captured = opened if opened is not None and live_report.is_capture(opened) else None
with page("Live Spark", document=state.name() if captured else "") as bar:
    if live.level() is Access.NONE:
        with st.container(key="planviz-body"):
            live.closed()
    else:
        shared = live.spark()
        live.heading(shared)
        with st.container(key="planviz-body"):
            part = live.section()
            if part == "Statistics":
                live.statistics()
            elif part == "Event logs":
                live.event_logs()
            else:
                live.query(lead=captured is None)
            if captured is not None and part == "Query":
                live.result(captured)
    components.drop_zone()
    if opened is not None:
        components.address_bar(state.address(opened, plan=False)[0], f"{opened.key}/live", None, button=False)
    with bar:
        open_button()
