"""Every aggregate of an opened input with its stages: of our own plans whole, of pasted ones as far as the text says.

The stages are those of the executed plan: adjacent ones may have become one (CombineAdjacentAggregation), and a hash
aggregate over sorted rows a sort aggregate (ReplaceHashWithSortAgg).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from planviz.analysis.aggregates import GROUPING_ID
from planviz.decisions.choices import Check, Decision
from planviz.document.decisions.adaptive import is_final
from planviz.document.decisions.model import Decided, from_text
from planviz.document.rules.traces import plan_graph
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.actual import measured_bytes, measured_rows
from planviz.graph.aggregation import AggregateChain, AggregateStage, aggregate_chains
from planviz.graph.from_tree import Identities
from planviz.logical.operators import Expand, Project
from planviz.physical.aggregates import GroupingExec
from planviz.physical.buffers import is_mutable, keeps_objects
from planviz.physical.stages import PlannedStage

if TYPE_CHECKING:
    from planviz.document.model import Document
    from planviz.execution import QueryExecution
    from planviz.logical.plan import LogicalPlan

#: The column that numbers the copies of a row, one for each set of DISTINCT columns (RewriteDistinctAggregates).
DISTINCT_SET = "gid"
OBJECT_HASH = "spark.sql.execution.useObjectHashAggregateExec"
REPLACE = "spark.sql.execution.replaceHashWithSortAgg"
#: The questions that choose an operator, by name, in the order asked (inventory C-002, C-030), and what a yes leads to.
PYTHON, MUTABLE, OBJECTS, ALLOWED, SORTED = "python", "mutable", "objects", "allowed", "sorted"
#: Operators that hand groups to Python: Spark's name since 4.1, and the one before.
IN_PYTHON = ("ArrowAggregatePython", "AggregateInPandas")
#: Functions that keep an object, as plan texts name them.
_IMPERATIVE = re.compile(
    r"(collect_(list|set|union)|array_agg|percentile\w*|approx_percentile|median|mode|listagg|string_agg|histogram_numeric"
    r"|bitmap_\w+|count_min_sketch|approx_top_k\w*|hll_\w+|theta_\w+|kll_\w+|tuple_\w+|bloom_filter_agg)\("
)
_COMBINED = (
    "CombineAdjacentAggregation: the planner made {} stages; where no exchange came between a partial stage and the "
    "one that merges it, because the rows of a group already were together, both became one."
)
_REPLACED = (
    "ReplaceHashWithSortAgg: the rows come sorted by the keys, so a sort aggregate keeps one buffer at a time and no "
    "hash map."
)
_EXPANDED = (
    "RewriteDistinctAggregates: there are several sets of distinct columns, or a distinct function has a FILTER. "
    "Expand gives every row once per set; the lower two stages remove duplicates, the upper two aggregate."
)
_GROUPING_SETS = (
    "ResolveGroupingAnalytics: ROLLUP, CUBE or GROUPING SETS. Expand gives every row once per grouping set, with null "
    "in the columns that the set leaves out; spark_grouping_id numbers the sets, so that such a null and a null of the "
    "data stay groups of their own."
)
_IN_PYTHON = (
    "{}: a Python function has no buffer, so nothing is aggregated before the shuffle. Every row is moved, all of a "
    "group go to a worker at once, which is why they are sorted by the keys. Other aggregates cannot stand beside it."
)
_FILTER = " FILTER (WHERE "
_ID = re.compile(r"#\d+L?(?!\w)")


@dataclass(frozen=True)
class StageReport:
    """One stage. `text` is what the plan's text says of it, `planned` what our own planner made, or None.

    `checks` are the questions that chose the operator; an answer is None where a pasted text does not say. `exchange`
    is the exchange through which it gets its rows, as the plan prints it, `sorts` tells of a sort below it. `moved` are
    the rows and the bytes that Spark measured of that exchange, where it ran; None for what nobody measured.
    """

    text: AggregateStage
    checks: tuple[Check, ...]
    exchange: str | None
    sorts: bool
    node: Any = None
    planned: PlannedStage | None = None
    moved: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True)
class AggregateReport:
    """One aggregate: its stages from the input up, what became of the stages as planned, the decisions behind it.

    `statement` or `plan` is its place in the document (as in `Decided`), `graph` the plan whose nodes the stages name.
    `below` is the logical plan that the first stage reads, `expand` the Expand between both, or None.
    """

    stages: tuple[StageReport, ...]
    chain: AggregateChain
    graph: PlanGraph
    notes: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    statement: int | None = None
    plan: int | None = None
    execution: QueryExecution | None = None
    below: Any = None
    expand: Any = None

    @property
    def shuffles(self) -> int:
        """How many exchanges it needs: between stages, and before the one stage that Python computes."""
        before = self.stages[0].text.operator in IN_PYTHON and self.chain.input_shuffle is not None
        return len(self.chain.shuffles) + before

    @property
    def is_in_subquery(self) -> bool:
        """Whether it computes a part of a subquery's plan, a bloom filter's for instance, not of the query itself."""
        node = self.graph[self.stages[-1].text.node]
        while node.parent is not None:
            if self.graph.edge_type(node.parent, node.id) != "child":
                return True
            node = self.graph[node.parent]
        return False

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the last stage, without ids; what PullOutGroupingExpressions named, by its expression."""
        named = _pulled_out(self.graph, self.stages[0].text.node)
        return tuple([_plain(named.get(k, k)) for k in self.stages[-1].text.keys])

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions of the last stage, without ids, with the FILTER that only the first stage prints."""
        first = [str(f["text"]).removeprefix("partial_").partition(_FILTER) for f in self.stages[0].text.functions]
        last = [str(f["text"]) for f in self.stages[-1].text.functions]
        filters = [
            on + condition if text == name else "" for text, (name, on, condition) in zip(last, first, strict=False)
        ]
        return tuple([_plain(text + condition) for text, condition in zip_longest(last, filters, fillvalue="")])


def aggregates(document: Document) -> tuple[AggregateReport, ...]:
    """The aggregates of every query of a document, or of every physical plan of a pasted text, in the plan's order.

    A query that cannot be planned has none; its error stands with its statement.
    """
    found: list[AggregateReport] = []
    for s in document.statements:
        shown = s.replay is None or "aggregates" in s.agrees
        if shown and s.execution is not None and s.error is None and s.execution.error_until("physical") is None:
            ran = [(document.plans[i], i) for i in s.plans if is_final(document.plans[i])]
            found += _with_measured(aggregates_of(s.execution, s.index), ran)
    return (*found, *_of_texts(document)) if document.is_pasted else tuple(found)


def _with_measured(
    reports: Iterable[AggregateReport], ran: Iterable[tuple[PlanGraph, int]]
) -> Iterator[AggregateReport]:
    """Aggregates as they were planned, with what was measured in the plan that ran; of several alike the first with the
    first."""
    left = [report for graph, index in ran for report in aggregates_of_text(graph, index)]
    for report in reports:
        same = next((r for r in left if is_same(r, report) and len(r.stages) == len(report.stages)), None)
        if same is None:
            yield report
            continue
        left.remove(same)
        stages = zip(report.stages, same.stages, strict=True)
        yield replace(report, stages=tuple([replace(stage, moved=other.moved) for stage, other in stages]))


def _of_texts(document: Document) -> Iterator[AggregateReport]:
    """The aggregates of a pasted text that no replay leads to."""
    left = from_text(document, "aggregates")
    # An adaptive query's initial plan has the same aggregates as the one that ran.
    wanted = "physical" if any(document.plans[i].stage == "physical" for i in left) else "initial"
    for at in sorted(left):
        if document.plans[at].stage == wanted:
            yield from aggregates_of_text(document.plans[at], at)


# ------------------------------------------------------------------------------------------------ our own plans


class _Objects(Identities):
    """Identities that can be turned back into the operators."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: dict[int | None, object] = {}

    def of(self, node: object) -> int:
        number = super().of(node)
        self.nodes[number] = node
        return number


