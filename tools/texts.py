"""The texts that planviz shows, found where they are written, and the catalogues of their translations kept in step.

    python -m tools.texts            # says what is missing, and exits with 1 where something is
    python -m tools.texts --update   # puts new texts into every planviz/locale/*/LC_MESSAGES/planviz.po, takes old out

A text is a sentence or a label in a Python string (also an f-string), in markup, in a script's string, in the stories
and samples, or in what the catalogue page tells. Its values are placeholders, named after the expressions that give
them. A message with a note (`#.`) stays: it is put together where it is shown, and stands in no string as a whole.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path

from planviz.language import LANGUAGES, Message, read_catalogue

ROOT = Path(__file__).resolve().parent.parent
#: What is shown in the app is written there; the command line and the library speak English.
ROOMS = (
    "ui", "render", "findings", "decisions", "document", "graph", "estimation", "physical/strategies", "mechanics",
    "reference", "history", "samples", "versions/words.py", "units.py", "physical/planner.py", "optimizer/rules",
)  # fmt: skip
#: Modules in these rooms that print for the command line or for files, or hold tables of SQL or of Spark's names.
_PASSED_OVER = (
    "ui/guard.py", "ui/workers.py", "ui/warm.py", "ui/front.py", "render/dot.py", "render/mermaid.py",
    "render/fonts.py", "render/json_export.py", "document/comparison/text.py", "document/comparison/chain_text.py",
    "document/comparison/upgrade_reports.py", "document/opening/dbt_macros.py", "graph/kinds.py",
)  # fmt: skip
#: Calls whose strings nobody reads on a page.
_SILENT = frozenset(
    {
        *("querySelector", "compile", "getLogger", "exception", "InternalError", "TypeVar", "ParamSpec", "joinpath"),
        *("component", "Literal", "KeyError", "ValueError", "AssertionError"),
    }
)
_TAG = re.compile(r"<[!/]?[a-zA-Z][^<>]*>|<!--.*?-->", re.DOTALL)
_NAMED = re.compile(r"""\b(?:title|aria-label|placeholder|alt)=(?:"([^"]+)"|'([^']+)')""")
_PLACEHOLDER = re.compile(r"\{\w+\}")
_SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:]? (?:[a-z(“\"{]|[A-Z][a-z])|\} \(?[a-z]{2,}|[a-z]{2,} \{")
_LABEL = re.compile(r"[A-Z][a-z]+(?:[ -][a-z]+)*(?:…|:|\.| →)?|(?:←|→) [A-Z][a-z]+")
_CODE = re.compile(
    r"pv-|--|::|=>|-src |\{\}|translate\(|digraph|\[shape=|rank=|\(prefers-|grid-template|^bundled |\$\{|\\[dwsb(]|"
    r"\(\?|</?\w+>|[\w)]\(\)|^[.#@]\w|st-key|data-|^\W*(?:SELECT|WITH|INSERT|CREATE|EXPLAIN|SET|FROM|ALTER|DROP) |"
    r"^spark\.\w|^planviz spark |^https?:|px;|^[a-z]+(?: [a-z]+)?/[a-z]|^chip |^box |df\.explain\(\"cost"
)
#: A sentence may name an option, a call or the value of `str.format`.
_PROSE = re.compile(r"(?:\b[a-z]{2,}[,;:]? ){3}")
_NAMED_IN_IT = re.compile(r"(?<= )--[a-z]+(?:-[a-z]+)*|[\w.]+\(\)|\{\}")
#: Words that are names everywhere, or keys of a keyboard.
_NAMES = frozenset(("Ctrl", "Files", "Mermaid", "Enter", "Escape", "Home", "End", "Esc"))


def is_text(words: str) -> bool:
    """Whether a string is one that people read: a sentence or a label, and no code."""
    if (
        _CODE.search(_NAMED_IN_IT.sub("", words) if _PROSE.search(words) else words)
        or words in _NAMES
        or (not words.isprintable() and not words.replace("\n", "").isprintable())
    ):
        return False
    return bool(_SENTENCE.search(words) or _LABEL.fullmatch(words))


def texts_of(source: str) -> Iterator[str]:
    """The texts in a string: itself, or those between and in the tags of markup."""
    if not _TAG.search(source):
        words = source.strip()
        if is_text(words):
            yield words
        return
    for tag in _TAG.finditer(source):
        for found in _NAMED.finditer(tag[0]):
            yield from texts_of(unescape(found[1] or found[2]))
    bare = re.sub(r"<(pre|code|style|script)\b.*?</\1>", "<pre>", source, flags=re.DOTALL)
    for between in _TAG.split(bare):
        words = unescape(between).strip()
        if is_text(words) or re.fullmatch(r"[A-Z]?[a-z]+(?: [a-z]+)*[.:]?", words):
            yield " ".join(words.split())


# ---------------------------------------------------------------------------------------------- Python


def python_texts(source: str) -> Iterator[tuple[str, int]]:
    """The texts of a module with their lines."""
    yield from _Strings().found(ast.parse(source))


class _Strings(ast.NodeVisitor):
    def __init__(self) -> None:
        self.texts: list[tuple[str, int]] = []

    def found(self, tree: ast.Module) -> list[tuple[str, int]]:
        self.visit(tree)
        return self.texts

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name not in _SILENT:
            self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in (*node.body, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(part)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        parts = _added(node)
        if isinstance(node.op, ast.Add) and all(isinstance(p, ast.Constant | ast.JoinedStr) for p in parts):
            self._take("".join(map(_template, parts)), node.lineno)
        else:
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self._take(_template(node), node.lineno)
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                self.visit(value.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._take(node.value, node.lineno)

    def _take(self, source: str, line: int) -> None:
        self.texts += [(text.replace("{}", "{code}"), line) for text in texts_of(source)]


def _added(node: ast.expr) -> list[ast.expr]:
    return [*_added(node.left), *_added(node.right)] if isinstance(node, ast.BinOp) else [node]


def _template(node: ast.expr) -> str:
    """A string as a message: its values as placeholders."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    assert isinstance(node, ast.JoinedStr)
    taken: set[str] = set()
    parts = []
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            parts.append("{" + _unlike(_name(value.value), taken) + "}")
        else:
            parts.append(str(getattr(value, "value", "")))
    return "".join(parts)


def _unlike(name: str, taken: set[str]) -> str:
    free, at = name, 2
    while free in taken:
        free, at = f"{name}{at}", at + 1
    taken.add(free)
    return free


def _name(node: ast.expr) -> str:
    """A word for an expression: the innermost thing that it is about."""
    match node:
        case ast.IfExp(body=ast.Constant(value="" | "s"), orelse=ast.Constant(value="" | "s")):
            return "s"  # a plural's ending
        case ast.Name(id=name):
            return name.strip("_")
        case ast.Attribute(attr=name):
            return name.strip("_")
        case ast.Call(args=[first, *_]) if not isinstance(first, ast.Constant | ast.Starred):
            return _name(first)
        case ast.Call(func=function):
            return _name(function)
        case ast.Subscript(value=value):
            return _name(value)
        case ast.IfExp(body=body) | ast.BoolOp(values=[body, *_]) | ast.BinOp(left=body):
            return _name(body)
    return "value"


# ---------------------------------------------------------------------------------------------- scripts

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`|"
    r"(?<=[(,=:\[!&|?{};\n])\s*/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*|[{}]",
    re.DOTALL,
)


def script_texts(source: str) -> Iterator[tuple[str, int]]:
    """The texts of a script with their lines."""
    for template, start in _strings(source, 0, len(source)):
        line = source.count("\n", 0, start) + 1
        for text in texts_of(template):
            yield text, line


def _strings(source: str, at: int, end: int) -> Iterator[tuple[str, int]]:
    while (token := _TOKEN.search(source, at, end)) is not None:
        at, words = token.end(), token[0]
        if words[0] in "\"'":
            yield re.sub(r"\\(.)", r"\1", words[1:-1]), token.start()
        elif words == "`":
            template, inner, at = _template_at(source, at)
            yield template, token.start()
            for start, stop in inner:
                yield from _strings(source, start, stop)


def _template_at(source: str, at: int) -> tuple[str, list[tuple[int, int]], int]:
    """A template literal from behind its first mark: as a message, where its values stand, where it ends."""
    parts: list[str] = []
    inner: list[tuple[int, int]] = []
    taken: set[str] = set()
    while source[at] != "`":
        if source[at] == "\\":
            parts.append(source[at + 1])
            at += 2
        elif source.startswith("${", at):
            start = at + 2
            at = _closing(source, start)
            inner.append((start, at))
            parts.append("{" + _unlike(_script_name(source[start:at]), taken) + "}")
            at += 1
        else:
            parts.append(source[at])
            at += 1
    return "".join(parts), inner, at + 1


def _closing(source: str, at: int) -> int:
    depth = 0
    while True:
        token = _TOKEN.search(source, at)
        assert token is not None
        if token[0] == "`":
            at = _template_at(source, token.end())[2]
            continue
        if token[0] == "}" and depth == 0:
            return token.start()
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        at = token.end()


def _script_name(expression: str) -> str:
    """A word for an expression: the last name that is no call's, before any choice."""
    if re.search(r'\? (?:"" : "s"|"s" : "")$', expression):
        return "s"  # a plural's ending
    head = re.split(r"\?(?!\.)|===?|<|>|&&|\|\|", expression)[0]
    head = re.sub(r"\"[^\"]*\"|'[^']*'|`[^`]*`", "", head)
    names = re.findall(r"[A-Za-z_]\w*(?!\w*\()", re.sub(r"\.(?:length|toLocaleString|join|size)\b", "", head))
    return names[-1] if names else "value"


# ---------------------------------------------------------------------------------------------- data


def data_texts() -> Iterator[tuple[str, str]]:
    """The texts of data files and of the catalogue page, with where they stand."""
    from planviz.document.cardinality.slides import slide_examples, slide_facts
    from planviz.findings import checks
    from planviz.graph.effect import KINDS
    from planviz.graph.facts import FACTS
    from planviz.reference.entries import entries
    from planviz.render.glossary import terms
    from planviz.samples import samples
    from planviz.samples.tours import tours

    for sample in samples():
        yield sample.title, "planviz/samples/index.json"
        yield sample.about, "planviz/samples/index.json"
    for tour in tours().values():
        for words in (tour.title, tour.about, *(w for step in tour.steps for w in (step.title, step.see, step.do))):
            yield words, f"planviz/samples/stories/{tour.name}.json"
    for check in checks().values():
        for words in (check.title, check.why, check.advice, check.cost):
            yield words, f"planviz/findings/{type(check).__module__.rpartition('.')[2]}.py"
    for term in terms():
        for words in (term.name, *term.also, term.meaning, term.chapter):
            yield words, "docs/glossary.md"
    for fact in slide_facts():
        yield fact.about, "planviz/document/cardinality/slides.py"
        yield fact.text, "planviz/document/cardinality/slides.py"
    for example in slide_examples():
        yield example.title, "planviz/document/cardinality/slides.py"
        yield example.about, "planviz/document/cardinality/slides.py"
    for kind in KINDS:
        yield kind.replace("-", " "), "planviz/graph/effect.py"
    for words in FACTS.values():
        yield f"part:{words}", "planviz/graph/facts.py"
    for words in _words_in(json.loads((ROOT / "planviz" / "physical" / "planner.json").read_text("utf-8"))):
        if re.search(r"[a-z]{2}", words) and not re.fullmatch(r"[\w./]+|.*[a-z][A-Z]\w*", words):
            yield words, "planviz/physical/planner.json"
    for entry in (entry for entry in entries().values() if entry.kind not in ("batch", "function")):
        summary = entry.summary.partition(": ")[2] if entry.kind == "finding" else entry.summary  # behind its title
        by_version = [words for _, words in entry.versions] if entry.kind == "operator" else []
        for words in (summary, *entry.text, *by_version):
            yield words, f"planviz/reference: {entry.kind}"


def _words_in(told: object) -> Iterator[str]:
    """The values of JSON that are texts."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, list | dict):
        for part in told.values() if isinstance(told, dict) else told:
            yield from _words_in(part)


def texts() -> dict[str, list[str]]:
    """Every text with the places where it is written, in their order."""
    found: dict[str, list[str]] = {}

    def take(text: str, place: str) -> None:
        text = text.strip()
        places = found.setdefault(text, [])
        if place not in places:
            places.append(place)

    for path in _sources():
        read = path.read_text("utf-8")
        place = str(path.relative_to(ROOT))
        if path.suffix == ".html":
            found_here: Iterable[tuple[str, int]] = ((text, 1) for text in texts_of(read))
        else:
            found_here = python_texts(read) if path.suffix == ".py" else script_texts(read)
        for text, _ in found_here:
            take(text, place)
    for text, place in data_texts():
        take(text, place)
    return found


def _sources() -> Iterator[Path]:
    passed = {ROOT / "planviz" / name for name in _PASSED_OVER}
    for room in ROOMS:
        base = ROOT / "planviz" / room
        for path in [base] if base.is_file() else sorted(base.rglob("*")):
            if path.suffix in (".py", ".js", ".html") and path not in passed and path.name not in ("guard.js",):
                yield path
    yield from sorted((ROOT / "pages").glob("*.py"))


# ---------------------------------------------------------------------------------------------- catalogues

_HEAD = """# Texts of planviz; `python -m tools.texts --update` keeps them in step with the code (CONTRIBUTING.md).
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: {locale}\\n"
"""


def updated(known: Mapping[str, Message], found: Mapping[str, list[str]]) -> list[Message]:
    """The messages of a catalogue for the texts that are there now: old translations stay, notes keep a message."""
    kept = [message for message in known.values() if message.note and message.english not in found]
    return [
        Message(english, known[english].other if english in known else "", tuple(places))
        for english, places in found.items()
    ] + kept


def written(messages: Iterable[Message], locale: str) -> str:
    """A catalogue as gettext's tools read it."""
    parts = [_HEAD.format(locale=locale)]
    for message in messages:
        lines = [f"#. {message.note}"] if message.note else []
        lines += [f"#: {place}" for place in message.places]
        lines += [f"msgid {_quoted(message.english)}", f"msgstr {_quoted(message.other)}"]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def faults(messages: Iterable[Message]) -> list[str]:
    """What is wrong with the messages of a catalogue: not translated, or with a value that the text has not got."""
    found = []
    for message in messages:
        if not message.other:
            found.append(f"not translated: {message.english}")
            continue
        there, wanted = (set(_PLACEHOLDER.findall(text)) for text in (message.other, message.english))
        if there - wanted or wanted - there - {"{s}"}:
            found.append(f"other values: {message.english} -> {message.other}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; 0 where every text is translated, 1 where one is not."""
    parser = argparse.ArgumentParser(prog="python -m tools.texts", description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the catalogues anew")
    asked = parser.parse_args(arguments)
    found, wrong = texts(), 0
    for locale, _ in LANGUAGES.values():
        file = ROOT / "planviz" / "locale" / locale / "LC_MESSAGES" / "planviz.po"
        known = read_catalogue(file.read_text("utf-8")) if file.exists() else {}
        now = updated(known, found)
        if asked.update:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(written(now, locale), "utf-8")
        for fault in faults(now):
            wrong += 1
            print(f"{locale}: {fault}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
