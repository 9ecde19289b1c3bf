"""A query planned anew under other circumstances: settings, sizes of tables, a join's hints or type.

What the Joins page asks while a slider is dragged (inventory G-004). Only what the change touches is computed again:
the optimizer does not run for a setting that it does not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from planviz.catalog.tables import Table, scaled_table
from planviz.config import OptimizerConfig
from planviz.decisions.choices import Decision
from planviz.decisions.join_tree import FACTOR, NULL_AWARE, PARTITIONS, PREFER_SORT, THRESHOLD
from planviz.document.decisions.bounds import with_fitted_sizes
from planviz.document.decisions.model import Decided
from planviz.document.decisions.queries import as_taken
from planviz.errors import InputError
from planviz.execution import QueryExecution
from planviz.jsontypes import JsonObject
from planviz.logical.combining import Join
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation

#: The settings that can be asked about, in the order of the page.
ASKABLE = (THRESHOLD, PARTITIONS, PREFER_SORT, FACTOR)
#: Those that the optimizer does not read.
_PLANNER_ONLY = frozenset({PARTITIONS, PREFER_SORT, FACTOR, NULL_AWARE})
#: Hints that a side of a join can have.
HINTS = ("broadcast", "merge", "shuffle_hash", "shuffle_replicate_nl")
#: Types of joins that can take each other's place: they have the same columns.
_ALIKE = (("Inner", "LeftOuter", "RightOuter", "FullOuter"), ("LeftSemi", "LeftAnti"))


@dataclass(frozen=True)
class WhatIf:
    """What is otherwise: `settings` by key, `sizes` in bytes by a table's name, `hints` of (left, right) and `types` by
    the join's number, from 0 in the order of the decisions; `profile` is another version of Spark, empty for none."""

    settings: Mapping[str, object] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    hints: Mapping[int, tuple[str | None, str | None]] = field(default_factory=dict)
    types: Mapping[int, str] = field(default_factory=dict)
    profile: str = ""

    def __bool__(self) -> bool:
        return bool(self.settings or self.sizes or self.hints or self.types or self.profile)


def joins_of(execution: QueryExecution) -> list[Decision]:
    """The decisions on the joins of a query. Raises what the stages raise."""
    return [d for d in execution.planned.decisions if d.strategy == "JoinSelection"]


def types_for(kind: str) -> tuple[str, ...]:
    """The types of joins that a join of this type can be asked to have; empty for one that stays what it is."""
    return next((kinds for kinds in _ALIKE if kind in kinds), ())


def tables_of(execution: QueryExecution) -> JsonObject:
    """The catalogue's entries of the tables that a query reads, by name."""
    found: dict[str, object] = {}

    def note(plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, LogicalRelation) and plan.table is not None:
            found.setdefault(plan.table.shown_name, plan.table)
        return plan

    execution.analyzed.transform_with_subqueries(note)
    return found


def replanned(execution: QueryExecution, asked: WhatIf, *, quick: bool = False) -> QueryExecution:
    """The query planned as if: hints and types are those of joins in the optimized plan.

    `quick` leaves the optimizer's work as it is and only plans its result anew: right for every join that the optimizer
    leaves where it was, and to be followed by the whole planning. Raises InputError for a setting, a table, a join, a
    hint or a type that cannot be asked about, and what the stages raise.
    """
    config = _config(execution, asked)
    planner_only = quick or not (asked.sizes or asked.profile or asked.settings.keys() - _PLANNER_ONLY)
    stage = "optimized" if planner_only else execution.base
    plans = {stage: _resized(execution, getattr(execution, stage), asked.sizes)}
    other = execution.again(config, plans=plans)
    if not asked.hints and not asked.types:
        return other
    return other.again(config, plans={"optimized": _with_joins(other, asked)})


def _config(execution: QueryExecution, asked: WhatIf) -> OptimizerConfig:
    config = execution.config
    if asked.profile and asked.profile != config.profile:
        config = replace(OptimizerConfig.of(asked.profile), settings=config.settings)
    return config.with_settings(dict(asked.settings))