def aggregates_of(execution: QueryExecution, statement: int | None = None) -> Iterator[AggregateReport]:
    """The aggregates of one query. Raises what planning raises."""
    objects = _Objects()
    graph = plan_graph(execution.physical, objects, stage="physical", title="Physical Plan")
    config, decisions = execution.config, execution.decisions_shown
    seen: set[int] = set()
    for chain in aggregate_chains(graph):
        found = [objects.nodes[graph[s.node].identity] for s in chain.stages]
        nodes = [node for node in found if isinstance(node, GroupingExec)]
        # A subquery that stands twice in a plan is one object.
        if id(nodes[-1]) in seen:
            continue
        seen.add(id(nodes[-1]))
        stages = []
        for text, node in zip(chain.stages, nodes, strict=True):
            planned = PlannedStage.of(text.number, node)
            checks = tuple(operator_checks(planned, config.flag(OBJECT_HASH), config.flag(REPLACE)))
            stages.append(StageReport(text, checks, *_input_of(graph, text), node, planned))
        subjects = list({id(n.origin): n.origin for n in nodes}.values())
        mine = tuple([d for d in decisions if any(d.subject is s for s in subjects)])
        below = subjects[0].child
        yield AggregateReport(
            tuple(stages),
            chain,
            graph,
            tuple(_changes(mine, stages)),
            mine,
            statement,
            None,
            execution,
            below.child if isinstance(below, Expand) else below,
            below if isinstance(below, Expand) else None,
        )


