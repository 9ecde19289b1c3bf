"""SQL texts with values in them that the program's text does not tell: `SELECT ... FROM <env>.orders LIMIT <n>`."""

from __future__ import annotations

import re

from planviz.errors import ParseError
from planviz.frontend import parse_script
from planviz.placeholders import NEAR, in_place, name_of

_ONLY_UNKNOWN = re.compile(r"\s*<[^<>]{1,80}>\s*;?\s*")
_TYPED = re.compile(r"\b(date|timestamp)\s*'([^'\n]*<[A-Za-z_][^<>'\n]{0,70}>[^'\n]*)'", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"<([A-Za-z_][^<>\n]{0,70})>")


def filled(text: str) -> str:
    """The text with names and numbers in place of what nobody knows, where it cannot be read as it stands."""
    if not _PLACEHOLDER.search(text):
        return text
    # No date can be written that nobody knows.
    text = _TYPED.sub(r"CAST('\2' AS \1)", text)
    if _reads(text):
        return text
    kept = _in_places(text, True)
    return kept if _reads(kept) else _in_places(text, False)


def _in_places(text: str, keep: bool) -> str:
    """Names and numbers for what nobody knows; inside quotes its own text where that is kept, else a name."""
    made: list[str] = []
    end = 0
    quotes = _Quotes()
    for found in _PLACEHOLDER.finditer(text):
        start = found.start()
        quotes.follow(text[end:start])
        made.append(text[end:start])
        around = text[max(0, start - NEAR) : start], text[found.end() : found.end() + NEAR]
        inside = found[0] if keep else name_of(found[1])
        made.append(inside if quotes.open else in_place(found[1], *around))
        end = found.end()
    made.append(text[end:])
    return "".join(made)


def placeholder_names(text: str) -> set[str]:
    """The names that `filled` puts in place of what nobody knows."""
    return {name_of(found[1]) for found in _PLACEHOLDER.finditer(text)}


def untold_part(text: str) -> str:
    """The first part of a text that stands for a value that nobody knows, empty where all of it is told."""
    found = _PLACEHOLDER.search(text)
    return "" if found is None else found[0]


def only_unknown(text: str) -> bool:
    """Whether nothing of a text is known."""
    return _ONLY_UNKNOWN.fullmatch(text) is not None


def filled_part(text: str, before: str) -> str:
    """The same for a part of a query: a condition behind `SELECT * FROM t WHERE `, an expression behind `SELECT `."""
    return filled(before + text)[len(before) :]


def filled_duration(text: str, longest: bool) -> str:
    """A duration with a number in place of one that nobody knows: a large one where others must not be longer."""
    whole, number = ("1 hour", "60") if longest else ("1 minute", "1")
    return whole if _PLACEHOLDER.fullmatch(text.strip()) else _PLACEHOLDER.sub(number, text)


class _Quotes:
    """Whether a text ends inside quotes, told piece by piece."""

    def __init__(self) -> None:
        self.open = ""

    def follow(self, piece: str) -> None:
        """Go on with the next piece."""
        for c in re.findall("['\"]", piece):
            self.open = ("" if c == self.open else self.open) if self.open else c


def _reads(text: str) -> bool:
    try:
        parse_script(text)
    except ParseError:
        return False
    except RecursionError:
        return True
    return True
