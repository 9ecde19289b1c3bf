"""Explains of DataFrame programs: Python functions, caches, pivots, files without a table's name, buckets."""

from __future__ import annotations

import pytest

from planviz.dataframe import functions, session
from planviz.document import open_text
from planviz.document.opening.replays import with_replayed_trace
from planviz.replay.result import Replay
from tests.plans import small_catalog
from tests.replay.test_pasted import opaque, replayed_text


def verdicts(made: Replay) -> tuple[str, str]:
    return made.verdicts["optimized"], made.verdicts["physical"]


PYTHON = """
== Analyzed Logical Plan ==
town: string, size: bigint
Aggregate [town#31], [town#31, count(1) AS size#40L]
+- Filter (town#31 = Oslo)
   +- Project [visit#20L, clean(place#21)#30 AS town#31]
      +- Relation [visit#20L,place#21,day#22] parquet

== Optimized Logical Plan ==
Aggregate [town#31], [town#31, count(1) AS size#40L]
+- Project [pythonUDF0#42 AS town#31]
   +- BatchEvalPython [clean(place#21)#30], [pythonUDF0#42]
      +- Project [place#21]
         +- Filter (pythonUDF0#41 = Oslo)
            +- BatchEvalPython [clean(place#21)#30], [pythonUDF0#41]
               +- Project [place#21]
                  +- Relation [visit#20L,place#21,day#22] parquet

== Physical Plan ==
*(4) HashAggregate(keys=[town#31], functions=[count(1)], output=[town#31, size#40L])
+- Exchange hashpartitioning(town#31, 200), ENSURE_REQUIREMENTS, [plan_id=91]
   +- *(3) HashAggregate(keys=[town#31], functions=[partial_count(1)], output=[town#31, count#44L])
      +- *(3) Project [pythonUDF0#42 AS town#31]
         +- BatchEvalPython [clean(place#21)#30], [pythonUDF0#42]
            +- *(2) Project [place#21]
               +- *(2) Filter (pythonUDF0#41 = Oslo)
                  +- BatchEvalPython [clean(place#21)#30], [pythonUDF0#41]
                     +- *(1) ColumnarToRow
                        +- FileScan parquet [place#21] Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/v], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<place:string>
"""  # noqa: E501


def test_a_python_function_is_optimized_as_its_evaluation_says() -> None:
    made = replayed_text(PYTHON)
    assert verdicts(made) == ("equal", "equal")
    assert opaque(made) == []
    rules = {s.rule.rsplit(".", 1)[-1] for s in with_replayed_trace(open_text(PYTHON)).trace.steps}  # type: ignore[union-attr]
    assert "ExtractPythonUDFs" in rules


def test_a_call_that_no_operator_computes_stays_as_it_stands() -> None:
    text = PYTHON[: PYTHON.index("== Optimized")]
    made = replayed_text(text)
    assert opaque(made)
    assert "clean(place#21)#30" in made.texts["analyzed"]


def test_older_texts_name_python_functions_without_ids() -> None:
    made = replayed_text(PYTHON.replace(")#30", ")"))
    assert made.verdicts["optimized"] == "equal"
    assert opaque(made) == []


PANDAS = """
== Optimized Logical Plan ==
Aggregate [town#21], [town#21, middle(price#22)#30 AS m#31]
+- Project [town#21, price#22]
   +- Relation [visit#20L,town#21,price#22] parquet

== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- !AggregateInPandas [town#21], [middle(price#22)#30], [town#21, middle(price#22)#30#33 AS m#31]
   +- Sort [town#21 ASC NULLS FIRST], false, 0
      +- Exchange hashpartitioning(town#21, 200), ENSURE_REQUIREMENTS, [plan_id=9]
         +- FileScan parquet [town#21,price#22] Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/v], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<town:string,price:double>
"""  # noqa: E501


def test_an_aggregate_of_pandas_functions_is_planned_as_one() -> None:
    made = replayed_text(PANDAS)
    assert made.verdicts["physical"] == "equal"
    assert opaque(made) == []
    assert made.config.profile < "spark-4.1"


