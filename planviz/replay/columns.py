"""The types of columns: from the `L` of bigints, ReadSchema, the analyzed plan's line of columns, and from use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from planviz.catalog.tables import Buckets
from planviz.errors import PlanvizError
from planviz.expressions.core import AttributeReference
from planviz.expressions.python import PythonEvalType
from planviz.graph import PlanGraph
from planviz.logical.cached import CachedPlan
from planviz.replay.caches import caches_in
from planviz.replay.layouts import buckets_in
from planviz.replay.lifting.lines import line_of
from planviz.replay.python_calls import python_calls
from planviz.types import DOUBLE, LONG, UNKNOWN, DataType, StructField
from planviz.types.reading import parse_fields, parse_type

#: A scan's line: the format, the table and the list of columns.
SCAN = re.compile(r"(?:FileScan|Scan|BatchScan)\s++(?:(\w+)\s++)?([\w.`$/:-]*)\s*\[([^\]]*)\]")
_SCHEMA = re.compile(
    r"ReadSchema: struct<((?:(?!ReadSchema: ).)*?)(?:>(?=$|\s|, \w+:)|(?=\.\.\.(?: \d+ more fields)?>?$))"
)
#: The filters that choose partitions: of columns of partitions alone.
_PARTITIONS = re.compile(
    r"PartitionFilters: \[((?:(?!PartitionFilters: ).)*?)\], (?:PushedFilters|ReadSchema|DataFilters): ", re.S
)
_NUMBER = re.compile(r"(?<!dynamicpruning)(?<!subquery)#(\d{1,18})")
_MENTION = re.compile(r"(?<!\w)(?=\d*[^\W\d])(\w+)#(\d{1,18})(L?)\b")
#: A table of Hive as Spark names it before 2.2, without its columns.
HIVE_TABLE = re.compile(r"(?:Metastore|SimpleCatalog)Relation \w+, \w+")
_LISTED = re.compile(r"\[[^\[\]]*\]")
#: Kinds of operators that give no columns but their inputs' and those that an expression is named.
_PASSING_ON = frozenset({"filter", "project", "join", "exchange", "sort", "other"})
_NAMED = re.compile(r" AS (?:(?! AS )[^#\[\]])*#(\d{1,18})")
_KEYS = re.compile(r"BroadcastHashJoin \[([^\[\]]*)\], \[([^\[\]]*)\], .*?Build(Left|Right)")
_KEY = re.compile(r"(?:^|, )\w+#(\d{1,18})(?=, |$)")
_MODE = re.compile(r"HashedRelationBroadcastMode\(List\(.*\),(?:true|false)\)")
_INPUT = re.compile(r"input\[\d+, (\w+(?:\(\d+,\d+\))?), (?:true|false)\]")
#: What is made one NaN and one zero is of floating numbers.
_FLOATING = re.compile(r"normalizenanandzero\([\w.]+#(\d{1,18})\)")
#: The end of a line of columns of which Spark left out some.
_LEFT_OUT = re.compile(r", \.\.\. \d+ more fields$")
_LOOP = re.compile(r"UnionLoop (\d{1,18}), \[(.*)\]")
_ZONED = re.compile(r"\bSome\(([A-Z]\w*/[\w/+-]+|UTC|[+-]\d\d:\d\d)\)")
_COLUMN = re.compile(r"(?<![^\s,\[\]])([^\s,\[\]]+?)#(\d{1,18})(L?)(?=[,\]\s]|$)")


@dataclass
class Columns:
    """Types by id, and by table and name for other uses of the same table; `inferred` are ids whose type was told by
    use alone, `output` the columns of the analyzed plan as its line names them."""

    by_id: dict[int, DataType] = field(default_factory=dict)
    by_name: dict[tuple[str, str], DataType] = field(default_factory=dict)
    inferred: set[int] = field(default_factory=set)
    output: tuple[StructField, ...] = ()
    #: The columns that a table is partitioned by: a scan gives them, and its files do not hold them.
    partitions: dict[str, list[str]] = field(default_factory=dict)
    #: The ids of such columns, for tables that have no name.
    partition_ids: set[int] = field(default_factory=set)
    #: The buckets of tables, by the names that scans give them.
    buckets: dict[str, Buckets] = field(default_factory=dict)
    #: The tables that scans name, by the ids of their columns: an older Spark's relations have no name.
    tables: dict[int, str] = field(default_factory=dict)
    #: The columns that scans of a table read, one list a scan, in the order of the text, where the relations of the
    #: logical plans do not list theirs, as those of Hive's tables before Spark 2.2.
    scans: dict[str, list[list[tuple[str, int, bool]]]] = field(default_factory=dict)
    #: Of each such relation, whether it has more columns than are read: the optimizer put a projection over it.
    pruned: dict[str, list[bool]] = field(default_factory=dict)
    #: Texts of operators that were given up after many ways to read them: each is read several times in one replay.
    unreadable: set[str] = field(default_factory=set)
    #: What the definitions of CTEs give, by their ids, as far as they are read.
    definitions: dict[int, tuple[AttributeReference, ...]] = field(default_factory=dict)
    #: The columns of recursive CTEs as the physical plan lists them, by the loops' ids.
    loops: dict[int, tuple[tuple[str, int, bool], ...]] = field(default_factory=dict)
    #: The caches that are read, by the text beneath their relations.
    caches: dict[str, CachedPlan] = field(default_factory=dict)
    #: How functions written in Python are called, by the id of the result, by the name where the text shows no ids.
    python: dict[int | str, PythonEvalType] = field(default_factory=dict)
    #: The time zone that the text names, which not every function prints.
    zone: str = "Etc/UTC"
    #: The ids of leaves' columns that are never null.
    never_null: set[int] = field(default_factory=set)

    #: Whether no row is left somewhere in the optimized plan.
    empties: bool = False

    #: Whether lists in the text are cut, so that a column may be one that no line makes.
    shortened: bool = False
    #: Of a shortened text: every column that some line mentions, by its id, with its name and whether it is a bigint.
    mentioned: dict[int, tuple[str, bool]] = field(default_factory=dict)

    #: Of a shortened text: by the first columns of its leaves, what the lines above each of them mention, up to one
    #: that makes columns of its own.
    above: dict[int, set[int]] = field(default_factory=dict)
    #: The columns that leaves list or that expressions are named.
    made: set[int] = field(default_factory=set)

    def left_out(self, first: int, last: int) -> list[int]:
        """The ids above `last` that lines above the leaf whose columns begin with `first` mention and no line makes, up
        to where the columns of another leaf begin."""
        end = min((i for i in self.above if i > last), default=None)
        found = (i for i in self.above.get(first, ()) if i > last and (end is None or i < end))
        return sorted(i for i in found if i not in self.made)

    def type_of(self, expr_id: int, table: str, name: str, long: bool) -> DataType:
        """The type of a relation's column, UNKNOWN where nothing tells."""
        if long:
            return LONG
        found = self.by_id.get(expr_id) or self.by_name.get((table, name.lower()))
        return UNKNOWN if found is None or found == LONG else found


