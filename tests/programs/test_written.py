"""What writes run: the command's plan, with the order that its folders and buckets need, as Spark prints it."""

from __future__ import annotations

import pytest

from planviz.catalogs import read
from planviz.config import OptimizerConfig
from planviz.programs import read_program

DDL = (
    "CREATE TABLE orders (id BIGINT, status STRING, day DATE, amount DOUBLE) USING parquet;"
    "CREATE TABLE kept (a BIGINT, c DECIMAL(10,2), b STRING) USING parquet PARTITIONED BY (b);"
)


def run(write: str, profile: str = "spark-4.3", **settings: object) -> str:
    """The physical plan of what the last action of a program runs; empty where it is not known."""
    config = OptimizerConfig(profile=profile).with_settings({"spark.sql.adaptive.enabled": False} | settings)
    program = read_program(f'd = spark.table("orders")\n{write}\n', read(DDL), config)
    assert program.error is None
    ran = program.actions[-1].runs
    return "" if ran is None else ran.text("physical")


def test_text_folders_are_sorted_without_empty_names():
    plan = run('d.write.mode("overwrite").option("header", True).partitionBy("status", "day").csv("/out/x")')
    lines = plan.split("\n")
    assert lines[0].startswith("Execute InsertIntoHadoopFsRelationCommand file:/out/x, false, [status#")
    assert lines[0].endswith(
        ', CSV, [header=true, __partition_columns=["status","day"], path=/out/x], Overwrite, [id, status, day, amount]'
    )
    assert lines[1] == "+- WriteFiles"
    assert "Sort [status#" in lines[2]
    assert "day#" in lines[2]
    assert lines[2].endswith("false, 0")
    assert "empty2null(status#" in lines[3]


@pytest.mark.parametrize("before", ['orderBy("day")', 'sortWithinPartitions("day", "id")'])
def test_rows_that_come_in_order_are_not_sorted_again(before: str):
    assert run(f'd.{before}.write.partitionBy("day").parquet("/o")').count("Sort [") == 1


def test_a_constant_folder_needs_no_order():
    assert "Sort" not in run(
        'from pyspark.sql.functions import lit\nd.withColumn("k", lit(1)).write.partitionBy("k").json("/o")'
    )


def test_an_insert_casts_to_the_columns_of_the_table():
    plan = run('d.select("id", "amount", "status").write.insertInto("kept", overwrite=True)')
    assert "Overwrite, `spark_catalog`.`default`.`kept`, " in plan
    assert "CatalogFileIndex(" in plan
    assert "cast(amount#" in plan
    assert "Sort [b#" in plan


def test_a_table_is_saved_by_a_command_of_its_own():
    write = 'd.groupBy("status").count().write.mode("append").saveAsTable("s.t")'
    assert "\n   +- SaveAsV1TableCommand `s`.`t`, Append, Aggregate [status#" in run(write)
    earlier = run(write, "spark-3.5")
    assert "\n   +- CreateDataSourceTableAsSelectCommand `spark_catalog`.`s`.`t`, Append, [status, count]" in earlier


def test_before_34_rows_are_sorted_while_they_are_written():
    plan = run('d.write.partitionBy("day").parquet("/o")', "spark-3.3")
    assert plan.startswith("Execute InsertIntoHadoopFsRelationCommand file:/o, false, [day#")
    assert "WriteFiles" not in plan
    assert "Sort" not in plan


def test_the_adaptive_plan_stands_around_the_command():
    plan = run('d.repartition(3).write.parquet("/o")', **{"spark.sql.adaptive.enabled": True})
    assert plan.startswith("AdaptiveSparkPlan isFinalPlan=false\n+- Execute InsertInto")


def test_a_write_into_nothing_shows_so():
    assert run('d.write.format("noop").mode("overwrite").save()').startswith(
        "OverwriteByExpression noop-table NoopWrite"
    )


@pytest.mark.parametrize("write", ['d.write.format("delta").save("/o")', 'd.write.jdbc("jdbc:x", "t")'])
def test_what_other_sources_do_is_not_told(write: str):
    assert run(write) == ""


def test_secrets_are_not_shown():
    assert "hunter2" not in run('d.write.option("password", "hunter2").json("/o")')


def test_a_write_changes_no_number_of_what_follows():
    plain = read_program('d = spark.range(3)\nd.show()\nd.selectExpr("id + 1").show()')
    written = read_program('d = spark.range(3)\nd.write.parquet("/o")\nd.selectExpr("id + 1").show()')
    assert plain.actions[1].query.text("physical") == written.actions[1].query.text("physical")


def test_sql_in_a_program_writes_too():
    program = read_program(
        'd = spark.table("orders").groupBy("status").count()\nd.createOrReplaceTempView("agg")\n'
        "spark.sql(\"INSERT OVERWRITE TABLE mart.daily PARTITION (dt = '2026-11-01') SELECT status, count FROM agg\")\n"
    )
    (action,) = program.actions
    assert action.query.text("optimized").startswith(
        "InsertIntoHadoopFsRelationCommand file:/spark-warehouse/mart.db/daily"
    )
    assert action.execution.text("optimized").startswith("Aggregate")
    assert any("mart.daily is not described" in note for note in program.notes)


def test_an_action_shows_the_write_that_it_is():
    program = read_program('spark.table("orders").write.partitionBy("day").parquet("/out")\n', read(DDL))
    (action,) = program.actions
    assert action.query.text("optimized").startswith("InsertIntoHadoopFsRelationCommand file:/out")
    saved = read_program('spark.table("orders").write.saveAsTable("kept2")\n', read(DDL)).actions[-1]
    assert saved.query is saved.execution
