"""Whether a function of columns that are never null may be null, as Spark 4.3 says it: inferred filters ask for it."""

from __future__ import annotations

import pytest

from planviz.dataframe import SparkSession, functions

ROWS = """SELECT id AS i, cast(id AS string) AS s, cast(id AS double) AS x, array(id) AS a, map('k', id) AS m,
    current_date() AS d, current_timestamp() AS t, named_struct('f', id) AS st FROM range(5)"""
MAY_BE_NULL = """i % 3, i / 3, i div 3, mod(x, x), sqrt(x), exp(x), round(x), ceil(x), floor(i), sign(x), acos(x),
    degrees(x), sha2(s, 256), right(s, 2), split_part(s, 'a', 1), map_contains_key(m, 'k'), max_by(i, x),
    next_day(d, s),
    to_date(s), to_timestamp(s), to_json(st), to_csv(st), url_encode(s), decode(s, 'utf-8')"""
NEVER_NULL = """i + 1, i * 2, s || s, abs(i), upper(s), to_date(d), to_date(t), to_timestamp(d), unix_timestamp(s),
    to_unix_timestamp(t), format_string(s), year(d), power(x, 2), concat(s, s), coalesce(i % 3, 0)"""


def _calls(text):
    depth, found = 0, [""]
    for c in text.replace("\n", " "):
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            found.append("")
        else:
            found[-1] += c
    return [f.strip() for f in found]


@pytest.mark.parametrize(
    ("call", "nullable"), [(c, True) for c in _calls(MAY_BE_NULL)] + [(c, False) for c in _calls(NEVER_NULL)]
)
def test_a_function_of_values_that_are_there(call, nullable):
    spark = SparkSession()
    spark.sql(ROWS).createOrReplaceTempView("b")
    assert spark.sql(f"SELECT {call} AS v FROM b").output[0].is_nullable is nullable


def test_a_remainder_that_is_joined_by_is_asked_not_to_be_null():
    spark = SparkSession()
    left = spark.range(100).withColumn("k", functions.col("id") % 5)
    joined = left.join(spark.range(20).withColumnRenamed("id", "k"), "k")
    assert "Filter isnotnull((id#" in joined.execution.text("optimized")
