"""Physical plans of small statements: operators, stages, exchanges, as Spark 4.3 printed them."""

from __future__ import annotations

import re

import pytest

from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.dataframe import functions, session
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution, explain
from planviz.types import INT, STRING, DecimalType, StructField
from tests.plans import small_catalog

MB = 1 << 20
SIZES = {"tiny": MB, "small": 5 * MB, "at10": 10 * MB, "over10": 10 * MB + 1, "mid": 30 * MB, "mid89": 90 * MB - 1}
SIZES |= {"mid90": 90 * MB, "lim": 40 * MB, "big": 10**12, "big2": 10**12}
COLUMNS = tuple(StructField(n, t) for n, t in (("k", INT), ("v", INT), ("s", STRING), ("d", DecimalType(12, 2))))
TYPES = ("join", "left join", "right join", "full join", "left semi join", "left anti join")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    found = Catalog()
    for name, size in SIZES.items():
        found = found.with_table(Table(name, COLUMNS, size_in_bytes=size))
    return found


def planned(sql: str, catalog: Catalog, **settings: object) -> QueryExecution:
    known = {"spark.sql.adaptive.enabled": False, "spark.sql.shuffle.partitions": 4}
    known |= {f"spark.sql.{k.replace('__', '.')}": v for k, v in settings.items()}
    return explain(sql, catalog, OptimizerConfig().with_settings(known))


def operators(execution: QueryExecution, wanted: str) -> list[str]:
    """The lines of operators whose name begins like this, without marks and ids."""
    lines = [re.sub(r"^[ :+-]*(\*\(\d+\) )?", "", line) for line in execution.text("physical").splitlines()]
    return [re.sub(r"#\d+L?", "", line) for line in lines if re.match(wanted, line)]


def join_of(sql: str, catalog: Catalog, **settings: object) -> str:
    found = operators(planned(sql, catalog, **settings), r"\w*Join|Cartesian")
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("left", "kind", "right", "expected"),
    [
        ("big", "join", "small", "BroadcastHashJoin [k], [k], Inner, BuildRight, false, false"),
        ("small", "join", "big", "BroadcastHashJoin [k], [k], Inner, BuildLeft, false, false"),
        ("tiny", "join", "small", "BroadcastHashJoin [k], [k], Inner, BuildLeft, false, false"),
        ("big", "join", "at10", "BroadcastHashJoin [k], [k], Inner, BuildRight, false, false"),
        ("big", "join", "over10", "SortMergeJoin [k], [k], Inner"),
        ("big", "left join", "small", "BroadcastHashJoin [k], [k], LeftOuter, BuildRight, false, false"),
        ("small", "left join", "big", "SortMergeJoin [k], [k], LeftOuter"),
        ("big", "right join", "small", "SortMergeJoin [k], [k], RightOuter"),
        ("small", "right join", "big", "BroadcastHashJoin [k], [k], RightOuter, BuildLeft, false, false"),
        ("big", "full join", "small", "SortMergeJoin [k], [k], FullOuter"),
        ("big", "left semi join", "small", "BroadcastHashJoin [k], [k], LeftSemi, BuildRight, false, false"),
        ("small", "left anti join", "big", "SortMergeJoin [k], [k], LeftAnti"),
    ],
)
def test_the_size_and_the_type_choose_an_equi_join(left, kind, right, expected, catalog):
    assert join_of(f"SELECT * FROM {left} {kind} {right} ON {left}.k = {right}.k", catalog) == expected


