"""Sessions, columns and what Python programmers get wrong."""

from __future__ import annotations

import pytest

from planviz.dataframe import Encoders, StorageLevel, col, functions, session
from planviz.errors import AnalysisError, InputError, PlanvizError
from tests.plans import small_catalog


@pytest.fixture
def spark():
    return session(small_catalog())


def optimized(df):
    return df.execution.optimized


def test_the_same_program_gives_the_same_ids():
    def text():
        t = session(small_catalog()).table("t1")
        return t.join(t.withColumn("x", col("a") + 1), "a").groupBy("x").count().explained()

    assert text() == text()


def test_definitions_in_sql_are_seen_later(spark):
    spark.sql("CREATE TABLE made (k int, v string)")
    spark.sql("CREATE TEMPORARY VIEW seen AS SELECT k AS key FROM made WHERE v = 'x'")

    assert spark.table("made").columns == ["k", "v"]
    assert spark.table("seen").columns == ["key"]


def test_a_dataframe_is_known_by_its_view(spark):
    spark.table("t1").where("a > 1").createOrReplaceTempView("some")

    found = spark.sql("SELECT b FROM some JOIN t1 USING (b)")

    assert found.columns == ["b"]
    assert "(a" in optimized(found).tree_string


def test_a_column_of_a_join_with_itself_means_both_sides(spark):
    t = spark.table("t1")
    joined = t.join(t.where("b > 1"), t.a == t.a).plan

    assert joined.condition.left.expr_id != joined.condition.right.expr_id


def test_a_column_used_twice_gets_an_id_for_each_use(spark):
    x = (col("a") + 1).alias("x")
    t = spark.table("t1")
    both = t.select(x).union(t.select(x))

    first, second = both.plan.inputs
    assert not first.output_set & second.output_set


def test_nested_lambdas_keep_their_variables_apart(spark):
    spark.sql("CREATE TABLE nested (m array<array<int>>, n int)")
    f = functions
    made = spark.table("nested").select(f.transform("m", lambda xs: f.transform(xs, lambda y: y + f.size(xs))))

    assert made.dtypes[0][1] == "array<array<int>>"


def test_rows_give_their_types(spark):
    df = spark.createDataFrame([{"a": 1, "b": [1.5]}, {"a": None, "b": None}])

    assert df.dtypes == [("a", "bigint"), ("b", "array<double>")]
    assert spark.createDataFrame([(1, "x")]).columns == ["_1", "_2"]
    assert spark.createDataFrame([(1, "x")], "n int, s string").dtypes == [("n", "int"), ("s", "string")]


def test_extended_explain_has_a_stage_that_changes_nothing(spark):
    text = spark.range(3).execution.explain_string("extended")

    headings = [line for line in text.split("\n") if line.startswith("==")]
    assert headings == [f"== {stage} ==" for stage in (
        "Parsed Logical Plan", "Analyzed Logical Plan", "Optimized Logical Plan", "Physical Plan"
    )]  # fmt: skip


