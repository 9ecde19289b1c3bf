"""What a program gets from where nobody can look: tables that may exist, frames of other libraries, decorators."""

from __future__ import annotations

from planviz.catalogs import find
from planviz.programs import read_program


def test_a_table_that_nothing_describes_may_exist():
    text = (
        "if spark.catalog.tableExists('gold.t'):\n    spark.table('gold.t').groupBy('k').count().show()\n"
        "else:\n    spark.range(3).show()\n"
    )
    assert [a.variant for a in read_program(text).actions] == [
        "spark.catalog.tableExists('gold.t')",
        "not (spark.catalog.tableExists('gold.t'))",
    ]
    assert [a.place.line for a in read_program(text, find("tpch")).actions] == [4]


def test_a_frame_of_the_pandas_api_on_spark_comes_back_as_rows():
    text = (
        "import pyspark.pandas as ps\nd = ps.read_parquet('/in').groupby('k').sum().to_spark()\n"
        "d.filter('total > 3').show()\n"
    )
    program = read_program(text)

    assert program.error is None
    assert [a.name for a in program.actions] == ["show"]
    assert "total#" in program.actions[0].execution.text("analyzed")


def test_a_method_with_a_decorator_of_the_program_has_the_decorators_names():
    text = (
        "import functools\ndef timed(fn):\n    @functools.wraps(fn)\n    def inner(*args, **kwargs):\n"
        "        return fn(*args, **kwargs)\n    return inner\n"
        "class Job:\n    @timed\n    def run(self, d):\n        return d.filter('id > 3')\n"
        "Job().run(spark.range(9)).show()\n"
    )
    program = read_program(text)

    assert (program.error, program.not_understood) == (None, [])
    assert program.actions[0].execution.text("optimized").startswith("Filter (id#")


def test_an_expression_that_nobody_knows_is_an_aggregate_where_one_stands():
    text = (
        "import yaml\nfrom pyspark.sql import functions as F\nrules = yaml.safe_load(open('r.yml'))\n"
        "d = spark.table('t').groupBy(rules['by']).agg(*[F.expr(x) for x in rules['aggregates']])\nd.show()\n"
    )
    program = read_program(text)

    assert program.error is None
    assert "max(rules_aggregates#" in program.actions[0].execution.text("analyzed")
