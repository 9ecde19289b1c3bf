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
