"""Plannings in which flips of one query are tried: each change is planned once, whichever decisions it is for.

A setting or a table's size often flips many joins; it is planned once for all of them. Hints say something of one join
each, so that those of different joins are planned together, at most one for each place of joins. What such a planning
does not confirm, or where the hints together move the joins to other places, is planned alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from planviz.decisions.choices import Decision
from planviz.decisions.flips import Change, Flip, TextChange
from planviz.document.alternatives.replanning import Place, PlannedDecisions, applied, gives
from planviz.errors import PlanvizError
from planviz.execution import QueryExecution

Changes = tuple[Change, ...]
#: A decision and a flip that it might have.
Candidate = tuple[Decision, Flip]


class Trials:
    """Tries flips of a query's decisions by planning it anew; none any more once that took `most` work.

    A planning is as much work as the optimized plan has operators, and one more for sixteen columns that pass them.

    `most` is None where all that is asked is tried. `confirmed` are the candidates that give what they promise, by the
    identity of their flips; `left` those that were not tried.
    """

    def __init__(self, execution: QueryExecution, most: int | None = None) -> None:
        self.execution = execution
        self.most = most
        self.work = 0.0
        self.plannings = 0
        self.confirmed: set[int] = set()
        self.left: set[int] = set()
        self._base = PlannedDecisions(execution)
        self._weight = sum(1 + len(operator.output) / 16 for operator in execution.optimized.walk())

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Try these candidates, first what serves the most decisions."""
        shared: dict[Changes, list[Candidate]] = {}
        for decision, flip in candidates:
            shared.setdefault(flip.changes, []).append((decision, flip))
        groups = sorted(shared.values(), key=_order)
        hints = [g for g in groups if g[0][1].kind == "hint"]
        for group in [g for g in groups if g[0][1].kind != "hint"]:
            self._try(group[0][1].changes, group)
        alone: list[list[Candidate]] = []
        for together in self._rounds(hints):
            if len(together) > 1:
                self._try(_joined(together), [c for group in together for c in group], in_place=True)
            alone += [g for g in together if any(id(f) not in self.confirmed for _, f in g)]
        for group in sorted(alone, key=_order):
            self._try(group[0][1].changes, group)

    def _try(self, changes: Changes, candidates: Sequence[Candidate], in_place: bool = False) -> None:
        """Plan with the changes and note what they confirm; with `in_place` nothing where decisions change places."""
        if self.most is not None and self.work >= self.most:
            self.left.update(id(f) for _, f in candidates if id(f) not in self.confirmed)
            return
        self.plannings += 1
        self.work += self._weight
        try:
            after = PlannedDecisions(applied(self.execution, changes), changes)
        except PlanvizError:
            return
        if in_place and after.places != self._base.places:
            return
        for decision, flip in candidates:
            if gives(flip, decision, after.of(decision, self._base)):
                self.confirmed.add(id(flip))

    def _rounds(self, groups: list[list[Candidate]]) -> list[list[list[Candidate]]]:
        """The groups put together so that no round has two for one place, nor edits that meet in the text."""
        rounds: list[tuple[list[list[Candidate]], set[Place | None], list[TextChange]]] = []
        for group in groups:
            places = {self._base.place(d) for d, _ in group}
            edits = [c for c in group[0][1].changes if isinstance(c, TextChange)]
            for taken, busy, made in rounds:
                if not busy & places and not any(_meet(a, b) for a in edits for b in made):
                    taken.append(group)
                    busy |= places
                    made += edits
                    break
            else:
                rounds.append(([group], places, edits))
        return [taken for taken, _, _ in rounds]


def _order(group: list[Candidate]) -> tuple[bool, int, float]:
    """What to sort groups by: what is safe first, then what serves most decisions, then the nearest."""
    unsafe, distance = min(f.rank for _, f in group)
    return unsafe, -len(group), distance


def _meet(one: TextChange, other: TextChange) -> bool:
    """Whether two edits touch the same characters; insertions at one place follow one another."""
    if one.start == one.end and other.start == other.end:
        return False
    return one.start <= other.end and other.start <= one.end


def _joined(groups: list[list[Candidate]]) -> Changes:
    """The edits of a round, from the end of the text to its beginning, so that none moves another."""
    edits = {c for group in groups for c in group[0][1].changes if isinstance(c, TextChange)}
    return tuple(sorted(edits, key=lambda e: (e.start, e.text), reverse=True))
