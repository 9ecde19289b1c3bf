"""The plans and the trace of one query, as a document has them."""

from __future__ import annotations

from functools import partial

from planviz.document.cardinality.badges import Expectations
from planviz.document.model import PlaceOf
from planviz.document.rules.traces import plan_graph, rule_trace
from planviz.errors import PlanvizError, defect
from planviz.execution import QueryExecution
from planviz.graph import PlanGraph
from planviz.graph.from_tree import Identities
from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import DeferredGraph
from planviz.graph.trace import DeferredTrace, RuleTrace
from planviz.trees.text import Printable

_TITLES = {
    "parsed": "Parsed Logical Plan",
    "analyzed": "Analyzed Logical Plan",
    "optimized": "Optimized Logical Plan",
    "sparkPlan": "Spark Plan, before preparations",
    "physical": "Physical Plan",
}
_ESTIMATED = ("optimized", "sparkPlan", "physical")


def planned(
    execution: QueryExecution | None, place_of: PlaceOf, *, later: bool = False
) -> tuple[list[PlanGraph], RuleTrace, PlanvizError | None]:
    """The plans and the trace of a query as far as it was planned; `place_of` tells where an operator was made.

    The last value is the defect by which a plan cannot be put into words, then without plans: one query of a text
    takes no other with it. With `later` the operators and the steps are made when somebody looks, and what cannot be
    put into words then is a plan of one operator that says so.
    """
    if execution is None:
        return [], RuleTrace(), None

    def lines_of(node: object) -> tuple[int, int] | None:
        place = place_of(node)
        return None if place is None else (place[0], place[0])

    identities, expectations = Identities(), Expectations(execution.config)

    def graph(name: str, plan: Printable) -> PlanGraph:
        estimate_of = expectations.of if name in _ESTIMATED else None
        return plan_graph(
            plan, identities, stage=name, title=_TITLES[name], source_of=lines_of, estimate_of=estimate_of
        )

    def graph_or_words(name: str, plan: Printable) -> PlanGraph:
        try:
            return graph(name, plan)
        except Exception as error:
            told = error if isinstance(error, PlanvizError) else defect("Printing a plan", error)
            return PlanGraph.from_nodes(
                name, _TITLES[name], [PlanNode(0, type(plan).__name__, "other", str(told))], notes=[str(told)]
            )

    stages = execution.stages.items()
    if later:
        deferred: list[PlanGraph] = [
            DeferredGraph(name, _TITLES[name], partial(graph_or_words, name, plan)) for name, plan in stages
        ]
        return deferred, DeferredTrace(lambda: rule_trace(execution.trace, identities, lines_of)), None
    try:
        made = [graph(name, plan) for name, plan in stages]
        return made, rule_trace(execution.trace, identities, lines_of), None
    except PlanvizError:
        raise
    except Exception as error:
        return [], RuleTrace(), defect("Printing a plan", error)
