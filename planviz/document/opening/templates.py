"""SQL that a template makes, of dbt, Airflow, Databricks or Python, read as far as the text tells; nothing is executed.

    {{ ref('t') }}, {{ source('db', 't') }}    the table          {{ config(...) }}, {# ... #}    left out
    {% if ... %} A {% else %} B {% endif %}    A                  {% for x in ... %} A {% endfor %}    A, once
    {% macro ... %} A {% endmacro %}           left out           {% set x = 'a' %} ... {{ x }}    a
    {{ x }}, ${x}, {x}, %(x)s, %s              a name, a number or a condition in its place, as what stands around asks
    SET x = a; ... ${x}, ${hiveconf:x}         a, inside quotes, too

Inside quotes any other value stays as it is written: a text is a text. What is left out becomes blanks and what stands
in a place is filled up with them, so that lines stay lines and columns mostly columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from planviz.placeholders import NEAR, in_place

_CLOSES = {"{{": "}}", "{%": "%}", "{#": "#}", "${": "}", "%(": ")s", "%s": "", "{": "}"}
_OPENS = re.compile(r"\{\{|\{%|\{#|\$\{|%\(|%s\b|\{")
_FORMAT = re.compile(r"\{\w[\w.\[\]'\"]*(?:![rsa])?\}|\$\{[\w.:\- ]+\}|%\(\w+\)s|%s\b")
_CALL = re.compile(r"(\w+)\s*\((.*)\)", re.DOTALL)
_DEFAULT = re.compile(r",\s*(-?\d+(?:\.\d+)?|'[^']*')\s*$")
_TEXTS = re.compile(r"['\"]([^'\"]*)['\"]")
_BLOCK = re.compile(r"\{%[-+]?\s*(\w+)\s*(.*?)\s*[-+]?%\}", re.DOTALL)
_SET = re.compile(r"(\w+)\s*=\s*(['\"])([^'\"]*)\2$|(\w+)\s*=\s*(-?\d+(?:\.\d+)?)$")
#: A statement that gives `${name}` its value, as far as the line goes.
_SET_STATEMENT = re.compile(r"(?im)(?:^|;)[ \t]*SET[ \t]+([\w.\-]+(?::[\w.\-]+)?)[ \t]*=[ \t]*([^;\n]*)")
_LOOP = re.compile(r"\bloop\s*\.")
#: Where % is the operator.
_OPERAND_BEFORE = re.compile(r"[\w)\]'\"`]\s*$")
_WORD_BEFORE = re.compile(
    r"\b(?:select|distinct|from|join|where|and|or|on|by|limit|in|between|like|then|else|when|having|not|values|set)\s*$",
    re.IGNORECASE,
)
#: Blocks of which nothing is a part of the query; of others all is but the branches behind the first.
_NOT_OF_THE_QUERY = frozenset({"macro", "call", "filter", "test", "materialization", "docs"})
_OPENING = frozenset({"if", "for", "snapshot", "raw", "block", "with", *_NOT_OF_THE_QUERY})


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
    sql = reader.read()
    return Template(sql, tuple(reader.notes())) if sql != text else None


@dataclass
class _Reader:
    text: str
    out: list[str] = field(default_factory=list)
    blocks: list[tuple[str, bool]] = field(default_factory=list)  # the word of each open one, whether it is read
    left_out: int = 0  # how many of them are not read
    values: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    branches: bool = False
    loops: bool = False
    names: bool = False
    owed: str = ""  # blanks that a shorter value leaves, to come behind the word that it stands in
    given: dict[str, str] = field(default_factory=dict)  # what SET gave names so far
    quote: str = ""  # what the text so far has open: a quote, or "-" for a comment

    def read(self) -> str:
        """The whole text as SQL."""
        for tag, start, end in self._pieces():
            piece = self.text[start:end]
            if not tag:
                self.given |= {m[1].rpartition(":")[2]: m[2].strip() for m in _SET_STATEMENT.finditer(piece)}
                self._put(piece, piece)
            elif tag == "${" and self._reads() and (told := self.given.get(piece[2:-1].rpartition(":")[2])) is not None:
                # As it is: blanks behind it would be a part of a text.
                self._follow_quotes(told)
                self.out.append(told)
            elif tag == "{%":
                self._block(piece)
                self.out.append(_blank(piece))
            elif tag == "{#" or not self._reads():
                self.out.append(_blank(piece))
            else:
                self._put(piece, self._value(tag, piece, end))
        return "".join([*self.out, self.owed])

    def notes(self) -> Iterator[str]:
        """What is to be said of the reading."""
        if self.names:
            yield "Taken off before reading: dbt's braces around names."
        if self.branches:
            yield "Of the template's branches ({% if %}) the first is read."
        if self.loops:
            yield "The body of the template's loop ({% for %}) is read once."
        if self.unknown:
            shown = ", ".join([*self.unknown][:8])
            yield f"Values that the text does not tell ({shown}) stand as names, as 1 or as true in the query."

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
            self.out.append(_blank(written))
            return
        self._follow_quotes(made)
        if made is not written:
            self.owed += _blank(written[len(made) :])
            self.out.append(made)
        elif self.owed and (blank := re.search(r"[^\w.`]|$", made)):
            # Behind the word that the value is a part of: `{{ x }}_amount`.
            self.out += [made[: blank.start()], self.owed, made[blank.start() :]]
            self.owed = ""
        else:
            self.out.append(made)

    def _reads(self) -> bool:
        return not self.left_out

    def _follow_quotes(self, piece: str) -> None:
        for found in re.finditer(r"--|['\"`\n]", piece):
            mark = found[0]
            if self.quote == "-":
                self.quote = "" if mark == "\n" else "-"
            elif self.quote:
                self.quote = "" if mark == self.quote else self.quote
            elif mark != "\n":
                self.quote = "-" if mark == "--" else mark

    def _block(self, piece: str) -> None:
        match = _BLOCK.fullmatch(piece)
        if match is None:
            return
        word, rest = match[1], match[2]
        if word in ("else", "elif"):
            if self.blocks and self.blocks[-1][0] == "if":
                self._close()
                self._open("if", False)
                self.branches = True
        elif word.startswith("end"):
            if self.blocks and self.blocks[-1][0] == word[3:]:
                self._close()
        elif word == "set" and "=" in rest:
            if found := _SET.match(rest):
                self.values[found[1] or found[4]] = found[3] if found[1] else found[5]
        elif word == "set":
            self._open("set", False)
        elif word in _OPENING:
            last_of_loop = word == "if" and _LOOP.search(rest) is not None
            self._open(word, word not in _NOT_OF_THE_QUERY and not last_of_loop)
            self.branches |= word == "if" and not last_of_loop
            self.loops |= word == "for"

    def _open(self, word: str, read: bool) -> None:
        self.blocks.append((word, read))
        self.left_out += not read

    def _close(self) -> None:
        _, read = self.blocks.pop()
        self.left_out -= not read

    def _value(self, tag: str, piece: str, end: int) -> str:
        """What stands in place of a tag that has a value."""
        if self.quote:
            return piece
        inside = piece[len(tag) : -len(_CLOSES[tag])].strip(" -+\n\t")
        call = _CALL.fullmatch(inside) if tag == "{{" else None
        given = _TEXTS.findall(call[2]) if call is not None else []
        word = call[1] if call is not None else inside
        if call is not None and word in ("ref", "source") and given:
            self.names = True
            return given[-1] if word == "ref" else ".".join(given)
        if (call is not None and word == "config") or _LOOP.search(inside):
            return ""
        if inside in self.values:
            return self.values[inside]
        if word == "var" and call is not None and (default := _DEFAULT.search(call[2])):
            return default[1]
        before = "".join(self.out[-6:])[-NEAR:]
        if tag in ("%(", "%s") and _OPERAND_BEFORE.search(before) and not _WORD_BEFORE.search(before):
            return piece
        if tag == "%s":
            word = "%s"
        what = given[0] if call is not None and word in ("var", "env_var") and given else re.sub(r"^.*[.:]", "", word)
        self.unknown[what] = None
        return in_place(what, before, self.text[end : end + NEAR])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
