"""Which of a pasted plan's joins a replay's decisions are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from planviz.document.decisions.adaptive import signature
from planviz.document.decisions.model import Decided
from planviz.document.model import Document
from planviz.logical.plan import LogicalPlan


def replayed_joins(document: Document, plan: int, queries: Iterable[Decided]) -> Mapping[int, LogicalPlan]:
    """The joins of a pasted physical plan by id, each with the join that the replay of its query decided on.

    That is the one with the same signature; of several such joins the first with the first.
    """
    subjects: dict[str, list[LogicalPlan]] = defaultdict(list)
    for query in queries:
        if query.statement is not None and plan in document.statements[query.statement].plans:
            for decision in query.of("JoinSelection"):
                subjects[signature(decision.subject)].append(decision.subject)
    found: dict[int, LogicalPlan] = {}
    for node in document.plans[plan]:
        if node.kind == "join" and (left := subjects.get(signature(node))):
            found[node.id] = left.pop(0) if len(left) > 1 else left[0]
    return found
