"""The tables that the relations of a text stand for, with names and sizes."""

from __future__ import annotations

import re
from copy import copy
from weakref import WeakKeyDictionary

from planviz.catalog.tables import Table
from planviz.estimation import take_estimate
from planviz.logical.cached import InMemoryRelation
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.replay.columns import Columns
from planviz.replay.opaque import OpaqueOperator, nodes_of
from planviz.trees.memo import Memo
from planviz.types import StructField

_ID = re.compile(r"#\d+L?")
#: Where the lines of sources have the name of what they read.
_NAMES = (
    re.compile(r"(?:HiveTable|Catalog)Relation \[?((?:`[^`]+`\.?)+)"),
    re.compile(r"MetastoreRelation (\w+), (\w+)"),
    re.compile(r"JDBCRelation\((.*?)\)(?= \[numPartitions| ?\[|$)"),
    re.compile(r"Scan(?: |Relation )([\w`]+(?:\.[\w`]+)+)"),
    re.compile(r"^BatchScan ?\[[^\[\]]*\] ?([\w`-]+(?:\.[\w`-]+)+)"),
)
#: The characters of such a name, at most.
_LONGEST = 60
_FIELDS: Memo[tuple[StructField, ...]] = Memo("replayed_fields")
_KEYS: Memo[str] = Memo("replayed_key")
_SOURCES: WeakKeyDictionary[LogicalPlan, str] = WeakKeyDictionary()


def with_tables(
    plan: LogicalPlan, sizes: dict[str, int], columns: Columns, rows: dict[str, int] | None = None
) -> LogicalPlan:
    """The plan over tables of these sizes and rows; a table that has none stays of unknown size."""
    _note_partitions(plan, columns)

    def one(p: LogicalPlan) -> LogicalPlan:
        if isinstance(p, LogicalRelation):
            return p.replace(table=table_of(p, sizes.get(key_of(p)), columns, (rows or {}).get(key_of(p))))
        return with_size(p, sizes)

    return plan.transform_with_subqueries(one)


def with_size(leaf: LogicalPlan, sizes: dict[str, int]) -> LogicalPlan:
    """A source that stands as it was printed, of the size that it has there; anything else as it is."""
    if not is_printed_leaf(leaf) or source_of(leaf) not in sizes:
        return leaf
    made = copy(leaf)
    take_estimate(made, sizes[source_of(leaf)], None)
    return made


def is_printed_leaf(plan: LogicalPlan) -> bool:
    """Whether this is a source that stands as it was printed, such as a table of a database, or a cache."""
    return isinstance(plan, OpaqueOperator | InMemoryRelation) and not plan.children


def source_of(plan: LogicalPlan) -> str:
    """What a leaf that stands as it was printed reads, in its own words: two lines of one table have one name."""
    if plan not in _SOURCES:
        text = str(plan.simple_string)
        named = next((m for m in (p.search(text) for p in _NAMES) if m is not None), None)
        words = ".".join(g.replace("`", "") for g in named.groups() if g) if named is not None else _ID.sub("", text)
        _SOURCES[plan] = words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
    return _SOURCES[plan]


def named(plan: LogicalPlan, columns: Columns) -> LogicalPlan:
    """The plan with the names that scans give to relations that were printed without one.

    A relation that no scan reads, since its exchange is reused, is the table of those with the same columns.
    """
    nameless = [n for n in nodes_of(plan) if isinstance(n, LogicalRelation) and not n.name]
    known: dict[str, set[str]] = {}
    for relation in nameless:
        known.setdefault(key_of(relation), set()).update(_scanned(relation, columns))

    def one(p: LogicalPlan) -> LogicalPlan:
        if not isinstance(p, LogicalRelation) or p.name:
            return p
        names = _scanned(p, columns)[:1] or sorted(known[key_of(p)])
        return p.replace(name=tuple(names[0].split("."))) if len(names) == 1 else p

    return plan.transform_with_subqueries(one) if nameless else plan


def _scanned(relation: LogicalRelation, columns: Columns) -> list[str]:
    """The names that scans of its columns have."""
    return list(dict.fromkeys(columns.tables[a.expr_id] for a in relation.attributes if a.expr_id in columns.tables))


def table_of(relation: LogicalRelation, size: int | None, columns: Columns, rows: int | None = None) -> Table:
    """The entry of a catalogue that a relation stands for."""
    name = relation.name[-1] if relation.name else ""
    database = relation.name[-2] if len(relation.name) > 1 else "default"
    fields = _FIELDS.get(relation)
    if fields is None:
        fields = _FIELDS.set(relation, tuple([StructField(a.name, a.type, True) for a in relation.attributes]))
    partitions = columns.partitions.get(key_of(relation), ())
    scans = (".".join(relation.name), *_scanned(relation, columns))
    buckets = next((b for s in scans if (b := columns.buckets.get(s.lower())) is not None), None)
    return Table(name, fields, database, relation.provider, tuple(partitions), rows, size, buckets=buckets)


def _note_partitions(plan: LogicalPlan, columns: Columns) -> None:
    """Note the columns of partitions of relations without a name, for all that have the same columns: not every one
    is scanned where exchanges are reused."""
    for relation in nodes_of(plan) if columns.partition_ids else ():
        if isinstance(relation, LogicalRelation) and not relation.name:
            found = [a.name for a in relation.attributes if a.expr_id in columns.partition_ids]
            if found:
                columns.partitions.setdefault(key_of(relation), found)


def key_of(relation: LogicalRelation) -> str:
    """The name of a relation's table; the columns of one that has no name."""
    found = _KEYS.get(relation)
    if found is None:
        columns = ",".join([a.name for a in relation.attributes])
        found = _KEYS.set(relation, ".".join(relation.name).lower() or f"[{columns}]")
    return found
