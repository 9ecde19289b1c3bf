"""What a session has open: the only place that names session keys and reads the address.

Plain values only (text, numbers, dicts), which survive a reload of any module. The text is kept with the session, so
that it outlives the process's cache of documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from urllib.parse import parse_qsl, quote, urlencode

import streamlit as st

from planviz.catalog.files import read_catalog
from planviz.config import OptimizerConfig
from planviz.errors import InputError, PlanvizError
from planviz.jsontypes import JsonObject
from planviz.render.text import one_line
from planviz.samples import load, samples
from planviz.ui import cache, following, library, links, queries, questions, selections, views
from planviz.ui.sessions import session

#: {"key", "text", "name", "sample", "plan", "node", "step", "catalog", "profile", "off", "why", "join", "what",
#: "numbers", "aggregate", "given", "saved"} of what is open; "saved" is its id in the library, "" for none
DOCUMENT = "planviz.document"
ERROR = "planviz.error"  # {"message", "line", "text", "unseen"} of the text that could not be opened last
READ = "planviz.address-read"  # whether this session has looked at its address
BOX = "planviz.box.box"  # the paste box of the empty page
SMALL_BOX = "planviz.box.small"  # that of the dialog
DROP = "planviz.box.drop"  # what takes files dropped on a picture
TAB = "planviz.tab"  # the chosen stage
QUERY = "planviz.query"  # the number of the query that a page is about, of a text that has several
CATALOG = "planviz.catalog"  # the catalogue chosen for the open SQL; the document's key follows
PROFILE = "planviz.profile"  # the version of Spark chosen for what is open; the document's key follows
BOX_CATALOG = "planviz.box.catalog"  # that for SQL which is pasted next
OPENED = "planviz.opened"  # how many documents this session has opened
ASKED_AT = "planviz.asked-at"  # what that number was when the dialog was asked for
HISTORY = "planviz.history"  # what is asked on the Event logs page (planviz.ui.history_page)
LIVE = "planviz.live"  # what is chosen, typed and under way on the Live page (planviz.ui.live_session)
WORKBENCH = "planviz.workbench"  # Explore's element
GO = "planviz.go"  # the page that was asked for in the workbench
ADDRESS = "planviz.address"  # the address bar's element
VISITOR = "planviz.visitor"  # this session's name in planviz.ui.selections
PAGE = "planviz.page"  # the page that was shown last
TAKEN = "planviz.catalogues-taken"  # how many catalogues were pasted
COMPARE = "planviz.compare"  # the second side of the Compare page, as `planviz.ui.compare.Other` takes it
WANTED = "planviz.wanted"  # the arguments of `open_text` for a text that is being opened
TOUR = "planviz.tour"  # the step of a tour that the session is at, as planviz.ui.tours.part_of has it; "" for none
CATALOGS = "planviz.catalogs"  # {name: {"title", "text"}} of the catalogues that this session collected


def catalogs() -> dict[str, str]:
    """The catalogues that this session collected, by name with their titles; they are there for planning."""
    own = st.session_state.get(CATALOGS) or {}
    return {cache.keep_catalog(told["text"]): told["title"] for told in own.values()}


def add_catalog(title: str, text: str) -> None:
    """Keep a collected catalogue for this session and choose it for SQL that is pasted next."""
    name = cache.keep_catalog(text)
    st.session_state[CATALOGS] = (st.session_state.get(CATALOGS) or {}) | {name: {"title": title, "text": text}}
    st.session_state[BOX_CATALOG] = name


def current() -> cache.Opened | None:
    """The open document; on a session's first run the one that the address names."""
    catalogs()
    if not st.session_state.get(READ):
        st.session_state[READ] = True
        if DOCUMENT not in st.session_state:
            open_address(st.query_params.to_dict())
    if wanted := st.session_state.get(WANTED):
        open_text(**wanted)
    shown = st.session_state.get(DOCUMENT)
    if shown is None:
        return None
    try:
        opened = cache.find(shown["key"]) or cache.open_document(shown["text"], shown["catalog"], shown["profile"])
    except PlanvizError as error:
        # It could be opened before: now it took too much, or the server is busy.
        fail(error, shown["text"])
        del st.session_state[DOCUMENT]
        return None
    cache.looked_at(opened.key, session())
    return opened


