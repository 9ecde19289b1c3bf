"""Texts of many kinds of queries, each replayed alone: nothing stays opaque, and both plans come out as they stood."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planviz.catalogs import read as read_catalog
from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.execution import QueryExecution
from planviz.expressions.ids import Ids
from planviz.replay.result import Replay

TABLES = """
CREATE TABLE trips (id BIGINT, line STRING, price DECIMAL(7,2), left TIMESTAMP, day DATE, seats ARRAY<DOUBLE>,
 stops ARRAY<STRUCT<town: STRING, fare: DECIMAL(6,2)>>, notes MAP<STRING, STRING>, boss INT, code CHAR(4))
 USING parquet;
CREATE TABLE towns (id INT, name STRING, region STRING) USING parquet;
"""


def explained(sql: str, mode: str = "extended", profile: str = "spark-4.3", **settings: object) -> str:
    config = OptimizerConfig.of(profile, **{k.replace("_", "."): v for k, v in settings.items()})
    return QueryExecution(sql, read_catalog(TABLES), config, ids=Ids(100)).explain_string(mode)


def replayed(text: str) -> Replay:
    (made,) = replays(open_text(text))
    return made


def opaque(made: Replay) -> list[str]:
    return [t for read in made.read.values() for t in (*read.opaque, *read.opaque_operators)]


QUERIES = {
    "the nearest rows": "SELECT t.id, w.name FROM trips t LEFT JOIN towns w APPROX NEAREST 2 BY DISTANCE t.boss - w.id",
    "the nearest rows by a column": "SELECT w.name FROM trips t JOIN towns w EXACT NEAREST BY SIMILARITY w.name",
    "a date and an interval": "SELECT id FROM trips WHERE day < DATE'1993-07-01' + INTERVAL '3' MONTH",
    "a column and an interval": "SELECT id FROM trips WHERE day + INTERVAL 1 YEAR < DATE'2020-01-01'",
    "a frame of days": "SELECT sum(price) OVER (PARTITION BY line ORDER BY day RANGE BETWEEN INTERVAL 7 DAYS PRECEDING "
    "AND CURRENT ROW) FROM trips",
    "a zone that is not printed": "SELECT extract(minute FROM left) AS m, count(*) FROM trips GROUP BY m",
    "an empty argument": "SELECT regexp_replace(line, '[0-9]+', ''), concat_ws(', ', line, code) FROM trips",
    "padding of CHAR": "SELECT line, code FROM trips WHERE code = 'ab'",
    "methods of Java": "SELECT base64(cast(line AS BINARY)), encode(line, 'UTF-8'), to_json(struct(id, line)) "
    "FROM trips",
    "a schema": "SELECT from_json(line, 'a INT, b ARRAY<STRUCT<c: STRING>>').b AS b, "
    "from_json(line, 'map<string, decimal(3,1)>') AS m FROM trips",
    "several patterns": "SELECT line LIKE ANY ('a%', '%b'), line NOT LIKE ALL ('c_d', 'e%f') FROM trips",
    "functions over arrays": "SELECT transform(seats, (x, i) -> x + i), filter(stops, s -> s.fare > 1), "
    "aggregate(seats, 0D, (a, x) -> a + x, a -> a / 2), array_sort(seats), zip_with(seats, seats, (a, b) -> a * b), "
    "aggregate(stops, CAST(0 AS DECIMAL(20,2)), (a, s) -> CAST(a + s.fare AS DECIMAL(20,2))), "
    "map_filter(notes, (k, v) -> k > v), transform_values(notes, (k, v) -> upper(v)) FROM trips",
    "an empty text to start with": "SELECT aggregate(stops, '', (a, s) -> concat(a, s.town), a -> upper(a)) FROM trips",
    "rows as often as they are": "SELECT boss FROM trips EXCEPT ALL SELECT id FROM towns",
    "a pivot": "SELECT * FROM (SELECT line, day, price FROM trips) PIVOT (sum(price) AS total, count(*) AS n FOR line "
    "IN ('a', 'b'))",
    "a pipe": "FROM trips |> WHERE price > 5 |> SELECT id",
    "a recursion": "WITH RECURSIVE up AS (SELECT id, boss, 0 AS depth FROM trips WHERE boss IS NULL UNION ALL "
    "SELECT t.id, t.boss, u.depth + 1 FROM trips t JOIN up u ON t.boss = u.id) SELECT depth, count(*) FROM up "
    "GROUP BY depth",
    "a sample": "SELECT id FROM trips TABLESAMPLE (10 PERCENT) WHERE line = 'x'",
    "a definition that counts, read twice": "WITH c AS (SELECT line, boss, count(*) AS n FROM trips GROUP BY line, "
    "boss) SELECT a.line, a.n, b.n FROM c a JOIN c b ON a.line = b.line WHERE a.boss = 1 AND b.boss = 2",
    "a number turned over": "SELECT ~5, -line FROM trips",
    "an expression used twice": "SELECT count_if(line = 'a'), count(*) FROM trips",
    "a subquery of no table": "SELECT CASE WHEN EXISTS (SELECT 1 FROM towns WHERE id > 5) THEN 'y' ELSE 'n' END",
    "a sorted union of limits": "(SELECT id FROM trips ORDER BY price LIMIT 2) UNION ALL (SELECT id FROM towns "
    "ORDER BY id LIMIT 2) ORDER BY 1",
}


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("name", QUERIES)
def test_a_query_of_each_kind_is_read_and_planned_again(name: str, adaptive: bool) -> None:
    made = replayed(explained(QUERIES[name], spark_sql_adaptive_enabled=adaptive))
    assert opaque(made) == []
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}, made.differences
    assert made.failures == []


@pytest.mark.parametrize("profile", ["spark-3.1", "spark-3.3", "spark-3.5"])
@pytest.mark.parametrize("name", ["a date and an interval", "padding of CHAR", "methods of Java", "a schema"])
def test_older_versions_are_read_as_well(name: str, profile: str) -> None:
    made = replayed(explained(QUERIES[name], profile=profile, spark_sql_adaptive_enabled=False))
    assert opaque(made) == []
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}, made.differences


@pytest.mark.parametrize("now", ["2021-03-04T05:06:07.890123Z", "2024-02-29T23:59:59Z"])
@pytest.mark.parametrize(
    "condition",
    [
        "left >= current_timestamp() - INTERVAL 7 DAYS AND to_date(left) = current_date()",
        "day > current_date() - 30",
        "left < now() + INTERVAL '1 02' DAY TO HOUR",
    ],
)
def test_the_instant_that_a_text_calls_now_is_found(condition: str, now: str) -> None:
    text = explained(f"SELECT id FROM trips WHERE {condition}", planviz_now=now)
    made = replayed(text)
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}, made.differences
    found = next(s.value for s in made.settings if s.key == "planviz.now")
    assert str(found)[:10] == now[:10]
    assert all(s.evidence for s in made.settings)


def test_a_text_that_calls_nothing_now_has_no_instant() -> None:
    made = replayed(explained("SELECT id FROM trips WHERE day > DATE'2021-03-04'"))
    assert not any(s.key == "planviz.now" for s in made.settings)


@pytest.mark.parametrize(("written", "found"), [("range(10)", True), ("range(0, 10, 1, 3)", False)])
def test_the_partitions_of_a_range_that_names_none_are_a_setting(written: str, found: bool) -> None:
    key = "spark.sql.leafNodeDefaultParallelism"
    made = replayed(explained(f"SELECT id * 2 FROM {written}", spark_sql_leafNodeDefaultParallelism=7))
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}, made.differences
    assert [s.value for s in made.settings if s.key == key] == ([7] if found else [])


def test_the_type_of_a_partition_is_told_by_the_broadcast_of_its_key() -> None:
    tables = (
        "CREATE TABLE facts (id BIGINT, yr INT) USING parquet PARTITIONED BY (yr);"
        "CREATE TABLE others (id BIGINT, yr INT) USING parquet PARTITIONED BY (yr);"
    )
    sql = "SELECT /*+ BROADCAST(o) */ f.id FROM facts f JOIN others o ON f.yr = o.yr"
    text = QueryExecution(sql, read_catalog(tables), OptimizerConfig(), ids=Ids(100)).explain_string("extended")
    assert "(List(cast(input[0, int, true] as bigint))" in text
    made = replayed(text)
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}, made.differences


def test_a_runtime_filter_above_a_union_is_found_above_its_inputs() -> None:
    tables = (
        "CREATE TABLE calls (id BIGINT, shop BIGINT, price DOUBLE) USING parquet;"
        "CREATE TABLE refunds (id BIGINT, store INT, price DOUBLE) USING parquet;"
        "CREATE TABLE orders (id BIGINT, call BIGINT) USING parquet;"
        "CREATE TABLE shops (id BIGINT, town STRING) USING parquet;"
    )
    sql = (
        "SELECT u.shop, sum(u.price) FROM (SELECT c.shop, c.price FROM calls c JOIN orders o ON c.id = o.call UNION "
        "ALL SELECT store, price FROM refunds) u JOIN shops s ON u.shop = s.id WHERE s.town = 'x' GROUP BY u.shop"
    )
    catalog = read_catalog(tables)
    sized = {n: replace(t, size_in_bytes=4000 if t.name == "shops" else 40 << 30) for n, t in catalog.tables.items()}
    execution = QueryExecution(sql, replace(catalog, tables=sized), OptimizerConfig(), ids=Ids(100))
    text = execution.explain_string("extended")
    assert "xxhash64(cast(store#106 as bigint), 42)" in text
    made = replayed(text)
    assert made.verdicts == {"optimized": "equal", "physical": "equal"}
    assert made.fitted is not None
    assert made.fitted.open == []
