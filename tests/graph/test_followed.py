"""One operator followed through the stages of its query."""

from __future__ import annotations

from planviz.catalog import read_bundled
from planviz.document import open_sql
from planviz.graph.followed import followed, stage_matches
from planviz.graph.node import PlanNode

SQL = """SELECT c_name, count(*) FROM customer JOIN orders ON c_custkey = o_custkey
JOIN nation ON c_nationkey = n_nationkey
WHERE o_totalprice > 10 GROUP BY c_name"""
PLANS = list(open_sql(SQL, read_bundled("tpch")).plans)
MATCHES = stage_matches(PLANS)
STAGE = {plan.stage: at for at, plan in enumerate(PLANS)}


def node(stage: str, kind: str, text: str) -> PlanNode:
    return next(n for n in PLANS[STAGE[stage]] if n.kind == kind and text in n.text)


def way(stage: str, start: PlanNode) -> dict[str, str]:
    found = {}
    for name, at in STAGE.items():
        to = followed(PLANS, MATCHES, STAGE[stage], start.id, at)
        found[name] = "" if to is None else PLANS[at][to].text
    return found


def test_a_join_is_followed_to_its_operator_and_back() -> None:
    there = way("analyzed", node("analyzed", "join", "o_custkey"))
    assert all("custkey" in text for text in there.values())
    assert there["sparkPlan"].split()[0] in ("SortMergeJoin", "BroadcastHashJoin")
    assert there["physical"].split()[0] == there["sparkPlan"].split()[0]
    back = way("physical", node("physical", "join", "nationkey"))
    assert all("nationkey" in text for text in back.values())


def test_a_table_is_followed_from_its_name_to_its_scan() -> None:
    there = way("parsed", node("parsed", "scan", "nation"))
    assert all("nation" in text for text in there.values())
    assert there["physical"].startswith("FileScan parquet")


def test_an_exchange_is_followed_by_what_it_moves() -> None:
    exchange = next(n for n in PLANS[STAGE["physical"]] if n.kind == "exchange")
    below = PLANS[STAGE["physical"]].children(exchange.id)[0]
    plain = followed(PLANS, MATCHES, STAGE["physical"], below, STAGE["sparkPlan"])
    assert followed(PLANS, MATCHES, STAGE["physical"], exchange.id, STAGE["sparkPlan"]) == plain
