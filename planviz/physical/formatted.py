"""A physical plan as `explain("formatted")` prints it (Spark: ExplainUtils, verboseStringWithOperatorId).

First the tree with a number for every operator, children before parents; then what each operator does; then the
subqueries with the operator and the expression that they belong to, each in the same form.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.subqueries import QueryPlan
from planviz.logical.cached import InMemoryRelation
from planviz.logical.plan import LogicalPlan, bracketed
from planviz.logical.relations import LogicalRelation, UnionLoopRef
from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.codegen import AdaptiveSparkPlanExec, InputAdapter, WholeStageCodegenExec
from planviz.physical.exchanges import Exchange, ReusedExchangeExec, ShuffleExchangeExec
from planviz.physical.in_memory import InMemoryTableScanExec
from planviz.physical.joins import BuildSide, CartesianProductExec, EquiJoinExec, JoinExec
from planviz.physical.operators import (
    CollectLimitExec,
    FilterExec,
    GlobalLimitExec,
    ProjectExec,
    SortExec,
    TakeOrderedAndProjectExec,
    UnionExec,
)
from planviz.physical.plan import LeafExec, PlanHolder, SparkPlan
from planviz.physical.python import FlatMapCoGroupsInPythonExec
from planviz.physical.scans import FileSourceScanExec
from planviz.physical.sessions import MergingSessionsExec
from planviz.physical.sources import OneRowRelationExec, RangeExec, RDDScanExec, UnionLoopExec
from planviz.physical.subqueries import SubqueryExec
from planviz.trees.text import tree_string
from planviz.versions import Behaviour

_MARKS = (WholeStageCodegenExec, InputAdapter)
#: What a query without FROM reads before Spark 4.1.
_ONE_ROW = "ParallelCollectionRDD[0] at explain at <unknown>:0, OneRowRelation, UnknownPartitioning(0)"


def formatted(root: SparkPlan, behaviour: Behaviour | None = None) -> str:
    """The text, without heading, as the version of this behaviour prints it (None: 4.3)."""
    return _Explained(root, behaviour or Behaviour()).text()


def simple(root: SparkPlan) -> str:
    """The tree as the simple mode prints it: without the columns that aggregates give."""
    return tree_string(
        root, lambda node: node.brief_string if isinstance(node, BaseAggregateExec) else node.simple_string
    )


class _Explained:
    """The numbers of one plan's operators, and what is written with them."""

    def __init__(self, root: SparkPlan, behaviour: Behaviour) -> None:
        self._root = root
        self._behaviour = behaviour
        self._numbers: dict[int, int] = {}
        #: The number given last, and when each operator got its own: before Spark 3.2 two may have the same.
        self._last = 0
        self._order: dict[int, int] = {}
        #: Operators in a generated stage, and the stage that is told beneath the tree.
        self._generated: set[int] = set()
        self._stages: dict[int, int] = {}
        self._told: set[int] = set()
        #: Partial stages, by identity, of aggregates without DISTINCT; their buffers' ids, numbered once more.
        self._ordinary: set[int] = set()
        self._renumbered: dict[int, int] = {}
        #: The next stage of the same aggregate, by a stage's identity.
        self._above: dict[int, BaseAggregateExec] = {}
        self._subqueries = list(_subqueries_of(root))
        parts = [root, *[s.child for _, _, s in self._subqueries if isinstance(s, SubqueryExec)]]
        for part in parts:
            self._number(part)
            self._stage(part)
        self._fresh = itertools.count(
            1 + max((a.expr_id for part in parts for n in _all_operators(part) for a in n.output), default=0)
        )

    def text(self) -> str:
        out = self._part(self._root)
        if self._subqueries:
            out += "\n===== Subqueries =====\n\n"
        for at, (host, expression, subquery) in enumerate(self._subqueries, 1):
            out += f"Subquery:{at} Hosting operator id = {self._numbers[id(host)]} Hosting Expression = {expression}\n"
            if isinstance(subquery, SubqueryExec):
                out += self._part(subquery.child)
            out += "\n"
        return out

    def _number(self, node: QueryPlan, generated: bool = False, above: BaseAggregateExec | None = None) -> None:
        """Number the operators; `above` is a stage of an aggregate that reads this one's rows."""
        while isinstance(node, _MARKS):
            generated, node = isinstance(node, WholeStageCodegenExec), node.child
        if isinstance(node, BaseAggregateExec) and not isinstance(node, MergingSessionsExec):
            if above is not None:
                self._above[id(node)] = above
                distinct = any(f.distinct for f in node.functions)
                if above.modes == {"Final"} and node.modes == {"Partial"} and not distinct:
                    self._ordinary.add(id(node))
            above = node
        elif not isinstance(node, Exchange | SortExec | MergingSessionsExec):
            above = None
        for child in node.children:
            self._number(child, generated, above)
        if id(node) not in self._numbers:
            self._last += 1
            self._numbers[id(node)] = self._last
            self._order[id(node)] = len(self._order)
            if generated:
                self._generated.add(id(node))
        last = self._last
        for inner in _inner(node):
            self._number(inner)
        if not self._behaviour.caches_take_numbers:
            self._last = last

    def _stage(self, part: SparkPlan) -> None:
        """Find the stages that are told: from the root down, the last one entered and not left.

        Spark does not return to a stage from what it reads: of a join, only the first side's operators have one.
        """
        stage = None
        for node in part.walk():
            if isinstance(node, _MARKS):
                stage = node.codegen_stage
            elif stage is not None:
                self._stages[id(node)] = stage
            if isinstance(node, InMemoryTableScanExec):
                # The plan that fills a cache has stages of its own.
                for filling in node.relation.inner_children:
                    if isinstance(filling, SparkPlan):
                        self._stage(filling)

    def _part(self, root: SparkPlan) -> str:
        """A tree and the operators in it that were not told before."""
        lines: list[str] = []
        fresh: list[QueryPlan] = []
        self._draw(root, "", "", lines, fresh)
        fresh.sort(key=lambda node: self._order[id(node)])
        return "\n".join(lines) + "\n\n" + "".join(f"\n{self._operator(node)}" for node in fresh)

    def _draw(self, node: QueryPlan, first: str, rest: str, lines: list[str], fresh: list[QueryPlan]) -> None:
        while isinstance(node, _MARKS):
            node = node.child
        mark = "* " if id(node) in self._generated else ""
        batches = isinstance(node, InMemoryTableScanExec) and node.columnar and self._behaviour.caches_tell_batches
        told = " (columnarIn=false, columnarOut=true)" if batches else ""
        lines.append(f"{first}{mark}{_tree_name(node)} ({self._numbers[id(node)]}){told}")
        if id(node) not in self._told:
            self._told.add(id(node))
            fresh.append(node)
        within = _inner(node)
        deeper = rest + (":  " if node.children else "   ")
        for inner in within:
            branch, below = (":- ", ":  ") if inner is not within[-1] else ("+- ", "   ")
            self._draw(inner, deeper + branch, deeper + below, lines, fresh)
        last = len(node.children) - 1
        for at, child in enumerate(node.children):
            branch, below = (":- ", ":  ") if at < last else ("+- ", "   ")
            self._draw(child, rest + branch, rest + below, lines, fresh)

    def _operator(self, node: QueryPlan) -> str:
        stage = self._stages.get(id(node))
        mark = "" if stage is None else f" [codegen id : {stage}]"
        if isinstance(node, ReusedExchangeExec):
            mark = f" [Reuses operator id: {self._numbers.get(id(node.exchange), 'unknown')}]"
        head = f"({self._numbers[id(node)]}) {_name(node)}{mark}\n"
        blank = node.BLANK_BENEATH if isinstance(node, JoinExec) else ""
        return head + "".join(f"{line}\n" for line in self._parts(node)) + blank

    def _parts(self, node: QueryPlan) -> Iterator[str]:
        """The lines beneath an operator's name."""
        match node:
            case FileSourceScanExec():
                yield from _scan(node)
            case ReusedExchangeExec() | OneRowRelationExec():
                yield _fields("Output", node.output)
                if isinstance(node, OneRowRelationExec) and self._behaviour.single_rows_are_parallelized:
                    yield f"Arguments: {_ONE_ROW}"
            case UnionLoopExec():
                yield f"Loop id: {node.loop_id}"
                yield _fields("Output", node.output)
                yield f"Limit: {'None' if node.limit is None else f'Some({node.limit})'}"
            case LeafExec():
                yield _fields("Output", node.output)
                yield from _arguments(node, self._behaviour)
            case ProjectExec():
                yield _fields("Output", node.projects)
                yield _fields("Input", node.child.output)
            case FilterExec():
                yield _fields("Input", node.child.output)
                yield f"Condition : {node.condition}"
            case BaseAggregateExec():
                yield from self._aggregate(node)
            case FlatMapCoGroupsInPythonExec():
                yield _fields("Left output", node.left.output)
                yield _fields("Right output", node.right.output)
                yield from _arguments(node, self._behaviour)
            case JoinExec() if node.SIDES_BENEATH:
                yield _fields("Left output", node.left.output)
                yield _fields("Right output", node.right.output)
                yield from _arguments(node, self._behaviour)
            case JoinExec():
                yield from _join(node, self._behaviour.joins_tell_their_type)
            case UnionExec():
                yield from ()
            case UnionLoopRef():
                yield f"Loop id: {node.id}"
                yield _fields("Output", node.output)
                yield f"Accumulated: {str(node.accumulated).lower()}"
            case InMemoryRelation():
                yield f"Arguments: {bracketed(node.output)}, {node.cached.level}"
            case AdaptiveSparkPlanExec():
                yield _fields("Output", node.output)
                yield "Arguments: isFinalPlan=false"
            case LogicalRelation(attributes, name):
                of = ".".join(f"`{part}`" for part in name)
                yield f"Arguments: {', '.join([node.provider, bracketed(attributes), of, 'false'])}"
            case LogicalPlan():
                yield from _arguments(node, self._behaviour)
            case _:
                if len(node.children) == 1:
                    yield _fields("Input", node.children[0].output)
                yield from _arguments(node, self._behaviour)

    def _aggregate(self, node: BaseAggregateExec) -> Iterator[str]:
        yield _fields("Input", node.child.output)
        yield _fields("Keys", node.keys)
        yield _fields("Functions", node.functions)
        yield _fields("Aggregate Attributes", list(self._attributes(node)))
        yield _fields("Results", node.results)

    def _attributes(self, node: BaseAggregateExec) -> Iterator[Expression]:
        """The columns that stand for the functions: of an ordinary partial stage their buffers, else their results.

        Spark numbers a partial stage's buffers once more than the columns that it gives.
        """
        if id(node) in self._ordinary:
            for a in node.buffers:
                yield a.with_id(self._renumbered.setdefault(a.expr_id, next(self._fresh)))
        else:
            for f in node.functions:
                name = self._name_before_stages(node, f) if f.distinct else str(f.function)
                yield AttributeReference(name, f.data_type, f.nullable, expr_id=f.result_id)

    def _name_before_stages(self, node: BaseAggregateExec, function: AggregateExpression) -> str:
        """What the value of a DISTINCT function is called: a call over its own columns, as the last stage reads it.

        The stages read those columns under the names that the first of them gave.
        """
        for stage in (node, self._above.get(id(node), node)):
            for e in stage.results:
                for a in e.collect(AttributeReference):
                    if a.expr_id == function.result_id:
                        return str(a.name)
        return str(function.function)


