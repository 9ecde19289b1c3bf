"""SQL that a template makes, of dbt, Airflow, Databricks or Python, read as far as the text tells; nothing is executed.

    {{ ref('t') }}, {{ source('db', 't') }}    the table          {{ config(...) }}, {# ... #}    left out
    {% if x > 1 %} A {% else %} B {% endif %}  A or B; A where nobody knows x
    {% for x in [1, 2] %} A {% endfor %}       A, twice; once where nobody knows how often
    {% macro f(x) %} A {% endmacro %}          left out, and A in place of {{ f(x) }}
    {% set x = 'a' %} ... {{ x }}              a                  {% set x %} A {% endset %} ... {{ x }}    A
    {{ x }}, ${x}, {x}, %(x)s, %s              a name, a number or a condition in its place, as what stands around asks
    SET x = a; ... ${x}, ${hiveconf:x}         a, inside quotes, too

Inside quotes a value that nobody knows stays as it is written: a text is a text. What is left out becomes blanks and
what stands in a place is filled up with them, so that lines stay lines and columns mostly columns; what a loop or a
macro repeats stands on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from jinja2 import nodes

from planviz.document.opening.template_expressions import UNKNOWN, Relation, items_of, tag_of, text_of, value_of
from planviz.placeholders import NEAR, in_place

_CLOSES = {"{{": "}}", "{%": "%}", "{#": "#}", "${": "}", "%(": ")s", "%s": "", "{": "}"}
_OPENS = re.compile(r"\{\{|\{%|\{#|\$\{|%\(|%s\b|\{")
_FORMAT = re.compile(r"\{\w[\w.\[\]'\"]*(?:![rsa])?\}|\$\{[\w.:\- ]+\}|%\(\w+\)s|%s\b")
_CALL = re.compile(r"([\w.]+)\s*\((.*)\)", re.DOTALL)
_TEXTS = re.compile(r"['\"]([^'\"]*)['\"]")
_BLOCK = re.compile(r"\{%[-+]?\s*(\w+)\s*(.*?)\s*[-+]?%\}", re.DOTALL)
#: A statement that gives `${name}` its value, as far as the line goes.
_SET_STATEMENT = re.compile(r"(?im)(?:^|;)[ \t]*SET[ \t]+([\w.\-]+(?::[\w.\-]+)?)[ \t]*=[ \t]*([^;\n]*)")
_LOOP = re.compile(r"\bloop\s*\.")
#: Where % is the operator.
_OPERAND_BEFORE = re.compile(r"[\w)\]'\"`]\s*$")
_WORD_BEFORE = re.compile(
    r"\b(?:select|distinct|from|join|where|and|or|on|by|limit|in|between|like|then|else|when|having|not|values|set)\s*$",
    re.IGNORECASE,
)
#: Blocks of which nothing is a part of the query.
_NOT_OF_THE_QUERY = frozenset({"macro", "call", "filter", "test", "materialization", "docs", "set"})
_OPENING = frozenset({"if", "for", "snapshot", "raw", "block", "with", *_NOT_OF_THE_QUERY})
#: Pieces that loops and macros may repeat, the characters that come of it, and how deep they may stand in each other.
_MOST_PIECES, _MOST_CHARACTERS, _DEEPEST = 20_000, 1_000_000, 20


@dataclass(frozen=True)
class Template:
    """`sql` is a template's text as SQL; `notes` say what was left out of it and what stands in place of what."""

    sql: str
    notes: tuple[str, ...]


def read_template(text: str) -> Template | None:
    """The SQL of a template; None for a text that is none."""
    if "{" not in text and "%(" not in text and "%s" not in text:
        return None
    reader = _Reader(text)
    try:
        sql = reader.read()
    except _TooMuchError:
        reader = _Reader(text, repeats=False)
        sql = reader.read()
    return Template(sql, tuple(reader.notes())) if sql != text else None


class _TooMuchError(Exception):
    """Loops and macros make more of a template than is read."""


@dataclass(frozen=True)
class _Macro:
    parameters: tuple[str, ...]
    defaults: tuple[nodes.Expr, ...]
    first: int  # its pieces, from this one to before that
    last: int


@dataclass
class _Block:
    """An open one: its word, whether what stands in it is read, and of an `if` whether a branch was taken."""

    word: str
    read: bool
    taken: bool = False


