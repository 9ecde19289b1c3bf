"""The Aggregations page's element as a Streamlit component: everything after the first data it asks the server for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

NAME, KEY = "planviz_aggregations", "planviz.aggregations"


@cache
def _component() -> Callable[..., object]:
    import streamlit as st

    from planviz.render.web import style
    from planviz.ui import front

    mount: Callable[..., object] = st.components.v2.component(
        NAME, css=style("aggregations"), js=front.linked("aggregations"), isolate_styles=True
    )
    return mount


def aggregatebench(data: bytes, *, height: int | str = "stretch") -> None:
    """Draw the element; `data` is what `planviz.ui.aggregate_views.data` made."""
    _component()(key=KEY, data=data, height=height, width="stretch")