def columns_of(plans: Iterable[PlanGraph], heading_lines: Iterable[str] = ()) -> Columns:
    """All that the plans of one explain say of the types of columns; `heading_lines` are lines of output columns."""
    columns, plans = Columns(), list(plans)
    columns.buckets, columns.caches = buckets_in(plans), caches_in(plans)
    for line in heading_lines:
        try:
            columns.output = parse_fields(re.sub(r"(?<=[\w`]): ", " ", _LEFT_OUT.sub("", line)))
        except PlanvizError:
            continue
    zones = (m[1] for p in plans for n in p if "Some(" in n.text and (m := _ZONED.search(n.text)) is not None)
    columns.zone = next(zones, columns.zone)
    for plan in plans:
        if plan.stage == "optimized":
            _note_local_rows(plan, columns)
        for node in plan:
            columns.shortened = columns.shortened or " more fields" in node.text
            if (loop := _LOOP.match(node.text)) is not None:
                own = ((n, int(i), bool(long)) for n, i, long in _COLUMN.findall(loop[2]))
                columns.loops.setdefault(int(loop[1]), tuple(own))
            if "normalizenanandzero(" in node.text:
                for number in _FLOATING.findall(node.text):
                    columns.by_id.setdefault(int(number), DOUBLE)
            if node.op == "BroadcastHashJoin":
                _note_keys(plan, node.id, columns)
            if "Python" in node.op or "Pandas" in node.op:
                columns.python |= python_calls(node.op, line_of(node).text)
            if node.kind == "scan" and "ReadSchema" in node.text:
                scan_columns(node.text, columns)
            if node.op == "HiveTableScan" and (table := HIVE_TABLE.search(node.text)) is not None:
                listed = _LISTED.search(node.text)
                read = [(n, int(i), bool(long)) for n, i, long in _COLUMN.findall(listed.group() if listed else "")]
                columns.scans.setdefault(table.group(), []).append(read)
            elif plan.stage == "optimized" and (table := HIVE_TABLE.match(node.text)) is not None:
                columns.pruned.setdefault(table.group(), []).append(_is_pruned(plan, node.id))
    _note_names(plans, columns)
    for plan in plans:
        _note_cached(plan, columns)
    if columns.shortened:
        for name, number, long in (m for p in plans for n in p for m in _MENTION.findall(n.text)):
            columns.mentioned.setdefault(int(number), (name, bool(long)))
        for plan in plans:
            _note_leaves(plan, columns)
    return columns


