"""What a session has chosen, typed and asked for on the Live page: plain values under one key, and what came of them.

Widgets forget what they hold when another page is shown; this does not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields

import streamlit as st

from planviz.catalog.bundled import NAMES
from planviz.catalog.files import write_catalog
from planviz.errors import InputError, PlanvizError, SparkLost
from planviz.jsontypes import JsonObject
from planviz.samples import load_live
from planviz.spark.capture_file import capture_text
from planviz.spark.safety import queries_of
from planviz.spark.secrets import without_secrets
from planviz.ui import cache, live_choices, sparks, state
from planviz.ui.join_examples import JOIN_EXAMPLES
from planviz.ui.live_access import Access
from planviz.ui.live_choices import PASTED, Choices
from planviz.ui.live_places import ALLOWED
from planviz.ui.opened import Opened, in_worker
from planviz.ui.rules import EXAMPLES
from planviz.ui.sparks import Job

_KEY = "planviz.live.{}"
_LIMIT = 1_000_000
_CBO = "spark.sql.cbo.enabled"


def session() -> JsonObject:
    """The session's values: those of `Choices`, and `settings` (as shown), `sql`, `run`, `tables_wanted`, `section`.

    `work` is the id of what is under way, `said` what is to be told (`kind` error or note, `place`, `message`),
    `with` the catalogue of each capture by its key, `collected` a catalogue with what it is of.
    `taken` is the key of the open document whose query was `offered` in the box.
    """
    if state.LIVE not in st.session_state:
        st.session_state[state.LIVE] = asdict(Choices()) | {
            "settings": "", "sql": EXAMPLES[1][1], "run": False, "tables_wanted": "*", "section": "Query",
            "work": None, "said": None, "with": {}, "collected": None, "taken": "", "offered": "",
        }  # fmt: skip
    found: JsonObject = st.session_state[state.LIVE]
    return found


def choices(level: Access) -> Choices:
    """What is chosen, within what visitors may choose."""
    live = session()
    chosen = Choices(**{f.name: live[f.name] for f in fields(Choices)})
    if level is Access.ALL:
        return chosen
    conf = tuple((key, value) for key, value in chosen.conf if key in ALLOWED)
    tables = chosen.tables if chosen.tables in (*NAMES, PASTED) else "shop"
    plain = Choices(conf=conf, tables=tables, text=chosen.text)
    return Choices(conf=tuple(plain.session().items()), tables=tables, text=chosen.text)


# -- widgets


def bound(name: str, begins: str = "value", options: Sequence[str] | None = None) -> JsonObject:
    """The arguments that make a widget hold a value of the session.

    `begins` is the widget's own argument for what it begins with; `options` are given where that is an index of them. A
    browser may answer with what a widget begins with before it has been told of its value, so the two are the same.
    """
    key, value = _KEY.format(name), session()[name]
    st.session_state.setdefault(key, value)
    begin = value if options is None else list(options).index(value)
    return {"key": key, begins: begin, "on_change": keep, "args": (name,)}


def keep(name: str) -> None:
    """Take over what a widget holds. Runs as its callback."""
    live, value = session(), st.session_state[_KEY.format(name)]
    if value is None:  # a segment that was clicked twice
        st.session_state[_KEY.format(name)] = live[name]
        return
    live[name] = value[:_LIMIT] if isinstance(value, str) else value
    if name == "settings":
        _keep_settings(value)


def write(name: str, value: object) -> None:
    """Change a value of the session and the widget that holds it. For callbacks only."""
    session()[name] = st.session_state[_KEY.format(name)] = value


def _keep_settings(text: str) -> None:
    live = session()
    try:
        pairs = live_choices.read_conf(text, dict(live["conf"]))
    except InputError as error:
        say(error, "settings")
        return
    live["conf"], live["said"] = pairs, None
    write("settings", live_choices.shown_conf(pairs))


def take_query(opened: Opened) -> None:
    """Begin with the open SQL and its tables, once, where nothing was typed here. Before the widgets are drawn."""
    live = session()
    if not opened.facts.planned or opened.facts.is_pasted or live["taken"] == opened.key:
        return
    if live["sql"] not in (EXAMPLES[1][1], live["offered"]) or (found := _query_and_tables(opened)) is None:
        return
    query, tables = found
    live["taken"], live["offered"] = opened.key, query.strip().removesuffix(";")
    write("sql", live["offered"][:_LIMIT])
    if tables:
        write("tables", PASTED)
        write("text", tables)
    elif opened.catalog in NAMES:
        write("tables", opened.catalog)


@in_worker
def _query_and_tables(opened: Opened) -> tuple[str, str] | None:
    """The one query of a text and the CREATE TABLE statements before it; None of a text with more, or a program."""
    statements = opened.document.statements
    if not opened.document.recognised.startswith("SQL") or any(s.kind not in ("ddl", "query") for s in statements):
        return None
    queries = [s for s in statements if s.kind == "query"]
    if len(queries) != 1 or statements[-1] is not queries[0]:
        return None
    if len(statements) == 1:
        return opened.text, ""
    return queries[0].sql, "".join(f"{s.sql.strip().removesuffix(';')};\n" for s in statements[:-1])


def examples(tables: str) -> tuple[tuple[str, str], ...]:
    """Queries to begin with, by what tables are chosen: title and SQL."""
    if tables == "tpch":
        return JOIN_EXAMPLES
    return EXAMPLES if tables in ("shop", live_choices.SAMPLE) else ()


# -- what is asked for


def say(error: PlanvizError | str, place: str, kind: str = "error") -> None:
    """Tell something at a place of the page: `sql`, `settings`, `spark`, `tables`, `statistics`."""
    session()["said"] = {"kind": kind, "place": place, "message": without_secrets(str(error))}


def work() -> sparks.Work | None:
    """What is under way for this session."""
    return sparks.work_of(session()["work"])


def start(level: Access) -> None:
    """Start Spark and do nothing with it. Runs as a callback."""
    _begin(level, "start", "spark", lambda chosen: lambda work: work.call("describe", {}))


def capture(level: Access) -> None:
    """Capture the typed query. Runs as a callback."""
    live = session()
    sql, run = live["sql"], bool(live["run"]) and level is Access.ALL

    def job(chosen: Choices) -> Job:
        if len(queries_of(sql)) > 1:
            raise InputError("These are several queries; one at a time is given to a live Spark.")
        arguments = {"sql": sql, "run": run, **chosen.arguments()}
        live["asked"] = catalog_name(chosen)
        return lambda work: work.call("capture", arguments)

    _begin(level, "capture", "sql", job)


def make_sample_data(level: Access) -> None:
    """Make the sample data. Runs as a callback."""
    if level is Access.ALL:
        _begin(level, "sample data", "tables", lambda chosen: live_choices.sample_job)


def collect(level: Access) -> None:
    """Collect the statistics of the wanted tables. Runs as a callback."""
    live = session()
    patterns = live["tables_wanted"].replace(",", " ").split() or ["*"]

    def job(chosen: Choices) -> Job:
        live["collected"] = None
        return live_choices.statistics_job(patterns, chosen.arguments(), sparks.JOB_LIMIT)

    _begin(level, "statistics", "statistics", job)


def _begin(level: Access, what: str, place: str, make: Callable[[Choices], Job]) -> None:
    live = session()
    live["said"] = None
    if level is Access.NONE or work() is not None:
        return
    try:
        chosen = choices(level)
        job = make(chosen)
        live["work"] = sparks.spark_of(chosen.spark()).begin(what, job).id
    except PlanvizError as error:
        say(error, place)


def stop() -> None:
    """Stop what is under way. Runs as a callback."""
    under_way = work()
    if under_way is not None:
        under_way.stop()


def close(level: Access) -> None:
    """Stop Spark. Runs as a callback."""
    try:
        sparks.spark_of(choices(level).spark()).close()
    except PlanvizError as error:
        say(error, "spark")


def catalog_name(chosen: Choices) -> str:
    """The catalogue that planviz plans the same query with: the chosen one, or what was collected of its tables."""
    catalog = chosen.catalog()
    if catalog is not None:
        return chosen.tables if chosen.tables in NAMES else cache.keep_catalog(write_catalog(catalog))
    if chosen.tables == live_choices.SAMPLE:
        return cache.keep_catalog(live_choices.sample_catalog() or "")
    collected = session()["collected"]
    if collected and collected["of"] == [chosen.master, chosen.tables, chosen.folder]:
        return cache.keep_catalog(collected["text"])
    return cache.AUTO


# -- what came of it


def take_over(level: Access) -> None:
    """Take over what has ended: the capture becomes the open document, statistics a catalogue."""
    live, ended = session(), work()
    if ended is None or ended.ended is None:
        return
    live["work"] = None
    sparks.forget(ended)
    place = {"capture": "sql", "statistics": "statistics", "sample data": "tables"}.get(ended.what, "spark")
    if ended.what == "statistics" and ended.value and ended.value["tables"]:
        chosen = choices(level)
        of = [chosen.master, chosen.tables, chosen.folder]
        live["collected"] = {"text": json.dumps(ended.value, indent=1) + "\n", "of": of}
    if ended.stopped:
        lost = isinstance(ended.error, SparkLost)
        say("Stopped. " + (_KILLED if lost else "Spark has cancelled its jobs." if ended.error else ""), place, "note")
    if ended.error is not None:
        if not ended.stopped:
            say(ended.error, place)
    elif ended.what == "capture" and state.open_text(capture_text(ended.value), name=_name(ended.value["sql"])):
        live["with"][st.session_state[state.DOCUMENT]["key"]] = live.get("asked", cache.AUTO)


def open_stored() -> None:
    """Open the capture that comes with planviz, which needs no Spark. Runs as a callback."""
    text, catalog = load_live()
    if state.open_text(text, name="Revenue of one city by tier"):
        session()["with"][st.session_state[state.DOCUMENT]["key"]] = cache.keep_catalog(catalog)


_KILLED = "Nothing gentler ends a plan under way, so Spark was ended with it; the next query starts a new one."


def _name(sql: str) -> str:
    """A query's first words, as the name of what is open."""
    words = " ".join(sql.split())
    return words if len(words) <= 56 else words[:56].rsplit(" ", 1)[0] + " …"


def expect_rows() -> None:
    """Let Spark estimate rows from the next query on. Runs as a callback."""
    live = session()
    live["conf"] = tuple((dict(live["conf"]) | {_CBO: "true"}).items())
    write("settings", live_choices.shown_conf(live["conf"]))
