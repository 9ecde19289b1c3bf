"""Acceptance of texts, traces and examples, item by item: each asserts the example of the documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from planviz.cli.main import run
from planviz.document import Document, open_text
from planviz.document.rules.branches import explained
from planviz.findings import findings
from planviz.graph.trace import short_name
from planviz.mechanics.rows import filtered
from planviz.render import render
from planviz.render.text import one_line

#: F-017 is what stands in the documents and is no content.
ITEMS = {f"F-{n:03}" for n in range(1, 19)} - {"F-017"}
PLACE = Path(__file__).parents[2] / "sample_queries" / "documents"
FULL_OUTER = PLACE / "outer-join-full-outer-to-left-outer.sql"
OUTER_JOINS = sorted(path.stem for path in PLACE.glob("outer-join-*.sql"))
Shown = Callable[..., str]


@pytest.fixture
def shown(capfdbinary: pytest.CaptureFixture[bytes]) -> Shown:
    """What a command prints."""

    def asked(*words: object) -> str:
        assert run(list(map(str, words))) == 0
        return capfdbinary.readouterr().out.decode()

    return asked


def block_of(log: str, rule: str) -> list[str]:
    """The lines of a rule's block."""
    after = log.partition(f"=== Applying Rule org.apache.spark.sql.catalyst.optimizer.{rule} ===\n")[2]
    assert after, rule
    return after.partition("\n\n")[0].splitlines()


def test_f_001_a_steps_block_marks_lines_by_position(shown: Shown) -> None:
    block = block_of(shown("trace", FULL_OUTER, "--catalog", "documents", "--format", "log"), "EliminateOuterJoin")
    changed = [line for line in block if "FullOuter" in line]
    assert len(changed) == 1
    left, right = re.split(r"\s{3,}", changed[0], maxsplit=1)
    assert left.startswith("!")
    assert "Join FullOuter" in left
    assert "Join LeftOuter" in right
    assert all(line[0] == " " for line in block if line != changed[0] and line[0] != "!")


def test_f_002_the_end_of_a_batch_with_and_without_effect_and_the_metrics(shown: Shown) -> None:
    log = shown("trace", FULL_OUTER, "--catalog", "documents", "--format", "log")
    assert "=== Result of Batch Operator Optimization before Inferring Filters ===" in log
    assert re.search(r"^Batch .+ has no effect\.$", log, re.MULTILINE)
    assert re.search(r"^=== Metrics of Executed Rules.* ===$", log, re.MULTILINE)
    assert re.search(r"^Total number of effective runs: \d+$", log, re.MULTILINE)
    trace = open_text(log).trace
    assert {batch.name for batch in trace.batches if batch.effective} >= {"Finish Analysis"}
    assert any(not batch.effective for batch in trace.batches)
    assert trace.metrics[-1].effective_runs > 0


def test_f_003_a_text_that_lost_its_line_breaks_is_opened_and_it_is_said() -> None:
    whole = "== Optimized Logical Plan ==\nProject [a#1]\n+- Filter (a#1 > 1)\n   +- LocalRelation [a#1, b#2]\n"
    for lost in (" ".join(whole.split()), whole.replace("\n", " ")):
        found = open_text(lost)
        assert [(node.op, node.depth) for node in found.plans[0]] == [
            ("Project", 0),
            ("Filter", 1),
            ("LocalRelation", 2),
        ]
        assert "had lost its line breaks" in found.notes[0]


@pytest.mark.parametrize("conjunction", ["&&", "AND"])
def test_f_004_marks_long_ids_and_both_spellings_of_and(conjunction: str) -> None:
    text = (
        "== Optimized Logical Plan ==\n"
        f"Join Inner, ((a#1L = x#9) {conjunction} (b#2 > y#10))\n"
        ":- Filter (isnotnull(a#1L))\n:  +- LocalRelation [a#1L, b#2]\n+- LocalRelation [x#9, y#10]\n"
    )
    plan = open_text(text).plans[0]
    assert [(node.op, node.depth) for node in plan] == [
        ("Join", 0),
        ("Filter", 1),
        ("LocalRelation", 2),
        ("LocalRelation", 1),
    ]
    assert plan[0].arguments["condition"] == f"(a#1L = x#9) {conjunction} (b#2 > y#10)"
    assert plan[2].arguments["output"] == ["a#1L", "b#2"]