PARTITIONED = """
== Analyzed Logical Plan ==
sum(price): double
Aggregate [sum(price#22) AS sum(price)#40]
+- Join Inner, (day#23 = day#31)
   :- Relation [visit#20L,town#21,price#22,day#23] parquet
   +- Filter (holiday#32 = Easter)
      +- Relation [day#31,holiday#32] parquet

== Optimized Logical Plan ==
Aggregate [sum(price#22) AS sum(price)#40]
+- Project [price#22]
   +- Join Inner, (day#23 = day#31)
      :- Project [price#22, day#23]
      :  +- Filter (isnotnull(day#23) AND dynamicpruning#45 [day#23])
      :     :  +- Project [day#31]
      :     :     +- Filter ((isnotnull(holiday#32) AND (holiday#32 = Easter)) AND isnotnull(day#31))
      :     :        +- Relation [day#31,holiday#32] parquet
      :     +- Relation [visit#20L,town#21,price#22,day#23] parquet
      +- Project [day#31]
         +- Filter ((isnotnull(holiday#32) AND (holiday#32 = Easter)) AND isnotnull(day#31))
            +- Relation [day#31,holiday#32] parquet

== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- HashAggregate(keys=[], functions=[sum(price#22)], output=[sum(price)#40])
   +- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=70]
      +- HashAggregate(keys=[], functions=[partial_sum(price#22)], output=[sum#47])
         +- Project [price#22]
            +- BroadcastHashJoin [day#23], [day#31], Inner, BuildRight, false
               :- FileScan parquet [price#22,day#23] Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/f], PartitionFilters: [isnotnull(day#23), dynamicpruningexpression(day#23 IN dynamicpruning#45)], PushedFilters: [], ReadSchema: struct<price:double>
               :     +- SubqueryAdaptiveBroadcast dynamicpruning#45, 0, true, Project [day#31], [day#31]
               :        +- AdaptiveSparkPlan isFinalPlan=false
               :           +- Project [day#31]
               :              +- Filter ((isnotnull(holiday#32) AND (holiday#32 = Easter)) AND isnotnull(day#31))
               :                 +- FileScan parquet [day#31,holiday#32] Batched: true, DataFilters: [isnotnull(holiday#32), (holiday#32 = Easter), isnotnull(day#31)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/h], PartitionFilters: [], PushedFilters: [IsNotNull(holiday), EqualTo(holiday,Easter), IsNotNull(day)], ReadSchema: struct<day:int,holiday:string>
               +- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, true] as bigint)),false), [plan_id=65]
                  +- Project [day#31]
                     +- Filter ((isnotnull(holiday#32) AND (holiday#32 = Easter)) AND isnotnull(day#31))
                        +- FileScan parquet [day#31,holiday#32] Batched: true, DataFilters: [isnotnull(holiday#32), (holiday#32 = Easter), isnotnull(day#31)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/h], PartitionFilters: [], PushedFilters: [IsNotNull(holiday), EqualTo(holiday,Easter), IsNotNull(day)], ReadSchema: struct<day:int,holiday:string>
"""  # noqa: E501


def test_files_that_no_table_names_are_partitioned_as_their_scan_says() -> None:
    made = replayed_text(PARTITIONED)
    assert made.verdicts["optimized"] == "equal"
    assert "PartitionFilters: [isnotnull(day#23), dynamicpruningexpression" in made.texts["physical"]


BUCKETED = """
== Optimized Logical Plan ==
Project [town#21, mayor#32]
+- Join Inner, (visitor#20L = visitor#31L)
   :- Project [visitor#20L, town#21]
   :  +- Filter isnotnull(visitor#20L)
   :     +- Relation spark_catalog.default.visits[visitor#20L,town#21] parquet
   +- Filter isnotnull(visitor#31L)
      +- Relation spark_catalog.default.people[visitor#31L,mayor#32] parquet

== Physical Plan ==
*(3) Project [town#21, mayor#32]
+- *(3) SortMergeJoin [visitor#20L], [visitor#31L], Inner
   :- *(1) Sort [visitor#20L ASC NULLS FIRST], false, 0
   :  +- *(1) Filter isnotnull(visitor#20L)
   :     +- *(1) ColumnarToRow
   :        +- FileScan parquet spark_catalog.default.visits[visitor#20L,town#21] Batched: true, Bucketed: true, DataFilters: [isnotnull(visitor#20L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/v], PartitionFilters: [], PushedFilters: [IsNotNull(visitor)], ReadSchema: struct<visitor:bigint,town:string>, SelectedBucketsCount: 16 out of 16
   +- *(2) Sort [visitor#31L ASC NULLS FIRST], false, 0
      +- *(2) Filter isnotnull(visitor#31L)
         +- *(2) ColumnarToRow
            +- FileScan parquet spark_catalog.default.people[visitor#31L,mayor#32] Batched: true, Bucketed: true, DataFilters: [isnotnull(visitor#31L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/p], PartitionFilters: [], PushedFilters: [IsNotNull(visitor)], ReadSchema: struct<visitor:bigint,mayor:string>, SelectedBucketsCount: 16 out of 16
"""  # noqa: E501


