"""The plans that stand side by side on the Cardinality page: planned by planviz, or as a text tells them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from planviz.document.cardinality.badges import drawn
from planviz.document.rules.traces import plan_graph
from planviz.errors import InputError
from planviz.estimation import Estimator, RowBounds
from planviz.estimation.explained import explain_estimates
from planviz.execution import QueryExecution
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.actual import FACTOR, ROWS, actual_rows, carried_rows, first_divergence, measured_rows
from planviz.graph.contracted import contracted
from planviz.graph.from_tree import Identities
from planviz.graph.node import Estimate as Expected
from planviz.jsontypes import JsonObject
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.ui.cards import card_of
from planviz.ui.statistics import Edits, edited
from planviz.units import exact
from planviz.versions.model import SettingValue

_CBO, REORDER = "spark.sql.cbo.enabled", "spark.sql.cbo.joinReorder.enabled"


@dataclass(frozen=True)
class Way:
    """A way to plan: what differs from the document's settings. `short` names it where there is little room."""

    title: str
    short: str
    settings: Mapping[str, SettingValue]


WAYS = {
    "off": Way("CBO off", "CBO off", {_CBO: False, REORDER: False}),
    "on": Way("CBO on, joins as written", "CBO on", {_CBO: True, REORDER: False}),
    "reorder": Way("CBO on, joins reordered", "+ reorder", {_CBO: True, REORDER: True}),
}
#: A way of its own for a pasted explain: planviz's formulas over the plan that Spark printed, nothing planned again.
PRINTED = "printed"
PRINTED_WAY = Way("The plan as pasted", "As pasted", {})
#: Operators that are left out: they have the rows of their child by their nature, so that their number tells nothing.
_IDLE = frozenset({"Project", "SubqueryAlias", "ColumnarToRow", "AQEShuffleRead", "AdaptiveSparkPlan"})
#: Kinds that give the rows that they get, of which Spark does not count them.


@dataclass
class Side:
    """One plan: its graph, the card of every node, and whether rows were estimated that Spark does not estimate."""

    way: str
    title: str
    graph: PlanGraph
    cards: list[JsonObject]
    notes: list[str] = field(default_factory=list)
    execution: QueryExecution | None = field(default=None, repr=False)

    @property
    def rows(self) -> list[int | None]:
        """The rows that are shown as expected: Spark's, or what its formulas would give."""
        return [
            node.estimate.rows if node.estimate and node.estimate.rows is not None else card.get("imagined")
            for node, card in zip(self.graph, self.cards, strict=True)
        ]

    def measure(self, run: PlanGraph) -> None:
        """Put the rows that a run measured beside the expected ones."""
        for id, rows in actual_rows(self.graph, run).items():
            self.cards[id]["measured"] = rows

    def divergence(self, factor: float = FACTOR) -> dict[str, object] | None:
        """The first node whose rows are off by `factor` or more; it gets a badge that says so."""
        actual = {id: card["measured"] for id, card in enumerate(self.cards) if card.get("measured") is not None}
        found = first_divergence(self.graph, self.rows, actual, factor)
        if found is None:
            return None
        self.graph[found.node].badges += ("first divergence",)
        return {"node": found.node, "factor": factor}

    def told(self, scene: dict[str, object]) -> JsonObject:
        """As JSON values, with the scene that it is drawn from."""
        scene["details"] = None  # The cards tell more, and of what this page is about.
        imagined = any(card.get("imagined") is not None for card in self.cards)
        return {"way": self.way, "title": self.title, "scene": scene, "cards": self.cards, "imagined": imagined}


def ways_of(execution: QueryExecution, *, pasted: bool) -> dict[str, Way]:
    """The ways in which a query can be planned, by id; of a `pasted` explain whose optimized plan cannot be made again
    those in which its estimates can be made."""
    if not pasted:
        return WAYS
    kept = {id: way for id, way in WAYS.items() if execution.optimizes or id != "reorder"}
    return {PRINTED: PRINTED_WAY, **kept}