def open_text(
    text: str, *, name: str = "", sample: str = "", catalog: str = "", profile: str | None = None, saved: str = ""
) -> bool:
    """Make a text the open document; when that fails, keep what is open and remember why. Returns whether it worked.

    SQL is planned with the catalogue, by default the one chosen beside the box, as the version of Spark `profile`
    (None: as what is open, so that one who looks at 3.5 stays there).
    """
    kept = (st.session_state.get(DOCUMENT) or {}).get("profile", "") if profile is None else ""
    catalog = catalog or str(st.session_state.get(BOX_CATALOG) or cache.AUTO)
    # Streamlit may begin the page anew while this is under way: then it goes on there, unless another text has come.
    st.session_state[WANTED] = {"text": text, "name": name, "sample": sample, "catalog": catalog, "profile": profile}
    st.session_state[WANTED]["saved"] = saved
    try:
        opened = cache.open_document(text, catalog, profile) if profile else cache.open_next(text, catalog, kept)
        plan = views.first_plan(opened)
    except PlanvizError as error:
        st.session_state[WANTED] = None
        fail(error, text)
        return False
    st.session_state[WANTED] = None
    cache.looked_at(opened.key, session())
    st.session_state[ERROR] = None
    st.session_state[OPENED] = st.session_state.get(OPENED, 0) + 1
    st.session_state[DOCUMENT] = {
        "key": opened.key, "text": text, "name": name, "sample": sample, "plan": plan, "node": None,
        "step": None, "catalog": catalog, "profile": opened.profile, "off": [], "why": [], "join": None, "what": "",
        "numbers": None, "aggregate": None, "given": "", "saved": saved,
    }  # fmt: skip
    st.session_state.pop(TAB, None)
    return True


def begin(text: str) -> None:
    """Let a worker open a text that `open_text` will probably be asked for."""
    planned = planned_with()
    questions.begin(lambda: cache.open_next(text, planned["catalog"], planned["profile"]), session())


def planned_with() -> dict[str, str]:
    """The catalogue and the version that a text is planned with which is opened next."""
    profile = (st.session_state.get(DOCUMENT) or {}).get("profile", "")
    return {"catalog": str(st.session_state.get(BOX_CATALOG) or cache.AUTO), "profile": profile}


def fail(error: PlanvizError, text: str = "") -> None:
    """Remember an error for the box to show, with the text that caused it."""
    line = getattr(error, "line", None)
    st.session_state[ERROR] = {"message": str(error), "line": line, "text": text, "unseen": False}


def open_pasted(key: str) -> None:
    """What the box of this key sent: a pasted or typed text, or a file's. Runs as the box's callback."""
    sent = (st.session_state.get(key) or {}).get("opened") or {}
    text, name, uploaded = sent.get("text"), sent.get("name"), sent.get("key")
    if isinstance(uploaded, str) and (opened := cache.find(uploaded)) is not None:
        text = opened.text
    if not isinstance(text, str):
        return
    if cache.is_catalogue(text):
        _take_catalogue(text)
    elif not open_text(text, name=PurePath(name.removesuffix(".gz")).stem if isinstance(name, str) else ""):
        # The box has kept the text; where there was none, the dialog shows it with the reason.
        unseen = key == DROP
        st.session_state[ERROR] |= {"unseen": unseen} if unseen else {"text": ""}


def _take_catalogue(text: str) -> None:
    """Keep a pasted catalogue for SQL that is pasted next."""
    try:
        name = read_catalog(text).name
    except PlanvizError as error:
        fail(error, text)
        return
    add_catalog(name, text)
    st.session_state[ERROR] = None
    st.session_state[TAKEN] = st.session_state.get(TAKEN, 0) + 1
    st.toast(f"SQL that is pasted next is planned with the catalogue “{name}”.")