def decided_if(queries: tuple[Decided, ...], asked: WhatIf, *, quick: bool = False) -> tuple[Decided, ...]:
    """The decisions on all queries of a document as if; their joins count on from one query to the next.

    Sizes count for the queries that read the table. A pasted plan stays what it is. Raises as `replanned`, and
    InputError for a table that no query reads.
    """
    read = {name for q in queries if q.execution is not None for name in tables_of(q.execution)}
    if unknown := sorted(asked.sizes.keys() - read):
        raise InputError(f"No query reads a table {unknown[0]}; they read {', '.join(sorted(read)) or 'none'}.")
    found, first = [], 0
    for query in queries:
        count = len(query.of("JoinSelection"))
        if query.execution is not None and count:
            other = replanned(query.execution, _of_query(asked, query.execution, first, count), quick=quick)
            profile = other.config.profile
            taken: frozenset[str] = frozenset() if asked.hints else query.taken
            decisions = tuple(map(with_fitted_sizes, as_taken(other.planned.decisions, taken)))
            query = replace(query, decisions=decisions, execution=other, profile=profile)
        found.append(query)
        first += count
    return tuple(found)


def _of_query(asked: WhatIf, execution: QueryExecution, first: int, count: int) -> WhatIf:
    """What is asked of one query; `first` is the number of its first join."""
    known, own = tables_of(execution), range(first, first + count)
    return replace(
        asked,
        sizes={name: size for name, size in asked.sizes.items() if name in known},
        hints={n - first: hints for n, hints in asked.hints.items() if n in own},
        types={n - first: kind for n, kind in asked.types.items() if n in own},
    )


def _resized(execution: QueryExecution, plan: LogicalPlan, sizes: Mapping[str, int]) -> LogicalPlan:
    """A plan over tables of other sizes; as many rows more as there are bytes more (see `catalog.scaled_table`)."""
    if not sizes:
        return plan
    known = tables_of(execution)
    unknown = sorted(sizes.keys() - known.keys())
    if unknown:
        raise InputError(f"The query reads no table {unknown[0]}; it reads {', '.join(sorted(known))}.")
    tables = {name: resized_table(table, sizes[name]) for name, table in known.items() if name in sizes}

    def resize(plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, LogicalRelation) and plan.table is not None and plan.table.shown_name in tables:
            return plan.replace(table=tables[plan.table.shown_name])
        return plan

    return plan.transform_with_subqueries(resize)


def resized_table(table: Table, size: int) -> object:
    """The catalogue's entry of a table, of this size in bytes; rows and statistics grow with a size that is known."""
    if not table.size_in_bytes:
        return replace(table, size_in_bytes=size, fitted=False)
    scaled = scaled_table(table, Fraction(max(size, 1), table.size_in_bytes))
    return replace(scaled, size_in_bytes=size, fitted=False)


def _with_joins(execution: QueryExecution, asked: WhatIf) -> LogicalPlan:
    """The optimized plan with hints and types of joins put into it."""
    plan = execution.optimized
    decisions = joins_of(execution)
    # The topmost first: what is beneath a changed join stays the same object.
    for number in sorted(asked.hints.keys() | asked.types.keys()):
        if not 0 <= number < len(decisions):
            raise InputError(f"There is no join {number + 1}: the plan has {len(decisions)}.")
        join = decisions[number].subject
        plan = plan.transform_with_subqueries(_changing(join, _changed(join, number, asked)))
    return plan


def _changing(join: Join, changed: Join) -> Callable[[LogicalPlan], LogicalPlan]:
    return lambda plan: changed if plan is join else plan


def _changed(join: Join, number: int, asked: WhatIf) -> Join:
    kind = asked.types.get(number, join.kind)
    if kind != join.kind and kind not in types_for(join.kind):
        raise InputError(f"A {join.kind} join cannot be asked to be {kind}: its columns would be others.")
    left, right = asked.hints.get(number, (join.left_hint, join.right_hint))
    unknown = [hint for hint in (left, right) if hint is not None and hint not in HINTS]
    if unknown:
        raise InputError(f"There is no hint {unknown[0]!r}; there are {', '.join(HINTS)}.")
    return join.replace(kind=kind, left_hint=left, right_hint=right)
