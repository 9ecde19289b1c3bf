"""The joins of a document by number, as planned or as if something were otherwise."""

from __future__ import annotations

from planviz.decisions.choices import Decision
from planviz.document.alternatives.what_if import WhatIf, decided_if
from planviz.document.alternatives.what_if_text import to_text
from planviz.document.decisions.model import Decided
from planviz.document.decisions.queries import decided
from planviz.errors import InputError
from planviz.ui.opened import Opened

#: Plannings kept of one document, the newest.
_KEPT = 6


def queries_of(opened: Opened, asked: WhatIf | None = None, *, quick: bool = False) -> tuple[Decided, ...]:
    """The decisions on all joins of a document, as planned or as if; made once. Raises what planning raises."""
    key = ("joins", to_text(asked or WhatIf()), quick and bool(asked))
    if key not in opened.made:
        kept = [name for name in list(opened.made) if name[0] == "joins" and name[1]]
        for old in kept[: max(0, len(kept) - _KEPT)]:
            opened.made.pop(old, None)
        found = (
            decided(opened.document, opened.config) if not asked else decided_if(queries_of(opened), asked, quick=quick)
        )
        opened.made[key] = found
    made: tuple[Decided, ...] = opened.made[key]
    return made


def numbered_joins(queries: tuple[Decided, ...]) -> list[tuple[Decided, Decision]]:
    """The joins of queries one after the other, each with its query."""
    return [(query, decision) for query in queries for decision in query.of("JoinSelection")]


def numbered_all(opened: Opened) -> list[tuple[Decided, Decision]]:
    """Every join of a document as planned, in the order of the page's table."""
    return numbered_joins(queries_of(opened))


def numbered(opened: Opened, asked: WhatIf, join: int) -> tuple[Decided, Decision]:
    """The join of this number, from 0, as if `asked`. Raises InputError for no such join, and what planning raises."""
    found = numbered_joins(queries_of(opened, asked))
    if not 0 <= join < len(found):
        raise InputError(f"There is no join {join + 1}: there are {len(found)}.")
    return found[join]


def weight(decision: Decision) -> tuple[bool, bool, int]:
    """What ranks joins for who did not ask for one: those that pair all rows, that move both sides, then by bytes."""
    sizes = [size for size in decision.value("sizes") or () if isinstance(size, int)]
    outcome = decision.outcome
    return outcome.startswith("CartesianProduct"), not outcome.startswith("BroadcastHash"), sum(sizes)
