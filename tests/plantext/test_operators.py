"""Named parts of operators: by hand for every family, and one-line form against detail block over the corpus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planviz.document import open_text
from planviz.errors import PlanvizError
from planviz.graph import PlanNode, kind_of
from planviz.plantext.formatted import Block
from planviz.plantext.operators import Details, read_arguments, truncations
from planviz.plantext.operators.pieces import items, split
from tests.conftest import read_capture, read_plan_text


def parts(text: str) -> dict[str, Any]:
    op = re.match(r"[\w$.]+", text)
    assert op is not None
    return read_arguments(Details(), PlanNode(0, op[0], kind_of(op[0]), text))


def block_parts(text: str, name: str, *lines: str) -> dict[str, Any]:
    details = Details()
    block = Block(7, name, None, (1, 1))
    block.lines = list(lines)
    details.blocks[7] = block
    op = re.match(r"[\w$.]+", text)
    assert op is not None
    return read_arguments(details, PlanNode(0, op[0], kind_of(op[0]), text, operator_id=7))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a#1, b#2]", ["a#1", "b#2"]),
        ("[a#1,b#2]", ["a#1", "b#2"]),
        ("[x[0], y#1,b#2]", ["x[0], y#1", "b#2"]),
        ("[substr(s, 1, 2)#1,b#2,f(a, b)#3]", ["substr(s, 1, 2)#1", "b#2", "f(a, b)#3"]),
        ("[a#1 ASC NULLS FIRST,b#2 DESC NULLS LAST]", ["a#1 ASC NULLS FIRST", "b#2 DESC NULLS LAST"]),
        ("[a,b#1, c#2]", ["a,b#1", "c#2"]),
        ("[a#1, b#2, ... 15 more fields]", ["a#1", "b#2", "... 15 more fields"]),
        ("[a#1,b#2,... 15 more fields]", ["a#1", "b#2", "... 15 more fields"]),
        ("[IsNotNull(a), Greater...", ["IsNotNull(a)", "Greater..."]),
        ("[concat(s#1, ]) AS t#2, u#3]", ["concat(s#1, ]) AS t#2", "u#3"]),
        ("[]", []),
    ],
)
def test_lists(text: str, expected: list[str]) -> None:
    assert items(text) == expected


def test_split_keeps_what_brackets_enclose() -> None:
    assert split("[a#1, b#2], Inner, (x#3 = (1, 2)), true") == ["[a#1, b#2]", "Inner", "(x#3 = (1, 2))", "true"]
    assert split("") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Aggregate [count(1) AS c#1L]", {"keys": [], "results": ["count(1) AS c#1L"]}),
        ("Aggregate [k#1], [k#1, sum(v#2) AS s#3]", {"keys": ["k#1"], "results": ["k#1", "sum(v#2) AS s#3"]}),
        (
            "TakeOrderedAndProject(limit=5, orderBy=[t#1L DESC], outpu...",
            {"limit": 5, "sort_order": ["t#1L DESC"], "cut": "outpu..."},
        ),
        ("RepartitionByExpression [k#1], 7", {"partition_keys": ["k#1"], "partitions": 7}),
        ("Repartition 3, true", {"partitions": 3, "shuffle": True}),
        ("RebalancePartitions [k#1]", {"partition_keys": ["k#1"]}),
        ("Coalesce 3", {"partitions": 3}),
        ("Union false, true", {"by_name": False, "allow_missing_columns": True}),
        ("LocalLimit (2 + 3)", {"limit": "2 + 3"}),
        ("GlobalLimit 10, 0", {"limit": 10}),
        ("GlobalLimit 10, 4", {"limit": 10, "offset": 4}),
        ("EmptyRelation [plan_id=978]", {"plan_id": 978}),
        ("AQEShuffleRead coalesced and skewed", {"read": ["coalesced", "skewed"]}),
        ("LogicalRDD [a#1, b#2], false", {"output": ["a#1", "b#2"], "streaming": False}),
        ("CTERelationRef 2, true, [x#1], false", {"id": 2, "output": ["x#1"], "streaming": False}),
        (
            "EventTimeWatermark t#1: timestamp, 1 minutes",
            {"column": "t#1", "type": "timestamp", "delay": "1 minutes"},
        ),
        ("UnresolvedHint MERGE, ['x]", {"hints": "MERGE('x)"}),
        ("UnresolvedHaving ('sum('v) > 0)", {"condition": "'sum('v) > 0"}),
        ("DeleteFromTable (a#87 = 1)", {"condition": "a#87 = 1"}),
        ("Range (0, 100, step=3, splits=Some(8))", {"start": 0, "end": 100, "step": 3, "splits": 8}),
        (
            "StreamingRelation kafka, [key#7, value#8]",
            {"format": "kafka", "output": ["key#7", "value#8"]},
        ),
        (
            "InMemoryRelation [k#1], StorageLevel(disk, memory, deserialized, 1 replicas)",
            {"output": ["k#1"], "storage_level": "disk, memory, deserialized, 1 replicas"},
        ),
        ("InMemoryTableScan [k#1], [(c#2L > 3)]", {"output": ["k#1"], "filters": ["(c#2L > 3)"]}),
        (
            "HiveTableScan [s#13], HiveTableRelation `db`.`t`, org.x.OrcSerde, [s#13]",
            {"output": ["s#13"], "table": "db.t", "serde": "OrcSerde"},
        ),
        (
            "Window [sum(v#1) windowspecdefinition(k#2, id#3 ASC NULLS FIRST) AS s#4], [k#2], [id#3 ASC NULLS FIRST]",
            {
                "window_expressions": ["sum(v#1) windowspecdefinition(k#2, id#3 ASC NULLS FIRST) AS s#4"],
                "partition_spec": ["k#2"],
                "sort_order": ["id#3 ASC NULLS FIRST"],
            },
        ),
        (
            "WindowGroupLimit [r#1 ASC NULLS FIRST], rank(r#1), 10, Final",
            {"sort_order": ["r#1 ASC NULLS FIRST"], "rank_function": "rank(r#1)", "limit": 10, "mode": "Final"},
        ),
        (
            "Generate explode(a#1), [id#2], true, [e#3]",
            {"generator": "explode(a#1)", "carried": ["id#2"], "outer": True, "output": ["e#3"]},
        ),
        (
            "Expand [List(k#1, 0), List(null, 1)], [k#2, gid#3]",
            {"projections": [["k#1", "0"], ["null", "1"]], "output": ["k#2", "gid#3"]},
        ),
        ("BroadcastNestedLoopJoin Inner BuildRight (9)", {"join_type": "Inner", "build_side": "right"}),
        ("PhotonBroadcastHashJoin Inner (13)", {"join_type": "Inner"}),
        (
            "BroadcastHashJoin [a#1], [b#2], LeftAnti, BuildRight, true",
            {
                "left_keys": ["a#1"],
                "right_keys": ["b#2"],
                "join_type": "LeftAnti",
                "build_side": "right",
                "null_aware": True,
            },
        ),
        ("LateralJoin lateral-subquery#9 [k#1], Inner", {"join_type": "Inner", "subquery": "lateral-subquery#9 [k#1]"}),
        ("CometProject [_1#6], [_1#6]", {"output": ["_1#6"], "project_list": ["_1#6"]}),
        ("CometSort [a#1], [a#1 ASC NULLS FIRST]", {"output": ["a#1"], "sort_order": ["a#1 ASC NULLS FIRST"]}),
        (
            "CometFilter [a#9], (isnotnull(a#9) AND (a#9 > 5))",
            {"output": ["a#9"], "condition": "isnotnull(a#9) AND (a#9 > 5)"},
        ),
        ("CometNativeScan:  [_1#6]", {"output": ["_1#6"]}),
        ("PhotonTopK(sortOrder=[d#1 DESC NULLS LAST], partitionOrderCount=0)", {"sort_order": ["d#1 DESC NULLS LAST"]}),
        ("MapInPandas f(id#1)#2, [id#3], false", {"function": "f(id#1)#2", "output": ["id#3"], "barrier": False}),
        (
            "Sample 0.0, 0.5, false, 3, Bernoulli",
            {"lower_bound": 0.0, "upper_bound": 0.5, "seed": 3},
        ),
        ("AdaptiveSparkPlan (13)", {}),
    ],
)
def test_parts_of_a_line(text: str, expected: dict[str, Any]) -> None:
    found = parts(text)
    assert {name: found.get(name) for name in expected} == expected
    assert "details" not in found


@pytest.mark.parametrize(
    ("text", "format", "table", "columns"),
    [
        ("FileScan parquet db.t[a#1,b#2] Batched: true", "parquet", "db.t", 2),
        ("FileScan parquet [a#1] Batched: true", "parquet", None, 1),
        ("CometScan [native_iceberg_compat] parquet db.t[a#1,b#2] Batched: true", "parquet", "db.t", 2),
        ("CometNativeScan parquet [a#1]", "parquet", None, 1),
        ("GpuFileGpuScan parquet [a#1] Batched: true", "parquet", None, 1),
        ("FileScanTransformer parquet default.t[a#1] Batched: true", "parquet", "default.t", 1),
        ("BatchScan parquet", "parquet", None, None),
        ("BatchScan orc file:/w/x[a#1, b#2] OrcScan Format: orc", "orc", "file:/w/x", 2),
        ("Scan JDBCRelation(db.t) [numPartitions=1] [a#1,b#2] ReadSchema: struct<a:int>", "jdbc", "db.t", 2),
        ("Scan JDBCRelation((select * from t) Q) [numPartitions=1] [a#1]", "jdbc", "(select * from t) Q", 1),
        ("Scan org.x.cassandra.CassandraSourceRelation@3d3e9163[a#1,b#2]", None, "CassandraSourceRelation", 2),
        ("Scan In-memory table ct [a#1], [isnotnull(a#1)]", "in-memory", "ct", 1),
        ("Scan ExistingRDD[a#1,b#2]", None, "ExistingRDD", 2),
        ("Relation db.t[a#1,b#2] parquet", "parquet", "db.t", 2),
        ("RelationV2[a#1, b#2] orc file:/w/x", "orc", "file:/w/x", 2),
    ],
)
def test_scans(text: str, format: str | None, table: str | None, columns: int | None) -> None:
    found = parts(text)
    assert found.get("format") == format
    assert found.get("table") == table
    assert (len(found["output"]) if "output" in found else None) == columns
    assert "details" not in found


@pytest.mark.parametrize(
    ("text", "keys", "functions"),
    [
        (
            "HashAggregate(keys=[k#1], functions=[partial_sum(v#2), partial_count(distinct d#3)], output=[k#1, sum#4])",
            ["k#1"],
            [("sum(v#2)", "partial"), ("count(distinct d#3)", "partial")],
        ),
        ("SortAggregate(key=[k#1], functions=[merge_max(s#2)])", ["k#1"], [("max(s#2)", "merge")]),
        ("CometHashAggregate [v#1], Partial, [partial_sum(v#1)]", [], [("sum(v#1)", "partial")]),
        (
            "CometHashAggregate [n, s], [Final], [n], [sum(v), count(1)]",
            ["n"],
            [("sum(v)", "final"), ("count(1)", "final")],
        ),
        (
            "PhotonGroupingAgg(keys=[k#1], functions=[finalmerge_max(merge max#2) AS max(v)#3])",
            ["k#1"],
            [("max(v)", "final")],
        ),
        (
            "TungstenAggregate(key=[], functions=[(count(1),mode=Partial,isDistinct=false)], output=[count#9L])",
            [],
            [("count(1)", "partial")],
        ),
        ("HashAggregate(keys=[], functions=[count(if ((s#1 = [) ) 1 else 0)], output=[c#2])", [], None),
    ],
)
def test_aggregates(text: str, keys: list[str], functions: list[tuple[str, str]] | None) -> None:
    found = parts(text)
    assert found["keys"] == keys
    if functions is not None:
        assert [(f["text"], f["mode"]) for f in found["functions"]] == functions
    if "output=" in text:
        assert all("#" in attribute for attribute in found["output"])


def test_distinct_and_filter_of_a_function() -> None:
    (function,) = parts("HashAggregate(keys=[], functions=[partial_sum(distinct a#1) FILTER (WHERE (s#2 = A))])")[
        "functions"
    ]
    assert function == {
        "text": "sum(distinct a#1) FILTER (WHERE (s#2 = A))",
        "mode": "partial",
        "distinct": True,
        "filter": "(s#2 = A)",
    }


def test_exchanges() -> None:
    found = parts("Exchange hashpartitioning(a#1, f(b#2, 3), 200), ENSURE_REQUIREMENTS, [plan_id=12]")
    assert found == {
        "partitioning": "hashpartitioning(a#1, f(b#2, 3), 200)",
        "partitioning_kind": "hash",
        "partition_keys": ["a#1", "f(b#2, 3)"],
        "partitions": 200,
        "origin": "ENSURE_REQUIREMENTS",
        "plan_id": 12,
    }
    old = parts("Exchange hashpartitioning(k#27, 7), false, [id=#2359]")
    assert (old["number_by_user"], old["plan_id"]) == (True, 2359)
    gluten = parts(
        "ColumnarExchange hashpartitioning(c1#10, 5), REBALANCE_PARTITIONS_BY_COL, [c1#10], [plan_id=1194], "
        "[shuffle_writer_type=hash], [output=[c1#10: int]]"
    )
    assert (gluten["plan_id"], gluten["shuffle_writer_type"], "details" in gluten) == (1194, "hash", False)
    assert parts("GpuColumnarExchange gpusinglepartitioning$(), ENSURE_REQUIREMENTS")["partitioning_kind"] == "single"
    assert parts("BroadcastExchange IdentityBroadcastMode, [plan_id=4]") == {
        "broadcast_mode": "IdentityBroadcastMode",
        "partitioning_kind": "broadcast",
        "plan_id": 4,
    }


def test_a_write_command() -> None:
    found = parts(
        "Execute InsertIntoHadoopFsRelationCommand file:/wh/t, [p=3], false, [p#1], Parquet, [path=file:/wh/t], "
        "Append, `db`.`t`, org.apache.spark.sql.execution.datasources.CatalogFileIndex(file:/wh/t), [a, b, p]"
    )
    assert found == {
        "command": "InsertIntoHadoopFsRelationCommand",
        "location": "file:/wh/t",
        "static_partition": ["p=3"],
        "if_partition_not_exists": False,
        "partition_columns": ["p#1"],
        "format": "Parquet",
        "options": ["path=file:/wh/t"],
        "mode": "Append",
        "table": "db.t",
        "file_index": "CatalogFileIndex(file:/wh/t)",
        "columns": ["a", "b", "p"],
    }


# -- truncation


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Project [a#1, ... 12 more fields]", ["fields"]),
        ("FileScan parquet [a#1] PushedFilters: [IsNotNull(a), IsNotN..., ReadSchema: struct<a:int>", ["metadata"]),
        ("FileScan parquet [a#1] ReadSchema: struct<a:bigint,...", ["metadata"]),
        ("Project [a#1... 2561 more characters", ["characters"]),
        ("ALTER TABLE ... ADD COLUMNS", []),
        ("Project [a#1]", []),
    ],
)
def test_kinds_of_truncation(text: str, kinds: list[str]) -> None:
    assert truncations(text) == kinds


def test_a_cut_value_does_not_eat_its_neighbours() -> None:
    found = parts(
        "FileScan parquet [c0#1,c1#2,... 15 more fields] Batched: true, DataFilters: [isnotnull(c0#1), (c1#2 > ..., "
        "Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/..., PartitionFilters: [], "
        "PushedFilters: [IsNotNull(c0), GreaterThan(c..., ReadSchema: struct<c0:bigint,..."
    )
    assert found["output"] == ["c0#1", "c1#2", "... 15 more fields"]
    assert found["data_filters"] == ["isnotnull(c0#1)", "(c1#2 > ..."]
    assert found["location"] == "InMemoryFileIndex(1 paths)[file:/data/..."
    assert found["partition_filters"] == []
    assert found["pushed_filters"] == ["IsNotNull(c0)", "GreaterThan(c..."]
    assert found["read_schema"] == "struct<c0:bigint,..."


def test_vanished_entries_leave_their_marker() -> None:
    found = parts("FileScan parquet [a#1] Batched: true, DataFilters: [], PartitionFilters: [], ... 2 more fields")
    assert (found["partition_filters"], found["cut"]) == ([], "... 2 more fields")


def test_a_key_cut_off_from_its_value_ends_the_value_before() -> None:
    found = parts("FileScan parquet [a#1] Format: Parquet, Location: InMemoryFileIndex[s3://b/t], PartitionFilters:")
    assert found["location"] == "InMemoryFileIndex[s3://b/t]"


# -- detail blocks


def test_spark_2_2_calls_a_hive_table_catalog_relation() -> None:
    relation = "CatalogRelation `default`.`aa`, org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe, [key#37, value#38]"
    assert parts(relation) == {"table": "default.aa", "serde": "LazySimpleSerDe"}
    assert parts(f"HiveTableScan [key#37], {relation}") == {
        "output": ["key#37"],
        "table": "default.aa",
        "serde": "LazySimpleSerDe",
    }


def test_what_a_merge_does_is_no_column() -> None:
    told = parts(
        "MergeIntoCommandEdge SubqueryAlias u, SubqueryAlias t, Delta[version=0, 3 files, dbfs:/t], (id#1L = id#2), "
        "[Update [actions: [`id` = id#1L]]], [Insert [actions: [`id` = id#2]]]"
    )
    assert set(told) == {"details"}
    assert told["details"][-2:] == ["[Update [actions: [`id` = id#1L]]]", "[Insert [actions: [`id` = id#2]]]"]


def test_the_block_of_another_operator_is_not_taken() -> None:
    assert block_parts("Exchange (7)", "Scan parquet", "Output [1]: [a#1]") == {}


def test_a_table_description_stays_one_argument() -> None:
    found = block_parts(
        "Execute InsertIntoHadoopFsRelationCommand (7)",
        "Execute InsertIntoHadoopFsRelationCommand",
        "Input [1]: [a#1]",
        "Arguments: /wh/tab, false, [p#2], Parquet, [path=/wh/tab], Overwrite, CatalogTable(",
        "Database: default",
        "Table: tab",
        "Location: /elsewhere",
        "), org.x.CatalogFileIndex@db10a262, [a, p]",
    )
    assert (found["table"], found["location"], found["columns"]) == ("default.tab", "/wh/tab", ["a", "p"])


def test_aggregate_blocks_fill_the_stage_table() -> None:
    """C-071."""
    found = block_parts(
        "HashAggregate (7)",
        "HashAggregate",
        "Input [2]: [k#1, count#2L]",
        "Keys [1]: [k#1]",
        "Functions [1]: [count(1)]",
        "Aggregate Attributes [1]: [count(1)#3L]",
        "Results [2]: [k#1, count(1)#3L AS c#4L]",
    )
    assert found["keys"] == ["k#1"]
    assert found["functions"] == [{"text": "count(1)", "mode": "final"}]
    assert found["aggregate_attributes"] == ["count(1)#3L"]
    assert found["results"] == ["k#1", "count(1)#3L AS c#4L"]
    assert found["output"] == ["k#1", "c#4L"]


def pairs(corpus: Path) -> Iterator[tuple[str, str, str]]:
    for path in (
        sorted(corpus.glob("tpcds/captures/*/q*.json.gz"))[::9] + sorted(corpus.glob("old/*/*/q*.json.gz"))[::2]
    ):
        explain = read_capture(path).get("explain", {})
        if explain.get("simple") and explain.get("formatted"):
            yield str(path), explain["simple"], explain["formatted"]
    for path in sorted(corpus.glob("weird/*/*__formatted.txt*")):
        simple = path.with_name(path.name.replace("formatted", "simple"))
        if simple.exists() and path.stat().st_size < 200_000:
            yield str(path), read_plan_text(simple), read_plan_text(path)


def comparable(value: Any) -> Any:
    """Without the ids of one run; the line counts a scan's paths, the block does not."""
    if isinstance(value, str):
        return re.sub(r"#\d+L?|runId = [\w-]+|\(\d+ paths\)| (?=\[)", "", value)
    if isinstance(value, list):
        return [comparable(entry) for entry in value]
    if isinstance(value, dict):
        return {name: comparable(entry) for name, entry in value.items()}
    return value


