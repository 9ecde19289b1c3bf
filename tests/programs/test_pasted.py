"""What people paste: prompts, other Pythons, missing imports, tables that nobody describes. All of it gives plans."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.catalog.tables import Catalog, Table
from planviz.programs import read_program
from planviz.types import parse_fields

TEXTS = (Path(__file__).parent / "pasted.txt").read_text(encoding="utf-8").split("\n=== ")[1:]


def _case(text):
    head, _, code = text.partition("\n")
    name, _, expected = head.partition(" | ")
    return pytest.param(code, expected.split(), id=name)


@pytest.mark.parametrize(("code", "expected"), [_case(t) for t in TEXTS])
def test_every_dataframe_that_the_text_determines_has_its_plan(code, expected):
    program = read_program(code)
    assert program.error is None, program.error
    assert [f"{a.place.line}:{a.name}" for a in program.actions] == expected
    assert [str(a.error) for a in program.actions if a.error] == []


def test_lines_that_are_no_python_are_left_out_and_told():
    program = read_program("I want to know\n\ndf = spark.table('t')\ndf.filter('a > 1').show()\n\nI get: error!\n")
    assert [a.place.line for a in program.actions] == [4]
    assert (program.error.condition, program.error.place.line) == ("SyntaxError", 1)
    assert [line for line, _ in program.not_understood[:2]] == [1, 6]


def test_a_guessed_struct_gets_the_fields_that_are_read():
    program = read_program("df.select('a.b.c', F.explode('xs').alias('x')).select('c', 'x.y').show()\n")
    columns = program.actions[0].execution.catalog.table(("df",)).columns
    assert {c.name: c.data_type.simple_string for c in columns} == {
        "a": "struct<b:struct<c:string>>",
        "xs": "array<struct<y:string>>",
    }


def test_files_named_after_a_table_have_its_columns():
    catalog = Catalog().with_table(Table("sales", tuple(parse_fields("region string, amount double"))))
    program = read_program("spark.read.parquet('s3://lake/sales_parquet').groupBy('region').count().show()\n", catalog)
    assert "Relation [region#" in program.actions[0].execution.text("analyzed")
    assert any("sales" in n for n in program.notes)


def test_sql_reads_files_by_path():
    program = read_program("spark.sql('SELECT count(*) FROM parquet.`/data/x` WHERE a = 1').show()\n")
    (action,) = program.actions
    assert "'UnresolvedRelation [parquet, /data/x], [], false" in action.execution.text("parsed")
    assert "+- Relation [a#" in action.execution.text("analyzed")


def test_a_pivot_without_values_has_those_that_the_program_names():
    code = "p = df.groupBy('k').pivot('q').agg(F.sum('v').alias('s'), F.max('w').alias('m'))\n"
    program = read_program(code + "p.select('k', 'Q1_s', 'Q2_m').show()\n")
    assert program.error is None
    assert any("Line 1: Spark runs a query" in n for n in program.notes)
    assert read_program(code + "p.show()\n").actions[0].execution.analyzed.output[0].name == "k"


def test_csv_without_inferred_types_is_text():
    program = read_program("spark.read.csv('x.csv', header=True).filter(F.col('n') > 3).show()\n")
    assert "cast(n#" in program.actions[0].execution.text("analyzed")


def test_a_program_that_python_reads_is_taken_as_it_stands():
    # The sign of a remainder at the beginning of a line is no magic.
    program = read_program("print('some %d rows'\n      % 3)\nspark.range(3).show()\n")
    assert (program.error, [a.name for a in program.actions]) == (None, ["show"])


def test_printed_lines_may_begin_with_dots():
    program = read_program(">>> d = spark.range(3)\n>>> d.show()\n+---+\n... more rows ...\n>>> d.count()\n3\n")
    assert (program.error, [a.name for a in program.actions]) == (None, ["show", "count"])


@pytest.mark.parametrize(("schema", "kind"), [("'INT'", "int"), ("IntegerType()", "int"), ("'string'", "string")])
def test_one_type_as_a_schema_gives_the_column_value(schema, kind):
    text = f"from pyspark.sql.types import IntegerType\nspark.createDataFrame([1, 2], {schema}).show()\n"
    [action] = read_program(text).actions
    [column] = action.execution.analyzed.output
    assert (column.name, column.data_type.simple_string) == ("value", kind)


def test_the_text_of_a_struct_is_a_schema():
    [action] = read_program("spark.createDataFrame([(1, 'x')], 'struct<a: int, b: string>').show()\n").actions
    assert [c.name for c in action.execution.analyzed.output] == ["a", "b"]


@pytest.mark.parametrize(
    "unplanned",
    [
        "spark.catalog.listFunctions()",
        "spark.streams.awaitAnyTermination()",
        "spark.sparkContext.getConf().getAll()",
        "d.plot.bar(x='id')",
        "F.unix_nanos('id')",
        "d.inputFiles()",
    ],
)
def test_what_pyspark_has_and_no_plan_shows_ends_no_program(unplanned):
    program = read_program(f"from pyspark.sql import functions as F\nd = spark.range(3)\nx = {unplanned}\nd.show()\n")
    assert (program.error, [a.name for a in program.actions]) == (None, ["show"])
    assert [line for line, why in program.not_understood if "not planned here" in why] == [3]


def test_what_pyspark_does_not_have_is_still_an_error():
    program = read_program("d = spark.range(3)\nspark.catalog.showTables()\nd.show()\n")
    assert program.error is not None
    assert (program.error.condition, program.error.place.line) == ("AttributeError", 2)


def test_arguments_of_functions_by_name_and_options():
    text = (
        "from pyspark.sql import functions as F\nd = spark.createDataFrame([('{}', ['a'])], ['j', 'l'])\n"
        "d.select(F.sort_array('l', asc=False), F.from_json('j', 'x int', {'mode': 'FAILFAST'})).show()\n"
    )
    [action] = read_program(text).actions
    shown = action.execution.text("analyzed")
    assert "sort_array(l#2, false)" in shown
    assert "from_json(StructField(x,IntegerType,true), (mode,FAILFAST), j#1" in shown


def test_elements_in_order_of_rows_that_nobody_knows():
    program = read_program("d = spark.range(3)\nfor r in sorted(d.collect()):\n    print(r)\nd.show()\n")
    assert (program.error, [a.name for a in program.actions]) == (None, ["collect", "show"])


def test_a_pivot_by_fields_of_a_struct():
    text = (
        "from pyspark.sql import functions as F\n"
        "d = spark.range(3).select(F.struct(F.col('id').alias('year'), F.lit('x').alias('c')).alias('s'))\n"
        "d.groupBy('s.year').pivot('s.c', ['x', 'y']).agg(F.max('s.year')).show()\n"
    )
    [action] = read_program(text).actions
    assert action.error is None
    assert [c.name for c in action.execution.analyzed.output] == ["year", "x", "y"]


def test_a_dataframe_that_a_model_is_fitted_to_has_its_plan():
    text = (
        "from pyspark.ml.clustering import KMeans\nd = spark.read.parquet('/p').where('a > 1')\nm = KMeans().fit(d)\n"
    )
    [action] = read_program(text).actions
    assert (action.name, action.place.line) == ("fit", 3)
    assert action.execution.text("optimized").startswith("Filter")


def test_a_dataframe_that_an_action_shows_is_not_shown_again():
    text = "from there import check\nd = spark.range(3)\ncheck(d)\nd.show()\n"
    assert [a.name for a in read_program(text).actions] == ["show"]


def test_a_scalar_subquery_about_the_row_around_it():
    text = (
        "from pyspark.sql import functions as F\n"
        "d = spark.createDataFrame([(1, 10, 7)], ['id', 'pay', 'place'])\n"
        "average = d.alias('i').where(F.col('i.place') == F.col('o.place').outer()).select(F.avg('pay'))\n"
        "d.alias('o').where(F.col('pay') > average.scalar()).show()\n"
    )
    [action] = read_program(text).actions
    assert action.error is None
    assert "Join Inner" in action.execution.text("optimized")


def test_python_s_warnings_are_not_shown(recwarn):
    read_program("p = '\\d'\nif 1is 1: pass\nspark.range(3).show()\n")
    assert not recwarn.list


def test_display_is_an_action_as_on_databricks():
    program = read_program("d = spark.range(3)\nd.display()\n")
    assert (program.error, [(a.name, a.place.line) for a in program.actions]) == (None, [("display", 2)])


def test_what_drops_columns_hands_on_the_other_columns_of_a_guessed_table():
    text = (
        "from pyspark.sql import functions as F, Window\n"
        "d = spark.table('t')\n"
        "w = Window.partitionBy('k').orderBy(F.desc('at'))\n"
        "last = d.withColumn('rn', F.row_number().over(w)).filter('rn = 1').drop('rn')\n"
        "last.select('k', 'other').show()\n"
        "d.drop(d.gone).select('kept').show()\n"
    )
    program = read_program(text)
    assert program.error is None
    assert [[c.name for c in a.execution.analyzed.output] for a in program.actions] == [["k", "other"], ["kept"]]


def test_guessed_columns_that_are_added_up_are_numbers():
    text = "d = spark.read.csv('f', header=True, inferSchema=True)\nd.withColumn('c', d.a + d.b).select('c').show()\n"
    [action] = read_program(text).actions
    assert [(c.name, c.type.simple_string) for c in action.execution.analyzed.output] == [("c", "double")]


def test_a_stream_whose_batches_go_to_an_unknown_function_is_shown():
    text = "d = spark.readStream.table('t').where('a > 1')\nd.writeStream.foreachBatch(there).start()\n"
    program = read_program(text)
    assert program.error is None
    assert [a.name for a in program.actions] == ["writeStream.start"]


def test_an_action_is_planned_with_the_caches_of_its_moment():
    text = "d = spark.range(9).selectExpr('id + 1 AS n')\nd.show()\nd.cache()\nd.show()\n"
    before, after = [a for a in read_program(text).actions if a.name == "show"]
    assert "InMemoryRelation" in after.execution.text("optimized")
    assert "InMemoryRelation" not in before.execution.text("optimized")


def test_files_are_not_described_by_a_table_of_that_name_that_the_program_writes():
    text = (
        "d = spark.range(3).selectExpr('id', 'id + 1 AS action')\nd.write.saveAsTable('users')\n"
        "s = spark.read.parquet('/dim/users')\nd.join(s, 'id').select('action', 'segment').show()\n"
    )
    program = read_program(text)
    assert program.error is None
    assert [c.name for c in program.actions[-1].execution.analyzed.output] == ["action", "segment"]


def test_a_row_is_asked_for_its_values():
    text = (
        "from pyspark.sql import Row\nr = Row(name='A', age=3)\n"
        "if 'age' in r and r.asDict()['name'] == 'A':\n    spark.range(r['age']).show()\n"
    )
    program = read_program(text)
    assert (program.error, program.actions[0].variant) == (None, "")
    assert "Range (0, 3" in program.actions[0].execution.text("analyzed")


def test_columns_of_a_frame_in_the_text_of_a_query():
    text = "d = spark.createDataFrame([(1, 2)], ['a', 'b'])\n"
    text += "spark.sql('SELECT {c}, {d.b}, {d[a]} FROM {d}', c=d.a, d=d).show()\n"
    [action] = read_program(text).actions
    assert [c.name for c in action.execution.analyzed.output] == ["a", "b", "a"]


def test_the_name_of_a_function_of_spark():
    text = "from pyspark.sql import functions as F\n"
    text += "spark.range(3).agg(*[f('id').alias(f.__name__) for f in (F.min, F.max)]).show()\n"
    [action] = read_program(text).actions
    assert [c.name for c in action.execution.analyzed.output] == ["min", "max"]
