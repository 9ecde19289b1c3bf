"""Parts of plans, shortened plans, and what broadcasts and writes say of the plan around them."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.replay.result import Replay

HEAD = "== Physical Plan ==\n"
ADAPTIVE = "spark.sql.adaptive.enabled"


def replayed(text: str) -> Replay:
    (made,) = replays(open_text(text))
    return made


def setting(made: Replay, key: str) -> object:
    return next((s.value for s in made.settings if s.key == key), None)


def scan(table: str, columns: str, schema: str) -> str:
    return (
        f"FileScan parquet shop.{table}[{columns}] Batched: true, DataFilters: [], Format: Parquet, "
        f"Location: InMemoryFileIndex(1 paths)[file:/{table}], PartitionFilters: [], PushedFilters: [], "
        f"ReadSchema: struct<{schema}>"
    )


PART_OF_AN_ADAPTIVE_PLAN = (
    "      +- HashAggregate(keys=[city#3], functions=[partial_sum(price#2)], output=[city#3, sum#9])\n"
    "         +- Project [price#2, city#3]\n"
    "            +- BroadcastHashJoin [shop#1], [id#4], Inner, BuildRight, false\n"
    f"               :- {scan('sales', 'shop#1,price#2', 'shop:int,price:double')}\n"
    "               +- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, true] as bigint)),false),"
    " [plan_id=7]\n"
    f"                  +- {scan('shops', 'id#4,city#3', 'id:int,city:string')}\n"
)


def test_a_part_without_generated_code_stood_below_an_adaptive_plan() -> None:
    made = replayed(PART_OF_AN_ADAPTIVE_PLAN)
    assert setting(made, ADAPTIVE) is True
    assert made.verdicts["physical"] == "equal"


def test_the_first_stage_of_an_aggregate_stays_where_the_last_was_cut_off() -> None:
    made = replayed(PART_OF_AN_ADAPTIVE_PLAN)
    assert made.texts["physical"].startswith("AdaptiveSparkPlan isFinalPlan=false\n+- HashAggregate(keys=[city#3]")
    assert made.texts["physical"].count("HashAggregate") == 1


@pytest.mark.parametrize(
    "above",
    [
        "Exchange hashpartitioning(k#1, 64)\n+- *(1) HashAggregate(keys=[k#1], functions=[])\n   +- ",
        "Exchange hashpartitioning(k#1, 64)\n+- *(1) HashAggregate(keys=[k#1], functions=[partial_count(1)])\n   +- ",
        "Exchange hashpartitioning(k#1, 64), ENSURE_REQUIREMENTS, [plan_id=3]\n+- ",
        "BroadcastExchange IdentityBroadcastMode, [plan_id=3]\n+- ",
    ],
)
def test_an_exchange_of_the_planner_stays_where_what_asked_for_it_was_cut_off(above: str) -> None:
    made = replayed(f"{above}Scan ExistingRDD[k#1]\n")
    assert made.verdicts["physical"] in ("equal", "shape")
    assert made.texts["physical"].splitlines()[0].split("(")[0] == above.splitlines()[0].split("(")[0]


def test_a_stage_of_adaptive_execution_tells_that_it_was_on() -> None:
    made = replayed(
        "SortMergeJoin [a#1], [b#2], Inner\n:- Sort [a#1 ASC NULLS FIRST], false, 0\n:  +- ShuffleQueryStage 0\n"
        ":     +- Exchange hashpartitioning(a#1, 8), ENSURE_REQUIREMENTS, [plan_id=1]\n"
        ":        +- Scan ExistingRDD[a#1]\n+- Sort [b#2 ASC NULLS FIRST], false, 0\n   +- ShuffleQueryStage 1\n"
        "      +- Exchange hashpartitioning(b#2, 8), ENSURE_REQUIREMENTS, [plan_id=2]\n"
        "         +- Scan ExistingRDD[b#2]\n"
    )
    assert setting(made, ADAPTIVE) is True
    assert made.verdicts["physical"] == "shape"


def test_a_broadcast_tells_the_types_of_its_keys() -> None:
    made = replayed(
        HEAD + "*BroadcastHashJoin [a#1], [b#2], LeftOuter, BuildRight\n:- Scan ExistingRDD[a#1]\n"
        "+- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, smallint, false] as bigint)))\n"
        "   +- Scan ExistingRDD[b#2]\n"
    )
    assert made.verdicts["physical"] == "equal"


def test_the_places_of_columns_in_a_shortened_plan_tell_nothing() -> None:
    made = replayed(
        HEAD + "*(1) BroadcastHashJoin [a#1], [b#9], LeftOuter, BuildRight\n:- Scan ExistingRDD[a#1]\n"
        "+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, string, false]))\n"
        "   +- Scan ExistingRDD[c#5,... 4 more fields]\n"
    )
    assert "input[0, string" not in made.texts["physical"]


def test_a_key_among_the_columns_that_were_left_out_is_a_column_of_that_scan() -> None:
    made = replayed(
        HEAD + "AdaptiveSparkPlan isFinalPlan=false\n+- SortMergeJoin [parcel#44L], [id#71L], LeftOuter\n"
        "   :- Sort [parcel#44L ASC NULLS FIRST], false, 0\n"
        "   :  +- Exchange hashpartitioning(parcel#44L, 200), ENSURE_REQUIREMENTS, [plan_id=1]\n"
        "   :     +- FileScan parquet shop.trips[day#11,van#13,route#20,... 6 more fields] Batched: true, DataFilters: "
        "[], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/trips], PartitionFilters: [], PushedFilters: "
        "[], ReadSchema: struct<day:date,van:int,route:str...\n"
        "   +- Sort [id#71L ASC NULLS FIRST], false, 0\n"
        "      +- Exchange hashpartitioning(id#71L, 200), ENSURE_REQUIREMENTS, [plan_id=2]\n"
        f"         +- {scan('parcels', 'id#71L', 'id:bigint')}\n"
    )
    assert made.verdicts["physical"] == "equal"
    (relation,) = [n for n in made.read["physical"].plan.walk() if "trips" in n.simple_string and not n.children]
    assert [a.name for a in relation.output] == ["day", "van", "route", "parcel"]


def test_a_shortened_table_of_hive_still_has_its_columns() -> None:
    made = replayed(
        HEAD + "*BroadcastHashJoin [phone#5], [phone#40], Inner, BuildRight\n"
        ":- HiveTableScan [phone#5, city#6, ... 30 more fields], MetastoreRelation crm, people\n"
        "+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, string, true]))\n"
        "   +- HiveTableScan [phone#40], MetastoreRelation crm, calls\n"
    )
    assert made.verdicts["physical"] in ("equal", "shape")


@pytest.mark.parametrize("write", ["AppendData", "OverwriteByExpression", "ReplaceData", "WriteDelta"])
def test_a_write_of_a_data_source_stands_above_the_adaptive_plan(write: str) -> None:
    made = replayed(
        HEAD + f"{write} lake.orders, IcebergWrite(table=lake.orders, format=PARQUET)\n"
        "+- AdaptiveSparkPlan isFinalPlan=false\n"
        "   +- Exchange hashpartitioning(k#1, 200), REBALANCE_PARTITIONS_BY_COL, [plan_id=4]\n"
        "      +- LocalTableScan [k#1]\n"
    )
    assert made.verdicts["physical"] == "equal"


def test_one_partition_has_another_name_in_older_versions() -> None:
    made = replayed(HEAD + "Exchange RoundRobinPartitioning(1), false, [id=#8]\n+- LocalTableScan [k#1]\n")
    assert made.verdicts["physical"] == "equal"


def test_what_stands_behind_a_filter_of_the_gpu_is_no_part_of_its_condition() -> None:
    made = replayed(
        HEAD + "GpuColumnarToRow false\n+- GpuFilter (gpuisnotnull(a#1) AND (a#1 > 4)), true\n"
        "   +- GpuBroadcastNestedLoopJoin LeftOuter, GpuBuildRight, (a#1 < b#2), 1073741824\n"
        "      :- Scan ExistingRDD[a#1]\n      +- GpuBroadcastExchange IdentityBroadcastMode, [plan_id=1]\n"
        "         +- Scan ExistingRDD[b#2]\n"
    )
    assert not made.read["physical"].opaque_operators
    assert made.verdicts["physical"] == "shape"


def test_batches_that_gluten_resizes_are_no_operators_of_the_plan() -> None:
    made = replayed(
        HEAD + "VeloxColumnarToRow\n+- ^(2) ProjectExecTransformer [a#1]\n   +- ^(2) InputIteratorTransformer[a#1]\n"
        "      +- VeloxResizeBatches 1024, 2147483647\n"
        "         +- ColumnarExchange hashpartitioning(a#1, 9), REPARTITION_BY_NUM, [plan_id=3], [id=#3]\n"
        "            +- VeloxAppendBatches 3276\n               +- Scan ExistingRDD[a#1,b#2]\n"
    )
    assert not made.read["physical"].opaque_operators
    assert made.verdicts["physical"] == "shape"


def whole_text() -> str:
    scans = [
        scan(*columns)
        .replace("DataFilters: []", f"DataFilters: [isnotnull(id#{n})]")
        .replace("PushedFilters: []", "PushedFilters: [IsNotNull(id)]")
        for n, columns in ((1, ("a", "id#1", "id:int")), (11, ("b", "id#11,price#12", "id:int,price:double")))
    ]
    relations = [f"Relation shop.{t}[id#{n},price#{n + 1}] parquet" for t, n in (("a", 1), ("b", 11))]
    return (
        "== Analyzed Logical Plan ==\nid: int, price: double\nProject [id#1, price#12]\n+- Join Inner, (id#1 = id#11)\n"
        f"   :- {relations[0]}\n   +- {relations[1]}\n\n"
        "== Optimized Logical Plan ==\nProject [id#1, price#12]\n+- Join Inner, (id#1 = id#11)\n"
        f"   :- Project [id#1]\n   :  +- Filter isnotnull(id#1)\n   :     +- {relations[0]}\n"
        f"   +- Filter isnotnull(id#11)\n      +- {relations[1]}\n\n"
        "== Physical Plan ==\nAdaptiveSparkPlan isFinalPlan=false\n+- Project [id#1, price#12]\n"
        "   +- SortMergeJoin [id#1], [id#11], Inner\n      :- Sort [id#1 ASC NULLS FIRST], false, 0\n"
        "      :  +- Exchange hashpartitioning(id#1, 200), ENSURE_REQUIREMENTS, [plan_id=7]\n"
        f"      :     +- Filter isnotnull(id#1)\n      :        +- {scans[0]}\n"
        "      +- Sort [id#11 ASC NULLS FIRST], false, 0\n"
        "         +- Exchange hashpartitioning(id#11, 200), ENSURE_REQUIREMENTS, [plan_id=8]\n"
        f"            +- Filter isnotnull(id#11)\n               +- {scans[1]}\n"
    )


def test_a_text_that_ends_early_is_equal_as_far_as_it_goes() -> None:
    text = whole_text()
    for end in ("false, 0\n      :  +- Exch", "[plan_id=7", "[id#11 ASC", "Location: InMem", "isnotnull(id#1"):
        cut = text[: text.index(end, text.index("== Physical")) + len(end)]
        made = replayed(cut)
        assert made.verdicts == {"optimized": "equal", "physical": "equal"}, (end, made.differences)
        assert made.failures == ["The text of the physical plan ends early: it is compared as far as it goes."]
        assert setting(made, "spark.sql.optimizer.excludedRules") is None


def test_a_text_that_ends_early_and_is_another_plan_differs() -> None:
    text = whole_text().replace("[id#1], [id#11], Inner\n", "[id#1], [id#11], LeftOuter\n")
    made = replayed(text[: text.index("[plan_id=7")])
    assert made.verdicts["physical"] == "differs"


def test_an_analyzed_plan_without_its_beginning_is_not_planned() -> None:
    text = whole_text()
    begins = text.index("   :- Relation shop.a")
    made = replayed(text[begins + 6 : begins + 6 + text[begins + 6 :].index("\n") + 1] + text[text.index("\n== Opt") :])
    assert made.verdicts["optimized"] == "absent"


RAN = """== Physical Plan ==
AdaptiveSparkPlan (6)
+- == Final Plan ==
   * Project (3)
   +- * ColumnarToRow (2)
      +- Scan parquet shop.sales (1)
