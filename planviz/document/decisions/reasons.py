"""Why one operator of a plan is there and does what it does: what the detail panel beside a drawing tells of it.

Of our own plans whole; of a pasted one as far as its text goes. Decisions and estimates are those that `decided` and
`explain_estimates` give; why an exchange or a sort is there is read from the operator that needs it (Spark:
EnsureRequirements).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from planviz.decisions.choices import Check, Decision
from planviz.decisions.estimates import EstimateRecord, figure_text
from planviz.document.cardinality.badges import logical_of
from planviz.document.decisions import charts
from planviz.document.decisions.aggregates import AggregateReport
from planviz.document.decisions.queries import plain, ran_words, seen, title
from planviz.estimation import explain_estimate
from planviz.execution import QueryExecution
from planviz.expressions.core import Expression
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.words import spaced
from planviz.graph.words import title as operator_title
from planviz.physical.pushed import pushed
from planviz.physical.scans import FileSourceScanExec
from planviz.trees.text import Printable, is_mark

Mark = Literal["yes", "no", "unknown", ""]

#: Operators between an exchange or a sort and the one that needs it.
_BETWEEN = frozenset({"AQEShuffleRead", "CustomShuffleReader", "ColumnarToRow", "RowToColumnar", "InputAdapter"})
_STAGES = ("ShuffleQueryStage", "BroadcastQueryStage", "WholeStageCodegen")
_CONDITION_ONLY = "a file format takes comparisons of one column with a value, IN, LIKE 'a%' and tests for null"


@dataclass(frozen=True)
class Line:
    """One sentence: `mark` is the answer of a question, `words` the question or the fact, `seen` what was seen."""

    words: str
    seen: str = ""
    mark: Mark = ""


@dataclass(frozen=True)
class Reason:
    """A heading with its lines; `formula` and `calculation` are those of an estimate, else empty."""

    heading: str
    lines: tuple[Line, ...] = ()
    formula: str = ""
    calculation: str = ""


def why_join(decision: Decision) -> Reason:
    """The tests on the way to a join's operator, and what became of it while the query ran."""
    lines = [Line(plain(title(c)), plain(charts.brief(c) or seen(c)), _mark(c)) for c in decision.checks]
    if ran := ran_words(decision):
        lines.append(Line(f"{spaced(decision.outcome)} was planned and was chosen anew while the query ran: it {ran}."))
    return Reason("Why this join", tuple(lines))


def why_stages(report: AggregateReport, node: int) -> Reason:
    """The stages of an aggregate, why there are so many, and what gave the one at this node its operator."""
    stages = [
        Line(f"stage {s.text.number}: {s.text.mode}", f"{s.text.operator}{' after a shuffle' if s.exchange else ''}")
        for s in report.stages
    ]
    asked = [check for d in report.decisions for check in d.checks if not check.node.startswith("stage")]
    asked = [check for check in asked if check.passed is not False]
    asked += [check for s in report.stages if s.text.node == node for check in s.checks]
    checks = [Line(plain(c.condition), plain(seen(c)), _mark(c)) for c in asked]
    return Reason(
        "Its stages, and why", (*stages, *[Line(plain(note)) for note in report.notes], *dict.fromkeys(checks))
    )


def _mark(check: Check) -> Mark:
    return "unknown" if check.passed is None else "yes" if check.passed else "no"


def objects_of(tree: Printable) -> list[Printable]:
    """The operators of one of our own plans, in the order of its graph's nodes."""
    found: list[Printable] = []
    todo = [tree]
    while todo:
        node = todo.pop()
        while is_mark(node):
            node = node.child
        found.append(node)
        todo += [*reversed(node.children), *reversed(node.inner_children)]
    return found


def how_many_rows(operator: Printable, execution: QueryExecution) -> Reason | None:
    """The formula that gives an operator's rows, with its inputs; None where nobody can tell."""
    logical = logical_of(operator)
    if logical is None:
        return None
    record = explain_estimate(logical, execution.config)
    by_formula = record.rows is None
    if by_formula:
        record = explain_estimate(logical, execution.config.with_settings({"spark.sql.cbo.enabled": True}))
    if record.rows is None:
        return None
    inherited = record.inherited or (record.formula.text == "rows" and len(logical.children) == 1)
    count = f"{figure_text(record.rows)} row{'' if record.rows == 1 else 's'}"
    lines = [Line(count, "as the input" if inherited else "")]
    if by_formula:
        lines.append(Line("with spark.sql.cbo.enabled off Spark calculates bytes only: this is what its formulas give"))
    lines += _pieces(record)
    if inherited:
        return Reason("How many rows", tuple(lines))
    return Reason("How many rows", tuple(lines), plain(record.formula.text), plain(record.calculation))


