"""The nearest changes that would flip a decision: found by arithmetic, offered when planning anew confirms them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from planviz.decisions.choices import Decision
from planviz.decisions.flips import Flip
from planviz.document.alternatives.aggregate_flips import aggregate_candidates
from planviz.document.alternatives.join_flips import join_candidates
from planviz.document.alternatives.replanning import confirmed
from planviz.document.decisions.model import Decided
from planviz.execution import QueryExecution

#: By strategy, what might flip one of its decisions.
CANDIDATES: dict[str, Callable[[Decision, QueryExecution], Iterable[Flip]]] = {
    "JoinSelection": join_candidates,
    "Aggregation": aggregate_candidates,
}


def flips_of(decision: Decision, execution: QueryExecution) -> tuple[Flip, ...]:
    """The flips of a decision of a planned query; each was planned and gives what it says.

    The nearest come first, what is unsafe (a broadcast that Spark refuses, a product of large sides) comes last.

    Takes some milliseconds for each: it is for a decision that somebody looks at, not for every planning.
    """
    candidates = CANDIDATES.get(decision.strategy)
    if candidates is None:
        return ()
    kept = [f for f in candidates(decision, execution) if confirmed(decision, execution, f)]
    return tuple(sorted(kept, key=lambda f: f.rank))


def with_flips(query: Decided) -> Decided:
    """The decisions with their flips; those of a pasted plan have none, for there is nothing to plan anew."""
    execution = query.execution
    if execution is None:
        return query
    return replace(query, decisions=tuple([replace(d, flips=flips_of(d, execution)) for d in query.decisions]))
