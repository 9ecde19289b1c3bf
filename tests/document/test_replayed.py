"""A pasted explain with the optimizer's steps taken again."""

from __future__ import annotations

import pytest

from planviz.__main__ import main
from planviz.document import open_text
from planviz.document.alternatives.what_if import WhatIf, decided_if
from planviz.document.comparison.replays import badge, replay_report
from planviz.document.decisions.aggregates import aggregates
from planviz.document.decisions.queries import decided, seen, subject
from planviz.document.decisions.reconstruction import reconstructed
from planviz.document.opening.replays import replayed, with_replayed_trace
from planviz.errors import InputError
from planviz.replay.given import given, given_from, given_text

#: What 3.5 prints of a temporary view over a file.
EXTENDED = """== Parsed Logical Plan ==
'Project ['a]
+- 'Filter ('b > 1)
   +- 'UnresolvedRelation [w], [], false

== Analyzed Logical Plan ==
a: int
Project [a#1]
+- Filter (b#2 > 1)
   +- SubqueryAlias w
      +- View (`w`, [a#1,b#2,c#3])
         +- Relation [a#1,b#2,c#3] parquet

== Optimized Logical Plan ==
Project [a#1]
+- Filter (isnotnull(b#2) AND (b#2 > 1))
   +- Relation [a#1,b#2,c#3] parquet
"""


def test_the_steps_lead_to_what_spark_printed() -> None:
    document = with_replayed_trace(open_text(EXTENDED))
    assert document is not None
    assert document.recognised == "explain extended · replayed, equals what Spark printed"
    assert [step.short_rule for step in document.trace.steps] == ["FinishAnalysis", "InferFiltersFromConstraints"]
    assert "Filter (isnotnull(b#2) AND (b#2 > 1))" in document.trace.steps[-1].after


def test_a_plan_that_differs_says_so() -> None:
    filtered = "+- Filter (isnotnull(b#2) AND (b#2 > 1))\n   +- Relation"
    document = with_replayed_trace(open_text(EXTENDED.replace(filtered, "+- Relation")))
    assert document is not None
    assert document.recognised == "explain extended · replayed, differs from what Spark printed"


def test_without_both_plans_nothing_is_replayed() -> None:
    logical, optimized = EXTENDED.split("== Optimized Logical Plan ==")
    assert with_replayed_trace(open_text(logical)) is None
    assert with_replayed_trace(open_text(f"== Optimized Logical Plan =={optimized}")) is None


def test_the_command_prints_the_steps(tmp_path, capsys) -> None:
    path = tmp_path / "plan.txt"
    path.write_text(EXTENDED)
    assert main(["trace", str(path), "--format", "diff"]) == 0
    shown = capsys.readouterr().out
    assert "InferFiltersFromConstraints" in shown
    assert "isnotnull(b#2)" in shown
    assert main(["trace", str(path), "--stage", "physical"]) == 2
    assert "taken again" in capsys.readouterr().err


JOINED = """== Analyzed Logical Plan ==
k: bigint, n: bigint
Aggregate [k#1L], [k#1L, count(1) AS n#9L]
+- Join Inner, (k#1L = k#2L)
   :- SubqueryAlias orders
   :  +- View (`orders`, [k#1L])
   :     +- Relation [k#1L] parquet
   +- SubqueryAlias items
      +- View (`items`, [k#2L,name#3])
         +- Relation [k#2L,name#3] parquet

== Optimized Logical Plan ==
Aggregate [k#1L], [k#1L, count(1) AS n#9L]
+- Project [k#1L]
   +- Join Inner, (k#1L = k#2L)
      :- Filter isnotnull(k#1L)
      :  +- Relation [k#1L] parquet
      +- Project [k#2L]
         +- Filter isnotnull(k#2L)
            +- Relation [k#2L,name#3] parquet

== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- HashAggregate(keys=[k#1L], functions=[count(1)], output=[k#1L, n#9L])
   +- Exchange hashpartitioning(k#1L, 12), ENSURE_REQUIREMENTS, [plan_id=30]
      +- HashAggregate(keys=[k#1L], functions=[partial_count(1)], output=[k#1L, count#12L])
         +- Project [k#1L]
            +- BroadcastHashJoin [k#1L], [k#2L], Inner, BuildRight, false, false
               :- Filter isnotnull(k#1L)
               :  +- FileScan parquet [k#1L] Batched: true, DataFilters: [isnotnull(k#1L)], Format: Parquet, \
Location: InMemoryFileIndex(1 paths)[file:/data/o], PartitionFilters: [], PushedFilters: [IsNotNull(k)], \
ReadSchema: struct<k:bigint>
               +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false), [plan_id=26]
                  +- Filter isnotnull(k#2L)
                     +- FileScan parquet [k#2L] Batched: true, DataFilters: [isnotnull(k#2L)], Format: Parquet, \
Location: InMemoryFileIndex(1 paths)[file:/data/i], PartitionFilters: [], PushedFilters: [IsNotNull(k)], \
ReadSchema: struct<k:bigint>
"""


