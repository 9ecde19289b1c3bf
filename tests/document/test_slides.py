"""The slides' examples: their numbers as they are, our plans of the same queries."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from planviz.document.alternatives.what_if import joins_of
from planviz.document.cardinality.slides import beside, slide_example, slide_examples, slide_facts, slide_query
from planviz.document.decisions.queries import outcome
from planviz.errors import InputError

M, B = 10**6, 10**9
#: What the slides say: example, side, number and its rows (and bytes).
SLIDES = {
    ("build-side", "off"): [("t1", 5 * B, 500 * B), ("t2", 100 * M, 20 * B)],
    ("build-side", "on"): [("t1", 5 * B, 500 * B), ("t1 filtered", M, 100 * M), ("t2", 100 * M, 20 * B)],
    ("broadcast", "off"): [("t1", 5 * B, 500 * B), ("t2", 100 * M, 20 * B)],
    ("broadcast", "on"): [("t1 filtered", 1000, 100_000), ("t2", 100 * M, 20 * B)],
    ("q11-variant", "off"): [
        ("store_sales", 3 * B, None), ("customer", 12 * M, None), ("customer filtered", 10 * M, None),
        ("customer × store_sales", 2500 * M, None), ("date_dim", 100_000, None), ("× date_dim", 500 * M, None)],
    ("q11-variant", "on"): [
        ("store_sales × date_dim", 500 * M, None), ("customer filtered", 10 * M, None), ("× customer", 500 * M, None)],
    ("q11", "off"): [
        ("store_sales", 2900 * M, None), ("customer", 12 * M, None), ("date_dim", 73_049, None),
        ("store_sales × customer", 2700 * M, None), ("× date_dim", 534 * M, None), ("web_sales", 720 * M, None),
        ("web_sales × customer", 719 * M, None), ("× date_dim", 144 * M, None)],
    ("q11", "on"): [
        ("store_sales × date_dim", 534 * M, None), ("× customer", 534 * M, None),
        ("web_sales × date_dim", 144 * M, None), ("× customer", 144 * M, None)],
    ("q25", "off"): [
        ("store_sales", 2900 * M, None), ("store_returns", 288 * M, None),
        ("store_sales × store_returns", 199 * M, None), ("catalog_sales", 1400 * M, None)],
    ("q25", "on"): [
        ("store_sales × date_dim × store × item", 25 * M, None), ("store_returns × date_dim", 25 * M, None),
        ("both", 2 * M, None), ("catalog_sales × date_dim", 149 * M, None)],
    ("q64", "off"): [],
    ("q64", "on"): [],
}  # fmt: skip
#: What Spark 4.3 estimated for these tables: rows by number.
SPARK = {
    ("build-side", "on"): {"t1 filtered": M},
    ("broadcast", "on"): {"t1 filtered": 1000},
    ("q11-variant", "off"): {"customer × store_sales": 2_900 * M, "× date_dim": 579 * M},
    ("q11-variant", "on"): {"store_sales × date_dim": 579 * M, "× customer": 579 * M},
    ("q25", "off"): {"store_sales × store_returns": 3_480 * M},
    ("q25", "on"): {
        "store_sales × date_dim × store × item": 49_300_000, "store_returns × date_dim": 28_600_000,
        "both": 83_500_000, "catalog_sales × date_dim": 152 * M,
    },
}  # fmt: skip


def planned(name, side):
    example = slide_example(name)
    return example.side(side), slide_query(example, example.side(side))


@pytest.mark.parametrize(("name", "side"), SLIDES)
def test_the_numbers_are_the_slides(name, side):
    figures = slide_example(name).side(side).figures

    assert [(f.about, f.rows, f.size) for f in figures] == SLIDES[name, side]


@pytest.mark.parametrize(("name", "side"), [k for k in SLIDES if SLIDES[k]])
def test_every_number_has_ours_beside_it(name, side):
    side, query = planned(name, side)
    found = beside(side, query)

    assert len(found) == len(side.figures)
    for one in found:
        assert one.ours is not None, one.figure
        assert one.ours.size > 0


@pytest.mark.parametrize(("name", "side"), SPARK)
def test_our_estimates_are_sparks_to_three_figures(name, side):
    ours = {b.figure.about: b.ours.rows for b in beside(*planned(name, side))}

    assert {about: float(f"{ours[about]:.2e}") for about in SPARK[name, side]} == SPARK[name, side]


@pytest.mark.parametrize("name", ["build-side", "broadcast"])
@pytest.mark.parametrize("side", ["off", "on"])
def test_e_070_e_071_the_join_is_the_slide_s(name, side):
    side, query = planned(name, side)

    assert tuple(outcome(d) for d in joins_of(query)) == side.joins


SMALL = (
    "SELECT id, count(*) AS n FROM t1 WHERE value = 100 GROUP BY id",
    "SELECT t1.id FROM t1 JOIN t2 ON t1.id = t2.id WHERE value = 100 AND w = 1",
)


@pytest.mark.parametrize("subplan", SMALL)
def test_e_072_any_subplan_that_is_estimated_to_be_small_is_broadcast(subplan):
    example = slide_example("broadcast")
    sql = f"SELECT * FROM t2 big JOIN ({subplan}) small ON big.id = small.id"
    outcomes = {}
    for side in example.sides:
        outcomes[side.name] = outcome(joins_of(slide_query(replace(example, sql=sql), side))[0])

    assert outcomes == {"off": "SortMergeJoin", "on": "BroadcastHashJoin, BuildRight"}


def _order(query):
    """The tables from the innermost join outwards."""
    return [n.table.name for n in query.optimized.walk() if hasattr(n, "table")]


def test_e_083_e_084_dates_come_first_by_cost():
    assert _order(planned("q11-variant", "off")[1]) == ["customer", "store_sales", "date_dim"]
    assert _order(planned("q11-variant", "on")[1]) == ["store_sales", "date_dim", "customer"]


def test_e_084_without_the_year_nothing_shrinks():
    example = slide_example("q11-variant")
    without = replace(example, sql=example.sql.replace(" AND d_year = 2001", ""))
    side = example.side("on")
    found = beside(side, slide_query(without, side))

    assert {f"{b.ours.rows:.1e}" for b in found if b.figure.operator == "join"} == {"2.9e+09"}


def test_e_085_empty_branches_of_the_union_go():
    query = planned("q11", "on")[1]
    joins = joins_of(query)
    fired = {a.rule.rsplit(".", 1)[-1] for a in query.trace}

    assert {"PropagateEmptyRelation", "PruneFilters"} <= fired
    assert len(joins) == 11


def test_e_091_the_order_of_query_25_is_the_slide_s():
    assert _order(planned("q25", "on")[1]) == [
        "store_sales", "date_dim", "store", "item", "store_returns", "date_dim", "catalog_sales", "date_dim",
    ]  # fmt: skip
    assert _order(planned("q25", "off")[1])[:3] == ["store_sales", "store_returns", "catalog_sales"]


def test_e_092_query_64_has_too_many_relations_to_be_reordered():
    query = planned("q64", "on")[1]
    _ = query.optimized

    assert "CostBasedJoinReorder" not in {a.rule.rsplit(".", 1)[-1] for a in query.trace}


def test_e_093_e_094_query_64_broadcasts_more_by_cost():
    joins = {s: Counter(outcome(d).split(",")[0] for d in joins_of(planned("q64", s)[1])) for s in ("off", "on")}

    assert joins["on"]["SortMergeJoin"] < joins["off"]["SortMergeJoin"]
    assert joins["on"]["BroadcastHashJoin"] > joins["off"]["BroadcastHashJoin"]
    slide = {s.name: dict(s.operators) for s in slide_example("q64").sides}
    assert (slide["off"]["SortMergeJoin"], slide["on"]["SortMergeJoin"]) == (3, 2)
    assert (slide["off"]["ReusedExchange"], slide["on"]["ReusedExchange"]) == (2, 3)


def test_the_speedups_are_the_slides():
    assert {e.name: e.speedup for e in slide_examples() if e.speedup} == {"q11": 1.4, "q25": 3.4, "q64": 0.9}


def test_facts_beside_the_examples():
    facts = {(f.item, f.about): f.text for f in slide_facts()}

    assert "24 tables, 425 columns analyzed in 14 minutes" in facts["E-095", "The cluster"]
    assert "the geometric mean is 2.2" in facts["E-096", "Speedups"]
    assert "SPARK-16026" in facts["E-097", "History"]


def test_what_cannot_be_had_is_told():
    assert "c_customer_id is meant" in slide_example("q11-variant").limits[0]
    assert any(f.inferred for f in slide_example("q11").side("off").figures)


def test_an_unknown_example_is_told():
    with pytest.raises(InputError, match="build-side, broadcast, q11-variant"):
        slide_example("q12")
