"""Every finding on a plan that has it, and on its nearest neighbour that has not (cases.txt)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from planviz.document import open_text
from planviz.findings import Finding, checks, findings
from planviz.graph import PlanGraph
from planviz.graph.node import Estimate

_SCAN = re.compile(r"\{(\w+):([^{}]+)\}")
_ESTIMATE = re.compile(r"(rows|bytes)~([\d,]+)")


def cases() -> list[Any]:
    text = (Path(__file__).parent / "cases.txt").read_text(encoding="utf-8")
    found = []
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[2:]:
        name, _, rest = block.partition("\n")
        with_it, _, rest = rest.partition("\n--- ")
        why, _, without_it = rest.partition("\n")
        found.append(pytest.param(name, with_it, without_it.rstrip(), id=f"{name}, {why}"))
    return found


def scan(found: re.Match[str]) -> str:
    """`{t:a#1,b#2 string}`: a scan of t with columns a and b, ints where nothing else is said."""
    columns = [column.split() for column in found[2].split(",")]
    names = ",".join(column[0] for column in columns)
    types = ",".join(f"{c[0].split('#')[0]}:{c[1] if len(c) > 1 else 'int'}" for c in columns)
    return (
        f"FileScan parquet shop.{found[1]}[{names}] Batched: true, DataFilters: [], Format: Parquet, Location: x, "
        f"PartitionFilters: [], PushedFilters: [], ReadSchema: struct<{types}>"
    )


def plans(text: str) -> list[PlanGraph]:
    """The plans of a case, with what it says was measured and estimated at each line."""
    head = "" if text.startswith("==") else "== Physical Plan ==\n"
    lines = (head + _SCAN.sub(scan, text)).split("\n")
    opened = open_text("\n".join(line.partition(" ;; ")[0] for line in lines) + "\n")
    assert not opened.unparsed
    for plan in opened.plans:
        for node in plan:
            assert node.source is not None
            said = lines[node.source[0] - 1].partition(" ;; ")[2]
            guessed = {name: int(number.replace(",", "")) for name, number in _ESTIMATE.findall(said)}
            if guessed:
                node.estimate = Estimate(guessed.get("rows"), guessed.get("bytes"))
            measured = [part.partition("=") for part in _ESTIMATE.sub("", said).split("; ") if "=" in part]
            if measured:
                node.metrics = {name.strip(): value.strip().replace("|", "\n") for name, _, value in measured}
    return list(opened.plans)


def found(text: str) -> list[Finding]:
    last = plans(text)
    main = [plan for plan in last if plan.stage == "physical"][:1] or last[-1:]
    return findings(main[0], [plan for plan in last if plan is not main[0]])


@pytest.mark.parametrize(("name", "with_it", "without_it"), cases())
def test_a_finding_and_its_near_miss(name: str, with_it: str, without_it: str) -> None:
    some = [finding for finding in found(with_it) if finding.name == name]
    assert len(some) == 1
    assert re.search(r"\d", some[0].evidence), "no verdict without a number"
    assert all(text.endswith(".") for text in (some[0].evidence, some[0].why, some[0].advice, some[0].cost))
    assert some[0].nodes
    assert [finding.evidence for finding in found(without_it) if finding.name == name] == []


def test_every_check_has_a_case() -> None:
    # That an execution failed stands in an event log alone; the test of `planviz lint` has one.
    assert {case.values[0] for case in cases()} == set(checks()) - {"failed"}


NOT_IN = """== Physical Plan ==
BroadcastHashJoin [x#1], [x#2], LeftAnti, BuildRight, {}
:- {{a:x#1}}
+- BroadcastExchange HashedRelationBroadcastMode(List(input[0, int, true]),true), [plan_id=1]
   +- {{b:x#2}} ;; bytes~{}
"""


def test_what_not_in_broadcasts_is_told_with_the_advice_that_helps() -> None:
    def told(aware: str, size: int) -> list[Finding]:
        (plan,) = plans(NOT_IN.format(aware, size))
        return [f for f in findings(plan) if f.name == "large-broadcast"]

    (large,) = told("true, false", 900 << 20)
    assert large.severity == "warning"
    assert large.advice.startswith("Write NOT EXISTS")
    assert "hint" not in large.advice + large.cost
    (unknown,) = told("true, false", (1 << 63) - 1)
    assert "b: broadcast for 1 NOT IN, unknown size" in unknown.evidence
    assert told("false, false", (1 << 63) - 1) == []
    assert "hint" in told("false, false", 900 << 20)[0].advice


def test_the_size_below_a_shuffle_is_the_one_that_the_planner_compared() -> None:
    """Spark compares the projected side; raised to just that size, the threshold lets it be broadcast."""
    from planviz.catalog import Catalog
    from planviz.config import OptimizerConfig
    from planviz.document import open_sql
    from planviz.findings.documents import document_findings

    sql = (
        "CREATE TABLE p (id BIGINT, cat STRING, a STRING, b STRING, c STRING) USING parquet;"
        "CREATE TABLE i (id BIGINT, n INT) USING parquet; SELECT cat, sum(n) FROM i JOIN p ON i.id = p.id GROUP BY cat"
    )
    document = open_sql(sql, Catalog(), OptimizerConfig.of(), sizes={"p": 60 << 20, "i": 900 << 30})
    (query,) = document_findings(document, what_if=True)
    (missing,) = [f for f in query.findings if f.name == "missing-broadcast"]
    assert "is estimated at 60 MiB" not in missing.evidence
    assert missing.settings[0][1] in missing.advice
    assert missing.what_if is not None
    assert "1 BroadcastHashJoin" in missing.what_if.after


def test_a_count_that_was_printed_rounded_is_told_as_near() -> None:
    text = """== Physical Plan ==
HashAggregate(keys=[k#1], functions=[count(distinct x#2)])
+- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=4]
   +- HashAggregate(keys=[k#1], functions=[partial_count(distinct x#2)])
      +- HashAggregate(keys=[k#1, x#2], functions=[])
         +- Exchange hashpartitioning(k#1, x#2, 200), ENSURE_REQUIREMENTS, [plan_id=3] ;; rows~{}
            +- HashAggregate(keys=[k#1, x#2], functions=[])
               +- {{t:k#1,x#2}}
"""
    for rows, rounded, told in (
        (1820, True, ", ≈1,820 of them."),
        (1820, False, ", 1,820 of them."),
        (820, True, ", 820 of"),
    ):
        (plan,) = plans(text.format(rows))
        node = next(n for n in plan if n.estimate is not None)
        node.estimate = Estimate(rows, None, rounded=rounded)
        (found,) = [f for f in findings(plan) if f.name == "count-distinct"]
        assert told in found.evidence


def test_tables_without_a_name_are_told_by_their_columns() -> None:
    text = (
        "== Optimized Logical Plan ==\nJoin Inner, (a#1 = b#2), Statistics(sizeInBytes=8.0 EiB)\n"
        ":- Relation [a#1,c#3,d#4] parquet, Statistics(sizeInBytes=8.0 EiB)\n"
        "+- Relation [b#2] parquet, Statistics(sizeInBytes=8.0 EiB)\n"
    )
    found = [f.evidence for f in findings(open_text(text).plans[0]) if f.name == "size-unknown"]
    assert found == ["2 tables of unknown size, for which Spark takes 8 EiB: parquet (a, c, …), parquet (b)."]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("(select a from shop.x join shop.y using (k) where d > '2.3') as best", "best"),
        ("(select a from shop.x)", "a query"),
    ],
)
def test_a_query_in_the_place_of_a_table_is_called_by_its_own_name(query: str, name: str) -> None:
    text = f"Scan JDBCRelation({query}) [numPartitions=1] [a#1] PushedFilters: [], ReadSchema: struct<a:int>"
    (said,) = [f.evidence for f in found(text) if f.name == "jdbc-one-partition"]
    assert said.startswith(f"{name}: numPartitions=1")


def test_a_spark_without_adaptive_execution_is_not_asked_to_use_it() -> None:
    text = (
        "== Physical Plan ==\n*(2) HashAggregate(keys=[a#1], functions=[count(1)])\n"
        "+- Exchange hashpartitioning(a#1, 200)\n"
        "   +- *(1) HashAggregate(keys=[a#1], functions=[partial_count(1)])\n      +- Scan ExistingRDD[a#1]\n"
    )
    (plan,) = open_text(text).plans
    off = {"spark.sql.adaptive.enabled": "false"}
    assert "adaptive-off" not in {f.name for f in findings(plan, settings=off)}
    newer = open_text(text.replace(", 200)", ", 200), true, [id=#3]")).plans[0]
    assert "adaptive-off" in {f.name for f in findings(newer, settings=off)}


def test_an_aggregate_whose_input_was_cut_off_is_no_failure() -> None:
    text = (
        "SortMergeJoin [a#1], [a#2], Inner\n:- {t:a#1}\n"
        "+- HashAggregate(keys=[a#2], functions=[count(1)], output=[a#2, n#3L])\n"
    )
    assert "self-join-aggregate" not in {f.name for f in found(text)}


def test_a_window_whose_input_was_cut_off_is_no_failure() -> None:
    text = (
        "Filter (n#3 = 1)\n+- Window [row_number() windowspecdefinition(a#1, b#2 ASC NULLS FIRST, "
        "specifiedwindowframe(RowFrame, unboundedpreceding$(), currentrow$())) AS n#3], [a#1], "
        "[b#2 ASC NULLS FIRST]\n"
    )
    assert [f for f in found(text) if f.name == "first-row-by-window"]


def test_an_exchange_that_reuses_what_it_stands_beneath_ends() -> None:
    text = (
        "BroadcastNestedLoopJoin BuildRight, Inner\n:- {t:a#1}\n"
        "+- BroadcastExchange IdentityBroadcastMode, [plan_id=7]\n"
        "   +- ReusedExchange [b#2], BroadcastExchange IdentityBroadcastMode, [plan_id=7]\n"
    )
    assert "cartesian-product" in {f.name for f in found(text)}


@pytest.mark.parametrize("words", [("AND", "OR"), ("&&", "||")])
def test_conditions_of_every_version_are_told_apart(words: tuple[str, str]) -> None:
    both, either = words
    scan = "+- {{t:a#1,b#2}}".format()
    pushed = found(f"Filter ((isnotnull(a#1) {both} (b#2 > 4)) {both} (cast(a#1 as string) = 7))\n{scan}\n")
    (said,) = [f.evidence for f in pushed if f.name == "filter-not-pushed"]
    assert said.endswith("0 conditions of 2 reached the files."), "Spark's own isnotnull is no condition of the query"
    loop = f"BroadcastNestedLoopJoin BuildRight, LeftOuter, ((a#1 = c#3) {either} (b#2 = d#4))\n:- {{t:a#1,b#2}}\n"
    joined = found(loop + "+- BroadcastExchange IdentityBroadcastMode, [plan_id=1]\n   +- {u:c#3,d#4}\n")
    (advice,) = [f.advice for f in joined if f.name == "nested-loop-join"]
    assert advice.startswith("Write the alternatives of OR as joins of their own")


def test_a_scan_of_text_whose_columns_nobody_tells_is_not_said_to_want_none() -> None:
    plan = open_text("== Physical Plan ==\n* Project (2)\n+- Scan csv  (1)\n").plans[0]
    told = [f.evidence for f in findings(plan) if f.name == "text-format"]
    assert told == ["A scan reads CSV and parses every line."]
    counted = open_text("== Physical Plan ==\nFileScan json db.t[] Batched: false, ReadSchema: struct<>\n").plans[0]
    assert [f.evidence for f in findings(counted) if f.name == "text-format"] == [
        "t is JSON: 0 columns are wanted of every line."
    ]


def test_an_engine_that_begins_above_what_spark_filters() -> None:
    beneath = "GpuColumnarToRow false\n+- GpuProject [a#1]\n   +- GpuRowToColumnar targetsize(1)\n      +- {0}\n"
    filtered = open_text(beneath.format("*(1) Filter (a#1 > 1)\n         +- FileScan json [a#1] Batched: false"))
    assert [f.evidence for f in findings(filtered.plans[0]) if f.name == "rapids-fallback"] == [
        "1 operator of 2 run in Spark itself; RAPIDS begins above Filter."
    ]
    read = open_text(beneath.format("FileScan json [a#1] Batched: false"))
    assert not [f for f in findings(read.plans[0]) if f.name == "rapids-fallback"]


@pytest.mark.parametrize(
    ("condition", "ranged"),
    [
        ("((ts#1 >= from#2) AND (ts#1 <= to#3))", True),
        ("(abs((lat#1 - lat#2)) < 0.01)", True),
        ("NOT (a#1 LIKE b#2)", False),
        ("((a#1 = b#2) OR (c#3 > d#4))", False),
    ],
)
def test_a_range_is_to_be_joined_by_bins(condition: str, ranged: bool) -> None:
    (plan,) = plans(
        f"BroadcastNestedLoopJoin BuildRight, Inner, {condition}\n:- {{t:a#1,ts#1,lat#1,c#3}}\n"
        "+- BroadcastExchange IdentityBroadcastMode, [plan_id=1]\n   +- {u:b#2,from#2,to#3,lat#2,d#4}\n"
    )
    (found,) = [f for f in findings(plan) if f.name == "nested-loop-join"]
    assert ("bin" in found.advice and "floor" in found.advice) == ranged
