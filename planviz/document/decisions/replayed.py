"""Which of a pasted plan's joins a replay's decisions are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from planviz.document.decisions.adaptive import join_line, planned_joins
from planviz.document.decisions.model import Decided
from planviz.document.model import Document
from planviz.logical.plan import LogicalPlan
from planviz.replay.wanted import signature_of


def replayed_joins(document: Document, plan: int, queries: Iterable[Decided]) -> Mapping[int, LogicalPlan]:
    """The joins of a pasted physical plan by id, each with the join that the replay of its query decided on.

    That is the one with the same keys and type; of several such joins the first with the first. A join that ran
    otherwise than it was planned has the one that was planned.
    """
    subjects: dict[str, list[LogicalPlan]] = defaultdict(list)
    for query in queries:
        if query.statement is not None and plan in document.statements[query.statement].plans:
            for decision in query.of("JoinSelection"):
                subjects[signature_of(decision.subject)[0]].append(decision.subject)
    before = planned_joins(document, plan)
    found: dict[int, LogicalPlan] = {}
    for node in document.plans[plan]:
        if node.kind == "join" and (left := subjects.get(join_line(before.get(node.id, node)))):
            found[node.id] = left.pop(0) if len(left) > 1 else left[0]
    return found
