"""RDDs in programs: the types of the DataFrames that are made of them."""

from __future__ import annotations

import pytest

from planviz.programs import read_program


def columns(text):
    program = read_program(text)
    assert program.error is None, program.error
    (action,) = program.actions
    return ", ".join(f"{a.name} {a.type.simple_string}" for a in action.execution.analyzed.output)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("sc.parallelize(['a b', 'c']).flatMap(lambda l: l.split(' ')).map(lambda w: (w, 1))", "k string, v bigint"),
        ("sc.parallelize([('a', 1), ('a', 2)]).reduceByKey(lambda a, b: a + b)", "k string, v bigint"),
        ("sc.parallelize([('a', 1), ('b', 2)]).groupByKey().mapValues(list)", "k string, v array<bigint>"),
        ("sc.parallelize([('a', 1)]).join(sc.parallelize([('a', 2.5)])).map(lambda p: p[1])", "k bigint, v double"),
        ("sc.parallelize([3, 1]).zipWithIndex().map(lambda p: (p[0] / 2, p[1]))", "k double, v bigint"),
        ("sc.parallelize([1, 2, 3]).mapPartitions(lambda i: [(x, str(x)) for x in i])", "k bigint, v string"),
        ("spark.range(3).selectExpr('id', 'id / 2 AS h').rdd.map(lambda r: (r.id, [r['h']]))",
         "k bigint, v array<double>"),
        ("spark.sql('SELECT 1 AS a, \"x\" AS b').rdd.filter(lambda r: r.a > 5).map(lambda r: (r.b, int(r.b)))",
         "k string, v bigint"),
        ("sc.textFile('f').map(lambda l: l.split(',')).map(lambda p: (p[0], float(p[1])))", "k string, v double"),
    ],
)  # fmt: skip
def test_columns_have_the_types_of_what_the_functions_give(rows, expected):
    assert columns(f"{rows}.toDF(['k', 'v']).show()") == expected


def test_rows_of_lines_have_the_names_and_types_that_a_function_gives_them():
    text = """
from pyspark.sql import Row
people = sc.textFile('people.txt').map(lambda l: l.split(',')).map(lambda p: Row(name=p[0], age=int(p[1])))
spark.createDataFrame(people).where('age > 13').show()
"""
    assert columns(text) == "name string, age bigint"


def test_what_an_rdd_holds_is_known_where_the_program_says_it():
    text = "n = sc.parallelize([1, 5, 2]).map(lambda x: x * 2).filter(lambda x: x > 3).collect()\n"
    program = read_program(f"{text}spark.range(9).where(f'id IN ({{n[0]}}, {{len(n)}})').show()\n")

    assert "IN (cast(10 as bigint),cast(2 as bigint))" in program.actions[0].execution.text("analyzed")


def test_a_row_that_stands_for_others_tells_no_values():
    program = read_program(
        "n = spark.table('t').rdd.map(lambda r: r.id).collect()\nspark.range(2).where(f'id > {n[0]}').show()"
    )

    assert "Line 2: values that the text does not tell stand as names or 1 there." in program.notes


def test_numbers_that_nobody_knows_are_compared_as_numbers():
    text = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nn = p.parse_args().n\n"
    program = read_program(f"{text}d = spark.sql('SELECT 1 AS a')\nd.filter(d.a > n).show()\n")

    assert "Filter (a#1 > <args.n>)" in program.actions[0].execution.text("analyzed")
