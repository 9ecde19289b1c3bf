"""The page that asks people to sign in, and the place in the bar where they see as whom they did."""

from __future__ import annotations

import logging
from collections.abc import Iterable

import streamlit as st
from streamlit.errors import StreamlitAuthError

from planviz.errors import StoreError
from planviz.render.text import markdown, one_line
from planviz.store.accounts import remember_person
from planviz.ui import library, people
from planviz.ui.people import NotLetIn

_MET = "planviz.met"
_LEAD = '<div class="pv-lead"><h1>planviz</h1><span>See what Spark does with your query.</span></div>'


def refusal() -> str:
    """Why this session gets no page, "" where it does."""
    try:
        person = people.here()
    except NotLetIn as error:
        return str(error)
    if person.signed_in and st.session_state.get(_MET) != person:
        st.session_state[_MET] = person
        try:
            found = library.library()
            if found is not None:
                remember_person(found)
        except StoreError as error:
            logging.getLogger("planviz").warning("%s", error)
    return ""


def navigate(addresses: Iterable[str]) -> None:
    """Run the page that asks to sign in, at whichever address somebody came to."""
    paths = dict.fromkeys(address.strip("/") for address in addresses)
    pages = [st.Page(draw, title="Sign in", url_path=path, default=not path) for path in paths]
    st.navigation(pages, position="hidden").run()


def draw() -> None:
    """The page that asks to sign in, or says why somebody who did is not let in."""
    said = refusal()
    st.set_page_config(page_title="Sign in · planviz", layout="centered")
    st.html(_LEAD)
    st.text(said)
    for name in people.providers():
        words = "Sign in" if name == "default" else f"Sign in with {markdown(name, 40)}"
        if st.button(words, type="primary", key=f"planviz.signin.{name}"):
            try:
                st.login(None if name == "default" else name)
            except StreamlitAuthError as error:
                logging.getLogger("planviz").error("signing in with %s: %s", name, error)
                st.error("Signing in does not work here; the server's log says why. Tell whoever runs it.")
    if st.user.get("is_logged_in"):
        st.button("Sign out", on_click=st.logout, key="planviz.signin.out")


def account() -> None:
    """Who signed in, and the way out; nothing where nobody does."""
    if not people.is_on():
        return
    person = people.here()
    # The pages' links need the room.
    short = one_line(person.name.partition(" ")[0] or person.name, 14)
    with st.container(key="planviz-person", width="content"), st.popover(markdown(short)):
        st.text(person.name)
        st.text(person.email or "Without an e-mail that the provider verified")
        st.button("Sign out", on_click=st.logout, key="planviz.signout")