def operator_checks(stage: PlannedStage, objects_hashed: bool, replaced: bool) -> Iterator[Check]:
    """The questions that gave a stage its operator, in order, with what they saw."""
    if stage.operator in IN_PYTHON:
        yield _check(PYTHON, True, functions=tuple([f.function.pretty_name for f in stage.functions]))
        return
    shown = tuple([f"{a.name} {a.type.simple_string}" for a in stage.buffers])
    fixed = [t for t, a in zip(shown, stage.buffers, strict=True) if not is_mutable(a.type)]
    first = {"first_fixed": fixed[0]} if fixed else {}
    yield _check(MUTABLE, not fixed, buffers=shown, **first)
    hashed = not fixed
    if fixed:
        objects = tuple([f.function.pretty_name for f in stage.functions if keeps_objects(f.function)])
        yield _check(OBJECTS, bool(objects), functions=objects)
        if objects:
            yield _check(ALLOWED, objects_hashed, value=objects_hashed)
            hashed = objects_hashed
    if hashed and stage.keys:
        yield _check(SORTED, stage.operator == "SortAggregate", value=replaced)


_QUESTIONS = {
    PYTHON: ("a function is written in Python", None),
    MUTABLE: ("every buffer can be updated in place", None),
    OBJECTS: ("a function keeps an object as its buffer", None),
    ALLOWED: ("groups whose buffers are objects may be hashed", OBJECT_HASH),
    SORTED: ("the rows are sorted by the keys already, and sorting may replace hashing", REPLACE),
}


def _check(name: str, passed: bool | None, **values: object) -> Check:
    condition, setting = _QUESTIONS[name]
    return Check(name, condition, passed, setting, None, tuple(values.items()))


def _changes(decisions: Sequence[Decision], stages: Sequence[StageReport]) -> Iterator[str]:
    """What the preparations made of the stages as they were planned."""
    planned: list[PlannedStage] = [s for d in decisions[::-1] for s in d.value("stages") or ()]
    if len(planned) > len(stages):
        yield _COMBINED.format(len(planned))
    if any(c.node == SORTED and c.passed for s in stages for c in s.checks):
        yield _REPLACED
    numbers = {number for d in decisions for number in _numbers(d.subject.child)}
    if DISTINCT_SET in numbers:
        yield _EXPANDED
    if GROUPING_ID in numbers:
        yield _GROUPING_SETS
    yield from _python_notes(s.text for s in stages)