@pytest.mark.parametrize(
    ("left", "right", "settings", "expected"),
    [
        ("big", "mid", {}, "ShuffledHashJoin [k], [k], Inner, BuildRight"),
        ("mid", "big", {}, "ShuffledHashJoin [k], [k], Inner, BuildLeft"),
        ("mid90", "mid", {}, "ShuffledHashJoin [k], [k], Inner, BuildRight"),
        ("mid89", "mid", {}, "SortMergeJoin [k], [k], Inner"),
        ("mid89", "mid", {"shuffledHashJoinFactor": 2}, "ShuffledHashJoin [k], [k], Inner, BuildRight"),
        ("big", "lim", {}, "SortMergeJoin [k], [k], Inner"),
        ("big", "lim", {"shuffle__partitions": 5}, "ShuffledHashJoin [k], [k], Inner, BuildRight"),
    ],
)
def test_a_shuffled_hash_join_needs_a_local_map_and_a_ratio(left, right, settings, expected, catalog):
    sql = f"SELECT * FROM {left} JOIN {right} ON {left}.k = {right}.k"

    assert join_of(sql, catalog, join__preferSortMergeJoin=False, **settings) == expected


@pytest.mark.parametrize(
    ("hints", "expected"),
    [
        ("BROADCAST(big2)", "BroadcastHashJoin [k], [k], Inner, BuildRight, false, false"),
        ("MAPJOIN(big)", "BroadcastHashJoin [k], [k], Inner, BuildLeft, false, false"),
        ("SHUFFLE_HASH(big2)", "ShuffledHashJoin [k], [k], Inner, BuildRight"),
        ("SHUFFLE_REPLICATE_NL(big2)", "CartesianProduct (k = k)"),
        ("MERGE(big), BROADCAST(big2)", "BroadcastHashJoin [k], [k], Inner, BuildRight, false, false"),
        ("SHUFFLE_HASH(big), MERGE(big2)", "SortMergeJoin [k], [k], Inner"),
        ("SHUFFLE_REPLICATE_NL(big), SHUFFLE_HASH(big2)", "ShuffledHashJoin [k], [k], Inner, BuildRight"),
    ],
)
def test_hints_have_priorities(hints, expected, catalog):
    assert join_of(f"SELECT /*+ {hints} */ * FROM big JOIN big2 ON big.k = big2.k", catalog) == expected


def test_a_hint_that_cannot_be_followed_warns(catalog):
    execution = planned("SELECT /*+ BROADCAST(big) */ * FROM big LEFT JOIN big2 ON big.k = big2.k", catalog)

    assert operators(execution, "SortMergeJoin")
    warning = "Hint (strategy=broadcast) is not supported in the query: build left for left outer join."
    assert warning in execution.warnings


@pytest.mark.parametrize(
    ("left", "kind", "right", "expected"),
    [
        ("big", "join", "big2", "CartesianProduct (k < k)"),
        ("big", "join", "small", "BroadcastNestedLoopJoin BuildRight, Inner, (k < k)"),
        ("small", "left join", "tiny", "BroadcastNestedLoopJoin BuildRight, LeftOuter, (k < k)"),
        ("small", "right join", "tiny", "BroadcastNestedLoopJoin BuildLeft, RightOuter, (k < k)"),
        ("small", "left join", "big", "BroadcastNestedLoopJoin BuildLeft, LeftOuter, (k < k)"),
        ("big", "full join", "big2", "BroadcastNestedLoopJoin BuildRight, FullOuter, (k < k)"),
    ],
)
def test_a_join_without_keys_loops(left, kind, right, expected, catalog):
    assert join_of(f"SELECT * FROM {left} {kind} {right} ON {left}.k < {right}.k", catalog) == expected


def test_keys_may_be_null_safe_and_a_rest_stays(catalog):
    safe = join_of("SELECT * FROM big JOIN big2 ON big.k <=> big2.k", catalog)
    rest = join_of("SELECT * FROM big JOIN big2 ON big.k = big2.k AND big.v < big2.v", catalog)

    assert safe == "SortMergeJoin [coalesce(k, 0), isnull(k)], [coalesce(k, 0), isnull(k)], Inner"
    assert rest == "SortMergeJoin [k], [k], Inner, (v < v)"


