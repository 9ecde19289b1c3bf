"""A pasted text's plans replayed: every explain in it by itself, and the document that all pages then show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from planviz.document.comparison.replays import badge
from planviz.document.model import Document, SqlStatement
from planviz.document.rules.traces import plan_graph, rule_trace
from planviz.errors import PlanvizError
from planviz.estimation import explain_estimates
from planviz.execution import QueryExecution
from planviz.expressions.subqueries import QueryPlan
from planviz.graph import PlanGraph
from planviz.graph.aggregation import aggregate_chains
from planviz.graph.from_tree import Identities
from planviz.graph.kinds import kind_of
from planviz.graph.planned import lists_once, planned
from planviz.graph.trace import RuleTrace
from planviz.physical.printed import PrintedExec
from planviz.replay.compared import canonical
from planviz.replay.execution import execution_of
from planviz.replay.given import Given, with_logged
from planviz.replay.lifting.lines import line_of
from planviz.replay.older import in_newer_words
from planviz.replay.opaque import OpaqueExpression
from planviz.replay.plans import columns_in
from planviz.replay.replayed import replay
from planviz.replay.result import Replay
from planviz.trees.collector import collector_at_rest

#: Operators of all plans of a text that are replayed while somebody waits for a page: 2,000 in each of four stages.
MOST = 8000
_READ = frozenset({"analyzed", "optimized", "physical", "initial"})
#: What one form of a text tells of an operator and another does not.
_FLAGS = re.compile(r"(, (?:true|false))+$")
_OUTPUT = re.compile(r", output=\[.*\]")
_JOINS = ("BroadcastHashJoin", "ShuffledHashJoin", "SortMergeJoin", "CartesianProduct", "BroadcastNestedLoopJoin")


def replays(document: Document, said: Given | None = None) -> list[Replay]:
    """One replay for every explain of a text that has a plan to start from, in the order of the text."""
    return [_replayed(document, [document.plans[i] for i in group], said)[0] for group in document.groups]


def not_replayed(document: Document, most: int = MOST) -> str:
    """Why a page cannot show a pasted text's plans replayed, and what to do; of a text for which `replayed` gave
    nothing."""
    operators = sum(map(len, document.plans))
    if operators > most:
        return (
            f"Not replayed: {operators:,} operators, and a page waits for {most:,} at most. Paste one query's explain, "
            "or run `planviz why FILE`, which has no such limit."
        )
    return "Not replayed: planviz cannot read all of the plan. `planviz replay FILE` says what it lacks."


def replayed(document: Document, said: Given | None = None, most: int | None = None) -> Document | None:
    """A pasted text as the document of the queries that its explains were printed of, replayed.

    Every explain whose logical plans can be planned again becomes a statement with an execution: its optimized plan is
    the one that Spark printed. `SqlStatement.replay` tells what was found, and `agrees` which of Spark's decisions came
    out as printed. Plans, text and notes stay those of the text. `said` counts before what is found. None where nothing
    can be replayed, or the text has more than `most` operators (None: any number).
    """
    if document.statements or (most is not None and sum(map(len, document.plans)) > most):
        return None
    logged = bool(document.trace.steps)  # Spark's own steps are shown, not ours
    statements: list[SqlStatement] = []
    for group in document.groups:
        plans = [document.plans[i] for i in group]
        if not _READ & {p.stage for p in plans}:
            continue
        made, execution = _replayed(document, plans, said)
        stepped = made.verdicts["optimized"] != "absent" and not logged
        trace = rule_trace(made.trace, Identities()) if stepped else RuleTrace()
        if execution is None and not trace.steps:
            continue
        agrees: frozenset[str] = frozenset()
        try:
            agrees = frozenset(_agreeing(execution, plans))
            if execution is not None:
                _ = list(explain_estimates(execution.optimized, execution.config))
        except Exception:  # a plan that was read back may lack what planning takes for granted
            agrees, execution = frozenset(), None
        if execution is not None and not logged and made.verdicts["physical"] in ("equal", "shape"):
            trace = rule_trace(made.trace, Identities())  # with what the planner and its preparations did meanwhile
        line = min((n.source[0] for p in plans for n in p if n.source is not None), default=1)
        statements.append(SqlStatement(len(statements), "query", "", line, group, trace, None, execution, made, agrees))
    if not statements:
        return None
    traces = [s.trace for s in statements if s.trace.steps]
    return replace(document, statements=tuple(statements), trace=traces[-1] if traces else document.trace)


def with_replayed_trace(document: Document, said: Given | None = None) -> Document | None:
    """A pasted explain with the optimizer's steps from its analyzed plan on, as planviz takes them.

    The steps go on to the physical plan where that comes out as printed, too, and are those of the last explain that
    holds both logical plans; `recognised` says whether they lead to the optimized
    plan that Spark printed. None where there are none.
    """
    found = replayed(document, said)
    if found is None or not found.trace.steps:
        return None
    stepped = next(s for s in reversed(found.statements) if s.trace.steps)
    return replace(found, recognised=f"{document.recognised} · {badge(stepped, 'optimized')}")


# ------------------------------------------------------------------------------------- held against Spark's plan


def _agreeing(execution: QueryExecution | None, plans: Sequence[PlanGraph]) -> Iterable[str]:
    """Which decisions came out as the text has them: joins, aggregates; both where it has no physical plan."""
    if execution is None or execution.error_until("physical") is not None:
        return
    stages = {p.stage: p for p in reversed(plans)}
    printed = planned(plans) or stages.get("physical")
    if printed is not None:
        (printed,) = in_newer_words([printed])
    if printed is None:
        yield from ("joins", "aggregates")
        return
    ours = plan_graph(execution.physical, Identities(), stage="physical")
    # What stays as it was printed was not decided on.
    kept = {kind_of(name) for name in _kept(execution.physical)}
    theirs, mine = _Operators(printed), _Operators(ours, lists_once(printed))
    if "join" not in kept and theirs.joins() == mine.joins():
        yield "joins"
    if "aggregate" not in kept and not _unread(execution.physical) and theirs.aggregates() == mine.aggregates():
        yield "aggregates"


def _kept(plan: QueryPlan) -> Iterator[str]:
    """The names of the operators that nobody planned."""
    for node in plan.walk():
        if isinstance(node, PrintedExec):
            yield node.node_name
        for inner in node.inner_children:
            yield from _kept(inner)


def _unread(plan: QueryPlan) -> bool:
    """Whether an aggregate computes what nobody can read: its sample rows, read off the text, tell more then."""
    for node in plan.walk():
        if kind_of(node.node_name) == "aggregate" and any(e.bits & OpaqueExpression.BIT for e in node.expressions):
            return True
        if any(_unread(inner) for inner in node.inner_children):
            return True
    return False


class _Operators:
    """The operators of a physical plan that were decided on, whatever order a text has its subqueries in: those of an
    operator come before what it reads, a subquery that stands twice counts `once`."""

    def __init__(self, graph: PlanGraph, once: bool = False) -> None:
        self.graph = graph
        self.places: dict[int, int] = {}
        asked: set[int | None] = set()
        stack = graph.roots[::-1]
        while stack:
            id = stack.pop()
            self.places[id] = len(self.places)
            beneath = [child for child in graph.children(id) if not self._is_subquery(id, child)]
            for child in reversed(graph.children(id)):
                if self._is_subquery(id, child):
                    known = {graph[below].identity for below in (child, *graph.children(child))} - {None}
                    if not once or known.isdisjoint(asked):
                        beneath.insert(0, child)
                    asked |= known
            stack += beneath[::-1]

    def _is_subquery(self, parent: int, child: int) -> bool:
        return self.graph.edge_type(parent, child) != "child"

    def joins(self) -> list[str]:
        """The joins in order: operator, keys, type, side, condition, ids by order."""
        lines = [line for id in self.places if (line := line_of(self.graph[id])).op in _JOINS]
        return canonical("\n".join(_FLAGS.sub("", line.text) for line in lines)).split("\n")

    def aggregates(self) -> list[str]:
        """The stages of aggregates, likewise: operator, keys, functions."""
        found = [[s.node for s in chain.stages] for chain in aggregate_chains(self.graph)]
        found = sorted((chain for chain in found if chain[-1] in self.places), key=lambda c: self.places[c[-1]])
        lines = [line_of(self.graph[id]) for chain in found for id in chain]
        return canonical("\n".join(_OUTPUT.sub("", line.text) for line in lines)).split("\n")


@collector_at_rest()
def _replayed(
    document: Document, plans: list[PlanGraph], said: Given | None = None
) -> tuple[Replay, QueryExecution | None]:
    first = min((n.source[0] for p in plans for n in p if n.source is not None), default=1)
    last = max((n.source[1] for p in plans for n in p if n.source is not None), default=0)
    # The line of output columns stands above the analyzed plan's first operator.
    text = "\n".join(document.text.split("\n")[max(first - 4, 0) : last + 1])
    columns = columns_in(plans, text)
    made = replay(plans, columns, document.printed, with_logged(said, plans))
    try:
        return made, execution_of(made, columns)
    except (PlanvizError, RecursionError):
        return made, None
