"""Joins of adaptive plans that have run: what was planned so, what was chosen anew, and by which measured sizes."""

from __future__ import annotations

from planviz.document import open_text
from planviz.document.decisions.adaptive import is_changed, is_final, planned_joins
from planviz.document.decisions.measured import measured_words
from planviz.document.decisions.queries import decided
from planviz.graph.actual import measured_bytes, measured_rows
from planviz.render.scene import build_scene
from planviz.ui.cache import AUTO, open_document
from planviz.ui.join_rows import reason
from planviz.ui.reasons import joins_in_short, reasons_of
from planviz.ui.views import truths

FINAL = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   *(4) BroadcastHashJoin [k#1], [k#3], LeftOuter, BuildRight, false
   :- *(4) BroadcastHashJoin [k#1], [k#2], Inner, BuildRight, false
   :  :- AQEShuffleRead local
   :  :  +- ShuffleQueryStage 0, Statistics(sizeInBytes=4.6 MiB, rowCount=8.56E+4)
   :  :     +- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
   :  :        +- *(1) Scan ExistingRDD[k#1]
   :  +- BroadcastQueryStage 3, Statistics(sizeInBytes=1030.3 KiB, rowCount=800)
   :     +- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, false] as bigint)),false), [plan_id=4]
   :        +- AQEShuffleRead local
   :           +- ShuffleQueryStage 1, Statistics(sizeInBytes=25.0 KiB, rowCount=800)
   :              +- Exchange hashpartitioning(k#2, 200), ENSURE_REQUIREMENTS, [plan_id=2]
   :                 +- *(2) Scan ExistingRDD[k#2]
   +- BroadcastQueryStage 2, Statistics(sizeInBytes=1024.2 KiB, rowCount=20)
      +- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, false] as bigint)),false), [plan_id=3]
         +- *(3) Scan ExistingRDD[k#3]
"""
INITIAL = """+- == Initial Plan ==
   BroadcastHashJoin [k#1], [k#3], LeftOuter, BuildRight, false
   :- SortMergeJoin [k#1], [k#2], Inner
   :  :- Sort [k#1 ASC NULLS FIRST], false, 0
   :  :  +- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
   :  :     +- Scan ExistingRDD[k#1]
   :  +- Sort [k#2 ASC NULLS FIRST], false, 0
   :     +- Exchange hashpartitioning(k#2, 200), ENSURE_REQUIREMENTS, [plan_id=2]
   :        +- Scan ExistingRDD[k#2]
   +- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, false] as bigint)),false), [plan_id=3]
      +- Scan ExistingRDD[k#3]
"""


def joins(text):
    return [(q.plan, d) for q in decided(open_text(text)) for d in q.of("JoinSelection")]


def test_joins_of_a_plan_that_ran_are_told_once_and_those_chosen_anew_say_what_they_were():
    (plan, outer), (_, anew) = joins(FINAL + INITIAL)

    assert plan == 0
    assert [d.outcome for d in (outer, anew)] == ["BroadcastHashJoin", "BroadcastHashJoin"]
    assert outer.value("because") == ""
    assert anew.value("anew")
    assert anew.value("because") == "chosen anew while the query ran, by measured sizes; Sort Merge Join was planned"
    assert [round(size / 1024) for size in anew.value("sizes")] == [4710, 25]
    assert reason(anew).startswith("Chosen anew while the query ran")


def test_no_hint_can_have_led_to_a_join_that_was_planned_otherwise():
    *_, (_, anew) = joins(FINAL + INITIAL)
    assert [(c.node, c.passed) for c in anew.checks] == [("N0", True), ("N1", False), ("N2", True)]


def test_without_the_initial_plan_a_shuffle_beneath_the_broadcast_tells_it():
    (_, outer), (_, inner) = joins(FINAL)

    assert outer.value("because") == ""  # read and broadcast at once, as it was planned or by a hint
    assert inner.value("because") == "chosen anew while the query ran, by measured sizes"


def test_a_join_is_matched_by_its_keys_and_type_and_only_where_they_stand_as_often():
    document = open_text(FINAL + INITIAL)
    found = planned_joins(document, 0)
    assert [(document.plans[0][n].op, before.op) for n, before in found.items()] == [
        ("BroadcastHashJoin", "BroadcastHashJoin"),
        ("BroadcastHashJoin", "SortMergeJoin"),
    ]
    assert [is_changed(document.plans[0][n], before) for n, before in found.items()] == [False, True]
    assert planned_joins(document, 1) == {}
    assert planned_joins(open_text(FINAL + INITIAL.replace("k#2", "k#9")), 0).keys() < found.keys()


def test_statistics_of_a_stage_are_what_its_exchange_measured():
    plan = open_text(FINAL).plans[0]
    exchanges = {n.op: n for n in plan if n.kind == "exchange" and n.metrics}

    assert not any(n.estimate for n in plan)
    assert set(exchanges) == {"Exchange", "BroadcastExchange"}  # once: a sum over the plan counts nothing twice
    first = next(n for n in plan if n.op == "Exchange")
    assert (measured_rows(first), measured_bytes(first)) == (85_600, 4_823_449)
    scene = build_scene(plan)
    assert scene.rows_are == "measured"
    rows = dict(zip(scene.nodes["op"], scene.nodes["rows"], strict=True))
    assert rows["AQEShuffleRead"] == rows["ShuffleQueryStage"] == 800
    assert [t.word for t in truths(plan)][-1] == "measured"


def test_explore_tells_of_a_final_plan_s_joins_what_the_initial_plan_has():
    opened = open_document(FINAL + INITIAL, AUTO)
    short = {j["number"]: j["reason"] for j in joins_in_short(opened, "0")["joins"]}
    assert short[2].startswith("Chosen anew")
    outer = next(n.id for n in opened.graph("0") if n.kind == "join")
    (section,) = reasons_of(opened, "0", outer)["sections"]
    assert section["number"] == 1


def test_rows_go_on_where_an_operator_keeps_them_and_nowhere_else():
    text = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   *(2) HashAggregate(keys=[k#1], functions=[count(1)])
   +- AQEShuffleRead coalesced
      +- ShuffleQueryStage 0, Statistics(sizeInBytes=25.0 KiB, rowCount=800)
         +- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=1]
            +- *(1) HashAggregate(keys=[k#1], functions=[partial_count(1)])
               +- MapInPandas f(k#0)#1, [k#1], false
                  +- Scan ExistingRDD[k#0]
"""
    scene = build_scene(open_text(text).plans[0])
    rows = list(zip(scene.nodes["op"], scene.nodes["rows"], strict=True))
    assert [count for op, count in rows if op == "HashAggregate"] == [None, 800]
    assert dict(rows)["AQEShuffleRead"] == dict(rows)["Exchange"] == 800
    assert dict(rows)["Scan"] is None
    skewed = build_scene(open_text(text.replace("coalesced", "coalesced and skewed")).plans[0])
    assert skewed.nodes["rows"][skewed.nodes["op"].index("AQEShuffleRead")] is None


def test_what_a_function_makes_of_rows_is_not_passed_through():
    text = """== Physical Plan ==
Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=1]
+- MapInPandas f(k#0)#1, [k#1], false
   +- Scan ExistingRDD[k#0]
"""
    plan = open_text(text).plans[0]
    plan[0].metrics = {"number of output rows": "800"}
    assert build_scene(plan).nodes["rows"] == [800, 800, None]


def test_what_the_sides_were_measured_to_be_is_told_of_every_join():
    document = open_text(FINAL + INITIAL)
    told = [
        measured_words(document, q, d) for q in decided(document) for d in q.decisions if d.strategy == "JoinSelection"
    ]
    assert told == [
        "Measured when it ran, before the join: ExistingRDD 20 rows, 1024.2 KiB as a hash table.",
        "Measured when it ran, before the join: ExistingRDD 85.6K rows, 4.6 MiB; ExistingRDD 800 rows, 25 KiB.",
    ]


def test_counts_that_nobody_counts_to_are_unknown():
    for odd in ("1E+30", "1E+400", "E", "1.2.3E+2"):
        first = next(n for n in open_text(FINAL.replace("8.56E+4", odd)).plans[0] if n.op == "Exchange")
        assert measured_rows(first) is None


#: A join beside a cached relation that a join of its own filled.
CACHED = """InMemoryRelation [k#1], StorageLevel(disk, memory, deserialized, 1 replicas)
      +- AdaptiveSparkPlan isFinalPlan=true
         +- == Final Plan ==
            *(2) BroadcastHashJoin [a#7], [b#8], Inner, BuildRight, false
            :- *(2) Scan ExistingRDD[a#7]
            +- BroadcastQueryStage 0, Statistics(sizeInBytes=1024.2 KiB, rowCount=20)
               +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, false]),false), [plan_id=3]
                  +- *(1) Scan ExistingRDD[b#8]
         +- == Initial Plan ==
            BroadcastHashJoin [a#7], [b#8], Inner, BuildRight, false
            :- Scan ExistingRDD[a#7]
            +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, false]),false), [plan_id=3]
               +- Scan ExistingRDD[b#8]
"""


def _over_cached(before: str, join: str, bar: str) -> str:
    lines = CACHED.splitlines(keepends=True)
    rest = "".join(f"{before}{bar}  {line}" for line in lines[1:])
    return f"{before}{join}\n{before}:- Scan In-memory table t [k#1]\n{before}{bar}     +- {lines[0]}{rest}"


def test_a_cached_plan_that_ran_does_not_make_the_query_s_initial_plan_a_final_one():
    join = "BroadcastHashJoin [k#1], [k#2], Inner, BuildRight, false"
    exchange = "BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, false] as bigint)),false)"
    built = f"   +- {exchange}, [plan_id=9]\n      +- Scan ExistingRDD[k#2]\n"
    text = f"""== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
{_over_cached("   ", join, ":")}{built}+- == Initial Plan ==
{_over_cached("   ", join, ":")}{built}"""
    document = open_text(text)
    assert [plan.stage for plan in document.plans].count("initial") > 1
    assert [i for i, plan in enumerate(document.plans) if is_final(plan)] == [0]
    opened = open_document(text, AUTO)
    for index, plan in enumerate(document.plans):
        assert all(isinstance(reasons_of(opened, str(index), node.id)["sections"], list) for node in plan)
        assert joins_in_short(opened, str(index))["more"] == 0


def test_a_query_that_waits_over_a_cached_plan_that_ran_has_not_run():
    waiting = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- Scan In-memory table t [k#1]
   +- """ + CACHED.replace("\n", "\n   ")
    assert not is_final(open_text(waiting).plans[0])
    assert not is_final(open_text(waiting.replace("AdaptiveSparkPlan isFinalPlan=false\n+- ", "", 1)).plans[0])
