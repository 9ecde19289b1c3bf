"""How much of what programs in the wild call the reader knows: by the DataFrame API's own tables, weighted by calls."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from planviz.dataframe import api
from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.grouped import GroupedData
from planviz.dataframe.python import UDFRegistration
from planviz.dataframe.rdd import RDD
from planviz.dataframe.readers import DataFrameReader
from planviz.dataframe.services import Builder, RuntimeConfig, SessionCatalog, SparkContext
from planviz.dataframe.session import SparkSession
from planviz.dataframe.shaping import MissingValues
from planviz.dataframe.window import WindowSpec
from planviz.dataframe.writers import DataFrameWriter, DataStreamWriter
from planviz.programs import read_program
from planviz.programs.spark import functions_module, type_names

FREQUENCY = Path(__file__).parents[3] / "shared/corpus/programs/frequency.json"
KINDS = {
    "DataFrame": (DataFrame,), "Session": (SparkSession, Builder, SparkContext), "Column": (Column,),
    "GroupedData": (GroupedData,), "Reader": (DataFrameReader,), "StreamReader": (DataFrameReader,),
    "Writer": (DataFrameWriter,), "StreamWriter": (DataStreamWriter,), "RDD": (RDD, SparkContext),
    "Window": (WindowSpec,), "Conf": (RuntimeConfig, Builder), "na": (MissingValues,), "UDFReg": (UDFRegistration,),
    "Catalog": (SessionCatalog,),
}  # fmt: skip
#: Ways to use an object that are no method of it: operators, indexing, columns by name, calls of own functions.
NO_METHODS = ("operator ", "<", ".<", "[")


def _known(kind, name):
    if name.startswith(NO_METHODS):
        return True
    if kind == "functions":
        try:
            return functions_module(SimpleNamespace(applies=False)).get(name) is not None
        except KeyError:
            return name in functions_module(SimpleNamespace(applies=False)).names
    if kind == "types":
        return name in type_names(SimpleNamespace())
    plain = name.lstrip(".")
    names = set(api.WINDOW) if kind == "Window" else set()
    for k in KINDS[kind]:
        names |= {n for n in api.names_of(k) if hasattr(k, n) or k in (SparkSession, Builder)}
    return plain in names


@pytest.mark.skipif(not FREQUENCY.exists(), reason="the corpus is not here")
def test_the_reader_knows_what_programs_call():
    calls, missing = 0, {}
    for one in json.loads(FREQUENCY.read_text())["api"]:
        if one["kind"] not in KINDS and one["kind"] not in ("functions", "types"):
            continue
        calls += one["calls"]
        if not _known(one["kind"], one["name"]):
            missing[f"{one['kind']}.{one['name']}"] = one["calls"]
    share = 1 - sum(missing.values()) / calls
    assert share >= 0.99, (share, sorted(missing.items(), key=lambda m: -m[1])[:40])


def test_many_guessed_tables_do_not_begin_the_reading_anew_for_each_column(monkeypatch):
    from planviz.programs.interpreter import Interpreter

    readings = []
    read = Interpreter.read
    monkeypatch.setattr(Interpreter, "read", lambda self: (readings.append(1), read(self))[1])
    lines = ["from pyspark.sql import functions as F"]
    for i in range(40):
        lines.append(f"t{i} = spark.table('src.table_{i}').filter(F.col('a_{i}') > 3)")
        lines += [f"t{i} = t{i}.withColumn('n{k}', F.col('c{k}_{i}') + 1)" for k in range(6)]
        lines.append(f"t{i}.groupBy('g_{i}').agg(F.sum('n3')).show()")
    program = read_program("\n".join(lines))
    assert program.error is None
    assert len(program.actions) == 40
    assert "c5_39#" in program.actions[39].execution.text("analyzed")
    assert len(readings) < 20


def test_a_reading_that_only_learns_takes_no_new_column_for_one_of_a_table():
    program = read_program(
        "from pyspark.sql import functions as F\n"
        "d = spark.table('t')\n"
        "d = d.withColumn('made', F.col('source') + 1)\n"
        "d = d.filter('made > 1')\n"
        "d.select('made', 'other').show()\n"
    )
    relation = program.actions[0].execution.text("optimized").splitlines()[-1]
    assert "source" in relation
    assert "other" in relation
    assert "made" not in relation
