"""A query as if: the quick way and the whole one, inputs of a join, a join played."""

from __future__ import annotations

import pytest

from planviz.catalog.bundled import read_bundled
from planviz.document.alternatives.what_if import WhatIf, joins_of, replanned, tables_of, types_for
from planviz.document.decisions.join_inputs import join_inputs
from planviz.document.rows.joins import join_play
from planviz.errors import InputError
from planviz.execution import explain
from planviz.mechanics import CannotPlay

SQL = """SELECT c_name, o_orderkey FROM customer JOIN orders ON c_custkey = o_custkey
JOIN nation ON c_nationkey = n_nationkey WHERE EXISTS (SELECT 1 FROM lineitem WHERE l_orderkey = o_orderkey)"""
THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


@pytest.fixture(scope="module")
def execution():
    return explain(SQL, read_bundled("tpch"))


def ops(execution):
    """The operators of all joins."""
    return [d.outcome for d in joins_of(execution)]


def test_what_is_not_asked_stays(execution):
    before = execution.text("physical")
    again = replanned(execution, WhatIf({"spark.sql.shuffle.partitions": 7}))
    assert "hashpartitioning" in again.text("physical")
    assert ", 7)" in again.text("physical")
    assert again.optimized is execution.optimized
    assert execution.text("physical") == before


def test_a_threshold_reaches_the_optimizer_and_quickly_only_the_planner(execution):
    asked = WhatIf({THRESHOLD: 1 << 50})
    assert replanned(execution, asked, quick=True).optimized is execution.optimized
    assert replanned(execution, asked).optimized is not execution.optimized
    assert ops(replanned(execution, asked)) == ["BroadcastHashJoin"] * 3


def test_a_size_counts_wherever_its_table_is_read(execution):
    assert set(tables_of(execution)) == {"customer", "orders", "nation", "lineitem"}
    small = replanned(execution, WhatIf(sizes={"lineitem": 5000}))
    assert "BroadcastHashJoin" in {d.outcome for d in joins_of(small) if d.value("type") == "LeftSemi"}
    assert tables_of(small)["lineitem"].size_in_bytes == 5000
    assert tables_of(execution)["lineitem"].size_in_bytes != 5000


def test_hints_and_types_of_several_joins(execution):
    base = ops(execution)
    asked = WhatIf(hints=dict.fromkeys(range(len(base)), (None, "merge")))
    assert ops(replanned(execution, asked)) == ["SortMergeJoin"] * 3
    inner = next(n for n, d in enumerate(joins_of(execution)) if d.value("type") == "Inner")
    kinds = [d.value("type") for d in joins_of(replanned(execution, WhatIf(types={inner: "FullOuter"})))]
    assert kinds[inner] == "FullOuter"


@pytest.mark.parametrize(
    "asked",
    [
        WhatIf({THRESHOLD: "much"}),
        WhatIf(sizes={"nowhere": 1}),
        WhatIf(hints={9: (None, "merge")}),
        WhatIf(hints={0: (None, "repartition")}),
        WhatIf(types={0: "ExistenceJoin"}),
        WhatIf(profile="spark-1.6"),
    ],
)
def test_what_cannot_be_asked(execution, asked):
    with pytest.raises(InputError):
        replanned(execution, asked)


def test_types_that_take_each_others_place_have_the_same_columns():
    assert types_for("LeftAnti") == ("LeftSemi", "LeftAnti")
    assert "LeftSemi" not in types_for("Inner")
    assert types_for("ExistenceJoin") == ()


def test_inputs_tell_what_was_put_in(execution):
    (nation,) = [d for d in joins_of(execution) if d.outcome == "BroadcastHashJoin"]
    stream, build = join_inputs(nation, execution)
    assert (stream.role, stream.put, stream.needs) == ("stream", (), "")
    assert (build.role, build.relations, build.needs) == ("build", ("nation",), "the whole side on every executor")
    merge = next(d for d in joins_of(execution) if d.outcome == "SortMergeJoin" and d.value("type") == "Inner")
    for side in join_inputs(merge, execution):
        assert [put.kind for put in side.put] == ["sort", "exchange"]
        assert side.needs == f"equal {side.sorted} in one partition"
        assert side.role == ""


def test_a_join_is_played_on_rows_of_its_keys(execution):
    nation = next(d for d in joins_of(execution) if d.outcome == "BroadcastHashJoin")
    play = join_play(nation, execution)
    assert play.steps
    assert play.rows  # keys meet
    with pytest.raises(CannotPlay):
        join_play(nation, explain("SELECT 1"))