def test_not_in_is_a_null_aware_anti_join(catalog):
    sql = "SELECT * FROM big WHERE k NOT IN (SELECT k FROM big2)"

    assert join_of(sql, catalog) == "BroadcastHashJoin [k], [k], LeftAnti, BuildRight, true, false"
    assert join_of(sql, catalog, optimizeNullAwareAntiJoin=False).startswith("BroadcastNestedLoopJoin BuildRight")


def test_a_join_records_its_path(catalog):
    execution = planned("SELECT * FROM big JOIN over10 ON big.k = over10.k", catalog)

    decision = next(d for d in execution.planned.decisions if d.strategy == "JoinSelection")
    assert decision.outcome == "SortMergeJoin"
    assert [(c.node, c.passed) for c in decision.checks] == [
        ("N0", True),
        ("N1", False),
        ("N2", False),
        ("N3", False),
        ("N6", True),
    ]
    n2 = decision.checks[2]
    assert n2.setting == "spark.sql.autoBroadcastJoinThreshold"
    assert dict(n2.values)["limit"] == 10 * MB
    assert [r.operator for r in decision.rejected if r.node] == ["BroadcastHashJoin", "ShuffledHashJoin"]


@pytest.mark.parametrize(
    ("sql", "stages", "exchanges"),
    [
        ("SELECT k, count(v) FROM big GROUP BY k", ["HashAggregate", "HashAggregate"], 1),
        ("SELECT count(*) FROM big", ["HashAggregate", "HashAggregate"], 1),
        ("SELECT k FROM big GROUP BY k", ["HashAggregate", "HashAggregate"], 1),
        ("SELECT k, count(DISTINCT v), sum(d) FROM big GROUP BY k", ["HashAggregate"] * 4, 2),
        ("SELECT k, count(DISTINCT v), count(DISTINCT s) FROM big GROUP BY k", ["HashAggregate"] * 4, 2),
        ("SELECT k, max(s) FROM big GROUP BY k", ["SortAggregate", "SortAggregate"], 1),
        ("SELECT k, collect_list(v), max(s) FROM big GROUP BY k", ["ObjectHashAggregate"] * 2, 1),
        (
            "SELECT /*+ MERGE(big2) */ big.k, count(*) FROM big JOIN big2 ON big.k = big2.k GROUP BY big.k",
            ["SortAggregate"],
            2,
        ),
    ],
)
def test_aggregates_have_their_stages(sql, stages, exchanges, catalog):
    execution = planned(sql, catalog)

    assert [x.split("(")[0] for x in operators(execution, r"\w*Aggregate")] == stages
    assert len(operators(execution, "Exchange")) == exchanges


def test_one_distinct_takes_four_stages(catalog):
    execution = planned("SELECT k, count(DISTINCT v), sum(d) FROM big GROUP BY k", catalog)

    assert [x.split("functions=")[1].split(", output")[0] for x in operators(execution, "HashAggregate")] == [
        "[sum(d), count(distinct v)]",
        "[merge_sum(d), partial_count(distinct v)]",
        "[merge_sum(d)]",
        "[partial_sum(d)]",
    ]
    decision = next(d for d in execution.planned.decisions if d.strategy == "Aggregation")
    assert len(dict(decision.values)["stages"]) == 4


def test_the_setting_for_objects_is_obeyed(catalog):
    sql = "SELECT k, collect_list(v) FROM big GROUP BY k"

    execution = planned(sql, catalog, execution__useObjectHashAggregateExec=False)

    assert [x.split("(")[0] for x in operators(execution, r"\w*Aggregate")] == ["SortAggregate"] * 2


def test_what_is_clustered_already_is_not_shuffled_again(catalog):
    execution = planned("SELECT /*+ REPARTITION(k) */ k, v, count(*) FROM big GROUP BY k, v", catalog)
    joined = planned("SELECT big.k, count(*) FROM big JOIN big2 ON big.k = big2.k GROUP BY big.k", catalog)

    assert len(operators(joined, "Exchange")) == 2
    assert len(operators(execution, "Exchange")) <= 2