def test_f_005_the_program_and_its_sql_filter_at_the_scan_of_the_events(shown: Shown) -> None:
    for name in ("events_users.sql",):
        plan = shown("optimize", PLACE / name, "--stage", "optimized")
        lines = plan.splitlines()
        (events,) = [at for at, line in enumerate(lines) if re.search(r"Filter .*status", line)]
        joins = [at for at, line in enumerate(lines) if "Join" in line]
        aggregates = [at for at, line in enumerate(lines) if "Aggregate" in line]
        assert max(joins + aggregates) < events
        (users,) = [line for line in lines if "Filter" in line and "status" not in line]
        assert re.search(r"Filter isnotnull\(user_id#\d+L?\)$", users)


def rows_shown(document: Document) -> list[list[str]]:
    execution = document.statements[-1].execution
    assert execution is not None
    at = next(i for i, a in enumerate(execution.trace.applications) if short_name(a.rule) == "EliminateOuterJoin")
    found = filtered(explained(execution, at)[0].branch.node)
    assert found is not None
    return [
        [one_line("null" if value is None else str(value), 40) for value in row] + ["keeps" if keeps else "drops"]
        for row, keeps in zip(found.rows, found.kept, strict=True)
    ]


def test_f_006_rows_of_the_full_outer_join_and_those_that_the_filter_keeps() -> None:
    text = (PLACE / "outer-join-full-outer-to-inner.sql").read_text("utf-8")
    rows = rows_shown(open_text(text))
    assert sorted(row[:4] for row in rows) == sorted(
        [
            ["Andy", "7", "null", "null"],
            ["Justin", "11", "null", "null"],
            ["null", "null", "Andy2", "30"],
            ["null", "null", "Justin2", "11"],
            ["Michael", "9", "Michael", "29"],
        ]
    )
    assert [row for row in rows if row[-1] == "keeps"] == [["Michael", "9", "Michael", "29", "keeps"]]


@pytest.mark.parametrize("name", OUTER_JOINS)
def test_f_007_each_outer_join_tells_why_rows_with_nulls_are_removed(name: str, shown: Shown) -> None:
    told = shown(
        "trace", PLACE / f"{name}.sql", "--catalog", "documents", "--format", "why", "--rule", "EliminateOuterJoin"
    )
    assert "null" in told
    before, _, after = name.removeprefix("outer-join-").partition("-to-")
    kinds = {"full-outer": "FullOuter", "left-outer": "LeftOuter", "right-outer": "RightOuter", "inner": "Inner"}
    assert f"{kinds[before]} to {kinds[after]}" in told or kinds[after] in told


def test_f_008_the_logic_as_pseudo_code_with_the_branch_taken(shown: Shown) -> None:
    told = shown("trace", FULL_OUTER, "--catalog", "documents", "--format", "why", "--rule", "EliminateOuterJoin")
    marked = [line for line in told.splitlines() if line.lstrip().startswith((">", "→", "*"))]
    assert any("LeftOuter" in line for line in marked), told


def test_f_009_analyzed_and_optimized_and_as_sql(shown: Shown) -> None:
    analyzed = shown("optimize", FULL_OUTER, "--catalog", "documents", "--stage", "analyzed")
    optimized = shown("optimize", FULL_OUTER, "--catalog", "documents", "--stage", "optimized")
    assert "Join FullOuter" in analyzed
    assert "Join LeftOuter" in optimized


def test_f_010_a_plan_as_a_series_of_transformations() -> None:
    trace = open_text(FULL_OUTER.read_text("utf-8")).trace
    assert len(trace.steps) > 3
    for earlier, later in zip(trace.steps, trace.steps[1:], strict=False):
        if earlier.run == later.run:
            assert earlier.after == later.before
    assert all(step.before != step.after for step in trace.steps if step.short_rule == "EliminateOuterJoin")


