"""The parts of the Explore page: the empty state, the heading, the export menu, the rule log's steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple
from html import escape
from typing import Any

import streamlit as st

from planviz.catalog.bundled import NAMES
from planviz.document.cardinality.slides import slide_examples
from planviz.jsontypes import JsonObject
from planviz.samples import samples
from planviz.ui import cache, components, queries, reader, replayed, rules, state, tours, views
from planviz.ui.aggregations import EXAMPLES as AGGREGATE_EXAMPLES
from planviz.ui.examples import ESTIMATED
from planviz.ui.join_examples import JOIN_EXAMPLES
from planviz.ui.opened import Opened
from planviz.ui.rules import EXAMPLES
from planviz.ui.slides import CATALOG, numbers_of
from planviz.ui.versions import version_picker

_BEST_TEXT = """spark.conf.set("spark.sql.debug.maxToStringFields", 100000)
spark.conf.set("spark.sql.maxMetadataStringLength", 100000)
df.explain("formatted")"""

_LEAD = """<div class="pv-lead"><h1>See what Spark does with your query</h1>
<span>Paste SQL, a program (PySpark, Scala, Java), explain text of any mode and version, a rule log, an event log,
or JSON. You see the plan, what it costs, why Spark chose it, and what would change it.</span>
</div>"""
_BEST = """<div class="pv-lead"><h2>The best text to paste</h2>
<span>The two settings keep Spark from shortening what it prints.</span></div>"""
_SAMPLES = (
    '<div class="pv-lead"><h2>Try a sample</h2><span>Plans that a real Spark printed for a small shop.</span></div>'
)

_OF_A_SHOP = '<div class="pv-lead"><h2>Queries to begin with</h2><span>On the tables of a small shop.</span></div>'
_OF_TPCH = '<div class="pv-lead"><h2>Queries to begin with</h2><span>On the tables of TPC-H.</span></div>'
_WITH_STATISTICS = '<div class="pv-lead"><h2>Queries to begin with</h2><span>On tables with statistics.</span></div>'
_RULES_LEAD = """<div class="pv-lead"><h1>See every rule at work</h1>
<span>Paste SQL, or the log that Spark writes with <code>spark.sql.planChangeLog.level=warn</code>.</span></div>"""
_OPEN_STAYS = "Paste SQL or the text of another plan; what is open now stays until then."
_JOINS_LEAD = """<div class="pv-lead"><h1>See why each join is what it is</h1>
<span>Paste SQL and try other settings, sizes and hints at once; or the explain text of any Spark.</span></div>"""
_RULES_LOG = """spark.conf.set("spark.sql.planChangeLog.level", "WARN")
df.explain()"""
_NO_TRACE = """<div class="pv-lead"><h2>There are no rules to show for what is open</h2>
<span>It holds plans, but not how they came about. Paste <code>df.explain(True)</code>, whose analyzed plan is planned
again here, the SQL itself, or Spark's rule log; what is open now stays until then.</span></div>"""

_AGGREGATES_LEAD = """<div class="pv-lead"><h1>See how Spark aggregates</h1>
<span>Paste SQL, or a physical plan: one GROUP BY becomes several stages with shuffles between them.</span></div>"""
_NO_AGGREGATES = f"""<div class="pv-lead"><h2>There is no aggregate in what is open</h2>
<span>{_OPEN_STAYS}</span></div>"""

_CATALOGS = {
    cache.AUTO: "found by name",
    "documents": "documents: a small schema of customers, orders and items",
    "shop": "shop: the samples' tables",
    "tpch": "TPC-H",
    "tpcds": "TPC-DS",
    "slides": "slides: the tables of the slides' examples",
    cache.NO_CATALOG: "guessed from the query",
}

_NO_NUMBERS = """<div class="pv-lead"><h1>This text has no numbers</h1>
<span>It is a plan without rows and bytes. Of SQL planviz calculates them itself; Spark prints its own as below.</span>
</div>"""
_NUMBERS_LEAD = """<div class="pv-lead"><h1>How many rows Spark expects, and why</h1>
<span>Paste SQL, explain text with costs, or a run with its metrics. Change a number, and see the plan follow.</span>
</div>"""
_NUMBERS_TEXT = """df.explain("cost")            # what Spark expects
# what came: an event log, or /api/v1/applications/<id>/sql?details=true"""

#: Steps of a rule log that stand in a list without scrolling on any screen.
_FEW_STEPS = 10

_FORMATS = (
    ("svg", "SVG picture", "image/svg+xml"),
    ("png", "PNG picture", "image/png"),
    ("pdf", "PDF", "application/pdf"),
    ("html", "Interactive HTML", "text/html"),
    ("dot", "Graphviz DOT", "text/vnd.graphviz"),
    ("mmd", "Mermaid", "text/plain"),
    ("json", "JSON", "application/json"),
    ("md", "Markdown snippet", "text/markdown"),
)
_EXPLAIN = ("txt", "Explain text, as Spark prints it", "text/plain")


