"""The Cardinality page's element as a Streamlit component; editing and planning anew stay out of the page's script."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

NAME, KEY = "planviz_cardinality", "planviz.cardinality"


@cache
def _component() -> Callable[..., object]:
    import streamlit as st

    from planviz.render.web import style
    from planviz.ui import front

    mount: Callable[..., object] = st.components.v2.component(
        NAME, css=style("cardinality"), js=front.linked("cardinality"), isolate_styles=True
    )
    return mount


def flow(data: bytes, *, height: int | str = "stretch") -> None:
    """Draw the element with `planviz.ui.cardinality.data`."""
    _component()(key=KEY, data=data, height=height, width="stretch")
