"""The browser's side: ES modules and a style sheet, put together without a build tool.

The sources import each other by name and run in a browser as they lie here. `script` joins them into one module, since
a page that must make no request, and a component whose code travels with its data, need one text.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from planviz.render.glossary import meanings

#: In the order of their imports; each is put in a function of its own, so that names do not meet.
_SHARED = (
    "dom", "glossary", "theme", "host", "surroundings", "ruler", "tidy", "spine", "units", "plan", "look", "edges",
    "cards", "far", "draw", "minimap", "pointer", "canvas",
)  # fmt: skip
_PLAYED = (
    "dom", "ask", "glossary", "theme", "host", "surroundings", "timeline", "transport", "board", "stepcard",
    "playback",
)  # fmt: skip
_MODULES = {
    "workbench": (*_SHARED, "keys", "rail", "why", "panel", "rawtext", "program", "shell", "bench", "workbench"),
    "cardinality": (
        *_SHARED,
        "figures",
        "flow",
        "formula",
        "figuretable",
        "joinorder",
        "crossover",
        "slides",
        "overview",
        "estimates",
        "cardinality",
    ),
    "rules": (
        *_SHARED,
        "steps",
        "textdiff",
        "timeline",
        "transport",
        "rulecard",
        "panes",
        "rawtext",
        "program",
        "player",
        "rules",
    ),
    "compare": (*_SHARED, "steps", "textdiff", "timeline", "transport", "panes", "comparison", "compare"),
    "mechanics": (*_PLAYED, "mechanics"),
    "joins": (
        *_PLAYED,
        "units",
        "drawn",
        "jointable",
        "whatifs",
        "joinpanel",
        "mechanism",
        "rawtext",
        "program",
        "joinbench",
        "joins",
    ),
    "aggregations": (*_PLAYED, "stagecards", "samplerows", "aggregatetable", "aggregatebench", "aggregations"),
}
#: The elements' names.
ELEMENTS = tuple(_MODULES)
_PAGES = {"workbench": "page", "rules": "rulespage", "mechanics": "mechanicspage", "compare": "comparepage"}
_SHEETS = {
    "workbench": ("workbench.css",),
    "rules": ("workbench.css", "rules.css"),
    "compare": ("workbench.css", "rules.css", "compare.css"),
    "mechanics": ("workbench.css", "rules.css", "mechanics.css"),
    "joins": ("workbench.css", "rules.css", "mechanics.css", "joins.css"),
    "aggregations": ("workbench.css", "rules.css", "mechanics.css", "aggregations.css"),
    "cardinality": ("workbench.css", "cardinality.css"),
}

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:const|class|(?:async )?function) (\w+)", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
#: Comments that have lines of their own, and JSDoc's, which may stand before an expression.
_COMMENTS = re.compile(
    r"^[ \t]*(?://[^\n]*|/\*\*\s(?:(?!\*/).)*\*/[ \t]*)\n|(?<=[\s(\[,.])/\*\*[ ][^\n]*?\*/ ?", re.MULTILINE | re.DOTALL
)


@cache
def style(name: str = "workbench") -> str:
    """The style sheet of the element called `name`, one of `_SHEETS`."""
    return "".join(map(source, _SHEETS[name]))


@cache
def script(name: str = "workbench", *, page: bool = False) -> str:
    """One ES module: it exports `mount` and, by default, what Streamlit calls; with `page` it opens a page."""
    names = (*_MODULES[name], _PAGES[name]) if page else _MODULES[name]
    parts = [f"// planviz {name}: put together from planviz/render/web, where the sources are."]
    parts += [_wrapped(module) for module in names]
    if not page:
        parts.append(f"export const mount = ${name}.mount;\nexport default ${name}.main;")
    return "\n".join(parts) + "\n"


def _wrapped(name: str) -> str:
    text = _IMPORT.sub(r"const \1 = $\2;", source(f"{name}.js"))
    exported = _EXPORT.findall(text)
    if _DEFAULT.search(text):
        text = _DEFAULT.sub("const main = ", text)
        exported.append("main")
    text = re.sub(r"^export ", "", text, flags=re.MULTILINE)
    return f"const ${name} = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();"


def source(name: str) -> str:
    """A script without comments, or a style sheet as it lies here; the glossary's words are put into theirs."""
    if name == "glossary.js":
        told = json.dumps(meanings(), ensure_ascii=True, separators=(",", ":")).replace("</", "<\\/")
        return _read(name).replace("const TERMS = {};", f"const TERMS = {told};")
    return _read(name)


def without_comments(script: str) -> str:
    """A script as browsers get it: types and explanations are for those who read it where it lies.

    Comments behind code on its line stay. It would be wrong for a string over several lines, one of which begins like a
    comment.
    """
    return _COMMENTS.sub("", script)


def _read(name: str) -> str:
    text = files("planviz.render.web").joinpath(name).read_text("utf-8")
    return without_comments(text) if name.endswith(".js") else text
