"""The plan as it ran: every operator with what Spark measured in it and what it had expected of it (inventory M7).

The tree has the form of Spark's own `sparkPlanInfo` (event logs, status store): `nodeName`, `simpleString`, `children`,
`metrics` of `{"name", "metricType", "value"}`, and here `estimate`, `[rows, bytes]`. What is reused stands once; where
it is used again it has its metrics and nothing beneath.
"""

from __future__ import annotations

from planviz.jsontypes import JsonObject
from planviz.spark.jvm import JavaObject, class_name, entries, estimate, items, optional

#: Operators whose logical plan is the top of what the scan took in, and the logical operator that is their own.
_OWN = {"FilterExec": "Filter", "ProjectExec": "Project"}


class Measured:
    """Reads executed plans in one JVM."""

    def __init__(self, jvm: object, optimized: object) -> None:
        """`optimized` is the plan before execution, which has the estimates."""
        self._jvm = jvm
        self._expected: dict[str, list[int | None] | None] = {}
        self._remember(optimized)

    def tree(self, plan: JavaObject) -> JsonObject:
        """An executed plan with all below it."""
        name = class_name(self._jvm, plan)
        found: dict[str, object] = {
            "nodeName": str(plan.nodeName()),
            "simpleString": str(plan.simpleString(100_000)),
            "metrics": self._metrics(plan.child() if name.startswith("Reused") else plan),
            "children": self._below(plan, name),
        }
        if (expected := self._estimate(plan, name)) is not None:
            found["estimate"] = expected
        return found

    def _below(self, plan: JavaObject, name: str) -> list[JsonObject]:
        if name == "EmptyRelationExec":
            return [self._given_up(plan.logical())]
        if name.startswith("Reused"):
            return []
        if name == "AdaptiveSparkPlanExec":
            below = [plan.executedPlan()]
        elif name.endswith("QueryStageExec"):
            below = [plan.plan()]
        elif name == "InMemoryTableScanExec":
            below = [plan.relation().cachedPlan()]
        else:
            below = [*items(self._jvm, plan.children()), *items(self._jvm, plan.subqueries())]
        return [self.tree(child) for child in below]

    def _given_up(self, plan: JavaObject) -> dict[str, object]:
        """The logical plan that adaptive execution found to be empty, down to the stages that had run by then."""
        name = class_name(self._jvm, plan)
        if name == "LogicalQueryStage":
            return self.tree(plan.physicalPlan())
        below = [plan.logical()] if name == "EmptyRelation" else items(self._jvm, plan.children())
        return {
            "nodeName": str(plan.nodeName()),
            "simpleString": _line(plan),
            "metrics": [],
            "children": [self._given_up(child) for child in below],
        }

    def _metrics(self, plan: JavaObject) -> list[dict[str, object]]:
        found = []
        for _, metric in entries(self._jvm, plan.metrics()):
            name = optional(metric.name())
            if name is not None:
                found.append({"name": str(name), "metricType": str(metric.metricType()), "value": int(metric.value())})
        return sorted(found, key=lambda metric: (metric["name"] != "number of output rows", metric["name"]))

    # Adaptive execution puts query stages with their measured sizes into the logical plan; what was expected is that of
    # the plan before, found by the text of the operator, whose ids are the same.

    def _remember(self, plan: JavaObject) -> None:
        text = _line(plan)
        expected = estimate(plan)
        known = self._expected.get(text, expected)
        self._expected[text] = expected if known == expected else None
        for child in [*items(self._jvm, plan.children()), *items(self._jvm, plan.subqueries())]:
            self._remember(child)

    def _estimate(self, plan: JavaObject, name: str) -> list[int | None] | None:
        logical = optional(plan.logicalLink())
        if logical is None or name.endswith(("QueryStageExec", "ExchangeExec", "SparkPlanExec")):
            return None
        if name.endswith("AggregateExec") and not plan.requiredChildDistributionExpressions().isDefined():
            return None  # a partial one, whose groups nobody estimates
        logical = self._without_stage(logical)
        if "Scan" in name:
            while len(children := items(self._jvm, logical.children())) == 1:
                logical = self._without_stage(children[0])
        elif (own := _OWN.get(name)) is not None:
            while class_name(self._jvm, logical) != own:
                children = items(self._jvm, logical.children())
                if len(children) != 1:
                    return None
                logical = self._without_stage(children[0])
        return self._expected.get(_line(logical))

    def _without_stage(self, logical: JavaObject) -> JavaObject:
        while class_name(self._jvm, logical) == "LogicalQueryStage":
            logical = logical.logicalPlan()
        return logical


def _line(plan: JavaObject) -> str:
    return str(plan.simpleString(100_000))