def open_sample(name: str, profile: str = "") -> None:
    """Open a bundled sample by its name."""
    try:
        open_text(load(name), sample=name, profile=profile)
    except PlanvizError as error:
        fail(error)


def open_example(title: str, sql: str, catalog: str = "shop", numbers: str | None = None) -> None:
    """Open a query that comes with planviz, on the tables of a bundled catalogue; `numbers` as an address has them."""
    if open_text(sql, name=title, catalog=catalog):
        st.session_state[DOCUMENT]["numbers"] = numbers


def open_saved(id: str) -> bool:
    """Open a document of the library. Raises PlanvizError when there is none; returns whether its text opened."""
    source, saved = library.kept(id)
    return open_text(source.text, name=saved.name, catalog=source.catalog, profile=source.profile, saved=id)


def open_address(query: Mapping[str, str]) -> None:
    """Open what an address names: `plan` (packed text), `saved` (an id), `sample` or `doc` (a key), and what it shows.

    `profile` is the version of Spark that is planned as. What is shown is `stage`, `step` and `node`, on the Joins page
    `join` with `what` is otherwise, and on the Cardinality page `numbers`; of several queries the one numbered `query`.
    """
    catalog = query.get("catalog", "") if cache.is_catalog(query.get("catalog", "")) else ""
    st.session_state[TOUR] = query.get("tour", "")[:80]
    try:
        profile, title = profile_named(query.get("profile", "")), one_line(query.get("name", ""), 120)
        if "plan" in query:
            open_text(links.unpack(query["plan"]), name=title, catalog=catalog, profile=profile)
        elif "saved" in query:
            open_saved(query["saved"])
        elif "sample" in query:
            open_sample(query["sample"], profile)
        elif "doc" in query:
            opened = cache.find(query["doc"])
            if opened is None:
                raise InputError(
                    "This address names a plan too large for a link, and the server no longer holds it in memory. "
                    "Open its file or paste its text again."
                )
            open_text(opened.text, name=title, catalog=catalog, profile=profile)
    except PlanvizError as error:
        fail(error)
    shown, opened = st.session_state.get(DOCUMENT), None
    if shown is None or (opened := cache.find(shown["key"])) is None:
        return
    _open_other(query)
    _place(shown, opened, query)


def _place(shown: dict[str, object], opened: cache.Opened, query: Mapping[str, str]) -> None:
    """What an address shows of the open document: stage, step, node, join, aggregate, what is otherwise."""
    plan = queries.first_of(opened, query.get("query", ""))
    if plan is None or query.get("stage"):
        plan = views.plan_of_address(opened, query.get("stage", ""), query.get("step", "")) or plan
    if plan is not None and not plan.isdigit() and opened.facts.statements and queries.queries(opened):
        plan = queries.queries(opened)[-1].first  # Addresses that name no query are from when there was but the last.
    if plan is not None:
        shown["plan"] = plan
    for part in ("step", "node", "join", "aggregate"):
        number = query.get(part, "")
        if number.isascii() and number.isdigit() and len(number) < 9:
            shown[part] = int(number)
    shown["what"] = query.get("what", "")[:4_000]
    # What was said beside a pasted explain (planviz.replay.given).
    shown["given"] = query.get("given", "")[:4_000]
    # What was compared and edited on the Cardinality page (planviz.ui.cardinality.asked_of reads it).
    shown["numbers"] = query.get("numbers") or None


def _open_other(query: Mapping[str, str]) -> None:
    """The other sides of Compare: `b`, `more` (packed), `settings`, `plan_a`, `plan_b`, `literals`, `name_b`."""
    if not {"b", "settings", "plan_a", "plan_b", "literals", "more"} & {*query}:
        return
    other: dict[str, object] = {name: query.get(name, "")[:4_000] for name in ("settings", "plan_a", "plan_b")}
    try:
        other["text"] = links.unpack(query["b"]) if "b" in query else None
        if "more" in query:
            other["more"] = links.unpack_pairs(query["more"])
    except PlanvizError as error:
        fail(error)
        return
    other |= {"name": one_line(query.get("name_b", ""), 80), "numbers": query.get("literals") == "1"}
    st.session_state[COMPARE] = other


