"""Leaves: scans, relations, cached and local data; their table, columns, pushed filters, partitions, location."""

from __future__ import annotations

import re

from planviz.plantext.operators.pieces import (
    Parts,
    bracketed,
    is_list,
    items,
    rest,
    snake,
    split,
    take_options,
    value,
    without_class,
)

FORMATS = frozenset(
    ("parquet", "orc", "csv", "json", "text", "avro", "xml", "binaryfile", "hive", "delta", "iceberg", "hudi", "libsvm")
)
_KEY = re.compile(
    r"(?:^|,? )(Batched|DataFilters|Format|Location|PartitionFilters|PushedFilters|ReadSchema|SelectedBucketsCount|"
    r"PartitionCount|PushedAggregates|PushedAggregation|PushedGroupby|PushedGroupBy|PushedGroupByExpressions|"
    r"PushedGroupingExpressions|Bucketed|DictionaryFilters|PushedLimit|PushedTopN|PushedSample|RuntimeFilters|"
    r"RequiredDataFilters|OptionalDataFilters|DppFilters|PushedOffset|PushedJoins|NativeFilters|"
    r"Eager_IO_Prefetch):(?: |$)"
)
_NAMES = {"SelectedBucketsCount": "selected_buckets", "PushedGroupby": "pushed_group_by"}
_AS_TEXT = {"read_schema", "location", "bucketed"}
_JDBC = re.compile(r"JDBCRelation\(")
_OLD_JDBC = re.compile(r"jdbc:\S*?,([^,]+),Partition\[\]")  # up to 1.6: address, table, partitions, properties
_TOLD_BY_LINES = re.compile(r"(\w+Relation)\(([\w.:-]+)\n")  # a table, and its rows and bytes on lines of their own
_TABLE_OF_SOURCE = re.compile(r"((?:`[^`]+`|[\w-]+)(?:\.(?:`[^`]+`|[\w-]+))+)(?: [(\[]|$)")
_NAMED_SOURCE = re.compile(r"([A-Z]\w+?) ?Scan(?:: ?([\w.]+)|\b)")
_IN_MEMORY = "In-memory table "
_STORAGE = re.compile(r"StorageLevel\(([^()]*)\)")
_OLD_CACHE = re.compile(r",? ?\(?InMemoryRelation \[")
_OLD_CACHE_NAME = re.compile(r", Some\(([^()]+)\)\)?$")
_CACHE_NAME = re.compile(r",Some\((.*)\)\)\s*$", re.DOTALL)


def read_scan(op: str, text: str) -> Parts:
    """`FileScan parquet db.t[a#1,b#2] Batched: true, DataFilters: [..], ..`, `Scan JDBCRelation(t) [a#1]`.

    Before the columns stand the format (a file scan's first word) and the table; behind them what the source says of
    itself and `Key: value` entries.
    """
    parts: Parts = {}
    keyed = _KEY.search(text)
    body = text[: keyed.start()] if keyed else text
    head = _read_columns(body, parts)
    _read_head(op, head, parts)
    if keyed:
        _read_entries(text[keyed.start() :], parts)
    if "table" not in parts and "source" in parts and "Scan" in op:
        _read_source(parts)
    return parts


def _read_source(parts: Parts) -> None:
    """Table and format out of what a source says of itself behind the columns."""
    source = str(parts["source"])
    if match := _TABLE_OF_SOURCE.match(source):
        parts["table"] = match[1].replace("`", "")
    elif match := _NAMED_SOURCE.match(source):
        parts.setdefault("format", match[1].lower())
        if match[2]:
            parts["table"] = match[2]