def _inner(node: QueryPlan) -> tuple[QueryPlan, ...]:
    """What is drawn beneath an operator and is no child: a cache and the plan that fills it, what a recursion repeats.

    What it repeats are logical plans, with their subqueries beneath them.
    """
    if isinstance(node, InMemoryTableScanExec):
        return (node.relation,)
    if isinstance(node, InMemoryRelation | UnionLoopExec):
        return tuple(node.inner_children)
    if not isinstance(node, LogicalPlan):
        return ()
    return tuple(node.inner_children)


def _all_operators(part: QueryPlan) -> Iterator[QueryPlan]:
    """The operators of a plan and of the plans that fill the caches that it reads."""
    todo = [part]
    while todo:
        node = todo.pop()
        yield node
        todo += (*node.children, *_inner(node))


def _subqueries_of(root: SparkPlan) -> Iterator[tuple[SparkPlan, PlanHolder, SparkPlan]]:
    """Every subquery with the operator and the expression it stands in, one inside another right behind it."""
    for node in root.walk():
        for e in node.expressions:
            for holder in e.collect(PlanHolder) if e.bits & PlanHolder.BIT else ():
                yield node, holder, holder.plan
                yield from _subqueries_of(holder.plan)


def _tree_name(node: QueryPlan) -> str:
    if isinstance(node, JoinExec) and node.TYPE_IN_TREE:
        side = node.build if isinstance(node, BuildSide) else ""
        return " ".join(filter(None, (_name(node), _join_type(node), side)))
    return _name(node)


