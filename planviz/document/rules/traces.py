"""Our trace in the form that parsed rule logs have, its texts and graphs made when somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from planviz.graph import PlanGraph
from planviz.graph.from_tree import EstimateOf, Identities, Reader, SourceOf, graph_of_tree
from planviz.graph.trace import BatchRecord, RuleCalls, RuleRun, RuleStep, RuleTrace, RunMetrics, TracedPlan
from planviz.plantext.operators import Details, read_arguments
from planviz.plantext.references import link_references
from planviz.trees.text import Printable, tree_string
from planviz.trees.trace import DeferredTree, Run, Totals, Trace

_READER: Reader = partial(read_arguments, Details())


def plan_graph(
    tree: Printable,
    identities: Identities,
    *,
    stage: str = "other",
    title: str = "Plan",
    source_of: SourceOf | None = None,
    estimate_of: EstimateOf | None = None,
) -> PlanGraph:
    """One of our own plans as a graph, the same as what is read from its text (see `graph_of_tree`)."""
    graph = graph_of_tree(
        tree, _READER, identities, stage=stage, title=title, source_of=source_of, estimate_of=estimate_of
    )
    link_references(graph)
    return graph


def rule_trace(trace: Trace, identities: Identities, source_of: SourceOf | None = None) -> RuleTrace:
    """The trace of our own rules as the one of a parsed log; `source_of` tells an operator's lines in the user's text.

    A plan object has one `TracedPlan`, however many steps it stands in; nodes take their identity from `identities`.
    """
    plans: dict[int, TracedPlan] = {}

    def plan(tree: Printable | DeferredTree) -> TracedPlan:
        found = plans.get(id(tree))
        if found is None:
            made: Callable[[], Printable] = (lambda: tree.tree) if isinstance(tree, DeferredTree) else (lambda: tree)
            found = TracedPlan(lambda: _text(made()), lambda: plan_graph(made(), identities, source_of=source_of))
            plans[id(tree)] = found
        return found

    return RuleTrace(
        [
            RuleStep(
                a.rule,
                plan(a.before),
                plan(a.after),
                batch=a.batch,
                run=a.run,
                iteration=a.iteration,
                milliseconds=a.seconds * 1e3 if a.matched is None else None,
                matched=a.matched,
            )
            for a in trace
        ],
        [
            BatchRecord(
                b.batch, b.effective, b.steps, None, b.run, b.iterations, b.rules, plan(b.before), plan(b.after)
            )
            for b in trace.batches
        ],
        sorted((_metrics(run, run.totals) for run in trace.runs if run.totals), key=lambda m: m.batches_before),
        [RuleRun(run.number, run.parent, run.executor) for run in trace.runs],
        _calls(trace),
    )


def _text(tree: Printable) -> str:
    return tree_string(tree).removesuffix("\n")


def _metrics(run: Run, totals: Totals) -> RunMetrics:
    return RunMetrics(
        run.executor,
        totals.calls,
        totals.seconds * 1e3,
        totals.effective,
        totals.effective_seconds * 1e3,
        run.batches,
        run.number,
    )


def _calls(trace: Trace) -> list[RuleCalls]:
    runs: dict[str, int] = {}
    for batch in trace.batches:
        for rule in batch.rules:
            runs[rule] = runs.get(rule, 0) + batch.iterations
    found = []
    for rule in dict.fromkeys([*runs, *trace.summaries]):
        s = trace.summaries.get(rule)
        called = (s.calls, s.effective, s.seconds * 1e3, s.effective_seconds * 1e3) if s else (0, 0, 0.0, 0.0)
        found.append(RuleCalls(rule, runs.get(rule, called[0]), *called))
    return found