def _read_columns(body: str, parts: Parts) -> str:
    """What stands before the first list of columns; the list and what follows it go into `parts`."""
    at = _list_start(body)
    if at < 0:
        return body
    head, listed = body[:at], body[at:]
    if not head.strip() and re.match(r"\[native_\w+\] \w", listed):  # CometScan [native_iceberg_compat] parquet ..
        head, at = "", listed.index("]")
        parts["implementation"] = listed[1:at]
        return _read_columns(listed[at + 1 :].lstrip(), parts)
    group, _, tail = bracketed(listed)
    tail = tail.strip(" ,\n")
    if head.endswith("Relation") and "#" not in group and tail.startswith("[") and "#" in bracketed(tail)[0]:
        # `DirectBigQueryRelation[project.data.table] [a#1]`: what the relation says of itself.
        parts["format"], parts["table"], head = without_class(head.strip()), group[1:-1], ""
        group, _, tail = bracketed(tail)
        tail = tail.strip(" ,\n")
    if take_options([group], parts):
        parts["output"] = items(group)
    elif is_list(tail):  # [numPartitions=1] [columns]
        group, _, tail = bracketed(tail)
        parts["output"] = items(group)
        tail = tail.strip(" ,\n")
    if is_list(tail):  # a cached table's predicates, or what a source has pushed
        group, _, tail = bracketed(tail)
        parts["filters"] = items(group)
        tail = tail.strip(" ,\n")
    if tail.startswith("..."):
        parts["cut"] = tail
    elif tail:
        parts["source"] = without_class(tail)
    return head


def _list_start(body: str) -> int:
    """Where the first list outside round brackets begins, or -1."""
    at = body.find("[")
    round_one = body.find("(")
    while 0 <= round_one < at:
        end = round_one + len(bracketed(body[round_one:])[0])
        at = body.find("[", end)
        round_one = body.find("(", end)
    return at


def _read_head(op: str, head: str, parts: Parts) -> None:
    head = head.strip(" :,\n")
    if head.endswith("..."):
        head = head[:-3].rstrip()
        parts["cut"] = "..."
    if not head:
        return
    if match := _JDBC.match(head):
        parts["format"] = "jdbc"
        inside = bracketed(head[match.end() - 1 :])[1]
        old = _OLD_JDBC.match(inside)
        parts["table"] = old[1] if old else inside
        return
    if match := _TOLD_BY_LINES.match(head):
        parts["format"], parts["table"] = match[1], match[2]
        return
    if head.startswith(_IN_MEMORY):
        parts["format"] = "in-memory"
        parts["table"] = head[len(_IN_MEMORY) :].strip("`")
        return
    first, _, table = head.partition(" ")
    if first.lower() in FORMATS or (table and "Scan" in op and first.isidentifier() and first.islower()):
        parts["format"] = first
        head = table.strip()
    if head.startswith("... "):  # somebody left out what stands before the name
        head = head[4:].lstrip()
        parts["cut"] = "..."
    if head:
        parts["table"] = without_class(head)


def _read_entries(text: str, parts: Parts) -> None:
    matches = list(_KEY.finditer(text))
    for at, match in enumerate(matches):
        end = matches[at + 1].start() if at + 1 < len(matches) else len(text)
        read_entry(match[1], text[match.end() : end].strip().rstrip(","), parts)


def read_entry(key: str, text: str, parts: Parts) -> None:
    """One `Key: value` of a scan, of its line or its detail block, into `parts`."""
    name = _NAMES.get(key) or snake(key)
    if not text:
        return
    if name in _AS_TEXT:
        parts[name] = text
    elif is_list(text):
        # Whole metadata entries vanish behind the last one: `PartitionFilters: [], ... 2 more fields`.
        group, _, tail = bracketed(text)
        parts[name] = items(group)
        if tail.strip(" ,"):
            parts["cut"] = tail.strip(" ,")
    elif name == "format":
        parts.setdefault(name, text)
    elif name.endswith("_filters"):
        parts[name] = [text]  # a damaged list
    else:
        parts[name] = value(text)


def is_entry(key: str) -> bool:
    """Whether a key of a detail block is one of a scan's."""
    return _KEY.match(f"{key}: ") is not None


