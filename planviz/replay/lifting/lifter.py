"""The tree of a physical plan's lines to the logical plan that it was planned from."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

from planviz.expressions.core import AttributeReference
from planviz.expressions.predicates import conjunction, split_conjunction
from planviz.graph import PlanGraph
from planviz.logical.combining import Union
from planviz.logical.operators import (
    Filter,
    Generate,
    Project,
    Repartition,
    Sample,
    Sort,
)
from planviz.logical.plan import LogicalPlan
from planviz.plantext.operators.exchanges import EXECUTOR_BROADCAST
from planviz.replay.columns import Columns, scan_columns
from planviz.replay.found import Found
from planviz.replay.lifting import aggregates, exchanges, joins, limits, sources
from planviz.replay.lifting.open_columns import OpenColumns
from planviz.replay.lifting.steps import Step, Steps
from planviz.replay.opaque import OpaqueOperator, PrintedOperator, own_columns_of
from planviz.replay.operator_lines import Line, Operator
from planviz.replay.operators import read_operator, sort_keys
from planviz.replay.plans import ReadPlan, typed
from planviz.replay.term import Unreadable
from planviz.replay.terms import SUBQUERY
from planviz.types import LONG, UNKNOWN

#: Beyond so many operators a plan that is used again is not written out once more.
MOST = 20_000
_SAMPLE = re.compile(r"Sample ([\d.E-]+), ([\d.E-]+), (true|false), (-?\d+)")
#: Operators that ask for sorted inputs, so that a sort beneath them is the planner's.
_SORTED = ("SortMergeJoin", "Window", "WindowGroupLimit", "SortAggregate", "MergingSessions", "UpdatingSessions")
_FAILURES = (
    Unreadable, ValueError, IndexError, KeyError, TypeError, AttributeError, StopIteration, AssertionError,
)  # fmt: skip


def lifted_plan(graph: PlanGraph, others: Sequence[PlanGraph], columns: Columns, ansi: bool, first_id: int) -> ReadPlan:
    """The logical plan that a physical one was planned from, as far as its lines tell.

    `others` are plans of the same explain, which may hold its subqueries; `first_id` is an id above all of the text.
    Never raises for what a text says: what cannot be read is opaque.
    """
    steps = Steps(graph, others)
    for root in (steps.root, *steps.subqueries.values()):
        for step in root.walk():
            if "ReadSchema" in step.text:
                scan_columns(step.text, columns)
    made: list[Lifter] = []
    open_columns = OpenColumns((steps.root, *_subqueries(steps)))

    def read(found: Found) -> LogicalPlan:
        made.append(Lifter(steps, open_columns, columns, ansi, found, first_id))
        return made[-1].plan()

    plan = typed(columns, len(graph), read)
    plan.joins, plan.assumed = made[-1].choices, list(dict.fromkeys(made[-1].assumed))
    plan.first_id = next(made[-1].fresh)
    return plan


def _subqueries(steps: Steps) -> list[Step]:
    return list({id(s): s for s in steps.subqueries.values()}.values())


class Lifter:
    """Makes logical operators of `steps`, whose open columns are `open`; `found` and `columns` as for logical plans
    that are read back.

    `first_id` is the first id that no column of the text has. `choices` are the physical joins by what their lines
    say of keys and type, `assumed` sentences about what the text leaves open.
    """

    def __init__(
        self, steps: Steps, open: OpenColumns, columns: Columns, ansi: bool, found: Found, first_id: int
    ) -> None:
        self.steps, self.open, self.columns, self.ansi, self.found = steps, open, columns, ansi, found
        self.fresh = itertools.count(first_id)
        self.choices: list[str] = []
        self.assumed: list[str] = []
        self.pruned: set[int] = set()
        self.done: dict[int, LogicalPlan] = {}
        self.again: dict[int, Step] = {}
        self.inner: dict[int, LogicalPlan] = {}
        self.asked: set[int] = set()
        self.unasked: frozenset[int] = frozenset()
        self.size = 0
        self.kept: list[Step] = []
        self.tables = sources.tables_of(steps, self.subquery_steps())

    def subquery_steps(self) -> list[Step]:
        """The plans of the subqueries, each once."""
        return _subqueries(self.steps)

    # -------------------------------------------------------------------------------------------- the tree

    def plan(self) -> LogicalPlan:
        """The logical plan of the whole; what a planner put above a part of a plan that stands alone stays as it is."""
        above: list[Step] = []
        at = self.steps.root
        while len(at.inputs) == 1 and _is_cut_above(at, above):
            above.append(at)
            at = at.inputs[0]
        self.unasked = exchanges.unasked(at)
        made = self.lifted(at)
        for step in reversed(above):
            made = _as_known(self.operator(step, [made]).opaque().replace(physical=True, coded=step.coded))
        return made

    def lifted(self, step: Step) -> LogicalPlan:
        """The logical plan of an operator and all beneath."""
        order, stack = [], [step]
        while stack:
            at = stack.pop()
            if id(at) in self.done:
                continue
            order.append(at)
            stack.extend(self._needs(at))
        for at in reversed(order):
            if id(at) not in self.done:
                self.done[id(at)] = self._made(at)
                self.kept.append(at)  # so that its id is not given to another
        return self.done[id(step)]

    def _needs(self, step: Step) -> Sequence[Step]:
        """The operators whose plans are asked for while this one is read: lower ones first, so that nothing nests."""
        return aggregates.beneath(self, step) if aggregates.is_aggregate(step) else step.inputs

    def _made(self, step: Step) -> LogicalPlan:
        self.size += 1
        if step.op in _SORTED:
            self._drop_sorts(step)
        made = self._read(step)
        unread = made is None or (isinstance(made, OpaqueOperator) and not made.physical)
        return self.opaque(step) if made is None or unread else made

    def _drop_sorts(self, step: Step) -> None:
        """Sorts of the partitions that the operator above asks for go; those of a program stay."""
        for at in step.inputs:
            if at.op == "Sort" and at.inputs and re.search(r", false(?:, \d+)?$", at.text):
                self.done[id(at)] = self.lifted(at.inputs[0])

    def _read(self, step: Step) -> LogicalPlan | None:
        try:
            if aggregates.is_aggregate(step):
                return aggregates.lifted(self, step)
            reader = _READERS.get(step.op)
            if reader is not None:
                return reader(self, step)
            if step.op.startswith("Reused"):
                return self._reused(step)
            if step.op.endswith("Exchange") or step.op == "ShuffleExchange":
                return exchanges.lifted(self, step)
            if step.op.endswith(("Join", "CartesianProduct", "BroadcastNestedLoopJoin")):
                return joins.lifted(self, step)
            if not step.inputs:
                return sources.lifted(self, step)
        except _FAILURES:
            return None
        return None

    # -------------------------------------------------------------------------------------------- lines

    def operator(self, step: Step, inputs: Sequence[LogicalPlan] | None = None, text: str | None = None) -> Operator:
        """What reads the expressions of a line over its inputs."""
        line = step.text if text is None else text
        given = tuple(self.lifted(s) for s in step.inputs) if inputs is None else tuple(inputs)
        plans = tuple(self.subquery(int(m.group(2))) for m in SUBQUERY.finditer(line))
        op = line.split(" ")[0].split("(")[0]
        return Operator(Line(op, line, given, plans, {}, True), self.columns, self.ansi, self.found)

    def subquery(self, number: int) -> LogicalPlan:
        """The plan of a subquery; an opaque leaf where the text has none."""
        if number not in self.inner:
            step = self.steps.subqueries.get(number)
            if step is None or number in self.asked:
                return OpaqueOperator((f"Subquery scalar-subquery#{number}",), (), (), physical=True)
            self.asked.add(number)
            self.inner[number] = self.lifted(step)
        return self.inner[number]

    def opaque(self, step: Step) -> LogicalPlan:
        """The line as it stands, over its inputs as they stand: what the planner adds for it, nobody here knows."""
        inputs = [self._kept(s) for s in step.inputs]
        operator = self.operator(step, inputs)
        if not inputs:
            return sources.opaque_leaf(step, operator)
        made = operator.opaque().replace(physical=True, columnar=step.columnar, coded=step.coded)
        if not isinstance(made, PrintedOperator) and aggregates.is_stage_of_a_stream(step):
            made = _as_known(made)
        below = [a for p in inputs for a in p.output]
        own = list(own_columns_of(step.op, step.text))
        if own:
            return made
        own = _new_columns(step, operator, {a.expr_id for a in below})
        if not own:
            return made
        given = own if step.op in _ONLY_OWN else (*below, *own)
        return made.replace(given=tuple(given), own=frozenset(a.expr_id for a in own))

    def _kept(self, step: Step) -> LogicalPlan:
        """An input of an unknown operator: exchanges and sorts beneath it stay as they are."""
        if step.op in ("Exchange", "Sort", "BroadcastExchange") and len(step.inputs) == 1:
            below = self._kept(step.inputs[0])
            return _as_known(self.operator(step, [below]).opaque().replace(physical=True, coded=step.coded))
        return self.lifted(step)

    # -------------------------------------------------------------------------------------------- reuse

    def _reused(self, step: Step) -> LogicalPlan | None:
        target = self.target(step)
        return None if target is None else self.lifted(target)

    def target(self, step: Step) -> Step | None:
        """What a reused exchange reads, written out again over the columns that the line lists."""
        if id(step) in self.again:
            return self.again[id(step)]
        source = step.reuses
        if source is None or not source.inputs or self.size > MOST:
            return None
        below = source.inputs[0]
        if aggregates.is_partial(below):
            given: Sequence[int] = aggregates.key_ids(below)
        else:
            given = [a.expr_id for a in self.lifted(below).output]
        ids = dict(zip(given, _listed_ids(step.text), strict=False))
        made = below.renamed(ids, self.fresh)
        self.size += sum(1 for _ in made.walk())
        for old, new in ids.items():
            if old in self.columns.by_id and new not in self.columns.by_id:
                self.columns.by_id[new] = self.columns.by_id[old]
        self.again[id(step)] = made
        return made


def _is_cut_above(step: Step, above: Sequence[Step]) -> bool:
    """Whether what asked for an operator must have stood above it, and above those that stand `above` it: an exchange
    of the planner's, the first stage of an aggregate."""
    if step.op == "BroadcastExchange":
        return True
    if step.op == "Exchange":
        asked = "ENSURE_REQUIREMENTS" in step.text or EXECUTOR_BROADCAST in step.text
        return asked or aggregates.is_partial(step.inputs[0]) or aggregates.groups_at_once(step.inputs[0])
    return aggregates.is_partial(step) or (bool(above) and aggregates.groups_at_once(step))


