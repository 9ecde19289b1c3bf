"""Texts in a reader's language: the catalogues of messages, and the search for a text among them.

Everything in planviz says what it says in English, and nothing between the engine and the screen knows of languages.
The last step does: in the browser `render/web/language.js`, for what Streamlit draws `Texts`. Both look a text
up in `planviz/locale/<locale>/LC_MESSAGES/planviz.po`, a gettext catalogue that `python -m tools.texts` keeps in step
with the code (docs/decisions/0010-languages.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

#: Languages beside English, by their names in addresses: the folder of the catalogue, and what they call themselves.
LANGUAGES = {"zh": ("zh_CN", "中文")}

#: The ending of a plural, which other languages may leave out.
_PLURAL = "{s}"
_PLACEHOLDER = re.compile(r"\{\w+\}")
_WORD = re.compile(r"[A-Za-z]+")
_SPACE = re.compile(r"\s+")
#: Letters: a pattern with fewer takes no sentence as a value, or it would take any text; with fewer still no word.
_SHORT, _FEW = 12, 6
#: "{first} to {last}" is about numbers alone.
_TINY = 3
#: What texts are put together with, and what that is in the other language.
_STRONG, _WEAK = ("\n", " · ", ". ", "; "), (" — ", ": ", ", ")
#: What stands behind a title or a name, whatever it holds itself.
_LEADS = frozenset((" — ", ": "))
_JOINED = {". ": "", "; ": "；", ": ": "：", ", ": "，"}
_DEEPEST = 4
#: Letters of a text that is looked up, and texts whose answers are kept: patterns try many ways to part a long one.
_LONGEST, _KEPT = 1_500, 20_000
_PLAIN = re.compile(r"\S*(?:, \S+)*")
#: How the name of a value begins that is a piece of a plan, whatever it holds, and how those do that may be names.
_CODE = "{code"
_NAMES = ("{code", "{name", "{table", "{relation", "{column", "{scan", "{short", "{key", "{node")
_ONE_NAME = re.compile(r"[\w.]+")
#: Names of values that are counts, and what those look like: "{n} Sort" is no name of an operator.
_COUNTS = frozenset(("{n}", "{m}"))
_COUNT = re.compile(r"[^A-Za-z]*\d[^A-Za-z]*[KMGTB]?")
#: Operators are called so, "Sort Merge": only a message of just these words is about them.
_NAME = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)+")
#: A full stop that follows a value.
_STOP = re.compile(r"([\u4e00-\u9fff][^.]*(?:\.\d+[^.]*)*)\.$")
_WORDS = re.compile(r"[a-z]+(?:[-, ]+[a-z]+)*")
#: A plain word that is no part of a name.
_ENGLISH = re.compile(r"(?<![\w.`'\"])[a-z]{2,}(?![\w.(=`'\"])", re.ASCII)


@dataclass(frozen=True)
class Message:
    """A text of planviz, what it is in the other language ("" for not translated yet), and where it is written.

    `note` says why a message is there that no single string of the code is.
    """

    english: str
    other: str = ""
    places: tuple[str, ...] = ()
    note: str = ""


def read_catalogue(source: str) -> dict[str, Message]:
    """The messages of a gettext catalogue's text by their English, in their order, without its head."""
    found: dict[str, Message] = {}
    for block in source.split("\n\n"):
        told = {"#: ": [], "#. ": [], "msgid ": [], "msgstr ": []}  # type: dict[str, list[str]]
        at = ""
        for line in block.splitlines():
            kind, rest = next(((k, line[len(k) :]) for k in told if line.startswith(k)), ("", line))
            at = kind or at
            if at and (kind or line.startswith('"')):
                told[at].append(rest)
        english = "".join(map(json.loads, told["msgid "]))
        if english:
            other = "".join(map(json.loads, told["msgstr "]))
            found[english] = Message(english, other, tuple(told["#: "]), " ".join(told["#. "]))
    return found


@cache
def messages(language: str) -> Mapping[str, Message]:
    """The messages of a language of `LANGUAGES`, read once. Raises KeyError for another."""
    file = files("planviz") / "locale" / LANGUAGES[language][0] / "LC_MESSAGES" / "planviz.po"
    return read_catalogue(file.read_text("utf-8"))


@cache
def translations(language: str, places: tuple[str, ...] = ("",)) -> Mapping[str, str]:
    """English to the other language, of what is written in files whose paths begin with one of `places`."""
    return {
        message.english: message.other
        for message in messages(language).values()
        if message.other and (message.note or any(place.startswith(places) for place in message.places))
    }


@cache
def texts(language: str) -> Texts:
    """The texts of a language; those of English, or of one that there is none of, stay as they are."""
    return Texts(translations(language) if language in LANGUAGES else {})


@dataclass(frozen=True)
class _Pattern:
    """A message with values: what stands before, between and behind them, `parts`, one more than `names`."""

    parts: tuple[re.Pattern[str], ...]
    names: tuple[str, ...]
    other: str
    letters: int
    counts: int

    def values(self, words: str) -> list[str] | None:
        """The values in a text that reads like the message, each as short as it may be; None for another text.

        One look for each part: a single expression for all of it would try every way to part a text that repeats.
        """
        found, at = [], 0
        for number, part in enumerate(self.parts):
            there = part.search(words, at) if number else part.match(words)
            if there is None:
                return None
            if number:
                found.append(words[at : there.start()])
            at = there.end()
        numbers = all(_COUNT.fullmatch(v) for v, name in zip(found, self.names, strict=True) if name in _COUNTS)
        return found if numbers else None