def read_relation(op: str, text: str) -> Parts:
    """`Relation db.t[a#1,b#2] parquet`, `RelationV2[a#1] catalog t`."""
    parts: Parts = {}
    head = _read_columns(text, parts).strip(" ,")
    source = str(parts.get("source", ""))
    if op == "RelationV2":
        first, _, table = source.partition(" ")
        if first in FORMATS:
            parts["format"], head = first, table.strip()
        elif source and source[:1] != "(":
            head = source
        if source[:1] != "(":
            parts.pop("source", None)
    elif source and "," not in source:
        parts["format"] = parts.pop("source")
    elif head in FORMATS and not source:
        parts["format"], head = head, ""
    if head:
        parts["table"] = without_class(head)
    return parts


def read_unresolved_relation(op: str, text: str) -> Parts:
    """`UnresolvedRelation [db, t], [], false`, ``UnresolvedCatalogRelation `db`.`t`, serde, [], false``."""
    pieces = split(text)
    parts: Parts = {}
    if pieces and op == "UnresolvedCatalogRelation":
        parts["table"] = pieces.pop(0).replace("`", "")
    elif pieces and not is_list(pieces[0]):  # up to 2.x: `db`.`t`, or: None, t, None
        parts["table"] = ".".join(piece.strip("`") for piece in pieces if piece != "None").replace("`.`", ".")
        return parts
    if pieces and is_list(pieces[0]):
        parts["table"] = ".".join(items(pieces.pop(0)))
    if pieces and is_list(pieces[0]) and pieces[0] != "[]":
        parts["options"] = items(pieces[0])
    pieces = [piece for piece in pieces if not is_list(piece) and piece != "None"]
    if pieces and pieces[0] in ("true", "false") and pieces.pop(0) == "true":
        parts["streaming"] = True
    return rest(parts, pieces)


def read_hive(op: str, text: str) -> Parts:
    """`Scan hive db.t [a#1], HiveTableRelation [`db`.`t`, serde, Data Cols: [..]], [filters]`, `HiveTableScan ..`.

    Spark 2.2 calls the relation CatalogRelation.
    """
    parts: Parts = {}
    if op in ("HiveTableRelation", "CatalogRelation"):
        _hive_table(text, parts)
        return parts
    pieces = split(text)
    if pieces and not is_list(pieces[0]):
        head, bracket, columns = pieces[0].partition("[")
        _read_head(op, head, parts)
        if bracket:
            parts["output"] = items("[" + columns)
        pieces.pop(0)
    elif pieces:
        parts["output"] = items(pieces.pop(0))
    found: Parts = {}
    if pieces:
        relation = pieces.pop(0).strip("()")
        name = re.match(r"(HiveTableRelation|CatalogRelation|MetastoreRelation)\b ?", relation)
        if name and name[1] == "MetastoreRelation" and ((pieces and not is_list(pieces[0])) or ", " in relation):
            database = relation[name.end() :].split(", ")
            found["table"] = ".".join(database[:2]) if len(database) > 1 else f"{database[0]}.{pieces.pop(0)}"
        elif name:
            inside = relation[name.end() :]
            while pieces and not is_list(pieces[0]) and not is_list(inside):
                inside += ", " + pieces.pop(0)
            _hive_table(inside, found)
        else:
            pieces.insert(0, relation)
    for listed in [items(piece) for piece in pieces if is_list(piece)]:
        if any("(" in entry for entry in listed):  # else the relation's columns
            parts["partition_filters"] = listed
    pieces = [piece for piece in pieces if not is_list(piece)]
    for key, given in found.items():
        parts.setdefault(key, given)
    return rest(parts, [piece for piece in pieces if piece != "None"])