def _join_type(node: JoinExec) -> str:
    """As plans print it; a cartesian product has none of its own and says Inner."""
    return "Inner" if isinstance(node, CartesianProductExec) else str(node.shown_kind)


def _name(node: QueryPlan) -> str:
    """The operator's name with what belongs to it: of a scan, the format and the table."""
    match node:
        case FileSourceScanExec():
            return f"Scan {node.provider} {'.'.join(node.table)}"
        case OneRowRelationExec():
            return "Scan OneRowRelation"
        case RDDScanExec():
            return "Scan ExistingRDD"
        case ShuffleExchangeExec():
            return "Exchange"
    kept = isinstance(node, InMemoryRelation | LogicalRelation)
    return type(node).__name__ if kept else str(node.node_name)


def _fields(title: str, values: Sequence[Expression]) -> str:
    """Output [2]: [a#1, b#2]; Output: [] of none."""
    return f"{title} [{len(values)}]: {bracketed(values)}" if values else f"{title}: []"


def _arguments(node: QueryPlan, known: Behaviour) -> Iterator[str]:
    said = node.simple_string.removeprefix("!").removeprefix(_name(node)).strip()
    match node:
        case RDDScanExec():
            said = node.detail
        case RangeExec():
            said = node.origin.simple_string if isinstance(node.origin, LogicalPlan) else said
        case TakeOrderedAndProjectExec():
            offset = [str(node.offset)] if node.offset else []
            said = ", ".join([str(node.limit), bracketed(node.order), bracketed(node.projects), *offset])
        case CollectLimitExec() | GlobalLimitExec():
            shows = node.offset or (isinstance(node, GlobalLimitExec) and known.limits_show_offsets != "none")
            said = f"{node.limit}, {node.offset}" if shows else str(node.limit)
    if said:
        yield f"Arguments: {said}"


def _join(node: JoinExec, with_type: bool) -> Iterator[str]:
    if isinstance(node, EquiJoinExec):
        yield _fields("Left keys", node.left_keys)
        yield _fields("Right keys", node.right_keys)
    if with_type:
        yield f"Join type: {_join_type(node)}"
    yield f"Join condition: {node.condition}"


def _scan(node: FileSourceScanExec) -> Iterator[str]:
    yield _fields("Output", node.output)
    for key, value in node.metadata.items():
        if key == "Location":
            yield "Location: " + value.replace("(1 paths)", "").replace("(0 paths)", "").replace("[", " [", 1)
        elif key not in ("DataFilters", "Format") and value != "[]":
            yield f"{key}: {value}"