def test_decisions_are_those_of_the_replayed_plan() -> None:
    document = replayed(open_text(JOINED))
    assert document is not None
    (statement,) = document.statements
    assert statement.agrees == {"joins", "aggregates"}
    assert statement.replay is not None
    assert statement.replay.verdicts == {"optimized": "equal", "physical": "equal"}
    (query,) = decided(document)
    join = query.of("JoinSelection")[0]
    assert (join.outcome, join.value("build")) == ("BroadcastHashJoin", "BuildRight")
    sizes = next(dict(c.values) for c in join.checks if c.node == "N2")
    assert (sizes["left"], sizes["right"]) == ("not told", "≤ 10 MiB")
    assert [len(r.stages) for r in aggregates(document)] == [2]


def test_a_raised_threshold_flips_a_join() -> None:
    merged = JOINED.replace(
        "BroadcastHashJoin [k#1L], [k#2L], Inner, BuildRight, false, false", "SortMergeJoin [k#1L], [k#2L], Inner"
    )
    document = replayed(open_text(merged), given(sizes={"items": "400MB"}))
    assert document is not None
    query = decided(document)[0]
    assert query.of("JoinSelection")[0].outcome == "SortMergeJoin"
    key = "spark.sql.autoBroadcastJoinThreshold"
    (lower,) = decided_if((query,), WhatIf({key: 20 << 20}))
    (higher,) = decided_if((query,), WhatIf({key: 600 << 20}))
    assert lower.of("JoinSelection")[0].outcome == "SortMergeJoin"
    assert higher.of("JoinSelection")[0].outcome == "BroadcastHashJoin"


def test_where_the_replay_differs_the_text_is_read() -> None:
    other = JOINED.replace("BroadcastHashJoin [k#1L], [k#2L], Inner, BuildRight", "CartesianProduct (k#1L = k#2L)")
    document = replayed(open_text(other))
    assert document is not None
    (statement,) = document.statements
    assert not statement.agrees
    assert badge(statement, "joins") == "replayed, differs: the joins are read from Spark's text"
    joins = [(d.plan, j.outcome) for d in decided(document) for j in d.of("JoinSelection")]
    assert joins == [(2, "CartesianProduct")]
    assert [(r.plan, len(r.stages)) for r in aggregates(document)] == [(2, 2)]
    assert {size.words for size in replay_report(statement).sizes} == {"not told"}


def test_sizes_that_nobody_gave_have_bounds_and_evidence() -> None:
    document = replayed(open_text(JOINED))
    assert document is not None
    report = replay_report(document.statements[0])
    sizes = {size.name: size.words for size in report.sizes}
    assert sizes["orders"] == "any size"
    assert sizes["items"].startswith("at most ")
    assert sizes["items"].endswith(", since it was broadcast")
    assert ("spark.sql.shuffle.partitions", "12", "1 exchange into 12 partitions") in report.settings
    told = replayed(open_text(JOINED), given(sizes={"items": 4096}, settings={"spark.sql.shuffle.partitions": "7"}))
    assert told is not None
    report = replay_report(told.statements[0])
    assert {size.name: size.words for size in report.sizes}["items"] == "4 KiB, given"
    assert ("spark.sql.shuffle.partitions", "7", "given") in report.settings


