"""The sample shop: its rows at a scale, its files, its catalogue."""

from __future__ import annotations

import json

import pytest

from planviz.catalog.bundled import read_bundled
from planviz.catalog.files import read_catalog
from planviz.errors import InputError
from planviz.execution import explain
from planviz.spark import tasks
from planviz.spark.sample_data import TABLES, check_scale, query, rows_of
from planviz.spark.session import Spark
from tests.acceptance.engines import real_spark, skip_without_java


def test_what_users_do_grows_with_the_scale_and_what_the_shop_has_does_not():
    assert [rows_of(t, 1) for t in TABLES] == [read_bundled("shop").table((t,)).row_count for t in TABLES]
    assert [rows_of(t, 0.01) for t in TABLES] == [200, 5_000, 3_000, 10_000, 20_000]


def test_a_query_of_a_table_has_its_numbers_and_tasks():
    assert query("users", 2, 3).endswith("FROM range(1, 600001, 1, 3)")
    assert "pmod(xxhash64(id, 6), 3000) + 1 AS user_id" in query("orders", 0.01)


@pytest.mark.parametrize("scale", ["0", "-1", "big", "1e9", "nan"])
def test_a_scale_that_is_none_is_refused(scale):
    with pytest.raises(InputError, match=r"from 0\.0001 to 100000"):
        check_scale(scale)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    skip_without_java()
    folder = tmp_path_factory.mktemp("sample") / "shop"
    spark = Spark(real_spark().spark, "local[1]", None, tmp_path_factory.mktemp("spark"))
    told = []
    answer = tasks.sample_data(spark, {"folder": str(folder), "scale": 0.01}, told.append)
    return spark, folder, answer, told


@pytest.mark.spark
def test_the_files_have_the_rows_and_the_catalogue_tells_so(made):
    spark, folder, answer, told = made
    counted = {t: spark.session.read.parquet(str(folder / t)).count() for t in answer["tables"]}
    assert counted == answer["rows"] == {t: rows_of(t, 0.01) for t in TABLES}
    catalog = read_catalog(folder / "catalog.json")
    assert {t: catalog.table((t,)).row_count for t in TABLES} == counted
    assert {"writing orders", "counting orders"} <= set(told)


@pytest.mark.spark
def test_it_is_the_shop_that_the_sample_queries_know(made):
    _, folder, _, _ = made
    catalog, known = read_catalog(folder / "catalog.json"), read_bundled("shop")
    for table in TABLES:
        ours, theirs = catalog.table((table,)), known.table((table,))
        assert [(c.name, c.data_type) for c in ours.columns] == [(c.name, c.data_type) for c in theirs.columns]
        assert ours.partition_columns == theirs.partition_columns
    months = [c.table(("orders",)).statistics_of("order_month") for c in (catalog, known)]
    assert months[0] == months[1]
    sql = "SELECT city, sum(amount) FROM orders o JOIN stores s ON o.store_id = s.store_id GROUP BY city"
    assert "Relation spark_catalog.default.orders" in explain(sql, catalog).optimized.tree_string


@pytest.mark.spark
def test_events_are_skewed_and_some_have_no_user(made):
    _, _, answer, _ = made
    user = answer["catalogue"]["tables"]["events"]["stats"]["columns"]["user_id"]
    assert user["nullCount"] == 2_000
    spark = made[0].session
    (often,) = spark.read.parquet(str(made[1] / "events")).groupBy("user_id").count().where("user_id = 7").collect()
    assert often["count"] >= 2_000


@pytest.mark.spark
def test_tables_that_are_there_are_never_replaced(made):
    spark, folder, _, _ = made
    for asked, told in (({"tables": ["events"]}, "holds events already"), ({"tables": ["sales"]}, "no sample table")):
        with pytest.raises(InputError, match=told):
            tasks.sample_data(spark, {"folder": str(folder), "scale": 1, **asked}, print)
    assert json.loads((folder / "catalog.json").read_text())["tables"].keys() == set(TABLES)
