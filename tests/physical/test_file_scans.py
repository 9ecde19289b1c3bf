"""Scans of partitioned, bucketed and nested tables, as Spark 4.3 printed them."""

from __future__ import annotations

import re

import pytest

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import Session
from planviz.programs import read_program

DDL = """
CREATE TABLE p (v INT, w STRING, k INT, l STRING) USING parquet PARTITIONED BY (k, l);
CREATE TABLE d (k INT, n STRING) USING parquet;
CREATE TABLE b8 (a INT, b STRING, c INT) USING parquet CLUSTERED BY (a) INTO 8 BUCKETS;
CREATE TABLE b4 (a INT, b STRING, c INT) USING parquet CLUSTERED BY (a) SORTED BY (a) INTO 4 BUCKETS;
CREATE TABLE moments (dt INTERVAL DAY TO SECOND, ym INTERVAL YEAR TO MONTH) USING parquet;
CREATE TABLE n (e STRING, f ARRAY<INT>, h STRUCT<x: INT, y: STRING>) USING parquet;
CREATE TABLE o (p STRUCT<m: MAP<STRING, STRUCT<x: INT, y: INT>>, q: INT>) USING parquet;
"""


def plan(sql: str, **settings: object) -> str:
    known = {"spark.sql.adaptive.enabled": False, "spark.sql.shuffle.partitions": 4}
    known |= {"spark.sql.autoBroadcastJoinThreshold": -1}
    known |= {f"spark.sql.{k.replace('__', '.')}": v for k, v in settings.items()}
    session = Session(Catalog(), OptimizerConfig().with_settings(known))
    *_, last = session.run(DDL + sql, "physical")
    assert last.execution is not None
    return re.sub(r"#\d+L?", "", last.execution.text("physical"))


def metadata(sql: str, name: str, **settings: object) -> list[str]:
    """What the scans of a plan say about one thing, in order."""
    return re.findall(rf"\b{name}: (.*?)(?=, [A-Z]\w+: |\n)", plan(sql, **settings))


@pytest.mark.parametrize(
    ("where", "partitions", "data"),
    [
        ("k = 1 AND v > 2", "[isnotnull(k), (k = 1)]", "[isnotnull(v), (v > 2)]"),
        ("k > 1 OR v > 2", "[]", "[]"),
        ("(k > 1 AND v > 2) OR (k < 0 AND v > 5)", "[((k > 1) OR (k < 0))]", "[((v > 2) OR (v > 5))]"),
        ("rand() > 0.5 AND k = 1", "[isnotnull(k), (k = 1)]", "[]"),
    ],
)
def test_a_filter_goes_to_the_partitions_and_to_the_files(where, partitions, data):
    sql = f"SELECT v FROM p WHERE {where}"

    assert metadata(sql, "PartitionFilters") == [partitions]
    assert metadata(sql, "DataFilters") == [data]
    assert "[v,k,l]" in plan(sql)


def test_a_filter_on_partitions_alone_is_not_checked_again():
    assert "Filter" not in plan("SELECT v FROM p WHERE k = 1").replace("Filters", "")


def test_the_broadcast_side_of_a_join_prunes_partitions():
    sql = "SELECT v FROM p JOIN d ON p.k = d.k WHERE d.n = 'x'"

    broadcast = plan(f"SELECT /*+ BROADCAST(d) */{sql[6:]}")
    shuffled = plan(sql)

    assert "dynamicpruningexpression(k IN dynamicpruning)" in broadcast
    assert "SubqueryBroadcast dynamicpruning, [0], [k]" in broadcast
    assert "+- ReusedExchange [k], BroadcastExchange" in broadcast
    assert "dynamicpruningexpression(true)" in shuffled


def test_with_adaptive_execution_pruning_waits_for_the_join():
    sql = "SELECT /*+ BROADCAST(d) */ v FROM p JOIN d ON p.k = d.k WHERE d.n = 'x'"

    shown = plan(sql, adaptive__enabled=True)

    assert "SubqueryAdaptiveBroadcast dynamicpruning, [0], true, Project [k], [k]" in shown