def _pieces(record: EstimateRecord) -> Iterator[Line]:
    for step in record.steps[:6]:
        value = "not estimated" if step.value is None else figure_text(step.value)
        yield Line(plain(step.about) or "the whole", f"{value} = {plain(step.calculation)}")
    if record.assumptions and not record.inherited:
        yield Line(f"assumes {', '.join(a.name for a in record.assumptions)}")
    for source in record.sources[:4]:
        if not record.node.children:
            when = f", {source.analyzed_at}" if source.analyzed_at else ""
            yield Line(f"statistics of {source.table}", f"{source.kind}{when}")


def why_here(graph: PlanGraph, node: PlanNode) -> Reason | None:
    """Which operator needs an exchange or a sort, and what it asks for; None for any other operator."""
    if node.kind not in ("exchange", "sort") or node.op.startswith("Reused") or "Take" in node.op:
        return None
    if node.kind == "sort" and node.arguments.get("global"):
        return Reason("Why it is here", (Line("ORDER BY asks for the order of all rows"),))
    if "REPARTITION" in node.text or "REBALANCE" in node.text:
        return Reason("Why it is here", (Line("the query itself asks for it: a hint, or repartition()"),))
    above = _consumer(graph, node)
    if above is None:
        return None
    name = f"{operator_title(above)} #{above.id + 1 if above.operator_id is None else above.operator_id}"
    words = _sort_words(above) if node.kind == "sort" else _exchange_words(node, above)
    rule = Line(
        "put in by V1Writes, unless the query itself sorts so" if _writes(above) else "put in by EnsureRequirements"
    )
    return Reason("Why it is here", (Line(f"{name} {words}"), rule))


def _consumer(graph: PlanGraph, node: PlanNode) -> PlanNode | None:
    above = node.parent
    while above is not None:
        found = graph[above]
        passing = found.op in _BETWEEN or found.op.startswith(_STAGES)
        local = found.kind == "sort" and not found.arguments.get("global") and node.kind == "exchange"
        if not (passing or local or (found.kind == "exchange" and node.kind == "exchange")):
            return found
        above = found.parent
    return None


def _exchange_words(node: PlanNode, above: PlanNode) -> str:
    if node.op.startswith("Broadcast"):
        return "needs all rows of this side on every executor (BroadcastDistribution)"
    if "SinglePartition" in node.text:
        return "needs all rows in one partition (AllTuples)"
    if above.kind == "sort" or "rangepartitioning" in node.text:
        return "needs every partition wholly before the next one (OrderedDistribution)"
    if above.kind == "join":
        return "needs rows with equal keys of both sides in one partition (ClusteredDistribution)"
    if above.kind == "aggregate":
        return "needs all rows of a group in one partition (ClusteredDistribution)"
    if above.kind == "window":
        return "needs all rows of a PARTITION BY in one partition (ClusteredDistribution)"
    return "needs its rows spread so"


def _sort_words(above: PlanNode) -> str:
    if above.kind == "join":
        return "merges its sides in the order of the keys, so both must be sorted by them"
    if above.kind == "window":
        return "goes through each PARTITION BY in the order of ORDER BY"
    if above.kind == "aggregate":
        return "takes the rows of a group one after the other, so they must be sorted by the keys"
    if _writes(above):
        return "writes one folder or bucket after the other, so that a task has one file open at a time"
    return "needs its rows in this order"


def _writes(node: PlanNode) -> bool:
    return node.op == "WriteFiles"


def what_is_read(node: PlanNode, operator: object) -> Reason | None:
    """What of a scan's filters and columns the reader takes over, and what it does not; None for any other operator."""
    if node.kind != "scan":
        return None
    told = node.arguments
    lines: list[Line] = []
    for name, words in (("partition_filters", "partitions pruned by"), ("pushed_filters", "pushed to the reader")):
        filters = told.get(name) or ()
        if filters:
            lines.append(Line(words, plain(", ".join(map(str, filters))), "yes"))
    if isinstance(operator, FileSourceScanExec):
        lines += [Line("not pushed", f"{plain(e.sql)}: {_CONDITION_ONLY}", "no") for e in _kept_back(operator)]
        lines.append(Line("columns read", f"{len(operator.columns)} of {len(operator.relation)}"))
    if not lines:
        return None
    return Reason("What is read", tuple(lines))


def _kept_back(scan: FileSourceScanExec) -> list[Expression]:
    return [e for e in scan.data_filters if pushed(e) is None]
