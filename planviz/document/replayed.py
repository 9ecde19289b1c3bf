"""A pasted text's plans replayed: every explain in it by itself."""

from __future__ import annotations

from dataclasses import replace

from planviz.document.model import Document
from planviz.document.traces import rule_trace
from planviz.graph import PlanGraph
from planviz.graph.from_tree import Identities
from planviz.replay.plans import columns_in
from planviz.replay.replayed import Replay, replay

#: Operators of an explain's logical plans that are replayed while somebody waits for a page.
MOST = 400
_WORDS = {
    "equal": "replayed, equals what Spark printed",
    "shape": "replayed, the shape equals what Spark printed, texts differ",
    "differs": "replayed, differs from what Spark printed",
}


def replays(document: Document, profile: str = "") -> list[Replay]:
    """One replay for every explain of a text that has a plan to start from, in the order of the text.

    `profile` is the version of Spark to replay as, "" for whichever of those that print so fits best.
    """
    return [_replayed(document, [document.plans[i] for i in group], profile) for group in document.groups]


def with_replayed_trace(document: Document, profile: str = "") -> Document | None:
    """A pasted explain with the optimizer's steps from its analyzed plan on, as planviz takes them.

    `profile` as in `replays`. The steps are those of the last explain that holds both plans; `recognised` says whether
    they lead to the optimized plan that Spark printed. None where there is no such explain,
    where it has more than `MOST` operators, or where its analyzed plan cannot be optimized again.
    """
    for group in reversed(document.groups):
        plans = [document.plans[i] for i in group]
        stages = {plan.stage: plan for plan in plans}
        if not {"analyzed", "optimized"} <= stages.keys():
            continue
        if len(stages["analyzed"]) + len(stages["optimized"]) > MOST:
            return None
        # With the physical plan, which tells settings that the optimizer read, too.
        made = _replayed(document, plans, profile)
        if made.optimized is None or made.verdicts["optimized"] not in _WORDS:
            return None
        told = _WORDS[made.verdicts["optimized"]]
        trace = rule_trace(made.trace, Identities())
        return replace(document, trace=trace, recognised=f"{document.recognised} · {told}") if trace.steps else None
    return None


def _replayed(document: Document, plans: list[PlanGraph], profile: str) -> Replay:
    first = min((n.source[0] for p in plans for n in p if n.source is not None), default=1)
    last = max((n.source[1] for p in plans for n in p if n.source is not None), default=0)
    # The line of output columns stands above the analyzed plan's first operator.
    text = "\n".join(document.text.split("\n")[max(first - 4, 0) : last + 1])
    return replay(plans, columns_in(plans, text), document.printed, profile)
