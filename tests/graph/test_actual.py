"""Measured rows put beside estimated ones, and where they part first."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.graph import Link, PlanGraph, PlanNode
from planviz.graph.actual import actual_rows, carried_rows, error_factor, first_divergence, measured_rows


def plan(*lines: tuple[int, str, str, str, int | None]) -> PlanGraph:
    """Nodes as (depth, operator, kind, text, measured rows)."""
    nodes: list[PlanNode] = []
    above: list[int] = []
    for id, (depth, op, kind, text, rows) in enumerate(lines):
        del above[depth:]
        metrics = None if rows is None else {"number of output rows": f"{rows:,}"}
        parent = above[-1] if above else None
        table = {"table": text} if kind == "scan" else {"condition": text}
        nodes.append(PlanNode(id, op, kind, text, depth=depth, parent=parent, metrics=metrics, arguments=table))
        above.append(id)
    return PlanGraph.from_nodes("other", "plan", nodes)


LOGICAL = plan(
    (0, "Aggregate", "aggregate", "", None),
    (1, "Join", "join", "", None),
    (2, "Filter", "filter", "a > 1", None),
    (3, "Relation", "scan", "t", None),
    (2, "Sort", "sort", "", None),
    (3, "Relation", "scan", "u", None),
)
RUN = plan(
    (0, "HashAggregate", "aggregate", "", 3),
    (1, "Exchange", "exchange", "", 50),
    (2, "HashAggregate", "aggregate", "", 60),
    (3, "BroadcastHashJoin", "join", "", 1_000),
    (4, "Filter", "filter", "(a#1 > 1)", 40),
    (5, "ColumnarToRow", "other", "", 400),
    (6, "FileScan", "scan", "db.t", 400),
    (4, "BroadcastExchange", "exchange", "", 7),
    (5, "FileScan", "scan", "u", 7),
)


def test_operators_answer_by_kind_and_tables_and_the_last_part_of_an_aggregate_counts() -> None:
    assert actual_rows(LOGICAL, RUN) == {0: 3, 1: 1_000, 2: 40, 3: 400, 4: 7, 5: 7}


def test_of_several_filters_on_one_table_the_condition_decides() -> None:
    two = plan(
        (0, "Join", "join", "", None),
        (1, "Filter", "filter", "x = 1", None),
        (2, "Relation", "scan", "d", None),
        (1, "Filter", "filter", "x = 2", None),
        (2, "Relation", "scan", "d", None),
    )
    run = plan(
        (0, "SortMergeJoin", "join", "", 1),
        (1, "Filter", "filter", "(x#8 = 2)", 22),
        (2, "Scan", "scan", "d", 100),
        (1, "Filter", "filter", "(x#9 = 1)", 11),
        (2, "Scan", "scan", "d", 100),
    )
    found = actual_rows(two, run)
    assert (found[1], found[3]) == (11, 22)


@pytest.mark.parametrize(("one", "other"), [(10, 1_000), (1_000, 10), (0, 100), (100, 0)])
def test_too_few_and_too_many_count_alike(one: int, other: int) -> None:
    assert error_factor(one, other) == 100


def test_the_deepest_wrong_number_comes_first_whichever_way_it_is_wrong() -> None:
    actual = actual_rows(LOGICAL, RUN)
    right = [3, 1_000, 40, 400, 7, 7]
    assert first_divergence(LOGICAL, right, actual) is None
    under = first_divergence(LOGICAL, [30_000, 10, 4, 400, 7, 7], actual)
    assert under is not None
    assert (under.node, under.factor, under.under) == (2, 10, True)
    over = first_divergence(LOGICAL, [3, 1_000, 40, 400, 7, 7_000], actual)
    assert over is not None
    assert (over.node, over.under) == (5, False)
    assert first_divergence(LOGICAL, [3, 1_000, 40, 400, 7, 69], actual) is None
    assert first_divergence(LOGICAL, [3, 1_000, 40, 400, 7, 69], actual, factor=5) is not None


def test_a_metric_of_several_tasks_is_read_by_its_total() -> None:
    node = PlanNode(
        0, "Filter", "filter", "", metrics={"number of output rows": "total (min, med, max)\n1,234 (1, 2, 3)"}
    )
    assert measured_rows(node) == 1_234
    assert measured_rows(PlanNode(0, "Filter", "filter", "")) is None


def test_a_text_without_a_run_has_no_measured_rows() -> None:
    graph = open_text("== Physical Plan ==\n*(1) Filter (a#1 > 1)\n+- *(1) Scan parquet t[a#1]\n").plans[0]
    assert actual_rows(LOGICAL, graph) == {}


def reused(*lines: tuple[int, str, str, str, int | None]) -> PlanGraph:
    """A run whose last operator reuses the exchange that is its third."""
    graph = plan(*lines)
    return PlanGraph.from_nodes("other", "plan", list(graph), [Link(len(graph) - 1, 2, "reuse")])


def test_what_is_reused_has_measured_rows_in_both_places() -> None:
    logical = plan(
        (0, "Join", "join", "", None),
        (1, "Filter", "filter", "a > 1", None),
        (2, "Relation", "scan", "t", None),
        (1, "Filter", "filter", "a > 1", None),
        (2, "Relation", "scan", "t", None),
    )
    run = reused(
        (0, "SortMergeJoin", "join", "", 9),
        (1, "Sort", "sort", "", None),
        (2, "Exchange", "exchange", "", 3),
        (3, "Filter", "filter", "(a#1 > 1)", 3),
        (4, "FileScan", "scan", "t", 30),
        (1, "ReusedExchange", "exchange", "", 3),
    )
    assert actual_rows(logical, run) == {0: 9, 1: 3, 2: 30, 3: 3, 4: 30}


def test_a_text_that_reuses_what_stands_above_ends_nothing() -> None:
    run = reused(
        (0, "Sort", "sort", "", 1), (1, "Union", "set", "", 2), (2, "Exchange", "exchange", "", 3),
        (3, "FileScan", "scan", "t", 30), (3, "ReusedExchange", "exchange", "", 3),
    )  # fmt: skip
    assert actual_rows(plan((0, "Relation", "scan", "t", None)), run) == {0: 30}


def test_a_shuffle_counts_the_rows_that_it_wrote() -> None:
    """Beneath the exchange of a sort all ran twice, for the sample of its keys first, and was counted twice."""
    nodes = [
        PlanNode(0, "Sort", "sort", "Sort [k#1 ASC NULLS FIRST], true, 0"),
        PlanNode(
            1, "Exchange", "exchange", "Exchange rangepartitioning(k#1, 8)", metrics={"shuffle records written": 100}
        ),
        PlanNode(2, "HashAggregate", "aggregate", "HashAggregate(keys=[k#1])", metrics={"number of output rows": 200}),
    ]
    assert carried_rows(nodes, [-1, 0, 1]) == [100, 100, 200]