def test_buckets_spare_the_exchanges_that_they_spared() -> None:
    made = replayed_text(BUCKETED)
    assert made.verdicts["physical"] == "equal"
    assert "Exchange" not in made.texts["physical"]
    assert "SelectedBucketsCount: 16 out of 16" in made.texts["physical"]


CACHED = """
== Analyzed Logical Plan ==
mayor: string, visits: bigint
Project [mayor#32, visits#25L]
+- Project [town#21, visits#25L, mayor#32]
   +- Join Inner, (town#21 = town#31)
      :- Filter (visits#25L > cast(3 as bigint))
      :  +- Filter (visits#25L < cast(90 as bigint))
      :     +- Aggregate [town#21], [town#21, count(1) AS visits#25L]
      :        +- Relation [visitor#20L,town#21] parquet
      +- Relation [town#31,mayor#32] parquet

== Optimized Logical Plan ==
Project [mayor#32, visits#25L]
+- Join Inner, (town#21 = town#31)
   :- Filter ((isnotnull(visits#25L) AND (visits#25L > 3)) AND isnotnull(town#21))
   :  +- InMemoryRelation [town#21, visits#25L], StorageLevel(disk, memory, deserialized, 1 replicas)
   :        +- *(2) Filter (count(1)#27L < 90)
   :           +- *(2) HashAggregate(keys=[town#21], functions=[count(1)], output=[town#21, visits#25L])
   :              +- Exchange hashpartitioning(town#21, 200), ENSURE_REQUIREMENTS, [plan_id=5]
   :                 +- *(1) HashAggregate(keys=[town#21], functions=[partial_count(1)], output=[town#21, count#28L])
   :                    +- FileScan parquet [town#21] Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/v], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<town:string>
   +- Filter isnotnull(town#31)
      +- Relation [town#31,mayor#32] parquet
"""  # noqa: E501


def test_the_part_that_is_cached_is_found_and_no_operator_above_it() -> None:
    made = replayed_text(CACHED)
    assert made.verdicts["optimized"] == "equal"
    assert opaque(made) == []
    assert made.start is not None
    filters = [n for n in made.start.walk() if n.node_name == "Filter"]
    assert len(filters) == 1, "the filter on top is the query's, the other the cache's"
    assert made.texts["analyzed"].count("Filter") == 2, "the analyzed plan stays as it was printed"


PIVOTED = """
== Optimized Logical Plan ==
Project [town#21, __pivot_sum(price) AS `sum(price)`#37[0] AS cash#40, __pivot_sum(price) AS `sum(price)`#37[1] AS card#41]
+- Aggregate [town#21], [town#21, pivotfirst(paid#22, sum(price)#30, cash, card, 0, 0) AS __pivot_sum(price) AS `sum(price)`#37]
   +- Aggregate [town#21, paid#22], [town#21, paid#22, sum(price#23) AS sum(price)#30]
      +- Relation [town#21,paid#22,price#23] csv

== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- Project [town#21, __pivot_sum(price) AS `sum(price)`#37[0] AS cash#40, __pivot_sum(price) AS `sum(price)`#37[1] AS card#41]
   +- HashAggregate(keys=[town#21], functions=[pivotfirst(paid#22, sum(price)#30, cash, card, 0, 0)], output=[town#21, __pivot_sum(price) AS `sum(price)`#37])
      +- Exchange hashpartitioning(town#21, 200), ENSURE_REQUIREMENTS, [plan_id=24]
         +- HashAggregate(keys=[town#21], functions=[partial_pivotfirst(paid#22, sum(price)#30, cash, card, 0, 0)], output=[town#21, cash#35, card#36])
            +- HashAggregate(keys=[town#21, paid#22], functions=[sum(price#23)], output=[town#21, paid#22, sum(price)#30])
               +- Exchange hashpartitioning(town#21, paid#22, 200), ENSURE_REQUIREMENTS, [plan_id=20]
                  +- HashAggregate(keys=[town#21, paid#22], functions=[partial_sum(price#23)], output=[town#21, paid#22, sum#44])
                     +- FileScan csv [town#21,paid#22,price#23] Batched: false, DataFilters: [], Format: CSV, Location: InMemoryFileIndex(1 paths)[file:/v], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<town:string,paid:string,price:double>
"""  # noqa: E501