def _as_known(made: OpaqueOperator) -> PrintedOperator:
    """The same operator, known and kept as it stands."""
    return PrintedOperator(
        made.pieces,
        made.columns,
        made.inputs,
        made.given,
        made.own,
        made.inner,
        made.physical,
        made.columnar,
        made.coded,
    )


_LISTED = re.compile(r"#(\d+)L?(?=,|\])")


def _listed_ids(text: str) -> list[int]:
    """The ids of the first list of columns in a line."""
    start = text.find("[")
    end, depth = start, 0
    for end in range(max(start, 0), len(text)):
        depth += (text[end] == "[") - (text[end] == "]")
        if depth == 0:
            break
    return [int(m) for m in _LISTED.findall(text[start : end + 1])]


#: Operators that give none of their input's columns.
_ONLY_OWN = (
    "MapInPandas", "MapInArrow", "PythonMapInArrow", "MapInPython", "FlatMapGroupsInPandas", "FlatMapCoGroupsInPandas",
    "FlatMapGroupsInArrow", "FlatMapCoGroupsInArrow", "AggregateInPandas", "ArrowAggregatePython",
    "SerializeFromObject", "DeserializeToObject", "MapElements", "MapPartitions", "MapGroups",
)  # fmt: skip
_BARE = re.compile(r"(?<![^\s,\[\]()#])([^\s,\[\]()#]+)#(\d+)(L?)(?=,|\])")