@pytest.mark.parametrize(
    ("sql", "exchanges", "bucketed"),
    [
        ("SELECT a, count(*) FROM b8 GROUP BY a", 0, ["true"]),
        ("SELECT b, count(*) FROM b8 GROUP BY b", 1, ["false (bucket column(s) not read)"]),
        ("SELECT * FROM b8", 0, ["false (disabled by query planner)"]),
        ("SELECT a FROM b8 ORDER BY a", 1, ["false (disabled by query planner)"]),
        ("SELECT x.a FROM b8 x JOIN b8 y ON x.a = y.a", 0, ["true", "true"]),
        ("SELECT x.a FROM b8 x JOIN b4 y ON x.a = y.a", 1, ["true", "false (disabled by query planner)"]),
        ("SELECT a, row_number() OVER (PARTITION BY a ORDER BY b) FROM b8", 0, ["true"]),
    ],
)
def test_buckets_save_exchanges_where_they_can(sql, exchanges, bucketed):
    assert plan(sql).count("Exchange ") == exchanges
    assert metadata(sql, "Bucketed") == bucketed


def test_buckets_can_be_switched_off():
    sql = "SELECT a, count(*) FROM b8 GROUP BY a"

    off = {"sources__bucketing__enabled": False}
    kept = {"sources__bucketing__autoBucketedScan__enabled": False}

    assert metadata(sql, "Bucketed", **off) == ["false (disabled by configuration)"]
    assert metadata("SELECT * FROM b8", "Bucketed", **kept) == ["true"]
    assert metadata("SELECT * FROM b8", "SelectedBucketsCount", **kept) == ["8 out of 8"]


_COALESCE = "bucketing__coalesceBucketsInJoin__"


@pytest.mark.parametrize(
    ("sql", "settings", "exchanges", "read"),
    [
        ("b8 x JOIN b4 y ON x.a = y.a", {}, 0, ["8 out of 8 (Coalesced to 4)", "4 out of 4"]),
        ("b4 x JOIN b8 y ON x.a = y.a", {}, 0, ["4 out of 4", "8 out of 8 (Coalesced to 4)"]),
        ("b8 x JOIN b4 y ON x.a = y.a", {f"{_COALESCE}maxBucketRatio": 1}, 1, ["8 out of 8"]),
        ("b8 x JOIN b4 y ON x.a = y.a AND x.c = y.c", {}, 2, []),
        ("b8 x JOIN (SELECT a FROM b4 GROUP BY a) y ON x.a = y.a", {}, 1, ["8 out of 8", "4 out of 4"]),
    ],
)
def test_the_larger_number_of_buckets_is_read_as_the_smaller_one(sql, settings, exchanges, read):
    on = {f"{_COALESCE}enabled": True} | settings

    assert plan(f"SELECT x.a FROM {sql}", **on).count("Exchange ") == exchanges
    assert metadata(f"SELECT x.a FROM {sql}", "SelectedBucketsCount", **on) == read


def test_of_a_hash_join_only_the_streamed_side_s_buckets_are_read_together():
    on = {f"{_COALESCE}enabled": True}
    build, stream = (f"SELECT /*+ SHUFFLE_HASH({t}) */ x.a FROM b8 x JOIN b4 y ON x.a = y.a" for t in "xy")

    assert "Coalesced" not in plan(build, **on)
    assert "8 out of 8 (Coalesced to 4)" in plan(stream, **on)


def test_a_bucket_counts_as_sorted_where_that_is_asked_for():
    sql = "SELECT x.a FROM b4 x JOIN b4 y ON x.a = y.a"
    ordered = {"legacy__bucketedTableScan__outputOrdering": True}

    assert plan(sql).count("Sort [a ASC") == 2
    assert "Sort [a ASC" not in plan(sql, **ordered)
    assert plan("SELECT x.a FROM b8 x JOIN b8 y ON x.a = y.a", **ordered).count("Sort [a ASC") == 2


