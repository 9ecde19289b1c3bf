"""Joins of a DataFrame with itself: which columns Spark 4.3 refuses as ambiguous (DetectAmbiguousSelfJoin)."""

from __future__ import annotations

import pytest

from planviz.catalog.tables import Catalog, Table
from planviz.dataframe import functions as F  # noqa: N812
from planviz.dataframe import session
from planviz.errors import AnalysisError
from planviz.types import parse_fields

T = Table("t", tuple(parse_fields("id bigint, x int, y string")))
U = Table("u", tuple(parse_fields("id bigint, z int")))


def frames():
    spark = session(Catalog().with_table(T).with_table(U))
    df = spark.table("t")
    largest = df.groupBy("id").agg(F.max("x").alias("m"))
    return spark, df, df.filter("x > 1"), df.groupBy("x").agg(F.count("id").alias("n")), largest


AMBIGUOUS = {
    "greater": lambda s, df, f, g, m: df.join(df, df.id > df.x),
    "two columns": lambda s, df, f, g, m: df.join(df, df.id == df.x),
    "filtered": lambda s, df, f, g, m: df.join(f, df.id > 1),
    "filtered constant": lambda s, df, f, g, m: df.join(f, df.id == 1),
    "aggregated": lambda s, df, f, g, m: df.join(g, df.id == g.x),
    "same sum": lambda s, df, f, g, m: df.join(f, df.x + 1 == f.x + 1),
    "select left": lambda s, df, f, g, m: df.join(f, "id").select(df.x),
    "select right": lambda s, df, f, g, m: df.join(m, df.id == m.id).select(m.id),
    "read again": lambda s, df, f, g, m: df.join(again := s.table("t"), "id").select(again.x),
    "aliased": lambda s, df, f, g, m: df.alias("a").join(df.alias("b"), F.col("a.id") == F.col("b.id")).select(df.x),
    "later": lambda s, df, f, g, m: df.join(f, df.id == f.id, "left").where(f.x.isNull()),
}
CLEAR = {
    "same column": lambda s, df, f, g, m: df.join(f, df.id == f.id),
    "null safe": lambda s, df, f, g, m: df.join(df, df.id.eqNullSafe(df.id)),
    "itself constant": lambda s, df, f, g, m: df.join(df, df.id == 1),
    "cast": lambda s, df, f, g, m: df.join(f, df.id.cast("int") == f.id.cast("int")),
    "not handed on": lambda s, df, f, g, m: df.join(m, df.id == m.id).select(df.x),
    "dropped": lambda s, df, f, g, m: df.join(m, df.id == m.id).drop(df.id),
    "semi": lambda s, df, f, g, m: df.join(f, df.id == f.id, "left_semi").select(df.x),
    "star": lambda s, df, f, g, m: df.join(m, df.id == m.id).select(df["*"], m.m),
    "only right": lambda s, df, f, g, m: g.join(df, df.id == g.n),
    "by name": lambda s, df, f, g, m: df.select("id").filter(df.x > 1),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_columns_that_may_be_of_either_side_are_refused(name):
    with pytest.raises(AnalysisError) as told:
        AMBIGUOUS[name](*frames())
    assert told.value.error_class == "_LEGACY_ERROR_TEMP_1182"


@pytest.mark.parametrize("name", CLEAR)
def test_columns_whose_side_is_clear_are_taken(name):
    made = CLEAR[name](*frames())
    assert made.execution.physical is not None


def test_the_setting_switches_the_check_off():
    spark, df, filtered, *_ = frames()
    spark.conf.set("spark.sql.analyzer.failAmbiguousSelfJoin", "false")
    assert df.join(filtered, "id").select(df.x).columns == ["x"]


def test_a_column_that_only_the_right_side_has_takes_its_new_id():
    _, df, _, grouped, _ = frames()
    joined = grouped.join(df, df.id == grouped.n)
    assert not joined.plan.missing_input


def test_a_column_of_another_table_is_missing():
    spark, df, *_ = frames()
    with pytest.raises(AnalysisError) as told:
        df.select(spark.table("u").z)
    assert told.value.error_class == "MISSING_ATTRIBUTES.RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT"