@pytest.mark.parametrize("text", [PIVOTED, PIVOTED[PIVOTED.index("== Physical") :]])
def test_a_pivot_keeps_its_slots(text: str) -> None:
    made = replayed_text(text)
    assert made.verdicts["physical"] in ("equal", "shape")
    assert opaque(made) == []
    assert "partial_pivotfirst(paid#22, sum(price)#30, cash, card, 0, 0)" in made.texts["physical"]


def test_a_plan_over_a_cache_that_ran_is_one_explain() -> None:
    """The adaptive plan that filled a cache has an initial plan of its own, which is not the query's."""
    ran = """
== Optimized Logical Plan ==
Filter (visits#25L > 3)
+- InMemoryRelation [town#21, visits#25L], StorageLevel(disk, memory, deserialized, 1 replicas)
      +- AdaptiveSparkPlan isFinalPlan=true
         +- == Final Plan ==
            *(1) Scan ExistingRDD[town#21,visits#25L]
         +- == Initial Plan ==
            Scan ExistingRDD[town#21,visits#25L]

== Physical Plan ==
Filter (visits#25L > 3)
+- InMemoryTableScan [town#21, visits#25L], [(visits#25L > 3)]
      +- InMemoryRelation [town#21, visits#25L], StorageLevel(disk, memory, deserialized, 1 replicas)
            +- AdaptiveSparkPlan isFinalPlan=true
               +- == Final Plan ==
                  *(1) Scan ExistingRDD[town#21,visits#25L]
               +- == Initial Plan ==
                  Scan ExistingRDD[town#21,visits#25L]
"""
    document = open_text(ran)
    assert len(document.groups) == 1
    made = replayed_text(ran)
    assert made.verdicts["physical"] in ("equal", "shape")


FORMATTED = """
== Physical Plan ==
* Project (5)
+- BatchEvalPython (4)
   +- * Project (3)
      +- * ColumnarToRow (2)
         +- Scan parquet  (1)


(1) Scan parquet
Output [1]: [place#21]
Batched: true
Location: InMemoryFileIndex [file:/v]
ReadSchema: struct<place:string>

(2) ColumnarToRow [codegen id : 1]
Input [1]: [place#21]

(3) Project [codegen id : 1]
Output [1]: [place#21]
Input [1]: [place#21]

(4) BatchEvalPython
Input [1]: [place#21]
Arguments: [clean(place#21)#30], [pythonUDF0#41]

(5) Project [codegen id : 2]
Output [1]: [pythonUDF0#41 AS town#31]
Input [2]: [place#21, pythonUDF0#41]
"""


def test_the_formatted_mode_says_how_python_is_called() -> None:
    assert opaque(replayed_text(FORMATTED)) == []


FILTERED = """
== Optimized Logical Plan ==
Join Inner, (visitor#20L = visitor#31L)
:- Filter (isnotnull(visitor#20L) AND might_contain(scalar-subquery#40 [], xxhash64(visitor#20L, 42)))
:  :  +- Aggregate [bloom_filter_agg(xxhash64(visitor#31L, 42), 1000000, 8388608, 0, 0) AS bloomFilter#41]
:  :     +- Filter ((isnotnull(town#32) AND (town#32 = Oslo)) AND isnotnull(visitor#31L))
:  :        +- Relation [visitor#31L,town#32] parquet
:  +- Relation [visitor#20L,price#21] parquet
+- Filter ((isnotnull(town#32) AND (town#32 = Oslo)) AND isnotnull(visitor#31L))
   +- Relation [visitor#31L,town#32] parquet

== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- SortMergeJoin [visitor#20L], [visitor#31L], Inner
   :- Sort [visitor#20L ASC NULLS FIRST], false, 0
   :  +- Exchange hashpartitioning(visitor#20L, 200), ENSURE_REQUIREMENTS, [plan_id=9]
   :     +- Filter isnotnull(visitor#20L)
   :        +- FileScan parquet [visitor#20L,price#21] Batched: true, DataFilters: [isnotnull(visitor#20L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/v], PartitionFilters: [], PushedFilters: [IsNotNull(visitor)], ReadSchema: struct<visitor:bigint,price:double>
   +- Sort [visitor#31L ASC NULLS FIRST], false, 0
      +- Exchange hashpartitioning(visitor#31L, 200), ENSURE_REQUIREMENTS, [plan_id=10]
         +- Filter ((isnotnull(town#32) AND (town#32 = Oslo)) AND isnotnull(visitor#31L))
            +- FileScan parquet [visitor#31L,town#32] Batched: true, DataFilters: [isnotnull(town#32), (town#32 = Oslo), isnotnull(visitor#31L)], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/p], PartitionFilters: [], PushedFilters: [IsNotNull(town), EqualTo(town,Oslo), IsNotNull(visitor)], ReadSchema: struct<visitor:bigint,town:string>
"""  # noqa: E501


