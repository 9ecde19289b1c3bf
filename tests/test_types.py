from __future__ import annotations

import pytest

from planviz.errors import InputError
from planviz.types import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    SHORT,
    STRING,
    TIMESTAMP,
    ArrayType,
    DecimalType,
    decimal_result,
    equal_structurally,
    parse_type,
    quote_if_needed,
    tightest_common_type,
    wider_common,
    wider_type,
)


@pytest.mark.parametrize(
    "text",
    ["int", "decimal(7,2)", "array<struct<a:int,b:map<string,date>>>", "interval day to second", "interval month"],
)
def test_a_type_reads_back_what_it_prints(text):
    assert parse_type(text).simple_string == text


def test_type_names_have_synonyms():
    assert parse_type("LONG") is LONG
    assert parse_type("numeric(5)") == DecimalType(5, 0)
    assert parse_type("varchar(10)").simple_string == "varchar(10)"


@pytest.mark.parametrize("text", ["", "nonsense", "array<int", "decimal(50,2)", "map<int>", "int int"])
def test_what_is_no_type_is_refused(text):
    with pytest.raises(InputError):
        parse_type(text)


def test_sql_form_is_in_capitals():
    assert parse_type("struct<a:int>").sql == "STRUCT<a: INT>"
    assert parse_type("map<string,int>").sql == "MAP<STRING, INT>"


# Values of org.apache.spark.sql.catalyst.expressions arithmetic on decimals.
@pytest.mark.parametrize(
    ("op", "left", "right", "result"),
    [
        ("+", (7, 2), (7, 2), (8, 2)),
        ("*", (7, 2), (7, 2), (15, 4)),
        ("/", (7, 2), (1, 0), (11, 6)),
        ("/", (38, 10), (38, 10), (38, 6)),
        ("%", (7, 2), (10, 0), (7, 2)),
        ("*", (38, 10), (38, 10), (38, 6)),
    ],
)
def test_decimal_results(op, left, right, result):
    assert decimal_result(op, DecimalType(*left), DecimalType(*right)) == DecimalType(*result)


def test_tightest_common_type_loses_nothing():
    assert tightest_common_type(BYTE, SHORT) is SHORT
    assert tightest_common_type(INT, FLOAT) is DOUBLE
    assert tightest_common_type(NULL, STRING) is STRING
    assert tightest_common_type(DATE, TIMESTAMP) is TIMESTAMP
    assert tightest_common_type(STRING, INT) is None


def test_strings_yield_to_what_stands_beside_them():
    assert wider_type(STRING, INT) is LONG
    assert wider_type(STRING, DecimalType(5, 2)) is DOUBLE
    assert wider_type(STRING, DATE) is DATE
    assert wider_common([INT, STRING, NULL]) is LONG


def test_decimals_widen_to_hold_both():
    assert wider_type(DecimalType(7, 2), INT) == DecimalType(12, 2)
    assert wider_type(INT, DecimalType(2, 1)) == DecimalType(11, 1)


def test_arrays_widen_by_their_elements():
    assert wider_type(ArrayType(INT), ArrayType(LONG, False)) == ArrayType(LONG, True)


def test_structs_of_other_names_are_equal_in_structure():
    assert equal_structurally(parse_type("struct<a:int>"), parse_type("struct<b:int>"))
    assert not equal_structurally(parse_type("struct<a:int>"), parse_type("struct<a:bigint>"))


def test_odd_names_are_quoted():
    assert quote_if_needed("a_1") == "a_1"
    assert quote_if_needed("a b") == "`a b`"
    assert quote_if_needed("x`y") == "`x``y`"
