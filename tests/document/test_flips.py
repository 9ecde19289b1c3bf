"""Flips: found by exact arithmetic, offered only when planning anew confirms them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planviz.catalog import Catalog
from planviz.catalog.ddl import table_of
from planviz.config import OptimizerConfig
from planviz.decisions.flips import SettingChange, StatisticsChange, TextChange
from planviz.document.alternatives.flips import CANDIDATES, flips_of, with_flips
from planviz.document.alternatives.hints import hint_added, hint_removed
from planviz.document.alternatives.join_flips import join_candidates
from planviz.document.alternatives.replanning import applied, confirmed, decision_after
from planviz.document.alternatives.trials import Trials
from planviz.document.decisions.model import Decided
from planviz.execution import Session, explain
from planviz.types import parse_fields
from tests.steps import steps

MB = 1 << 20
SIZES = {"small": 5 * MB, "mid": 30 * MB, "big": 10**12, "big2": 10**12, "unknown": None}
THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


@pytest.fixture(scope="module")
def catalog():
    made = Catalog()
    for name, size in SIZES.items():
        table = table_of((name,), parse_fields("k int, v int"))
        made = made.with_table(replace(table, size_in_bytes=size))
    return made


def flips(sql, catalog, **settings):
    config = OptimizerConfig.of(**{"spark.sql.adaptive.enabled": False, **settings})
    execution = explain(sql, catalog, config)
    decision = next(d for d in execution.planned.decisions if d.strategy == "JoinSelection")
    return execution, decision, flips_of(decision, execution)


def of_kind(found, kind):
    return {f.promise: f for f in found if f.kind == kind}


def test_the_threshold_turns_at_the_byte(catalog):
    execution, decision, found = flips("SELECT * FROM big JOIN mid ON big.k = mid.k", catalog)
    flip = of_kind(found, "setting")["BroadcastHashJoin, BuildRight"]
    value = flip.changes[0].value
    less = replace(flip, changes=(SettingChange(THRESHOLD, value - 1),))

    assert flip.changes[0].key == THRESHOLD
    assert flip.words == f"raise {THRESHOLD} to {30 * MB} (30 MiB)"
    assert decision_after(decision, execution, flip).outcome == "BroadcastHashJoin"
    assert decision_after(decision, execution, less).outcome == "SortMergeJoin"


def test_a_hint_goes_into_the_select_that_reads_the_relation(catalog):
    sql = "SELECT * FROM big JOIN (SELECT b.k AS k FROM big2 b) x ON big.k = x.k"
    execution, _, found = flips(sql, catalog)
    flip = next(f for f in found if f.kind == "hint" and f.promise == "BroadcastHashJoin, BuildRight")

    assert flip.short == "BROADCAST(x)"
    assert applied(execution, flip.changes).sql.startswith("SELECT /*+ BROADCAST(x) */ * FROM big")


def test_a_cte_read_twice_is_hinted_by_the_name_it_has_there(catalog):
    sql = "WITH c AS (SELECT k, sum(v) AS s FROM big GROUP BY k) SELECT a.s FROM c a JOIN c b ON a.k = b.k + 1"
    _, _, found = flips(sql, catalog)
    hints = {f.short: f.promise for f in found if f.kind == "hint"}

    assert hints["BROADCAST(a)"] == "BroadcastHashJoin, BuildLeft"
    assert hints["BROADCAST(b)"] == "BroadcastHashJoin, BuildRight"


def test_a_hint_can_be_taken_away(catalog):
    sql = "SELECT /*+ MERGE(big, small) */ * FROM big JOIN small ON big.k = small.k"
    execution, _, found = flips(sql.replace("big, small", "small"), catalog)
    flip = next(f for f in found if f.words == "remove the hint MERGE(small)")

    assert flip.promise == "BroadcastHashJoin, BuildRight"
    assert applied(execution, flip.changes).sql == "SELECT  * FROM big JOIN small ON big.k = small.k"
    kept = hint_removed(sql, sql.index("small ON"), "small", ("MERGE",))
    assert kept.on(sql) == "SELECT /*+ MERGE(big) */ * FROM big JOIN small ON big.k = small.k"


def test_unknown_statistics_are_to_be_collected(catalog):
    _, _, found = flips("SELECT big.k FROM big JOIN unknown u ON big.k = u.k", catalog)
    flip = of_kind(found, "statistics")["BroadcastHashJoin, BuildRight"]

    assert flip.words.startswith("collect statistics for unknown, if they tell")
    assert isinstance(flip.changes[0], StatisticsChange)


def test_hash_joins_may_be_preferred(catalog):
    _, _, found = flips("SELECT * FROM big JOIN mid ON big.k = mid.k", catalog)
    preferred = (SettingChange("spark.sql.join.preferSortMergeJoin", False),)

    assert [f.promise for f in found if f.changes == preferred] == ["ShuffledHashJoin, BuildRight"]


def test_not_in_turns_with_its_setting(catalog):
    _, _, found = flips("SELECT * FROM big WHERE k NOT IN (SELECT k FROM mid)", catalog)

    assert [f.promise for f in found if f.kind == "setting"] == ["BroadcastNestedLoopJoin, BuildRight"]


def test_a_join_that_keeps_its_type_has_no_flip_to_what_the_type_forbids(catalog):
    _, _, found = flips("SELECT * FROM big FULL JOIN mid ON big.k = mid.k", catalog)

    assert found
    assert not [f for f in found if "Broadcast" in f.outcome or "Cartesian" in f.outcome]


def test_flips_work_within_a_script(catalog):
    script = "SET spark.sql.adaptive.enabled = false;\nSELECT big.k FROM big JOIN mid ON big.k = mid.k"
    execution = next(o.execution for o in Session(catalog).run(script, "physical") if o.execution)
    (decision,) = execution.planned.decisions
    found = flips_of(decision, execution)

    assert {f.kind for f in found} == {"setting", "hint", "statistics"}


def test_no_more_is_tried_than_offered_here(catalog):
    execution, decision, found = flips("SELECT * FROM big JOIN mid ON big.k = mid.k", catalog)
    assert len(found) == len(join_candidates(decision, execution))


def test_a_hint_needs_a_select():
    assert hint_added("FROM t", 5, "BROADCAST", "t") is None
    assert hint_added("SELECT * FROM `a b`", 14, "MERGE", "a b") == TextChange(6, 6, " /*+ MERGE(`a b`) */")


def test_what_spark_would_refuse_or_never_finish_comes_last_and_says_why(catalog):
    _, _, found = flips("SELECT * FROM big JOIN big2 ON big.k = big2.k", catalog)
    hints = {f.short: f for f in found if f.kind == "hint"}
    unsafe = [f.unsafe for f in found]

    assert unsafe == sorted(unsafe)
    assert unsafe[0] is False
    broadcast, product = hints["BROADCAST(big)"], hints["SHUFFLE_REPLICATE_NL(big)"]
    assert broadcast.unsafe
    assert broadcast.cost.startswith("Spark fails: this side has 931.3 GiB, a broadcast may have 8 GiB")
    assert product.unsafe
    assert "every row of one side meets every row of the other" in product.cost


def test_a_broadcast_that_fits_is_no_worse_for_its_cost(catalog):
    _, _, found = flips("SELECT * FROM big JOIN mid ON big.k = mid.k", catalog)
    hint = next(f for f in found if f.short == "BROADCAST(mid)")

    assert not hint.unsafe
    assert hint.cost == "the driver collects 30 MiB and sends it to every executor"


def test_nobody_should_broadcast_what_nobody_knows(catalog):
    _, _, found = flips("SELECT big.k FROM big JOIN unknown u ON big.k = u.k", catalog)
    hint = next(f for f in found if f.short == "BROADCAST(u)")

    assert hint.unsafe
    assert "nobody knows the size" in hint.cost
    assert found[0].words.startswith("collect statistics") or not found[0].unsafe


def exists(n):
    one = "EXISTS (SELECT 1 FROM big2 b{0} WHERE b{0}.k = big.k AND b{0}.v > {0})"
    return f"SELECT count(*) FROM big WHERE {' AND '.join(one.format(i) for i in range(n))}"


def queried(sql, catalog):
    execution = explain(sql, catalog, OptimizerConfig.of(**{"spark.sql.adaptive.enabled": False}))
    return Decided(execution.planned.decisions, execution=execution)


def tried(query):
    trials = Trials(query.execution)
    trials.run([(d, f) for d in query.decisions for f in CANDIDATES[d.strategy](d, query.execution)])
    return trials


def test_flips_of_many_joins_are_tried_in_as_many_plannings_as_those_of_few(catalog):
    few, many = (tried(queried(exists(n), catalog)) for n in (3, 12))

    assert few.plannings == many.plannings
    assert len(many.confirmed) == 4 * len(few.confirmed) > 0


@pytest.mark.slow
def test_twice_the_subqueries_take_their_share_of_steps(catalog):
    small, large = (queried(exists(n), catalog) for n in (15, 30))
    with_flips(queried(exists(2), catalog))  # what is made once

    # Each of the joins stands over those before it, so that what is known of all grows with their square.
    assert steps(lambda: with_flips(large)) < 3.5 * steps(lambda: with_flips(small))


CTE = (
    "WITH x AS (SELECT s.k, sum(s.v) AS v FROM big s JOIN mid d ON s.k = d.k JOIN big2 e ON s.k = e.k GROUP BY s.k), "
    "y AS (SELECT s.k, sum(s.v) AS v FROM big2 s JOIN mid d ON s.k = d.k JOIN big e ON s.k = e.k GROUP BY s.k) "
    "SELECT * FROM x a, x b, y c, y d WHERE a.k = b.k AND b.k = c.k AND c.k = d.k AND a.v > d.v"
)
MOVED = (
    "SELECT count(*) FROM big a, big2 b, mid c, small d, unknown e "
    "WHERE a.k = c.k AND b.k = c.k AND d.k = a.v AND e.k = b.v AND c.v = 1"
)


@pytest.mark.parametrize("sql", [exists(4), pytest.param(CTE, marks=pytest.mark.slow), MOVED])
def test_what_is_tried_together_is_what_is_found_one_by_one(catalog, sql):
    query = queried(sql, catalog)
    found = with_flips(query).decisions

    assert any(d.flips for d in found)
    for decision in found:
        candidates = CANDIDATES[decision.strategy](decision, query.execution)
        alone = [f for f in candidates if confirmed(decision, query.execution, f)]
        assert set(decision.flips) == set(alone)
        assert decision.untried == 0


def test_what_a_bound_leaves_out_is_counted(catalog):
    query = queried(exists(4), catalog)
    whole, cut = with_flips(query, None), with_flips(query, 1)
    joins = [d for d in cut.decisions if d.strategy == "JoinSelection"]

    assert [len(d.flips) + d.untried for d in cut.decisions] == [len(d.flips) for d in whole.decisions]
    assert all(d.flips and d.untried for d in joins)


def test_not_in_is_offered_as_not_exists_with_the_list_where_it_was(catalog):
    sql = "SELECT * FROM big b WHERE v > 1 AND b.k NOT IN (SELECT k FROM unknown WHERE v IN (SELECT v FROM mid))"
    execution, decision, found = flips(sql, catalog)
    assert decision.outcome == "BroadcastHashJoin"
    (flip,) = [f for f in found if f.kind == "clause"]
    assert (flip.outcome, flip.unsafe) == ("SortMergeJoin", False)
    (first, second) = flip.changes
    assert second.on(first.on(sql)) == (
        "SELECT * FROM big b WHERE v > 1 AND NOT EXISTS (SELECT 1 FROM (SELECT k FROM unknown WHERE v IN "
        "(SELECT v FROM mid)) AS listed(item) WHERE listed.item = b.k)"
    )
    assert decision_after(decision, execution, flip).outcome == "SortMergeJoin"
    # The safe one is told before the one that nobody should try unseen.
    assert found.index(flip) < next(i for i, f in enumerate(found) if f.unsafe)
