"""One-file interactive pages: the workbench, its style and the plans in a single HTML text that requests nothing."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape

from planviz.graph import PlanGraph
from planviz.jsontypes import JsonObject
from planviz.render.fonts import has_glyph, subset
from planviz.render.scene import build_scene
from planviz.render.text import one_line
from planviz.render.theme import THEMES, palette, tokens
from planviz.render.web import script, style

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header><b class="title">{title}</b><div id="planviz-tabs"{role}></div></header>
<main id="planviz"></main>
<noscript>This page draws a query plan and needs JavaScript, which it carries itself.</noscript>
<script type="application/json" id="planviz-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""

# Colours stand in the style sheet for what lies around the workbench, which sets its own.
_FRAME = """
html, body {{ margin: 0; height: 100%; }}
body {{ display: flex; flex-direction: column; background: {light[card]}; color: {light[ink]};
  font: 14px/1.45 '{font[family]}', {font[fallback]}; }}
header {{ display: flex; align-items: center; gap: 18px; min-height: 46px; padding: 0 20px;
  border-bottom: 1px solid {light[line]}; }}
header .title {{ font-size: 15px; font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }}
#planviz {{ flex: 1; min-height: 0; }}
#planviz-tabs {{ display: flex; gap: 16px; overflow-x: auto; flex: 1; align-self: stretch; align-items: stretch; }}
.pv-tab {{ font: inherit; color: {light[muted]}; background: none; border: 0; border-bottom: 2px solid transparent;
  border-top: 2px solid transparent; padding: 0 2px; white-space: nowrap; cursor: pointer; }}
.pv-tab[aria-selected=true] {{ color: {light[ink]}; font-weight: 600; border-bottom-color: {light[accent]}; }}
.pv-tab:focus-visible {{ outline: 2px solid {light[accent]}; outline-offset: -2px; }}
.pv-only-title {{ color: {light[muted]}; align-self: center; }}
"""
_DARK = """
body {{ background: {dark[card]}; color: {dark[ink]}; }} header {{ border-color: {dark[line]}; }}
.pv-tab, .pv-only-title {{ color: {dark[muted]}; }}
.pv-tab[aria-selected=true] {{ color: {dark[ink]}; border-bottom-color: {dark[accent]}; }}
"""


def html_page(
    graphs: Sequence[PlanGraph],
    *,
    text: str | None = None,
    title: str | None = None,
    theme: str | None = None,
    opened: int = 0,
) -> str:
    """The plans as one interactive HTML page: several are tabs, with search, keys, details and the raw text.

    `text` is what the plans were read from and is shown beside each of them; `title` heads the page, by default the
    only plan's own; `opened` is the index of the plan that is seen first. `theme` is "light" or "dark"; None follows
    the reader's system. The page makes no request, and its policy forbids any, and any script but its own. Equal input
    gives equal bytes.

    Raises ExportError for an unknown theme and ValueError when there is no plan.
    """
    return scene_page(
        [build_scene(graph, full=True).to_json() for graph in graphs],
        text=text,
        title=title,
        theme=theme,
        opened=opened,
    )


def scene_page(
    scenes: Sequence[JsonObject],
    *,
    text: str | None = None,
    title: str | None = None,
    theme: str | None = None,
    opened: int = 0,
) -> str:
    """As `html_page`, from scenes as `Scene.to_json` gives them, details included."""
    if not scenes:
        raise ValueError("a page needs at least one plan")
    if theme is not None:
        palette(theme)
    data = {
        "plans": [{"scene": scene, "text": text} for scene in scenes],
        "opened": opened,
        "theme": tokens(),
        "dark": None if theme is None else theme == "dark",
    }
    heading = title or (scenes[0]["title"] if len(scenes) == 1 else "")
    return page("workbench", data, heading, theme, ' role="tablist" aria-label="Plans"' if len(scenes) > 1 else "")


def steps_page(trace: JsonObject, *, title: str | None = None, theme: str | None = None, **more: object) -> str:
    """A trace as `planviz.render.steps.trace_data` gives it as one page that plays its steps; see `html_page`.

    `more` goes to the player as it is, such as the rules' `cards`. Raises ExportError for an unknown theme.
    """
    if theme is not None:
        palette(theme)
    data = {"key": "trace", "trace": trace, "theme": tokens(), "dark": None if theme is None else theme == "dark"}
    return page("rules", data | more, title or trace["title"], theme)


def page(name: str, data: object, title: str, theme: str | None, role: str = "") -> str:
    """The element called `name` (see `planviz.render.web.script`) with its data as one page that requests nothing."""
    code, sheet = script(name, page=True), _faces() + _sheet(name, theme)
    return _PAGE.format(
        policy=_policy(code, sheet),
        title=escape(one_line(title)) or "Query plan",
        role=role,
        style=sheet,
        data=_embedded(data),
        script=code,
    )


@cache
def _faces() -> str:
    """The two faces that the cards were measured with: Latin letters and the signs that the workbench uses."""
    signs = "–—‘’“”…†•‹›←↑→↓−≈≠≤≥×÷▲▶▸▾●Δ∑ﬁ"
    characters = frozenset(filter(has_glyph, [*map(chr, range(0x20, 0x7F)), *map(chr, range(0xA0, 0x180)), *signs]))
    faces = ""
    for weight, bold in ((400, False), (600, True)):
        data = b64encode(subset(characters, bold)).decode()
        faces += f"@font-face{{font-family:'{tokens()['font']['family']}';font-weight:{weight};"
        faces += f"src:url(data:font/woff;base64,{data}) format('woff')}}\n"
    return faces


def _sheet(name: str, theme: str | None) -> str:
    colours = tokens()
    frame = _FRAME.format(light=colours[theme or THEMES[0]], font=colours["font"])
    if theme is None:
        frame += "@media (prefers-color-scheme: dark) {" + _DARK.format(dark=colours["dark"]) + "}\n"
    return style(name) + frame


def _policy(code: str, sheet: str) -> str:
    own = f"script-src {_source(code)}; style-src {_source(sheet)}; font-src data:"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _source(content: str) -> str:
    """The source expression that allows one inline element by its content."""
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def _embedded(data: object) -> str:
    """JSON that may stand in a script element: without `<` nothing in it can end the element or open a comment.

    Lone surrogates, which no UTF-8 file can hold, stay escaped.
    """
    plain = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        plain.encode()
    except UnicodeEncodeError:
        plain = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for mark in "<>&\u2028\u2029":
        plain = plain.replace(mark, f"\\u{ord(mark):04x}")
    return plain