#: Parts that one of the two forms gives alone, and those that name numbers of one text.
OF_ONE_FORM = {"plan_id", "input", "left_output", "right_output", "reuses", "exchange", "data_filters", "cached_plan"}


@pytest.mark.slow
def test_line_and_block_give_the_same_parts(corpus: Path) -> None:
    compared = Counter[str]()
    differing = []
    for name, simple, formatted in pairs(corpus):
        try:
            lines = next(graph for graph in open_text(simple).plans if graph.stage == "physical")
            blocks = next(graph for graph in open_text(formatted).plans if graph.stage == "physical")
        except (PlanvizError, StopIteration):
            continue
        if [node.op.removeprefix("File") for node in lines] != [node.op.removeprefix("File") for node in blocks]:
            continue  # the block form prints subqueries apart
        for line, block in zip(lines, blocks, strict=True):
            for part in set(line.arguments) & set(block.arguments) - OF_ONE_FORM:
                left, right = line.arguments[part], block.arguments[part]
                if truncations(str(left)) or "..." in str(left):
                    continue
                compared[line.op] += 1
                if comparable(left) != comparable(right):
                    differing.append((name, line.op, part, left, right))
    assert differing == []
    assert len(compared) > 30
    assert compared.total() > 5_000


@pytest.mark.slow
def test_nearly_nothing_of_the_corpus_is_left_unnamed(corpus: Path) -> None:
    nodes, unnamed = 0, Counter[str]()
    for path in sorted(corpus.glob("weird/*/*.txt*")):
        if path.stat().st_size > 200_000:
            continue
        try:
            document = open_text(read_plan_text(path))
        except PlanvizError:
            continue
        for graph in document.plans:
            for node in graph:
                nodes += 1
                if "details" in node.arguments:
                    unnamed[node.op] += 1
    assert nodes > 10_000
    assert unnamed.total() <= nodes // 1_000, unnamed


def test_an_equal_line_is_read_once_and_its_parts_are_of_each_operator() -> None:
    text = "Filter (isnotnull(a#1) AND (a#1 > 5))"
    one, two = parts(text), parts(text)
    assert one == two
    one["condition"] = "something else"
    assert parts(text) == two
