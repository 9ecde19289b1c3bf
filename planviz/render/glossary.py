"""The words of planviz and what they mean: docs/glossary.md, which travels with the package, read once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_TERM = re.compile(r"^## ([^(\n]+?)(?: \(([^)\n]*)\))?\n((?:(?!#).*\n?)*)", re.MULTILINE)
_CHAPTER = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Term:
    """A term with its other names, what it means, and the chapter that it stands in."""

    name: str
    also: tuple[str, ...]
    meaning: str
    chapter: str


@cache
def terms() -> tuple[Term, ...]:
    """Every term, in the order of the file."""
    text = files("planviz.render").joinpath("glossary.md").read_text("utf-8")
    chapters = [(found.start(), found[1]) for found in _CHAPTER.finditer(text)]
    return tuple(
        Term(
            found[1],
            tuple(name.strip() for name in (found[2] or "").split(",") if name.strip()),
            " ".join(found[3].split()),
            [name for start, name in chapters if start < found.start()][-1],
        )
        for found in _TERM.finditer(text)
    )


@cache
def meanings() -> dict[str, str]:
    """What every name of a term means, by the name in small letters."""
    return {name.lower(): term.meaning for term in terms() for name in (term.name, *term.also)}


def meaning(name: str) -> str:
    """What a term means, in whatever letters. Raises KeyError for a term that the glossary does not have."""
    return meanings()[name.lower()]
