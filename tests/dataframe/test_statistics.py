"""Missing values, frequent items and keys, as Spark 4.3 plans or refuses them."""

from __future__ import annotations

import re

import pytest

from planviz.dataframe import functions, session
from planviz.errors import AnalysisError
from tests.plans import canonical, small_catalog

F = functions


def first_line(frame) -> str:
    return canonical(frame.execution.text("analyzed")).splitlines()[0]


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t.dropna(subset=["a", "zz"]),
        lambda t: t.na.fill(0, ["zz"]),
        lambda t: t.fillna({"zz": 1}),
        lambda t: t.replace(1, 2, subset=["zz"]),
    ],
)
def test_missing_values_of_a_column_that_is_not_there_are_refused(use):
    with pytest.raises(AnalysisError, match=r"UNRESOLVED_COLUMN.WITH_SUGGESTION.*`zz`"):
        use(session(small_catalog()).table("t1"))


def test_columns_that_must_be_there_come_in_the_order_that_was_given():
    assert first_line(session(small_catalog()).table("t1").dropna(subset=["b", "a"])) == (
        "Filter atleastnnonnulls(2, b#1, a#2)"
    )


def test_frequent_items_are_an_aggregate_that_keeps_as_many_as_the_share_allows():
    frame = session(small_catalog()).table("t1")

    assert first_line(frame.freqItems(["c"], 0.4)) == (
        "Aggregate [collect_frequent_items(c#1, 2, 0, 0) AS c_freqItems#2]"
    )
    assert "collect_frequent_items(a#1, 100, 0, 0)" in first_line(frame.stat.freqItems(["a"]))


def test_duplicates_of_maps_are_refused():
    frame = session(small_catalog()).table("arr")

    assert "Deduplicate [id#1]" in first_line(frame.dropDuplicates(["id"]))
    with pytest.raises(AnalysisError, match=r"SET_OPERATION_ON_MAP_TYPE.*the type of column `m` is"):
        frame.dropDuplicates()


def test_a_key_of_rollup_names_its_column_in_the_result_alone():
    frame = session(small_catalog()).table("t1").rollup((F.col("a") + 1).alias("n"), "c").count()

    assert re.match(
        r"Aggregate \[\(a \+ 1\)#1, c#2, spark_grouping_id#3L\], \[\(a \+ 1\)#1 AS n#4, ", first_line(frame)
    )


def test_fields_of_structs_are_changed_and_dropped():
    frame = session(small_catalog()).table("arr")
    both = frame.select(F.col("st").dropFields("x", "none").withField("z", F.lit(1)).alias("s"))
    inner = frame.select(F.struct("st").alias("s")).select(F.col("s").withField("st.x", F.lit("u")).alias("s"))

    assert first_line(both) == "Project [update_fields(st#1, dropfield(x), dropfield(none), WithField(z, 1)) AS s#2]"
    assert both.schema.simple_string == "struct<s:struct<y:string,z:int>>"
    assert (
        first_line(inner)
        == "Project [update_fields(s#1, WithField(st, update_fields(s#1.st, WithField(x, u)))) AS s#2]"
    )
    with pytest.raises(AnalysisError, match="CANNOT_DROP_ALL_FIELDS"):
        frame.select(F.col("st").dropFields("x", "y"))