@dataclass
class _Reader:
    text: str
    repeats: bool = True  # whether loops and macros are followed
    out: list[str] = field(default_factory=list)
    blocks: list[_Block] = field(default_factory=list)
    left_out: int = 0  # how many of them are not read
    names: dict[str, object] = field(default_factory=dict)
    macros: dict[str, _Macro] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    branches: bool = False
    loops: bool = False
    relations: bool = False
    owed: str = ""  # blanks that a shorter value leaves, to come behind the word that it stands in
    given: dict[str, str] = field(default_factory=dict)  # what SET gave names so far
    quote: str = ""  # what the text so far has open: a quote, or "-" for a comment
    on_one_line: bool = False  # whether what is read now was read before, or stands elsewhere
    depth: int = 0
    pieces_read: int = 0
    characters: int = 0

    def read(self) -> str:
        """The whole text as SQL. Raises _TooMuchError."""
        self.pieces = list(self._pieces())
        self.ends = _ends(self.text, self.pieces) if self.repeats else {}
        self._run(0, len(self.pieces))
        return "".join([*self.out, self.owed])

    def notes(self) -> Iterator[str]:
        """What is to be said of the reading."""
        if self.relations:
            yield "Taken off before reading: dbt's braces around names."
        if self.branches:
            yield "Of the template's branches ({% if %}) the first is read."
        if self.loops:
            yield "The body of the template's loop ({% for %}) is read once."
        if self.unknown:
            shown = ", ".join([*self.unknown][:8])
            yield f"Values that the text does not tell ({shown}) stand as names, as 1 or as true in the query."

    def _run(self, first: int, last: int) -> None:
        """Read the pieces from one to before another."""
        at = first
        while at < last:
            tag, start, end = self.pieces[at]
            piece = self.text[start:end]
            self.pieces_read += 1
            if self.pieces_read > _MOST_PIECES + len(self.pieces):
                raise _TooMuchError
            if not tag:
                self.given |= {m[1].rpartition(":")[2]: m[2].strip() for m in _SET_STATEMENT.finditer(piece)}
                self._put(piece, piece)
            elif tag == "${" and self._reads() and (told := self.given.get(piece[2:-1].rpartition(":")[2])) is not None:
                # As it is: blanks behind it would be a part of a text.
                self._follow_quotes(told)
                self.out.append(told)
            elif tag == "{%":
                at = self._block(piece, at)
                continue
            elif tag == "{#" or not self._reads():
                self._append(_blank(piece))
            else:
                self._put(piece, self._value(tag, piece, end))
            at += 1

    def _pieces(self) -> Iterator[tuple[str, int, int]]:
        """(opening, start, end) of tags, and ("", start, end) of what is between them."""
        text, at, done = self.text, 0, 0
        closing: dict[str, int] = {}  # where the next closing of a kind is; -1: none any more
        while (found := _OPENS.search(text, at)) is not None:
            start, tag = found.start(), found[0]
            at = found.end()
            if tag in ("{", "${", "%(", "%s"):
                match = _FORMAT.match(text, start)
                end = match.end() if match else -1
            else:
                if closing.get(tag, 0) != -1 and closing.get(tag, 0) < at:
                    closing[tag] = text.find(_CLOSES[tag], at)
                end = closing.get(tag, -1)
                end = end + 2 if end >= 0 else -1
            if end < 0:
                continue
            yield "", done, start
            yield tag, start, end
            at = done = end
        yield "", done, len(text)

    def _put(self, written: str, made: str) -> None:
        """Take a piece over, `made` of what is `written`, as wide as that where it is shorter."""
        if not self._reads():
            self._append(_blank(written))
            return
        if self.on_one_line:
            made = _on_one_line(made, self.quote)
            self._follow_quotes(made)
            self._append(made)
            return
        in_text = self.quote not in ("", "-")
        self._follow_quotes(made)
        if made is not written:
            # Inside quotes a blank would be a part of the text.
            self.owed += "" if in_text else _blank(written[len(made) :])
            self._append(made)
        elif self.owed and (blank := re.search(r"[^\w.`]|$", made)):
            # Behind the word that the value is a part of: `{{ x }}_amount`.
            self.out += [made[: blank.start()], self.owed, made[blank.start() :]]
            self.owed = ""
        else:
            self._append(made)

    def _append(self, piece: str) -> None:
        self.characters += len(piece)
        if self.repeats and self.characters > _MOST_CHARACTERS + len(self.text):
            raise _TooMuchError
        self.out.append(piece.replace("\n", " ") if self.on_one_line else piece)

    def _reads(self) -> bool:
        return not self.left_out

    def _follow_quotes(self, piece: str) -> None:
        for found in _MARKS.finditer(piece):
            self.quote = _quoted(self.quote, found[0])

    # -- blocks

    def _block(self, piece: str, at: int) -> int:
        """Read a block's tag; the piece to go on with."""
        match = _BLOCK.fullmatch(piece)
        if match is not None:
            word, rest = match[1], match[2]
            if word == "for" and self._reads() and (after := self._loop(piece, at)) is not None:
                return after
            if word == "macro" and self._reads() and at in self.ends:
                self._define(piece, at)
            if word == "set" and "=" not in rest and self._reads() and at in self.ends:
                self.names[rest.strip()] = self._elsewhere(at + 1, self.ends[at][-1])
            self._turn(word, rest, piece)
        self._append(_blank(piece))
        return at + 1

    def _turn(self, word: str, rest: str, piece: str) -> None:
        if word in ("else", "elif"):
            if self.blocks and self.blocks[-1].word in ("if", "for"):
                self._branch(self._close(), word, piece)
        elif word.startswith("end"):
            if self.blocks and self.blocks[-1].word == word[3:]:
                self._close()
        elif word == "if":
            self._if(rest, piece)
        elif word in ("set", "do") and ("=" in rest or word == "do"):
            if self._reads():
                self._assign(piece)
        elif word in _OPENING:
            self._open(_Block(word, word not in _NOT_OF_THE_QUERY))
            self.loops |= word == "for" and self._reads()

    def _if(self, rest: str, piece: str) -> None:
        test = self._test(piece + "{% endif %}") if self._reads() else UNKNOWN
        if test is UNKNOWN:
            # Of a loop that is read once nobody knows the last time.
            last_of_loop = _LOOP.search(rest) is not None
            self.branches |= not last_of_loop and self._reads()
            self._open(_Block("if", not last_of_loop, not last_of_loop))
        else:
            self._open(_Block("if", bool(test), bool(test)))

    def _branch(self, before: _Block, word: str, piece: str) -> None:
        """Go on with another branch of a block that was closed for it."""
        read = not before.taken and before.word == "if"
        if read and word == "elif" and self._reads():
            test = self._test(piece.replace("elif", "if", 1) + "{% endif %}")
            self.branches |= test is UNKNOWN
            read = test is UNKNOWN or bool(test)
        self._open(_Block(before.word, read, before.taken or read))

    def _test(self, tag: str) -> object:
        node = tag_of(tag)
        return value_of(node.test, self.names) if isinstance(node, nodes.If) else UNKNOWN

    def _assign(self, piece: str) -> None:
        node = tag_of(piece)
        if isinstance(node, nodes.ExprStmt):
            value_of(node.node, self.names)
        elif isinstance(node, nodes.Assign):
            _bind(self.names, node.target, self._evaluated(node.node))

    def _open(self, block: _Block) -> None:
        self.blocks.append(block)
        self.left_out += not block.read

    def _close(self) -> _Block:
        block = self.blocks.pop()
        self.left_out -= not block.read
        return block

    # -- loops and macros

    def _loop(self, piece: str, at: int) -> int | None:
        """Read the body of a loop for each of its items; the piece behind it, None where nobody knows the items."""
        node = tag_of(piece + "{% endfor %}") if at in self.ends else None
        if not isinstance(node, nodes.For) or node.recursive:
            return None
        items = items_of(value_of(node.iter, self.names))
        if items is None or self.depth >= _DEEPEST:
            return None
        *branches, end = self.ends[at]
        body = branches[0] if branches else end
        outer, was_on_one_line = self.names, self.on_one_line
        if node.test is not None:
            items = [i for i in items if value_of(node.test, _with_item(outer, node.target, i)) not in (UNKNOWN, False)]
        self._append(_blank(piece))
        self.depth += 1
        for number, item in enumerate(items):
            self.names = _with_item(outer, node.target, item) | {"loop": _loop_of(number, len(items))}
            self._run(at + 1, body)
            self.on_one_line = True
        self.names, self.on_one_line = outer, was_on_one_line
        self.depth -= 1
        if not items:
            self._append(_blank(self.text[self.pieces[at + 1][1] : self.pieces[body][1]]))
            if branches:
                self._run(body + 1, end)
        elif branches:
            self._append(_blank(self.text[self.pieces[body][1] : self.pieces[end][1]]))
        self._append(_blank(self.text[self.pieces[end][1] : self.pieces[end][2]]))
        return end + 1

    def _define(self, piece: str, at: int) -> None:
        node = tag_of(piece + "{% endmacro %}")
        if isinstance(node, nodes.Macro):
            parameters = tuple(argument.name for argument in node.args)
            self.macros[node.name] = _Macro(parameters, tuple(node.defaults), at + 1, self.ends[at][-1])

    def _elsewhere(self, first: int, last: int, names: Mapping[str, object] | None = None) -> str:
        """What the pieces from one to before another make, on one line, with more names known."""
        kept = self.out, self.owed, self.quote, self.on_one_line, self.names, self.blocks
        self.out, self.owed, self.quote, self.on_one_line, self.blocks = [], "", "", True, []
        self.names = {**self.names, **(names or {})}
        self.depth += 1
        try:
            self._run(first, last)
            return "".join(self.out).strip()
        finally:
            self.depth -= 1
            self.left_out -= sum(not block.read for block in self.blocks)
            self.out, self.owed, self.quote, self.on_one_line, self.names, self.blocks = kept

    def _evaluated(self, node: nodes.Node | None) -> object:
        """The value of an expression, which may call one of the template's macros."""
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in self.macros:
            return self._expanded(self.macros[node.node.name], node)
        return value_of(node, self.names)

    def _expanded(self, macro: _Macro, call: nodes.Call) -> object:
        if self.depth >= _DEEPEST:
            return UNKNOWN
        optional = macro.parameters[len(macro.parameters) - len(macro.defaults) :]
        names: dict[str, object] = dict.fromkeys(macro.parameters, UNKNOWN)
        names |= {name: value_of(d, self.names) for name, d in zip(optional, macro.defaults, strict=True)}
        names |= dict(zip(macro.parameters, [value_of(a, self.names) for a in call.args], strict=False))
        names |= {pair.key: value_of(pair.value, self.names) for pair in call.kwargs}
        return self._elsewhere(macro.first, macro.last, names)

    # -- values

    def _value(self, tag: str, piece: str, end: int) -> str:
        """What stands in place of a tag that has a value."""
        inside = piece[len(tag) : -len(_CLOSES[tag])].strip(" -+\n\t")
        if tag == "{{":
            known = self._evaluated(tag_of(piece))
            shown = text_of(known)
            if shown is not None and not self.repeats and len(shown) > len(piece):
                shown = None
            if shown is not None and not (self.quote and isinstance(known, Relation)):
                self.relations |= isinstance(known, Relation)
                return shown
            if _LOOP.search(inside):
                return piece if self.quote else ""
        if self.quote:
            return piece
        before = "".join(part[-NEAR:] for part in self.out[-6:])[-NEAR:]
        if tag in ("%(", "%s") and _OPERAND_BEFORE.search(before) and not _WORD_BEFORE.search(before):
            return piece
        call = _CALL.fullmatch(inside) if tag == "{{" else None
        word = call[1] if call is not None else "%s" if tag == "%s" else inside
        named = _TEXTS.findall(call[2]) if call is not None and word in ("var", "env_var") else []
        what = named[0] if named else re.sub(r"^.*[.:]", "", word)
        self.unknown[what] = None
        return in_place(what, before, self.text[end : end + NEAR])


