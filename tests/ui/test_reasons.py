"""What the panel beside a plan says of the selected operator."""

from __future__ import annotations

from typing import Any

import pytest

from planviz.errors import LimitExceeded
from planviz.ui import replayed, views
from planviz.ui.cache import AUTO, Opened, open_document
from planviz.ui.reasons import joins_in_short, reasons_of

JOINED = """SELECT n_name, sum(o_totalprice) AS total
FROM orders JOIN customer ON o_custkey = c_custkey JOIN nation ON c_nationkey = n_nationkey
WHERE upper(o_orderstatus) = 'F' AND o_totalprice > 5 GROUP BY n_name ORDER BY total"""
PASTED = """== Physical Plan ==
*(5) SortMergeJoin [a#1L], [b#2L], Inner
:- *(2) Sort [a#1L ASC NULLS FIRST], false, 0
:  +- Exchange hashpartitioning(a#1L, 200), ENSURE_REQUIREMENTS, [plan_id=1]
:     +- *(1) Range (0, 10, step=1, splits=2)
+- *(4) Sort [b#2L ASC NULLS FIRST], false, 0
   +- Exchange hashpartitioning(b#2L, 200), ENSURE_REQUIREMENTS, [plan_id=2]
      +- *(3) Range (0, 10, step=1, splits=2)
"""


@pytest.fixture(scope="module")
def joined() -> Opened:
    return open_document(JOINED, "tpch")


def told(opened: Opened, op: str, at: int = 0) -> dict[str, dict[str, Any]]:
    plan = views.first_plan(opened)
    node = [node.id for node in opened.graph(plan) if node.op == op][at]
    return {section["heading"]: section for section in reasons_of(opened, plan, node)["sections"]}


def test_every_join_tells_its_own_tests_and_where_the_story_is(joined: Opened) -> None:
    merge, broadcast = (told(joined, op)["Why this join"] for op in ("SortMergeJoin", "BroadcastHashJoin"))
    assert {merge["number"], broadcast["number"]} == {1, 2}
    assert merge["page"] == "joins"
    assert merge["flips"] == merge["number"] - 1
    assert [mark for mark, words, _ in merge["lines"] if "threshold" in words] == ["no"]
    assert [mark for mark, words, _ in broadcast["lines"] if "threshold" in words] == ["yes"]
    assert any("MiB" in seen for _, _, seen in merge["lines"])


def test_a_logical_join_has_the_decision_of_its_physical_one(joined: Opened) -> None:
    plan = next(tab.plan for tab in views.tabs(joined) if tab.slug == "optimized")
    joins = [node.id for node in joined.graph(plan) if node.op == "Join"]
    numbers = [reasons_of(joined, plan, node)["sections"][0]["number"] for node in joins]
    assert sorted(numbers) == [1, 2]


def test_an_aggregate_tells_its_stages(joined: Opened) -> None:
    for at in (0, 1):
        section = told(joined, "HashAggregate", at)["Its stages, and why"]
        assert [line[1] for line in section["lines"]][:2] == ["stage 1: partial", "stage 2: final"]
        assert (section["page"], section["number"]) == ("aggregations", 1)


def test_exchanges_and_sorts_name_who_needs_them(joined: Opened) -> None:
    reasons = [told(joined, "Exchange", at)["Why it is here"]["lines"][0][1] for at in range(4)]
    assert "OrderedDistribution" in reasons[0]
    assert reasons[0].startswith("Sort #")
    assert "all rows of a group" in reasons[1]
    assert [r for r in reasons if r.startswith("Sort Merge Inner Join")] == reasons[2:]
    assert told(joined, "Sort")["Why it is here"]["lines"][0][1].startswith("ORDER BY")
    assert "merges its sides" in told(joined, "Sort", 1)["Why it is here"]["lines"][0][1]
    assert "BroadcastDistribution" in told(joined, "BroadcastExchange")["Why it is here"]["lines"][0][1]


