"""Operators in words: titles, the lines below them, facts; for every operator of the corpus."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from planviz.document import open_text
from planviz.errors import PlanvizError
from planviz.graph import PlanNode, facts, kind_of, subtitle, title
from planviz.graph.words import (
    LINE_LENGTH,
    TITLE_LENGTH,
    aggregate_mode,
    condition_words,
    order_words,
    path_name,
    quick_title,
    without_brackets,
)
from planviz.plantext.operators import Details, read_arguments
from tests.conftest import read_plan_text


def node(text: str) -> PlanNode:
    op = re.match(r"[\w$.]+", text)
    assert op is not None
    return PlanNode(0, op[0], kind_of(op[0]), text, reader=lambda node: read_arguments(Details(), node))


TITLES = [
    ("SortMergeJoin [a#1], [b#2], Inner", "Sort Merge Inner Join"),
    ("BroadcastHashJoin [a#1], [b#2], Inner, BuildRight, false", "Broadcast Inner Join"),
    ("ShuffledHashJoin [a#1], [b#2], LeftOuter, BuildRight", "Shuffled Hash Left Outer Join"),
    ("BroadcastNestedLoopJoin BuildRight, Cross", "Broadcast Nested Loop Cross Join"),
    ("Join ExistenceJoin(exists#1), (a#1 = b#2)", "Existence Join"),
    ("CartesianProduct", "Cartesian Product"),
    ("HashAggregate(keys=[k#1], functions=[partial_count(1)], output=[k#1])", "Partial Hash Aggregate"),
    ("HashAggregate(keys=[k#1], functions=[count(1)], output=[k#1])", "Final Hash Aggregate"),
    ("HashAggregate(keys=[k#1], functions=[], output=[k#1])", "Hash Aggregate"),
    ("FileScan parquet spark_catalog.default.store_sales[a#1] Batched: true", "Scan store_sales"),
    ("FileScan parquet tpcds.store_sales[a#1] Batched: true", "Scan tpcds.store_sales"),
    ("BatchScan parquet", "Scan parquet"),
    ("PhotonScan parquet db.t[a#1]", "Photon Scan db.t"),
    ("TakeOrderedAndProject(limit=100, orderBy=[a#1 ASC NULLS FIRST], output=[a#1])", "Take Ordered 100"),
    ("Exchange hashpartitioning(a#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]", "Exchange hash"),
    ("Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=1]", "Exchange single"),
    ("Exchange RoundRobinPartitioning(10)", "Exchange round robin"),
    ("BroadcastExchange IdentityBroadcastMode, [plan_id=1]", "Broadcast Exchange"),
    ("GlobalLimit 5", "Global Limit 5"),
    ("LocalLimit (2 + 3)", "Local Limit"),
    ("AQEShuffleRead coalesced", "AQE Shuffle Read"),
    ("SortExecTransformer [a#1 ASC NULLS FIRST]", "Sort"),
]


@pytest.mark.parametrize(("text", "expected"), TITLES)
def test_titles(text: str, expected: str) -> None:
    assert title(node(text)) == expected
    assert quick_title(node(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Execute InsertIntoHadoopFsRelationCommand file:/t, false, Parquet",
            "Execute Insert Into Hadoop Fs Relation Command",
        ),
        (
            "FileScan parquet [a#1] Location: InMemoryFileIndex(1 paths)[file:/warehouse/t1], ReadSchema: x",
            "Scan parquet t1",
        ),
        ("FileScan parquet [a#1] Location: InMemoryFileIndex(1 paths)[file:/ware..., ReadSchema: x", "Scan parquet"),
        ("Scan JDBCRelation((select * from t) Q) [numPartitions=1] [a#1]", "Scan JDBCRelation"),
        ("Scan In-memory table ct [a#1]", "Scan cached ct"),
    ],
)
def test_titles_that_need_the_arguments(text: str, expected: str) -> None:
    assert title(node(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "SortMergeJoin [a#1, c#3L], [b#2, d#4L], Inner, (x#5 > y#6)",
            [("on", "a = b, c = d"), ("where", "x > y")],
        ),
        ("HashAggregate(keys=[k#1], functions=[partial_sum(v#2)])", [("by", "k"), ("", "sum(v)")]),
        ("Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]", [("by", "k · 200")]),
        ("Filter ((isnotnull(a#1) AND (a#1 > 5)) AND isnotnull(b#2))", [("where", "a > 5")]),
        ("Filter isnotnull(a#1)", [("where", "a is not null")]),
        (
            "Join Inner, (((cast(a#1 as bigint) = b#2L) AND (c#3 <= d#4)) AND ((x#5 = 1) OR (x#5 = 2)))",
            [("on", "a = b AND c <= d AND ((x = 1) OR (x = 2))")],
        ),
        (
            "FileScan parquet t[a#1,b#2] PushedFilters: [IsNotNull(a), EqualTo(a,3)]",
            [("", "a, b"), ("where", "a = 3")],
        ),
        ("Sort [a#1 ASC NULLS FIRST, b#2 DESC NULLS LAST], true, 0", [("by", "a, b desc")]),
        ("Project [a#1, (b#2 + 1) AS c#3]", [("", "(b + 1) AS c")]),
        ("Project [a#1, b#2, c#3, d#4, e#5]", [("", "5 columns")]),
        ("SubqueryAlias t", [("as", "t")]),
        (
            "Aggregate [spark_catalog.web.hits.k#1], [count(spark_catalog.web.hits.v#2) AS n#3]",
            [("by", "hits.k"), ("", "count(hits.v) AS n")],
        ),
    ],
)
def test_lines_below(text: str, expected: list[tuple[str, str]]) -> None:
    assert subtitle(node(text)) == expected


def test_order_words_keep_what_spark_does_not_do_by_itself() -> None:
    assert order_words("a#1 ASC NULLS LAST") == "a#1 nulls last"
    assert order_words("a#1 DESC NULLS FIRST") == "a#1 desc nulls first"


def test_facts_pair_the_keys_and_stand_in_reading_order() -> None:
    found = facts(node("BroadcastHashJoin [a#1, c#3], [b#2, d#4], LeftOuter, BuildRight, (x#5 > y#6), false"))
    assert found == [
        ("on", "a#1 = b#2\nc#3 = d#4"),
        ("join type", "LeftOuter"),
        ("condition", "x#5 > y#6"),
        ("build side", "right"),
    ]


def test_facts_of_a_join_without_keys() -> None:
    """A damaged detail block may name no left keys, and nothing of the right ones."""
    text = (
        "== Physical Plan ==\nBroadcastHashJoin Inner (1)\n\n\n(1) BroadcastHashJoin\nLeft keys: []\nJoin type: Inner\n"
    )
    assert facts(next(iter(open_text(text).plans[0]))) == [("join type", "Inner")]


@pytest.mark.parametrize(
    ("condition", "bare"),
    [("((a))", "a"), ("(a) AND (b)", "(a) AND (b)"), ("((a) AND (b))", "(a) AND (b)"), ("(a", "(a"), ("((a)", "((a)"),
     ("(a))", "(a))"), ("()", ""), ("", "")],
)  # fmt: skip
def test_brackets_around_all_of_a_condition(condition: str, bare: str) -> None:
    assert without_brackets(condition) == bare


def test_a_hundred_thousand_brackets_are_taken_off_at_once() -> None:
    begun = time.process_time()
    assert condition_words("(" * 100_000 + "a#1" + ")" * 100_000) == "a#1"
    assert time.process_time() - begun < 1.5


def test_hostile_text_stays_one_line() -> None:
    hostile = node("Scan a\u202eb\x1b[31m\nc" + "x" * 300 + " (1)")
    assert len(title(hostile)) <= TITLE_LENGTH
    assert title(hostile).isprintable()
    assert quick_title(hostile).isprintable()


@pytest.mark.slow
def test_every_operator_of_the_corpus_has_words(corpus: Path) -> None:
    same = nodes = 0
    for path in sorted(corpus.glob("weird/*/*.txt*")):
        if path.stat().st_size > 100_000:
            continue
        try:
            document = open_text(read_plan_text(path))
        except PlanvizError:
            continue
        for graph in document.plans:
            for each in graph:
                nodes += 1
                words = title(each)
                same += words == quick_title(each)
                assert words
                assert len(words) <= TITLE_LENGTH
                assert words.isprintable()
                lines = subtitle(each)
                assert len(lines) <= 3
                for lead, text in lines:
                    assert len(text) <= LINE_LENGTH
                    assert (lead + text).isprintable()
                assert all(name and text for name, text in facts(each))
    assert nodes > 5_000
    assert same > nodes * 0.8  # a detail block and a location say more than the line


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("InMemoryFileIndex(1 paths)[s3://b/sales/orders_v2]", "orders_v2"),
        ("InMemoryFileIndex(2 paths)[s3://b/sales/orders/day=1, s3://b/sales/orders/day=2]", "orders"),
        ("InMemoryFileIndex [file:/lake/events/day=3/part-0001.snappy.parquet, ... 3 entries]", "events"),
        ("InMemoryFileIndex(1 paths)[s3://b/sales/ord...", "sales/…"),
        ("InMemoryFileIndex(1 paths)[s3://b/sales/orders/day=2024-...", "orders/…"),
        ("InMemoryFileIndex [file:/data/people.csv]", "people.csv"),
        ("InMemoryFileIndex(1 paths)[/data/t/]", "t"),
        ("InMemoryFileIndex(1 paths)[s3:...", ""),
        ("", ""),
    ],
)
def test_a_scan_of_paths_names_the_folder(location: str, expected: str) -> None:
    assert path_name(location) == expected


def test_a_condition_of_many_parts_is_told_in_time():
    many = "(" * 3_000 + "(a#1 = 0)" + "".join(f" AND (a#1 = {n}))" for n in range(3_000))
    assert subtitle(node(f"Filter {many}"))[0][0] == "where"


def test_a_write_is_called_by_its_target() -> None:
    line = (
        "Execute InsertIntoHadoopFsRelationCommand file:/w/daily, [region=EU], false, [region#1, dt#2], Parquet, "
        "[path=file:/w/daily], Overwrite, `spark_catalog`.`mart`.`daily`, org.x.CatalogFileIndex(file:/w/daily), "
        "[id, region, dt]"
    )
    write = node(line)
    assert title(write) == "Insert overwrite mart.daily"
    assert subtitle(write) == [("", "Overwrite, Parquet"), ("folders", "region=EU, dt")]
    folder = "Execute InsertIntoHadoopFsRelationCommand s3://out/x, false, CSV, [path=s3://out/x], Append, [id]"
    assert title(node(folder)) == "Insert into x"


def test_functions_that_a_damaged_capture_gives_as_texts_have_no_mode() -> None:
    node = PlanNode(0, "HashAggregate", "aggregate", "HashAggregate", arguments={"functions": ["count(1)"]})
    assert aggregate_mode(node) is None


def test_a_part_that_nobody_knows_stands_before_what_goes_in_and_out() -> None:
    told: dict[str, object] = {
        "input": ["a#1"],
        "output": ["a#1"],
        "unheard_of": "x",
        "function": "f",
        "condition": "(a#1 > 1)",
    }
    one = PlanNode(0, "Filter", "filter", "Filter", arguments=told)
    assert [name for name, _ in facts(one)] == ["condition", "function", "unheard of", "output", "input"]
