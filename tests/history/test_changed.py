"""Plans that changed between runs, and how they differ."""

from __future__ import annotations

from pathlib import Path

from planviz.document import open_text
from planviz.history.catalogue import Catalogue
from planviz.history.changed import PlanChange, changed_plans, changes
from planviz.history.difference import in_words
from planviz.history.opened import plan_of
from planviz.history.questions import Question
from planviz.history.words import change_of_time
from tests.history.catalogues import BROADCAST, MERGED, catalogue, joined, log, query

LINE = "collect at /jobs/report.py:35"


def found(folder: Path, *runs: str, **question: object) -> tuple[Catalogue, list[PlanChange]]:
    """The changes in a catalogue of runs, each an application of its own."""
    names = (run.partition('"App ID":"')[2].partition('"')[0] for run in runs)
    made = Catalogue(catalogue(folder, dict(zip(names, runs, strict=True))))
    return made, changes(made, Question("changed", **question))[0]  # type: ignore[arg-type]


def run(at: int, *executions: tuple[str, str, int], application: str = "nightly") -> str:
    """A log: descriptions, joins and times of its executions; runs are 100,000 s apart."""
    first = at * 100_000
    made = [
        query(first + n, what, joined(join, (first + n) * 10), took) for n, (what, join, took) in enumerate(executions)
    ]
    return log(application, *made, id=f"app-{at + 1}")


def test_the_same_text_with_another_plan_has_times_before_and_after(tmp_path: Path) -> None:
    made, (change,) = found(
        tmp_path,
        run(0, ("select 1", MERGED, 900), ("select 2", MERGED, 10)),
        run(1, ("select 1", MERGED, 700), ("select 2", MERGED, 20)),
        run(2, ("select 1", BROADCAST, 200), ("select 2", MERGED, 30)),
    )
    assert (change.application, change.description, change.plans, change.executions) == ("nightly", "select 1", 2, 3)
    assert (change.before.executions, change.after.executions) == (2, 1)
    assert change.before.milliseconds in (700, 800, 900)
    assert change.after.milliseconds == 200
    assert (change.before.execution_id, change.after.execution_id) == (100_000, 200_000)
    assert change.slower is not None
    assert change.slower < 0
    assert not change.overlapping
    assert change_of_time(change).endswith("times as fast")
    assert changed_plans([change]) == {("nightly", "select 1", change.after.fingerprint)}
    plans = [plan_of(made, side.log, side.execution_id) for side in (change.before, change.after)]
    assert in_words(*plans) == ["SortMergeJoin became BroadcastHashJoin"]


def test_other_applications_and_other_queries_are_not_compared(tmp_path: Path) -> None:
    _, changed = found(
        tmp_path,
        run(0, ("select 1", MERGED, 1), ("select 2", BROADCAST, 1)),
        run(1, ("select 1", BROADCAST, 1), application="hourly"),
    )
    assert changed == []


def test_a_line_of_code_may_ask_for_many_queries_and_runs_are_compared(tmp_path: Path) -> None:
    same = [(LINE, MERGED, 10), (LINE, "ShuffledHashJoin", 10)]
    _, changed = found(tmp_path, run(0, *same), run(1, *same))
    assert changed == []
    made, (change,) = found(tmp_path, run(2, (LINE, BROADCAST, 40), (LINE, "ShuffledHashJoin", 10)))
    assert (change.before.executions, change.after.milliseconds, change.plans) == (2, 40, 3)
    assert made.plan(change.before.log, change.before.execution_id) is not None


def test_a_query_more_at_a_line_of_code_is_no_change(tmp_path: Path) -> None:
    _, changed = found(tmp_path, run(0, (LINE, MERGED, 1)), run(1, (LINE, MERGED, 1), (LINE, BROADCAST, 1)))
    assert changed == []


def test_plans_that_take_turns_are_told(tmp_path: Path) -> None:
    _, (change,) = found(tmp_path, run(0, *(("select 1", join, 5) for join in (MERGED, BROADCAST, MERGED))))
    assert change.overlapping
    assert change_of_time(change) == "as fast as before"


def test_filters_hold_and_what_failed_has_no_time(tmp_path: Path) -> None:
    failed = log("nightly", query(100_000, "select 1", joined(BROADCAST), error="boom"), id="app-2")
    made, (change,) = found(tmp_path, run(0, ("select 1", MERGED, 5)), failed)
    assert (change.after.milliseconds, change.slower, change_of_time(change)) == (None, None, "")
    assert changes(made, Question("changed", application="hourly")) == ([], 0)
    assert changes(made, Question("changed", status="succeeded")) == ([], 0)


def test_the_largest_change_of_time_comes_first(tmp_path: Path) -> None:
    before = [(f"select {n}", MERGED, 100) for n in range(3)]
    after = [("select 0", BROADCAST, 150), ("select 1", BROADCAST, 900), ("select 2", BROADCAST, 20)]
    made, changed = found(tmp_path, run(0, *before), run(1, *after))
    assert [change.description for change in changed] == ["select 1", "select 2", "select 0"]
    first, count = changes(made, Question("changed", limit=1))
    assert ([change.description for change in first], count) == (["select 1"], 3)


def test_the_words_name_what_counts_and_leave_out_where_files_lie() -> None:
    before = """== Physical Plan ==
*(2) HashAggregate(keys=[k#1L], functions=[count(1)])
+- Exchange hashpartitioning(k#1L, 200), ENSURE_REQUIREMENTS, [plan_id=10]
   +- *(1) Filter (isnotnull(k#1L) AND (k#1L > 5))
      +- *(1) ColumnarToRow
         +- FileScan parquet t[k#1L] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/a/t]"""
    moved = before.replace("file:/a/t", "file:/b/t").replace("> 5", "> 7")
    one, two = (open_text(text).plans[0] for text in (before, moved))
    assert in_words(one, two) == []
    other = open_text(before.replace("(isnotnull(k#1L) AND (k#1L > 5))", "(j#2L < 5)")).plans[0]
    (said,) = in_words(one, other)
    assert said.startswith("Filter: condition ")


def test_joins_that_went_and_came_are_the_same_join_by_another_strategy() -> None:
    one, two = (
        open_text(f"== Physical Plan ==\n{text}").plans[0]
        for text in (
            "SortMergeJoin [a#1], [b#2], Inner\n:- Sort [a#1 ASC NULLS FIRST], false, 0\n:  +- LocalTableScan [a#1]\n"
            "+- Sort [b#2 ASC NULLS FIRST], false, 0\n   +- LocalTableScan [b#2]\n",
            "BroadcastHashJoin [a#1], [b#2], Inner, BuildRight\n:- LocalTableScan [a#1]\n"
            "+- BroadcastExchange IdentityBroadcastMode\n   +- LocalTableScan [b#2]\n",
        )
    )
    assert in_words(one, two) == [
        "SortMergeJoin became BroadcastHashJoin: build side + right",
        "no longer there: 2 Sort",
        "new: 1 BroadcastExchange",
    ]