def _note_names(plans: list[PlanGraph], columns: Columns) -> None:
    """Note which tables relations are of that have no name, as before Spark 3.2, where no scan lists their columns.

    In an analyzed plan the name stands right above; else it is of the scan without columns, of which there must be as
    many as there are such relations.
    """
    unknown: list[list[int]] = []
    for plan in plans:
        for node in plan if plan.stage in ("analyzed", "optimized") else ():
            ids = [int(i) for _, i, _ in _COLUMN.findall(node.text)] if node.text.startswith("Relation[") else []
            if not ids or any(i in columns.tables for i in ids):
                continue
            above = None if node.parent is None else plan[node.parent]
            name = above.text.removeprefix("SubqueryAlias ").split(".") if above is not None else []
            if above is not None and above.op == "SubqueryAlias" and len(name) == 3:
                columns.tables.update(dict.fromkeys(ids, ".".join(name[1:])))
            elif plan.stage == "optimized":
                unknown.append(ids)
    lines = [n.text for p in plans if unknown and p.stage == "physical" for n in p if n.kind == "scan"]
    scans = [m.group(2) for line in lines if (m := SCAN.search(line)) is not None and not m.group(3).strip("[]")]
    for ids, name_of_scan in zip(unknown, scans, strict=False) if len(unknown) == len(scans) else ():
        columns.tables.update(dict.fromkeys(ids, name_of_scan))


def _note_keys(plan: PlanGraph, join: int, columns: Columns) -> None:
    """Note the types of a join's keys that its broadcast names; a column of partitions stands in no schema."""
    m = _KEYS.match(plan[join].text)
    sides = [c for c in plan.children(join) if plan.edge_type(join, c) == "child"]
    if m is None or len(sides) != 2:
        return
    mode = _MODE.search(plan[sides[m[3] == "Right"]].text)
    types = _INPUT.findall(mode.group()) if mode is not None else []
    lists = [_KEY.findall(part) for part in m.group(1, 2)]
    if any(
        len(found) != len(types) or part.count(",") != len(types) - 1
        for found, part in zip(lists, m.groups(), strict=False)
    ):
        return
    for keys in lists:
        for number, kind in zip(keys, types, strict=True):
            try:
                columns.by_id.setdefault(int(number), parse_type(kind))
            except PlanvizError:
                return


def _note_cached(plan: PlanGraph, columns: Columns) -> None:
    """Give the columns of caches the types of those of the plans that fill them, which have ids of their own."""
    for node in reversed(list(plan)):
        if node.op != "InMemoryRelation":
            continue
        beneath = plan.children(node.id)
        while beneath and _MAKING.match(plan[beneath[0]].text) is None:
            beneath = plan.children(beneath[0])
        made = _MAKING.match(plan[beneath[0]].text) if beneath else None
        own = _columns_in(node.text.partition("], StorageLevel")[0].partition("[")[2])
        filling = _columns_in(made.group(1) or made.group(2)) if made is not None else []
        for (_, number, long), (source, _, _) in zip(own, filling, strict=False) if len(own) == len(filling) else ():
            kind = columns.by_id.get(source)
            if kind is not None and not long:
                columns.by_id.setdefault(number, kind)