def _new_columns(step: Step, operator: Operator, below: set[int]) -> list[AttributeReference]:
    """The columns that the last list of an unknown operator's line adds to those of its inputs."""
    start = step.text.rfind("[")
    found = []
    for name, number, long in _BARE.findall(step.text[start:]) if start >= 0 else ():
        if int(number) not in below:
            kind = LONG if long else operator.columns.by_id.get(int(number), UNKNOWN)
            found.append(AttributeReference(name, kind, True, int(number)))
    return found


# ------------------------------------------------------------------------------------------------ operators


def _same(lifter: Lifter, step: Step) -> LogicalPlan:
    """An operator whose line is that of the logical one."""
    return read_operator(lifter.operator(step))


def _filter(lifter: Lifter, step: Step) -> LogicalPlan:
    operator = lifter.operator(step)
    condition = operator.elaborator.expression(operator.terms.one(operator.at))
    child = operator.child
    if isinstance(child, Filter):  # the filters on partitions, which only the scan tells
        both = [*split_conjunction(child.condition), *split_conjunction(condition)]
        return Filter(conjunction(both), child.child)
    return Filter(condition, child)


def _sort(lifter: Lifter, step: Step) -> LogicalPlan:
    operator = lifter.operator(step)
    order = operator.expressions()
    return Sort(sort_keys(order), operator.rest.startswith(", true"), operator.child)


