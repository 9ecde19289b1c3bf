"""The Library page's widgets: a search, tags, the table, the chosen document with its versions and notes, the trash."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from planviz.document.comparison import chains
from planviz.errors import PlanvizError
from planviz.render.text import markdown, one_line
from planviz.store import Library, Saved, read_query
from planviz.store.notes import add_note, remove_note
from planviz.ui import compare_page, folders, library, people, state
from planviz.ui.compare import Other
from planviz.ui.components import past_executions
from planviz.ui.page import page_links, pages_there

_TEXT, _TRASH, _VERSIONS, _CHOSEN, _LIMIT = (
    f"planviz.library.{part}" for part in ("text", "trash", "versions", "id", "limit")
)
_ROWS = 100
_MOST = 2_000
_LEAD = """<div class="pv-lead"><h1>Library</h1>
<span>Queries, programs and plans that were saved, by name and in versions. “Share” on a page saves what is open there;
<code>planviz save FILE</code> does from the command line.</span></div>"""
_EMPTY = """<div class="pv-lead"><h2>Nothing is saved yet</h2>
<span>On Explore, “Share” saves what is open there: under a name, in versions, with notes.</span></div>"""

_NOT_LISTED = """<div class="pv-lead"><h2>Others reach this server</h2>
<span>So nothing that is saved is listed here: a document opens by its address alone, which “Share” gives to
whoever saves it. Whoever runs the server lists all of it with <code>planviz list --store PLACE</code>.</span></div>"""


def show() -> None:
    """Draw the page; what was searched stands in the address."""
    st.html(_LEAD)
    if not library.is_listed():
        st.html(_NOT_LISTED)
        return
    try:
        found = library.needed()
        _results(found)
    except PlanvizError as error:
        st.html(f'<p class="pv-alert" role="alert">{escape(str(error))}</p>')


def _results(found: Library) -> None:
    if _TEXT not in st.session_state:
        st.session_state[_TEXT] = st.query_params.get("search", "")[:300]
        st.session_state[_CHOSEN] = st.query_params.get("document", "")[:40]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            "Search",
            key=_TEXT,
            placeholder="words, table:orders operator:sort finding:cartesian tag:nightly",
            width=520,
        )
        folder, own = folders.choose(found) if people.is_on() else ("", False)
        versions = st.toggle("All versions", key=_VERSIONS)
        trash = st.toggle("Trash", key=_TRASH)
    if said := folders.said():
        st.html(f'<p class="pv-alert" role="alert">{escape(said)}</p>')
    text = str(st.session_state[_TEXT])
    _address(text)
    _tags(found)
    query = read_query(text, trash=trash, versions=versions, limit=int(st.session_state.get(_LIMIT, _ROWS)))
    query = replace(query, folder=folder, own=own)
    saved, count = found.search(query)
    if not saved:
        if text or trash or folder or own:
            st.html('<p class="pv-head">Nothing matches.</p>')
        else:
            _begin()
        return
    st.html(f'<p class="pv-head">{escape(library.counted(count, len(saved), query))}</p>')
    if count > len(saved) and len(saved) < _MOST:
        st.button("More", type="tertiary", on_click=_more)
    chosen = _table(saved)
    if chosen is not None:
        _document(found, chosen)


def _begin() -> None:
    """The way to a first document: back to what is open, or to a query or plan of one's own."""
    opened = state.current()
    st.html(_EMPTY)
    words = "Open something to save" if opened is None else f"Back to {one_line(state.name(), 40)}, to save it"
    if st.button(words, type="primary", key="planviz.library.begin"):
        st.switch_page(next(entry["page"] for entry in pages_there() if entry["title"] == "Explore"))


def _address(text: str) -> None:
    told = {"search": text, "document": str(st.session_state.get(_CHOSEN) or "")}
    for name, value in told.items():
        if value and st.query_params.get(name) != value:
            st.query_params[name] = value
        elif not value and name in st.query_params:
            del st.query_params[name]


def _more() -> None:
    st.session_state[_LIMIT] = min(_MOST, 4 * int(st.session_state.get(_LIMIT, _ROWS)))


def _tags(found: Library) -> None:
    tags = found.tags()[:30]
    if tags:
        with st.container(horizontal=True, gap="xsmall"):
            for tag, count in tags:
                words, key = markdown(f"#{tag} {count}"), f"planviz.library.tag.{tag}"
                st.button(words, key=key, type="tertiary", on_click=_by_tag, args=(tag,))


def _by_tag(tag: str) -> None:
    st.session_state[_TEXT] = f"tag:{tag}"


