"""docs/arguments.md is what others build on: every part of real plans has a row there and the type that it promises."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from planviz.document import open_text
from planviz.plantext.operators import _READERS
from planviz.plantext.operators.positions import POSITIONS
from planviz.samples import load, samples

DOCS = Path(__file__).resolve().parents[2] / "docs/arguments.md"

#: Operators that the samples have not, as Spark prints them.
LINES = """
Sample 0.0, 0.1, false, 42
Sample 0.2, 0.30000000000000004, true, -3, Bernoulli
Sample 0.0, 1.0E-4, false, 7
SubqueryBroadcast dynamicpruning#5, 0, [a#1]
SubqueryBroadcast dynamicpruning#5, [0, 1], [a#1, b#2]
SubqueryAdaptiveBroadcast dynamicpruning#5, [0], true, Project [a#1], [a#1]
StreamingSymmetricHashJoin [a#1], [b#2], Inner, condition = [ leftOnly = null, rightOnly = null, both = null, full = \
null ], state info [ checkpoint = <unknown>, runId = 3d6, opId = 0, ver = 0, numPartitions = 200], 0, 0, \
state cleanup [ left = null, right = null ], 2
StateStoreSave [a#1], state info [ checkpoint = <unknown>, runId = 3d6, opId = 0, ver = 0, numPartitions = 5], Append, \
0, 10, 2
EventTimeWatermark ts#1: timestamp, 10 minutes
Exchange hashpartitioning(a#1, 5), REBALANCE_PARTITIONS_BY_COL, 67108864, [plan_id=3]
Exchange hashpartitioning(a#1, 5), false, [id=#3]
CometExchange [a#1], hashpartitioning(a#1, 5), ENSURE_REQUIREMENTS, CometNativeShuffle, [plan_id=3]
CometScan [native_iceberg_compat] parquet [a#1] Batched: true
EmptyRelation Join Inner, (a#1 = b#2)
Execute DropTableCommand `t`, false, false, false
CreateViewCommand `v`, SELECT 1, false, true, PersistedView, true
DescribeTableCommand `t`, [], true, [col_name#1]
GroupingSets [[a#1], []], [a#1, count(1) AS n#2L]
InMemoryTableScan [a#1]
InMemoryRelation [a#1], StorageLevel(disk, memory, deserialized, 1 replicas)
InMemoryRelation [a#1], CachedRDDBuilder(Serializer@1,StorageLevel(disk, memory, 1 replicas),Project [a#1],None)
LogicalRDD [a#1], false
ExternalRDD [a#1], MapPartitionsRDD[3] at map
HiveTableRelation [`default`.`t`, org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe, Data Cols: [a#1], \
Partition Cols: []]
MapInPandas f(id#1)#2, [id#3], false
WriteToMicroBatchDataSource MemorySink, 51c3, [a=b], Append, 3
BatchScan t[a#1] ParquetScan DataFilters: [], PushedAggregation: [COUNT(*)], PushedFilters: [], PushedGroupBy: [a] \
RuntimeFilters: []
Scan JDBCRelation(t) [numPartitions=1] [a#1] PushedAggregates: [COUNT(*)], PushedFilters: [], ReadSchema: struct<a:int>
Project [a#1, ... 2 more fields], ... 3 more fields
Project [a#1] <--- the slow one
UnionLoopRef 1, [a#1], false
UnionLoop 1, [a#1], 10
CTERelationRef 1, true, [a#1], false, false, 10
Intersect All true
Execute InsertIntoHadoopFsRelationCommand file:/t, Map(p -> 1), true, [p#2], Parquet, [path=file:/t], Append, \
`spark_catalog`.`default`.`t`, org.apache.spark.sql.execution.datasources.InMemoryFileIndex(file:/t), [a, p]
InsertIntoHadoopFsRelationCommand file:/t, [p=1], false, [p#2], 4 buckets, bucket columns: [a], sort columns: [b], \
Parquet, [path=file:/t], Append, [a, p]
Unpivot ArrayBuffer(a#1), variable, [v]
Pivot k#1: string, [1, 2], [sum(a#1)]
MapGroups f, cast(value#1 as string).toString, cast(v#2 as int), [value#1], [v#2], obj#3: java.lang.String
DeserializeToObject cast(value#1 as string).toString, obj#3: java.lang.String
LocalRelation <empty>, [a#1]
ArrowEvalPython [f(a#1)#2], [a#1, pythonUDF0#3], 200
Range (0, 10, step=1, splits=Some(2))
Offset 3
Repartition 3, true
UnresolvedHint BROADCAST, [t]
FileScan parquet t[a#1] Batched: true, Bucketed: true, DataFilters: [], Format: Parquet, Location: \
InMemoryFileIndex(1 paths)[file:/t], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<a:int>, \
SelectedBucketsCount: 1 out of 4
PhotonScan parquet t[a#1] DataFilters: [], RequiredDataFilters: [isnotnull(a#1)]
"""
BLOCKS = """== Physical Plan ==
SortMergeJoin Inner (1)


(1) SortMergeJoin
Left output [1]: [a#1]
Right output [1]: [b#2]
Left keys [1]: [a#1]
Right keys [1]: [b#2]
Join type: Inner
"""

_TYPES: dict[str, Callable[[object], bool]] = {
    "text": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "list": lambda value: _all(value, "text"),
    "list of numbers": lambda value: _all(value, "number"),
    "list of lists": lambda value: _all(value, "list"),
    "list of objects": lambda value: isinstance(value, list) and all(isinstance(one, dict) for one in value),
}


def _all(value: object, kind: str) -> bool:
    return isinstance(value, list) and all(map(_TYPES[kind], value))


@cache
def _table() -> dict[str, set[str]]:
    """The types that the table promises of every name."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            names, kinds = (cell.strip() for cell in line.split(" | ")[:2])
            for name in re.findall(r"`(\w+)`", names):
                found[name] |= set(kinds.split(" or "))
    return found


@cache
def _seen() -> list[tuple[str, str, object]]:
    """Operator, name and value of every part of the samples and the lines above."""
    texts = [load(sample.name) for sample in samples()]
    texts += [f"== Physical Plan ==\n{line}\n" for line in LINES.strip().split("\n")] + [BLOCKS]
    nodes = [node for text in texts for plan in open_text(text).plans for node in plan]
    return [(node.op, name, value) for node in nodes for name, value in node.arguments.items()]


def test_every_part_has_a_row_and_the_type_that_it_promises() -> None:
    assert {kind for kinds in _table().values() for kind in kinds} <= set(_TYPES)
    wrong = {
        f"{op}: {name}={value!r}, promised {' or '.join(sorted(_table().get(name, {'nothing'})))}"
        for op, name, value in _seen()
        if not any(_TYPES[kind](value) for kind in _table().get(name, ()))
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_every_row_is_of_some_operator() -> None:
    seen = {name for _, name, _ in _seen()}
    assert sorted(set(_table()) - seen) == []


@pytest.mark.parametrize("op", POSITIONS)
def test_what_is_told_apart_by_place_is_read_by_place(op: str) -> None:
    """An operator with a reader of its own would never be read by its line of places."""
    assert _READERS[op].__qualname__ in ("_by_place.<locals>.read", "read_command")
