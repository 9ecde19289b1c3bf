"""Decisions read back from the text of a plan: what it says, and nothing more."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.decisions.join_tree import join_tree
from planviz.document import open_text
from planviz.document.decisions.queries import decided, subject
from planviz.document.decisions.reconstruction import planned_as, reconstructed
from planviz.execution import explain
from tests.physical.grid import catalog, rows


def joins(text, **settings):
    config = OptimizerConfig.of(**{f"spark.sql.{k.replace('__', '.')}": v for k, v in settings.items()})
    return [d for query in decided(open_text(text), config) for d in query.of("JoinSelection")]


def text_of(sql, cost=True):
    config = OptimizerConfig.of(**{"spark.sql.adaptive.enabled": False})
    execution = explain(sql, catalog(), config)
    physical = f"== Physical Plan ==\n{execution.text('physical')}"
    return f"== Optimized Logical Plan ==\n{execution.cost_text}\n{physical}" if cost else physical


def answers(decision):
    return [(c.node, c.passed) for c in decision.checks]


def test_a_physical_plan_alone_says_that_there_were_keys():
    (found,) = joins(text_of("SELECT * FROM big JOIN small ON big.k = small.k", cost=False))

    assert subject(found) == "big ⋈ small"
    assert answers(found) == [("N0", True), ("N1", None)]
    assert found.value("sizes") is None
    assert not found.flips


def test_the_optimized_plan_beside_it_says_hints_and_sizes():
    (found,) = joins(text_of("SELECT * FROM big JOIN mid ON big.k = mid.k"))

    assert answers(found) == [("N0", True), ("N1", False), ("N2", False), ("N3", None), ("N6", True)]
    assert dict(found.checks[2].values)["right"] == 30 << 20
    assert "limit" not in dict(found.checks[2].values)


def test_a_setting_that_is_given_is_known():
    (found,) = joins(text_of("SELECT * FROM big JOIN mid ON big.k = mid.k"), join__preferSortMergeJoin=True)

    assert answers(found)[3:] == [("N3", False), ("N6", True)]


def test_a_rounded_size_beside_the_threshold_proves_nothing():
    text = text_of("SELECT * FROM big JOIN over10 ON big.k < over10.k")
    (known,) = joins(text.replace("10.0 MiB", "10.4 MiB"), autoBroadcastJoinThreshold="10MB")
    (found,) = joins(text, autoBroadcastJoinThreshold="10MB")

    assert ("N11", False) in answers(known)
    assert dict(answers(found))["N11"] is False  # the product says so, not the size


def test_hints_are_followed():
    sql = "SELECT /*+ SHUFFLE_HASH(big2) */ * FROM big JOIN big2 ON big.k = big2.k"
    (found,) = joins(text_of(sql))

    assert answers(found) == [("N0", True), ("N1", True), ("H1", False), ("H2", False), ("H3", True)]


def test_a_null_aware_anti_join_is_known_by_its_flag():
    (found,) = joins(text_of("SELECT * FROM big WHERE k NOT IN (SELECT k FROM big2)"))

    assert answers(found) == [("N0", False), ("N9", True)]


def test_equalities_within_an_alternative_are_no_keys():
    (some,) = joins(text_of("SELECT * FROM big JOIN big2 ON big.k = big2.k OR big.v = big2.v", cost=False))
    (none,) = joins(text_of("SELECT * FROM big JOIN big2 ON big.k < big2.k AND big.v > 1", cost=False))

    assert answers(some)[0] == answers(none)[0] == ("N0", False)


@pytest.mark.slow
@pytest.mark.parametrize("cost", [True, False])
def test_what_is_read_back_is_never_wrong(cost):
    tree = join_tree()
    for row in rows()[::9]:
        for hint, _ in row.codes:
            execution = explain(row.sql(hint), catalog(), OptimizerConfig.of(**{"spark.sql.adaptive.enabled": False}))
            (planned,) = execution.planned.decisions
            (found,) = joins(text_of(row.sql(hint), cost))
            truth = dict(answers(planned))
            assert found.outcome == planned.outcome
            assert all(truth.get(node) is passed for node, passed in answers(found) if passed is not None)
            # Raises when it is no path.
            tree.path(found.checks)


ENGINES = {
    "PhotonBroadcastHashJoin": "[a#1], [b#2], Inner, BuildRight, false, true",
    "CometBroadcastHashJoin": "[a#1, b#2], [a#1], [b#2], Inner, BuildRight",
    "GpuBroadcastHashJoin": "[a#1], [b#2], Inner, GpuBuildRight",
    "BroadcastHashJoinExecTransformer": "[a#1], [b#2], Inner, BuildRight, false",
    "PhotonShuffledHashJoin": "[a#1], [b#2], Inner, BuildRight",
    "GpuShuffledSymmetricHashJoin": "[a#1], [b#2], Inner, GpuBuildRight, false",
    "ShuffledHashJoinExecTransformer": "[a#1], [b#2], Inner, BuildRight",
    "CometSortMergeJoin": "[a#1], [b#2], Inner",
}


@pytest.mark.parametrize("op", ENGINES)
def test_the_join_of_an_engine_is_explained_as_far_as_its_text_tells(op: str) -> None:
    text = f"== Physical Plan ==\n{op} {ENGINES[op]}\n:- Scan ExistingRDD[a#1]\n+- Scan ExistingRDD[b#2]\n"
    (found,) = reconstructed(open_text(text))[0].decisions

    assert found.outcome == op
    assert answers(found) == [("N0", True), ("N1", None)]
    assert not found.rejected


def test_a_hash_join_of_an_engine_may_have_been_a_sort_merge_join() -> None:
    assert planned_as("PhotonShuffledHashJoin") == planned_as("CHShuffledHashJoinExecTransformer")
    assert planned_as("PhotonShuffledHashJoin") == ("ShuffledHashJoin", "SortMergeJoin")
    assert planned_as("ShuffledHashJoin") == planned_as("LeftSemiJoinHash") == ("ShuffledHashJoin",)
    assert planned_as("GpuBroadcastNestedLoopJoin") == ("BroadcastNestedLoopJoin",)
    assert planned_as("SortMergeOuterJoin") == ("SortMergeJoin",)
    assert planned_as("StreamingSymmetricHashJoin") == planned_as("GpuProject") == ()


def test_sizes_beside_a_join_of_an_engine_rule_out_a_broadcast_and_nothing_else() -> None:
    text = (
        "== Optimized Logical Plan ==\nJoin Inner, (a#1 = b#2), Statistics(sizeInBytes=90.0 GiB)\n"
        ":- Relation t[a#1] parquet, Statistics(sizeInBytes=3.0 GiB)\n"
        "+- Relation u[b#2] parquet, Statistics(sizeInBytes=2.0 GiB)\n\n== Physical Plan ==\n"
        "PhotonShuffledHashJoin [a#1], [b#2], Inner, BuildRight\n:- PhotonScan parquet t[a#1]\n"
        "+- PhotonScan parquet u[b#2]\n"
    )
    (found,) = reconstructed(open_text(text))[0].decisions

    assert answers(found) == [("N0", True), ("N1", False), ("N2", False), ("N3", None)]
    assert [r.operator for r in found.rejected] == ["BroadcastHashJoin"]


def test_a_tree_without_its_blocks_does_not_say_whether_an_outer_join_had_keys() -> None:
    join = "BroadcastNestedLoopJoin LeftOuter BuildRight (3)"
    tree = f"== Physical Plan ==\n{join}\n:- Scan parquet t (1)\n+- Scan parquet u (2)\n"
    (found,) = reconstructed(open_text(tree))[0].decisions

    assert answers(found)[0] == ("N0", None)


SUBQUERY_FIRST = """== Physical Plan ==
BroadcastHashJoin [b#2], [k#4], Inner, BuildRight, false
:- Filter (isnotnull(b#2) AND might_contain(Subquery subquery#9, [id=#30], xxhash64(b#2, 42)))
:  :  +- Subquery subquery#9, [id=#30]
:  :     +- FileScan parquet db.dates[d#8] Batched: true, DataFilters: [], Format: Parquet
:  +- FileScan parquet db.sales[b#2] Batched: true, DataFilters: [], Format: Parquet
+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, true]),false), [plan_id=20]
   +- FileScan parquet db.items[k#4] Batched: true, DataFilters: [], Format: Parquet
"""


def test_a_side_is_called_by_what_its_rows_come_of() -> None:
    (found,) = reconstructed(open_text(SUBQUERY_FIRST))[0].decisions

    assert found.value("sides") == ("sales", "items")


def test_a_source_is_called_by_the_table_that_its_line_names() -> None:
    text = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- SortMergeJoin [id#1L], [ref#5L], Inner
   :- Sort [id#1L ASC NULLS FIRST], false, 0
   :  +- Exchange hashpartitioning(id#1L, 200), ENSURE_REQUIREMENTS, [id=#30]
   :     +- BatchScan[id#1L, v#2] lake.shop.orders [filters=id IS NOT NULL]
   +- Sort [ref#5L ASC NULLS FIRST], false, 0
      +- Exchange hashpartitioning(ref#5L, 200), ENSURE_REQUIREMENTS, [id=#31]
         +- HiveTableScan [ref#5L], HiveTableRelation [`shop`.`refs`, org.example.Serde, Data Cols: [ref#5L]]
"""
    assert [subject(one) for query in decided(open_text(text)) for one in query.of("JoinSelection")] == [
        "orders ⋈ refs"
    ]


def test_sides_that_are_files_are_called_by_their_folders() -> None:
    def scan(name: str, columns: str) -> str:
        return f"FileScan parquet [{columns}] Batched: true, Location: InMemoryFileIndex(1 paths)[s3://lake/{name}]"

    document = open_text(
        "== Physical Plan ==\nSortMergeJoin [k#1], [k#2], Inner\n"
        f":- {scan('orders/day=3', 'k#1')}\n+- SortMergeJoin [k#2], [k#3], Inner\n"
        f"   :- {scan('users', 'k#2')}\n   +- Scan ExistingRDD[k#3]\n"
    )
    assert {subject(d) for q in decided(document) for d in q.decisions} == {
        "orders ⋈ users, ExistingRDD", "users ⋈ ExistingRDD"
    }  # fmt: skip