class Texts:
    """Looks texts up among messages, as `Texts` of render/web/language.js does.

    A message may have values, "{rows} rows": it is then a pattern, and what stands at a value is looked up by itself.
    """

    def __init__(self, told: Mapping[str, str]) -> None:
        """`told` has the messages, English to the other language."""
        self._exact: dict[str, str] = {}
        self._found: dict[tuple[bool, str], str | None] = {}
        self._patterns: dict[str, list[_Pattern]] = {}
        for english, other in told.items():
            if english[0] in ",;:":  # goes on behind another text
                self._add(f"{{head}}{english}", f"{{head}}{other}")
            elif _PLACEHOLDER.search(english):
                self._add(english, other)
            else:
                self._exact[english] = other

    def _add(self, english: str, other: str) -> None:
        literal = _PLACEHOLDER.split(english)
        letters = sum(map(len, _WORD.findall(" ".join(literal))))
        if not letters:
            return
        longest = max(_whole_words(literal), key=len, default="")
        written = [re.escape(literal[0])]
        values = []
        for name, part in zip(_PLACEHOLDER.findall(english), literal[1:], strict=True):
            if name == _PLURAL:
                written[-1] += f"s?{re.escape(part)}"
            else:
                values.append(name)
                written.append(re.escape(part))
        parts = tuple(re.compile(part) for part in (*written[:-1], rf"{written[-1]}\Z"))
        pattern = _Pattern(parts, tuple(values), other, letters, sum(name in _COUNTS for name in values))
        self._patterns.setdefault(longest, []).append(pattern)

    def told(self, text: str) -> str:
        """A text in the other language; what is no message stays as it is."""
        found = self._told(text, 0)
        return text if found is None else found

    def _told(self, text: str, depth: int) -> str | None:
        words = text.strip()
        if depth > _DEEPEST or len(words) > _LONGEST or not _WORD.search(words):
            return None
        known = (depth > 0, words)  # a value is told of more strictly than a text
        if known not in self._found:
            if len(self._found) >= _KEPT:
                self._found.clear()
            self._found[known] = self._looked(words, depth)
        found = self._found[known]
        return None if found is None else text.replace(words, _STOP.sub(r"\1。", found), 1)

    def _looked(self, words: str, depth: int) -> str | None:
        return (
            self._exact.get(words)
            or self._exact.get(_SPACE.sub(" ", words))
            or self._matched(words, depth, short=False)
            or self._pieces(words, depth, _STRONG)
            or self._matched(words, depth, short=True)
            or self._pieces(words, depth, _WEAK)
        )

    def _matched(self, words: str, depth: int, *, short: bool) -> str | None:
        if _NAME.fullmatch(words):
            return None
        keys = dict.fromkeys(("", *_WORD.findall(words)))
        there = [p for key in keys for p in self._patterns.get(key, ()) if (p.letters < _SHORT) is short]
        for pattern in sorted(there, key=lambda pattern: (-pattern.letters, -pattern.counts)):
            found = pattern.values(words)
            if found is None or (pattern.letters < _TINY and any(map(_ENGLISH.search, found))):
                continue
            told = [self._value(v, n, pattern, depth) for v, n in zip(found, pattern.names, strict=True)]
            values = {name: value for name, value in zip(pattern.names, told, strict=True) if value is not None}
            if told and None not in told:
                return _filled(pattern.other, values)
        return None

    def _value(self, text: str, name: str, pattern: _Pattern, depth: int) -> str | None:
        """A value in the other language; as it is, where the pattern may take it so, else None."""
        own = name.startswith(_NAMES) and _ONE_NAME.fullmatch(text)
        found = None if own else self._told(text, depth + 1)
        if found is None:
            return text if own or _fits(text, name, pattern.letters) else None
        return found.strip()

    def _pieces(self, words: str, depth: int, separators: tuple[str, ...]) -> str | None:
        """Sentences and lists, each piece by itself: of a text one of them has to be a message, of a value and between
        weak separators all."""
        for separator in separators:
            parts = words.split(separator, 1 if separator in _LEADS else -1)
            last = len(parts) - 1
            if not last:
                continue
            told = [self._piece(part, at < last and separator == ". ", depth) for at, part in enumerate(parts)]
            if not any(told):
                continue
            whole = all(found or not _ENGLISH.search(part) for part, found in zip(parts, told, strict=True))
            if whole or not (depth or separators is _WEAK):
                ends = [f"{part}. " if separator == ". " and at < last else part for at, part in enumerate(parts)]
                return _JOINED.get(separator, separator).join(f or e for f, e in zip(told, ends, strict=True))
        return None

    def _piece(self, part: str, ended: bool, depth: int) -> str | None:
        """A sentence may be a message with its full stop, or without."""
        if not ended:
            return self._told(part, depth + 1)
        told = self._told(f"{part}.", depth + 1) or self._told(part, depth + 1)
        return told if told is None or told[-1] in "。.？！" else f"{told}。"


def _filled(other: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda name: values.get(name[0], name[0]), other)


def _fits(value: str, name: str, letters: int) -> bool:
    """Whether a value of this name may stay as it is in a pattern with so many letters; one called code always may."""
    if letters >= _SHORT or name.startswith(_CODE) or not _ENGLISH.search(value):
        return True
    return bool(_PLAIN.fullmatch(value)) and not (letters < _FEW and _WORDS.fullmatch(value))


def _whole_words(literal: list[str]) -> Iterator[str]:
    """Words that no value can be a part of: "row{s}" may stand for "rows"."""
    for at, part in enumerate(literal):
        inner = re.sub(r"^[A-Za-z]+", "", part) if at else part
        yield from _WORD.findall(re.sub(r"[A-Za-z]+$", "", inner) if at < len(literal) - 1 else inner)
