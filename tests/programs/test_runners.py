"""Programs that somebody else starts, or whose session, arguments and tables come from elsewhere."""

from __future__ import annotations

import pytest

from planviz.catalogs import find
from planviz.programs import read_program

COUNTED = "Aggregate [o_orderstatus#"


def shown(text):
    program = read_program(text, find("tpch"))
    assert program.error is None, program.error
    return [a.execution.text("optimized") for a in program.actions]


@pytest.mark.parametrize(
    "start",
    [
        "from common.session import get_spark\nspark = get_spark('job')\n",
        "from common import make\nsession = make()\nspark = session\n",
        "from notebook_setup import spark\n",
        "import pyspark\nfrom delta import configure_spark_with_delta_pip\n"
        "spark = configure_spark_with_delta_pip(pyspark.sql.SparkSession.builder).getOrCreate()\n",
        "from sedona.spark import SedonaContext\nspark = SedonaContext.builder().getOrCreate()\n",
        "from contextlib import contextmanager\nfrom pyspark.sql import SparkSession\n@contextmanager\ndef job():\n"
        "    made = SparkSession.builder.getOrCreate()\n    try:\n        yield made\n"
        "    finally:\n        made.stop()\n"
        "with job() as spark:\n    pass\n",
    ],
)
def test_a_session_from_elsewhere_is_the_session(start):
    (plan,) = shown(start + "spark.table('orders').groupBy('o_orderstatus').count().show()\n")
    assert plan.startswith(COUNTED)


def test_the_session_of_a_base_class_from_elsewhere():
    (plan,) = shown(
        "from base import Job\nclass Mine(Job):\n    def run(self):\n"
        "        self.spark.table('orders').groupBy('o_orderstatus').count().show()\nMine().run()\n"
    )
    assert plan.startswith(COUNTED)


def test_a_session_from_elsewhere_is_told():
    program = read_program("from x import spark\nspark.table('orders').show()\n", find("tpch"))
    assert any("taken for the session" in n for n in program.notes)


def test_what_is_no_session_stays_unknown():
    program = read_program("import duckdb\ncon = duckdb.connect()\ncon.sql('select 1').show()\n", find("tpch"))
    assert program.actions == []


def test_a_decorator_of_a_library_gives_the_arguments():
    program = """
import click
from pyspark.sql import SparkSession
@click.command()
@click.option("--name", "-n", default="orders")
@click.option("--rows", "how_many", type=int, default=7)
@click.option("--verbose", is_flag=True)
def main(name, how_many, verbose):
    SparkSession.builder.getOrCreate().table(name).limit(how_many).show()
main()
"""
    (plan,) = shown(program)
    assert plan.startswith("GlobalLimit 7\n+- LocalLimit 7\n   +- Relation spark_catalog.default.orders")


def test_tasks_of_a_scheduler_are_read_and_are_values_of_their_own():
    program = """
from airflow.decorators import dag, task
@dag(schedule="@daily")
def pipeline():
    @task.pyspark(conn_id="spark")
    def count(spark, sc):
        spark.table("orders").groupBy("o_orderstatus").count().write.parquet("counts")
    @task
    def done():
        print("done")
    count() >> done()
pipeline()
"""
    (plan,) = shown(program)
    assert plan.startswith(COUNTED)


@pytest.mark.parametrize(
    "program",
    [
        "def etl(**context):\n    from pyspark.sql import SparkSession\n"
        "    spark = SparkSession.builder.getOrCreate()\n"
        "    spark.table('orders').groupBy('o_orderstatus').count().show()\n",
        "import pytest\ndef test_counts(spark):\n"
        "    assert spark.table('orders').groupBy('o_orderstatus').count().collect()\n",
        "import typer\ndef main(name: str = 'orders'):\n    from pyspark.sql import SparkSession\n"
        "    spark = SparkSession.builder.getOrCreate()\n"
        "    spark.table(name).groupBy('o_orderstatus').count().show()\ntyper.run(main)\n",
    ],
)
def test_what_nothing_in_a_program_calls_is_read_where_nothing_else_has_an_action(program):
    (plan,) = shown(program)
    assert plan.startswith(COUNTED)


def test_tables_named_by_what_nobody_knows_are_guessed_beside_a_catalogue():
    program = (
        "import yaml\nconf = yaml.safe_load(open('c.yml'))\nspark.table(conf['source']).filter('x > 3').show()\n"
        "spark.sql(f\"select y, max(z) from {conf['other']} group by y\").show()\n"
    )
    first, second = shown(program)
    assert "Relation spark_catalog.default.<conf[source]>[x#" in first
    assert second.startswith("Aggregate [y#")


def test_a_table_of_a_database_that_nobody_knows_is_the_catalogues_of_that_name():
    program = (
        "import sys\nenv = sys.argv[1]\nspark.table(f'{env}_db.orders').groupBy('o_orderstatus').count().show()\n"
        "spark.sql(f'select o_orderstatus, count(*) from {env}.orders group by 1').show()\n"
        "spark.sql(f'insert into {env}.counted select o_orderstatus, count(*) from orders group by 1')\n"
    )
    plans = shown(program)
    assert [p.startswith(COUNTED) for p in plans] == [True, True, True]
    assert ["o_totalprice#" in p for p in plans] == [True, True, True]
    notes = read_program(program, find("tpch")).notes
    assert sum("the text does not tell its database" in n for n in notes) == 2
