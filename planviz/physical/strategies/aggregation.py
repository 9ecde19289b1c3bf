"""Aggregation: how many stages, and which operator each of them is (Spark: Aggregation, AggUtils)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from planviz.decisions.choices import Recorder, Rejected
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Alias, AttributeReference, Expression, NamedExpression, SortOrder
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import SESSION_WINDOW
from planviz.logical.operators import Aggregate, Expand
from planviz.optimizer.rules.floats import normalized
from planviz.physical.aggregates import BaseAggregateExec, HashAggregateExec, ObjectHashAggregateExec, SortAggregateExec
from planviz.physical.buffers import is_mutable, keeps_objects
from planviz.physical.distribution import Stateful
from planviz.physical.sessions import MergingSessionsExec, UpdatingSessionsExec
from planviz.physical.stages import PlannedStage
from planviz.physical.strategies.context import PlanningContext
from planviz.physical.strategies.python import aggregate as in_python
from planviz.physical.strategies.python import python_functions
from planviz.physical.streams import (
    SessionWindowStateStoreRestoreExec,
    SessionWindowStateStoreSaveExec,
    StateStoreRestoreExec,
    StateStoreSaveExec,
)
from planviz.types import is_collated

if TYPE_CHECKING:
    from planviz.physical.aggregates import GroupingExec
    from planviz.physical.plan import SparkPlan

_HASH = "spark.sql.execution.useHashAggregateExec"
_OBJECT_HASH = "spark.sql.execution.useObjectHashAggregateExec"
Function = AggregateExpression
#: Functions whose value depends on the order of the rows.
_ORDERED = frozenset({"first", "last", "collect_list", "collect_set"})


class PhysicalAggregation:
    """An aggregate taken apart: its keys with names, every function once, the results over both."""

    def __init__(self, plan: Aggregate, shares_ordered: bool = True) -> None:
        self.child = plan.child
        self.functions: list[Function] = []
        ids: dict[Expression | int, AttributeReference] = {}
        for e in plan.aggregates:
            for f in e.collect(AggregateExpression) if e.bits & AggregateExpression.BIT else ():
                key = self._key(f, shares_ordered)
                if key not in ids or not f.deterministic:
                    self.functions.append(f)
                    ids[key] = AttributeReference(str(f.function), f.data_type, f.nullable, f.result_id)
        self.keys = []
        names: dict[Expression, Expression] = {}
        for g in plan.grouping:
            named = g if isinstance(g, NamedExpression) else Alias(g, str(g), next_id())
            self.keys.append(_normalized_key(named))
            names.setdefault((g.child if isinstance(g, Alias) else g).canonicalized, named.to_attribute())

        def over(e: Expression) -> Expression:
            if isinstance(e, AggregateExpression):
                return ids[self._key(e, shares_ordered)]
            # A constant stays one: what it was grouped by is the same in every row.
            return names.get(e.canonicalized, e) if names and e.deterministic and not e.foldable else e

        self.results = [_named(e.transform_down(over), e) for e in plan.aggregates]

    @staticmethod
    def _key(f: Function, shares_ordered: bool) -> Expression | int:
        """What functions that are computed once have in common; the result's id where this one stands alone."""
        alone = not shares_ordered and getattr(f.function, "name", "") in _ORDERED
        return f.result_id if alone else f.canonicalized

    @property
    def key_attributes(self) -> list[AttributeReference]:
        """The keys' columns."""
        return [k.to_attribute() for k in self.keys]


def _normalized_key(key: NamedExpression) -> NamedExpression:
    """A grouping key with one NaN and one zero where it is a floating number, under its name."""
    new: Expression = key.map_children(normalized) if isinstance(key, Alias) else normalized(key)
    return new if isinstance(new, NamedExpression) else Alias(new, key.name, key.expr_id)


def _named(new: Expression, old: Expression) -> NamedExpression:
    """The result under the name and id that it had."""
    assert isinstance(old, NamedExpression)
    if isinstance(new, NamedExpression) and new.expr_id == old.expr_id:
        return new
    return Alias(new, old.name, old.expr_id, old.qualifier)


