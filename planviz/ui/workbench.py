"""The workbench as a Streamlit component: tree, canvas, details, raw text and search in one element.

Selecting, searching and collapsing stay in the browser. The data travels as the bytes of its JSON, so that a rerun
with the same plan costs one hash.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from planviz.jsontypes import JsonObject
from planviz.render.theme import tokens
from planviz.ui.elements import component


def workbench_data(
    scene: Mapping[str, object],
    document: str,
    *,
    text: str | None = None,
    written: str | None = None,
    findings: Sequence[Mapping[str, object]] = (),
    selected: int | None = None,
    details_url: str | None = None,
    why_url: str | None = None,
    dark: bool | None = None,
    report_selection: bool = False,
) -> bytes:
    """What the component shows, as bytes of JSON that are equal for equal arguments; worth caching.

    `scene` is `Scene.to_json()`. `document` names this plan of this document: as long as it stays the same the browser
    keeps view, selection and what is collapsed, and goes back to them when it comes again. `findings` are `{"severity":
    "problem" | "warning" | "info", "title", "evidence", "node"}` with the id of a node or None. `written` names
    the text ("SQL", "Program") where the plan was made from it: it then stands beside the drawing, too. `selected` is
    the index of the node to open at. `details_url` answers with `scene_details` when the scene came without;
    `why_url`, with a node's id behind it, why the node is there. `dark` None follows Streamlit's theme.
    """
    data = {
        "key": document,
        "scene": scene,
        "text": text,
        "written": written,
        "theme": tokens(),
        "dark": dark,
        "findings": list(findings),
        "selected": selected,
        "details_url": details_url,
        "why_url": why_url,
        "report_selection": report_selection,
    }
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode()


def workbench(
    data: bytes | JsonObject, *, key: str, height: int | str = 720, go: Callable[[], None] | None = None
) -> int | None:
    """Draw the workbench, `height` px high or as high as "stretch" lets it; to be called in a Streamlit run.

    `data` is what `workbench_data` returned; the same values as a mapping do as well, but are then put into JSON at
    every rerun. `key` is the element's own and stays the same when the plan changes. `go` is called when another page
    is asked for; it then stands in the session under `key` as `{"go": {"page", "number"}}`. Returns the id of the node
    that was just selected, once, if the data asked for reports; else None.
    """
    if not isinstance(data, bytes):
        data = json.dumps(data, separators=(",", ":"), allow_nan=False).encode()
    result = component("workbench")(
        key=key, data=data, height=height, width="stretch", on_select_change=_nothing, on_go_change=go or _nothing
    )
    selected = result.get("select")  # missing when no browser is there, as in a bare import
    return selected if isinstance(selected, int) else None


def _nothing() -> None:
    """A trigger is only told to the script when it has a callback."""
