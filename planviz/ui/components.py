"""The two small components beside the workbench: the paste box, and the address bar with its button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from importlib.resources import files

import streamlit as st

from planviz.document import PASTE_LIMIT
from planviz.jsontypes import JsonObject
from planviz.render.web import without_comments
from planviz.ui import state


@cache
def _component(name: str) -> Callable[..., object]:
    script, style = (files("planviz.ui").joinpath(f"{name}.{kind}").read_text("utf-8") for kind in ("js", "css"))
    js = without_comments(script)
    mount: Callable[..., object] = st.components.v2.component(f"planviz_{name}", js=js, css=style)
    return mount


def box(error: Mapping[str, object] | None, *, small: bool = False, text: str = "") -> None:
    """The box that takes anything; what it gets goes to `state.open_pasted` before the page is drawn.

    It shows the text that failed with its error, else `text`.
    """
    _box(state.SMALL_BOX if small else state.BOX, error, text)


def lines(text: str) -> None:
    """A few lines to copy; the box's script does the copying.

    Streamlit's own widget for that fetches a highlighter of 1.5 MB.
    """
    st.html(f'<div class="pv-lines"><pre>{escape(text)}</pre><button type="button">Copy</button></div>')


def drop_zone() -> None:
    """Nothing to see: a file dropped anywhere on the page is opened."""
    with st.container(key="planviz-drop"):
        _box(state.DROP, None)


def _box(key: str, error: Mapping[str, object] | None, text: str = "") -> None:
    told = {"message": error["message"], "line": error["line"]} if error else None
    _component("box")(
        key=key,
        data={
            "look": key.rpartition(".")[2],
            "limit": PASTE_LIMIT,
            "error": told,
            "text": error["text"] if error else text,
            "taken": st.session_state.get(state.TAKEN, 0),
            "planned": state.planned_with(),
        },
        on_opened_change=lambda: state.open_pasted(key),
        height="content",
    )


def address_bar(
    query: str,
    view: str,
    node: int | str | None,
    *,
    button: bool = True,
    part: str = "node",
    stages: Mapping[str, str] | None = None,
) -> None:
    """Put the open picture into the address bar, and draw the button that copies it unless there is another.

    `query` is the address after the "?", without the node; `view` names the picture, `node` what is selected at first,
    which goes into the address as `part`; `stages` are the plans that Explore's tabs lead to, by their labels.
    """
    data: JsonObject = {"query": query, "view": view, "node": node, "button": button, "part": part}
    data |= {"visitor": state.tell_visitor(), "stages": dict(stages or {})}
    with st.container(key="planviz-address" if button else "planviz-drop-address", width="content"):
        _component("address")(key=state.ADDRESS, data=data, width="content", on_walk_change=state.walk)


def past_executions(data: Mapping[str, object], *, key: str, opened: Callable[[str], None]) -> None:
    """The table of the Event logs page (history.js says what it takes); `opened` gets what a chosen row opens."""

    def chosen() -> None:
        row = (st.session_state.get(key) or {}).get("opened")
        if isinstance(row, str):
            opened(row)

    _component("history")(key=key, data=data, on_opened_change=chosen, height="content")
