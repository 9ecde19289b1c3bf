"""The player of operators' mechanics as a Streamlit component."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from planviz.render.mechanics import packed, player_data

NAME = "planviz_mechanics"


@cache
def _component() -> Callable[..., object]:
    import streamlit as st

    from planviz.render.web import style
    from planviz.ui import front

    mount: Callable[..., object] = st.components.v2.component(
        NAME, css=style("mechanics"), js=front.linked("mechanics"), isolate_styles=True
    )
    return mount


def mechanics_player(
    plays: Sequence[Mapping[str, object]], key: str, *, play: int = 0, height: int | str = 640
) -> None:
    """Draw the player of these plays (`Play.to_json`).

    `key` names them on the page, and the browser keeps its step while it stays.
    """
    data = packed(player_data(plays, key, play=play))
    _component()(key=f"planviz.mechanics.{key}", data=data, height=height, width="stretch")