def test_a_runtime_filter_of_a_side_that_small_says_that_broadcasting_was_off() -> None:
    made = replayed_text(FILTERED)
    found = {s.key: s for s in made.settings}
    assert found["spark.sql.autoBroadcastJoinThreshold"].value == -1
    assert "broadcasting was off" in found["spark.sql.autoBroadcastJoinThreshold"].evidence
    assert made.fitted is not None
    assert made.fitted.open == []


WIDE = """
== Analyzed Logical Plan ==
a: string, b: string, c: string
Project [a#1, b#2, ... 1 more fields]
+- Filter (a#1 = x)
   +- Relation [a#1,b#2,c#3] parquet

== Optimized Logical Plan ==
Filter (isnotnull(a#1) AND (a#1 = x))
+- Relation [a#1,b#2,c#3] parquet
"""


def test_a_cut_list_of_all_columns_is_all_of_them() -> None:
    assert replayed_text(WIDE).verdicts["optimized"] == "equal"
    other = replayed_text(WIDE.replace("1 more fields", "7 more fields"))
    assert other.verdicts["optimized"] == "differs", "a longer list has other columns, which nobody knows"


LISTED = """
== Physical Plan ==
AdaptiveSparkPlan (5)
+- ObjectHashAggregate (4)
   +- Exchange (3)
      +- ObjectHashAggregate (2)
         +- Scan parquet  (1)


(1) Scan parquet
Output [2]: [town#21, price#22]
Batched: true
Location: InMemoryFileIndex [file:/v]
ReadSchema: struct<town:string,price:double>

(2) ObjectHashAggregate
Input [2]: [town#21, price#22]
Keys [1]: [town#21]
Functions [2]: [partial_percentile_approx(price#22, 0.5, 10000, 0, 0), partial_collect_list(price#22, 0, 0)]
Aggregate Attributes [2]: [buf#40, buf#41]
Results [3]: [town#21, buf#42, buf#43]

(3) Exchange
Input [3]: [town#21, buf#42, buf#43]
Arguments: hashpartitioning(town#21, 200), ENSURE_REQUIREMENTS, [plan_id=12]

(4) ObjectHashAggregate
Input [3]: [town#21, buf#42, buf#43]
Keys [1]: [town#21]
Functions [2]: [percentile_approx(price#22, 0.5, 10000, 0, 0), collect_list(price#22, 0, 0)]
Aggregate Attributes [2]: [percentile_approx(price#22, 0.5, 10000, 0, 0)#30, collect_list(price#22, 0, 0)#31]
Results [3]: [town#21, percentile_approx(price#22, 0.5, 10000, 0, 0)#30 AS mid#32, collect_list(price#22, 0, 0)#31 AS all#33]

(5) AdaptiveSparkPlan
Output [3]: [town#21, mid#32, all#33]
Arguments: isFinalPlan=false
"""  # noqa: E501


def test_the_columns_of_functions_of_several_arguments_are_told_apart() -> None:
    made = replayed_text(LISTED)
    assert made.verdicts["physical"] == "shape"
    assert opaque(made) == []
    read = made.read["physical"].text
    assert "percentile_approx(price#22, 0.5, 10000, 0, 0) AS mid#32, collect_list(price#22, 0, 0) AS all#33" in read


def test_a_generator_that_keeps_no_column_is_lifted() -> None:
    made = replayed_text("""
== Physical Plan ==
*(1) Generate explode(tags#22), false, [tag#30]
+- *(1) ColumnarToRow
   +- FileScan parquet [tags#22] Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/v], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<tags:array<string>>
""")  # noqa: E501
    assert opaque(made) == []
    assert made.verdicts["physical"] == "equal"


@pytest.mark.parametrize(
    "made",
    [
        lambda arr: arr.select(functions.col("st").withField("z", functions.lit(1)).dropFields("x").alias("s")),
        lambda arr: arr.select("id").mapInPandas(len, "a int, b int").groupBy("a").count(),
        lambda arr: arr.freqItems(["id"], 0.4),
    ],
)
def test_changed_structs_functions_of_tables_and_frequent_items_are_read_back(made) -> None:
    text = made(session(small_catalog()).table("arr")).execution.explain_string("extended")
    found = replayed_text(text)
    assert not opaque(found)
    assert found.verdicts["optimized"] == "equal"