def _ends(text: str, pieces: list[tuple[str, int, int]]) -> dict[int, list[int]]:
    """Of every piece that opens a block: the pieces of its `else` and `elif`, if any, and of its end."""
    ends: dict[int, list[int]] = {}
    opened: list[tuple[str, int, list[int]]] = []
    for at, (tag, start, end) in enumerate(pieces):
        match = _BLOCK.fullmatch(text[start:end]) if tag == "{%" else None
        if match is None:
            continue
        word = match[1]
        if word in ("else", "elif"):
            if opened:
                opened[-1][2].append(at)
        elif word.startswith("end"):
            if opened and opened[-1][0] == word[3:]:
                _, begun, branches = opened.pop()
                ends[begun] = [*branches, at]
        elif word in _OPENING and not (word == "set" and "=" in match[2]):
            opened.append((word, at, []))
    return ends


def _bind(names: dict[str, object], target: nodes.Node, value: object) -> None:
    """Give what stands on the left of `=` or behind `for` its value."""
    match target:
        case nodes.Name(name=name):
            names[name] = value
        case nodes.NSRef(name=name, attr=attr) if isinstance(space := names.get(name), dict):
            space[attr] = value
        case nodes.Tuple(items=parts):
            given = items_of(value) or []
            for part, one in zip(parts, [*given, *[UNKNOWN] * len(parts)], strict=False):
                _bind(names, part, one)


