"""Files that a program writes and reads again have the columns that it wrote."""

from __future__ import annotations

import pytest

from planviz.programs import read_program

WRITE = (
    "from pyspark.sql import functions as F\n"
    "d = spark.range(5).select(F.lit('x').alias('s'), F.col('id').cast('int').alias('n'), F.col('id').alias('p'))\n"
)


def columns(text):
    program = read_program(WRITE + text)
    assert program.error is None, program.error
    output = program.actions[-1].execution.analyzed.output
    return ", ".join(f"{a.name} {a.data_type.simple_string}" for a in output)


@pytest.mark.parametrize(
    ("write", "read", "expected"),
    [
        ("parquet('/o')", "parquet('/o')", "s string, n int, p bigint"),
        ("partitionBy('p').parquet('/o')", "parquet('/o')", "s string, n int, p int"),
        ("parquet('/o', partitionBy=['s'])", "load('/o')", "n int, p bigint, s string"),
        ("format('orc').save('/o')", "format('orc').load('/o')", "s string, n int, p bigint"),
        ("json('/o')", "json('/o')", "n bigint, p bigint, s string"),
        ("csv('/o', header=True)", "csv('/o', header=True)", "s string, n string, p string"),
        ("option('header', True).csv('/o')", "csv('/o')", "_c0 string, _c1 string, _c2 string"),
    ],
)
def test_what_was_written_is_read(write, read, expected):
    assert columns(f"d.write.mode('overwrite').{write}\nspark.read.{read}.show()\n") == expected


def test_a_filter_on_the_column_of_the_folders_reads_fewer_of_them():
    program = read_program(
        WRITE + "d.write.partitionBy('p').parquet('/o')\nspark.read.parquet('/o').where('p = 1').show()"
    )
    assert "PartitionFilters: [isnotnull(p#" in program.actions[-1].execution.text("physical")


def test_a_folder_whose_name_only_running_tells():
    text = "import tempfile\nwith tempfile.TemporaryDirectory() as o:\n"
    text += "    d.write.parquet(o)\n    spark.read.parquet(o).show()\n"
    assert columns(text) == "s string, n int, p bigint"


def test_guessed_columns_go_on_being_guessed_behind_the_files():
    text = "spark.read.parquet('/raw').write.parquet('/o')\nspark.read.parquet('/o').select('new').show()\n"
    program = read_program(text)
    assert program.error is None
    assert [c.name for c in program.actions[-1].execution.analyzed.output] == ["new"]


@pytest.mark.parametrize("given", ["j", "j.rdd.map(lambda r: r.value)"])
def test_texts_of_a_program_that_are_read_as_json(given):
    text = f"j = spark.createDataFrame([('{{}}',)], 'value string')\nspark.read.json({given}).select('a').show()\n"
    program = read_program(text)
    assert program.error is None
    assert program.actions[-1].execution.text("optimized").startswith("LogicalRDD [a#")
    schema = read_program(text.replace(f"json({given})", f"schema('a int, b int').json({given})"))
    assert [c.name for c in schema.actions[-1].execution.analyzed.output] == ["a"]