+- == Initial Plan ==
   Project (5)
   +- Scan parquet shop.sales (1)


(1) Scan parquet shop.sales
Output [1]: [shop#1]
Batched: true
Location: InMemoryFileIndex [file:/sales]
ReadSchema: struct<shop:int>

(2) ColumnarToRow [codegen id : 1]
Input [1]: [shop#1]

(3) Project [codegen id : 1]
Output [2]: [shop#1, Subquery subquery#9, [id=#20] AS most#8]
Input [1]: [shop#1]

(5) Project
Output [2]: [shop#1, Subquery subquery#9, [id=#10] AS most#8]
Input [1]: [shop#1]

(6) AdaptiveSparkPlan
Output [2]: [shop#1, most#8]
Arguments: isFinalPlan=true

===== Subqueries =====

Subquery:1 Hosting operator id = 3 Hosting Expression = Subquery subquery#9, [id=#20]
* HashAggregate (14)
+- Exchange (13)
   +- * HashAggregate (12)
      +- * ColumnarToRow (11)
         +- Scan parquet shop.shops (10)


(10) Scan parquet shop.shops
Output [1]: [id#4]
Batched: true
Location: InMemoryFileIndex [file:/shops]
ReadSchema: struct<id:int>

(11) ColumnarToRow [codegen id : 1]
Input [1]: [id#4]

(12) HashAggregate [codegen id : 1]
Input [1]: [id#4]
Keys: []
Functions [1]: [partial_max(id#4)]
Aggregate Attributes [1]: [max#15]
Results [1]: [max#16]

(13) Exchange
Input [1]: [max#16]
Arguments: SinglePartition, ENSURE_REQUIREMENTS, [plan_id=5]

(14) HashAggregate [codegen id : 2]
Input [1]: [max#16]
Keys: []
Functions [1]: [max(id#4)]
Aggregate Attributes [1]: [max(id#4)#12]
Results [1]: [max(id#4)#12 AS max(id)#13]
"""


def test_subqueries_that_stand_with_the_plan_that_ran_are_not_missed_in_the_one_before() -> None:
    made = replayed(RAN)
    assert made.texts["physical"].count("Subquery subquery#9") > 0
    assert made.verdicts["physical"] == "shape", made.differences
