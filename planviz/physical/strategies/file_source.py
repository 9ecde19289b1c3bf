"""Scans of files with what can be read less of them (Spark: FileSourceStrategy)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planviz.config import OptimizerConfig
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Alias, AttributeReference
from planviz.expressions.predicates import And, Or, conjunction, split_conjunction
from planviz.expressions.subqueries import ScalarSubquery, SubqueryExpression
from planviz.logical.operators import Filter, Project
from planviz.logical.plan import LeafNode
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.attributes import substitute
from planviz.optimizer.lineage import partition_ids
from planviz.optimizer.rules.projections import can_collapse
from planviz.physical.operators import FilterExec, ProjectExec
from planviz.physical.scans import FileSourceScanExec
from planviz.physical.strategies.nested_fields import read_types

_BUCKETING = "spark.sql.sources.bucketing.enabled"
ALWAYS_INLINE = "spark.sql.optimizer.collapseProjectAlwaysInline"


@dataclass(frozen=True)
class Operation:
    """Projections and filters over a leaf, merged; `filters` are those of each Filter, the lowest first."""

    projects: tuple[Any, ...]
    filters: tuple[tuple[Any, ...], ...]
    relation: Any

    @property
    def meanings(self) -> dict[int, Any]:
        """What the computed columns stand for."""
        return {p.expr_id: p.child for p in self.projects if isinstance(p, Alias)}

    @property
    def split_filters(self) -> tuple[list[Any], list[tuple[Any, ...]]]:
        """The filters that the scan may know, and the Filters that stay above: those from the first random one on."""
        fixed = [all(f.deterministic for f in group) for group in self.filters]
        first = next((i for i, ok in enumerate(fixed) if not ok), len(fixed))
        known = max(first, 1) if self.filters else 0
        return [f for group in self.filters[:known] for f in group], list(self.filters[known:])


def scan_of(plan: Any, config: OptimizerConfig) -> Any:
    """The operators for projections and filters right above a table, or None for another plan."""
    found = operation(plan, bool(config.get(ALWAYS_INLINE)))
    if found is None:
        return None
    relation = found.relation
    filters, above = found.split_filters
    by_partition = partition_ids(relation)
    usable = _over_table([f for f in filters if f.deterministic], relation)
    on_partitions = _distinct([p for f in usable for p in _within(f, by_partition)]) if by_partition else []
    on_data = [p for f in usable for p in _data_filter(f, by_partition)]
    done = {f.canonicalized for f in on_partitions if f.references}
    after = _distinct([f for f in filters if f.canonicalized not in done])
    needed = frozenset[int]().union(*[e.references for e in (*found.projects, *after, *[f for g in above for f in g])])
    read = [a for a in relation.output if a.expr_id in needed and a.expr_id not in by_partition]
    read += [a for a in relation.output if a.expr_id in by_partition]
    narrowed = read_types(read, (*found.projects, *filters, *[f for g in above for f in g]))
    off = "" if config.get(_BUCKETING) else "disabled by configuration"
    made: Any = FileSourceScanExec.of(relation, tuple(read), narrowed, tuple(on_partitions), tuple(on_data), off)
    for group in ([after] if after else []) + [list(g) for g in above]:
        made = FilterExec(conjunction(group), made)
    same = [a.expr_id if isinstance(a, AttributeReference) else None for a in found.projects]
    return made if same == [a.expr_id for a in made.output] else ProjectExec(found.projects, made)


def operation(plan: Any, always: bool, leaf: type[LeafNode] = LogicalRelation) -> Operation | None:
    """The projections and filters above a leaf as one (Spark: ScanOperation); None where they cannot be merged."""
    if isinstance(plan, leaf):
        return Operation(tuple(plan.output), (), plan)
    if not isinstance(plan, Project | Filter):
        return None
    below = operation(plan.child, always, leaf)
    if below is None:
        return None
    if isinstance(plan, Filter):
        if not can_collapse((plan.condition,), below.projects, always):
            return None
        conditions = tuple(substitute(c, below.meanings) for c in split_conjunction(plan.condition))
        return Operation(below.projects, (*below.filters, conditions), below.relation)
    if not can_collapse(plan.projects, below.projects, always):
        return None
    inner: dict[int, Any] = {p.expr_id: p for p in below.projects}
    projects = tuple(_over(p, inner, below.meanings) for p in plan.projects)
    return Operation(projects, below.filters, below.relation)


def _over(e: Any, inner: dict[int, Any], meanings: dict[int, Any]) -> Any:
    """A projected expression over the columns of the table; an attribute keeps its alias beneath."""
    if isinstance(e, AttributeReference):
        return inner.get(e.expr_id, e)
    return substitute(e, meanings)


def _over_table(filters: list[Any], relation: LogicalRelation) -> list[Any]:
    """The filters with the columns' names as the table writes them (Spark: DataSourceStrategy.normalizeExprs)."""
    names: dict[int, Any] = {a.expr_id: a for a in relation.output}

    def written(x: Any) -> Any:
        known = names.get(x.expr_id) if isinstance(x, AttributeReference) else None
        return x if known is None or known.name == x.name else x.replace(name=known.name)

    return [f.transform_up(written, AttributeReference.BIT) for f in filters]


def _distinct(filters: Sequence[Any]) -> list[Any]:
    """The filters, those of equal meaning once."""
    return list({f.canonicalized: f for f in reversed(filters)}.values())[::-1]


def _within(f: Any, columns: frozenset[int]) -> list[Any]:
    """What a filter says about these columns alone, if anything (Spark: extractPredicatesWithinOutputSet)."""
    match f:
        case And(left, right):
            parts = [*_within(left, columns), *_within(right, columns)]
            return [And(*parts)] if len(parts) == 2 else parts
        case Or(left, right):
            either = [_within(left, columns), _within(right, columns)]
            return [Or(either[0][0], either[1][0])] if all(either) else []
    return [f] if f.references <= columns else []


def _data_filter(f: Any, by_partition: frozenset[int]) -> list[Any]:
    """What the reader of the files may know of a filter."""
    if f.bits & SubqueryExpression.BIT and not _compares_values(f):
        return []
    if not f.references & by_partition:
        return [f]
    return _within(f, f.references - by_partition)


def _compares_values(f: Any) -> bool:
    """Whether the subqueries of a filter give single values, none of them a runtime bloom filter."""
    bloom = isinstance(f, FunctionCall) and f.name == "might_contain"
    return not bloom and all(isinstance(s, ScalarSubquery) for s in f.collect(SubqueryExpression))
