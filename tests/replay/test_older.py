# ruff: noqa: E501
"""Texts of Spark 1 and 2, of other engines, of streams and Datasets: read, and kept where nobody plans them."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.replay.result import Replay

SPARK_2 = """== Analyzed Logical Plan ==
name: string, kind: string
Project [name#1, kind#4]
+- Filter ((shop#2 = id#3) && ((kind#4 = toys) || isnull(name#1)))
   +- Join Inner
      :- SubqueryAlias `s`
      :  +- Relation[name#1,shop#2] parquet
      +- SubqueryAlias `k`
         +- Relation[id#3,kind#4] parquet

== Optimized Logical Plan ==
Project [name#1, kind#4]
+- Join Inner, (((kind#4 = toys) || isnull(name#1)) && (shop#2 = id#3))
   :- Filter isnotnull(shop#2)
   :  +- Relation[name#1,shop#2] parquet
   +- Filter isnotnull(id#3)
      +- Relation[id#3,kind#4] parquet
"""
SPARK_1 = """== Physical Plan ==
Sort [n#9L DESC], true, 0
+- ConvertToUnsafe
   +- Exchange rangepartitioning(n#9L DESC,50), None
      +- ConvertToSafe
         +- TungstenAggregate(key=[town#1,year#2], functions=[(count(1),mode=Final,isDistinct=false)], output=[town#1,n#9L])
            +- TungstenExchange hashpartitioning(town#1,year#2,50), None
               +- TungstenAggregate(key=[town#1,year#2], functions=[(count(1),mode=Partial,isDistinct=false)], output=[town#1,year#2,count#8L])
                  +- Project [town#1,year#2]
                     +- SortMergeOuterJoin [id#3], [of#4], LeftOuter, Some((year#2 > least#5))
                        :- Sort [id#3 ASC], false, 0
                        :  +- Scan ParquetRelation: shop.towns[town#1,year#2,id#3] InputPaths: hdfs://x/towns
                        +- Sort [of#4 ASC], false, 0
                           +- HiveTableScan [of#4,least#5], MetastoreRelation shop, limits, None
"""
PHOTON = """== Physical Plan ==
ColumnarToRow
+- PhotonResultStage
   +- PhotonSort [town#1 ASC NULLS FIRST]
      +- PhotonShuffleExchangeSource
         +- PhotonShuffleMapStage
            +- PhotonShuffleExchangeSink rangepartitioning(town#1 ASC NULLS FIRST, 8)
               +- PhotonGroupingAgg(keys=[town#1], functions=[finalmerge_sum(merge sum#8) AS sum(price)#6, finalmerge_count(merge count#9L) AS count(1)#7L])
                  +- PhotonShuffleExchangeSource
                     +- PhotonShuffleMapStage
                        +- PhotonShuffleExchangeSink hashpartitioning(town#1, 8)
                           +- PhotonGroupingAgg(keys=[town#1], functions=[partial_sum(price#2) AS sum#8, partial_count(1) AS count#9L])
                              +- PhotonScan parquet t[town#1,price#2] DataFilters: [], DictionaryFilters: [], Format: parquet, Location: X(1 paths)[s3://x], PartitionFilters: [], ReadSchema: struct<town:string,price:double>
"""
RAPIDS = """== Physical Plan ==
GpuColumnarToRow false
+- GpuTopN(limit=5, orderBy=[n#9L DESC NULLS LAST], output=[town#1,n#9L])
   +- GpuHashAggregate(keys=[town#1], functions=[gpucount(1)]), filters=List(None))
      +- GpuShuffleCoalesce 1000
         +- GpuColumnarExchange gpuhashpartitioning(town#1, 8), ENSURE_REQUIREMENTS, [id=#3]
            +- GpuHashAggregate(keys=[town#1], functions=[partial_gpucount(1)]), filters=List(None))
               +- GpuFilter gpuisnotnull(town#1)
                  +- GpuFileGpuScan parquet [town#1] Batched: true, DataFilters: [], Format: Parquet, Location: X(1 paths)[s3://x], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<town:string>
"""
COMET = """== Physical Plan ==
CometColumnarToRow
+- CometHashAggregate [town#1, sum#8], [Final], [town#1], [sum(price#2)]
   +- CometExchange hashpartitioning(town#1, 8), ENSURE_REQUIREMENTS, CometNativeShuffle, [plan_id=3]
      +- CometHashAggregate [town#1, price#2], [Partial], [town#1], [partial_sum(price#2)]
         +- CometFilter [town#1, price#2], isnotnull(town#1)
            +- CometScan parquet [town#1,price#2] Batched: true, DataFilters: [], Format: CometParquet, Location: X(1 paths)[s3://x], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<town:string,price:double>
"""
DATASET = """== Optimized Logical Plan ==
SerializeFromObject [input[0, int, false] AS value#15]
+- MapPartitions Shop$$Lambda$1/5@6a, obj#14: int
   +- DeserializeToObject value#1: int, obj#5: int
      +- LocalRelation [value#1]
"""
STREAM = """== Physical Plan ==
*(3) HashAggregate(keys=[at#1-T5000ms], functions=[count(1)], output=[at#1-T5000ms, n#9L])
+- StateStoreSave [at#1-T5000ms], state info [ checkpoint = <unknown>, runId = 8, opId = 0, ver = 0, numPartitions = 8], Append, 0, 2
   +- *(2) HashAggregate(keys=[at#1-T5000ms], functions=[merge_count(1)], output=[at#1-T5000ms, count#8L])
      +- StateStoreRestore [at#1-T5000ms], state info [ checkpoint = <unknown>, runId = 8, opId = 0, ver = 0, numPartitions = 8], 2
         +- Exchange hashpartitioning(at#1-T5000ms, 8)
            +- *(1) HashAggregate(keys=[at#1-T5000ms], functions=[partial_count(1)], output=[at#1-T5000ms, count#8L])
               +- EventTimeWatermark at#1: timestamp, interval 5 seconds
                  +- StreamingRelation rate, [at#1]
"""


def replayed(text: str) -> Replay:
    (made,) = replays(open_text(text))
    return made


@pytest.mark.parametrize("text", [SPARK_2, SPARK_1, PHOTON, RAPIDS, COMET, DATASET, STREAM])
def test_everything_in_the_text_is_read(text: str) -> None:
    for read in replayed(text).read.values():
        assert (read.opaque_operators, read.opaque) == ([], [])


def test_conjunctions_of_spark_2_are_planned_as_those_of_spark_3() -> None:
    made = replayed(SPARK_2)
    assert made.verdicts["optimized"] in ("equal", "shape")
    assert not any("Relation" in d["spark"] for d in made.differences.get("optimized", []))
    assert "((kind#4 = toys) OR isnull(name#1))" in made.texts["analyzed"]


def test_stages_of_spark_1_become_one_aggregate_over_the_outer_join() -> None:
    text = replayed(SPARK_1).texts["optimized"]
    assert "Aggregate [town#1, year#2], [town#1, count(1) AS n#9L]" in text
    assert "Join LeftOuter, ((id#3 = of#4) AND (year#2 > least#5))" in text
    assert "Sort [n#9L DESC NULLS LAST], true" in text


def test_functions_of_photon_are_called_by_their_results() -> None:
    text = replayed(PHOTON).texts["optimized"]
    assert "sum(price#2) AS sum(price)#6, count(1) AS count(1)#7L" in text
    assert text.startswith("Sort [town#1 ASC NULLS FIRST], true")


def test_what_a_program_does_to_objects_and_a_stream_to_its_state_is_kept_and_counted() -> None:
    assert replayed(DATASET).read["optimized"].kept == 3
    made = replayed(STREAM)
    assert made.read["physical"].kept >= 4
    assert "StateStoreSave [at#1]" in made.texts["optimized"]


def test_a_field_of_a_column_without_a_type_is_read() -> None:
    made = replayed(
        "== Optimized Logical Plan ==\nProject [who#1.name.first AS f#3, tags#2[0] AS t#4]\n"
        "+- LogicalRDD [who#1, tags#2], false\n"
    )
    assert made.read["optimized"].opaque == []
    assert "who#1.name.first AS f#3, tags#2[0] AS t#4" in made.texts["optimized"]


def test_notes_behind_operators_and_changes_between_rows_and_columns_are_passed_over() -> None:
    made = replayed(
        "== Physical Plan ==\nVeloxColumnarToRow\n+- ^(1) ProjectExecTransformer [(id#0L * 2) AS d#1L]  <-- native\n"
        "   +- ^(1) InputIteratorTransformer[id#0L]\n      +- RowToVeloxColumnar\n"
        "         +- *(1) Range (0, 10, step=1, splits=2)  // the rows\n"
    )
    assert made.texts["optimized"].startswith("Project [(id#0L * 2) AS d#1L]\n+- Range (0, 10, step=1")
    assert made.read["physical"].opaque_operators == []


COMET_WITHOUT_BRACKETS = """== Physical Plan ==
*(1) CometColumnarToRow
+- CometHashAggregate [sum#8, isEmpty#9], Final, [sum(price#2)]
   +- CometExchange SinglePartition, ENSURE_REQUIREMENTS, CometNativeShuffle, [plan_id=3]
      +- CometHashAggregate [price#2], Partial, [partial_sum(price#2)]
         +- CometScan [native_iceberg_compat] parquet [price#2] Batched: true, DataFilters: [], Format: CometParquet, Location: X(1 paths)[file:/x], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<price:double>
"""
RAPIDS_JOIN = """== Physical Plan ==
GpuColumnarToRow false
+- GpuHashAggregate(keys=[k#3], functions=[gpubasicsum(v#4L, LongType, false)]), filters=List(None))
   +- GpuHashAggregate(keys=[k#3], functions=[partial_gpubasicsum(v#4L, LongType, false)]), filters=List(None))
      +- GpuShuffledHashJoin [k#3], [k#9], Inner, GpuBuildRight, false
         :- GpuColumnarExchange gpuhashpartitioning(k#3, 16), ENSURE_REQUIREMENTS, [id=#30]
         :  +- GpuFileGpuScan parquet [k#3,v#4L] Batched: true, DataFilters: [], Format: Parquet, Location: X[file:/a], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<k:int,v:bigint>
         +- GpuColumnarExchange gpuhashpartitioning(k#9, 16), ENSURE_REQUIREMENTS, [id=#31]
            +- GpuFileGpuScan parquet [k#9] Batched: true, DataFilters: [], Format: Parquet, Location: X[file:/b], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<k:int>
"""
PHOTON_BROADCAST = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- == Initial Plan ==
   ColumnarToRow
   +- PhotonResultStage
      +- PhotonBroadcastHashJoin [item#13], [id#20], Inner, BuildRight, false, true
         :- PhotonScan parquet main.sales[item#13] DataFilters: [], DictionaryFilters: [], Format: parquet, Location: X(1 paths)[s3://a], OptionalDataFilters: [], PartitionFilters: [], ReadSchema: struct<item:int>, RequiredDataFilters: []
         +- PhotonShuffleExchangeSource
            +- PhotonShuffleMapStage
               +- PhotonShuffleExchangeSink SinglePartition
                  +- PhotonScan parquet main.item[id#20] DataFilters: [], DictionaryFilters: [], Format: parquet, Location: X(1 paths)[s3://b], OptionalDataFilters: [], PartitionFilters: [], ReadSchema: struct<id:int>, RequiredDataFilters: []
"""
COMET_NATIVE = """== Physical Plan ==
CometProject [_1#6], [_1#6]
+- CometFilter [_1#6], isnotnull(_1#6)
   +- CometNativeScan:  [_1#6]
"""


def test_stages_of_comet_are_read_without_brackets_and_without_keys() -> None:
    made = replayed(COMET_WITHOUT_BRACKETS)
    assert "Aggregate [sum(price#2) AS sum(price#2)#" in made.texts["optimized"]
    assert "Relation [price#2] parquet" in made.texts["optimized"]


def test_the_last_word_of_a_join_of_rapids_is_no_condition() -> None:
    text = replayed(RAPIDS_JOIN).texts["optimized"]
    assert "Join Inner, (k#3 = k#9)\n" in text
    assert "sum(v#4L) AS" in text


@pytest.mark.parametrize("text", [PHOTON_BROADCAST, COMET_NATIVE])
def test_scans_and_broadcasts_of_other_engines_are_held_against_spark_s(text: str) -> None:
    assert replayed(text).verdicts["physical"] == "shape"


def test_a_join_of_spark_1_broadcasts_without_an_exchange_of_its_own() -> None:
    (read,) = replays(
        open_text(
            "== Physical Plan ==\n"
            "Project [name#3,n#9L]\n"
            "+- BroadcastHashJoin [code#1], [code#2], BuildRight\n"
            "   :- ConvertToUnsafe\n"
            "   :  +- TakeOrderedAndProject(limit=5, orderBy=[n#9L DESC], output=[code#1,n#9L])\n"
            "   :     +- ConvertToSafe\n"
            "   :        +- Scan ExistingRDD[code#1,n#9L]\n"
            "   +- ConvertToUnsafe\n"
            "      +- HiveTableScan [code#2,name#3], MetastoreRelation db, airports, None\n"
        )
    )
    assert read.verdicts["physical"] == "equal", read.differences
