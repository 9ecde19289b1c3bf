"""A scene as text for Graphviz, for those who want to style or embed it themselves."""

from __future__ import annotations

import re

from planviz.graph import KINDS
from planviz.render.cards import Scene
from planviz.render.text import one_line
from planviz.render.theme import kind_colour, palette, tokens

_WRAP = 48  # characters of a label's line
_ENTITY = re.compile(r"&(?=[#A-Za-z0-9]+;)")


def dot(scene: Scene, *, theme: str = "light", title: str | None = None) -> str:
    """The plan as a DOT digraph, parents above children, cross links dashed.

    Raises ExportError for an unknown theme.
    """
    colours, nodes = palette(theme), scene.nodes
    font = _quoted(tokens()["font"]["family"])
    heading = _quoted(one_line(title) if title else scene.title)
    lines = [
        "digraph plan {",
        f"  graph [label={heading}, labelloc=t, labeljust=l, fontname={font}, "
        f'fontcolor="{colours["ink"]}", bgcolor="{colours["surface"]}", ranksep=0.35, nodesep=0.3];',
        f'  node [shape=box, style="rounded,filled", fontname={font}, fontsize=11, fontcolor="{colours["ink"]}", '
        f'fillcolor="{colours["card"]}", penwidth=1.5];',
        f'  edge [fontname={font}, fontsize=9, fontcolor="{colours["muted"]}", color="{colours["edge"]}", '
        "arrowhead=none];",
    ]
    for i, id in enumerate(nodes["id"]):
        sub = nodes["sub"][i] if nodes["sub"] is not None else []
        words = [nodes["title"][i], *(f"{lead} {text}".strip() for lead, text in sub)]
        if nodes["badges"][i]:
            words.append(f"[{', '.join(nodes['badges'][i])}]")
        label = '"' + "\\n".join(_escaped(_cut(line)) for line in words) + '"'
        lines.append(f'  n{id} [label={label}, color="{kind_colour(KINDS[nodes["kind"][i]], theme)}"];')
    for i, parent in enumerate(nodes["parent"]):
        if parent < 0:
            continue
        options = []
        if rows := scene.rows_words(i):
            options.append(f'label="{rows}"')
        if nodes["edge"][i] == "s":
            options.append(f'style=dashed, color="{colours["link"]}", tooltip="subquery"')
        attributes = f" [{', '.join(options)}]" if options else ""
        lines.append(f"  n{nodes['id'][parent]} -> n{nodes['id'][i]}{attributes};")
    for source, target, type in scene.links:
        lines.append(
            f"  n{nodes['id'][source]} -> n{nodes['id'][target]} [label={_quoted(type)}, style=dashed, "
            f'color="{colours["link"]}", arrowhead=normal, constraint=false];'
        )
    return "\n".join(lines) + "\n}\n"


def _cut(text: str) -> str:
    return text if len(text) <= _WRAP else text[: _WRAP - 1].rstrip() + "…"


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """For a quoted string: Graphviz reads backslash escapes such as `\\N` in labels, and HTML entities."""
    return _ENTITY.sub("&amp;", text.replace("\\", "\\\\").replace('"', '\\"'))
