"""DECLARE, SET VAR and names of variables in queries, as Spark 4.3 plans them."""

from __future__ import annotations

import pytest

from planviz.execution import Session


def last(script: str, stage: str = "analyzed"):
    *_, outcome = Session().run(script, stage)
    return outcome


def test_a_variable_stands_in_the_plan_with_its_value_and_is_a_constant_to_the_optimizer():
    execution = last(
        "declare lowest int default 2; select lowest, id from range(9) where id >= lowest", "optimized"
    ).execution

    assert "variablereference(system.session.lowest=2) AS lowest#" in execution.text("analyzed")
    assert ">= 2)" in execution.text("optimized")


@pytest.mark.parametrize(
    ("script", "value"),
    [
        ("declare a = 'x'; set var a = a || 'y'; select a", "'xy'"),
        ("declare a int default 1; set var a = 5; set var a = default; select a", "1"),
        ("declare a int; declare b int; set var (b, a) = (select 3, 4); select a", "4"),
        ("declare a double; select a", "CAST(NULL AS DOUBLE)"),
        ("declare a int default 1; select session.a from (select 2 as a)", "1"),
    ],
)
def test_what_a_variable_is_set_to(script, value):
    assert f".a={value})" in last(script).execution.text("analyzed")


def test_a_column_hides_a_variable():
    assert "variablereference" not in last("declare a int; select a from (select 2 as a)").execution.text("analyzed")


@pytest.mark.parametrize(
    ("script", "error_class"),
    [
        ("declare a int; declare a int", "VARIABLE_ALREADY_EXISTS"),
        ("set var nothing = 1", "UNRESOLVED_VARIABLE"),
        ("declare a int; set var a = 'many'", "CAST_INVALID_INPUT"),
        ("declare a int; set var (a) = (select 1, 2)", "ASSIGNMENT_ARITY_MISMATCH"),
        ("drop temporary variable nothing", "VARIABLE_NOT_FOUND"),
        ("select identifier('two words')", "PARSE_SYNTAX_ERROR"),
        ("select identifier(7)", "NOT_A_CONSTANT_STRING.WRONG_TYPE"),
        ("select identifier(cast(null as string))", "NOT_A_CONSTANT_STRING.NULL"),
        ("select * from identifier(null)", "NOT_A_CONSTANT_STRING.WRONG_TYPE"),
        ("select * from identifier((select 'a'))", "NOT_A_CONSTANT_STRING.NOT_CONSTANT"),
        ("select 0; select 1 as identifier('a.b')", "IDENTIFIER_TOO_MANY_NAME_PARTS"),
        ("set spark.sql.legacy.identifierClause=true; select 1 as identifier('a')", "PARSE_SYNTAX_ERROR"),
        ("declare a int; set var (a, A) = (select 1, 2)", "DUPLICATE_ASSIGNMENTS"),
    ],
)
def test_what_is_wrong_with_variables_and_names(script, error_class):
    assert last(script).error.error_class == error_class


def test_identifier_takes_any_constant_text():
    text = last(
        "declare t = 'lines'; create temp view lines as select 1 as n; select identifier('N') from identifier(t) as x"
    )
    named = last("create temp view lines as select -1 as n; select identifier('abs')(n) from identifier('li' || 'nes')")

    assert "SubqueryAlias x\n   +- SubqueryAlias lines" in text.execution.text("analyzed")
    assert "abs(n#" in named.execution.text("analyzed")


def test_names_show_in_small_letters_and_structs_as_calls():
    text = last("declare vAr1 = named_struct('a', 1); select var1.a").execution.text("analyzed")
    assert "variablereference(system.session.var1=NAMED_STRUCT('a', 1)).a AS a#" in text
