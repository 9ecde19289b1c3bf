from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from planviz.catalog import read_bundled
from planviz.errors import AnalysisError, InputError, ParseError
from planviz.execution import Session, explain
from planviz.frontend import parse_constant, parse_plan

T = read_bundled("documents")


def analyzed(sql, params):
    return explain(sql, T, params=params).text("analyzed").splitlines()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (5, "(a#1 = 5)"),
        (1 << 40, "(cast(a#1 as bigint) = 1099511627776)"),
        (2.5, "(cast(a#1 as double) = 2.5)"),
        (Decimal("2.50"), "(cast(cast(a#1 as decimal(10,0)) as decimal(12,2)) = cast(2.50 as decimal(12,2)))"),
        (None, "(a#1 = cast(null as int))"),
    ],
)
def test_a_named_parameter_stands_for_its_value(value, shown):
    assert analyzed("SELECT c FROM t1 WHERE a = :x", {"x": value})[1].strip() == f"+- Filter {shown}"


def test_positional_parameters_count_over_the_whole_query():
    sql = "WITH w AS (SELECT a FROM t1 WHERE b > ?) SELECT * FROM w WHERE a IN (SELECT b FROM t2 WHERE c = ?) LIMIT ?"
    text = str(parse_plan(sql, [1, "x", 3]).tree_string)

    assert "('b > 1)" in text
    assert "('c = x)" in text
    assert "GlobalLimit 3" in text


def test_dates_lists_and_maps():
    text = parse_plan("SELECT :d, :xs, :m", {"d": date(2026, 1, 31), "xs": [1, 2], "m": {"k": 1}}).tree_string

    assert "2026-01-31" in text
    assert "'array(1, 2)" in text
    assert "'map(k, 1)" in text


def test_an_unbound_parameter_is_named_with_its_place():
    with pytest.raises(AnalysisError, match=r"UNBOUND_SQL_PARAMETER.*: y\..*--param y=VALUE.*line 2, column 7") as e:
        analyzed("SELECT c FROM t1\nWHERE :y = a LIMIT :x", {"x": 5})
    assert e.value.error_class == "UNBOUND_SQL_PARAMETER"


@pytest.mark.parametrize("clause", ["LIMIT :n", "ORDER BY a LIMIT :n OFFSET :n", "GROUP BY a + :n"])
def test_an_unbound_parameter_is_reported_in_every_clause(clause):
    with pytest.raises(AnalysisError) as e:
        analyzed(f"SELECT a FROM t1 {clause}", None)
    assert e.value.error_class == "UNBOUND_SQL_PARAMETER"


@pytest.mark.parametrize(("sql", "params"), [("SELECT ?", {"x": 1}), ("SELECT :x", [1])])
def test_the_two_kinds_do_not_mix(sql, params):
    with pytest.raises(ParseError, match="INVALID_QUERY_MIXED_QUERY_PARAMETERS"):
        parse_plan(sql, params)


def test_a_value_that_is_no_constant_is_refused():
    with pytest.raises(InputError, match="cannot have the value"):
        parse_plan("SELECT :x", {"x": object()})


def test_views_keep_the_value_they_were_made_with():
    session = Session(T, params={"x": 7})
    (_, outcome) = list(session.run("CREATE VIEW v AS SELECT a FROM t1 WHERE a > :x; SELECT * FROM v"))

    assert outcome.execution is not None
    assert "> 7)" in outcome.execution.text("analyzed")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("5", "5"), ("-5", "-5"), ("'a b'", "'a b'"), ("a b", "'a b'"), ("2026-01-31", "'2026-01-31'"), ("", "''"),
     ("DATE'2026-01-31'", "DATE '2026-01-31'"), ("true", "true"), ("1.50", "1.50BD"), ("abc", "'abc'"), ("(", "'('")],
)  # fmt: skip
def test_text_is_read_as_a_constant_or_stands_for_itself(text, shown):
    assert parse_constant(text).sql == shown
