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
    assert (program.error.condition, program.error.place.line) == ("PYTHON_SYNTAX_ERROR", 1)
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