def test_a_scan_tells_what_was_pushed_and_what_was_not(joined: Opened) -> None:
    plan = views.first_plan(joined)
    orders = next(n for n in joined.graph(plan) if n.kind == "scan" and "orders" in n.text)
    (section,) = [s for s in reasons_of(joined, plan, orders.id)["sections"] if s["heading"] == "What is read"]
    lines = {words: (mark, seen) for mark, words, seen in section["lines"]}
    assert "GreaterThan(o_totalprice" in lines["pushed to the reader"][1]
    assert lines["not pushed"][0] == "no"
    assert "upper(" in lines["not pushed"][1]


def test_any_operator_tells_the_formula_of_its_rows(joined: Opened) -> None:
    section = told(joined, "SortMergeJoin")["How many rows"]
    assert section["formula"]
    assert section["calculation"] != section["formula"]
    assert any("cbo" in words for _, words, _ in section["lines"])


def test_a_pasted_plan_tells_what_its_text_holds() -> None:
    opened = open_document(PASTED, AUTO)
    join = told(opened, "SortMergeJoin")
    assert list(join) == ["Why this join"]
    assert "flips" not in join["Why this join"]
    assert told(opened, "Sort")["Why it is here"]["lines"][0][1].startswith("Sort Merge Inner Join #1")
    assert told(opened, "Exchange", 1)["Why it is here"]["lines"][0][1].startswith("Sort Merge Inner Join #1")
    assert told(opened, "Range") == {}


def test_what_is_not_there_is_refused(joined: Opened) -> None:
    for plan, node in ((views.first_plan(joined), 10_000), ("99", 0), (views.first_plan(joined), -1)):
        with pytest.raises(KeyError):
            reasons_of(joined, plan, node)


def test_the_joins_of_a_plan_are_told_in_short_with_the_changes_of_the_nearest(joined: Opened) -> None:
    plan = views.first_plan(joined)
    merge, broadcast = joins_in_short(joined, plan)["joins"]
    assert (merge["operator"], broadcast["operator"]) == ("Sort Merge Join", "Broadcast Hash Join")
    assert joined.graph(plan)[merge["node"]].op == "SortMergeJoin"
    assert joined.graph(plan)[broadcast["node"]].op == "BroadcastHashJoin"
    assert merge["sides"].count("iB") == 1
    assert merge["reason"].startswith("No side is small enough")
    assert merge["flips"] == merge["number"] - 1
    assert "flips" not in broadcast


def test_the_join_that_the_least_would_change_is_among_the_few() -> None:
    sql = """SELECT count(*) FROM lineitem JOIN orders ON l_orderkey = o_orderkey
        JOIN partsupp ON l_partkey = ps_partkey JOIN customer ON o_custkey = c_custkey
        JOIN part ON l_partkey = p_partkey JOIN supplier ON l_suppkey = s_suppkey"""
    opened = open_document(sql, "tpch")
    told = joins_in_short(opened, views.first_plan(opened))
    assert len(told["joins"]) + told["more"] == 5
    (nearest,) = [join for join in told["joins"] if "flips" in join]
    assert "supplier" in nearest["sides"]


def test_the_joins_of_a_pasted_plan_are_told_without_changes() -> None:
    opened = open_document(PASTED, AUTO)
    (join,) = joins_in_short(opened, views.first_plan(opened))["joins"]
    assert join["node"] == 0
    assert join["reason"]
    assert "flips" not in join
    with pytest.raises(KeyError):
        joins_in_short(opened, "99")


def test_a_replay_that_was_stopped_once_leaves_the_reasons_to_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def stopped(opened: Opened, said: object) -> Opened:
        asked.append(said)
        raise LimitExceeded("replaying took too long")

    monkeypatch.setattr(replayed, "shown_as", stopped)
    opened = open_document("== Physical Plan ==\n*(1) Range (0, 9, step=1, splits=2)\n", AUTO)
    assert replayed.with_reasons(opened) is opened
    assert replayed.with_reasons(opened) is opened
    assert len(asked) == 1
