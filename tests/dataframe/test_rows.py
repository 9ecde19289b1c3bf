"""Rows that a program writes down: which are the same, which columns they have."""

from __future__ import annotations

import pytest

from planviz.dataframe import SparkSession
from planviz.dataframe.refusals import BadIndex


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