def test_what_is_given_survives_an_address() -> None:
    said = given({"spark.sql.adaptive.enabled": "false"}, {"db.orders": "3k"}, "spark-3.5")
    assert given_from(given_text(said)) == said
    with pytest.raises(InputError, match="is no setting"):
        given_from("nothing=1")


ICEBERG = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- BroadcastHashJoin [shop_id#2], [id#10], Inner, BuildRight, false
   :- Filter isnotnull(shop_id#2)
   :  +- BatchScan lake.sales.orders[shop_id#2, amount#3] lake.sales.orders (branch=null) [filters=shop_id IS NOT NULL]
   +- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, true] as bigint)),false), [plan_id=20]
      +- Filter isnotnull(id#10)
         +- BatchScan lake.sales.shops[id#10, region#11] lake.sales.shops (branch=null) [filters=id IS NOT NULL]
"""


def test_a_scan_that_stands_as_printed_has_its_name_and_no_size() -> None:
    document = replayed(open_text(ICEBERG))
    assert document is not None
    (decision,) = [d for q in decided(document) for d in q.of("JoinSelection")]
    assert subject(decision) == "orders ⋈ shops"
    assert decision.value("sizes") == ("not told", "≤ 10 MiB")
    assert decision.value("because") == "small enough"
    assert " B" not in seen(next(c for c in decision.checks if c.node == "N2")).replace("MiB", "")


#: A broadcast of 5 MiB below a sort merge join with 1 MiB: no threshold explains both.
UNEXPLAINED = """== Optimized Logical Plan ==
Join Inner, (x#1 = z#3), Statistics(sizeInBytes=1000.0 EiB)
:- Join Inner, (x#1 = y#2), Statistics(sizeInBytes=1000.0 TiB)
:  :- Filter isnotnull(x#1), Statistics(sizeInBytes=200.0 MiB)
:  :  +- Relation spark_catalog.default.t[x#1] parquet, Statistics(sizeInBytes=200.0 MiB)
:  +- Filter isnotnull(y#2), Statistics(sizeInBytes=5.0 MiB)
:     +- Relation spark_catalog.default.u[y#2] parquet, Statistics(sizeInBytes=5.0 MiB)
+- Filter isnotnull(z#3), Statistics(sizeInBytes=1024.0 KiB)
   +- Relation spark_catalog.default.v[z#3] parquet, Statistics(sizeInBytes=1024.0 KiB)

== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- SortMergeJoin [x#1], [z#3], Inner
   :- Sort [x#1 ASC NULLS FIRST], false, 0
   :  +- Exchange hashpartitioning(x#1, 200), ENSURE_REQUIREMENTS, [plan_id=2]
   :     +- BroadcastHashJoin [x#1], [y#2], Inner, BuildRight, false, false
   :        :- Filter isnotnull(x#1)
   :        :  +- FileScan parquet spark_catalog.default.t[x#1] Batched: true, ReadSchema: struct<x:int>
   :        +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, false]),false), [plan_id=1]
   :           +- Filter isnotnull(y#2)
   :              +- FileScan parquet spark_catalog.default.u[y#2] Batched: true, ReadSchema: struct<y:int>
   +- Sort [z#3 ASC NULLS FIRST], false, 0
      +- Exchange hashpartitioning(z#3, 200), ENSURE_REQUIREMENTS, [plan_id=3]
         +- Filter isnotnull(z#3)
            +- FileScan parquet spark_catalog.default.v[z#3] Batched: true, ReadSchema: struct<z:int>
"""


def test_a_join_taken_from_the_text_keeps_its_keys_and_nothing_that_sizes_or_hints_tell() -> None:
    document = replayed(open_text(UNEXPLAINED))
    assert document is not None
    (query,) = decided(document)
    taken, derived = query.of("JoinSelection")
    assert (taken.outcome, derived.outcome) == ("SortMergeJoin", "BroadcastHashJoin")
    assert [(check.node, check.passed, seen(check)) for check in taken.checks] == [("N0", True, "x = z, int")]
    assert [check.node for check in derived.checks] == ["N0", "N1", "N2"]


def test_no_side_is_called_too_large_that_is_smaller_than_a_broadcast_one() -> None:
    (query,) = reconstructed(open_text(UNEXPLAINED))
    sort_merge, broadcast = query.of("JoinSelection")
    assert sort_merge.checks == ()
    assert {check.node: check.passed for check in broadcast.checks}["N2"] is True


def test_hints_are_said_to_be_assumed_where_nothing_but_a_physical_plan_was_pasted() -> None:
    scan = "FileScan parquet {} Batched: true, Format: Parquet, PushedFilters: [IsNotNull({})], ReadSchema: struct<{}>"
    physical = f"""== Physical Plan ==
Project [c#1]
+- BroadcastHashJoin [id#2L], [fk#3L], Inner, BuildRight, false
   :- Filter isnotnull(id#2L)
   :  +- {scan.format("db.facts[c#1,id#2L]", "id", "c:int,id:bigint")}
   +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false), [plan_id=1]
      +- Filter isnotnull(fk#3L)
         +- {scan.format("db.dims[fk#3L]", "fk", "fk:bigint")}
"""
    optimized = """== Optimized Logical Plan ==
Project [c#1]
+- Join Inner, (id#2L = fk#3L)
   :- Filter isnotnull(id#2L)
   :  +- Relation db.facts[c#1,id#2L] parquet
   +- Filter isnotnull(fk#3L)
      +- Relation db.dims[fk#3L] parquet

"""
    for text, words in ((physical, "not told, none assumed"), (optimized + physical, "")):
        document = replayed(open_text(text))
        assert document is not None
        hint = next(c for c in decided(document)[0].decisions[0].checks if c.node == "N1")
        assert (hint.passed, seen(hint)) == (False, words)


LOOP = """== Physical Plan ==
BroadcastNestedLoopJoin {build}, {kind}, (x#1 > y#2)
:- {left}FileScan parquet shop.a[x#1] Batched: true, DataFilters: [], Format: Parquet, ReadSchema: struct<x:int>
+- {right}FileScan parquet shop.b[y#2] Batched: true, DataFilters: [], Format: Parquet, ReadSchema: struct<y:int>
"""
ANY, SMALL = "any size", "at most 10 MiB, since it was broadcast"


@pytest.mark.parametrize(
    ("kind", "build", "a", "b"),
    [
        ("LeftOuter", "BuildRight", ANY, ANY),
        ("FullOuter", "BuildRight", ANY, ANY),
        ("LeftOuter", "BuildLeft", SMALL, ANY),
        ("Inner", "BuildRight", ANY, SMALL),
    ],
)
def test_a_nested_loop_tells_of_sizes_only_where_another_size_would_give_another_join(
    kind: str, build: str, a: str, b: str
) -> None:
    exchange = "BroadcastExchange IdentityBroadcastMode, [plan_id=7]\n{}  +- "
    sides = {"left": exchange.format(":")} if build == "BuildLeft" else {"right": exchange.format(" ")}
    document = replayed(open_text(LOOP.format(kind=kind, build=build, **{"left": "", "right": "", **sides})))
    assert document is not None
    report = replay_report(document.statements[0])
    assert {size.name: size.words for size in report.sizes} == {"shop.a": a, "shop.b": b}


def test_the_profile_of_an_older_text_is_said_to_be_the_oldest() -> None:
    text = "== Physical Plan ==\n*Filter (id#0L > 3)\n+- *Range (0, 10, step=1, splits=Some(2))\n"
    document = replayed(open_text(text))
    assert document is not None
    report = replay_report(document.statements[0])
    assert report.settings[0] == ("profile", "spark-3.0", "the oldest one; the text is of Spark 2.0 to 2.2")
