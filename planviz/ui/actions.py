"""The buttons at the right end of every page's header: open another document, export, copy the link, share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from planviz.ui import components, explore, sharing, state
from planviz.ui.opened import Opened


def open_button() -> None:
    """The button that asks for another document, and the dialog behind it."""
    if st.button("Open…", on_click=state.ask) or state.unseen_error():
        explore.open_dialog()


def actions(
    opened: Opened,
    page: str,
    view: str = "",
    selected: int | str | None = None,
    *,
    part: str = "node",
    export: Callable[[], None] = explore.plan_menu,
    stages: Mapping[str, str] | None = None,
) -> None:
    """All buttons of a page about the open document.

    `page` is the page's address ("" for Explore), `view` names the picture and `selected` what is selected in it, which
    stands in the address as `part`; `export` draws the menu of files, `stages` are those of `components.address_bar`.
    """
    open_button()
    export()
    query, portable = state.address(opened, plan=not page)
    components.address_bar(query, f"{opened.key}/{view or page}", selected, button=portable, part=part, stages=stages)
    _share(opened, query, portable, page)


def actions_beside_box(opened: Opened | None, page: str) -> None:
    """The buttons of a page that has nothing of the document to show and a box to open another: all but that one."""
    if opened is not None:
        explore.plan_menu()
        query, portable = state.address(opened, plan=False)
        components.address_bar(query, f"{opened.key}/{page}", None, button=portable)
        _share(opened, query, portable, page)


def _share(opened: Opened, query: str, portable: bool, page: str) -> None:
    if not portable:
        explore.too_long_for_link(opened)
    sharing.share_menu(opened, query, page)
