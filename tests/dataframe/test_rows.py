"""Rows that a program writes down: which are the same, which columns they have."""

from __future__ import annotations

import pytest

from planviz.dataframe import SparkSession, functions
from planviz.dataframe.refusals import BadIndex
from planviz.programs import read_program


def test_rows_that_were_handed_over_twice_are_not_the_same_rows():
    spark = SparkSession()
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    one = spark.createDataFrame([("a", 1)], ["k", "v"])
    other = spark.createDataFrame([("b", 2)], ["k", "v"])
    assert "ReusedExchange" not in one.join(other, "k").execution.text("physical")
    assert "Union" in one.union(other).distinct().execution.text("optimized")
    counted = one.groupBy("k").count()
    assert "ReusedExchange" in counted.union(counted).execution.text("physical")


def test_keys_of_dicts_are_columns_in_order_of_their_names():
    spark = SparkSession()
    made = spark.createDataFrame([{"b": 1, "a": "x"}, {"c": 2.5, "a": "y"}])
    assert made.dtypes == [("a", "string"), ("b", "bigint"), ("c", "double")]


def test_a_place_as_a_key_to_sort_by():
    frame = SparkSession().createDataFrame([(1, "x")], ["a", "b"])
    assert "Sort [b#" in frame.sort(-2, 1).execution.text("analyzed")
    assert "DESC NULLS LAST, a#" in frame.sort(-2, 1).execution.text("analyzed")
    with pytest.raises(BadIndex):
        frame.sort(0)
    with pytest.raises(IndexError):
        frame.sort(3)


def test_rows_without_names_and_bytes_that_change_are_rows():
    text = "from pyspark.sql import Row\nspark.createDataFrame([([Row(1, 'a')], bytearray(b'x'))], ['r', 'b']).show()\n"
    program = read_program(text)

    assert program.error is None
    assert [a.type.simple_string for a in program.actions[0].execution.analyzed.output] == [
        "array<struct<_1:bigint,_2:string>>",
        "binary",
    ]


def test_different_values_are_put_together_under_both_names():
    frame = SparkSession().createDataFrame([("x",)], ["s"])
    plan = frame.agg(functions.listagg_distinct("s", ","), functions.string_agg_distinct("s")).execution.text(
        "analyzed"
    )

    assert "listagg(distinct s#1, ,, 0, 0)" in plan
    assert "string_agg(distinct s#1, null, 0, 0)" in plan