def opening(*, columns: bool = True) -> None:
    """The box that takes anything, with the command for the best text and the samples beside it or below."""
    together = st.container(key="planviz-opening", horizontal=True, gap="large") if columns else st.container()
    with together, st.container(key="planviz-opening-box"):
        if columns:
            st.html(_LEAD)
        _box(small=not columns)
    with together, st.container(key="planviz-opening-more"):
        st.html(_SAMPLES)
        with st.container(key="planviz-samples", horizontal=True, gap="xsmall"):
            for sample in samples():
                st.button(
                    sample.title,
                    key=f"planviz.sample.{sample.name}",
                    help=f"{sample.about} ({sample.kind})",
                    on_click=state.open_sample,
                    args=(sample.name,),
                )
        if columns:
            tours.offered()
        st.html(_BEST)
        components.lines(_BEST_TEXT)


def _box(*, small: bool) -> None:
    """The paste box, with the open SQL in it to be changed, and below it the catalogue that SQL is planned with."""
    shown = st.session_state.get(state.DOCUMENT)
    opened = state.current() if shown else None
    sql = opened.text if opened is not None and opened.facts.statements else ""
    components.box(st.session_state.get(state.ERROR), small=small, text=sql)
    catalog_picker("Tables for SQL", shown["catalog"] if shown and sql else None, key=state.BOX_CATALOG, width=380)


def catalog_picker(
    label: str, chosen: str | None, found: str = "", where: str = "guessed", *, key: str, **asked: Any
) -> None:
    """Which tables SQL is planned with; `chosen` is what was asked for the open document, `found` what it then got.

    `where` says how SQL has its tables that is in no catalogue: guessed, made in the text, or no tables.
    """
    # No two choices may read alike: Streamlit takes what was chosen by its words.
    usual = "reads no tables" if where == "no tables" else f"tables: {where}"
    told = {cache.NO_CATALOG: usual} | {name: f"found by name: {name}" for name in NAMES}
    own = state.catalogs()
    here = {} if where == "guessed" else {cache.NO_CATALOG: where}
    names = _CATALOGS | own | here | ({cache.AUTO: told[found]} if found in told else {})
    offered = (cache.AUTO, *own, *cache.CATALOGS[1:])
    at = offered.index(chosen) if chosen in offered and key not in st.session_state else 0
    st.selectbox(
        label, offered, index=at, format_func=lambda name: reader.told(names.get(name) or str(name)), key=key, **asked
    )


@contextmanager
def _beside_box(opened: Opened | None, nothing: str, lead: str, queries: str) -> Iterator[None]:
    """The box of a page that has nothing to show; what the caller then writes stands beside it, under `queries`.

    With a document open `nothing` says why the page is empty, else `lead` what it is for; all three are HTML.
    """
    if opened is not None:
        st.html(nothing)
        if opened.facts.error is not None:
            error_line(opened)
    together = st.container(key="planviz-opening", horizontal=True, gap="large")
    with together, st.container(key="planviz-opening-box"):
        if opened is None:
            st.html(lead)
        _box(small=False)
    with together, st.container(key="planviz-opening-more"):
        st.html(queries)
        yield


def rules_opening(opened: Opened | None) -> None:
    """The Rules page while there is no trace: the box, queries to begin with, and how to get Spark's own log."""
    with _beside_box(opened, _NO_TRACE, _RULES_LEAD, _OF_A_SHOP):
        with st.container(horizontal=True, gap="xsmall"):
            for title, sql in EXAMPLES:
                st.button(title, key=f"planviz.example.{title}", on_click=state.open_example, args=(title, sql))
            log = next(sample for sample in samples() if sample.kind.endswith("rule log"))
            st.button(f"{log.title} (Spark's log)", on_click=state.open_sample, args=(log.name,))
        st.html('<div class="pv-lead"><h2>Or Spark\'s own log</h2><span>What it then writes to its log.</span></div>')
        components.lines(_RULES_LOG)


def joins_opening(opened: Opened | None, why: str) -> None:
    """The Joins page while there is no join: the box, queries to begin with; `why` nothing of what is open is shown."""
    nothing = f'<div class="pv-lead"><h2>{escape(why)}</h2><span>{_OPEN_STAYS}</span></div>'
    with _beside_box(opened, nothing, _JOINS_LEAD, _OF_TPCH):
        with st.container(horizontal=True, gap="xsmall"):
            for title, sql in JOIN_EXAMPLES:
                st.button(title, key=f"planviz.example.{title}", on_click=state.open_example, args=(title, sql, "tpch"))
        st.html(_BEST)
        components.lines(_BEST_TEXT)


