"""Folders on the Library page, and on Share: which one is looked at, whom it is shared with, what lies in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from planviz.errors import PlanvizError
from planviz.render.text import markdown, one_line
from planviz.store import Library, Saved
from planviz.store.folders import Folder, change_folder, delete_folder, folders, make_folder, put, take_out

_CHOSEN, _SAID = "planviz.folders.chosen", "planviz.folders.said"
_OWN = "own"
_NEW = {"name": "planviz.folders.name", "everybody": "planviz.folders.everybody", "emails": "planviz.folders.emails"}


def choose(found: Library) -> tuple[str, bool]:
    """The widgets that say where to look; the folder's id, "" for everything, and whether only at one's own."""
    there = {one.id: one for one in folders(found)}
    names = {"": "Everything", _OWN: "My own"} | {id: _title(one) for id, one in there.items()}
    if st.session_state.get(_CHOSEN, "") not in names:
        st.session_state[_CHOSEN] = ""
    chosen = st.selectbox("Where", [*names], format_func=lambda id: names[id], key=_CHOSEN, width=220)
    with st.popover("Folders"):
        _new(found)
        for one in there.values():
            if one.own:
                _edit(found, one)
    return ("", True) if chosen == _OWN else (str(chosen or ""), False)


def said() -> str:
    """What went wrong with a folder last, told once."""
    return str(st.session_state.pop(_SAID, ""))


def _title(folder: Folder) -> str:
    whose = "" if folder.own else f", of {folder.by}"
    return one_line(f"{folder.name} ({folder.documents}{whose})", 120)


def _shared(folder: Folder) -> str:
    if folder.everybody:
        return "everybody who signs in"
    count = len(folder.emails)
    return f"{count} address{'' if count == 1 else 'es'}" if count else "nobody yet"


def _new(found: Library) -> None:
    with st.form("planviz.folders.new", border=False):
        st.text_input("A new folder", key=_NEW["name"], max_chars=80, placeholder="Nightly jobs")
        st.toggle("Shared with everybody who signs in", key=_NEW["everybody"])
        st.text_area("Or with these e-mails", key=_NEW["emails"], placeholder="ann@example.com, bob@example.com")
        st.form_submit_button("Make it", on_click=_told, args=(_make, found), type="primary")


def _make(found: Library) -> None:
    told = {part: st.session_state[key] for part, key in _NEW.items()}
    id = make_folder(found, str(told["name"]), bool(told["everybody"]), _emails(str(told["emails"])))
    st.session_state[_CHOSEN] = id
    st.session_state[_NEW["name"]], st.session_state[_NEW["emails"]] = "", ""
    st.session_state[_NEW["everybody"]] = False


def _edit(found: Library, folder: Folder) -> None:
    keys = {part: f"{key}.{folder.id}" for part, key in _NEW.items()}
    with (
        st.expander(f"{markdown(folder.name, 80)}, shared with {_shared(folder)}"),
        st.form(f"planviz.folders.edit.{folder.id}", border=False),
    ):
        st.text_input("Name", folder.name, key=keys["name"], max_chars=80)
        st.toggle("Shared with everybody who signs in", folder.everybody, key=keys["everybody"])
        st.text_area("Or with these e-mails", ", ".join(folder.emails), key=keys["emails"])
        with st.container(horizontal=True):
            st.form_submit_button("Change it", on_click=_told, args=(_change, found, folder.id, keys))
            st.form_submit_button("Delete the folder", on_click=_told, args=(delete_folder, found, folder.id))
        st.caption("What lies in it stays with those who put it there.")


def _change(found: Library, id: str, keys: dict[str, str]) -> None:
    told = {part: st.session_state[key] for part, key in keys.items()}
    change_folder(found, id, str(told["name"]), bool(told["everybody"]), _emails(str(told["emails"])))


def _emails(text: str) -> Sequence[str]:
    return text.replace(",", " ").replace(";", " ").split()


def place(found: Library, chosen: Saved, key: str) -> None:
    """Where one's own document lies, and whether whoever has the address sees it; `key` tells the widgets apart."""
    names = {"": "Only I"} | {one.id: _title(one) for one in folders(found)}
    if chosen.folder not in names:
        names[chosen.folder] = "A folder that is not shared with me any more"
    folder, linked = f"{key}.folder.{chosen.id}", f"{key}.linked.{chosen.id}"
    st.session_state[folder], st.session_state[linked] = chosen.folder, chosen.linked
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Who finds it: a folder", [*names], format_func=lambda id: names[id], key=folder, width=280,
            on_change=_told, args=(_put, found, chosen.id, folder),
        )  # fmt: skip
        st.toggle(
            "Anyone with the link", key=linked, on_change=_told, args=(_link, found, chosen.id, linked),
            help="The picture for other pages opens without signing in, and the page for whoever signs in.",
        )  # fmt: skip


def _put(found: Library, id: str, key: str) -> None:
    put(found, id, str(st.session_state[key] or ""))


def _link(found: Library, id: str, key: str) -> None:
    found.open_by_link(id, bool(st.session_state[key]))


def of_another(found: Library, chosen: Saved) -> None:
    """Whose a document is, and for the owner of its folder the button that takes it out."""
    mine = chosen.folder in {one.id for one in folders(found) if one.own}
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(f"Of {one_line(chosen.by, 80)}, who alone changes it.")
        if mine:
            st.button("Take it out of my folder", on_click=_told, args=(take_out, found, chosen))


def _told(act: Callable[..., object], *args: object) -> None:
    """Do what a widget asks; what goes wrong is told when the page is drawn. Runs as the widget's callback."""
    try:
        act(*args)
    except PlanvizError as error:
        st.session_state[_SAID] = str(error)