def _columns_in(listed: str) -> list[tuple[int, int, bool]]:
    """Of each item of a list the column that it shows (0: none), the one that it gives, whether that is a bigint."""
    found: list[tuple[int, int, bool]] = []
    depth = start = 0
    for at, letter in enumerate(listed + ","):
        depth += (letter in "([<") - (letter in ")]>")
        if letter == "," and depth <= 0:
            m = _ITEM.match(listed[start:at].strip())
            found.append((int(m[1]), int(m[3] or m[1]), bool(m[4] if m[3] else m[2])) if m else (0, 0, False))
            start = at + 1
    return found


#: A column, or a column under another name.
_ITEM = re.compile(r"[^\s#()]+#(\d{1,18})(L?)(?: AS [^#()]+#(\d{1,18})(L?))?$")
#: The operators of a physical plan that say which columns they give, in brackets that stand last or behind their name.
_MAKING = re.compile(r"(?:Project \[(.*)\]$|(?:\w*Aggregate\(.*output=|FileScan [^\[]*)\[(.*?)\])", re.DOTALL)


def _note_local_rows(plan: PlanGraph, columns: Columns) -> None:
    """Note whether rows that an optimized plan held are gone, and that the keys of inner joins are not null in those
    that are left: the optimizer took out the others, and nobody sees the rows."""
    columns.empties = columns.empties or any(n.text.startswith("LocalRelation <empty>") for n in plan)
    held = {int(i) for n in plan if n.op == "LocalRelation" for i in _NUMBER.findall(n.text)}
    for node in plan if held else ():
        if node.text.startswith("Join Inner, "):
            columns.never_null.update(held.intersection(map(int, _NUMBER.findall(node.text))))


def _note_leaves(plan: PlanGraph, columns: Columns) -> None:
    """Note what the leaves of a plan list, and what the lines above them mention."""
    for node in plan:
        columns.made.update(int(i) for i in _NAMED.findall(node.text))
        listed = _LISTED.search(node.text) if node.kind == "scan" else None
        ids = [int(i) for _, i, _ in _COLUMN.findall(listed.group())] if listed is not None else []
        if not ids:
            continue
        columns.made.update(ids)
        mentioned = columns.above.setdefault(ids[0], set())
        at = node.parent
        while at is not None and plan[at].kind in _PASSING_ON:
            mentioned.update(int(i) for _, i, _ in _MENTION.findall(plan[at].text))
            at = plan[at].parent


def _is_pruned(plan: PlanGraph, leaf: int) -> bool:
    """Whether only columns are taken from a leaf, as the optimizer does where it has more."""
    above = plan[leaf].parent
    while above is not None and plan[above].op == "Filter":
        above = plan[above].parent
    return above is not None and plan[above].op == "Project" and " AS " not in plan[above].text


def scan_columns(text: str, columns: Columns) -> None:
    """Note what the line of a scan says of its table: types, columns of partitions, the name."""
    m, schema = SCAN.search(text), _SCHEMA.search(text)
    if m is None or schema is None:
        return
    table = m.group(2).lower()
    try:
        whole = "..." not in text[schema.start() :]
        fields = {f.name: f.data_type for f in _fields(schema.group(1) if whole else _whole_part(schema.group(1)))}
    except PlanvizError:
        return
    filtered = _PARTITIONS.search(text)
    columns.partition_ids.update(int(i) for i in _NUMBER.findall(filtered.group(1) if filtered else ""))
    for name, number, long in _COLUMN.findall(m.group(3)):
        if whole and name not in fields:
            columns.partition_ids.add(int(number))
        if whole and table and name not in fields and name not in columns.partitions.setdefault(table, []):
            columns.partitions[table].append(name)
        if table:
            columns.tables[int(number)] = m.group(2)
        kind = LONG if long else fields.get(name)
        if kind is not None:
            columns.by_id[int(number)] = kind
            if table:
                columns.by_name[table, name.lower()] = kind


def _whole_part(text: str) -> str:
    """The fields of a shortened schema that stand there whole."""
    depth, end = 0, 0
    for at, c in enumerate(text):
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            end = at
    return text[:end]


def _fields(text: str) -> tuple[StructField, ...]:
    kind = parse_type(f"struct<{text}>")
    found: tuple[StructField, ...] = getattr(kind, "fields", ())
    return found