class Stages:
    """Builds the stages of one aggregate and records why each has its operator."""

    def __init__(self, context: PlanningContext, recorder: Recorder, functions: Sequence[Function]) -> None:
        self.context, self.recorder = context, recorder
        self.buffers = {id(f.function): context.buffer(f.function) for f in functions}
        self.made: list[PlannedStage] = []

    def of(self, functions: Sequence[Function]) -> list[AttributeReference]:
        """The buffers' columns of functions, in order."""
        return [a for f in functions for a in self.buffers[id(f.function)]]

    def stage(
        self,
        child: SparkPlan,
        keys: Sequence[NamedExpression],
        functions: Sequence[Function],
        distribution: Sequence[Expression] | None = None,
        results: Sequence[Expression] | None = None,
    ) -> BaseAggregateExec:
        """One stage; without `results` it gives keys and buffers."""
        buffers = self.of(functions)
        given = [*[k.to_attribute() for k in keys], *buffers] if results is None else results
        wanted: tuple[Expression, ...] | None = None
        if distribution is not None:
            wanted = distribution if isinstance(distribution, Stateful) else tuple(distribution)
        cls = self.context.operator(self._operator(functions, buffers, keys))
        made = cls(wanted, tuple(keys), tuple(functions), tuple(buffers), tuple(given), child)
        self.made.append(PlannedStage.of(len(self.made) + 1, made))
        return made

    def merging_sessions(
        self,
        child: SparkPlan,
        keys: Sequence[NamedExpression],
        session: AttributeReference,
        functions: Sequence[Function],
        partitions: int = 0,
    ) -> MergingSessionsExec:
        """A stage that makes one of the sessions that overlap."""
        buffers = self.of(functions)
        others = tuple([k for k in keys if k is not session])
        wanted = Stateful(others) if partitions else others
        merged = tuple([f.replace(mode="PartialMerge") for f in functions])
        results = (*keys, *buffers)
        collection = "List" if self.context.config.behaviour.session_keys_are_lists else "ArrayBuffer"
        made = MergingSessionsExec(wanted, tuple(keys), session, merged, tuple(buffers), results, child, collection)
        made = made.replace(partitions=partitions)
        self.made.append(PlannedStage.of(len(self.made) + 1, made))
        return made

    def _operator(
        self, functions: Sequence[Function], buffers: Sequence[AttributeReference], keys: Sequence[NamedExpression]
    ) -> type[HashAggregateExec | ObjectHashAggregateExec | SortAggregateExec]:
        """The first of the three that can compute the functions (inventory C-030)."""
        at = f"stage {len(self.made) + 1}"
        if self._collated(at, keys):
            return SortAggregateExec
        hashed = bool(self.context.config.get(_HASH))
        if not hashed:
            self._reject("HashAggregate", f"{_HASH} is false")
        elif self._all_mutable(at, buffers):
            self._reject("ObjectHashAggregate", "HashAggregate is asked first, and it can keep these buffers")
            self._reject("SortAggregate", "a hash map needs no sorted rows")
            return HashAggregateExec
        ask = self.recorder.ask
        objects = tuple([f.function.pretty_name for f in functions if keeps_objects(f.function)])
        if not ask(at, "a function keeps an object as its buffer", bool(objects), functions=objects):
            self._reject("ObjectHashAggregate", "no function keeps an object as its buffer")
            return SortAggregateExec
        on = self.context.config.flag(_OBJECT_HASH)
        if not ask(at, "groups whose buffers are objects may be hashed", on, _OBJECT_HASH, value=on):
            self._reject("ObjectHashAggregate", f"{_OBJECT_HASH} is false")
            return SortAggregateExec
        self._reject("SortAggregate", "a hash map needs no sorted rows")
        return ObjectHashAggregateExec

    def _collated(self, at: str, keys: Sequence[NamedExpression]) -> bool:
        """Whether a key's equality is not that of its bytes; asked only where there is such text."""
        collated = [k for k in keys if is_collated(k.data_type)]
        found = tuple([f"{k.name} {k.data_type.simple_string}" for k in collated])
        if not found:
            return False
        self.recorder.ask(at, "every key is told apart by its bytes", False, collated=found)
        self._reject("HashAggregate", f"the key {found[0]} is not told apart by its bytes")
        self._reject("ObjectHashAggregate", f"the key {found[0]} is not told apart by its bytes")
        return True

    def _all_mutable(self, at: str, buffers: Sequence[AttributeReference]) -> bool:
        shown = tuple([f"{a.name} {a.type.simple_string}" for a in buffers])
        fixed = [text for text, a in zip(shown, buffers, strict=True) if not is_mutable(a.type)]
        seen = {"buffers": shown, "first_fixed": fixed[0]} if fixed else {"buffers": shown}
        if self.recorder.ask(at, "every buffer can be updated in place", not fixed, **seen):
            return True
        self._reject("HashAggregate", f"the buffer {fixed[0]} cannot be updated in place")
        return False

    def _reject(self, operator: str, reason: str) -> None:
        """Note a rejected operator, with the same reason once for all stages."""
        if Rejected(operator, reason) not in self.recorder.rejected:
            self.recorder.reject(operator, reason)


