"""The parts of the Live page: Spark's state, the query, where it is planned, statistics, event logs, the result."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import streamlit as st

from planviz.errors import PlanvizError
from planviz.jsontypes import JsonObject
from planviz.spark.capture_file import ENDING
from planviz.spark.reach import is_connect
from planviz.spark.secrets import without_secrets
from planviz.ui import cache, live_places, live_report, live_session, reader, sparks, state, views
from planviz.ui.live_access import Access, access
from planviz.ui.live_choices import FOLDER, OWN, PASTED, REAL, SAMPLE, TABLES, sample_folder
from planviz.ui.opened import Opened
from planviz.ui.page import page_links
from planviz.ui.sparks import SharedSpark, State
from planviz.ui.versions import version_picker
from planviz.ui.workbench import workbench

SECTIONS = ("Query", "Statistics", "Event logs")
_RESULTS = ("Rows", "Plan", "planviz beside Spark")
_LINKS = ("Explore", "Rules", "Joins", "Aggregations", "Cardinality")

_CLOSED = """<div class="pv-lead"><h1>No live Spark on this server</h1>
<span>Others than this machine can reach it, so visitors start no Spark here: settings of a Spark can run programs.
Who started the server can allow it with <code>planviz serve --live plan</code> (a local Spark plans pasted SQL and
executes nothing) or <code>--live all</code> (also masters, settings, folders and executions, for everybody who gets
here). On your own machine <code>planviz serve</code> allows all of it, and <code>planviz spark capture q.sql</code>
needs no server; its file opens on every page.</span></div>"""
_LEAD = """<div class="pv-lead"><h1>Ask a real Spark</h1>
<span>Its plans, each of its rules at work, its estimates, and, if you let it run the query, the rows that came.</span>
</div>"""
_STORED = """<div class="pv-lead"><h2>Or one without a Spark</h2>
<span>A query that ran before, with all that a capture holds: rules, estimates and measured rows.</span></div>"""
_LOGS = """<div class="pv-lead"><h2>Event logs</h2>
<span>Spark writes one per application (<code>spark.eventLog.enabled</code>). A job reads folders of them into a
catalogue of executions, which can be searched and ranked; a single log opens in the box of the Explore page.</span>
</div>"""
_STATISTICS = """<div class="pv-lead"><h2>Statistics of real tables</h2>
<span>One pass counts rows, bytes and, per column, distinct values, nulls, smallest and largest. The outcome is a
catalogue that planviz plans with on every page.</span></div>"""


def level() -> Access:
    """What the visitor may do on this server."""
    return access(st.get_option("server.address"))


def spark() -> SharedSpark | None:
    """The Spark at work for this session, else the one that is chosen; None while the choice makes no sense."""
    under_way = live_session.work()
    if under_way is not None:
        return under_way.spark
    try:
        return sparks.spark_of(live_session.choices(level()).spark())
    except PlanvizError as error:
        if live_session.session()["said"] is None:
            live_session.say(error, "spark")
        return None


# -- the state


def heading(shared: SharedSpark | None) -> None:
    """How Spark is, kept up to date while anything is under way, with the buttons to start and stop it."""
    busy = live_session.work() is not None or (shared is not None and bool(shared.works()))
    whole = [True]  # the page is drawn with it, until it is
    with st.container(key="planviz-heading", horizontal=True, vertical_alignment="center", gap="small"):
        st.fragment(_state, run_every=0.5 if busy else None)(shared, whole)
    whole.clear()
    _said("spark")


def _state(shared: SharedSpark | None, whole: list[bool]) -> None:
    work = live_session.work()
    # Work that ends while the whole page is drawn waits for the next look: a run that is broken off here forgets what
    # the widgets below hold, and they come back with other values.
    if work is not None and work.ended is not None and not whole:
        st.rerun()
    now = shared.state() if shared is not None else State("none")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html(state_html(now, work), width="stretch")
        if work is not None:
            st.button("Stop", on_click=live_session.stop, disabled=work.stopped, key="planviz.live.stop")
        elif now.kind in ("none", "lost"):
            st.button(
                "Start Spark",
                on_click=live_session.start,
                args=(level(),),
                disabled=shared is None,
                help="The first query starts it, too.",
                key="planviz.live.start",
            )
        elif now.kind == "ready":
            st.button("Stop Spark", on_click=live_session.close, args=(level(),), key="planviz.live.close")


def state_html(now: State, work: sparks.Work | None) -> str:
    """The state as a chip and a sentence."""
    word = {"none": "not started", "starting": "starting", "ready": "ready", "work": "at work", "lost": "lost"}[
        now.kind
    ]
    return (
        f'<div class="pv-head pv-live" role="status"><span class="pv-chip pv-live-{now.kind}"><i></i>{word}</span>'
        f"<span>{escape(without_secrets(_sentence(now, work)))}</span></div>"
    )


def _sentence(now: State, work: sparks.Work | None) -> str:
    told = now.spark
    jvm = f", process {told['jvm']}" if told.get("jvm") else ""
    itself = f"Spark {told['version']} at {told['master']}{jvm}" if told.get("version") else "Spark"
    if now.kind == "none":
        return "No Spark is running. It starts with the first query, which takes some seconds."
    if now.kind == "starting":
        return f"Spark is starting, {now.seconds:,.0f} s. The first start takes 5 to 20 s."
    if now.kind == "ready":
        return itself
    if now.kind == "lost":
        return now.words
    if work is None:
        return f"{itself}: at work for somebody else, {now.seconds:,.0f} s"
    at = f"stopping while {work.at}" if work.stopped else work.at or "beginning"
    return f"{itself}: {at}, {work.seconds:,.0f} s"


def _said(place: str) -> None:
    # An element that is always there: whatever stands behind one that comes and goes is drawn twice for a moment.
    there, said = st.empty(), live_session.session()["said"]
    if said is not None and said["place"] == place:
        tone = "pv-alert" if said["kind"] == "error" else "pv-alert pv-note"
        there.html(f'<p class="{tone}" role="alert">{escape(said["message"])}</p>')


# -- what is asked


def closed() -> None:
    """In place of everything that would need a Spark, on a server that others can reach."""
    st.html(_CLOSED)


def section() -> str:
    """The chosen part of the page."""
    live_session.session()
    st.segmented_control("Part", SECTIONS, label_visibility="collapsed", **live_session.bound("section", "default"))
    return str(live_session.session()["section"])


def query(*, lead: bool) -> None:
    """The query with its examples, and beside it where it is planned; `lead` says what this page is for."""
    live, allowed = live_session.session(), level()
    with st.container(key="planviz-opening", horizontal=True, gap="large"):
        with st.container(key="planviz-opening-box"):
            first = st.empty()
            if lead:
                first.html(_LEAD)
            with st.container(key="planviz-live-sql"):
                st.text_area("SQL of one query", height=190, **live_session.bound("sql"))
            _said("sql")
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.button(
                    "Run and capture" if live["run"] else "Capture the plan",
                    type="primary",
                    on_click=live_session.capture,
                    args=(allowed,),
                    disabled=live_session.work() is not None,
                    key="planviz.live.capture",
                )
                if allowed is Access.ALL:
                    st.toggle("Run the query and measure its rows", help=_RUN_HELP, **live_session.bound("run"))
                offered = live_session.examples(live["tables"])
                if offered:
                    with st.popover("Examples", type="tertiary"), st.container(gap=None):
                        for title, sql in offered:
                            st.button(title, type="tertiary", on_click=live_session.write, args=("sql", sql))
            if lead:
                st.html(_STORED)
                st.button("Open a stored capture", on_click=live_session.open_stored, key="planviz.live.stored")
        with st.container(key="planviz-opening-more"):
            where()


_RUN_HELP = (
    "Off: the query is planned only, nothing is executed. On: Spark executes it, counts its rows, and tells of every "
    "operator what it measured."
)


def where() -> None:
    """Which Spark, and which tables."""
    live, allowed = live_session.session(), level()
    if allowed is Access.ALL:
        offered = list(live_places.masters())
        with st.container(horizontal=True, gap="small"):
            if live["master"] not in offered:
                live_session.write("master", offered[0])
            asked = live_session.bound("master", "index", offered)
            st.selectbox("Spark", offered, format_func=_place, help=_PLACES, **asked)
            if not is_connect(live["master"]):
                asked = live_session.bound("memory", "index", live_places.MEMORY)
                st.selectbox("Memory", live_places.MEMORY, width=100, **asked)
    with st.expander(_settings_label(len(live["conf"]))):
        st.text_area(
            "Settings, one a line: spark.some.key=value",
            height=110,
            placeholder="spark.sql.cbo.enabled=true\nspark.sql.autoBroadcastJoinThreshold=-1",
            help="Those of spark.sql that change plans; they count for the next query. Who starts the server sets any "
            "other: planviz serve --live-conf FILE.",
            **live_session.bound("settings"),
        )
    _said("settings")
    tables(allowed)


_PLACES = "Who starts the server offers other masters: planviz serve --live-master ADDRESS."


def _place(master: str) -> str:
    return reader.told("This machine") if master == live_places.LOCAL else without_secrets(master)


def _settings_label(count: int) -> str:
    return "Settings" if not count else f"Settings: {count}"


def tables(allowed: Access) -> None:
    """Which tables Spark plans with."""
    live = live_session.session()
    offered = [name for name in TABLES if allowed is Access.ALL or name not in REAL]
    if not live_places.folders():
        offered = [name for name in offered if name != FOLDER]
    if is_connect(live["master"]) and allowed is Access.ALL:
        offered = [name for name in (OWN, FOLDER) if name != FOLDER or live_places.folders()]
    if live["tables"] not in offered:
        live_session.write("tables", offered[0])
    st.selectbox(
        "Tables",
        offered,
        format_func=lambda name: reader.told(TABLES[name]),
        **live_session.bound("tables", "index", offered),
    )
    if live["tables"] == PASTED:
        st.text_area("CREATE TABLE statements or a planviz catalogue", height=140, **live_session.bound("text"))
    elif live["tables"] == SAMPLE and not sample_folder().is_dir():
        st.button(
            "Make sample data",
            on_click=live_session.make_sample_data,
            args=(allowed,),
            disabled=live_session.work() is not None,
            help="Spark writes five tables with 300,000 rows, 15 MB, to ~/.cache/planviz/sample-data.",
            key="planviz.live.sample",
        )
    elif live["tables"] == FOLDER:
        names = list(live_places.folders())
        if live["folder"] not in names:
            live_session.write("folder", names[0])
        st.selectbox("Folder", names, **live_session.bound("folder", "index", names))
    _said("tables")


# -- statistics, event logs


def statistics() -> None:
    """Collect statistics of real tables; use or download the catalogue."""
    live, allowed = live_session.session(), level()
    with st.container(key="planviz-opening", horizontal=True, gap="large"):
        with st.container(key="planviz-opening-box"):
            st.html(_STATISTICS)
            real = live["tables"] in REAL
            if not real:
                st.html('<p class="pv-lead"><span>The chosen tables are empty ones that planviz makes: choose a folder '
                        "of Parquet or Spark's own catalogue.</span></p>")  # fmt: skip
            with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
                st.text_input("Which tables", help="Names or patterns, such as sales.* or *",
                              **live_session.bound("tables_wanted"))  # fmt: skip
                st.button(
                    "Collect",
                    type="primary",
                    on_click=live_session.collect,
                    args=(allowed,),
                    disabled=not real or allowed is not Access.ALL or live_session.work() is not None,
                    key="planviz.live.collect",
                )
            _said("statistics")
            _collected(live["collected"])
            _command("analyze", f"--tables {live['tables_wanted']} -o catalog.json")
        with st.container(key="planviz-opening-more"):
            where()


def _collected(collected: JsonObject | None) -> None:
    if collected is None:
        return
    text = collected["text"]
    st.html(live_report.catalog_html(text))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Plan with them", on_click=state.add_catalog, args=("collected statistics", text))
        st.download_button("Download", text, file_name="catalog.json", mime="application/json", on_click="ignore")
        if "collected statistics" in state.catalogs().values():
            st.html('<div class="pv-lead"><span>SQL pasted on any page is now planned with them.</span></div>')


def event_logs() -> None:
    """Where event logs are read."""
    st.html(_LOGS)
    _command("ingest", "LOGS... -o catalogue/")
    page_links(["Event logs"])


def _command(part: str, more: str) -> None:
    st.html('<div class="pv-lead"><span>The same on the command line:</span></div>')
    st.code(live_session.choices(level()).command(part, more), language=None, wrap_lines=True)


# -- the result


def result(opened: Opened) -> None:
    """A capture: its figures, its plans, its rows, planviz beside Spark, and the way to the other pages."""
    with st.container(key="planviz-live-result", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.html(f'<div class="pv-lead"><h2>{escape(state.name())}</h2></div>', width="stretch")
            version_picker(opened)
            page_links(_LINKS)
            st.download_button(
                "Download",
                _packed(opened),
                file_name=f"{views.file_name(state.name(), '')}{ENDING}",
                mime="application/gzip",
                on_click="ignore",
                help="The capture: every page and command of planviz opens it.",
                key="planviz.live.download",
            )
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            st.html(live_report.figures_html(opened), width="content")
            kind = _kind(opened)
            if kind == "Plan":
                _stage(opened)
        if kind == "Rows":
            _rows(opened)
        elif kind == "Plan":
            shown = st.session_state[state.DOCUMENT]
            data = views.workbench(opened, shown["plan"], shown["node"])
            workbench(data, key="planviz.live.workbench", height=560)
        else:
            catalog = live_session.session()["with"].get(opened.key) or cache.AUTO
            st.html(live_report.verdict_html(live_report.verdict(opened, catalog)))
            if live_session.session()["tables"] not in REAL:
                _command("compare", "q.sql")


def _packed(opened: Opened) -> Callable[[], bytes]:
    return lambda: live_report.packed(opened)


def _rows(opened: Opened) -> None:
    st.html(live_report.rows_html(opened))
    if all(found.expected is None for found in live_report.rows(opened)):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.html(_NO_ROWS, width="content")
            st.button("Let Spark estimate rows", on_click=live_session.expect_rows, key="planviz.live.cbo")


_NO_ROWS = """<div class="pv-lead"><span>Spark expected bytes only: it estimates rows where tables have statistics and
spark.sql.cbo.enabled is true.</span></div>"""


def _kind(opened: Opened) -> str:
    offered = _RESULTS if live_report.rows(opened) else _RESULTS[1:]
    key = f"planviz.live.shown.{len(offered)}"
    st.session_state.setdefault(key, offered[0])
    st.segmented_control("Shown", offered, key=key, label_visibility="collapsed", required=True)
    return str(st.session_state[key])


def _stage(opened: Opened) -> None:
    options = {tab.plan: tab.label for tab in views.tabs(opened)}
    shown = st.session_state[state.DOCUMENT]
    if shown["plan"] not in options:
        shown["plan"] = views.first_plan(opened)
    st.session_state[state.TAB] = shown["plan"]
    asked: JsonObject = {"format_func": options.__getitem__, "key": state.TAB, "required": True}
    asked |= {"on_change": state.turn, "label_visibility": "collapsed"}
    st.segmented_control("Stage", list(options), **asked)
