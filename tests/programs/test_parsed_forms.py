"""Parsed and analyzed plans of programs, as Spark 4.3 prints them."""

from __future__ import annotations

import pytest

from planviz.catalogs import find
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