def cardinality_opening(opened: Opened | None) -> None:
    """The Cardinality page while there are no numbers: the box, queries to begin with, and how to get Spark's own."""
    with _beside_box(opened, _NO_NUMBERS, _NUMBERS_LEAD, _WITH_STATISTICS):
        with st.container(horizontal=True, gap="xsmall"):
            for example in ESTIMATED:
                st.button(
                    example.title,
                    key=f"planviz.estimated.{example.title}",
                    help=example.about,
                    on_click=state.open_example,
                    args=(example.title, example.sql, example.catalog),
                )
            for slide in slide_examples():
                st.button(
                    f"{slide.title} (slide)",
                    key=f"planviz.slide.{slide.name}",
                    help=slide.about,
                    on_click=state.open_example,
                    args=(slide.title, slide.sql, CATALOG, numbers_of(slide)),
                )
            for sample in (sample for sample in samples() if sample.name in ("cost-with-statistics", "rest-execution")):
                st.button(sample.title, help=sample.about, on_click=state.open_sample, args=(sample.name,))
        st.html('<div class="pv-lead"><h2>Or Spark\'s own numbers</h2><span>Paste what this prints.</span></div>')
        components.lines(_NUMBERS_TEXT)


def aggregations_opening(opened: Opened | None) -> None:
    """The Aggregations page while there is no aggregate: the box and queries to begin with."""
    with _beside_box(opened, _NO_AGGREGATES, _AGGREGATES_LEAD, _OF_A_SHOP):
        with st.container(horizontal=True, gap="xsmall"):
            for title, sql in AGGREGATE_EXAMPLES:
                st.button(title, key=f"planviz.aggregate.{title}", on_click=state.open_example, args=(title, sql))
        st.html(_BEST)
        components.lines(_BEST_TEXT)


def error_line(opened: Opened) -> None:
    """What is wrong with the open SQL, and the way to mend it."""
    st.html(f'<p class="pv-alert" role="alert">{escape(str(opened.facts.error))}</p>')


@st.dialog("Open", width="large")
def open_dialog() -> None:
    """The same as the empty state, over the picture; what is opened takes its place."""
    if state.answered():
        st.rerun()
    opening(columns=False)


def heading(opened: Opened, plan: str, about: str = "", *, whole: Opened | None = None) -> None:
    """Name, what was recognised and why, the stages, and what the numbers are worth; of a replayed explain how what
    the page is `about` compares with the text. `whole` is the text of which the page shows one query alone."""
    with st.container(key="planviz-heading", horizontal=True, vertical_alignment="center", gap="small"):
        _named(opened)
        if opened.catalog:
            catalog_picker(
                "Tables",
                st.session_state[state.DOCUMENT]["catalog"],
                opened.catalog,
                views.tables_words(opened),
                key=f"{state.CATALOG}.{opened.key[:8]}",
                on_change=state.turn_catalog,
                args=(f"{state.CATALOG}.{opened.key[:8]}",),
                label_visibility="collapsed",
                width=180,
            )
        version_picker(opened)
        if plan or whole is not None:
            _queries(whole or opened, st.session_state[state.DOCUMENT]["plan"])
        if plan:
            _stages(opened, plan)
            _truths(opened, plan)
        if about:
            replayed.heading(opened, about)
        said = views.notes(opened, plan)
        if said and plan:
            with st.popover("1 note" if len(said) == 1 else f"{len(said)} notes", type="tertiary"):
                for note in said:
                    st.text(note)
    if opened.facts.error is not None:
        error_line(opened)


def _named(opened: Opened) -> None:
    """The text's name, and as what it was recognised."""
    # The version stands in its own widget.
    engines = [name for name in opened.facts.origin if name != opened.facts.printed.words]
    recognised = escape(" · ".join((opened.facts.recognised, *engines)))
    why = escape("; ".join(opened.facts.reasons), quote=True)
    st.html(
        f'<div class="pv-head"><b title="{escape(state.name(), quote=True)}">{escape(state.name())}</b>'
        f'<span class="pv-chip pv-recognised" title="Recognised by: {why}">{recognised}</span></div>',
        width="content",
    )


def _truths(opened: Opened, plan: str) -> None:
    """Chips that say what a plan's numbers are worth."""
    chips = [
        f'<span class="pv-chip pv-chip-{tone}" title="{escape(why, quote=True)}">{word}</span>'
        for word, tone, why in map(astuple, views.truths_of(opened, plan))
    ]
    if chips:
        st.html(f'<div class="pv-head">{"".join(chips)}</div>', width="content")


