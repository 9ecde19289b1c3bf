"""Columns that only running the program tells: something stands for them, and all that follows has its plan."""

from __future__ import annotations

import pytest

from planviz.catalogs import find
from planviz.programs import read_program
from planviz.programs.interpreter import Interpreter

_HEAD = """import yaml, argparse
from pyspark.sql import functions as F, Window
args = argparse.ArgumentParser().parse_args()
cfg = yaml.safe_load(open("c.yml"))
cols, keys = cfg["columns"], args.keys
df = spark.table("orders")
other = spark.table("orders").select("o_orderkey", "o_custkey")
"""


def _read(call: str, catalog: str | None) -> str:
    program = read_program(f"{_HEAD}{call}.show()\n", find(catalog) if catalog else None)
    assert program.error is None, program.error
    assert not program.not_understood
    action = program.actions[0]
    assert action.error is None
    return action.execution.text("analyzed")


CALLS = [
    ("df.select(*cols)", "Project [<cfg[columns][...]>#"),
    ("df.select(cols).filter('x > 1')", "Project [<cfg[columns]>#3, x#"),
    ("df.dropDuplicates(keys)", "Deduplicate [<args.keys>#"),
    ("df.join(other, on=keys, how=args.how)", "Join Inner, (o_orderkey#"),
    ("df.groupBy(*keys).agg(F.sum('v').alias('v')).filter('region = 1')", "[<args.keys[...]>#3, region#5, sum("),
    ("df.groupBy('a').pivot(args.by, cfg['values']).sum('v').select('east')", "pivotfirst(<args.by>#"),
    ("df.join(df.hint(args.hint).hint('broadcast', args.n), 'k')", "ResolvedHint (strategy=broadcast)"),
    ("df.hint('repartition', args.n)", "Repartition 200, true"),
    ("df.filter(df[args.key] > 3)", "Filter (cast(<args.key>#3 as bigint) > cast(3 as bigint))"),
    ("df.filter(cfg['condition'])", "Filter <cfg[condition]>"),
    ("df.withColumn('n', F.rank().over(Window.partitionBy(*keys).orderBy(args.key)))", "[<args.keys[...]>#"),
    ("df.withColumn('n', cfg['value'])", "<cfg[value]> AS n#"),
    ("df.withColumns({c: F.trim(c) for c in cols})", "AS <cfg[columns][...]>#"),
    ("df.agg({args.key: 'sum'})", "Aggregate [sum(cast(<args.key>#"),
    ("df.agg(*[F.sum(c) for c in cols])", "Aggregate [sum(cast(<cfg[columns][...]>#"),
    ("df.select(F.coalesce(*cols).alias('c'))", "coalesce(<cfg[columns][...]>#"),
    ("df.select(F.round('v', args.digits), F.lag('v', args.n).over(Window.orderBy('v')))", "round(v#"),
    ("df.na.drop(subset=keys).na.fill(0, subset=keys)", "atleastnnonnulls(1, <args.keys>#"),
    ("df.select(F.col(args.key).cast(cfg['type']))", "cast(<args.key>#"),
    ("df.orderBy(*[F.col(c).desc() for c in cols])", "Sort [<cfg[columns][...]>#"),
    ("df.union(cfg['frame']).unionByName(other, allowMissingColumns=args.missing)", "Union false, false"),
]


@pytest.mark.parametrize(("call", "shown"), CALLS, ids=[c for c, _ in CALLS])
def test_columns_of_guessed_tables_are_called_as_the_program_calls_them(call, shown):
    assert shown in _read(call, None)


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("df.select(*cols).filter('o_totalprice > 1')", "Project [o_orderkey#1L, o_custkey#2L, o_orderstatus#3"),
        ("df.select('o_clerk', *cols).filter('o_clerk > 1')", "Project [o_clerk#7, o_orderkey#1L, o_custkey#2L"),
        ("df.dropDuplicates(keys)", "Deduplicate [o_orderkey#1L]"),
        ("df.join(other, on=keys, how='left')", "Join LeftOuter, (o_orderkey#1L = o_orderkey#10L)"),
        ("df.groupBy(*keys).count()", "Aggregate [o_orderkey#1L], [o_orderkey#1L, count(1)"),
        ("df.filter(df[args.key] > 3)", "Filter (o_orderkey#1L > cast(3 as bigint))"),
        ("df.filter(F.year(F.col(args.key)) > 3)", "year(cast(o_orderstatus#3 as date))"),
        ("df.selectExpr(f'{args.key} AS k')", "Project [o_orderkey#1L AS k#"),
    ],
)
def test_a_column_of_a_known_table_stands_for_one(call, shown):
    assert shown in _read(call, "tpch")


def test_what_stands_for_them_is_told_once():
    text = f"{_HEAD}df.dropDuplicates(keys).groupBy(keys).count().show()\ndf.select(*cols).show()\n"

    assert read_program(text, find("tpch")).notes[:2] == [
        "Line 8: the column o_orderkey stands for <args.keys>, which the text does not tell.",
        "Line 9: all columns stand for <cfg[columns][...]>, which the text does not tell.",
    ]


def test_a_name_that_the_program_does_tell_stays_a_mistake():
    program = read_program(f"{_HEAD}df.select('nosuch').show()\n", find("tpch"))

    assert program.error is not None
    assert program.error.condition == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


@pytest.mark.parametrize(("name", "shown"), [("<b>", "‹b›"), ("a>b", "a›b"), ("`", "'")])
def test_brackets_in_a_name_that_is_not_told_do_not_end_it(name, shown):
    assert f"<cfg[{shown}]" in _read(f"df.select(*cfg[{name!r}])", None)


@pytest.mark.parametrize("number", [30, 90])
def test_lists_that_nobody_knows_stand_over_one_another_in_few_readings(number, monkeypatch):
    readings = 0
    before = Interpreter.read

    def read(self):
        nonlocal readings
        readings += 1
        return before(self)

    monkeypatch.setattr(Interpreter, "read", read)
    lists = "".join(f"df = df.select(*config.c{i}).withColumn('w{i}', F.lit({i}))\n" for i in range(number))
    loop = "for x in range(3):\n    df = df.select(*config.c)\n"
    made = read_program(f"df = spark.table('t')\n{lists}{loop}df.where('z > 1').groupBy('y').count().show()\n")
    assert made.error is None
    assert len(made.actions) == 1
    assert readings <= 20
