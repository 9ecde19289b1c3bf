"""The decisions on one query, and which plans of a pasted text they are read off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.decisions.choices import Decision

if TYPE_CHECKING:
    from planviz.document.model import Document
    from planviz.execution import QueryExecution

#: What stands for the size of a side of which nothing follows from what was printed.
UNTOLD = "not told"


@dataclass(frozen=True)
class Decided:
    """The decisions on one query, in the order in which the planner took them: the topmost operator's first.

    `statement` is the statement's index in the document, None for a pasted plan, whose index in the document `plan`
    then is. `execution` is the query behind it, None for a pasted plan: its decisions are read back from the text as
    far as that allows, checks of which it says nothing have no answer, and there are no flips. A pasted explain that
    was replayed has both a statement and an execution; `taken` are the signatures of joins taken from its text.
    """

    decisions: tuple[Decision, ...]
    statement: int | None = None
    plan: int | None = None
    execution: QueryExecution | None = None
    profile: str = "spark-4.3"
    taken: frozenset[str] = frozenset()
    #: Whether these are of the plan that fills a cache, which the query only reads.
    fills_cache: bool = False

    def of(self, strategy: str) -> tuple[Decision, ...]:
        """Those of one strategy: JoinSelection or Aggregation."""
        return tuple([d for d in self.decisions if d.strategy == strategy])


def from_text(document: Document, kind: str) -> set[int]:
    """The physical plans of a pasted text whose joins (aggregates) no replayed statement shows, by index."""
    left = {i for i, p in enumerate(document.plans) if p.stage in ("physical", "initial")}
    return left.difference(*(s.plans for s in document.statements if kind in s.agrees))