def test_f_011_every_query_of_the_documents_is_there() -> None:
    there = {path.stem for path in PLACE.iterdir()}
    assert there >= {
        *OUTER_JOINS, "tpcds-q11-variant", "tpcds-q11", "tpcds-q25", "tpcds-q64", "events-users", "aggregation-pair",
        "constant-id", "group-by-literal", "union-columns", "join-reorder", "right-join-item", "max-date",
    }  # fmt: skip
    assert len(OUTER_JOINS) == 5
    for path in PLACE.glob("*-*.sql"):
        assert re.match(r"-- title: .+\n-- about: .+\n", path.read_text("utf-8")), path.stem


PLAYED = {
    "BroadcastHashJoin": "broadcast",
    "ShuffledHashJoin": "hash",
    "SortMergeJoin": "cursor",
    "HashAggregate": "buffer",
    "ObjectHashAggregate": "buffer",
    "SortAggregate": "sort",
}


@pytest.mark.parametrize("operator", PLAYED)
def test_f_012_the_mechanisms_are_played_on_rows(operator: str, shown: Shown) -> None:
    if operator.endswith("Join"):
        left, right = "VALUES (1, 'x'), (1, 'y'), (2, 'z') AS a(k, v)", "VALUES (1, 10), (3, 30) AS b(k, w)"
        told = shown("play", operator, "--left", left, "--right", right, "--on", "a.k = b.k")
        assert sum(line.endswith("a row of both.") for line in told.splitlines()) == 2
    else:
        function = {"ObjectHashAggregate": "collect_list(v)", "SortAggregate": "max(v)"}.get(operator, "count(v)")
        rows = "VALUES (2, 'x'), (1, 'y'), (2, 'z') AS a(k, v)"
        told = shown("play", operator, "--input", rows, "--group-by", "k", "--select", function)
    assert PLAYED[operator] in told.lower()


def test_f_013_every_rule_has_its_batch_an_example_and_its_versions(shown: Shown) -> None:
    card = shown("catalogue", "EliminateOuterJoin", "--format", "json")
    told = json.loads(card)
    text = json.dumps(told)
    assert "Operator Optimization before Inferring Filters" in text
    assert "3.0" in text
    assert "4.3" in text


def test_f_014_where_the_documents_are_wrong_is_a_list(shown: Shown) -> None:
    section = json.loads(shown("planner", "corrections", "--format", "json"))
    text = json.dumps(section)
    assert "documents say" in text
    assert "Spark does" in text


def test_f_015_every_setting_has_a_default_and_an_effect() -> None:
    table = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
    rows = re.findall(r"^\| `(spark\.[\w.]+)` \| ([\w ]+) \| (.+?) \| (.+) \|$", table, re.MULTILINE)
    known = {name: (kind, default, effect) for name, kind, default, effect in rows}
    assert known["spark.sql.autoBroadcastJoinThreshold"][1] in ("10485760", "10MB", "10 MiB", "10m")
    assert known["spark.sql.shuffle.partitions"][1] == "200"
    assert known["spark.sql.join.preferSortMergeJoin"][1] == "true"
    assert all(len(effect) > 10 for _, _, effect in known.values())


@pytest.mark.parametrize("format", ["svg", "png", "pdf", "html"])
def test_f_016_lost_figures_are_drawn_from_plans_of_our_own(format: str) -> None:
    plan = open_text(FULL_OUTER.read_text("utf-8")).plans[-1]
    drawn = render(plan, format, title="Full outer join, optimized")
    assert len(drawn) > 1_000
    if format == "svg":
        assert b"Full outer join, optimized" in drawn


def test_f_018_the_advice_of_the_documents_is_given(shown: Shown) -> None:
    facts = shown("planner", "slides")
    assert re.search(r"statistics.*columns|columns.*statistics", facts, re.IGNORECASE)
    product = "== Physical Plan ==\nCartesianProduct\n:- FileScan csv [a#1]\n+- FileScan csv [b#2]\n"
    loop = product.replace("CartesianProduct", "BroadcastNestedLoopJoin BuildRight, Inner, (a#1 > b#2)")
    titles = [finding.title for text in (product, loop) for finding in findings(open_text(text).plans[0], text=text)]
    assert {"Cartesian product", "Nested loop join"} <= set(titles)