def show_plan(plan: str) -> None:
    """Turn to another plan of the open document; the selected operator is followed there."""
    shown: JsonObject = st.session_state[DOCUMENT]
    if shown["plan"] == plan:
        return
    opened = current()
    _take_selection(shown)
    node = shown["node"]
    shown["node"] = (
        following.follow(opened, shown["plan"], node, plan) if opened is not None and node is not None else None
    )
    if opened is not None and queries.query_of(opened, shown["plan"]) != queries.query_of(opened, plan):
        shown |= {"step": None, "off": [], "why": [], "join": None, "numbers": None, "aggregate": None}
    shown["plan"] = plan


def visitor() -> str:
    """The name under which this session's browser tells what is selected (planviz.ui.selections)."""
    if VISITOR not in st.session_state:
        st.session_state[VISITOR] = selections.new_visitor()
    return str(st.session_state[VISITOR])


def arrive(page: str) -> None:
    """A page begins: what was selected on the one before is selected on this one, as far as it has it."""
    came_from, st.session_state[PAGE] = st.session_state.get(PAGE), page
    shown, opened = st.session_state.get(DOCUMENT), current()
    if shown is None or opened is None or came_from == page:
        return
    _take_selection(shown)
    following.arrive_at(shown, page)


def tell_visitor() -> str:
    """Note what this session shows, for what the browser asks ahead (planviz.ui.ahead); the visitor's name."""
    selections.show(visitor(), st.session_state.get(DOCUMENT))
    return visitor()


def _take_selection(shown: dict[str, object]) -> None:
    """What the browser told last, as a node of the plan that is shown, and as the number on the page that it was on."""
    following.take_selection(shown, selections.selected(visitor()))


def walk() -> None:
    """The browser went back or forward: show what the address says. Runs as the address bar's callback."""
    search = (st.session_state.get(ADDRESS) or {}).get("walk")
    shown = st.session_state.get(DOCUMENT)
    if not isinstance(search, str) or len(search) > 200_000:
        return
    query = dict(parse_qsl(search.removeprefix("?")))
    opened = current()
    if shown is None or opened is None:
        open_address(query)
        return
    same = dict(parse_qsl(address(opened, plan=False)[0]))
    if any(query.get(part) != same.get(part) for part in ("plan", "saved", "sample", "doc", "catalog")):
        if {"plan", "saved", "sample", "doc"} & {*query}:
            open_address(query)
        return
    shown["node"] = shown["join"] = shown["aggregate"] = None
    _place(shown, opened, query)


def turn_catalog(key: str) -> None:
    """Plan the open SQL with the catalogue chosen in the widget of this key. Runs as its callback."""
    shown = st.session_state[DOCUMENT]
    step, catalog = shown["step"], str(st.session_state[key])
    if open_text(shown["text"], name=shown["name"], sample=shown["sample"], catalog=catalog):
        st.session_state[DOCUMENT]["step"] = step


def profile_named(name: str) -> str:
    """The version or runtime of a name, as it is kept; "" for none. Raises InputError where there is none."""
    if not name:
        return ""
    config = OptimizerConfig.of(one_line(name, 60))
    return config.runtime or config.profile


def turn_profile(key: str) -> None:
    """Plan what is open as the version of Spark chosen in the widget of this key. Runs as its callback."""
    shown, before = st.session_state[DOCUMENT], current()
    if before is None:
        return
    kept = {part: shown[part] for part in ("step", "join", "what", "numbers", "aggregate", "given")}
    place = views.address_of_plan(before, shown["plan"]) if shown["plan"] else {}
    profile = str(st.session_state[key])
    if open_text(
        shown["text"], name=shown["name"], sample=shown["sample"], catalog=shown["catalog"], profile=profile
    ):  # fmt: skip
        now, opened = st.session_state[DOCUMENT], current()
        now |= kept
        if opened is not None and place:
            now["plan"] = views.plan_of_address(opened, place.get("stage", ""), place.get("step", "")) or now["plan"]


