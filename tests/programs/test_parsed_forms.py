"""Parsed and analyzed plans of programs, as Spark 4.3 prints them."""

from __future__ import annotations

import pytest

from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.programs import read_program

_HEAD = """from pyspark.sql import functions as F
from pyspark.sql.functions import pandas_udf
@pandas_udf("long")
def plus(v): return v + 1
t = spark.createDataFrame([(1, 'a', [1])], 'id bigint, name string, xs array<int>')
"""


def _stage(call: str, stage: str) -> str:
    program = read_program(f"{_HEAD}{call}\n", find("tpch"))
    assert program.error is None, program.error
    return program.actions[-1].execution.text(stage)


@pytest.mark.parametrize(
    ("call", "stage", "shown"),
    [
        (
            "t.select(F.transform('xs', lambda x, i: x + i), F.exists('xs', lambda x: x > 1)).show()",
            "parsed",
            "lambda 'x_1, lambda 'y_2, false))), unresolvedalias('exists('xs, lambdafunction('`>`(lambda 'x_3, 1)",
        ),
        ("t.select(plus('id')).show()", "parsed", "unresolvedalias(plus('id)#"),
        ("t.freqItems(['name'], 0.3).show()", "parsed", "'Project [collect_frequent_items('name, 3, 0, 0) AS name"),
        ("t.freqItems(['name'], 0.3).show()", "analyzed", "Aggregate [collect_frequent_items(name#"),
        ("t.select(F.col('id').cast('string').cast('int')).show()", "parsed", "(cast(unresolvedalias(cast('id as s"),
        ("t.select(F.col('id').cast('string').cast('int')).show()", "analyzed", "as string) as int) AS id#"),
        ("t.observe('m', F.count('*').alias('n')).show()", "analyzed", "CollectMetrics m, [count(1) AS n#"),
    ],
)
def test_a_stage_is_as_spark_prints_it(call: str, stage: str, shown: str) -> None:
    assert shown in _stage(call, stage)


def test_the_type_of_an_unresolved_call_is_not_told() -> None:
    assert "plus('id)#" in _stage("t.select(plus('id')).show()", "parsed")
    assert "L)]" not in _stage("t.select(plus('id')).show()", "parsed").split("\n")[0]


def test_a_column_added_from_the_hidden_one_leaves_it_hidden() -> None:
    text = "d = spark.read.schema('k string').parquet('/in')\nd.withColumn('f', F.col('_metadata.file_name')).show()"
    action = next(a for a in read_program(_HEAD + text).actions if a.name == "show")
    assert [a.name for a in action.execution.analyzed.output] == ["k", "f"]


def test_options_of_csv_stand_in_the_order_of_the_writer_s_arguments() -> None:
    action = read_program(_HEAD + "t.write.csv('/out', header=True, sep='|')").actions[-1]
    assert action.command is not None
    assert "[sep=|, header=true, path=/out]" in action.command.text("parsed")


def test_what_insert_into_runs_is_the_command_from_the_start() -> None:
    text = "t.write.saveAsTable('u')\nt.write.insertInto('u')\n"
    ran = read_program(_HEAD + text, find("tpch")).actions[-1].runs
    assert ran is not None
    assert ran.text("parsed") == ran.text("analyzed")
    assert ran.text("parsed").startswith("InsertIntoHadoopFsRelationCommand")


@pytest.mark.parametrize(
    ("call", "condition"),
    [
        ("t.select(F.sum('id').over(F.col('id'))).show()", "NOT_EXPECTED_TYPE"),
        ("spark.sql('SELECT * FROM {u}', v=t).show()", "KeyError"),
    ],
)
def test_a_mistake_has_the_class_that_python_gives_it(call: str, condition: str) -> None:
    error = read_program(_HEAD + call).error
    assert error is not None
    assert (error.condition, error.place.line) == (condition, 6)


def test_both_inputs_of_cogrouped_rows_are_told() -> None:
    text = "t.groupBy('id').cogroup(t.groupBy('id')).applyInPandas(lambda a, b: a, 'id long').show()"
    shown = read_program(_HEAD + text).actions[-1].execution.explain_string("formatted")
    assert "Left output [4]" in shown
    assert "Right output [4]" in shown


def test_a_column_added_to_a_table_is_there() -> None:
    text = "spark.sql('CREATE TABLE a (x INT) USING parquet')\nspark.table('a').show()\n"
    text += "spark.sql('ALTER TABLE a ADD COLUMNS (y INT)')\nspark.table('a').select('y').show()\n"
    program = read_program(text, find("tpch"))
    assert program.error is None
    assert [a.name for a in program.actions[-1].execution.analyzed.output] == ["y"]


def test_rows_in_the_order_of_their_folders_are_not_sorted_for_the_write() -> None:
    action = next(
        a for a in read_program(_HEAD + "t.sortWithinPartitions('name').write.partitionBy('name').csv('/o')").actions
    )
    assert action.command is not None
    assert action.command.text("optimized").count("Sort ") == 1


@pytest.mark.parametrize(
    ("profile", "keys"),
    [
        ("spark-4.3", "txn_id account_id txn_date txn_type amount"),
        ("3.5", "amount account_id txn_type txn_date txn_id"),
    ],
)
def test_columns_of_duplicates_stand_as_the_version_has_them(profile: str, keys: str) -> None:
    names = ["txn_id", "account_id", "txn_date", "txn_type", "amount"]
    text = f"d = spark.createDataFrame([(1, 1, 1, 1, 1)], {names})\nd.dropDuplicates({names}).show()\n"
    shown = read_program(text, None, OptimizerConfig.of(profile)).actions[-1].execution.text("analyzed").split("\n")[0]
    assert [part.split("#")[0] for part in shown.removeprefix("Deduplicate [").split(", ")] == keys.split()


def test_the_mode_of_a_column_takes_one_argument_before_4_0() -> None:
    program = read_program(_HEAD + "t.agg(F.mode('name')).show()", None, OptimizerConfig.of("3.5"))
    assert program.error is None
    assert "mode(name#" in program.actions[-1].execution.text("analyzed")