@pytest.mark.parametrize(
    ("sql", "schema", "pushed"),
    [
        ("SELECT e FROM n WHERE h.x = 3", "struct<e:string,h:struct<x:int>>", "[IsNotNull(h.x), EqualTo(h.x,3)]"),
        ("SELECT h.y FROM n", "struct<h:struct<y:string>>", "[]"),
        ("SELECT h, h.x FROM n", "struct<h:struct<x:int,y:string>>", "[]"),
        # That a field is there is known from any part of it that is read anyway.
        (
            "SELECT p.m['z'].x FROM o WHERE p.m IS NOT NULL",
            "struct<p:struct<m:map<string,struct<x:int>>>>",
            "[IsNotNull(p.m)]",
        ),
        ("SELECT h.y FROM n WHERE f[0] = 2", "struct<f:array<int>,h:struct<y:string>>", "[IsNotNull(f)]"),
    ],
)
def test_only_the_fields_that_are_used_are_read(sql, schema, pushed):
    assert metadata(sql, "ReadSchema") == [schema]
    assert metadata(sql, "PushedFilters") == [pushed]


def test_a_projection_that_would_compute_twice_is_not_merged_into_the_scan():
    lines = plan("SELECT x, x + 1 FROM (SELECT a * 2 + 1 AS x FROM b8)").splitlines()

    assert [line.split("[")[0].strip() for line in lines[:2]] == ["*(1) Project", "+- *(1) Project"]


@pytest.mark.parametrize(
    ("where", "pushed"),
    [
        ("a > '2026-01-02'", "GreaterThan(a,2026-01-02 00:00:00.0)"),
        ("a < timestamp'2026-01-03 04:05:06.120'", "LessThan(a,2026-01-03 04:05:06.12)"),
        ("b > timestamp_ntz'2026-01-02'", "GreaterThan(b,2026-01-02T00:00)"),
        ("b > timestamp_ntz'2026-01-02 03:04:05.12'", "GreaterThan(b,2026-01-02T03:04:05.120)"),
        ("b > timestamp_ntz'2026-01-02 03:04:05.1234'", "GreaterThan(b,2026-01-02T03:04:05.123400)"),
    ],
)
def test_moments_are_pushed_as_java_prints_them(where, pushed):
    sql = f"CREATE TABLE m (a TIMESTAMP, b TIMESTAMP_NTZ) USING parquet; SELECT * FROM m WHERE {where}"
    assert pushed in plan(sql, session__timeZone="UTC")


def test_a_filter_stays_above_random_numbers():
    text = plan("SELECT * FROM (SELECT k, rand(1) AS r FROM p) WHERE k = 1")
    assert "PartitionFilters: []" in text
    assert text.index("Filter") < text.index("rand(1)")


@pytest.mark.parametrize(
    ("where", "pushed"),
    [
        ("dt > INTERVAL '1' DAY", "GreaterThan(dt,PT24H)"),
        ("dt > INTERVAL '-1 00:00:01.5' DAY TO SECOND", "GreaterThan(dt,PT-24H-1.5S)"),
        ("ym > INTERVAL '1' MONTH", "GreaterThan(ym,P1M)"),
        ("ym > INTERVAL '-14' MONTH", "GreaterThan(ym,P-1Y-2M)"),
    ],
)
def test_intervals_are_pushed_as_java_prints_them(where, pushed):
    (found,) = metadata(f"SELECT 1 FROM moments WHERE {where}", "PushedFilters")
    assert pushed in found


@pytest.mark.parametrize(
    ("sql", "optimized"),
    [
        # Seen in Spark 4.3: size() of null is not asked for, though ANSI mode makes it null.
        ("SELECT e FROM n WHERE size(f) > 2", "Filter (size(f, false) > 2)"),
        # A union's input gives no id twice.
        ("SELECT a, a FROM b4 UNION ALL SELECT a, c FROM b8", "Project [a, a AS a]"),
    ],
)
def test_small_things_that_a_live_spark_showed(sql, optimized):
    session = Session(Catalog(), OptimizerConfig())
    *_, last = session.run(DDL + sql, "optimized")
    assert optimized in re.sub(r"#\d+L?", "", last.execution.text("optimized"))


