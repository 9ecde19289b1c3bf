"""Plans as people paste them: of older Sparks, of vendors, over tables of Hive and databases, cut, written by hand."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.replay.result import Replay


def replayed_text(text: str) -> Replay:
    (made,) = replays(open_text(text))
    return made


def opaque(made: Replay) -> list[str]:
    return [t for read in made.read.values() for t in (*read.opaque, *read.opaque_operators)]


def of(made: Replay, key: str) -> object:
    return next((s.value for s in made.settings if s.key == key), None)


THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"

SPARK_2_4 = """
== Physical Plan ==
*(6) Project [city#10, total#11L, mayor#22]
+- *(6) SortMergeJoin [city#10], [town#21], Inner
   :- *(3) Sort [city#10 ASC NULLS FIRST], false, 0
   :  +- Exchange hashpartitioning(city#10, 200)
   :     +- *(2) Filter (isnotnull(city#10) && (total#11L > 4))
   :        +- Scan ExistingRDD[city#10,total#11L]
   +- *(5) Sort [town#21 ASC NULLS FIRST], false, 0
      +- Exchange hashpartitioning(town#21, 200)
         +- *(4) Filter isnotnull(town#21)
            +- Scan ExistingRDD[town#21,mayor#22]
"""

HIVE_2_1 = """
== Analyzed Logical Plan ==
city: string, mayor: string
Project [city#31, mayor#35]
+- Join Inner, (city#31 = town#34)
   :- SubqueryAlias a
   :  +- MetastoreRelation sales, visits
   +- SubqueryAlias b
      +- MetastoreRelation sales, towns

== Optimized Logical Plan ==
Project [city#31, mayor#35]
+- Join Inner, (city#31 = town#34)
   :- Project [city#31]
   :  +- Filter isnotnull(city#31)
   :     +- MetastoreRelation sales, visits
   +- Filter isnotnull(town#34)
      +- MetastoreRelation sales, towns

== Physical Plan ==
*Project [city#31, mayor#35]
+- *SortMergeJoin [city#31], [town#34], Inner
   :- *Sort [city#31 ASC], false, 0
   :  +- Exchange hashpartitioning(city#31, 200)
   :     +- *Filter isnotnull(city#31)
   :        +- HiveTableScan [city#31], MetastoreRelation sales, visits
   +- *Sort [town#34 ASC], false, 0
      +- Exchange hashpartitioning(town#34, 200)
         +- *Filter isnotnull(town#34)
            +- HiveTableScan [town#34, mayor#35], MetastoreRelation sales, towns
"""

DATABASE = """
== Analyzed Logical Plan ==
id: int, name: string
Project [id#1, name#2]
+- Filter (id#1 > 7)
   +- Relation [id#1,name#2,born#3] JDBCRelation((select * from crm.people) t) [numPartitions=1]

== Optimized Logical Plan ==
Project [id#1, name#2]
+- Filter (isnotnull(id#1) AND (id#1 > 7))
   +- Relation [id#1,name#2,born#3] JDBCRelation((select * from crm.people) t) [numPartitions=1]

== Physical Plan ==
*(1) Scan JDBCRelation((select * from crm.people) t) [numPartitions=1] [id#1,name#2] \
PushedFilters: [*IsNotNull(id), *GreaterThan(id,7)], ReadSchema: struct<id:int,name:string>
"""

CACHED = """
== Physical Plan ==
*(2) HashAggregate(keys=[first#9], functions=[count(1)])
+- Exchange hashpartitioning(first#9, 200), ENSURE_REQUIREMENTS, [plan_id=64]
   +- *(1) HashAggregate(keys=[first#9], functions=[partial_count(1)])
      +- InMemoryTableScan [first#9]
            +- InMemoryRelation [day#1, words#2, first#9], StorageLevel(disk, memory, deserialized, 1 replicas)
                  +- *(1) Project [day#1, words#2, split(words#2, ,, -1)[0] AS first#9]
                     +- InMemoryTableScan [day#1, words#2]
                           +- InMemoryRelation [day#1, words#2], StorageLevel(disk, memory, deserialized, 1 replicas)
                                 +- *(1) Scan ExistingRDD[day#1,words#2]
"""

DATABRICKS = """
== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- Filter (place#19 <= 3)
   +- Window [row_number() windowspecdefinition(month#5, spread#18 DESC NULLS LAST, specifiedwindowframe(RowFrame, \
unboundedpreceding$(), currentrow$())) AS place#19], [month#5], [spread#18 DESC NULLS LAST], false
      +- Sort [month#5 ASC NULLS FIRST, spread#18 DESC NULLS LAST], false, 0
         +- Exchange hashpartitioning(month#5, 200), ENSURE_REQUIREMENTS, [id=#26]
            +- HashAggregate(keys=[hotel#3, month#5], functions=[finalmerge_max(merge max#56) AS max(degrees#4)#52], \
output=[hotel#3, month#5, spread#18])
               +- Exchange hashpartitioning(hotel#3, month#5, 200), ENSURE_REQUIREMENTS, [id=#23]
                  +- HashAggregate(keys=[hotel#3, month#5], functions=[partial_max(degrees#4) AS max#56], \
output=[hotel#3, month#5, max#56])
                     +- FileScan parquet travel.hotels[hotel#3,degrees#4,month#5] Batched: true, DataFilters: [], \
Format: Parquet, Location: PreparedDeltaFileIndex(1 paths)[dbfs:/travel/very/long..., PartitionFilters: [], \
PushedFilters: [], ReadSchema: struct<hotel:string,degrees:double,month:int>
"""

STREAM_2_2 = """
== Physical Plan ==
*Sort [room#25 ASC NULLS FIRST], true, 0
+- Exchange rangepartitioning(room#25 ASC NULLS FIRST, 3)
   +- ObjectHashAggregate(keys=[room#25], functions=[collect_list(value#36, 0, 0)])
      +- Exchange hashpartitioning(room#25, 3)
         +- StateStoreSave [room#25], StatefulOperatorStateInfo(<unknown>,12f0,0,0), Append, 0
            +- ObjectHashAggregate(keys=[room#25], functions=[merge_collect_list(value#36, 0, 0)])
               +- Exchange hashpartitioning(room#25, 3)
                  +- StateStoreRestore [room#25], StatefulOperatorStateInfo(<unknown>,12f0,0,0)
                     +- ObjectHashAggregate(keys=[room#25], functions=[merge_collect_list(value#36, 0, 0)])
                        +- Exchange hashpartitioning(room#25, 3)
                           +- ObjectHashAggregate(keys=[room#25], functions=[partial_collect_list(value#36, 0, 0)])
                              +- *Project [cast(key#0 as string) AS room#25, cast(value#1 as int) AS value#36]
                                 +- StreamingRelation kafka, [key#0, value#1, topic#2, offset#4L]
"""


@pytest.mark.parametrize("text", [SPARK_2_4, HIVE_2_1, DATABASE, CACHED, DATABRICKS, STREAM_2_2])
def test_the_physical_plan_comes_out_as_printed(text: str) -> None:
    made = replayed_text(text)
    assert made.verdicts["physical"] == "equal", made.differences
    assert not made.failures


def test_a_text_before_3_0_is_held_against_the_oldest_profile_without_what_later_versions_print() -> None:
    made = replayed_text(SPARK_2_4)
    assert made.config.profile == "spark-3.0"
    other = replayed_text(SPARK_2_4.replace("hashpartitioning(town#21, 200)", "hashpartitioning(mayor#22, 200)"))
    assert other.verdicts["physical"] != "equal"


def test_relations_of_hive_that_list_no_columns_have_those_that_are_read() -> None:
    made = replayed_text(HIVE_2_1)
    assert made.verdicts["optimized"] == "equal", made.differences
    assert [a.name for a in made.read["analyzed"].plan.output] == ["city", "mayor"]


def test_nothing_is_said_of_the_threshold_where_no_size_is_told() -> None:
    assert of(replayed_text(HIVE_2_1), THRESHOLD) is None
    assert replayed_text(HIVE_2_1).fitted is not None


def test_sizes_of_sources_that_stand_as_printed_are_fitted() -> None:
    text = HIVE_2_1[HIVE_2_1.index("== Physical") :]
    made = replayed_text(text)
    assert made.fitted is not None
    assert set(made.fitted.sizes) == {"sales.visits", "sales.towns"}
    assert made.fitted.decisions == 1
    assert not made.fitted.open
    assert not made.taken


def test_a_relation_of_a_database_keeps_its_words() -> None:
    made = replayed_text(DATABASE)
    assert made.verdicts["optimized"] == "equal", made.differences
    assert "JDBCRelation((select * from crm.people) t) [numPartitions=1]" in made.read["optimized"].text


@pytest.mark.parametrize("text", [DATABRICKS, STREAM_2_2, DATABASE, HIVE_2_1])
def test_nothing_is_opaque(text: str) -> None:
    assert not [t for t in opaque(replayed_text(text)) if "collect_list" not in t]


TREE = """
== Physical Plan ==
AdaptiveSparkPlan (6)
+- BroadcastHashJoin LeftOuter BuildRight (5)
   :- Project (2)
   :  +- Scan parquet  (1)
   +- BroadcastExchange (4)
      +- LocalTableScan (3)
"""

BY_HAND = """
== Physical Plan ==
*(5) HashAggregate(keys=[day], functions=[sum(amount)])     <- the result
+- Exchange hashpartitioning(day, 64)
   +- *(4) SortMergeJoin [shop], [shop], Inner
      :- BatchScan lake.sales
      +- BatchScan lake.shops
"""


@pytest.mark.parametrize(("text", "words"), [(TREE, "without the blocks beneath it"), (BY_HAND, "have no numbers")])
def test_a_text_that_tells_too_little_is_not_planned_again(text: str, words: str) -> None:
    made = replayed_text(text)
    assert made.verdicts == {"optimized": "absent", "physical": "absent"}
    assert [f for f in made.failures if words in f] == made.failures
    assert made.failures


LEFT_OUT = """
== Physical Plan ==
TakeOrderedAndProject(limit=5, orderBy=[day#8L ASC NULLS FIRST], output=[{}])
+- *(1) Project [day#8L, shop#9]
   +- Scan ExistingRDD[day#8L,shop#9,amount#10]
"""


@pytest.mark.parametrize("output", ["day#8L,shop#9, ...", "day#8L, shop#9,…", "day#8L ASC NULLS FIRST,shop#9", "..."])
def test_a_list_that_somebody_cut_or_mixed_up_raises_nothing(output: str) -> None:
    made = replayed_text(LEFT_OUT.format(output))
    assert "physical" in made.read
    assert not made.failures


def test_where_files_are_found_is_not_compared() -> None:
    made = replayed_text(DATABRICKS.replace("PreparedDeltaFileIndex(1 paths)[dbfs:/travel/very/long...", "Some[x]"))
    assert made.verdicts["physical"] == "equal"


def test_the_partitions_of_a_text_that_does_not_say_why_it_has_exchanges() -> None:
    assert of(replayed_text(SPARK_2_4.replace("200", "8")), "spark.sql.shuffle.partitions") == 8


SELF_JOIN = """
== Physical Plan ==
*SortMergeJoin [id#0L], [id#4L], Inner
:- *Sort [id#0L ASC], false, 0
:  +- Exchange hashpartitioning(id#0L, 20)
:     +- *Range (0, 3000000000, splits=4)
+- *Sort [id#4L ASC], false, 0
   +- ReusedExchange [id#4L], Exchange hashpartitioning(id#0L, 20)
"""


@pytest.mark.parametrize("step", ["", "step=1, "])
def test_a_range_read_twice_through_one_exchange_has_two_ids(step: str) -> None:
    made = replayed_text(SELF_JOIN.replace("splits", f"{step}splits"))
    assert opaque(made) == []
    assert made.verdicts["physical"] == "equal", made.differences["physical"]


CUT = """
== Physical Plan ==
SortMergeJoin [a#1], [b#2], Inner
:- Sort [a#1 ASC NULLS FIRST], false, 0
:  +- Exchange hashpartitioning(a#1, 200), ENSURE_REQUIREMENTS, [plan_id=9]
:     +- LocalTableScan [a#1]
+- Sort [b#2 ASC NULLS FIRST], false, 0
   +- Exchange hashpartitioning(b#2, 200), ENSURE_REQUIREMENTS, [plan_id=10]
      +- LocalTableScan [b#2]
"""


@pytest.mark.parametrize(("lines", "missing"), [(-1, "Exchange"), (-2, "Sort"), (-3, "SortMergeJoin")])
def test_a_plan_that_was_cut_off_is_not_planned_again(lines: int, missing: str) -> None:
    assert replayed_text(CUT).verdicts["physical"] != "absent"
    made = replayed_text("\n".join(CUT.rstrip("\n").split("\n")[:lines]))
    assert made.verdicts == {"optimized": "absent", "physical": "absent"}
    assert [f for f in made.failures if f"{missing} stands without what it reads" in f]


def test_a_physical_range_of_spark_2_2() -> None:
    made = replayed_text(SELF_JOIN.replace("splits=4", "step=1, splits=Some(4)").replace("ASC]", "ASC NULLS FIRST]"))
    assert made.verdicts["physical"] == "equal", made.differences["physical"]
    assert made.older == "Spark 2.0 to 2.2"


SPARK_2_REPARTITIONS = {
    "by a column, at the root": "Exchange hashpartitioning((id#38L % 2), 2)\n+- *Range (0, 6, step=1, splits=8)\n",
    "beneath a projection": (
        "*(2) Project [(a#1 + 1) AS c#3]\n+- Exchange hashpartitioning(b#2, 50)\n"
        "   +- *(1) Filter (isnotnull(a#1) && (a#1 > 4))\n      +- Scan ExistingRDD[a#1,b#2]\n"
    ),
}


@pytest.mark.parametrize("name", SPARK_2_REPARTITIONS)
def test_an_exchange_that_no_operator_asks_for_is_a_programs(name: str) -> None:
    made = replayed_text(f"== Physical Plan ==\n{SPARK_2_REPARTITIONS[name]}")
    assert made.verdicts["physical"] == "equal", made.differences["physical"]


OBJECTS = """
== Analyzed Logical Plan ==
a: int
Project [a#8]
+- Join LeftOuter, (a#8 = b#5)
   :- SubqueryAlias t
   :  +- Project [value#9 AS a#8]
   :     +- SerializeFromObject [input[0, int, false] AS value#9]
   :        +- ExternalRDD [obj#4]
   +- SubqueryAlias u
      +- Project [value#2 AS b#5]
         +- SerializeFromObject [input[0, int, false] AS value#2]
            +- ExternalRDD [obj#1]

== Optimized Logical Plan ==
Project [a#8]
+- Join LeftOuter, (a#8 = b#5)
   :- Project [value#9 AS a#8]
   :  +- SerializeFromObject [input[0, int, false] AS value#9]
   :     +- ExternalRDD [obj#4]
   +- Project [value#2 AS b#5]
      +- SerializeFromObject [input[0, int, false] AS value#2]
         +- ExternalRDD [obj#1]

== Physical Plan ==
GpuColumnarToRow false
+- GpuProject [a#8]
   +- GpuShuffledHashJoin [a#8], [b#5], LeftOuter, GpuBuildRight, false
      :- GpuShuffleCoalesce 2147483647
      :  +- GpuColumnarExchange gpuhashpartitioning(a#8, 10), true, [id=#53]
      :     +- GpuProject [value#9 AS a#8]
      :        +- GpuRowToColumnar TargetSize(2147483647)
      :           +- *(1) SerializeFromObject [input[0, int, false] AS value#9]
      :              +- Scan[obj#4]
      +- GpuCoalesceBatches RequireSingleBatch
         +- GpuShuffleCoalesce 2147483647
            +- GpuColumnarExchange gpuhashpartitioning(b#5, 10), true, [id=#60]
               +- GpuProject [value#2 AS b#5]
                  +- GpuRowToColumnar TargetSize(2147483647)
                     +- *(2) SerializeFromObject [input[0, int, false] AS value#2]
                        +- Scan[obj#1]
"""


def test_columns_that_are_objects_have_their_types_and_read_all_of_their_input() -> None:
    made = replayed_text(OBJECTS)
    assert made.verdicts["optimized"] == "equal", made.differences["optimized"]


def test_a_text_that_begins_below_its_root_is_not_planned_again() -> None:
    beneath = "   :  +- LocalTableScan [a#1]\n   +- Filter isnotnull(b#2)\n      +- LocalTableScan [b#2]\n"
    made = replayed_text(beneath)
    assert made.verdicts == {"optimized": "absent", "physical": "absent"}
    assert [f for f in made.failures if "below the root" in f]


BUCKETED = """
== Physical Plan ==
*(3) Project [k#1L, v#2, w#4]
+- *(3) SortMergeJoin [k#1L], [k#3L], Inner
   :- *(1) Sort [k#1L ASC NULLS FIRST], false, 0
   :  +- *(1) Project [k#1L, v#2]
   :     +- *(1) Filter isnotnull(k#1L)
   :        +- *(1) FileScan parquet default.b[k#1L,v#2] Batched: true, Format: Parquet, Location: InMemoryFileIndex[file:/b], PartitionFilters: [], PushedFilters: [IsNotNull(k)], ReadSchema: struct<k:bigint,v:double>, SelectedBucketsCount: 16 out of 16
   +- *(2) Sort [k#3L ASC NULLS FIRST], false, 0
      +- *(2) Project [k#3L, w#4]
         +- *(2) Filter isnotnull(k#3L)
            +- *(2) FileScan parquet default.c[k#3L,w#4] Batched: true, Format: Parquet, Location: InMemoryFileIndex[file:/c], PartitionFilters: [], PushedFilters: [IsNotNull(k)], ReadSchema: struct<k:bigint,w:double>, SelectedBucketsCount: 16 out of 16
"""  # noqa: E501


def test_buckets_that_a_scan_of_spark_2_only_counts() -> None:
    made = replayed_text(BUCKETED)
    assert made.verdicts["physical"] == "equal", made.differences["physical"]


def test_a_scan_that_no_strategy_plans_keeps_its_generated_stage() -> None:
    scan = (
        "*(1) Scan JDBCRelation(shop.s) [numPartitions=1] [a#1,b#2] PushedFilters: [], ReadSchema: struct<a:int,b:int>"
    )
    made = replayed_text(
        "== Physical Plan ==\n*(2) Sort [a#1 ASC NULLS FIRST], true, 0\n"
        "+- Exchange rangepartitioning(a#1 ASC NULLS FIRST, 200), ENSURE_REQUIREMENTS, [plan_id=36]\n"
        f"   +- {scan}\n"
    )
    assert made.verdicts["physical"] == "equal", made.differences["physical"]
