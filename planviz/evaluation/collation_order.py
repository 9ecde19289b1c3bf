"""The order of texts under a collation.

UTF8_LCASE is computed for all texts; the collations of ICU for letters and digits of the Latin script and spaces, in
the order of the root locale, which locales that order letters in ways of their own do not follow.
"""

from __future__ import annotations

import unicodedata

from planviz.evaluation.errors import UnknownValueError

#: Locales that order the letters of the Latin script as the root does.
_LIKE_ROOT = frozenset(("UNICODE", "de", "en", "en_USA", "fr", "id", "it", "nl", "pt"))


def order_key(text: str, collation: str) -> tuple[object, ...]:
    """What texts are compared by under a collation. Raises UnknownValueError where it is not computed here."""
    base, *marks = collation.split("_")
    if "RTRIM" in marks:
        text = text.rstrip(" ")
    if base == "UTF8":
        return (_lower(text) if "LCASE" in marks else text.encode(),)
    locale = "_".join([base, *(m for m in marks if m not in ("CI", "AI", "RTRIM"))])
    if locale not in _LIKE_ROOT:
        raise UnknownValueError(collation)
    levels = [_weights(c, collation) for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)]
    accents = () if "AI" in marks else _accents(text)
    cases = () if "CI" in marks else tuple([upper for _, upper in levels])
    return (tuple([letter for letter, _ in levels]), accents, cases)


def _lower(text: str) -> bytes:
    return text.lower().encode()


def _weights(c: str, collation: str) -> tuple[tuple[int, str], bool]:
    """A letter's place in the alphabet, behind digits and spaces, and whether it is a capital."""
    if c == " ":
        return (0, c), False
    if c.isascii() and c.isalnum():
        return (1 if c.isdigit() else 2, c.lower()), c.isupper()
    raise UnknownValueError(collation)


def _accents(text: str) -> tuple[str, ...]:
    """The accents behind every letter."""
    found: list[str] = []
    for c in unicodedata.normalize("NFD", text):
        if unicodedata.combining(c):
            found[-1] += c
        else:
            found.append("")
    return tuple(found)