def test_a_join_with_using_gives_only_the_hidden_columns_that_are_named():
    session = Session(Catalog(), OptimizerConfig())
    *_, last = session.run(DDL + "SELECT b4.a FROM b4 FULL JOIN b8 USING (a)", "analyzed")
    inner = last.execution.text("analyzed").splitlines()[1]
    assert re.sub(r"#\d+", "", inner) == "+- Project [coalesce(a, a) AS a, b, c, b, c, a]"


@pytest.mark.parametrize(
    ("provider", "pushed"),
    [("parquet", "[IsNotNull(s.b), EqualTo(s.b,q)]"), ("orc", "[IsNotNull(s.b), EqualTo(s.b,q)]"), ("json", "[]")],
)
def test_filters_on_fields_go_to_the_formats_that_take_them(provider: str, pushed: str) -> None:
    sql = f"CREATE TABLE j (a INT, s STRUCT<b: STRING>) USING {provider}; SELECT a FROM j WHERE s.b = 'q'"

    assert metadata(sql, "PushedFilters") == [pushed]


@pytest.mark.parametrize(("other", "reused"), [("/data/b", 0), ("/data/a", 1)])
def test_files_of_another_place_are_no_rows_that_were_shuffled_already(other, reused):
    read = "spark.read.schema('k int, v int').parquet('{}').groupBy('k').count()\n"
    program = f"a = {read.format('/data/a')}b = {read.format(other)}a.join(b, 'k').show()"
    config = OptimizerConfig().with_settings({"spark.sql.adaptive.enabled": False})
    shown = read_program(program, None, config).actions[-1].execution.text("physical")

    assert shown.count("ReusedExchange") == reused
    assert re.findall(r"InMemoryFileIndex\(1 paths\)\[(.*?)\]", shown) == ["/data/a", other][: 2 - reused]


@pytest.mark.parametrize(
    ("sql", "lines"),
    [
        # Only the fields that are read are put together; filters on them are the scan's, not its reader's.
        (
            "SELECT _metadata.file_name, e FROM n WHERE _metadata.file_size > 10",
            [
                "Project [e, knownnotnull(named_struct(file_name, file_name, file_size, file_size)) AS _metadata]",
                "n[e,file_name,file_size] Batched: true, DataFilters: [(file_size > 10)]",
                "PushedFilters: [], ReadSchema: struct<e:string>",
            ],
        ),
        # Parquet's reader counts rows: before the columns of partitions, constants stand behind these.
        (
            "SELECT _metadata.row_index, _metadata.file_path, v FROM p WHERE k = 1 AND _metadata.row_index < 5",
            [
                "[v,_tmp_metadata_row_index,k,l,file_path]",
                "PushedFilters: [LessThan(_tmp_metadata_row_index,5)]",
                "ReadSchema: struct<v:int,_tmp_metadata_row_index:bigint>",
            ],
        ),
        # Through names, limits and sorts; an alias of the table qualifies it.
        ("SELECT q._metadata.file_name FROM (SELECT * FROM d ORDER BY k LIMIT 3) q", ["d[k,file_name]"]),
        ("SELECT k FROM d GROUP BY k HAVING max(_metadata.file_size) > 1", ["d[k,file_size]"]),
        ("SELECT _metadata.* FROM n", ["row_index, row_index)) AS _metadata]"]),
    ],
)
def test_the_hidden_column_of_files(sql: str, lines: list[str]) -> None:
    text = plan(sql)
    for line in lines:
        assert line in text, text


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT _metadata FROM (SELECT k FROM d GROUP BY k)",
        "SELECT _metadata FROM (SELECT k FROM d UNION ALL SELECT k FROM d)",
        "SELECT _metadata.file_name FROM d JOIN p USING (k)",
        "SELECT _metadata FROM VALUES (1)",
    ],
)
def test_the_hidden_column_is_not_seen_through_these(sql: str) -> None:
    *_, last = Session().run(DDL + sql, "physical")
    assert isinstance(last.error, AnalysisError)
    assert last.error.error_class == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


