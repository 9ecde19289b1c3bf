"""Python in programs: what its values are. Each value is shown as the name of a column."""

from __future__ import annotations

import pytest

from planviz.programs import read_program


def value_of(before, expression):
    program = read_program(f"{before}\nspark.range(1).toDF(str({expression})).show()\n")
    assert program.error is None, program.error
    assert not program.not_understood
    action = next(a for a in program.actions if a.name == "show")
    (column,) = action.execution.analyzed.output
    return column.name


_POINT = "from collections import namedtuple\nPoint = namedtuple('Point', 'x y', defaults=[7])\np = Point(3)"
_CITY = """
import typing
class City(typing.NamedTuple):
    name: str
    size: int = 1
    def twice(self): return self.size * 2
c = City('Rome', 4)"""


@pytest.mark.parametrize(
    ("before", "expression", "shown"),
    [
        (_POINT, "[v + 1 for v in p]", "[4, 8]"),
        (_POINT, "p.x + p[1]", "10"),
        (_POINT, "p._replace(y=5)[1]", "5"),
        (_POINT, "list(p._asdict())", "['x', 'y']"),
        (_POINT, "Point._fields", "('x', 'y')"),
        (_POINT, "Point._make([1, 2]).y", "2"),
        (_POINT, "[b for k, (a, b) in enumerate([p, p])]", "[7, 7]"),
        (_CITY, "c.twice() + len(c)", "10"),
        (_CITY, "[isinstance(c, City), isinstance(c, tuple)]", "[True, True]"),
        (_CITY, "sorted([City('b'), City('a')])[0].name", "a"),
    ],
)
def test_a_value_is_as_in_python(before, expression, shown):
    assert value_of(before, expression) == shown


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ("1 AS a", "IntegerType()"),
        ("array('x') AS a", "ArrayType(StringType(), False)"),
        ("1.5BD AS a", "DecimalType(2,1)"),
        ("named_struct('b', 1L) AS a", "StructType([StructField('b', LongType(), False)])"),
    ],
)
def test_a_type_is_written_as_pyspark_writes_it(column, shown):
    assert value_of(f'd = spark.sql("SELECT {column}")', "d.schema['a'].dataType") == shown


def test_named_tuples_are_rows_with_names():
    program = read_program(f"{_CITY}\nspark.createDataFrame([c, City('Oslo')]).show()\n")
    (action,) = program.actions
    assert [(a.name, a.type.simple_string) for a in action.execution.analyzed.output] == [
        ("name", "string"),
        ("size", "bigint"),
    ]


def output(text):
    program = read_program(f"import numpy as np\nimport pandas as pd\nfrom datetime import date\n{text}")
    assert program.error is None, program.error
    (action,) = program.actions
    plan = action.execution.analyzed
    return type(plan).__name__, ", ".join(f"{a.name} {a.type.simple_string}" for a in plan.output)


@pytest.mark.parametrize(
    ("frame", "columns"),
    [
        ("pd.DataFrame(pd.Series([1, 2]), columns=['x'])", "x bigint"),
        ("pd.DataFrame({'d': pd.date_range('2024-01-01', periods=2), 'v': np.arange(2)})", "d timestamp, v bigint"),
        ("pd.DataFrame({'w': np.array([1.5, 2]), 'z': [date(2020, 1, 1)] * 2})", "w double, z date"),
        ("pd.DataFrame({'a': [1], 'b': ['x'], 'c': [2.5]})[['a', 'b']]", "a bigint, b string"),
        ("pd.DataFrame(np.array([[1, 2], [3, 4]]), columns=['a', 'b'])", "a bigint, b bigint"),
    ],
)
def test_rows_of_pandas_and_numpy_have_the_types_that_spark_infers(frame, columns):
    assert output(f"spark.createDataFrame({frame}).show()") == ("LocalRelation", columns)


def test_arrays_of_numpy_are_walked_through():
    rows = "[(float(x), int(x) % 2) for x in np.arange(0, 2, 0.5)]"
    assert output(f"spark.createDataFrame({rows}, ['x', 'g']).show()") == ("LogicalRDD", "x double, g bigint")
    assert value_of("import numpy as np", "np.mean(np.array([1, 2]))") == "1.5"


def test_what_is_computed_from_an_array_is_not_known():
    program = read_program("import numpy as np\nx = np.arange(3) * 2\nspark.range(1).toDF(str(x[1])).show()\n")

    assert program.actions[0].execution.analyzed.output[0].name == "<x[1]>"


@pytest.mark.parametrize("rows", ["[1, 2]", "['a']", "sc.parallelize([1])", "{'a': [1]}"])
def test_rows_are_no_plain_values(rows):
    program = read_program(f"\nspark.createDataFrame({rows}, ['x']).show()\n")

    assert (program.error.condition, program.error.place.line) == ("CANNOT_INFER_SCHEMA_FOR_TYPE", 2)


@pytest.mark.parametrize(
    ("expression", "shown"),
    [("len(['a', 'b'])", "2"), ("any([True])", "True"), ("chr(97)", "a"), ("list(map(str, [1]))", "['1']")],
)
def test_a_star_import_of_functions_leaves_what_pyspark_does_not_export_to_python(expression, shown):
    assert value_of("from pyspark.sql.functions import *\nfrom pyspark.sql import functions as F", expression) == shown


@pytest.mark.parametrize("name", ["len", "any", "between", "mod", "space"])
def test_a_function_of_sql_alone_is_none_of_pysparks(name):
    program = read_program(f"from pyspark.sql import functions as F\nspark.range(1).select(F.{name}('id')).show()\n")
    assert program.error is not None
    assert program.error.condition == "AttributeError"


_VIEW = """
from contextlib import contextmanager
seen = []
@contextmanager
def opened(name):
    seen.append('in')
    try:
        yield name * 2
    finally:
        seen.append('out')
"""


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ("with opened('a') as x:\n    seen.append(x)\n", "['in', 'aa', 'out']"),
        ("with opened('a') as x, opened(x) as y:\n    seen.append(y)\n", "['in', 'in', 'aaaa', 'out', 'out']"),
        ("for i in (1, 2):\n    with opened('a'):\n        break\n", "['in', 'out']"),
        ("def f():\n    with opened('a') as x:\n        return x\nseen.append(f())\n", "['in', 'out', 'aa']"),
        ("try:\n    with opened('a'):\n        raise KeyError('k')\nexcept KeyError:\n    pass\n", "['in', 'out']"),
    ],
)
def test_a_context_manager_of_the_program_runs_the_block_where_it_yields(block, shown):
    assert value_of(f"{_VIEW}{block}", "seen") == shown
