"""The language of who reads a session's pages, for the few texts that the browser cannot put into it.

The browser translates what stands in the page (`languages.js`). What is no text there has to leave the server in the
reader's language: the choice that a list shows, the cells of a table that is drawn.
"""

from __future__ import annotations

import streamlit as st

from planviz.language import LANGUAGES, texts

#: Set by languages.js before the session begins; a session keeps its language.
_COOKIE = "planviz-language"


def language() -> str:
    """The reader's language, "en" for one that planviz has no texts in."""
    asked = st.context.cookies.get(_COOKIE) or (st.context.locale or "")[:2].lower()
    return asked if asked in LANGUAGES else "en"


def told(text: str) -> str:
    """A text in the reader's language."""
    return texts(language()).told(text)