def aggregate(plan: Aggregate, context: PlanningContext) -> SparkPlan | None:
    """The stages for an aggregate, the last one on top; the decision goes to the context."""
    known = context.config.behaviour
    parts, recorder = PhysicalAggregation(plan, known.ordered_functions_are_shared), Recorder()
    recorder.ask("streaming", "the input is a stream", plan.is_streaming)
    python = tuple([f.name for f in python_functions(parts.functions)])
    if recorder.ask("python", "a function is written in Python", bool(python), functions=python):
        made: GroupingExec = in_python(parts, recorder, context)
        stages = [PlannedStage.of(1, made)]
    else:
        made, stages = _with_buffers(parts, recorder, context, plan.is_streaming)
    values = {"keys": tuple(parts.keys), "functions": tuple(parts.functions), "results": tuple(parts.results)}
    outcome = made.node_name
    context.decisions.append(recorder.decided("Aggregation", plan, outcome, **values, stages=tuple(stages)))
    return made


def _with_buffers(
    parts: PhysicalAggregation, recorder: Recorder, context: PlanningContext, streams: bool = False
) -> tuple[BaseAggregateExec, list[PlannedStage]]:
    _ask_about(parts, recorder)
    stages = Stages(context, recorder, parts.functions)
    if streams:
        return _of_stream(parts, stages, context.plan(parts.child)), stages.made
    distinct = [f for f in parts.functions if f.distinct]
    child = context.plan(parts.child)
    made = _one_distinct(parts, distinct, stages, child) if distinct else _without_distinct(parts, stages, child)
    return made, stages.made


class _Expanded(TypedDict, total=False):
    """Told where the rows beneath were multiplied, one copy for every list of distinct columns."""

    expanded: bool


def _ask_about(parts: PhysicalAggregation, recorder: Recorder) -> None:
    """The checks that decide how many stages there are (inventory C-003, C-013, C-025)."""
    functions, ask = parts.functions, recorder.ask
    ask("group-only", "there are keys and no function: the rows are only grouped", not functions and bool(parts.keys))
    sets = {f.function.children: None for f in functions if f.distinct}
    shown = tuple([", ".join(map(str, columns)) for columns in sets])
    expanded: _Expanded = {"expanded": True} if isinstance(parts.child, Expand) else {}
    ask("distinct", "a function is DISTINCT", bool(sets), columns=shown, **expanded)
    filters = tuple([str(f.where) for f in functions if f.where is not None])
    ask("filter", "a function has a FILTER, for the stage that sees the rows", bool(filters), conditions=filters)


def _mode(functions: Sequence[Function], mode: str) -> list[Function]:
    """The functions in a mode; only the stage that sees the rows filters them."""
    return [f.replace(mode=mode, where=f.where if mode == "Partial" else None) for f in functions]


def _session(keys: Sequence[AttributeReference]) -> AttributeReference | None:
    """The key that is a session of rows."""
    return next((k for k in keys if SESSION_WINDOW in k.metadata), None)


