"""Three and more plans of one query over time."""

from __future__ import annotations

import json

import pytest

from planviz.catalogs import find
from planviz.document import open_sql
from planviz.document.comparison.chain_text import chain_data, chain_markdown, chain_page, chain_text, draw_chain
from planviz.document.comparison.chains import MOST, Chain, chain_json, compare_chain
from planviz.document.comparison.plans import choose_plan
from planviz.errors import InputError
from planviz.graph import PlanGraph

PLAIN = "SELECT c_name, sum(o_totalprice) FROM customer JOIN orders ON c_custkey = o_custkey GROUP BY c_name"
SORTED = f"{PLAIN} ORDER BY c_name"
HINTED = SORTED.replace("SELECT", "SELECT /*+ BROADCAST(customer) */")


def plan(sql: str) -> PlanGraph:
    return choose_plan(open_sql(sql, find("tpch")))


@pytest.fixture(scope="module")
def chain() -> Chain:
    return compare_chain([plan(PLAIN), plan(SORTED), plan(HINTED)], ["one", "two", "three"])


def test_every_step_and_the_whole_way(chain: Chain) -> None:
    assert chain.names == ("one", "two", "three")
    assert [step.names for step in chain.steps] == [("one", "two"), ("two", "three")]
    assert chain.whole.names == ("one", "three")
    assert not chain.equal
    assert chain.headline == "3 plans, 2 of 2 steps changed it"
    kinds = [{effect.kind for effect in step.effects} for step in chain.steps]
    assert "join-strategy" not in kinds[0]
    assert "join-strategy" in kinds[1]
    assert {effect.kind for effect in chain.failing(["join-strategy", "sort-added"])} == {"join-strategy", "sort-added"}


def test_an_effect_of_the_whole_is_told_with_the_plan_that_brought_it(chain: Chain) -> None:
    since = {effect.kind: chain.since(effect) for effect in chain.whole.effects}
    assert since["join-strategy"] == "three"
    assert since["exchange-added"] == "two"


def test_numbers_of_every_plan_stand_in_one_row(chain: Chain) -> None:
    rows = {row.cell.name: row.values for row in chain.rows}
    assert rows["broadcasts"] == (0, 0, 1)
    assert rows["shuffles"] == (3, 4, 2)


def test_what_came_and_went_again_is_no_difference_of_the_whole() -> None:
    chain = compare_chain([plan(PLAIN), plan(HINTED), plan(PLAIN)], ["v", "v", "v"])
    assert chain.names == ("1. v", "2. v", "3. v")
    assert chain.whole.equal
    assert chain.headline == "3 plans, 2 of 2 steps changed it and the last is the first again"
    assert {row.cell.name: row.values for row in chain.rows}["broadcasts"] == (0, 1, 0)
    same = compare_chain([plan(PLAIN)] * 3, "abc")
    assert same.equal
    assert same.headline == "3 plans without a difference"
    assert not same.rows


def test_all_forms_name_all_plans_and_are_the_same_every_time(chain: Chain) -> None:
    again = compare_chain([plan(PLAIN), plan(SORTED), plan(HINTED)], ["one", "two", "three"])
    for form in (chain_text, chain_markdown, chain_page, draw_chain, chain_json, lambda c: chain_data(c, "k")):
        assert form(chain) == form(again)
    assert "since three" in chain_text(chain)
    told = chain_json(chain)
    assert json.loads(json.dumps(told)) == told
    assert told["format"] == "planviz-diff-chain/1"
    assert len(told["since"]) == len(told["whole"]["effects"])
    assert len(chain_data(chain, "k")["chain"]) == 3
    heights = [draw_chain(Chain((step,), step)).height for step in chain.steps]
    assert draw_chain(chain).height > sum(heights)


def test_too_few_and_too_many_are_told() -> None:
    for count in (1, MOST + 1):
        with pytest.raises(InputError, match=f"2 to {MOST} plans; these are {count}"):
            compare_chain([plan(PLAIN)] * count, ["x"] * count)