def _with_item(names: Mapping[str, object], target: nodes.Node, item: object) -> dict[str, object]:
    inner = {**names}
    _bind(inner, target, item)
    return inner


def _loop_of(number: int, length: int) -> dict[str, object]:
    return {
        "index": number + 1, "index0": number, "first": number == 0, "last": number == length - 1, "length": length,
        "revindex": length - number, "revindex0": length - number - 1,
    }  # fmt: skip


_MARKS = re.compile(r"--|['\"`\n]")


def _quoted(quote: str, mark: str) -> str:
    """What is open behind a mark, by what was open before it."""
    if quote == "-":
        return "" if mark == "\n" else "-"
    if quote:
        return "" if mark == quote else quote
    return "" if mark == "\n" else "-" if mark == "--" else mark


def _on_one_line(piece: str, quote: str) -> str:
    """A piece of SQL without its comments and line breaks, which begins inside a quote or a comment, if any."""
    out, at = [], 0
    for found in _MARKS.finditer(piece):
        if quote != "-":
            out.append(piece[at : found.start()])
        after = _quoted(quote, found[0])
        at = found.end() if "-" in (quote, after) or found[0] == "\n" else found.start()
        out.append(" " if found[0] == "\n" else "")
        quote = after
    return "".join(out) + ("" if quote == "-" else piece[at:])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
