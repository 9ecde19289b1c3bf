"""What a difference of two plans means, in words: joins, exchanges, scans, aggregates, numbers."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.document.comparison.plans import compare_plans
from planviz.graph import PlanGraph
from planviz.graph.cells import Cell, metric, number_words
from planviz.graph.effect import KINDS, Effect
from planviz.graph.join_pairs import join_order

SORTED = """== Physical Plan ==
SortMergeJoin [a#1], [d#4], Inner
:- Sort [a#1 ASC NULLS FIRST], false, 0
:  +- Exchange hashpartitioning(a#1, 200), ENSURE_REQUIREMENTS, [plan_id=10]
:     +- FileScan parquet db.t[a#1,c#3] Batched: true, PartitionFilters: [isnotnull(p#9)], PushedFilters: [IsNotNull(a)]
+- Sort [d#4 ASC NULLS FIRST], false, 0
   +- Exchange hashpartitioning(d#4, 200), ENSURE_REQUIREMENTS, [plan_id=11]
      +- FileScan parquet db.u[d#4] Batched: true, PartitionFilters: [], PushedFilters: [IsNotNull(d)]
"""
HASHED = """== Physical Plan ==
BroadcastHashJoin [a#1], [d#4], Inner, BuildRight, false
:- FileScan parquet db.t[a#1] Batched: true, PartitionFilters: [], PushedFilters: [IsNotNull(a), GreaterThan(a,5)]
+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, true]),false), [plan_id=20]
   +- FileScan parquet db.u[d#4,e#5] Batched: true, PartitionFilters: [], PushedFilters: []
"""


def read(text: str) -> PlanGraph:
    return open_text(text).plans[-1]


def told(before: str, after: str, **asked: bool) -> list[Effect]:
    return list(compare_plans(read(before), read(after), **asked).effects)


def by_kind(before: str, after: str, **asked: bool) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for effect in told(before, after, **asked):
        found.setdefault(effect.kind, []).append(effect.words)
    return found


def test_a_plan_and_itself_have_nothing_to_tell() -> None:
    assert told(SORTED, SORTED) == []
    assert compare_plans(read(SORTED), read(SORTED)).equal


def test_another_strategy_is_told_with_what_it_saves() -> None:
    found = told(SORTED, HASHED)
    assert found[0].kind == "join-strategy"
    assert found[0].words == "Join on a = d: SortMergeJoin → BroadcastHashJoin, builds u"
    assert found[0].worse is False
    kinds = {effect.kind: effect for effect in found}
    assert kinds["exchange-removed"].worse is False
    assert kinds["sort-removed"].words == "Gone: 2 × Sort"
    back = told(HASHED, SORTED)
    assert back[0].worse is True
    assert "exchange-added" in {effect.kind for effect in back}


def test_the_most_important_comes_first() -> None:
    order = list(KINDS)
    kinds = [order.index(effect.kind) for effect in told(SORTED, HASHED)]
    assert kinds == sorted(kinds)


def test_scans_tell_columns_and_filters() -> None:
    found = by_kind(SORTED, HASHED)
    assert found["scan-widened"] == ["u: reads e as well"]
    assert found["scan-narrowed"] == ["t: no longer reads c"]
    assert found["scan-filter-gained"] == ["t: gained the pushed filter GreaterThan(a,5)"]
    assert found["scan-filter-lost"] == ["u: lost the pushed filter IsNotNull(d)"]
    assert found["partition-filter-lost"] == ["t: lost the filter on partitions isnotnull(p)"]


def test_a_cut_list_proves_nothing() -> None:
    cut = SORTED.replace("db.u[d#4]", "db.u[d#4,... 12 more fields]")
    assert "scan-widened" not in by_kind(SORTED, cut)
    assert "scan-narrowed" not in by_kind(SORTED, cut)


JOINS = """== Physical Plan ==
BroadcastHashJoin [{0}#1], [{1}#2], Inner, BuildRight, false
:- BroadcastHashJoin [{2}#3], [{3}#4], Inner, BuildRight, false
:  :- FileScan parquet {4}[x#1,x#3]
:  +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, true]),false), [plan_id=1]
:     +- FileScan parquet {5}[x#4]
+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, true]),false), [plan_id=2]
   +- FileScan parquet {6}[x#2]
"""


def test_another_order_of_joins_is_told_as_such() -> None:
    one = JOINS.format("a_id", "c_id", "a_id", "b_id", "a", "b", "c")
    two = JOINS.format("a_id", "b_id", "a_id", "c_id", "a", "c", "b")
    found = told(one, two)
    assert (found[0].kind, found[0].words) == ("join-order", "Join order: (a ⋈ b) ⋈ c → (a ⋈ c) ⋈ b")
    assert "join-added" not in {effect.kind for effect in found}
    assert "join-strategy" not in {effect.kind for effect in found}


def test_what_adaptive_execution_did_is_told() -> None:
    plan = """SortMergeJoin{0} [a#1], [b#2], Inner
:- Exchange hashpartitioning(a#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
:  +- FileScan parquet t[a#1]
+- Exchange hashpartitioning(b#2, 200), ENSURE_REQUIREMENTS, [plan_id=2]
   +- FileScan parquet u[b#2]
"""
    final = """SortMergeJoin(skew=true) [a#1], [b#2], Inner
:- AQEShuffleRead coalesced and skewed
:  +- ShuffleQueryStage 0
:     +- Exchange hashpartitioning(a#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
:        +- FileScan parquet t[a#1]
+- Exchange hashpartitioning(b#2, 200), ENSURE_REQUIREMENTS, [plan_id=2]
   +- FileScan parquet u[b#2]
"""
    assert [effect.words for effect in told(plan.format(""), final)] == [
        "Join on a = b: splits skewed partitions",
        "New with the way it runs: AQE Shuffle Read, Shuffle Query Stage",
    ]


def test_the_same_words_are_said_once() -> None:
    union = "Union\n:- FileScan parquet t[a#1,b#2]\n+- FileScan parquet t[a#3,b#4]\n"
    found = told(union, union.replace(",b#2", "").replace(",b#4", ""))
    assert [(effect.kind, effect.words) for effect in found] == [("scan-narrowed", "t: no longer reads b (2 times)")]
    assert len(found[0].before) == len(found[0].after) == 2


def test_a_join_is_named_by_its_equalities() -> None:
    plan = "{0} [a#1], [b#2], Inner, ((x#3 > 1) OR (y#4 < 2))\n:- FileScan parquet t[a#1]\n+- FileScan parquet u[b#2]\n"
    found = told(plan.format("SortMergeJoin"), plan.format("ShuffledHashJoin").replace("Inner,", "Inner, BuildRight,"))
    assert found[0].words == "Join on a = b: SortMergeJoin → ShuffledHashJoin, builds u"


def test_the_side_of_an_input_is_no_order() -> None:
    plan = "SortMergeJoin [{0}#1], [{1}#2], Inner\n:- FileScan parquet {0}[{0}#1]\n+- FileScan parquet {1}[{1}#2]\n"
    assert join_order(read(plan.format("a", "b"))) == join_order(read(plan.format("b", "a"))) == "a ⋈ b"


def test_the_build_side_is_the_table_not_the_side() -> None:
    plan = """BroadcastHashJoin [a#1], [b#2], Inner, Build{0}, false
:- FileScan parquet a[a#1]
+- FileScan parquet b[b#2]
"""
    swapped = """BroadcastHashJoin [b#2], [a#1], Inner, BuildLeft, false
:- FileScan parquet b[b#2]
+- FileScan parquet a[a#1]
"""
    assert by_kind(plan.format("Right"), plan.format("Left"))["build-side"] == ["Join on a = b: builds a instead of b"]
    assert "build-side" not in by_kind(plan.format("Right"), swapped)


def test_aggregates_tell_their_stages() -> None:
    two = """HashAggregate(keys=[k#1], functions=[sum(v#2)])
+- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
   +- HashAggregate(keys=[k#1], functions=[partial_sum(v#2)])
      +- FileScan parquet t[k#1,v#2]
"""
    found = by_kind(two, two.replace("HashAggregate", "SortAggregate"))
    assert found["aggregate-stages"] == ["Aggregate sum(v) by k: HashAggregate → SortAggregate"]
    one = "HashAggregate(keys=[k#1], functions=[sum(v#2)])\n+- FileScan parquet t[k#1,v#2]\n"
    assert by_kind(two, one)["aggregate-stages"] == [
        "Aggregate sum(v) by k: 2 stages (partial, final) → 1 stage (complete)"
    ]


def test_lost_reuse_is_told() -> None:
    reused = """Union
:- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
:  +- FileScan parquet t[k#1]
+- ReusedExchange [k#1], Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
"""
    again = """Union
:- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
:  +- FileScan parquet t[k#1]
+- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=2]
   +- FileScan parquet t[k#1]
"""
    found = by_kind(reused, again)
    assert found["reuse-lost"] == ["Reuse lost: ReusedExchange"]
    assert found["scan-added"] == ["Read once more: t"]


def test_numbers_alone_count_only_when_asked() -> None:
    other = SORTED.replace("200", "400")
    assert told(SORTED, other) == []
    assert by_kind(SORTED, other, numbers=True)["exchange-changed"] == [
        "Shuffle by a into 200 → by a into 400",
        "Shuffle by d into 200 → by d into 400",
    ]


def test_estimates_that_moved_far_are_told() -> None:
    plan = "== Optimized Logical Plan ==\nRelation db.t[a#1] parquet, Statistics(sizeInBytes={0}, rowCount={1})\n"
    found = told(plan.format("8.0 KiB", "100"), plan.format("8.0 KiB", "1.00E+5"))
    assert [effect.kind for effect in found] == ["estimate-moved"]
    assert "rows expected 100 → 100,000" in found[0].words
    assert told(plan.format("8.0 KiB", "100"), plan.format("8.0 KiB", "200")) == []


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("number of output rows", "8,315", (8315, "")),
        ("time in aggregation build", "total (min, med, max (stageId: taskId))\n96 ms (9 ms, 87 ms)", (96, "ms")),
        ("sort time", "1.5 s", (1500, "ms")),
        ("scan time", "2.0 m", (120_000, "ms")),
        ("spill size", "0.0 B", (0, "bytes")),
        ("peak memory", "32.0 MiB", (32 * 1024 * 1024, "bytes")),
        ("data size", 480, (480, "bytes")),
        ("number of output rows", None, None),
        ("remarks", "none", None),
    ],
)
def test_metrics_are_read_as_numbers(name: str, value: object, read: object) -> None:
    assert metric(name, value) == read


def test_cells_know_what_is_better() -> None:
    less = Cell("bytes shuffled", 2048.0, 1024.0, "bytes", True)
    assert (less.difference, less.percent, less.better, less.factor) == (-1024.0, -50.0, True, 2.0)
    assert Cell("reused exchanges", 1, 0, "", False).better is False
    assert Cell("operators", 5, 9).better is None
    assert Cell("bytes shuffled", None, 3, "bytes", True).difference is None
    assert number_words(-1536.0, "bytes", signed=True) == "−1536 B"
    assert number_words(1500, "ms", signed=True) == "+1.5 s"
    assert number_words(None) == "–"


def test_a_list_of_filters_that_spark_cut_tells_of_no_filter_lost_or_gained() -> None:
    cut = SORTED.replace("PushedFilters: [IsNotNull(d)]", "PushedFilters: [IsNotNull(a_ve...")
    found = compare_plans(open_text(cut).plans[-1], open_text(SORTED).plans[-1])

    assert not [e.kind for e in found.effects if e.kind.startswith("scan-filter")]


def test_rows_that_stand_in_a_plan_are_the_same_under_other_ids():
    scan = "FileScan parquet db.u[d#4,e#5] Batched: true, PartitionFilters: [], PushedFilters: []"
    plan = HASHED.replace(scan, "LocalTableScan [d#4, e#5]")

    assert told(plan, plan.replace("#4", "#44").replace("#5", "#55")) == []


def test_another_constant_is_no_filter_lost() -> None:
    before = SORTED.replace("[IsNotNull(a)]", "[IsNotNull(a), LessThan(a,2026-08-30), In(c, [1,2])]")
    before = before.replace("[isnotnull(p#9)]", "[isnotnull(p#9), (p#9 >= 2026-08-01)]")
    after = before.replace("2026-08-30", "2026-08-31").replace("[1,2]", "[1,3]").replace("08-01", "08-02")
    effects = [effect for effect in told(before, after) if "filter" in effect.kind]
    assert [(effect.kind, effect.words, effect.worse) for effect in effects] == [
        (
            "scan-filter-changed",
            "t: another constant in the pushed filter LessThan(a,2026-08-30) → LessThan(a,2026-08-31), "
            "In(c, [1,2]) → In(c, [1,3])",
            None,
        ),
        (
            "partition-filter-changed",
            "t: another constant in the filter on partitions (p >= 2026-08-01) → (p >= 2026-08-02)",
            None,
        ),
    ]
    other = by_kind(before, before.replace("LessThan(a,", "GreaterThan(a,").replace("In(c, [1,2])", "In(b, [1,2])"))
    assert "scan-filter-changed" not in other
    assert len(other["scan-filter-lost"]) == 1


def test_shuffles_that_seem_to_change_keys_are_told_as_what_went() -> None:
    """`k → j` and `by j gone` are one shuffle by k that went, whichever the two plans' alignment took for which."""
    from planviz.graph.effects import _pair_by_keys

    k, j, other = (
        next(
            n
            for n in read(SORTED.replace("hashpartitioning(a#1", f"hashpartitioning({name}#1"))
            if "[plan_id=10" in n.text
        )
        for name in "kjj"
    )
    gone, new, changed = [j], [], [(k, other, 1.0)]
    _pair_by_keys(gone, new, changed)
    assert (gone, new, changed) == ([k], [], [])
    gone, new, changed = [], [k], [(k, other, 1.0)]
    _pair_by_keys(gone, new, changed)
    assert (gone, new, changed) == ([], [other], [])
