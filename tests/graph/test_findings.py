"""Findings: each on a plan that has it, and on its nearest neighbour that has not."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.graph.findings import MANY_SHUFFLES, MOST_ALIKE, Finding, findings
from planviz.samples import load, samples

SCAN = "FileScan parquet shop.{0}[a#{1}] Batched: true, DataFilters: [], Format: Parquet, Location: x, PartitionFilters: [], PushedFilters: [IsNotNull(a)], ReadSchema: struct<a:int>"  # fmt: skip # noqa: E501


def scan(table: str, id: int) -> str:
    return SCAN.format(table, id)


def physical(*lines: str) -> list[Finding]:
    return found("== Physical Plan ==", *lines)


def found(*lines: str) -> list[Finding]:
    return findings(open_text("\n".join(lines) + "\n").plans[-1])


def titles(some: list[Finding]) -> list[str]:
    return [finding.title for finding in some]


def test_a_cartesian_product_is_a_problem_with_its_condition() -> None:
    some = physical("CartesianProduct (a#1 < a#2)", f":- {scan('t', 1)}", f"+- {scan('u', 2)}")
    assert [(f.severity, f.title, f.node) for f in some] == [("problem", "Cartesian product", 0)]
    assert "a < a" in some[0].evidence


def test_a_product_with_a_total_is_none() -> None:
    total = ("+- *(2) HashAggregate(keys=[], functions=[max(a#2)], output=[max(a)#3])",
             "   +- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=1]",
             "      +- *(1) HashAggregate(keys=[], functions=[partial_max(a#2)], output=[max#4])",
             f"         +- {scan('u', 2)}")  # fmt: skip
    assert physical("CartesianProduct", f":- {scan('t', 1)}", *total) == []
    assert physical("BroadcastNestedLoopJoin BuildRight, Inner", f":- {scan('t', 1)}", *total) == []


@pytest.mark.parametrize(
    ("join", "severity", "title"),
    [
        ("BroadcastNestedLoopJoin BuildRight, Inner", "problem", "Join without a condition"),
        ("BroadcastNestedLoopJoin BuildRight, LeftOuter, (a#1 < a#2)", "warning", "Nested loop join"),
    ],
)
def test_a_nested_loop_join(join: str, severity: str, title: str) -> None:
    some = physical(join, f":- {scan('t', 1)}", "+- BroadcastExchange IdentityBroadcastMode, [plan_id=1]", f"   +- {scan('u', 2)}")  # fmt: skip # noqa: E501
    assert [(f.severity, f.title, f.node) for f in some] == [(severity, title, 0)]


def test_a_semi_join_without_a_condition_only_asks_whether_there_are_rows() -> None:
    lines = (f":- {scan('t', 1)}", "+- BroadcastExchange IdentityBroadcastMode, [plan_id=1]", f"   +- {scan('u', 2)}")
    assert physical("BroadcastNestedLoopJoin BuildRight, LeftSemi", *lines) == []


def test_an_optimized_join_without_a_condition_but_not_a_parsed_one() -> None:
    tree = ("Join Inner", ":- Relation shop.t[a#1] parquet", "+- Relation shop.u[a#2] parquet")
    assert titles(found("== Optimized Logical Plan ==", *tree)) == ["Join without a condition"]
    assert found("== Parsed Logical Plan ==", *tree) == []
    assert found("== Optimized Logical Plan ==", "Join Inner, (a#1 = a#2)", *tree[1:]) == []


def test_a_filter_that_was_not_pushed() -> None:
    pushed = ("*(1) Filter isnotnull(a#1)", f"+- {scan('t', 1)}")
    assert physical(*pushed) == []
    some = physical(pushed[0], pushed[1].replace("[IsNotNull(a)]", "[]"))
    assert [(f.severity, f.title, f.node) for f in some] == [("info", "Filter not pushed into the scan", 0)]
    # Partitions were pruned, or the list was cut off: then nothing is known to be wrong.
    assert physical(pushed[0], pushed[1].replace("[IsNotNull(a)]", "[]").replace("PartitionFilters: []", "PartitionFilters: [isnotnull(p#5)]")) == []  # fmt: skip # noqa: E501


def test_all_rows_in_one_partition() -> None:
    sort = ("+- *(1) Sort [a#1 ASC NULLS FIRST], false, 0",
            "   +- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=1]", f"      +- {scan('t', 1)}")  # fmt: skip
    some = physical("Window [row_number() windowspecdefinition(a#1 ASC NULLS FIRST) AS n#3], [a#1 ASC NULLS FIRST]", *sort)  # fmt: skip # noqa: E501
    assert [(f.severity, f.title, f.node) for f in some] == [("warning", "All rows in one partition", 2)]
    assert some[0].evidence.startswith("A window without PARTITION BY")
    assert physical("Exchange SinglePartition, REPARTITION_BY_NUM, [plan_id=1]", f"+- {scan('t', 1)}")[0].title == (
        "One partition, as asked"
    )
    limit = ("GlobalLimit 5", "+- Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=1]", "   +- LocalLimit 5")
    assert physical(*limit, f"      +- {scan('t', 1)}") == []


def test_the_same_exchange_twice_but_for_expression_ids() -> None:
    def side(mark: str, rest: str, table: str, id: int, plan_id: int) -> tuple[str, ...]:
        return (f"{mark}- Sort [a#{id} ASC NULLS FIRST], false, 0",
                f"{rest}  +- Exchange hashpartitioning(a#{id}, 200), ENSURE_REQUIREMENTS, [plan_id={plan_id}]",
                f"{rest}     +- {scan(table, id)}")  # fmt: skip

    join = "SortMergeJoin [a#1], [a#2], Inner"
    some = physical(join, *side(":", ":", "t", 1, 11), *side("+", " ", "t", 2, 12))
    assert [(f.severity, f.title, f.node) for f in some] == [("warning", "The same exchange 2 times", 2)]
    assert physical(join, *side(":", ":", "t", 1, 11), *side("+", " ", "u", 2, 12)) == []
    # Before adaptive execution is done it may still reuse the first for the second.
    adaptive = [f"   {line}" for line in (*side(":", ":", "t", 1, 11), *side("+", " ", "t", 2, 12))]
    assert physical("AdaptiveSparkPlan isFinalPlan=false", f"+- {join}", *adaptive) == []


def test_a_cached_plan_is_printed_at_each_use_and_counts_for_nothing() -> None:
    cached = [line for line in load("cached-table").splitlines() if "Exchange" in line]
    assert len(cached) > 1
    assert [f for f in findings(open_text(load("cached-table")).plans[-1]) if "exchange" in f.title] == []


def test_python_functions() -> None:
    some = physical("*(2) Project [pythonUDF0#3 AS f(a)#4]", "+- BatchEvalPython [f(a#1)#2], [pythonUDF0#3]", f"   +- {scan('t', 1)}")  # fmt: skip # noqa: E501
    assert [(f.severity, f.title, f.node) for f in some] == [("warning", "Python function, row by row", 1)]
    some = physical("ArrowEvalPython [f(a#1)#2], [pythonUDF0#3], 200", f"+- {scan('t', 1)}")
    assert titles(some) == ["Python function in batches"]
    # The word alone is no function.
    assert physical("*(1) Filter (a#1 = BatchEvalPython)", f"+- {scan('t', 1)}") == []


def test_many_shuffles_are_counted_as_nodes() -> None:
    lines, lead = [], ""
    for at in range(MANY_SHUFFLES + 1):
        lines.append(f"{lead}Exchange hashpartitioning(a#1, {at + 2}), REPARTITION_BY_NUM, [plan_id={at}]")
        lead = "   " * at + "+- "
    some = physical(*lines, f"{lead}{scan('t', 1)}")
    assert titles(some) == [f"{MANY_SHUFFLES + 1} shuffles"]


def test_statistics_that_are_missing() -> None:
    relation = "Relation shop.t[a#1] parquet, Statistics(sizeInBytes={})"
    heading = "== Optimized Logical Plan =="
    unknown = found(heading, "Filter (a#1 > 1), Statistics(sizeInBytes=8.0 EiB)", "+- " + relation.format("8.0 EiB"))
    assert [(f.severity, f.title, f.node) for f in unknown] == [("warning", "Size unknown", 1)]
    silent = found(heading, relation.format("12.0 MiB"))
    assert [(f.severity, f.title) for f in silent] == [("info", "No row count for a table")]
    assert found(heading, relation.format("12.0 MiB, rowCount=1.00E+6")) == []


def test_findings_of_a_kind_are_listed_a_few_at_a_time_and_the_gravest_first() -> None:
    lines, lead = [], ""
    for at in range(MOST_ALIKE + 3):
        lines.append(f"{lead}BatchEvalPython [f{at}(a#1)#{at + 2}], [pythonUDF0#{at + 20}]")
        lead = "   " * at + "+- "
    some = physical(*lines, f"{lead}CartesianProduct", *(f"{'   ' * (MOST_ALIKE + 3)}{mark} {scan('t', 1)}" for mark in (":-", "+-")))  # fmt: skip # noqa: E501
    assert some[0].title == "Cartesian product"
    assert len(some) == 1 + MOST_ALIKE + 1
    assert some[-1].title == "3 more like these"
    assert some[-1].node == MOST_ALIKE


def test_every_sample_gets_findings_that_name_its_nodes() -> None:
    for sample in samples():
        for plan in open_text(load(sample.name)).plans:
            for finding in findings(plan):
                assert finding.node is None or plan[finding.node]
                assert finding.title
                assert finding.evidence.endswith(".")