def test_a_self_join_shuffles_once(catalog):
    execution = planned("SELECT a.k FROM big a JOIN big b ON a.k = b.k", catalog)

    assert len(operators(execution, "Exchange")) == 1
    assert len(operators(execution, "ReusedExchange")) == 1


@pytest.mark.parametrize("ansi", [True, False])
def test_a_broadcast_by_a_widened_key_serves_one_by_a_packed_key(catalog, ansi):
    sql = (
        "SELECT a.k FROM big a JOIN (SELECT CAST(k AS BIGINT) AS l FROM big2) b ON a.k = b.l "
        "JOIN small c ON a.k = c.k JOIN small d ON b.l = d.k"
    )
    kinds = [re.sub(r" .*", "", o) for o in operators(planned(sql, catalog, ansi__enabled=ansi), ".*BroadcastExchange")]

    assert kinds == ["BroadcastExchange", "ReusedExchange"]


@pytest.mark.parametrize(("function", "key"), [("sum(v)", "m"), ("max(s)", "k")])
def test_what_sorted_rows_are_aggregated_to_is_not_used_again(catalog, function, key):
    side = f"(SELECT k, {function} AS m FROM big GROUP BY k)"
    found = operators(planned(f"SELECT x.k, y.k FROM {side} x JOIN {side} y ON x.m = y.m", catalog), "ReusedExchange")

    assert len(found) == 1
    assert f"Exchange hashpartitioning({key}, 4)" in found[0]


def test_adaptive_execution_plans_a_subquery_once_for_each_plan_that_holds_it():
    date = Table("dates", (StructField("day", INT), StructField("month", INT)), size_in_bytes=MB)
    columns = (StructField("v", INT), StructField("day", INT))
    fact = Table("fact", columns, size_in_bytes=10**12, partition_columns=("day",))
    tables = Catalog().with_table(date).with_table(fact)
    sql = """SELECT fact.v FROM fact JOIN dates ON fact.day = dates.day
        WHERE dates.month = (SELECT max(month) FROM dates WHERE day > 3)"""
    execution = explain(sql, tables, OptimizerConfig().with_settings({"spark.sql.adaptive.enabled": True}))
    exchanges = re.findall(r"Exchange SinglePartition, \w+, \[plan_id=(\d+)\]", execution.text("physical"))

    # In the keys that prune the partitions, in the filter beside the join, and in the scan beneath that filter.
    assert len(exchanges) == 4
    assert exchanges[0] == exchanges[1] != exchanges[2] == exchanges[3]
    assert [d.strategy for d in execution.planned.decisions].count("Aggregation") == 1


def test_a_whole_order_is_by_ranges_and_a_limited_one_is_taken(catalog):
    whole = planned("SELECT k FROM big ORDER BY k", catalog)
    top = planned("SELECT k FROM big ORDER BY k LIMIT 3", catalog)

    assert operators(whole, "Exchange")[0].startswith("Exchange rangepartitioning(k ASC NULLS FIRST, 4)")
    assert operators(top, "Take") == ["TakeOrderedAndProject(limit=3, orderBy=[k ASC NULLS FIRST], output=[k])"]
    assert operators(planned("SELECT k FROM big LIMIT 3", catalog), "Collect") == ["CollectLimit 3"]


def test_a_scan_says_what_it_reads(catalog):
    scan = operators(planned("SELECT k FROM big WHERE v > 3 AND s LIKE 'a%' AND k IN (2, 10)", catalog), "FileScan")[0]

    assert scan.startswith("FileScan parquet spark_catalog.default.big[k,v,s] Batched: true, DataFilters: [")
    pushed = scan.split("PushedFilters: [")[1].split("], ReadSchema")[0]
    assert "GreaterThan(v,3)" in pushed
    assert "StringStartsWith(s,a)" in pushed
    assert "In(k, [10,2])" in pushed
    assert scan.endswith("ReadSchema: struct<k:int,v:int,s:string>")