def settings_of(way: str) -> dict[str, object]:
    """The settings of a way to plan. Raises InputError for an unknown one."""
    if way == PRINTED:
        return {}
    if way not in WAYS:
        raise InputError(f"There is no way to plan called {way!r}; there are {', '.join(WAYS)}.")
    return dict(WAYS[way].settings)


def planned_sides(execution: QueryExecution, ways: Sequence[str], edits: Edits) -> list[Side]:
    """The query with other statistics, planned in several ways: read and analyzed once.

    Raises InputError for an unknown way, and what planning raises.
    """
    if PRINTED in ways:
        return [_planned_side(to_plan(execution, way, edits), way) for way in ways]
    first, *others = ways
    query = to_plan(execution, first, edits)
    return [_planned_side(query, first)] + [
        _planned_side(query.again(query.config.with_settings(settings_of(way))), way) for way in others
    ]


def _planned_side(other: QueryExecution, way: str) -> Side:
    plan = other.optimized
    title = (PRINTED_WAY if way == PRINTED else WAYS[way]).title
    whole = plan_graph(plan, Identities(), stage="optimized", title=title)
    graph, kept = contracted(whole, _passes_on)
    records = list(explain_estimates(plan, other.config))
    counted = Estimator(other.config.with_settings(settings_of("on")))
    bounds = RowBounds(counted)
    cards = []
    for node, id in zip(graph, kept, strict=True):
        record = records[id]
        # A number that hangs on a size which nobody gave is told with what it is worth, and not drawn as if known.
        size = None if record.size_label == "fitted" else drawn(record.size)
        node.estimate = Expected(drawn(record.rows), size)
        card = card_of(record)
        imagined = record.node
        if record.rows is None and isinstance(imagined, LogicalPlan):
            card["imagined"] = drawn(counted.estimate(imagined).rows)
            if card["imagined"] is None:
                card["most"] = drawn(bounds.of(imagined))
        cards.append(card)
    return Side(way, title, graph, cards, list(other.warnings), other)


def _passes_on(node: PlanNode) -> bool:
    """Whether an operator has the rows of its child by its nature, so that its number tells nothing new."""
    return node.op in _IDLE


def to_plan(execution: QueryExecution, way: str, edits: Edits) -> QueryExecution:
    """The query with other statistics, still to be optimized one way."""
    config = execution.config.with_settings(settings_of(way))
    base = "optimized" if way == PRINTED else execution.base
    if not edits:
        return execution if way == PRINTED else execution.again(config)
    catalog = edited(execution.catalog, edits)

    def renewed(plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, LogicalRelation) and plan.table is not None:
            return plan.replace(table=catalog.table((plan.table.database, plan.table.name)) or plan.table)
        return plan

    # Nothing but the optimizer reads statistics, so that the analyzed plan stays what it is.
    made = execution.stage(base)
    assert isinstance(made, LogicalPlan)
    plan = made.transform_with_subqueries(renewed)
    return execution.again(config, plans={base: plan})


def text_side(graph: PlanGraph, way: str, title: str) -> Side:
    """A plan of a text with the numbers that stand in it: Spark's estimates, or what a run measured."""
    shown, _ = contracted(graph, _passes_on)
    nodes = list(shown)
    taker = [-1 if n.parent is None or shown.edge_type(n.parent, n.id) != "child" else n.parent for n in nodes]
    for node, rows in zip(nodes, carried_rows(nodes, taker), strict=True):
        if rows is not None and measured_rows(node) is None:
            node.metrics = {**(node.metrics or {}), ROWS: str(rows)}
    return Side(way, title, shown, [_text_card(node) for node in shown])


def _text_card(node: PlanNode) -> dict[str, object]:
    told: JsonObject = {"label": "unknown", "rows": None, "bytes": None}
    if (measured := measured_rows(node)) is not None:
        return told | {"label": "measured", "rows": exact(measured)}
    if node.estimate is None:
        return told
    rows, size = node.estimate.rows, node.estimate.size_in_bytes
    told |= {"rows": None if rows is None else exact(rows), "bytes": None if size is None else exact(size)}
    told["label"], told["size_label"] = ("unknown" if rows is None else "spark"), "spark"
    if node.estimate.rounded:
        told["note"] = "Spark printed these numbers with three figures; the exact ones are not in the text."
    return told
