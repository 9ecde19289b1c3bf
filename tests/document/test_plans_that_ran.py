"""Pasted plans that have run: replayed with their subqueries, told once, with what became of them."""

from __future__ import annotations

import pytest

from planviz.document.decisions.aggregates import aggregates
from planviz.document.decisions.queries import decided, ran_words
from planviz.document.decisions.reasons import why_join
from planviz.document.decisions.replayed_joins import replayed_joins
from planviz.document.opening.replays import replayed
from planviz.document.opening.text import open_text
from planviz.document.rows.stage_cards import flow
from planviz.ui.cache import AUTO, open_document
from planviz.ui.join_rows import reason, side
from planviz.ui.planner import overview
from planviz.ui.views import tabs
from tests.graph.test_planned import EXTENDED, FORMATTED

CHANGED = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=true
+- == Final Plan ==
   *(3) BroadcastHashJoin [id#0L], [id#1L], Inner, BuildRight, false
   :- AQEShuffleRead local
   :  +- ShuffleQueryStage 0, Statistics(sizeInBytes=4.6 MiB, rowCount=8.56E+4)
   :     +- Exchange hashpartitioning(id#0L, 200), ENSURE_REQUIREMENTS, [plan_id=1]
   :        +- *(1) Range (0, 90000000, step=1, splits=1)
   +- BroadcastQueryStage 2, Statistics(sizeInBytes=1030.3 KiB, rowCount=800)
      +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, false]),false), [plan_id=4]
         +- AQEShuffleRead local
            +- ShuffleQueryStage 1, Statistics(sizeInBytes=25.0 KiB, rowCount=800)
               +- Exchange hashpartitioning(id#1L, 200), ENSURE_REQUIREMENTS, [plan_id=2]
                  +- *(2) Range (0, 90000000, step=1, splits=1)
+- == Initial Plan ==
   SortMergeJoin [id#0L], [id#1L], Inner
   :- Sort [id#0L ASC NULLS FIRST], false, 0
   :  +- Exchange hashpartitioning(id#0L, 200), ENSURE_REQUIREMENTS, [plan_id=1]
   :     +- Range (0, 90000000, step=1, splits=1)
   +- Sort [id#1L ASC NULLS FIRST], false, 0
      +- Exchange hashpartitioning(id#1L, 200), ENSURE_REQUIREMENTS, [plan_id=2]
         +- Range (0, 90000000, step=1, splits=1)
"""


def test_the_plan_of_a_part_is_a_tab_once_and_behind_the_query_s():
    labels = [tab.label for tab in tabs(open_document(EXTENDED, AUTO))]
    assert labels == ["Final", "Initial", "Initial of subquery#1"]


def test_a_formatted_plan_with_a_subquery_that_ran_is_replayed_with_its_aggregates():
    (statement,) = replayed(open_text(FORMATTED)).statements
    assert statement.replay.verdicts["physical"] == "shape"
    assert "aggregates" in statement.agrees


def test_a_replayed_join_says_what_it_ran_as_and_is_told_once():
    ((query, join),) = [(q, d) for q in decided(replayed(open_text(CHANGED))) for d in q.of("JoinSelection")]
    assert query.statement == 0
    assert join.outcome == "SortMergeJoin"
    assert ran_words(join) == "ran as Broadcast Hash Join, building the right side"
    assert why_join(join).lines[-1].words == (
        "Sort Merge Join was planned and was chosen anew while the query ran: "
        "it ran as Broadcast Hash Join, building the right side."
    )


def test_the_planner_s_table_goes_from_the_initial_plan_to_the_one_that_ran():
    page = overview(open_text(CHANGED))
    assert "From the initial plan to the one that ran" in page
    assert '<th scope="col">initial</th><th scope="col">executedPlan</th>' in page
    assert "<td>Sort Merge Inner Join on id = id</td><td>Broadcast Inner Join</td>" in page


def test_an_aggregate_that_ran_tells_what_its_shuffle_moved():
    (report,) = aggregates(replayed(open_text(FORMATTED)))
    assert report.statement == 0
    assert [stage.moved for stage in report.stages] == [(None, None), (1, 16)]
    (between,) = [b for b in flow(report, None, None).between if b.name]
    assert "1 rows, 16 B measured" in between.lines


SCAN = "Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/w], ReadSchema: struct<k:bigint>"
KEYLESS = f"""== Physical Plan ==
BroadcastNestedLoopJoin BuildRight, LeftOuter, (k#0L < k#1L)
:- *(1) ColumnarToRow
:  +- FileScan parquet spark_catalog.default.a[k#0L] {SCAN}
+- BroadcastExchange IdentityBroadcastMode, [plan_id=1]
   +- *(2) ColumnarToRow
      +- FileScan parquet spark_catalog.default.b[k#1L] {SCAN}
"""


@pytest.mark.parametrize("text", [KEYLESS, CHANGED])
def test_every_join_of_a_replayed_plan_has_its_decision(text):
    document = replayed(open_text(text))
    joins = [node.id for node in document.plans[0] if node.kind == "join"]
    assert list(replayed_joins(document, 0, decided(document))) == joins


def test_a_join_that_any_sizes_lead_to_says_so():
    ((_, join),) = [(q, d) for q in decided(replayed(open_text(KEYLESS))) for d in q.of("JoinSelection")]
    assert reason(join) == "There are no keys, and its type leaves no other operator, whatever the sizes."
    assert (side(join, "left")["size"], side(join, "right")["size"]) == ("", "")
