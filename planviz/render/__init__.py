"""Pictures and files of a plan: SVG, PNG, PDF, one-file HTML, Graphviz DOT, Mermaid and JSON.

Whatever a format needs is imported when it is asked for, so that importing this package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.errors import ExportError

if TYPE_CHECKING:
    from planviz.graph import PlanGraph

FORMATS = ("svg", "png", "pdf", "html", "dot", "mmd", "json")

__all__ = ["FORMATS", "render"]


def render(graph: PlanGraph, format: str, *, theme: str = "light", title: str | None = None) -> bytes:
    """A plan as a file of one of `FORMATS`, the same bytes for the same plan; text formats are UTF-8.

    `theme` is "light" or "dark"; `title` stands on the picture instead of the plan's own heading. Raises ExportError
    for an unknown format or theme, and for a plan too large for the format (PNG, PDF).
    """
    from planviz.render.theme import palette

    if format not in FORMATS:
        raise ExportError(f"There is no format {format!r}: choose one of {', '.join(FORMATS)}.")
    palette(theme)
    if format == "json":
        from planviz.render.json_export import json_text

        return json_text(graph, title).encode()
    if format == "html":
        from planviz.render.html import html_page

        return html_page([graph], theme=theme, title=title).encode()
    from planviz.render.scene import build_scene

    scene = build_scene(graph, full=True)
    if format == "dot":
        from planviz.render.dot import dot

        return dot(scene, theme=theme, title=title).encode()
    if format == "mmd":
        from planviz.render.mermaid import mermaid

        return mermaid(scene, theme=theme, title=title).encode()
    from planviz.render.drawing import draw

    drawing = draw(scene, theme=theme, title=title)
    if format == "svg":
        from planviz.render.svg import svg

        return svg(drawing).encode()
    if format == "png":
        from planviz.render.png import png

        return png(drawing)
    from planviz.render.pdf import pdf

    return pdf(drawing)
