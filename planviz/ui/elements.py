"""The browser's elements (`planviz.render.web`) as Streamlit components."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache


@cache
def component(element: str) -> Callable[..., Mapping[str, object]]:
    """The component of an element of `planviz.render.web.ELEMENTS`, to be called in a Streamlit run."""
    import streamlit as st

    from planviz.render.web import style
    from planviz.ui import front

    mount: Callable[..., Mapping[str, object]] = st.components.v2.component(
        f"planviz_{element}", css=style(element), js=front.linked(element), isolate_styles=True
    )
    return mount


def fill(element: str, data: bytes) -> None:
    """Draw an element that fills its page and asks the server itself for whatever comes after its first data."""
    component(element)(key=f"planviz.{element}", data=data, height="stretch", width="stretch")
