"""The nearest changes that would flip a decision: found by arithmetic, offered when planning anew confirms them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from planviz.decisions.choices import Decision
from planviz.decisions.flips import Flip
from planviz.document.alternatives.aggregate_flips import aggregate_candidates
from planviz.document.alternatives.join_flips import join_candidates
from planviz.document.alternatives.trials import Trials
from planviz.document.decisions.model import Decided
from planviz.execution import QueryExecution

#: By strategy, what might flip one of its decisions.
CANDIDATES: dict[str, Callable[[Decision, QueryExecution], Iterable[Flip]]] = {
    "JoinSelection": join_candidates,
    "Aggregation": aggregate_candidates,
}


#: How much work (see Trials) the flips of one query may take, unless one asks for more: ten seconds or so.
MOST_WORK = 40_000


def flips_of(decision: Decision, execution: QueryExecution) -> tuple[Flip, ...]:
    """The flips of a decision of a planned query; each was planned and gives what it says.

    The nearest come first, what is unsafe (a broadcast that Spark refuses, a product of large sides) comes last.

    Takes some milliseconds for each: it is for a decision that somebody looks at, not for every planning.
    """
    return _with_flips((decision,), execution, None)[0].flips


def with_flips(query: Decided, most: int | None = MOST_WORK) -> Decided:
    """The decisions with their flips; those of a pasted plan have none, for there is nothing to plan anew.

    Once trying took `most` work (see Trials) no more is tried (None: all is); each decision counts its `untried` ones.
    """
    execution = query.execution
    if execution is None:
        return query
    return replace(query, decisions=_with_flips(query.decisions, execution, most))


def _with_flips(decisions: tuple[Decision, ...], execution: QueryExecution, most: int | None) -> tuple[Decision, ...]:
    found = [(d, list(CANDIDATES[d.strategy](d, execution)) if d.strategy in CANDIDATES else []) for d in decisions]
    trials = Trials(execution, most)
    trials.run([(d, f) for d, flips in found for f in flips])
    return tuple(
        replace(
            d,
            flips=tuple(sorted([f for f in flips if id(f) in trials.confirmed], key=lambda f: f.rank)),
            untried=sum(id(f) in trials.left for f in flips),
        )
        for d, flips in found
    )
