from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import ParseError
from planviz.execution import QueryExecution
from planviz.frontend import parse_plan, parse_script
from planviz.frontend.dialect import dialect_of
from planviz.frontend.lexer import tokenize
from planviz.frontend.literals import unquote


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'a\'b'", "a'b"),
        ("'a''b'", "a'b"),
        (r"'a\nb'", "a\nb"),
        (r"r'a\nb'", r"a\nb"),
        (r"'\%'", r"\%"),
        (r"'\u0041'", "A"),
    ],
)
def test_strings(text, value):
    assert unquote(text) == value


def test_tokens_know_keywords_from_names():
    tokens = tokenize("select `select`, 'select' /* c /* d */ */ -- e\n from 1a")

    assert tokens.keys == ["SELECT", "", ",", "", "FROM", "1A", ""]


@pytest.mark.parametrize(
    ("sql", "line", "column"),
    [
        ("selec a from t", 1, 1),
        ("select a,, b from t", 1, 10),
        ("select a\nfrom t\nwhere (a = 1", 3, 13),
        ("select (a from t", 1, 11),
        ("select a from t group by", 1, 25),
        ("select 'abc", 1, 8),
        ("select a from t t2 t3", 1, 20),
        ("select a from t /* open", 1, 17),
        ("select cast(a as nonsense) from t", 1, 18),
        ("select date '2020-13-01'", 1, 8),
        ("with x as (select 1), x as (select 2) select 1", 1, 1),
        ("", 1, 1),
        ("select 1; select 2", 1, 1),
    ],
)
def test_mistakes_have_a_place(sql, line, column):
    with pytest.raises(ParseError) as e:
        parse_plan(sql)

    assert (e.value.line, e.value.column) == (line, column)


@pytest.mark.parametrize(
    "sql",
    [
        "select " + "(" * 5000 + "1" + ")" * 5000,
        "select " + "-" * 1 + "- " * 5000 + "a",
        "select " + "not " * 5000 + "a",
        "select " + "a + " * 5000 + "a",
        "select a from " + "(select a from " * 5000 + "t" + ")" * 5000,
        "select " + "case when a then " * 5000,
    ],
)
def test_depth_has_a_limit_with_one_clear_message(sql):
    with pytest.raises(ParseError) as e:
        parse_plan(sql)

    assert e.value.error_class in ("TOO_DEEP", "PARSE_SYNTAX_ERROR")
    assert e.value.line is not None


def test_five_thousand_conjuncts_are_fine():
    plan = parse_plan("select a from t where " + " and ".join(f"a <> {i}" for i in range(5000)))

    assert plan.tree_string.count("NOT") == 5000


def test_a_text_too_long_is_refused():
    with pytest.raises(ParseError, match="characters"):
        parse_plan("select '" + "x" * 5_000_000 + "'")


def test_a_statement_that_is_no_query_is_named():
    with pytest.raises(ParseError, match=r"DROP|TABLE"):
        parse_plan("drop table t")


def test_a_script_knows_its_statements():
    script = """
      create table t (a int, b decimal(7,2) not null) using orc partitioned by (a);
      create temporary view v as select a from t;
      set spark.sql.cbo.enabled = true;
      insert into t values (1, 2);
      select * from v;
    """
    statements = parse_script(script)

    assert [s.kind for s in statements] == ["create_table", "create_view", "set", "insert", "query"]
    assert statements[0].provider == "orc"
    assert [(c.name, c.nullable) for c in statements[0].columns] == [("a", True), ("b", False)]
    assert statements[0].partition_columns == ("a",)
    assert statements[2].options == (("spark.sql.cbo.enabled", "true"),)


def test_the_same_text_gives_equal_plans_but_for_ids():
    a, b = parse_plan("select a as x from t"), parse_plan("select a as x from t")

    assert a.tree_string.split("#")[0] == b.tree_string.split("#")[0]


def test_a_timestamp_with_a_zone_is_the_clock_of_the_session():
    config = OptimizerConfig.of(**{"spark.sql.session.timeZone": "America/Los_Angeles"})
    text = QueryExecution("SELECT timestamp'2020-06-01 10:00:00Z', timestamp'2020-06-01 10:00:00'", config=config)
    assert "[2020-06-01 03:00:00 AS TIMESTAMP '2020-06-01 03:00:00'#" in text.text("analyzed")


def test_a_script_s_delimiters_show_in_one_order():
    given = "ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' LINES TERMINATED BY '|' NULL DEFINED AS 'n'"
    text = QueryExecution(f"SELECT TRANSFORM(1) {given} USING 'cat' AS (a)").text("analyzed")
    assert "(TOK_TABLEROWFORMATFIELD,,), (TOK_TABLEROWFORMATNULL,n), (TOK_TABLEROWFORMATLINES,|)" in text


def test_a_column_may_be_called_as_a_unit_of_time_is():
    sql = "SELECT date_add(day, 7 - n), datediff(day, day) FROM VALUES (DATE'2024-01-01', 1) t(day, n)"
    text = QueryExecution(sql).text("analyzed")
    assert "date_add(day, (7 - n))#" in text
    assert "datediff(day, day)#" in text


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT 1 AS select", 13),
        ("SELECT 1 user", 10),
        ("SELECT any(true)", 8),
        ("SELECT t.user FROM VALUES (1) t(`user`)", 10),
        ("SELECT left('a', 1), right('a', 1), current_date, user, 1 AS anti, 2 AS `order`", None),
        ("SELECT id FROM range(3) GROUP BY ALL ORDER BY ALL", None),
    ],
)
def test_reserved_words_name_nothing(sql, column):
    config = OptimizerConfig.of(**{"spark.sql.ansi.enforceReservedKeywords": True})
    if column is None:
        parse_script(sql, dialect=dialect_of(config))
        return
    with pytest.raises(ParseError) as error:
        parse_script(sql, dialect=dialect_of(config))
    assert (error.value.error_class, error.value.column) == ("PARSE_SYNTAX_ERROR", column)
