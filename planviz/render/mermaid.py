"""A scene as a Mermaid flowchart, for Markdown pages that draw it."""

from __future__ import annotations

import re

from planviz.graph import KINDS
from planviz.render.cards import Scene
from planviz.render.text import one_line
from planviz.render.theme import kind_colour, palette

_LINE = 60  # characters of a label's line
_MOST_EDGES = 500  # Mermaid's own default

# Mermaid takes labels for Markdown first and for HTML after, finds links and formulas in them, and has
# directives (`%%{`) of its own. Only what can mean nothing in any of these stays; everything else becomes `#code;`,
# which Mermaid turns into the character at the very end. An underscore between letters is no emphasis and stays for
# the sake of those who read the text.
_UNSAFE = re.compile(r"(?<![^\W_])_|_(?![^\W_])|[^\w ,=]|^[\d=]")
# Icons (`fa:fa-ban`) are looked for after that; an invisible word joiner behind the colon leaves none to be found.
_ICON = re.compile(r"(?<=:)(?=fa-)")


def mermaid(scene: Scene, *, theme: str = "light", title: str | None = None) -> str:
    """The plan as a Mermaid flowchart from top to bottom, cross links dotted.

    Raises ExportError for an unknown theme.
    """
    colours, nodes = palette(theme), scene.nodes
    lines = ["flowchart TD"]
    edges = sum(parent >= 0 for parent in nodes["parent"]) + len(scene.links)
    if edges > _MOST_EDGES:
        lines.append(
            f"  %% {edges:,} edges: Mermaid draws {_MOST_EDGES} unless its maxEdges and maxTextSize are raised"
        )
    heading = one_line(title) if title else scene.title
    if heading:
        lines.append(f"  accTitle: {_escaped(heading)}")
    for i, id in enumerate(nodes["id"]):
        sub = nodes["sub"][i] if nodes["sub"] is not None else []
        words = [nodes["title"][i], *(f"{lead} {text}".strip() for lead, text in sub)]
        if nodes["badges"][i]:
            words.append(", ".join(nodes["badges"][i]))
        label = "<br/>".join(_escaped(_cut(line)) for line in words)
        lines.append(f'  n{id}["{label}"]:::{KINDS[nodes["kind"][i]]}')
    for i, parent in enumerate(nodes["parent"]):
        if parent < 0:
            continue
        arrow = "-.-" if nodes["edge"][i] == "s" else "---"
        told = scene.rows_words(i)
        label = f'|"{_escaped(told)}"|' if told else ""
        lines.append(f"  n{nodes['id'][parent]} {arrow}{label} n{nodes['id'][i]}")
    for source, target, type in scene.links:
        lines.append(f'  n{nodes["id"][source]} -.->|"{_escaped(type)}"| n{nodes["id"][target]}')
    for index in sorted(set(nodes["kind"])):
        tint = kind_colour(KINDS[index], theme)
        style = f"fill:{colours['card']},stroke:{tint},stroke-width:2px,color:{colours['ink']}"
        lines.append(f"  classDef {KINDS[index]} {style}")
    return "\n".join(lines) + "\n"


def _cut(text: str) -> str:
    return text if len(text) <= _LINE else text[: _LINE - 1].rstrip() + "…"


def _escaped(text: str) -> str:
    return _UNSAFE.sub(lambda found: f"#{ord(found[0])};", _ICON.sub("\u2060", text))