def only_text(opened: Opened) -> None:
    """A text without a plan: what it is, where it is wrong, and the text; SQL to be mended in place."""
    error = opened.facts.error
    line = getattr(error, "line", None)
    with st.container(key="planviz-body", height="stretch"):
        for note in views.notes(opened, ""):
            if error is None or str(error) not in note:
                st.html(f'<p class="pv-lead">{escape(note)}</p>')
        if isinstance(line, int):
            st.code(views.around(opened.text, line, getattr(error, "column", None)), language=None)
        if opened.facts.statements:
            _box(small=False)
        else:
            st.code(opened.text[:200_000], language=None, wrap_lines=True)


def _queries(opened: Opened, plan: str) -> None:
    """The choice of the query that the page is about, where the text has several."""
    found = {query.number: query.words for query in queries.queries(opened)}
    if not found:
        return
    query = queries.query_of(opened, plan)
    st.session_state[state.QUERY] = query.number if query is not None else 1
    st.selectbox(
        "Query",
        list(found),
        format_func=lambda number: reader.told(found[number]),
        key=state.QUERY,
        on_change=state.turn_query,
        label_visibility="collapsed",
        width=260,
    )


def _stages(opened: Opened, plan: str) -> None:
    options = views.stage_tabs(opened, plan)
    if plan.endswith(("a", "b")):
        options = options | {f"{plan[:-1]}b": "Before", f"{plan[:-1]}a": "After"}
    elif opened.facts.steps and not opened.facts.statements:
        options = options | {"0a": "Rule log"}
    if len(options) < 2:
        return
    st.session_state[state.TAB] = plan
    asked: JsonObject = {"options": list(options), "format_func": options.__getitem__, "key": state.TAB}
    asked |= {"on_change": state.turn, "label_visibility": "collapsed", "required": True}
    if len(options) <= views.MOST_TABS:
        st.segmented_control("Stage", **asked)
    else:
        asked["format_func"] = lambda plan: reader.told(options[plan])
        st.selectbox("Stage", width=320, **asked)


def export_menu(opened: Opened, plan: str) -> None:
    """Every format, made when its button is pressed and not before."""
    with st.popover("Export"), st.container(gap=None):
        theme = "dark" if st.toggle("Dark", key="planviz.export-dark") else "light"
        name = views.file_name(state.name(), "".join(views.address_of_plan(opened, plan).values()))
        planned = views.is_planned(opened, plan)
        for format, label, kind in (*_FORMATS, _EXPLAIN) if planned else _FORMATS:
            refusal = views.too_large(opened, plan, format)
            st.download_button(
                label,
                disabled=bool(refusal),
                help=refusal,
                data=_export(opened, plan, format, theme, state.name()),
                file_name=f"{name}.{format}",
                mime=kind,
                on_click="ignore",
                type="tertiary",
                key=f"planviz.export.{format}",
            )


def plan_menu() -> None:
    """Export beside figures with links of their own: the plan behind them, as Explore shows it."""
    opened = state.current()
    plan = st.session_state[state.DOCUMENT]["plan"] if opened is not None else ""
    if opened is not None and plan:
        export_menu(opened, plan)


def trace_menu(opened: Opened) -> None:
    """The whole trace as a file; single steps are exported from the player."""
    with st.popover("Export"), st.container(gap=None):
        name = state.name()
        st.download_button(
            "All steps as interactive HTML",
            lambda: rules.page(opened, name),
            file_name=f"{views.file_name(name, 'rules')}.html",
            mime="text/html",
            on_click="ignore",
            type="tertiary",
            key="planviz.export.trace",
        )


def _export(opened: Opened, plan: str, format: str, theme: str, name: str) -> Callable[[], bytes]:
    return lambda: views.exported(opened, plan, format, theme, name)


def too_long_for_link(opened: Opened) -> None:
    """In place of the button: why there is no link, and the file to share instead."""
    with st.popover("Copy link"):
        size = len(opened.text)
        st.write(
            f"This text has {size:,} characters, too many for a link. Its address works while this server holds "
            "the plan in memory; to share it, send the file."
        )
        name = views.file_name(state.name(), "")
        text = opened.text
        st.download_button(
            "Download the text", lambda: text.encode("utf-8", "replace"), file_name=f"{name}.txt", on_click="ignore"
        )


def rule_steps(opened: Opened, plan: str) -> None:
    """The effective rules of a log as a list; the chosen one's trees are what the workbench shows."""
    rows = views.steps(opened)
    chosen = int(plan[:-1])
    picked = st.dataframe(
        {
            "#": [row.number for row in rows],
            reader.told("Rule"): [row.rule for row in rows],
            reader.told("Batch"): [row.batch for row in rows],
        },
        hide_index=True,
        # Filled to the bottom, a short log would be a table of empty rows.
        height="content" if len(rows) <= _FEW_STEPS else "stretch",
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [chosen]}},
        key=f"planviz.steps.{opened.key[:8]}",
    )
    selected = picked["selection"]["rows"]
    if selected and selected[0] != chosen:
        state.show_plan(f"{selected[0]}{plan[-1]}")
        st.rerun()