def test_a_column_of_that_name_in_the_files_comes_first() -> None:
    assert "[_metadata]" in plan("CREATE TABLE own (a INT, _metadata STRING) USING json; SELECT _metadata FROM own")


def test_versions_have_their_own_fields() -> None:
    def error(profile: str, field: str) -> str:
        *_, last = Session(Catalog(), OptimizerConfig.of(profile)).run(DDL + f"SELECT _metadata.{field} FROM d")
        return getattr(last.error, "error_class", "")

    assert not error("spark-3.4", "row_index")
    assert not error("spark-3.3", "file_size")
    assert error("spark-3.3", "row_index")
    assert error("spark-3.2", "file_size")


def test_the_hidden_column_is_not_guessed() -> None:
    (only,) = Session(infer=True).run("SELECT _metadata.file_name, x FROM events", "physical")
    assert only.execution is not None
    assert not only.error
    assert ", ReadSchema: struct<x:" in only.execution.text("physical")


@pytest.mark.parametrize(("version", "told"), [("3.2", False), ("3.3", True)])
def test_scans_tell_of_buckets_from_3_3_on(version, told):
    session = Session(config=OptimizerConfig.of(f"spark-{version}"))
    made = "CREATE TABLE b (a INT) USING parquet CLUSTERED BY (a) INTO 4 BUCKETS"
    *_, outcome = session.run(f"{made}; SELECT a, count(*) FROM b GROUP BY a", "physical")

    line = outcome.execution.text("physical").splitlines()[-1]
    assert ("Bucketed: true" in line) is told
    assert "SelectedBucketsCount: 4 out of 4" in line


@pytest.mark.parametrize("version", ["3.1", "3.2", "4.3"])
def test_json_takes_no_filters_on_nested_fields(version):
    session = Session(config=OptimizerConfig.of(f"spark-{version}"))
    made = "CREATE TABLE j (s STRUCT<a: INT>, b INT) USING json"
    *_, outcome = session.run(f"{made}; SELECT b FROM j WHERE s.a = 1 AND b > 2", "physical")

    shown = outcome.execution.text("physical")
    assert "GreaterThan(b,2)" in shown
    assert "EqualTo(s.a,1)" not in shown


def test_subqueries_of_partition_filters_are_met_before_those_of_data_filters():
    sql = (
        "WITH e AS (SELECT k, v, sum(v) AS s FROM p WHERE l = 'x' AND v > (SELECT min(v) FROM p) GROUP BY k, v) "
        "SELECT /*+ BROADCAST(b) */ a.v FROM e a JOIN e b ON a.k = b.k AND a.v = b.s"
    )
    pruned, read = [line for line in plan(sql).splitlines() if "FileScan" in line and "(v > " in line][:2]

    assert "dynamicpruningexpression" in pruned
    assert "ReusedSubquery Subquery scalar-subquery" in pruned.partition("DataFilters")[2]
    assert "ReusedSubquery" not in read


def test_bytes_are_pushed_as_an_array_of_java():
    sql = "CREATE TABLE m (a BINARY) USING parquet; SELECT * FROM m WHERE a = X'00'"
    assert re.search(r"EqualTo\(a,\[B@[0-9a-f]{5,8}\)", plan(sql))


def test_a_list_that_holds_a_subquery_goes_to_the_files():
    (pushed, *_) = metadata("SELECT v FROM p WHERE v IN ((SELECT max(k) FROM d), 4, 5)", "PushedFilters")

    assert pushed == "[In(v, [4,5,ScalarSubquery])]"
