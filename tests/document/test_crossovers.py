"""Where the joins of a query change as its tables grow."""

from __future__ import annotations

import pytest

from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.document.alternatives.what_if import WhatIf, joins_of, replanned
from planviz.document.cardinality.crossovers import crossovers, crossovers_json
from planviz.errors import InputError
from planviz.execution import explain

SQL = """
SELECT * FROM store_sales JOIN item ON ss_item_sk = i_item_sk JOIN date_dim ON ss_sold_date_sk = d_date_sk
WHERE d_year = 2000
"""
CBO = {"spark.sql.cbo.enabled": True}
REORDER = {**CBO, "spark.sql.cbo.joinReorder.enabled": True}


def _query(sql=SQL, **settings):
    return explain(sql, find("tpcds"), OptimizerConfig().with_settings(settings))


def test_the_broadcast_threshold_is_found_to_the_byte():
    found = crossovers(_query(), "item")

    assert [c.at for c in found.crossovers] == [10 << 20]
    change = found.crossovers[0].changes[0]
    assert (change.relations, change.before, change.after) == (
        "store_sales ⋈ item", "BroadcastHashJoin, BuildRight", "SortMergeJoin"
    )  # fmt: skip
    assert dict(change.saw_before)["right"] == 10 << 20
    assert dict(change.saw_after)["right"] == (10 << 20) + 1


def test_the_threshold_is_the_setting_s():
    found = crossovers(_query(**{"spark.sql.autoBroadcastJoinThreshold": "12345"}), "item")

    assert [c.at for c in found.crossovers] == [12345]


def test_a_query_without_joins_is_not_planned_at_other_sizes():
    found = crossovers(_query("SELECT max(i_item_sk) FROM item"))

    assert found.plans == 0
    assert found.crossovers == ()
    assert [(s.low, s.high, s.joins) for s in found.stretches] == [(1024, 1 << 40, ())]


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, CBO, REORDER], ids=["size", "rows", "reordered"])
@pytest.mark.parametrize("table", ["date_dim", "store_sales", None])
def test_every_crossover_is_confirmed_by_planning_one_byte_below_and_above(settings, table):
    query = _query(**settings)
    found = crossovers(query, table)
    sizes = {name: find("tpcds").table((name,)).size_in_bytes for name in found.tables}

    assert found.stretches[0].low == 1024
    assert [s.low for s in found.stretches[1:]] == [c.at + 1 for c in found.crossovers]
    assert [s.high for s in found.stretches[:-1]] == [c.at for c in found.crossovers]
    for crossing in found.crossovers:
        before, after = (
            _outcomes_and_relations(query, {n: max(1, s * at // sizes[found.tables[0]]) for n, s in sizes.items()})
            for at in (crossing.at, crossing.at + 1)
        )
        assert before != after
        assert crossing.changes
    assert found.plans < 400


def _outcomes_and_relations(query, sizes):
    return [(d.outcome, d.value("build"), d.value("keys")) for d in joins_of(replanned(query, WhatIf(sizes=sizes)))]


def test_another_order_of_joins_is_a_crossover_too():
    found = crossovers(_query(**REORDER), None)
    joins = [s.joins for s in found.stretches]

    assert len(joins) == len(set(joins))


def test_a_query_that_never_changes_has_one_stretch():
    found = crossovers(_query("SELECT * FROM item WHERE i_item_sk = 1"), "item")

    assert (len(found.stretches), found.crossovers) == (1, ())
    assert found.stretches[0].joins == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "reads no table nowhere; it reads date_dim, item, store_sales"),
        (("item", 5, 4), "From 5 to 4 bytes"), (("item", 0, 4), "From 0 to 4 bytes"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_told(arguments, message):
    with pytest.raises(InputError, match=message):
        crossovers(_query(), *arguments)


def test_tables_of_unknown_size_grow_alone():
    query = explain("SELECT * FROM a JOIN b ON a.x = b.x", infer=True)

    assert [c.at for c in crossovers(query, "a").crossovers] == [10 << 20]
    with pytest.raises(InputError, match="size of a is unknown"):
        crossovers(query)


def test_as_json():
    told = crossovers_json(crossovers(_query(), "item"))

    assert told["stretches"][0]["high"] == told["crossovers"][0]["at"] == 10 << 20
    assert told["crossovers"][0]["changes"][0]["sawAfter"]["limit"] == 10 << 20
