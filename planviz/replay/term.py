"""The terms that a text falls into, and what says that it cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Term:
    """A part of an expression: `kind` says how it is written, `start` and `end` where.

    Kinds and what `value` is: column (name, id, L), constant (the text), call (name), operator (symbol), not, minus,
    tilde, group, case (whether it has ELSE), if, cast (word, type), item, part (name), in, inset, like (word), alias
    (name, id, L), order (direction, nulls), subquery (label, id), lambda (name, id, L), python (name, id, L), window,
    spaced (operator). The value of a call `invoke` is that word, the object and its method.
    """

    kind: str
    start: int
    end: int
    value: tuple[str, ...] = ()
    children: tuple[Term, ...] = ()
    text: str = field(default="", repr=False)


class Unreadable(Exception):
    """No reading of a text was found."""


Reading = Iterator[Term]
Stops = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list, behind the one before it."""

    term: Term
    before: Item | None

    def listed(self) -> tuple[Term, ...]:
        """All items up to this one, in order."""
        found: list[Term] = []
        at: Item | None = self
        while at is not None:
            found.append(at.term)
            at = at.before
        return tuple(reversed(found))


def columns_in(term: Term) -> list[Term]:
    """The columns in a term, in the order of the text."""
    found: list[Term] = []
    stack = [term]
    while stack:
        top = stack.pop()
        if top.kind == "column":
            found.append(top)
        stack.extend(top.children)
    return sorted(found, key=lambda t: t.start)
