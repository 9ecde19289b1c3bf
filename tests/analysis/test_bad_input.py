"""Whatever is wrong with a query: one clear message, at once, with its place and a way out."""

from __future__ import annotations

import pytest

from planviz.errors import AnalysisError, InputError, ParseError
from planviz.execution import QueryExecution
from tests.plans import small_catalog
from tests.steps import steps


def refused(sql: str) -> InputError:
    with pytest.raises(InputError) as e:
        QueryExecution(sql, small_catalog()).text("optimized")
    return e.value


#: The query, Spark's error class, line and column, and what the message says: what it is about and what to do.
MISTAKES = [
    ("selct a from t1", "PARSE_SYNTAX_ERROR", 1, 1, "near 'selct'. Did you mean SELECT"),
    ("select a\nform t1", "PARSE_SYNTAX_ERROR", 2, 6, "near 't1'.*Did you mean FROM instead of 'form'"),
    ("select a from t1 wher a = 1", "PARSE_SYNTAX_ERROR", 1, 23, "Did you mean WHERE instead of 'wher'"),
    ("select a from t1 gruop by a", "PARSE_SYNTAX_ERROR", 1, 24, "Did you mean GROUP instead of 'gruop'"),
    ("select a from t1 join customer using a", "PARSE_SYNTAX_ERROR", 1, 38, r"near 'a': missing '\('\. \("),
    ("select a from orders fetch x", "PARSE_SYNTAX_ERROR", 1, 28, r"extra input 'x'\. \("),
    ("select (a + b from t1", "PARSE_SYNTAX_ERROR", 1, 15, r"near 'from': missing '\)'"),
    ("select 'abc from t1", "PARSE_SYNTAX_ERROR", 1, 8, "the string that starts here is not closed"),
    ("select `a from t1", "PARSE_SYNTAX_ERROR", 1, 8, "the quoted name that starts here is not closed"),
    ("select 1 /* x", "UNCLOSED_BRACKETED_COMMENT", 1, 10, r"Append \*/"),
    ("select case when a = 1 then 2 from t1", "PARSE_SYNTAX_ERROR", 1, 31, "missing 'END'"),
    ("select a from t1 join", "PARSE_SYNTAX_ERROR", 1, 22, "end of input: a table or a query in parentheses was"),
    ("select a from", "PARSE_SYNTAX_ERROR", 1, 14, "end of input: a table or a query in parentheses was expected"),
    ("select a from (select b from)", "PARSE_SYNTAX_ERROR", 1, 29, r"near '\)': a table or a query"),
    ("select a from t1 where", "PARSE_SYNTAX_ERROR", 1, 23, "end of input: an expression was expected"),
    ("select a from t1 limit", "PARSE_SYNTAX_ERROR", 1, 23, "end of input: an expression was expected"),
    ("select a from t1 group", "PARSE_SYNTAX_ERROR", 1, 23, "end of input: BY was expected"),
    ("select a from t1 group by", "PARSE_SYNTAX_ERROR", 1, 26, "end of input: an expression was expected"),
    ("select a from t1 group a", "PARSE_SYNTAX_ERROR", 1, 24, "near 'a': BY was expected"),
    ("select a from t1 left", "PARSE_SYNTAX_ERROR", 1, 22, "end of input: JOIN was expected"),
    (
        "select a from t1 inner jion t2",
        "PARSE_SYNTAX_ERROR",
        1,
        24,
        "near 'jion': JOIN was expected. Did you mean JOIN",
    ),
    ("select a from t1 join t2 using", "PARSE_SYNTAX_ERROR", 1, 31, r"end of input: missing '\('"),
    (
        "select a from t1 where a is",
        "PARSE_SYNTAX_ERROR",
        1,
        26,
        "near 'is': NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM was expected behind it",
    ),
    (
        "select a from t1 where a in ((select b from t2) , (select b from t2 t t))",
        "PARSE_SYNTAX_ERROR",
        1,
        71,
        "near 't'",
    ),
    ("select a from t1 where a is null is null", "PARSE_SYNTAX_ERROR", 1, 34, "near 'is': extra input"),
    ("select a from t1 where a = 1 and", "PARSE_SYNTAX_ERROR", 1, 30, "near 'and': the text ends behind it"),
    (
        "select a from t1 where a > all (select b from t2)",
        "PARSE_SYNTAX_ERROR",
        1,
        32,
        "no ANY, SOME or ALL of a query",
    ),
    (
        "select a from t1 where exists (select b from t2 t t)",
        "PARSE_SYNTAX_ERROR",
        1,
        31,
        "no query in it: .*near 't'.*column 51",
    ),
    ("select (select b from t2 t t) from t1", "PARSE_SYNTAX_ERROR", 1, 28, "near 't'"),
    ("select a from t1 where a in ()", "INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE", 1, 26, "IN has no values"),
    (
        "select sum(a) over (order by b, c range 1 preceding) from t1",
        "DATATYPE_MISMATCH.RANGE_FRAME_MULTI_ORDER",
        1,
        20,
        "",
    ),
    (
        "select sum(a) over w from t1 window w as (order by a), w as (order by b)",
        "INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION",
        1,
        30,
        "`w` is repetitive",
    ),
    ("select 1 from t1 where   a", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN", 1, 1, "is not a boolean"),
    ("select 1 from t1 join t2 on   t1.a + 1", "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE", 1, 18, 'expected "BOOLEAN"'),
    ("select a, row_number() from t1", "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", 1, 1, "requires an OVER clause"),
    ("select a, date_add(date'2020-01-01', 'x') from t1", "CAST_INVALID_INPUT", 1, 11, "cannot be cast to INT"),
    ("select 1 from t1 union all select 'x'", "CAST_INVALID_INPUT", 1, 1, "cannot be cast"),
    # struct() is a row.
    ("select * from values (struct(1, 2)) v(s)", "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH", 1, 15, "has 2 columns"),
    ("select x.a from t1 as x(p, q)", "ASSIGNMENT_ARITY_MISMATCH", 1, 17, "column aliases"),
    ("select a from t1 union", "PARSE_SYNTAX_ERROR", 1, 23, "end of input: a query .* was expected"),
    ("select a, from t1", "TRAILING_COMMA_IN_SELECT", 1, 11, "SELECT ends with a comma"),
    ("select a from t1, where a = 1", "PARSE_SYNTAX_ERROR", 1, 19, "near 'where': a table or a query"),
    ('select a from "t1"', "PARSE_SYNTAX_ERROR", 1, 15, "Spark quotes names with backquotes: `t1`"),
    ("select [a] from [t1]", "PARSE_SYNTAX_ERROR", 1, 8, "Spark quotes names with backquotes: `a`"),
    ("select top 10 * from t1", "PARSE_SYNTAX_ERROR", 1, 12, "no TOP; LIMIT 10 at the end says the same"),
    ("create table", "PARSE_SYNTAX_ERROR", 1, 13, "end of input: a name was expected"),
    ("drop", "PARSE_SYNTAX_ERROR", 1, 5, "end of input"),
    ("select 1; select 2", "PARSE_SYNTAX_ERROR", 1, 1, "One query was expected, the text holds 2 statements"),
    ("-- nothing", "PARSE_SYNTAX_ERROR", 1, 1, "the text holds no statement"),
    ("delete from t1", "UNSUPPORTED_STATEMENT", 1, 1, "DELETE.* is no query; .*give its SELECT alone"),
    ("show tables", "UNSUPPORTED_STATEMENT", 1, 1, "SHOW.* is no query; .*give its SELECT alone"),
    ("select cast(a as foo) from t1", "UNSUPPORTED_DATATYPE", 1, 18, '"FOO"'),
    ("select 1\nfrom custmer", "TABLE_OR_VIEW_NOT_FOUND", 2, 6, "`custmer`.*Did you mean `customer`"),
    ("select 1 from zzz", "TABLE_OR_VIEW_NOT_FOUND", 1, 15, "`zzz`.*give a catalogue or a CREATE TABLE"),
    ("select nam from customer", "UNRESOLVED_COLUMN.WITH_SUGGESTION", 1, 8, "`nam`.*Did you mean.*`name`"),
    ("select customer.nam from customer", "UNRESOLVED_COLUMN.WITH_SUGGESTION", 1, 8, r"\[`customer`\.`name`"),
    ("select x.a from t1", "UNRESOLVED_COLUMN.WITH_SUGGESTION", 1, 8, r"`x`\.`a`.*`t1`\.`a`"),
    ("select a from t1, t2", "AMBIGUOUS_REFERENCE", 1, 8, r"`a` is ambiguous.*`t1`\.`a`.*`t2`\.`a`"),
    ("select a + array(1) from t1", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", 1, 8, '"INT" and "ARRAY<INT>"'),
    ("select a and b from t1", "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE", 1, 8, 'requires.*"BOOLEAN", not "INT"'),
    ("select a from t1 union select a, b from t2", "NUM_COLUMNS_MISMATCH", 1, 1, "1 columns and .* 2 columns"),
    ("select a, sum(b) from t1", "MISSING_GROUP_BY", 1, 1, "Add GROUP BY"),
    ("select a, b from t1 group by a", "MISSING_AGGREGATION", 1, 1, r'"b".*any_value\(b\)'),
    ("select a from t1 where sum(b) > 1", "INVALID_WHERE_CONDITION", 1, 1, "Rewrite the query"),
    ("select sum(sum(a)) from t1", "NESTED_AGGREGATE_FUNCTION", 1, 12, "inner aggregate function in a sub-query"),
    ("select upper(a, b) from t1", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", 1, 8, "`upper` requires 1"),
    ("select a from t1 order by 9", "ORDER_BY_POS_OUT_OF_RANGE", 1, 27, r"range is \[1, 1\]"),
    ("select st.nofield from arr", "FIELD_NOT_FOUND", 1, 8, "`nofield` in `x`, `y`"),
    ("select sum(a) over w from t1", "MISSING_WINDOW_SPECIFICATION", 1, 8, "WINDOW w AS"),
    ("select * from t1 join t2 using (zz)", "UNRESOLVED_USING_COLUMN_FOR_JOIN", 1, 18, r"`zz`.*\[`a`, `b`, `c`\]"),
    ("select a from t1 limit -1", "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE", 1, 24, "equal to or greater than 0"),
    ("select :p", "UNBOUND_SQL_PARAMETER", 1, 8, "p. Give it a value"),
]


@pytest.mark.parametrize(("sql", "error_class", "line", "column", "says"), MISTAKES, ids=[m[0] for m in MISTAKES])
def test_a_mistake_is_told_with_its_place_and_a_way_out(sql, error_class, line, column, says):
    error = refused(sql)

    assert isinstance(error, ParseError | AnalysisError)
    assert error.error_class == error_class
    assert (error.line, error.column) == (line, column)
    assert str(error).startswith(f"[{error_class}] ")
    assert str(error).endswith(f"(line {line}, column {column})")
    with pytest.raises(type(error), match=f"(?s){says}"):
        raise error


def nested(opening: str, core: str, closing: str, times: int = 5_000) -> str:
    return opening * times + core + closing * times


DEEP = {
    "parentheses": "select " + nested("(", "1", ")"),
    "queries": nested("select a from (", "t1", ")"),
    "subqueries": nested("select a from t1 where a in (", "select 1", ")"),
    "never closed": "select * from " + "(" * 5_000,
    "case": "select " + nested("case when a = 1 then 1 else ", "0", " end") + " from t1",
    "calls": "select " + nested("abs(", "1", ")"),
    "not": "select " + "not " * 5_000 + "true",
    "minus": "select " + "- " * 5_000 + "1",
    "brackets": "select " + nested("a[", "1", "]") + " from t1",
    "lambdas": "select " + nested("transform(array(1), x -> ", "x", ")"),
    "types": "select cast(null as " + nested("array<", "int", ">") + ")",
    "casts": "select a" + "::int" * 5_000 + " from t1",
    "fields": "select a" + ".b" * 5_000 + " from t1",
    "sum": "select a" + " + a" * 5_000 + " from t1",
    "like": "select " + "(" * 5_000 + "c" + " like 'x')" * 5_000 + " from t1",
    "between": "select a from t1 where " + "a between 1 and (" * 5_000 + "1" + ")" * 5_000,
    "joins": "select 1 from t1" + " join t2" * 5_000,
    "commas": "select 1 from t1" + ", t2" * 5_000,
    "unions": "select 1" + " union all select 1" * 5_000,
    "with": nested("with x as (", "select 1", ") select * from x"),
}


def counted(sql):
    """How many calls it takes to refuse the text, and the error."""
    errors = []
    taken = steps(lambda: errors.append(refused(sql)))
    return taken, errors[0]


@pytest.mark.parametrize("sql", DEEP.values(), ids=DEEP.keys())
def test_five_thousand_levels_are_refused_at_once(sql):
    taken, error = counted(sql)

    assert taken < 1_500_000
    assert isinstance(error, ParseError | AnalysisError)
    assert len(str(error)) < 400
    assert error.error_class == "TOO_DEEP"
    assert error.line == 1 or "split it with views" in str(error)


BIG = {
    "in list": "select a from t1 where a in (" + ", ".join(map(str, range(700_000))) + ")",
    "rows": "select * from values " + ", ".join(f"({i}, {i})" for i in range(350_000)),
    "a string": f"select '{'x' * 5_000_000}'",
    "a name": f"select {'x' * 5_000_000}",
    "junk": "x " * 2_500_000,
    "parentheses": "(" * 5_000_000,
    "semicolons": ";" * 5_000_000,
}


@pytest.mark.parametrize("sql", BIG.values(), ids=BIG.keys())
def test_five_megabytes_are_refused_with_the_limit(sql):
    taken, error = counted(sql)

    assert taken < 20_000
    assert "at most 2,000,000 are read. Split it into files" in str(error)
    assert len(str(error)) < 300


def test_what_is_within_the_limit_plans():
    sql = "select a from t1 where a in (" + ", ".join(map(str, range(20_000))) + ")"

    assert "INSET" in QueryExecution(sql, small_catalog()).text("optimized")