def _numbers(below: LogicalPlan) -> Iterator[str]:
    """What numbers the copies of each Expand right below an aggregate: DISTINCT over grouping sets has two."""
    while isinstance(below, Expand | Project):
        if isinstance(below, Expand):
            yield number_of(below)
        below = below.child


def number_of(expand: Expand) -> str:
    """The column that numbers the copies of a row: `spark_grouping_id` of grouping sets, `gid` of DISTINCT's sets."""
    own = {c.name for c in expand.columns if c.expr_id in expand.produced}
    return GROUPING_ID if GROUPING_ID in own else DISTINCT_SET


def _python_notes(stages: Iterable[AggregateStage]) -> Iterator[str]:
    yield from (_IN_PYTHON.format(s.operator) for s in stages if s.operator in IN_PYTHON)


# --------------------------------------------------------------------------------------------------- pasted plans


def is_same(one: AggregateReport, other: AggregateReport) -> bool:
    """Whether two reports are about one aggregate, as its text and its replay tell it: the same keys and functions."""
    first, second = one.stages[-1].text, other.stages[-1].text
    return first.keys == second.keys and [f["text"] for f in first.functions] == [f["text"] for f in second.functions]


def aggregates_of_text(graph: PlanGraph, plan: int) -> Iterator[AggregateReport]:
    """The aggregates of a physical plan as its text tells them; `plan` is its index in its document."""
    for chain in aggregate_chains(graph):
        stages = []
        for text in chain.stages:
            exchange, sorts = _input_of(graph, text)
            checks = tuple(_checks_of_text(text, sorts))
            moved = (None, None) if text.shuffle is None else _moved(graph[text.shuffle])
            stages.append(StageReport(text, checks, exchange, sorts, moved=moved))
        notes = tuple(_python_notes(chain.stages))
        yield AggregateReport(tuple(stages), chain, graph, notes, plan=plan)


def _moved(exchange: PlanNode) -> tuple[int | None, int | None]:
    return measured_rows(exchange), measured_bytes(exchange)


def _checks_of_text(stage: AggregateStage, sorts: bool) -> Iterator[Check]:
    """The questions as the operator answers them; what the text cannot tell is None."""
    texts = [_plain(str(f["text"])) for f in stage.functions]
    objects = tuple([t.partition("(")[0] for t in texts if _IMPERATIVE.match(t)])
    if stage.operator in IN_PYTHON:
        yield _check(PYTHON, True, functions=tuple([t.partition("(")[0] for t in texts]))
    elif stage.operator == "HashAggregate":
        yield _check(MUTABLE, True)
        if stage.keys:
            yield _check(SORTED, False)
    elif stage.operator == "ObjectHashAggregate":
        yield _check(MUTABLE, False)
        yield _check(OBJECTS, True, functions=objects)
        yield _check(ALLOWED, True)
    elif stage.operator == "SortAggregate":
        # Over a sort of its own it was planned so; else rows may have come sorted, and it was a hash aggregate.
        yield _check(MUTABLE, False if sorts or objects else None)
        if objects:
            yield _check(OBJECTS, True, functions=objects)
            yield _check(ALLOWED, False if sorts else None)
        elif sorts:
            yield _check(OBJECTS, False)


_WRAPPING = re.compile(r"^InputAdapter|QueryStage$|ShuffleRead$|^WholeStage|ColumnarToRow$|^AQE")


