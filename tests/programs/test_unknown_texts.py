"""SQL texts of conditions and expressions with values in them that only running the program tells."""

from __future__ import annotations

import pytest

from planviz.programs import read_program

HEAD = (
    "import argparse\nfrom pyspark.sql import functions as F\n"
    "a = argparse.ArgumentParser().parse_args()\n"
    "d = spark.createDataFrame([(1, 'x')], ['id', 's'])\n"
    "top = spark.read.parquet('/x').agg(F.max('id')).collect()[0][0]\n"
)


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("where(f'id = {top}')", "(id#1L = cast(1 as bigint))"),
        ("filter('id > {} and s = 1'.format(top))", "id#1L > cast(1 as bigint)"),
        ("selectExpr('s', f'id + {a.n} AS z')", "(id#1L + cast(1 as bigint)) AS z"),
        ("select(F.expr(f'case when id > {a.n} then 1 end'))", "CASE WHEN (id#1L > cast(1 as bigint))"),
    ],
)
def test_the_text_is_read_with_something_in_place_of_them(call, shown):
    program = read_program(HEAD + f"d.{call}.show()\n")
    assert program.error is None
    assert shown in program.actions[-1].execution.text("analyzed")
    assert any(n.startswith("Line 6: values") for n in program.notes)


def test_signs_of_comparison_are_no_placeholders():
    program = read_program(HEAD + "d.where('id < 3 and 4 > id').show()\n")
    assert not any("values" in n for n in program.notes)
    assert "(id#1L < cast(3 as bigint))" in program.actions[-1].execution.text("analyzed")


def test_a_name_that_is_read_from_settings():
    text = "import yaml\nc = yaml.safe_load(open('c.yml'))\n"
    program = read_program(
        text + "from pyspark.sql import functions as F\nspark.table('t').filter(F.col(c['a.b']) > 3).show()\n"
    )
    assert (program.error, len(program.actions)) == (None, 1)


def test_a_loop_that_is_left_on_an_unknown_condition_is_read_once():
    text = (
        "d = spark.read.schema('id long').json('/x')\nwhile True:\n    n = d.where('id > 3').count()\n"
        "    if n == 0:\n        break\n    d = d.where('id < 5')\nd.show()\n"
    )
    program = read_program(text)
    assert (program.error, [a.name for a in program.actions]) == (None, ["count", "show"])


def test_keyword_arguments_of_a_function_that_nothing_calls():
    text = "def job(**context):\n    spark.read.parquet(f\"/in/{context['ds']}\").where('a > 1').show()\n"
    program = read_program(text)
    assert (program.error, [a.name for a in program.actions]) == (None, ["show"])


def test_settings_of_the_environment_are_unknown():
    text = "import os\nspark.range(9).where('id > %d' % int(os.environ['LEAST'])).show()\n"
    program = read_program(text)
    assert (program.error, len(program.actions)) == (None, 1)


def test_more_prose_and_tables_than_code():
    text = "Input:\n+--+\n|id|\n+--+\n|1 |\n+--+\nI tried:\ndf.filter(df.id > 3).show()\nOutput:\n+--+\n|id|\n+--+\n"
    assert [a.name for a in read_program(text).actions] == ["show"]


def test_durations_of_which_only_running_tells_the_number():
    text = (
        "import sys\nfrom pyspark.sql import functions as F\n"
        "w = F.window('ts', f'{int(sys.argv[1])} seconds', sys.argv[2])\n"
        "spark.table('t').withWatermark('ts', sys.argv[3]).groupBy(w).count().show()\n"
    )
    program = read_program(text)
    assert (program.error, [a.name for a in program.actions]) == (None, ["show"])


@pytest.mark.parametrize(
    "step",
    [
        "d.na.fill({'n': 0}).na.drop(subset=['c'])",
        "d.fillna(0, ['n']).where('c > 1')",
        "d.replace('?', None, ['n']).where('c > 1')",
        "d.select(*[F.when(F.col(c) == '', None).otherwise(F.col(c)).alias(c) for c in d.columns])"
        ".where('c > 1 and n > 2')",
    ],
)
def test_what_changes_every_column_hands_on_those_that_are_named_later(step):
    text = f"from pyspark.sql import functions as F\nd = spark.table('t')\n{step}.show()\n"
    program = read_program(text)

    assert (program.error, [a.name for a in program.actions]) == (None, ["show"])
    assert {a.name for a in program.actions[0].execution.analyzed.output} == {"n", "c"}


def test_case_classes_and_datasets_alone_are_scala():
    text = 'case class P(name: String, age: Long)\nval ds = Seq(P("a", 3)).toDS()\nds.filter("age > 2").show()\n'
    program = read_program(text)

    assert (program.error, [a.name for a in program.actions]) == (None, ["show"])


@pytest.mark.parametrize(
    "change", ["withField('a', F.lit(1))", "dropFields('a', 'b.c')", "withField('a.b', F.lit(1)).dropFields('c')"]
)
def test_a_column_whose_fields_are_changed_is_guessed_to_be_a_struct(change):
    text = f"from pyspark.sql import functions as F\nspark.table('t').select(F.col('s').{change}.alias('s')).show()\n"
    program = read_program(text)

    assert (program.error, [a.name for a in program.actions]) == (None, ["show"])


def test_a_set_operation_over_a_guessed_table_that_is_not_resolved_yet_is_read():
    program = read_program(
        "spark.table('src').select('id').show()\n"
        "spark.sql('(SELECT id FROM src) UNION (SELECT 1) EXCEPT (SELECT 2)').show()\n"
    )
    assert program.error is None, program.error
    assert [a.name for a in program.actions] == ["show", "show"]


def test_a_guessed_table_is_in_the_database_that_the_program_made_and_uses():
    program = read_program(
        "spark.sql('CREATE DATABASE IF NOT EXISTS shop')\nspark.sql('USE shop')\n"
        "spark.sql('SELECT id FROM elsewhere').show()\nspark.table('others').select('k').show()\n"
    )
    assert program.error is None, program.error
    first, second = (a.execution.text("analyzed") for a in program.actions)
    assert "SubqueryAlias spark_catalog.shop.elsewhere" in first
    assert "SubqueryAlias spark_catalog.shop.others" in second


NUMBERS = """n = int(args.n)
df = spark.table("t")
df.limit(n).repartition(n, "a").show()
df.sample(args.again, args.fraction, n).select(F.col("b").substr(1, n)).show()
spark.range(n).coalesce(args.n).show()
df.randomSplit([args.part, 0.2])[0].show()
df.write.bucketBy(n, "a").sortBy("a").saveAsTable("u")
"""


def test_a_number_that_nobody_knows_has_one_in_its_place():
    program = read_program("from pyspark.sql import functions as F\nimport settings as args\n" + NUMBERS)

    assert program.error is None, program.error
    assert not program.not_understood
    assert [a.name for a in program.actions] == ["show"] * 4 + ["write.saveAsTable"]
    first = str(program.actions[0].execution.analyzed)
    assert "LocalLimit 1000" in first
    assert "RepartitionByExpression [a#" in first
    assert "Line 5: 200 stands for a number of repartition that the text does not tell." in program.notes


def test_columns_that_nobody_knows_are_no_numbers():
    program = read_program("import settings as args\nspark.table('t').repartition(8, args.key).show()")

    assert (program.error, program.not_understood) == (None, [])
    assert str(program.actions[0].execution.analyzed).startswith("RepartitionByExpression [<key>#1], 8")