def _hive_table(text: str, parts: Parts) -> None:
    inside = bracketed(text)[1] if is_list(text) else text
    pieces = split(inside)
    if pieces:
        parts["table"] = pieces.pop(0).replace("`", "")
    if pieces and "." in pieces[0] and not is_list(pieces[0]):
        parts["serde"] = without_class(pieces.pop(0))
    rest(parts, [piece for piece in pieces if not is_list(piece)])


def read_cached(op: str, text: str) -> Parts:
    """`InMemoryTableScan [a#1], [(a#1 > 2)]`, `InMemoryRelation [a#1], StorageLevel(memory, deserialized, 1 replicas)`.

    The whole builder with the cached plan in it, as detail blocks print it, comes back as `cached_plan`.
    """
    parts: Parts = {}
    if not is_list(text):
        return rest(parts, split(text))
    head, _, tail = bracketed(text)
    parts["output"] = items(head)
    tail = tail.strip(" ,\n")
    if level := _STORAGE.search(tail):
        parts["storage_level"] = level[1]
        tail = tail if tail.startswith("CachedRDDBuilder") else (tail[: level.start()] + tail[level.end() :])
    if tail.startswith("CachedRDDBuilder"):
        if name := _CACHE_NAME.search(tail):
            parts["table"] = name[1].strip("`")
        parts["cached_plan"] = tail
    elif is_list(tail) and (old := _OLD_CACHE.match(bracketed(tail)[2])) is None:
        head, _, tail = bracketed(tail)
        parts["filters"] = items(head)
        rest(parts, split(tail.strip(" ,")))
    elif old := _OLD_CACHE.search(tail):  # up to 1.6: the whole relation
        parts["cached_plan"] = tail[old.start() :].strip(" ,()")
        if is_list(tail):
            parts["filters"] = items(bracketed(tail)[0])
        if name := _OLD_CACHE_NAME.search(tail):
            parts["table"] = name[1]
    else:
        rest(parts, [piece for piece in split(tail) if piece != "true" and not piece.isdigit()])
    return parts


def read_local(op: str, text: str) -> Parts:
    """`LocalTableScan [a#1]`, `LocalRelation <empty>, [a#1]`: `empty` when Spark says that there are no rows."""
    parts: Parts = {}
    if text.startswith("<empty>"):
        parts["empty"] = True
        text = text[len("<empty>") :].strip(" ,")
    if is_list(text):
        head, _, tail = bracketed(text)
        parts["output"] = items(head)
        text = tail.strip(" ,")
    return rest(parts, [piece for piece in split(text) if piece not in ("true", "false")])


def read_rdd(op: str, text: str) -> Parts:
    """The arguments of `Scan ExistingRDD` in a detail block: `[a#1], MapPartitionsRDD[2] at .., ExistingRDD, ..`."""
    parts: Parts = {}
    for piece in split(text):
        if is_list(piece):
            parts.setdefault("output", items(piece))
        elif "Partitioning(" in piece:
            parts["partitioning"] = piece
        elif "RDD[" in piece:
            parts["rdd"] = piece
        else:
            parts.setdefault("table", piece)
    return parts


def read_view(op: str, text: str) -> Parts:
    """`View (`db`.`v`, [a#1,b#2])`; a detail block prints `` `v`, true``."""
    pieces = split(bracketed(text)[1] if text.startswith("(") else text)
    parts: Parts = {}
    if pieces:
        parts["table"] = pieces.pop(0).replace("`", "")
    if pieces and is_list(pieces[0]):
        parts["output"] = items(pieces.pop(0))
    if pieces and pieces[0] in ("true", "false"):
        parts["temporary"] = pieces.pop(0) == "true"
    return rest(parts, [piece for piece in pieces if piece != "[]"])


def read_empty(op: str, text: str) -> Parts:
    """`EmptyRelation [plan_id=978]`, or the plan that turned out empty."""
    parts: Parts = {}
    left = take_options([text], parts) if text else []
    if left:
        parts["replaces"] = left[0]
    return parts