def _without_distinct(parts: PhysicalAggregation, stages: Stages, child: SparkPlan) -> BaseAggregateExec:
    partial = stages.stage(child, parts.keys, _mode(parts.functions, "Partial"))
    keys = parts.key_attributes
    session = _session(keys)
    if session is not None:
        partial = stages.merging_sessions(partial, keys, session, parts.functions)
    return stages.stage(partial, keys, _mode(parts.functions, "Final"), keys, parts.results)


def _of_stream(parts: PhysicalAggregation, stages: Stages, child: SparkPlan) -> BaseAggregateExec:
    """New buffers are merged, then with those of earlier runs, then kept (Spark: planStreamingAggregation)."""
    keys = parts.key_attributes
    number = stages.context.partitions
    together = Stateful(keys)
    partial = stages.stage(child, parts.keys, _mode(parts.functions, "Partial"))
    session = _session(keys)
    if session is not None:
        others = tuple([k for k in keys if k is not session])
        restored: SparkPlan = SessionWindowStateStoreRestoreExec(others, session, number, partial)
        one = stages.merging_sessions(restored, keys, session, parts.functions, number)
        saved: SparkPlan = SessionWindowStateStoreSaveExec(others, session, number, one)
        return stages.stage(saved, keys, _mode(parts.functions, "Final"), None, parts.results)
    merged = stages.stage(partial, keys, _mode(parts.functions, "PartialMerge"), together)
    again = StateStoreRestoreExec(tuple(keys), number, merged)
    both = stages.stage(again, keys, _mode(parts.functions, "PartialMerge"), together)
    kept = StateStoreSaveExec(tuple(keys), number, both)
    return stages.stage(kept, keys, _mode(parts.functions, "Final"), together, parts.results)


def _one_distinct(
    parts: PhysicalAggregation, distinct: list[Function], stages: Stages, child: SparkPlan
) -> BaseAggregateExec:
    """Partial by keys and distinct columns, merged; then what is distinct is counted, merged once more."""
    plain = [f for f in parts.functions if not f.distinct]
    columns: dict[Expression, NamedExpression] = {}
    again: list[NamedExpression] = []
    for c in distinct[0].function.children:
        # What WITHIN GROUP orders by is the value itself, which is a column once more.
        value = c.child if isinstance(c, SortOrder) else c
        if not value.foldable:
            found = columns.setdefault(value.canonicalized, _distinct_column(value))
            again += [found] * isinstance(c, SortOrder)
    named = [*columns.values(), *again]
    attributes = [n.to_attribute() for n in named]
    keys = parts.key_attributes
    counted = [_over_columns(f, columns, stages) for f in distinct]
    session = _session(keys)
    if session is not None:
        child = UpdatingSessionsExec(tuple(keys), session, child)

    one = stages.stage(child, [*parts.keys, *named], _mode(plain, "Partial"))
    both = [*keys, *attributes]
    two = stages.stage(one, both, _mode(plain, "PartialMerge"), both)
    third = [*_mode(plain, "PartialMerge"), *_mode(counted, "Partial")]
    three = stages.stage(two, keys, third)
    return stages.stage(three, keys, [*_mode(plain, "Final"), *_mode(counted, "Final")], keys, parts.results)


def _distinct_column(c: Expression) -> NamedExpression:
    """What is counted once, under its name, with one NaN and one zero where it is a floating number."""
    new = normalized(c)
    name = c.name if isinstance(c, NamedExpression) else str(c)
    return new if isinstance(new, NamedExpression) else Alias(new, name, next_id())


def _over_columns(f: Function, columns: dict[Expression, NamedExpression], stages: Stages) -> Function:
    """The function reading the columns of the first stages."""

    def column(c: Expression) -> Expression:
        if isinstance(c, SortOrder):
            return c.replace(child=column(c.child))
        return columns[c.canonicalized].to_attribute() if c.canonicalized in columns else c

    new: Expression = f.function.map_children(column)
    stages.buffers[id(new)] = stages.buffers[id(f.function)]
    return f.replace(function=new)