def _table(saved: list[Saved]) -> Saved | None:
    """The documents; the one that was picked, or that the address names."""
    named = str(st.session_state.get(_CHOSEN) or "")
    chosen = next((one for one in saved if one.id == named), None)
    height = min(34 + 27 * len(saved), 218 if chosen is not None else 560)
    past_executions(library.table(saved, named) | {"height": height}, key="planviz.library.table", opened=_choose)
    return chosen


def _choose(id: str) -> None:
    st.session_state[_CHOSEN] = id


def _document(found: Library, chosen: Saved) -> None:
    with st.container(border=True, key="planviz-library-document"):
        with st.container(horizontal=True, gap="small"):
            if chosen.trashed:
                st.button("Restore", on_click=_restore, args=(found, chosen.id))
                st.button("Delete for ever", on_click=_delete, args=(found, chosen.id))
                return
            if st.button("Open", type="primary", on_click=_open, args=(chosen.id,)):
                st.switch_page(next(entry["page"] for entry in pages_there() if entry["title"] == "Explore"))
            if chosen.versions > 1 and st.button("Compare all versions", on_click=_compare, args=(found, chosen.id)):
                st.switch_page(next(entry["page"] for entry in pages_there() if entry["title"] == "Compare"))
            if not chosen.by:
                st.button("Put into the trash", on_click=_to_trash, args=(found, chosen.id))
        if chosen.by:
            folders.of_another(found, chosen)
        else:
            _rename(found, chosen)
            if people.is_on():
                folders.place(found, chosen, "planviz.library")
        if chosen.versions > 1:
            st.caption("Versions, the newest first")
            past_executions(
                library.table(found.versions(chosen.id), chosen.id) | {"height": 218},
                key="planviz.library.versions", opened=_choose_version,
            )  # fmt: skip
        _notes(found, chosen)


def _rename(found: Library, chosen: Saved) -> None:
    with (
        st.form(f"planviz.library.rename.{chosen.id}", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        name = st.text_input("Name", chosen.name, max_chars=200)
        tags = st.text_input("Tags", ", ".join(chosen.tags), max_chars=300)
        if st.form_submit_button("Rename"):
            found.rename(chosen.id, name, tags.split(","))
            st.rerun()


def _open(id: str) -> None:
    try:
        state.open_saved(id)
        library.needed().touch(id)
    except PlanvizError as error:
        state.fail(error)


def _compare(found: Library, id: str) -> None:
    """The versions of a query as a chain, the oldest first; of many the last that one chain takes."""
    versions = sorted(found.versions(id), key=lambda one: one.version)[-chains.MOST :]
    try:
        state.open_saved(versions[0].id)
        texts = [(f"{one.name}, version {one.version}", found.text(one.id).text) for one in versions[1:]]
    except PlanvizError as error:
        state.fail(error)
        return
    (name, text), *more = texts
    compare_page.choose(state.current(), Other(text=text, name=name, more=tuple(more)))


def _to_trash(found: Library, id: str) -> None:
    found.trash([id])
    st.session_state[_CHOSEN] = ""


def _restore(found: Library, id: str) -> None:
    found.restore([id])


def _delete(found: Library, id: str) -> None:
    library.delete(found, id)


def _choose_version(id: str) -> None:
    st.session_state[_CHOSEN], st.session_state[_VERSIONS] = id, True


def _notes(found: Library, chosen: Saved) -> None:
    said = library.notes(chosen.id)
    for note, operator in said:
        place = f"{operator} (node {note.node})" if operator else "its operator is no longer there"
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(f"<p><b>{escape(place)}</b> {escape(note.words)} <small>version {note.version}</small></p>")
            if not chosen.by:
                st.button(
                    "Remove", key=f"planviz.library.note.{note.number}", type="tertiary", on_click=remove_note,
                    args=(found, chosen.id, note.number),
                )  # fmt: skip
    if chosen.by:
        return
    shown = st.session_state.get(state.DOCUMENT)
    if shown is None or shown["saved"] != chosen.id or shown["node"] is None:
        st.caption("To write a note, open the document, choose an operator on Explore, and come back here.")
        page_links(["Explore"])
        return
    with st.form("planviz.library.note", border=False, clear_on_submit=True):
        words = st.text_area(f"A note on operator {shown['node']} of the open plan", max_chars=4_000)
        if st.form_submit_button("Write it"):
            add_note(found, chosen.id, str(shown["plan"]), int(shown["node"]), words)
            st.rerun()
