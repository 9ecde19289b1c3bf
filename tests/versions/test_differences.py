"""What one version of Spark does in another way than the next: small queries, both versions' texts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from planviz.catalog import Catalog, read_bundled
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution, Session, explain
from planviz.expressions.core import AttributeReference, Literal, SortOrder
from planviz.expressions.hash_sets import expressions_in_hash_set, in_hash_map, in_hash_set
from planviz.expressions.predicates import EqualTo, GreaterThan, IsNotNull
from planviz.types import INT, STRING, DecimalType

Case = tuple[str, str, str, str, str]


def cases() -> list[Case]:
    """The later of the two versions, the stage, the query, what the earlier and what the later version shows."""
    found: list[Case] = []
    lines = (Path(__file__).parent / "differences.txt").read_text(encoding="utf-8").splitlines()
    for block in "\n".join(line for line in lines if not line.startswith("#")).strip().split("\n\n"):
        head, sql, earlier, later = block.split("\n")
        version, stage = head.split()
        found.append((version, stage, sql, *(t[2:].replace("\\n", "\n") for t in (earlier, later))))
    return found


def text(version: str, stage: str, sql: str) -> str:
    """A stage of a query as a version plans it, adaptive execution off, ids left out."""
    stage, _, adaptive = stage.partition("-")
    settings = {"spark.sql.adaptive.enabled": bool(adaptive), "spark.sql.autoBroadcastJoinThreshold": -1}
    planned = explain(sql, read_bundled("tpcds"), OptimizerConfig.of(f"spark-{version}", **settings))
    shown = planned.explain_string("cost") if stage == "cost" else planned.text(stage)
    return re.sub(r"#\d+", "#", shown)


def earlier_than(version: str) -> str:
    """The minor version before."""
    major, minor = map(int, version.split("."))
    return "3.5" if (major, minor) == (4, 0) else f"{major}.{minor - 1}"


@pytest.mark.parametrize(
    ("version", "stage", "sql", "earlier", "later"), cases(), ids=[f"{c[0]}-{c[2][:60]}" for c in cases()]
)
def test_a_version_differs_from_the_one_before(version, stage, sql, earlier, later):
    assert earlier in text(earlier_than(version), stage, sql)
    assert later in text(version, stage, sql)


def test_values_stand_as_scala_s_hash_set_has_them():
    numbers = [Literal(n, INT) for n in range(1200, 1212)]
    assert [n.value for n in in_hash_set(numbers)] == [
        1200, 1211, 1205, 1201, 1206, 1210, 1207, 1202, 1209, 1203, 1208, 1204,
    ]  # fmt: skip

    words = [Literal(w, STRING) for w in ("b", "a", "c")]
    assert {w.value for w in in_hash_set(words)} == {"a", "b", "c"}
    decimals = [Literal(None, DecimalType(3, 1)), *numbers[:2]]
    assert in_hash_set(decimals) == tuple(decimals)


def test_a_value_of_a_scan_is_cut_at_100_characters_in_3_0_alone():
    sql = "SELECT * FROM item WHERE i_brand = 'x'"

    old, new = text("3.0", "physical", sql), text("3.1", "physical", sql)

    cut = re.search(r"ReadSchema: (.*)", old)
    assert cut is not None
    assert len(cut[1]) == 100
    assert cut[1].endswith("...")
    assert "i_product_name:string>" in new


def test_filters_stand_in_a_row_before_3_2():
    sql = "SELECT 1 FROM item WHERE i_brand = 'x' AND i_color = 'y'"

    assert "Filter (((isnotnull(i_brand#) AND isnotnull(i_color#)) AND (i_brand# = x)) AND (i_color# = y))" in text(
        "3.1", "optimized", sql
    )
    assert "((isnotnull(i_brand#) AND isnotnull(i_color#)) AND ((i_brand# = x) AND (i_color# = y)))" in text(
        "3.2", "optimized", sql
    )


def test_a_table_that_is_read_again_has_the_same_ids_wherever_a_join_renews_it_before_3_2():
    sql = """SELECT 1 FROM item a JOIN
        (SELECT b.i_item_sk FROM item b UNION ALL SELECT c.i_item_sk FROM item c) u ON a.i_item_sk = u.i_item_sk"""
    config = OptimizerConfig.of("spark-3.1")

    planned = explain(sql, read_bundled("tpcds"), config).text("analyzed")

    first, *others = re.findall(r"Relation\[i_item_sk#(\d+)", planned)
    assert first not in others
    assert len(others) == 2


def test_a_name_of_the_second_table_of_a_join_is_not_bound_to_the_first_before_3_2():
    sql = """SELECT 1 FROM item a JOIN item b ON a.i_item_sk = b.i_item_sk
        JOIN item c ON c.i_item_sk = b.i_item_sk"""

    planned = explain(sql, read_bundled("tpcds"), OptimizerConfig.of("spark-3.1")).text("analyzed")

    relations = re.findall(r"Relation\[i_item_sk#(\d+)", planned)
    conditions = re.findall(r"Join Inner, \(i_item_sk#(\d+) = i_item_sk#(\d+)\)", planned)
    a, b, c = relations
    assert len({a, b, c}) == 3
    assert conditions == [(c, b), (a, b)]


def test_subqueries_that_stand_twice_have_one_root_in_adaptive_plans_before_3_5():
    sql = """WITH m AS (SELECT (SELECT max(d_year) FROM date_dim) y FROM store)
        SELECT 1 FROM item WHERE i_item_sk > (SELECT max(d_year) FROM date_dim)
        AND i_brand_id > (SELECT max(d_year) FROM date_dim)"""
    config = OptimizerConfig.of("spark-3.4", **{"spark.sql.adaptive.enabled": True})

    planned = explain(sql, read_bundled("tpcds"), config).text("physical")

    roots = re.findall(r"Subquery subquery#(\d+), \[id=#(\d+)\]", planned)
    assert len({number for _, number in roots}) == len({expr for expr, _ in roots})


def test_decimals_of_two_inputs_are_widened_before_they_are_promoted_before_3_2():
    sql = """SELECT a FROM (SELECT coalesce(ss_net_paid, 0.00) - ss_sales_price a FROM store_sales
        UNION ALL SELECT ss_net_paid - ss_sales_price FROM store_sales)"""

    assert "cast(a# as decimal(8,2)) AS a#" in text("3.1", "analyzed", sql)


@pytest.mark.parametrize(("version", "mark"), [("4.3", "*(5) SortAggregate(key"), ("4.2", "SortAggregate(key")])
def test_aggregates_over_sorted_rows_with_keys_have_code_since_4_3(version, mark):
    sql = """SELECT /*+ MERGE(item) */ ss_item_sk, max(i_item_sk) FROM store_sales JOIN item ON ss_item_sk = i_item_sk
        GROUP BY ss_item_sk"""
    settings = {"spark.sql.adaptive.enabled": False, "spark.sql.execution.replaceHashWithSortAgg": True}

    planned = explain(sql, read_bundled("tpcds"), OptimizerConfig.of(f"spark-{version}", **settings)).text("physical")

    assert planned.startswith(mark)


def columns(first_id):
    """a INT, b DECIMAL(7,2) and c STRING of a table t in a session that numbered a with `first_id`."""
    types = {"a": INT, "b": DecimalType(7, 2), "c": STRING}
    path = ("spark_catalog", "default", "t")
    return [AttributeReference(n, t, True, first_id + i, path) for i, (n, t) in enumerate(types.items())]


def test_conditions_stand_as_spark_3_0_3_showed_them():
    a, b, c = columns(0)
    conditions = [GreaterThan(a, Literal(1, INT)), EqualTo(c, Literal("x", STRING)), IsNotNull(a), IsNotNull(c)]

    assert expressions_in_hash_set(conditions) == conditions
    in_order = expressions_in_hash_set([*conditions, IsNotNull(b)])
    assert [e for e in in_order if isinstance(e, IsNotNull)] == [IsNotNull(b), IsNotNull(c), IsNotNull(a)]


def test_windows_stand_as_spark_3_0_3_showed_them():
    a, b, c = columns(5)
    order = (SortOrder(a),)
    groups = {((c,), (), "SQL"): "sum", ((c,), order, "SQL"): "rank", ((b,), order, "SQL"): "max"}

    assert [function for _, function in in_hash_map(groups)] == ["sum", "max", "rank"]
    assert len(in_hash_map({((a,), (), str(n)): n for n in range(9)})) == 9


def planned(profile: str, sql: str) -> QueryExecution:
    """A query over a table of a number, a truth value and a field, and a view, as a version plans it."""
    config = OptimizerConfig.of(profile, **{"spark.sql.adaptive.enabled": False})
    session = Session(Catalog(), config)
    setup = "CREATE TABLE f (a INT, ok BOOLEAN, s STRUCT<x: INT>) USING parquet; CREATE VIEW v AS SELECT a FROM f;"
    outcome = list(session.run(setup + sql, "physical"))[-1]
    assert outcome.execution is not None
    return outcome.execution


def test_a_data_source_takes_truth_values_since_3_3():
    sql = "SELECT a FROM f WHERE ok AND a = 1"

    assert "PushedFilters: [IsNotNull(ok), IsNotNull(a), EqualTo(a,1)]" in planned("spark-3.2", sql).text("physical")
    new = planned("spark-3.3", sql).text("physical")
    assert "PushedFilters: [IsNotNull(ok), IsNotNull(a), EqualTo(ok,true), EqualTo(a,1)]" in new


def test_a_field_is_known_not_to_be_null_since_3_3():
    sql = "SELECT a FROM f WHERE s.x > 1"

    assert re.search(r"Filter \(isnotnull\(s#\d+\) AND", planned("spark-3.2", sql).text("optimized"))
    assert re.search(r"Filter \(isnotnull\(s#\d+\.x\) AND", planned("spark-3.3", sql).text("optimized"))


def test_a_view_casts_its_columns_since_3_2_and_names_its_catalogue_since_3_4():
    old, middle, new = (planned(f"spark-{v}", "SELECT * FROM v").text("analyzed") for v in ("3.1", "3.3", "3.4"))

    assert "cast(a#" not in old
    assert "cast(a#" in middle
    assert "View (`default`.`v`, [a#" in middle
    assert "View (`spark_catalog`.`default`.`v`, [a#" in new


@pytest.mark.parametrize(
    ("profile", "sql", "line"),
    [
        ("spark-4.0", "SELECT 1 + rand()", r"Arguments: ParallelCollectionRDD\[0\] at .*, OneRowRelation, Unknown"),
        ("spark-4.0", "SELECT collect_set(a) FROM f", r"Aggregate Attributes \[1\]: \[collect_set\(a#\d+, 0, 0\)#"),
        ("spark-4.2", "SELECT collect_set(a) FROM f", r"Aggregate Attributes \[1\]: \[collect_set\(a#\d+\)#"),
        ("spark-3.3", "SELECT * FROM (SELECT * FROM f LIMIT 9) WHERE a > 5", r"(?m)^Arguments: 9$"),
        ("spark-4.3", "SELECT * FROM (SELECT * FROM f LIMIT 9) WHERE a > 5", r"(?m)^Arguments: 9, 0$"),
        ("spark-4.3", "SELECT a FROM f ORDER BY ok LIMIT 3 OFFSET 2", r"(?m)^Arguments: 5, \[ok.*\], \[a#\d+\], 2$"),
    ],
)
def test_the_formatted_mode_tells_arguments_as_the_version_does(profile, sql, line):
    assert re.search(line, planned(profile, sql).explain_string("formatted"))


def test_ceil_and_floor_are_known_to_every_version():
    text_of = planned("spark-3.0", "SELECT ceil(a), floor(a), ceiling(a) FROM f").text("analyzed")
    assert "CEIL(" in text_of
    assert "FLOOR(" in text_of


def test_dynamic_pruning_shows_one_key_alone_before_4_0():
    sql = (
        "CREATE TABLE p (v INT, k STRING) USING parquet PARTITIONED BY (k); CREATE TABLE d (k STRING, n INT) "
        "USING parquet; SELECT /*+ BROADCAST(d) */ v FROM p JOIN d ON p.k = d.k WHERE d.n = 1"
    )

    assert re.search(r"SubqueryBroadcast dynamicpruning#\d+, 0, \[k#", planned("spark-3.5", sql).text("physical"))
    assert re.search(r"SubqueryBroadcast dynamicpruning#\d+, \[0\], \[k#", planned("spark-4.0", sql).text("physical"))


@pytest.mark.parametrize(
    ("profile", "side"), [("spark-3.4", "LeftOuter, BuildRight"), ("spark-3.5", "LeftOuter, BuildLeft")]
)
def test_a_shuffled_hash_join_builds_the_side_that_it_keeps_since_3_5(profile, side):
    sql = "SELECT /*+ SHUFFLE_HASH(v), SHUFFLE_HASH(f) */ f.a FROM (SELECT a FROM v LIMIT 1) v LEFT JOIN f ON v.a = f.a"

    assert side in planned(profile, sql).text("physical")


@pytest.mark.parametrize(("profile", "name"), [("spark-4.0", "subquery"), ("spark-4.1", "dynamicpruning")])
def test_the_query_of_dynamic_pruning_itself_is_called_so_since_4_1(profile, name):
    settings = {
        "spark.sql.adaptive.enabled": False,
        "spark.sql.exchange.reuse": False,
        "spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly": False,
    }
    session = Session(Catalog(), OptimizerConfig.of(profile, **settings))
    list(
        session.run(
            "CREATE TABLE p (v INT) USING parquet PARTITIONED BY (k INT); CREATE TABLE d (k INT, n INT) USING parquet"
        )
    )
    for table, size in (("p", 10**9), ("d", 1000)):
        found = session.catalog.table((table,))
        assert found is not None
        session.catalog = session.catalog.with_table(replace(found, size_in_bytes=size))

    *_, last = session.run("SELECT v FROM p JOIN d ON p.k = d.k WHERE d.n = 1", "physical")
    assert last.execution is not None
    assert re.search(rf"dynamicpruningexpression\(k#\d+ IN {name}#", last.execution.text("physical"))


@pytest.mark.parametrize("version", ["3.2", "3.5", "4.0"])
def test_what_is_taken_from_a_moment_is_added_with_a_minus_sign_once_it_is_optimized(version):
    sql = "SELECT cast(d_date AS timestamp) - INTERVAL '02:03' HOUR TO MINUTE FROM date_dim"

    assert "cast(d_date# as timestamp) - INTERVAL '02:03' HOUR TO MINUTE" in text(version, "analyzed", sql)
    assert "cast(d_date# as timestamp) + INTERVAL '-02:03' HOUR TO MINUTE AS" in text(version, "optimized", sql)


def test_a_timestamp_s_day_is_a_range_of_moments_since_3_5():
    sql = "CREATE TABLE m (at TIMESTAMP) USING parquet; SELECT * FROM m WHERE to_date(at) = DATE'2021-05-05'"
    old, new = (planned(profile, sql).text("optimized") for profile in ("spark-3.4", "spark-3.5"))

    assert re.search(r"\(cast\(at#\d+ as date\) = 2021-05-05\)", old)
    assert re.search(r"\(at#\d+ >= 2021-05-05 00:00:00\) AND \(at#\d+ < 2021-05-06 00:00:00\)", new)


@pytest.mark.parametrize("version", ["3.0", "3.1", "3.2", "3.3"])
def test_a_quotient_s_type_is_known_above_it_once_it_is_promoted(version):
    """An average of decimal(7,2) would be computed over whole numbers, one of decimal(17,10) is not."""
    sql = "SELECT avg(p) FROM (SELECT i_current_price / i_current_price AS p FROM item)"

    assert "UnscaledValue" not in text(version, "optimized", sql)
    assert "UnscaledValue" in text(version, "optimized", "SELECT avg(i_current_price) FROM item")


def test_order_by_knows_the_keys_of_grouping_sets_since_4_2():
    sql = "SELECT count(*) FROM item GROUP BY ROLLUP (i_class) ORDER BY grouping(i_class), i_class"
    assert "Sort [cast((shiftright(spark_grouping_id#L, 0) & 1) as tinyint)" in text("4.2", "analyzed", sql)
    with pytest.raises(AnalysisError) as error:
        text("4.1", "analyzed", sql)
    assert error.value.error_class == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


def test_variants_are_pushed_into_scans_since_4_1():
    session = Session(config=OptimizerConfig.of("spark-4.1"))
    *_, last = session.run("CREATE TABLE t (v VARIANT) USING parquet; SELECT v:a::int FROM t")
    assert last.execution is not None
    assert ".0 as int)" in last.execution.text("optimized")
    later = Session(session.catalog, OptimizerConfig.of("spark-4.0"))
    *_, last = later.run("SELECT variant_get(v, '$.a', 'int') FROM t")
    assert last.execution is not None
    assert "variant_get(v#" in last.execution.text("optimized")


def test_a_bloom_filter_has_a_byte_a_row_before_3_4():
    sql = "SELECT ss_quantity FROM store_sales JOIN item ON ss_item_sk = i_item_sk WHERE i_brand = 'b'"
    bloom = "spark.sql.optimizer.runtime.bloomFilter"
    settings = {
        f"{bloom}.enabled": True,
        f"{bloom}.applicationSideScanSizeThreshold": 0,
        f"{bloom}.creationSideThreshold": 2**62,
        "spark.sql.autoBroadcastJoinThreshold": -1,
        "spark.sql.cbo.enabled": True,
    }
    old, new = (
        re.search(r"bloom_filter_agg\(.*?, (\d+), (\d+), 0, 0\)", explain_with(version, sql, settings))
        for version in ("spark-3.3", "spark-3.4")
    )

    assert old is not None
    assert new is not None
    assert int(old[2]) == 8 * int(old[1])
    assert old[1] == new[1]
    assert int(new[2]) > int(old[2])


def explain_with(profile, sql, settings):
    return explain(sql, read_bundled("tpcds"), OptimizerConfig.of(profile, **settings)).text("optimized")


@pytest.mark.parametrize(("profile", "shared"), [("spark-3.3", True), ("spark-3.5", True), ("spark-4.0", False)])
def test_a_view_that_is_read_twice_keeps_its_ids_before_4_0(profile, shared):
    sql = (
        "CREATE VIEW w AS SELECT a AS first, a + 1 AS second FROM f; "
        "CREATE VIEW x AS SELECT first, count(*) AS n FROM w GROUP BY first; "
        "SELECT w.second, x.n FROM w JOIN x ON w.first = x.first"
    )

    ids = re.findall(r"a#\d+ AS first#(\d+)", planned(profile, sql).text("analyzed"))
    assert len(ids) == 2
    assert (len(set(ids)) == 1) is shared


def test_rules_about_files_write_out_what_is_used_twice_before_3_4():
    definition = "CREATE TABLE r (sensor STRING, val DOUBLE, meta STRUCT<fw: STRING, n: INT>, d STRING) USING parquet "
    twice = "SELECT x + 1, x + 2 FROM (SELECT length({}) AS x FROM r WHERE {}) t"

    def optimized(version: str, sql: str) -> str:
        session = Session(Catalog(), OptimizerConfig.of(f"spark-{version}"))
        *_, last = session.run(f"{definition} PARTITIONED BY (d);\n{sql}", "optimized")
        return re.sub(r"#\d+", "#", last.execution.text("optimized"))

    for sql in (twice.format("sensor", "d = 'a'"), twice.format("meta.fw", "val > 1")):
        assert "AS (x + 1)#, (length(" in optimized("3.3", sql)
        assert "Project [(x# + 1) AS (x + 1)#, (x# + 2)" in optimized("3.5", sql)
    plain = twice.format("sensor", "val > 1")
    assert "Project [(x# + 1) AS (x + 1)#, (x# + 2)" in optimized("3.3", plain)


def test_the_columns_that_using_hides_cannot_be_named_before_3_2():
    sql = "SELECT b.i_brand, b.i_item_sk FROM item a JOIN item b USING (i_item_sk)"
    assert "i_item_sk#" in text("3.2", "analyzed", sql)
    with pytest.raises(AnalysisError):
        text("3.1", "analyzed", sql)


def test_rebalance_takes_a_number_since_3_3():
    sql = "SELECT /*+ REBALANCE(8, i_brand) */ i_brand FROM item"
    assert "RebalancePartitions [i_brand#], 8" in text("3.3", "analyzed-adaptive", sql)
    with pytest.raises(AnalysisError):
        text("3.2", "analyzed-adaptive", sql)


def test_a_shuffle_that_a_join_makes_anew_forgets_what_was_asked_for_before_3_3():
    sql = """SELECT x.i_item_sk FROM (SELECT /*+ REPARTITION(50, i_item_sk) */ i_item_sk FROM item) x
        JOIN (SELECT /*+ REPARTITION(30, ss_item_sk) */ ss_item_sk FROM store_sales) y ON i_item_sk = ss_item_sk"""
    assert text("3.3", "physical", sql).count("200), REPARTITION_BY_NUM") == 2
    assert "hashpartitioning(ss_item_sk#, 50), ENSURE_REQUIREMENTS" in text("3.2", "physical", sql)


def test_a_filter_of_buckets_keeps_a_scan_bucketed_in_3_1_alone():
    def scan(version: str) -> str:
        session = Session(config=OptimizerConfig.of(version, **{"spark.sql.adaptive.enabled": False}))
        script = (
            "CREATE TABLE b (k INT, v INT) USING parquet CLUSTERED BY (k) INTO 8 BUCKETS; SELECT * FROM b WHERE k = 5"
        )
        *_, done = session.run(script)
        return done.execution.text("physical")

    assert "SelectedBucketsCount: 1 out of 8" in scan("spark-3.1")
    assert "SelectedBucketsCount" not in scan("spark-3.2")


def test_a_partition_column_that_is_fixed_prunes_nothing_else_since_3_3():
    def optimized(version: str) -> str:
        settings = {"spark.sql.adaptive.enabled": False, "spark.sql.autoBroadcastJoinThreshold": -1}
        session = Session(config=OptimizerConfig.of(version, **settings))
        script = """CREATE TABLE f (a INT, n STRING, p INT) USING parquet PARTITIONED BY (p);
            SELECT x.a FROM f x JOIN f y ON x.p = y.p AND x.a = y.a WHERE x.p = 3 AND y.p = 3 AND y.n = 'q'"""
        *_, done = session.run(script)
        return done.execution.text("optimized")

    assert "dynamicpruning" in optimized("spark-3.2")
    assert "dynamicpruning" not in optimized("spark-3.3")


@pytest.mark.parametrize(("version", "size"), [("spark-3.3", "96.0 B"), ("spark-3.4", "132.0 B")])
def test_constants_have_statistics_since_3_4(version: str, size: str) -> None:
    cost = {"spark.sql.cbo.enabled": True, "spark.sql.cbo.planStats.enabled": True}
    session = Session(config=OptimizerConfig.of(version, **cost))
    list(session.run("CREATE TABLE t (a INT) USING parquet"))
    table = session.catalog.table(("t",))
    assert table is not None
    session.catalog = session.catalog.with_table(replace(table, row_count=3, size_in_bytes=60))
    (done,) = session.run("SELECT 'abc' AS c, a FROM t")
    assert f"Statistics(sizeInBytes={size}, rowCount=3)" in done.execution.explain_string("cost")


@pytest.mark.parametrize(
    ("version", "names"),
    [
        ("spark-3.0", ["abs(p.a AS `a`)", "sum(p.a AS `a`)"]),
        ("spark-3.1", ["abs(p.a AS `a`)", "sum(p.a)"]),
        ("spark-3.2", ["abs(p.a)", "sum(p.a)"]),
    ],
)
def test_fields_have_names_of_their_own_within_names_before_3_2(version: str, names: list[str]) -> None:
    session = Session(config=OptimizerConfig.of(version))
    list(session.run("CREATE TABLE n (p STRUCT<a: BIGINT>) USING parquet"))
    queries = ("SELECT abs(p.a) FROM n", "SELECT sum(p.a) FROM n GROUP BY p.a")
    shown = [next(session.run(sql)).execution for sql in queries]
    assert [e.analyzed.output[0].name for e in shown] == names


def test_inputs_of_a_union_over_one_table_are_renamed_before_3_2():
    sql = "SELECT i_brand FROM item UNION ALL SELECT i_brand FROM item"
    assert "Project [i_brand# AS i_brand#]" in text("3.1", "analyzed", sql)
    assert "Project [i_brand# AS i_brand#]" not in text("3.2", "analyzed", sql)
