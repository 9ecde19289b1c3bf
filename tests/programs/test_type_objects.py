"""`type(x)` and isinstance over PySpark's types, by which programs choose columns."""

from __future__ import annotations

import pytest

from planviz.programs import read_program
from tests.programs.test_python import value_of

_SCHEMA = "d = spark.createDataFrame([], 'a int, b string, c array<int>, e decimal(5,2), f date')\n"


_BASES = "from pyspark.sql.types import AtomicType, FractionalType, IntegralType, NumericType\n"


def chosen(condition):
    names = f"[x.name for x in d.schema.fields if {condition}]"
    return value_of(f"from pyspark.sql.types import *\n{_BASES}{_SCHEMA}", names)


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        ("type(x.dataType) == ArrayType or type(x.dataType) == StructType", "['c']"),
        ("type(x.dataType) in (StringType, DateType)", "['b', 'f']"),
        ("type(x.dataType) is not IntegerType", "['b', 'c', 'e', 'f']"),
        ("type(x.dataType) == type(StringType())", "['b']"),
        ("type(x.dataType).__name__ == 'DecimalType'", "['e']"),
        ("type(x.dataType) == NumericType", "[]"),
        ("isinstance(x.dataType, NumericType)", "['a', 'e']"),
        ("isinstance(x.dataType, (FractionalType, DateType))", "['e', 'f']"),
        ("isinstance(x.dataType, IntegralType)", "['a']"),
        ("isinstance(x.dataType, AtomicType)", "['a', 'b', 'e', 'f']"),
        ("{IntegerType: 1, DateType: 2}.get(type(x.dataType))", "['a', 'f']"),
        ("type(x.dataType) in {StringType: 1}", "['b']"),
        ("x.dataType.__class__ == ArrayType", "['c']"),
    ],
)
def test_columns_are_chosen_by_the_class_of_their_type(condition, names):
    assert chosen(condition) == names


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("[type(v) == int for v in (1, True, 'a')]", "[True, False, False]"),
        ("[type(v) is str for v in ('a', b'a', None)]", "[True, False, False]"),
        ("type([]) == type([1]), type({}) != list", "(True, True)"),
        ("{int: 'i', str: 's'}[type('x')]", "s"),
        ("type(Exception('x')) == ValueError", "False"),
    ],
)
def test_the_class_of_a_plain_value_is_its_own(expression, shown):
    assert value_of("", f"({expression})") == shown


def test_nested_columns_are_flattened_by_the_loop_that_the_web_copies():
    program = read_program(
        "from pyspark.sql.types import *\nfrom pyspark.sql.functions import col, explode_outer\n"
        "df = spark.createDataFrame([], 'id int, a array<struct<x:int,y:string>>')\n"
        "def nested(d): return {f.name: f.dataType for f in d.schema.fields\n"
        "    if type(f.dataType) == ArrayType or type(f.dataType) == StructType}\n"
        "found = nested(df)\n"
        "while len(found) != 0:\n"
        "    name = list(found.keys())[0]\n"
        "    if type(found[name]) == StructType:\n"
        "        parts = [col(name + '.' + k).alias(name + '_' + k) for k in [n.name for n in found[name]]]\n"
        "        df = df.select('*', *parts).drop(name)\n"
        "    elif type(found[name]) == ArrayType:\n"
        "        df = df.withColumn(name, explode_outer(name))\n"
        "    found = nested(df)\n"
        "df.show()\n"
    )
    assert program.error is None
    assert [a.name for a in program.actions[0].execution.analyzed.output] == ["id", "a_x", "a_y"]


def test_a_star_import_of_types_brings_no_base_classes():
    text = "from pyspark.sql.types import *\nspark.range(1).show()\nprint(DataType, NumericType)\n"
    program = read_program(text, infer=False)
    assert program.error is not None
    assert program.error.message == "name 'NumericType' is not defined"