def _input_of(graph: PlanGraph, stage: AggregateStage) -> tuple[str | None, bool]:
    """The exchange right below a stage, as printed without ids, and whether a sort stands right below."""
    node, sorts = stage.node, False
    while True:
        children = _inputs(graph, node)
        if len(children) != 1:
            return None, sorts
        node = children[0]
        op = graph[node].op
        if op == "Sort":
            sorts = True
        elif stage.shuffle == node or (op.endswith("Exchange") and op != "BroadcastExchange"):
            partitioning = graph[node].arguments.get("partitioning")
            op = op if op.endswith("Exchange") else "Exchange"  # what other engines print in several operators
            # In the formatted mode the line itself has a number only.
            shown = f"{op} {partitioning}" if partitioning else graph[node].text
            return _plain(shown), sorts
        elif stage.shuffle is None and not _WRAPPING.search(op):
            return None, sorts


def _pulled_out(graph: PlanGraph, stage: int) -> dict[str, str]:
    """The expressions that the Project below a stage names, as in `_groupingexpression#4`, by that name."""
    project = _inputs(graph, stage)
    while len(project) == 1 and (graph[project[0]].op == "Sort" or _WRAPPING.search(graph[project[0]].op)):
        project = _inputs(graph, project[0])
    if len(project) != 1:
        return {}
    in_python: dict[str, str] = {}
    for node in _inputs(graph, project[0]):
        functions, output = (graph[node].arguments.get(name, ()) for name in ("functions", "output"))
        in_python = {str(column): str(f["text"]) for column, f in zip(output, functions, strict=False)}
    parts = [str(column).rpartition(" AS ") for column in graph[project[0]].arguments.get("project_list", ())]
    named = {name: expression for expression, _, name in parts if name.startswith("_groupingexpression#")}
    return {name: in_python.get(expression, expression) for name, expression in named.items()}


def _inputs(graph: PlanGraph, node: int) -> list[int]:
    return [child for child in graph.children(node) if graph.edge_type(node, child) == "child"]


def _plain(text: str) -> str:
    return _ID.sub("", text)


def with_aggregates(found: Iterable[Decided], document: Document) -> tuple[Decided, ...]:
    """The decisions on the plans of a pasted text with those on its aggregates, as far as the text tells."""
    plans = {d.plan: d for d in found if d.plan is not None}
    for report in _of_texts(document):
        plan = report.plan
        assert plan is not None
        known = plans.get(plan) or Decided((), None, plan)
        plans[plan] = replace(known, decisions=(*known.decisions, _decision(report)))
    # Plans that have run stand last: theirs are the decisions that were changed meanwhile.
    return tuple([plans[plan] for plan in sorted(plans, key=lambda plan: (is_final(document.plans[plan]), plan))])


def _decision(report: AggregateReport) -> Decision:
    checks = [replace(c, node=f"stage {s.text.number}") for s in report.stages for c in s.checks]
    subject = f"Aggregate [{', '.join(report.keys)}], [{', '.join(report.functions)}]"
    values = (("stages", tuple(stage_words(report))),)
    return Decision("Aggregation", subject, report.stages[-1].text.operator, tuple(checks), (), values)


# --------------------------------------------------------------------------------------------------------- words


def stage_words(report: AggregateReport) -> Iterator[str]:
    """The executed stages as lines, from the input up, exchanges between them."""
    for stage in report.stages:
        text = stage.text
        if stage.exchange is not None and (text.number > 1 or report.chain.input_shuffle is not None):
            yield f"   {exchange_words(stage.exchange)}"
        keys = ", ".join(map(_plain, text.keys))
        nothing = "groups only" if keys else "what it computes, the text does not show"
        functions = ", ".join(_plain(str(f["text"])) for f in text.functions) or nothing
        buffers = stage.planned.buffers if stage.planned else ()
        kept = ", ".join(f"{a.name} {a.type.simple_string}" for a in buffers)
        words = f"{text.number}. {text.operator}, {text.mode}{f', by {keys}' if keys else ''}: {functions}"
        yield words + (f"; buffers {kept}" if kept else "")


def exchange_words(text: str) -> str:
    """An exchange as plans print it, without why it is there and its number."""
    return re.sub(r"(, (ENSURE_REQUIREMENTS|REPARTITION\w*|REBALANCE\w*|\[plan_id=\d+\]|\[id=\d+\]|true))+$", "", text)
