"""What every page begins with: title, theme, frame, top bar, and a guard that keeps tracebacks from users.

The first session on a fresh server that opens a deep link runs the page without app.py. So whatever must hold on every
page is here and not there.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from planviz.errors import PlanvizError
from planviz.jsontypes import JsonObject
from planviz.render.text import one_line
from planviz.ui import signin, state, tours

P = ParamSpec("P")
R = TypeVar("R")

#: The pages in the order of the bar: file, title, path in the address. A page is shown when its file is there.
PAGES = (
    ("explore", "Explore", ""),
    ("rules", "Rules", "rules"),
    ("planner", "Planner", "planner"),
    ("joins", "Joins", "joins"),
    ("aggregations", "Aggregations", "aggregations"),
    ("cardinality", "Cardinality", "cardinality"),
    ("compare", "Compare", "compare"),
    ("live", "Live Spark", "live"),
    ("history", "Event logs", "history"),
    ("catalogue", "Catalogue", "catalogue"),
    ("library", "Library", "library"),
)

_ROOT = Path(__file__).resolve().parents[2]


def pages(root: Path) -> list[JsonObject]:
    """The pages whose files are there, as arguments of `st.Page`; the first is the default one."""
    found = [(root / "pages" / f"{file}.py", title, path) for file, title, path in PAGES]
    return [
        {"page": file, "title": title, "url_path": path or None, "default": not path}
        for file, title, path in found
        if file.is_file()
    ]


def addresses() -> tuple[str, ...]:
    """The addresses of the pages."""
    return ("/", *(f"/{file}" for file, _, _ in PAGES), *(f"/{path}" for _, _, path in PAGES if path))


def pages_there() -> list[JsonObject]:
    """The pages of the app as arguments of `st.Page`, for links to them."""
    return pages(_ROOT)


def page_links(titles: Sequence[str]) -> None:
    """Links to the pages of these titles that are there."""
    for entry in pages_there():
        if entry["title"] in titles:
            # Run alone: the router has not named the pages.
            with suppress(StreamlitAPIException):
                st.page_link(entry["page"], label=entry["title"])


def go_on() -> None:
    """Turn to the page that was asked for in the workbench, if any was."""
    asked = st.session_state.pop(state.GO, None)
    for entry in pages_there():
        if asked is not None and entry["url_path"] == asked:
            st.switch_page(entry["page"])


def to_page(title: str) -> None:
    """Turn to the page of this title; the run of this one ends."""
    for entry in pages_there():
        if entry["title"] == title:
            # Run alone: the router has not named the pages.
            with suppress(StreamlitAPIException):
                st.switch_page(entry["page"])


@contextmanager
def page(title: str, *, document: str = "") -> Iterator[DeltaGenerator]:
    """A page's frame and top bar; yields the place at the bar's right end for the page's own buttons.

    `document` goes into the tab's title. An error meant for users is shown as its sentence; any other is logged whole
    and shown as a sentence without its text, which might be a plan's.
    """
    if signin.refusal():
        signin.draw()
        st.stop()
    state.arrive(next((path for _, name, path in PAGES if name == title), ""))
    shown = " · ".join(part for part in (one_line(document, 80), title, "planviz") if part)
    st.set_page_config(page_title=shown, layout="wide", initial_sidebar_state="collapsed", page_icon=_ICON)
    st.html(_style())
    with st.container(key="planviz-page", gap=None):
        bar = _bar()
        tours.strip()
        try:
            yield bar
            _settle()
        except PlanvizError as error:
            st.html(f'<p role="alert">{_escaped(str(error))}</p>')
            _open_another(bar)
        except StreamlitAPIException:
            raise
        except Exception as error:
            if type(error).__module__.startswith("streamlit"):
                raise  # How Streamlit stops and restarts a run.
            logging.getLogger("planviz").exception("page %s", title)
            st.error(
                "Something went wrong while drawing this page; the server's log has the details. "
                "Reload the page, or open the text again.",
                icon=":material/error:",
            )


def begun(title: str, ask: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What a page asks before it is drawn; where that fails the page says so and ends."""
    try:
        return ask(*args, **kwargs)
    except PlanvizError as error:
        with page(title):
            raise error
        st.stop()


def _open_another(bar: DeltaGenerator) -> None:
    from planviz.ui import explore  # whose parts stand on pages

    with bar:
        if st.button("Open…", on_click=state.ask, key="planviz.open-another"):
            explore.open_dialog()


def _bar() -> DeltaGenerator:
    with st.container(key="planviz-bar", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        st.html('<div class="pv-brand"><i></i>planviz</div>', width="content")
        known = pages(_ROOT)
        with st.container(key="planviz-links", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
            for entry in known if len(known) > 1 else ():
                try:
                    st.page_link(entry["page"], label=entry["title"])
                except StreamlitAPIException:
                    continue  # Run alone or first on a deep link: the router has not named the pages yet.
        st.html(_LANGUAGE, width="content")
        buttons: JsonObject = {"horizontal": True, "horizontal_alignment": "right", "vertical_alignment": "center"}
        bar = st.container(key="planviz-buttons", gap="small", width="content", wrap=False, **buttons)
        signin.account()
        return bar


@cache
def _settle() -> None:
    """Put what the imports left behind out of the garbage collector's sight, once.

    Streamlit collects all garbage after every run of a page; over the objects of its own and pyarrow's modules that
    takes about 80 ms, in which no message leaves the server.
    """
    gc.collect()
    gc.freeze()


@cache
def _style() -> str:
    return f"<style>{files('planviz.ui').joinpath('page.css').read_text('utf-8')}</style>"


def _escaped(text: str) -> str:
    return escape(one_line(text, 2_000))


#: The button that turns to the other language (languages.js); the style sheet shows the language that is not read now.
_LANGUAGE = (
    '<button type="button" class="pv-language" translate="no" title="中文 / English">'
    '<span lang="zh">中文</span><span lang="en">English</span></button>'
)
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Crect x='2' y='2' width='12' height='12' rx='3' fill='%233450b0'/%3E%3C/svg%3E"
)
