"""What PySpark 4.3 refuses, with the condition or the class of the exception that it raised for the same program."""

from __future__ import annotations

import re

import pytest

from planviz.catalogs import find
from planviz.programs import read_program

HEAD = "from pyspark.sql import functions as F, types as T, Window\nd = spark.table('orders')\n"


@pytest.mark.parametrize(
    ("line", "condition"),
    [
        ("d.groupBy('o_orderstatus').agg('o_totalprice')", "AssertionError"),
        ("d.groupBy('o_orderstatus').agg()", "AssertionError"),
        ("d.groupBy('o_orderstatus').sum('o_comment')", "_LEGACY_ERROR_TEMP_1323"),
        ("d.dropDuplicates('o_orderstatus')", "NOT_EXPECTED_TYPE"),
        ("d.select(1)", "NOT_EXPECTED_TYPE"),
        ("d.where(1)", "NOT_EXPECTED_TYPE"),
        ("d.sample(2.0)", "IllegalArgumentException"),
        ("d.select(F.when(d.o_orderkey > 1, 1).otherwise(2).otherwise(3))", "IllegalArgumentException"),
        ("d.select(F.lit(1).when(d.o_orderkey > 1, 1))", "IllegalArgumentException"),
        ("d.select(d.o_orderkey.cast('decimall'))", "UNSUPPORTED_DATATYPE"),
        ("F.max(1, 2)", "TypeError"),
        ("F.upper()", "TypeError"),
        ("F.upper(text='a')", "TypeError"),
        ("assert d.columns == ['a'], 'no'", "AssertionError"),
        ("spark.createDataFrame([])", "CANNOT_INFER_EMPTY_SCHEMA"),
        ("spark.createDataFrame([(1, 2)], ['a', 'b', 'c'])", "IndexError"),
        ("spark.createDataFrame([(1, None)], ['a', 'b'])", "CANNOT_DETERMINE_TYPE"),
        ("spark.createDataFrame([(1,), (2.5,)], ['a'])", "CANNOT_MERGE_TYPE"),
        ("spark.createDataFrame([('x', 1)], 'a int, b string')", "FIELD_DATA_TYPE_UNACCEPTABLE_WITH_NAME"),
        ("spark.createDataFrame([(1,)], 'a double')", "FIELD_DATA_TYPE_UNACCEPTABLE_WITH_NAME"),
        ("spark.createDataFrame([(1, 2)], 'a int')", "FIELD_STRUCT_LENGTH_MISMATCH"),
        (
            "spark.createDataFrame([(None,)], T.StructType([T.StructField('a', T.StringType(), False)]))",
            "FIELD_NOT_NULLABLE_WITH_NAME",
        ),
        ("d.select('o_orderkey'", "SyntaxError"),
        ("d.transform(lambda f: None)", "AssertionError"),
        ("F.count(1)", "NOT_EXPECTED_TYPE"),
        ("F.concat(['o_orderkey', 'o_comment'])", "NOT_EXPECTED_TYPE"),
        ("F.greatest('o_orderkey')", "WRONG_NUM_COLUMNS"),
        ("F.substring_index('o_comment', ' ', '1')", "Py4JError"),
        ("F.lag('o_orderkey', 1, F.lit(0))", "NOT_ITERABLE"),
        ("F.sum('o_orderkey').over(Window.partitionBy(1))", "NOT_EXPECTED_TYPE"),
        ("F.transform('a', lambda x: 1)", "HIGHER_ORDER_FUNCTION_SHOULD_RETURN_COLUMN"),
        ("F.udf(lambda x: x)(None)", "NOT_EXPECTED_TYPE"),
        ("spark.range(0, 9, 0)", "IllegalArgumentException"),
        ("F.lit({'a': 1})", "UNSUPPORTED_FEATURE.LITERAL_TYPE"),
        ("d.filter(d.o_orderkey in [1, 2])", "CANNOT_CONVERT_COLUMN_INTO_BOOL"),
    ],
)
def test_refusals_have_pysparks_class_and_line(line, condition):
    error = read_program(HEAD + line + "\n", find("tpch")).error
    assert error is not None
    assert (error.condition, error.place.line) == (condition, 3)


