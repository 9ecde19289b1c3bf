"""Operators that a native engine left to Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from planviz.findings.finding import Check, Hit
from planviz.findings.plan_view import PASSING, PlanView, count, listed
from planviz.graph.node import PlanNode

#: Whose rows an engine could have made itself; projections below it are mostly those of rows that it cannot read.
_HEAVY = frozenset({"filter", "join", "aggregate", "sort", "window", "generate"})
_WORK = frozenset({"filter", "project", "join", "aggregate", "sort", "window", "generate", "set", "limit"})


class EngineFallback(Check):
    """Operators of Spark's own among those of another engine; each kind of engine is a class of its own."""

    severity = "warning"
    engine: ClassVar[str]
    prefixes: ClassVar[tuple[str, ...]] = ()
    suffixes: ClassVar[tuple[str, ...]] = ()
    why = (
        "At each change of engine columns are turned into rows or back, and what Spark executes itself is not sped up."
    )
    cost = "Another expression or type with the same result."

    def native(self, plan: PlanView, node: PlanNode) -> bool:
        """Whether the engine executes this operator."""
        op = plan.printed[node.id].op
        return op.startswith(self.prefixes) or bool(self.suffixes and op.endswith(self.suffixes))

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        native = [n for n in plan.nodes if self.native(plan, n)]
        if not native:
            return
        work = [n for n in plan.nodes if n.kind in _WORK and not _frame(plan, n)]
        left = [n for n in work if not self.native(plan, n)]
        first = [n for n in left if any(self._reaches(plan, below) for below in plan.inputs(n))]
        total = len(left) + sum(n.kind in _WORK for n in native)
        if first:
            told = f"{count(len(left), 'operator')} of {total} run in Spark itself; {self.engine} ends at "
            yield Hit(f"{told}{listed(n.op for n in first)}.", tuple(n.id for n in first))
        elif above := [n for n in left if n.kind in _HEAVY and self._is_taken(plan, n)]:
            told = f"{count(len(left), 'operator')} of {total} run in Spark itself; {self.engine} begins above "
            yield Hit(f"{told}{listed(n.op for n in above)}.", tuple(n.id for n in above))

    def _is_taken(self, plan: PlanView, node: PlanNode) -> bool:
        """Whether the engine takes an operator's rows, made columns for it."""
        above = plan.parent(node)
        return above is not None and "ToColumnar" in above.op and self.native(plan, above)

    def _reaches(self, plan: PlanView, node: PlanNode | None) -> bool:
        """Whether a node is native, apart from what only turns columns into rows."""
        while node is not None:
            turns = "ToRow" in plan.printed[node.id].op
            if self.native(plan, node) and not turns:
                return True
            if not turns and node.op not in PASSING:
                return False
            node = plan.input(node)
        return False


def _frame(plan: PlanView, node: PlanNode) -> bool:
    """What always stays with Spark: how the result is collected."""
    return node.op in ("CollectLimit", "AdaptiveSparkPlan") or (node.op == "Project" and plan.parent(node) is None)


class PhotonFallback(EngineFallback):
    """Operators that Photon left to Spark."""

    name = "photon-fallback"
    title = "Photon ends here"
    engine = "Photon"
    prefixes = ("Photon",)
    advice = (
        "Read “Photon Explanation” below the plan: it names the expression; replace Python and Scala functions first."
    )


class CometFallback(EngineFallback):
    """Operators that Comet left to Spark."""

    name = "comet-fallback"
    title = "Comet ends here"
    engine = "Comet"
    prefixes = ("Comet",)
    advice = "Set spark.comet.explainFallback.enabled to true to read the reason of each operator in the log."


class GlutenFallback(EngineFallback):
    """Operators that Gluten left to Spark."""

    name = "gluten-fallback"
    title = "Gluten ends here"
    engine = "Gluten"
    suffixes = ("Transformer", "ExecTransformer")
    prefixes = ("Velox", "ColumnarBroadcastExchange", "ColumnarExchange")
    advice = "Read the fallback reasons in the event log (GlutenPlanFallbackEvent), or spark.gluten.sql.debug."


class RapidsFallback(EngineFallback):
    """Operators that RAPIDS left to the processor."""

    name = "rapids-fallback"
    title = "The GPU ends here"
    engine = "RAPIDS"
    prefixes = ("Gpu",)
    advice = "Set spark.rapids.sql.explain to NOT_ON_GPU to read the reason of each operator."