def test_adaptive_execution_wraps_the_plan(catalog):
    on = planned("SELECT k, count(*) FROM big GROUP BY k", catalog, adaptive__enabled=True).text("physical")
    nothing_to_adapt = planned("SELECT k FROM big WHERE k > 1", catalog, adaptive__enabled=True).text("physical")

    assert on.startswith("AdaptiveSparkPlan isFinalPlan=false\n+- HashAggregate")
    assert nothing_to_adapt.startswith("*(1) Filter")


@pytest.mark.parametrize(("profile", "names"), [("spark-4.3", ["SortAggregate"]), ("spark-3.0", ["HashAggregate"] * 2)])
def test_spark_3_0_does_not_tidy_its_plans(catalog, profile, names):
    """It keeps hash aggregates over sorted rows, and both stages where nothing lies between them."""
    sql = "select /*+ merge(y) */ x.k, count(*) from big x join big2 y on x.k = y.k group by x.k"
    config = OptimizerConfig(profile=profile).with_settings({"spark.sql.adaptive.enabled": False})
    found = operators(explain(sql, catalog, config), r"\w*Aggregate")
    assert [line.partition("(")[0] for line in found] == names


def test_a_sketch_has_words_for_the_precision_that_is_asked_for() -> None:
    frame = session(small_catalog()).table("t1")
    words = [
        len(re.findall(r"MS\[\d+\]", frame.agg(functions.approx_count_distinct("a", *rsd)).execution.text("physical")))
        for rsd in ((), (0.1,), (0.01,))
    ]
    assert words == [52, 13, 1639]


def test_a_union_is_spread_as_its_first_child_gives_its_columns(catalog: Catalog) -> None:
    grouped = "SELECT k FROM big GROUP BY k"
    joined = "SELECT t.k FROM (SELECT k FROM big2 GROUP BY k) t JOIN tiny ON t.k = tiny.k"
    plain = planned(f"SELECT k, count(*) FROM ({grouped} UNION ALL {joined}) GROUP BY k", catalog)
    renamed = planned(f"SELECT k, count(*) FROM ({joined} UNION ALL {grouped}) GROUP BY k", catalog)
    assert plain.text("physical").splitlines()[1] == "+- Union"
    assert renamed.text("physical").splitlines()[1].startswith("+- Exchange hashpartitioning(k#")


def test_a_side_that_is_spread_by_a_key_twice_is_no_model_for_the_other_side(catalog):
    sql = "SELECT x.k FROM big x JOIN big2 y ON x.k = y.k AND x.k = y.v JOIN big z ON x.k = z.k"
    found = [e.split(",  ENS")[0].split(", ENS")[0] for e in operators(planned(sql, catalog), "Exchange")]

    # A hash of (k, k) is another one than that of k: the join above shuffles both of its sides anew.
    assert found.count("Exchange hashpartitioning(k, 4)") == 2
    assert "Exchange hashpartitioning(k, k, 4)" in found


@pytest.mark.parametrize("name", ["big2", "default.big2"])
def test_a_hint_names_a_table_with_as_much_of_its_name_as_it_likes(name, catalog):
    sql = f"SELECT /*+ BROADCAST({name}) */ big.k FROM big JOIN default.big2 ON big.k = big2.k"
    assert "BuildRight" in join_of(sql, catalog)


@pytest.mark.parametrize("name", ["other.big2", "spark_catalog.default.big2"])
def test_a_hint_that_says_more_than_the_query_names_no_table_of_it(name, catalog):
    sql = f"SELECT /*+ BROADCAST({name}) */ big.k FROM big JOIN default.big2 ON big.k = big2.k"
    assert join_of(sql, catalog).startswith("SortMergeJoin")


def test_no_hint_asks_for_no_partitions(catalog):
    with pytest.raises(AnalysisError):
        planned("SELECT /*+ REPARTITION(0) */ k FROM big", catalog).text("physical")
