"""What a program computes from rows that it says itself: values of pivots, and what collect() and count() give."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.programs import read_program

SALES = """
from pyspark.sql import functions as F
rows = [("a", 2, 1.5), ("b", 1, None), ("a", 1, 2.5), ("c", None, 0.5)]
d = spark.createDataFrame(rows, ["k", "n", "x"])
"""


def value_of(expression, before=SALES):
    """The text of a value that the program computes."""
    program = read_program(f"{before}v = {expression}\nspark.range(1).toDF(str(v)).show()\n")
    assert program.error is None, program.error
    return next(a for a in program.actions if a.name == "show").execution.analyzed.output[0].name


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("d.count()", "4"),
        ("d.filter('n > 1').count()", "1"),
        ("[r.k for r in d.select('k').distinct().collect()]", "['a', 'b', 'c']"),
        ("[r[0] for r in d.orderBy(F.desc('n'), 'x').collect()]", "['a', 'b', 'a', 'c']"),
        ("[r['n'] for r in d.sort('n').take(2)]", "[None, 1]"),
        ("d.agg({'n': 'max'}).collect()[0][0]", "2"),
        ("d.select(F.max('x') - F.min('x')).first()[0]", "2.0"),
        (
            "{r['k']: r['s'] for r in d.groupBy('k').agg(F.sum('n').alias('s')).collect()}",
            "{'a': 3, 'b': 1, 'c': None}",
        ),
        ("d.groupBy().avg('x').head()[0]", "1.5"),
        ("d.agg(F.countDistinct('k')).head(1)[0][0]", "3"),
        ("d.join(d.limit(1).select('k'), 'k').count()", "2"),
        ("d.join(d.where('n = 1'), 'k', 'left_anti').first().k", "c"),
        ("d.union(d).dropDuplicates(['k']).count()", "3"),
        ("d.groupBy('k').agg(F.collect_list('n').alias('l')).collect()[0].l", "[2, 1]"),
        ("spark.sql('SELECT 1 AS a').isEmpty()", "False"),
        ("d.withColumn('m', F.when(d.n > 1, 'big').otherwise('small')).first().m", "big"),
    ],
)
def test_rows_that_the_program_says_are_computed(expression, value):
    assert value_of(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "d.select(F.rand()).first()[0]",
        "d.select(F.udf(lambda n: n)('n')).first()[0]",
        "spark.read.parquet('/x').count()",
        "d.sample(0.5).count()",
        "spark.range(100000).count()",
        "d.select(F.expr('n / 0')).count()",
    ],
)
def test_what_only_a_run_tells_stays_unknown(expression):
    assert value_of(expression).startswith("<")


def test_a_branch_on_known_rows_is_taken():
    program = read_program(f"{SALES}if d.count() > 3:\n    d.show()\nelse:\n    d.select('k').show()\n")

    assert [(a.name, a.place.line) for a in program.actions] == [("count", 5), ("show", 6)]
    assert program.not_understood == []


def test_a_pivot_has_the_values_of_known_rows_in_order():
    program = read_program(f"{SALES}d.groupBy('k').pivot('n').sum('x').show()\n")
    plan = program.actions[0].execution.text("analyzed")

    assert "pivotfirst(n#2L, sum(x)#" in plan
    assert ", null, 1, 2, 0, 0)" in plan
    assert [a.name for a in program.actions[0].execution.analyzed.output] == ["k", "null", "1", "2"]
    assert program.notes == []


def test_a_table_of_counts_has_no_nulls():
    program = read_program(f"{SALES}d.crosstab('k', 'n').show()\n")
    analyzed = program.actions[0].execution.analyzed

    assert [a.name for a in analyzed.output] == ["k_n", "1", "2", "null"]
    assert "coalesce(1#" in program.actions[0].execution.text("analyzed")


def test_decimals_of_all_digits_are_rows_too():
    rows = "[(Decimal('9' * 30),), (Decimal('1' + '0' * 21),)]"
    program = read_program(f"from decimal import Decimal\nspark.createDataFrame({rows}, ['p']).show()\n")

    assert program.error is None
    assert [a.name for a in program.actions] == ["show"]


@pytest.mark.parametrize(
    "written",
    [
        "d.write.saveAsTable('t')\nt = spark.table('t')",
        "d.write.parquet('/tmp/t')\nt = spark.read.parquet('/tmp/t')",
        "spark.sql('CREATE TABLE t (k STRING, n INT) USING parquet')\n"
        "spark.sql(\"INSERT INTO t VALUES ('a', 1)\")\nt = spark.table('t')",
    ],
)
def test_what_a_program_writes_of_known_rows_is_small_enough_to_broadcast(written):
    program = read_program(f"{SALES}{written}\nspark.read.schema('k string').json('/big').join(t, 'k').show()\n")

    assert program.error is None
    shown = next(a for a in program.actions if a.name == "show")
    assert "BroadcastHashJoin" in shown.execution.text("physical")


def test_what_it_writes_of_other_rows_has_no_known_size():
    text = "spark.read.schema('k string').json('/x').write.saveAsTable('t')\n"
    program = read_program(f"{text}spark.read.schema('k string').json('/big').join(spark.table('t'), 'k').show()\n")

    assert "SortMergeJoin" in program.actions[-1].execution.text("physical")


def test_a_loop_whose_plans_double_is_left_where_they_are_large():
    text = (
        "d = spark.createDataFrame([(1, 1), (2, 1)], ['id', 'l'])\nn = 1\nwhile n > 0:\n"
        "    e = d.withColumnRenamed('l', 'm').join(d, 'id').select('id', 'l')\n"
        "    n = e.filter('l > 0').count()\n    d = e\nspark.range(3).show()\n"
    )
    program = read_program(text)

    assert "show" in [a.name for a in program.actions]
    assert len(program.actions) < 10


@pytest.mark.parametrize(
    ("settings", "leaf"),
    [
        ({}, "LocalRelation [id#1L, n#2]"),
        ({"profile": "spark-4.1"}, "LogicalRDD [id#1L, n#2], false"),
        ({"profile": "spark-3.5"}, "LogicalRDD [id#1L, n#2], false"),
        ({"spark.sql.execution.arrow.pyspark.enabled": False}, "LogicalRDD [id#1L, n#2], false"),
    ],
)
def test_rows_of_pandas_come_by_arrow_or_pickled(settings, leaf):
    config = OptimizerConfig(profile=settings.pop("profile", "spark-4.3")).with_settings(settings)
    text = "import pandas as pd\nd = spark.createDataFrame(pd.DataFrame({'id': [1, 2], 'n': ['a', None]}))\nd.show()\n"
    (action,) = read_program(text + "assert d.count() == 2\n", None, config).actions[:1]
    assert action.execution.text("analyzed").strip() == leaf