def ask_about(key: str) -> None:
    """What the player of this key asked about a rule: the plan without it, or why it did not fire. Its callback."""
    asked = (st.session_state.get(key) or {}).get("asked") or {}
    rule, rules = asked.get("rule"), st.session_state[DOCUMENT]["why" if asked.get("what") == "why" else "off"]
    if isinstance(rule, str) and len(rule) < 200 and rule not in rules:
        rules.append(rule)


def go_on() -> None:
    """What the workbench asked for: another page, at one of its joins or aggregates. Runs as its callback."""
    asked = (st.session_state.get(WORKBENCH) or {}).get("go") or {}
    page = str(asked.get("page"))
    part = {"joins": "join", "aggregations": "aggregate"}.get(page)
    if part is not None and isinstance(asked.get("number"), int):
        st.session_state[DOCUMENT][part] = asked["number"]
    if page in ("joins", "aggregations", "cardinality"):
        st.session_state[GO] = page


def turn() -> None:
    """Turn to the plan chosen in the tabs. Runs as their callback."""
    chosen = st.session_state.get(TAB)
    if isinstance(chosen, str):
        show_plan(chosen)


def turn_query() -> None:
    """Turn to the query chosen in its widget. Runs as its callback."""
    opened = current()
    plan = None if opened is None else queries.first_of(opened, str(st.session_state.get(QUERY)))
    if plan is not None:
        show_plan(plan)


def ask() -> None:
    """The dialog is asked for: it closes when another document has been opened. Runs as its button's callback."""
    st.session_state[ERROR] = None
    st.session_state[ASKED_AT] = st.session_state.get(OPENED, 0)


def answered() -> bool:
    """Whether a document has been opened since the dialog was asked for."""
    return bool(st.session_state.get(OPENED, 0) > st.session_state.get(ASKED_AT, 0))


def unseen_error() -> bool:
    """Whether a text failed where no box was to be seen, such as a file dropped on a picture; true once."""
    error = st.session_state.get(ERROR)
    if not error or not error["unseen"]:
        return False
    error["unseen"] = False
    st.session_state[ASKED_AT] = st.session_state.get(OPENED, 0)
    return True


def name() -> str:
    """The open document's name: a sample's title, a file's name, or the tables it reads."""
    shown = st.session_state[DOCUMENT]
    for sample in samples():
        if sample.name == shown["sample"]:
            return sample.title
    opened = current()
    return one_line(shown["name"], 120) or (views.name_of(opened) if opened else "")


def address(opened: cache.Opened, *, plan: bool = True) -> tuple[str, bool]:
    """The address of the open picture without its node, after the "?", and whether it works on any server.

    A plan too long for a link is kept in the library; where there is none, its key works while this server holds it.
    Without `plan` it is that of another page than Explore, and names the operator that is selected there.
    """
    shown = st.session_state[DOCUMENT]
    link = None if shown["sample"] or shown["saved"] else opened.link()
    if link is None and not shown["sample"] and not shown["saved"]:
        shown["saved"] = library.remembered(opened, shown["name"])
    if shown["sample"]:
        query = {"sample": shown["sample"]}
    elif shown["saved"]:
        query = {"saved": shown["saved"]}
    elif link is not None:
        query = {"plan": link}
    else:
        query = {"doc": opened.key}
    if shown["name"] and not shown["saved"]:
        query["name"] = one_line(shown["name"], 120)
    if opened.catalog and shown["catalog"] != cache.AUTO:
        query["catalog"] = shown["catalog"]
    if opened.profile:
        query["profile"] = opened.profile
    if shown["given"]:
        query["given"] = shown["given"]
    if st.session_state.get(TOUR):
        query["tour"] = st.session_state[TOUR]
    whole = cache.find(shown["key"]) or opened
    if plan:
        query |= views.address_of_plan(whole, shown["plan"])
    else:
        query |= queries.address_of(whole, shown["plan"])
        if shown["node"] is not None and shown["plan"].isdigit():
            query |= views.address_of_plan(whole, shown["plan"]) | {"node": str(shown["node"])}
    return urlencode(query, quote_via=quote), "doc" not in query