def _generate(lifter: Lifter, step: Step) -> LogicalPlan:
    operator = lifter.operator(step)
    m = re.search(r"(?:, \[([^\[\]]*)\])?, (true|false), \[([^\[\]]*)\]$", step.text)
    if m is None:
        raise ValueError(step.text)
    generator = operator.elaborator.expression(operator.terms.one(operator.at, m.start()))
    kept = {int(n) for n in re.findall(r"#(\d+)", m.group(1) or "")}
    schema = getattr(generator, "element_schema", ())
    columns = []
    for at, a in enumerate(operator.own_columns(f"[{m.group(3)}]")):
        kind = schema[at].data_type if at < len(schema) and schema[at].data_type != UNKNOWN else a.type
        columns.append(AttributeReference(a.name, kind, True, a.expr_id))
    needless = tuple(i for i, a in enumerate(operator.child.output) if a.expr_id not in kept)
    return Generate(generator, needless, m.group(2) == "true", None, tuple(columns), operator.child)


def _group_limit(lifter: Lifter, step: Step) -> LogicalPlan:
    text = re.sub(r", (?:Final|Partial)$", "", step.text)
    below = step.inputs[0]
    while below.op in ("Exchange", "Sort") and below.inputs:
        below = below.inputs[0]
    if below.op == step.op and below.text.endswith(", Partial") and step.text.endswith(", Final"):
        below = below.inputs[0]
        while below.op == "Sort" and below.text.endswith((", false, 0", ", false")):
            below = below.inputs[0]
        return read_operator(lifter.operator(step, [lifter.lifted(below)], text))
    return read_operator(lifter.operator(step, None, text))


def _sample(lifter: Lifter, step: Step) -> LogicalPlan:
    m = _SAMPLE.match(step.text)
    if m is None:
        raise ValueError(step.text)
    return Sample(float(m[1]), float(m[2]), m[3] == "true", int(m[4]), lifter.lifted(step.inputs[0]))


def _coalesce(lifter: Lifter, step: Step) -> LogicalPlan:
    return Repartition(int(step.text.split(" ")[1]), False, lifter.lifted(step.inputs[0]))


def _union(lifter: Lifter, step: Step) -> LogicalPlan:
    inputs = [lifter.lifted(s) for s in step.inputs]
    number = min(len(p.output) for p in inputs)
    return Union(tuple(p if len(p.output) == number else Project(p.output[:number], p) for p in inputs))


def _single(lifter: Lifter, step: Step) -> LogicalPlan:
    return lifter.lifted(step.inputs[0])


Reader = Callable[[Lifter, Step], LogicalPlan | None]
_READERS: dict[str, Reader] = {
    "Project": _same,
    "Filter": _filter,
    "Window": _same,
    "Expand": _same,
    "BatchEvalPython": _same,
    "ArrowEvalPython": _same,
    "Sort": _sort,
    "CollectLimit": limits.lifted,
    "GlobalLimit": limits.lifted,
    "LocalLimit": limits.lifted,
    "TakeOrderedAndProject": limits.taken,
    "Generate": _generate,
    "WindowGroupLimit": _group_limit,
    "Sample": _sample,
    "Coalesce": _coalesce,
    "Union": _union,
    "Subquery": _single,
    "SubqueryBroadcast": _single,
    "SubqueryAdaptiveBroadcast": _single,
}