@pytest.mark.parametrize(
    "line",
    [
        "spark.createDataFrame([(1,), ('x',)], ['a']).show()",
        "spark.createDataFrame([(1, [])], 'a int, b array<int>').show()",
        "spark.createDataFrame([(unknown_value, 1.0)], 'a int, b double').show()",
        "spark.createDataFrame([{'a': 1}, {'a': None}]).show()",
        "d.select(F.struct(['o_orderkey', 'o_comment']), F.array_contains(F.array('o_orderkey'), 1)).show()",
        "d.withColumn(colName='k', col=d.o_orderkey.cast(dataType='string')).show()",
        "d.filter(d.o_orderkey.between(lowerBound=1, upperBound=9)).alias(alias='a').show()",
        "d.groupBy('o_orderstatus').pivot(pivot_col='o_orderpriority', values=['1-URGENT']).count().show()",
        "spark.table(tableName='orders').withColumnsRenamed(colsMap={'o_orderkey': 'k'}).show()",
        "d.select(d.o_comment.substr(startPos=1, length=2)).na.drop(how=None).show()",
        "d.orderBy('o_orderkey', 'o_comment', ascending=[True]).show()",
        "d.select(F.round('o_totalprice', 2), F.date_add('o_orderdate', 3), F.pow('o_orderkey', 2)).show()",
        "d.select(F.max(F.lpad('o_comment', 5, '0')), F.percentile_approx('o_orderkey', [0.5, 0.9], 100)).show()",
        "d.sample(True, 2.0).show()",
        "d.selectExpr('o_orderkey as').show()",
        "d.groupBy('o_orderstatus').agg(F.max(col='o_totalprice'), F.first(col='o_comment', ignorenulls=True)).show()",
    ],
)
def test_what_pyspark_takes_is_not_refused(line):
    program = read_program(HEAD + "import sys\nunknown_value = int(sys.argv[1])\n" + line, find("tpch"))
    assert program.error is None
    assert len(program.actions) == 1


def test_a_guessed_column_that_is_summed_is_a_number():
    for column, kind in (("heads", "double"), ("total", "decimal(28,2)")):
        program = read_program(f"spark.table('t').groupBy('k').sum('{column}').show()")
        assert program.error is None
        assert program.actions[0].execution.analyzed.output[1].type.simple_string == kind


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("F.desc_nulls_last('o_clerk')", "o_clerk DESC NULLS LAST"),
        ("F.asc_nulls_first('o_clerk')", "o_clerk ASC NULLS FIRST"),
    ],
)
def test_sort_keys_by_name(call, shown):
    program = read_program(HEAD + f"d.select('o_clerk').orderBy({call}).show()", find("tpch"))
    assert shown in re.sub(r"#\d+", "", program.actions[0].execution.text("analyzed"))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("F.regexp_replace(replacement='x', pattern='a', string='o_clerk')", "regexp_replace(o_clerk, a, x, 1)"),
        ("F.lpad(pad='0', col='o_clerk', len=5)", "lpad(o_clerk, 5, 0)"),
        ("F.trim('o_clerk', F.lit('x'))", "TRIM(BOTH x FROM o_clerk)"),
    ],
)
def test_named_arguments_take_their_places(call, name):
    program = read_program(HEAD + f"d.select({call}).show()", find("tpch"))
    assert program.error is None
    assert program.actions[0].execution.analyzed.output[0].name == name


def test_replaced_values_come_in_javas_order_also_from_lists():
    program = read_program(HEAD + "d.na.replace(['US', 'UK'], ['USA', 'GB'], 'o_clerk').show()", find("tpch"))
    text = program.actions[0].execution.text("optimized")
    assert text.index("= UK") < text.index("= US")


@pytest.mark.parametrize("call", ["F.when('a', 1)", "F.when(F.col('a') > 1, 1).when('a', 2)", "F.max('a').over('w')"])
def test_a_name_where_pyspark_takes_no_name(call):
    text = (
        f"from pyspark.sql import functions as F\nd = spark.createDataFrame([(1,)], ['a'])\nd.select({call}).show()\n"
    )
    error = read_program(text).error
    assert (error.condition, error.place.line) == ("NOT_EXPECTED_TYPE", 3)


def test_the_values_of_a_pivot_are_a_list():
    program = read_program(
        "d = spark.range(2).selectExpr('id', 'id AS k')\nd.groupBy('k').pivot('id', 'a').sum().show()\n"
    )

    assert (program.error.condition, program.error.place.line) == ("Py4JError", 2)


def test_a_dataframe_is_walked_through_by_its_columns():
    program = read_program("d = spark.range(2).selectExpr('id', 'id AS k')\nd.select([c + 1 for c in d]).show()\n")

    assert program.error is None
    assert [a.name for a in program.actions[0].execution.analyzed.output] == ["(id + 1)", "(k + 1)"]
