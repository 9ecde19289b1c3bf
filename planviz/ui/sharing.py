"""What a person takes away from an open document: its place in the library, a link, a picture for another page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import streamlit as st

from planviz.errors import PlanvizError
from planviz.store import Saved
from planviz.ui import folders, library, people, state
from planviz.ui.opened import Opened

_NAME, _TAGS, _SAID = "planviz.save.name", "planviz.save.tags", "planviz.save.said"
#: What an address has for the app alone.
_PART_OF_PICTURES = ("stage", "step", "query", "catalog", "profile", "name", "join", "aggregate", "what")
_PART_OF_COMPARISONS = ("settings", "plan_a", "plan_b", "b", "name_b", "literals", "more")
#: The pages whose figure is one of several, and what its number is called.
_NUMBERED = {"rules": "step", "joins": "join", "aggregations": "aggregate"}
#: What of it the library keeps with a document.
_KEPT_WITH_IT = ("catalog", "profile", "name")


def share_menu(opened: Opened, query: str, page: str = "") -> None:
    """Save, and the texts to paste elsewhere; `query` is the open document's address, `page` the figure's."""
    with st.popover("Share", key="planviz.share"):
        _save(opened)
        placed = _placed(query)
        base = _base()
        address = f"{base}/{page}?{query}" if page else f"{base}/?{query}"
        picture = f"{base}/{picture_path(query, page)}" if picture_path(query, page) else ""
        if picture:
            st.caption("A picture with a link, for Markdown (GitHub, GitLab, Confluence, Notion)")
            st.code(markdown(state.name(), picture, address), language=None, wrap_lines=True)
        if picture and page not in _NUMBERED:
            st.caption("The plan itself, for a page in HTML")
            st.code(frame(state.name(), picture.replace(".svg?", ".html?", 1)), language=None, wrap_lines=True)
        st.caption(who_can_open(query, base, placed))


def _placed(query: str) -> Saved | None:
    """The open document's place in the library where people sign in; with what its owner says of who reads it."""
    id = dict(parse_qsl(query)).get("saved")
    found = library.library() if id and people.is_on() else None
    saved = None if found is None or id is None else found.find(id)
    if found is not None and saved is not None and not saved.by:
        folders.place(found, saved, "planviz.share")
        if said := folders.said():
            st.error(said)
    return saved


def _save(opened: Opened) -> None:
    try:
        there = library.library() is not None
    except PlanvizError as error:
        st.caption(str(error))
        return
    if not there:
        st.caption("This server keeps no library: `planviz serve --store PLACE` starts one.")
        return
    with st.form("planviz.save", border=False):
        st.text_input("Save in the library as", state.name(), key=_NAME, max_chars=200)
        st.text_input("Tags", key=_TAGS, placeholder="nightly, revenue", max_chars=300)
        st.form_submit_button("Save", on_click=_saved, args=(opened,), type="primary")
    if said := st.session_state.pop(_SAID, ""):
        st.html(f'<p class="pv-head" role="status">{escape(said)}</p>')


def _saved(opened: Opened) -> None:
    """The form was sent. Runs as its callback."""
    name, tags = str(st.session_state[_NAME]), str(st.session_state[_TAGS]).split(",")
    try:
        saved = library.save(opened, name, tags)
    except PlanvizError as error:
        st.session_state[_SAID] = str(error)
        return
    if not library.is_listed() and saved.name != " ".join(name.split()):
        # Somebody else's name for the same text is not this one's to know.
        st.session_state[state.DOCUMENT] |= {"saved": saved.id, "sample": ""}
        st.session_state[_SAID] = "This text is saved already; below is its address."
        return
    st.session_state[state.DOCUMENT] |= {"saved": saved.id, "name": saved.name, "sample": ""}
    version = f", version {saved.version} of {saved.versions}" if saved.versions > 1 else ""
    st.session_state[_SAID] = f"Saved as {saved.name}{version}."


def _base() -> str:
    """The server's address as this browser has it, without a slash at its end."""
    parts = urlsplit(st.context.url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "http://localhost:8501"


def picture_path(query: str, page: str = "") -> str:
    """The address of the figure of an app's address, as SVG, "" where there is none: a sample, or no library."""
    told = dict(parse_qsl(query))
    what = told.get("saved") or told.get("plan")
    if not what:
        return ""
    left_out = _KEPT_WITH_IT if "saved" in told else ()
    asked = {name: told[name] for name in _PART_OF_PICTURES if name in told and name not in left_out}
    if page == "compare":
        asked = {name: told[name] for name in _PART_OF_COMPARISONS if name in told} | asked | {"page": page}
        asked = {name: asked[name] for name in asked if name not in ("stage", "step")}
    if page in _NUMBERED:
        asked = {"page": page, _NUMBERED[page]: "1"} | asked
        asked.pop("stage", None)
    return f"plan/{what}.svg?{urlencode(asked, quote_via=quote)}"


def markdown(name: str, picture: str, address: str) -> str:
    """A picture that is a link, in Markdown."""
    words = name.translate(dict.fromkeys(map(ord, "[]()!`<>\n"), " ")).strip()
    return f"[![{words}]({picture})]({address})"


def frame(name: str, page: str) -> str:
    """A frame for another page."""
    return f'<iframe src="{escape(page)}" title="{escape(name)}" width="100%" height="600" loading="lazy"></iframe>'


def who_can_open(query: str, base: str, placed: Saved | None = None) -> str:
    """Who sees what when the address is handed on; `placed` is a saved document where people sign in."""
    told = dict(parse_qsl(query))
    if people.is_on():
        return _who_signed_in(told, placed)
    host = urlsplit(base).hostname or ""
    reach = "whoever uses this machine" if host in ("localhost", "127.0.0.1", "::1") else f"whoever reaches {host}"
    if "saved" in told:
        return (
            f"The text is kept on this server; it opens for {reach} with the address. What nobody saved goes when it "
            "was not opened for 30 days; what is put into the trash opens for nobody."
        )
    if "plan" in told:
        return (
            f"The text stands in the address; nothing is kept on the server. It opens for {reach}, or in any planviz."
        )
    return f"The address opens for {reach}."


def _who_signed_in(told: Mapping[str, str], placed: Saved | None) -> str:
    if "saved" not in told or placed is None:
        beside = " Its picture opens for whoever has the address." if "plan" in told else ""
        return f"The address opens for whoever signs in at this server.{beside}"
    if placed.linked:
        who = "The picture opens for whoever has the address, the page for whoever signs in and has it."
    elif placed.folder:
        who = "It opens for you and for those who see its folder; pictures on other pages stay empty."
    else:
        who = "It opens for you alone; pictures on other pages stay empty."
    return f"The text is kept on this server. {who} What is put into the trash opens for nobody."