def test_explain_prints_the_stages(spark, capsys):
    spark.table("t1").select("a").explain(True)

    text = capsys.readouterr().out
    assert text.index("== Parsed") < text.index("== Analyzed") < text.index("\na: int\n") < text.index("== Optimized")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda s: s.table("t1").nosuch, "no column or method 'nosuch'"),
        (lambda s: s.table("t1").collect(), "executes none"),
        (lambda s: s.table("t1").where(col("a") > 1 and col("b") > 1), "write & for and"),
        (lambda s: s.table("t1").join(s.table("t2"), "a", "sideways"), "UNSUPPORTED_JOIN_TYPE"),
        (lambda s: s.table("t1").repartition(0), "must be positive"),
        (lambda s: s.table("t1").groupBy("a").pivot("c"), "list them"),
        (lambda s: s.table("t1").map("f", Encoders.LONG), "class of the rows"),
        (lambda s: s.table("t1").select("c").as_(Encoders.LONG), "CANNOT_UP_CAST_DATATYPE"),
        (lambda s: s.table("t1").select(functions.lit(object())), "cannot be a literal"),
        (lambda s: s.table("t1").select("a.."), "INVALID_ATTRIBUTE_NAME_SYNTAX"),
        (lambda s: s.table("t1")["q"], "UNRESOLVED_COLUMN"),
        (lambda s: s.createDataFrame([]), "give a schema"),
        (lambda s: s.createDataFrame([(1,), ([2],)]), "give a schema"),
        (lambda s: Encoders.array("text"), "no encoder"),
        (lambda s: s.table("t1").explained("physical"), "no explain mode"),
        (lambda s: s.table("t1").select(col("a").otherwise(1)), "follow functions.when"),
        (lambda s: s.table("t1").selectExpr("a +"), "PARSE_SYNTAX_ERROR"),
        (lambda s: s.table("t1").sample(), "share of rows"),
    ],
)
def test_mistakes_are_told_in_a_sentence(spark, wrong, says):
    with pytest.raises(PlanvizError, match=says):
        wrong(spark)


def test_a_missing_attribute_is_an_attribute_error_too(spark):
    assert not hasattr(spark.table("t1"), "nosuch")
    with pytest.raises(InputError):
        _ = spark.table("t1").nosuch


def test_mistakes_show_where_they_are_made(spark):
    with pytest.raises(AnalysisError, match="UNRESOLVED_COLUMN"):
        spark.table("t1").select("a").where("b > 1").where("q > 1")


def test_a_cached_frame_is_read_by_every_query_that_holds_its_plan(spark):
    counted = spark.table("t1").groupBy("a").count().cache()
    assert counted.execution.text("physical").startswith("AdaptiveSparkPlan isFinalPlan=false\n+- InMemoryTableScan [")
    few = spark.table("t1").groupBy("a").count().filter(col("count") < 3).select("a")
    assert "StorageLevel(disk, memory, deserialized, 1 replicas)" in few.execution.text("optimized")
    assert [p.node_name for p in few.execution.physical.child.walk()] == ["Project", "Filter", "InMemoryTableScan"]


def test_a_frame_planned_before_its_cache_was_dropped_keeps_reading_it(spark):
    early, late = (spark.table("t1").select("a").filter("a > 1") for _ in range(2))
    kept = spark.table("t1").persist(StorageLevel.DISK_ONLY)
    assert "InMemoryRelation" in early.execution.text("optimized")
    kept.unpersist()
    assert "InMemoryRelation" in early.execution.text("optimized")
    assert "InMemoryRelation" not in late.execution.text("optimized")


def test_a_storage_level_by_name(spark):
    spark.table("t1").persist("memory_only_2")
    text = spark.table("t1").execution.text("optimized")
    assert "StorageLevel(memory, deserialized, 2 replicas)" in text
    with pytest.raises(InputError, match="no storage level 'fast'"):
        spark.table("t1").persist("fast")


def test_cached_by_sql_and_read_by_a_frame(spark):
    spark.sql("CACHE LAZY TABLE sums AS SELECT a, sum(b) s FROM t1 GROUP BY a")
    assert "Scan In-memory table sums" in spark.table("sums").filter("s > 1").execution.text("physical")
    spark.sql("CLEAR CACHE")
    assert "In-memory" not in spark.table("sums").execution.text("physical")


def test_a_name_in_the_text_of_an_expression_has_an_id_of_the_session(spark):
    frame = spark.table("t1").select(functions.expr("a + 1 AS x"), functions.expr("b AS y"))
    table = frame.plan.child.output
    assert not {a.expr_id for a in frame.output} & {a.expr_id for a in table}
    kept = frame.filter(col("x") > 1).filter("y > 2")
    first = spark.table("t1").select(functions.expr("a + 1 AS x")).select(functions.expr("x AS z"), "x")
    assert len({a.expr_id for a in [*kept.output, *first.output]}) == 4
