"""Small statements whose outcome in Spark 4.3 surprises."""

from __future__ import annotations

import pytest

from planviz.catalog import Catalog
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, ParseError
from planviz.execution import QueryExecution, Session


def refused(*statements):
    """The class of the last statement's error in a session."""
    session = Session(Catalog())
    return [list(session.run(s, "physical"))[-1].error for s in statements][-1].error_class


def analyzed(sql):
    return QueryExecution(sql).text("analyzed")


def place_and_class(sql):
    with pytest.raises((AnalysisError, ParseError)) as error:
        QueryExecution(sql).text("optimized")
    return error.value.error_class, error.value.column


@pytest.mark.parametrize(
    ("sql", "error_class"),
    [
        ("VALUES (1), ('a'), (NULL)", "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE"),
        ("VALUES (array(1)), (array('a'))", "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE"),
        ("SELECT lead(id, 1.5) OVER (ORDER BY id) FROM range(3)", "_LEGACY_ERROR_TEMP_1035"),
        ("SELECT lag(id, 'a') OVER (ORDER BY id) FROM range(3)", "_LEGACY_ERROR_TEMP_1035"),
        (
            "SELECT count(*) OVER (ORDER BY id > 1 RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM range(3)",
            "DATATYPE_MISMATCH.SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
        ),
        ("SELECT * FROM range(end => 3)", "NON_FOLDABLE_ARGUMENT"),
        ("SELECT mode(id, NULL) FROM range(3)", "DATATYPE_MISMATCH.UNEXPECTED_NULL"),
        ("SELECT mode(id, 1) FROM range(3)", "UNEXPECTED_INPUT_TYPE"),
        ("SELECT /*+ REPARTITION(id + 1) */ * FROM range(3)", "PARSE_SYNTAX_ERROR"),
        ("SELECT CAST(TIME '10:11:12' AS TINYINT)", "CAST_OVERFLOW"),
        ("SELECT regexp_replace('abc', 'b', 'x', 0)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("SELECT randstr(-1, 0)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("SELECT to_binary('zz', 'hex')", "CONVERSION_INVALID_INPUT"),
        (
            "SELECT from_json('{\"a\":\"x\"}', 'a INT', map('mode', 'FAILFAST'))",
            "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
        ),
        ("SELECT parse_json(a) FROM VALUES ('x') t(a)", "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"),
        ("SELECT variant_get(parse_json('{\"a\":\"x\"}'), '$.a', 'int')", "INVALID_VARIANT_CAST"),
        ("SELECT raise_error('x') FROM VALUES (1)", "USER_RAISED_EXCEPTION"),
        ("SELECT /*+ BROADCAST(1) */ 1", "_LEGACY_ERROR_TEMP_1046"),
        ("SELECT IDENTIFIER('t').* FROM range(3) t", "CANNOT_RESOLVE_STAR_EXPAND"),
        ("SELECT 1.5L", "PARSE_SYNTAX_ERROR"),
        (
            "SELECT * FROM (SELECT struct(1 AS a, 2 AS b) AS s) UNPIVOT (v FOR c IN (s.a, s.b))",
            "UNPIVOT_REQUIRES_ATTRIBUTES",
        ),
    ],
)
def test_what_is_refused(sql, error_class):
    assert place_and_class(sql)[0] == error_class


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT to_date('2020-02-30')", 8),
        ("SELECT concat('a', to_timestamp('x'))", 20),
        ("SELECT id + 1, dayofmonth(a) FROM VALUES (1, 'x') t(id, a)", 16),
        ("SELECT 1, array(id)[5] FROM VALUES (1) t(id)", 11),
    ],
)
def test_what_fails_stands_where_spark_finds_it(sql, column):
    assert place_and_class(sql)[1] == column


def test_two_brackets_in_a_list_are_a_value():
    assert " IN (scalar-subquery#" in analyzed("SELECT id IN ((SELECT 1L)) FROM range(3)")


def test_a_star_counts_once_in_the_names_of_a_struct():
    assert "col3, 2) AS s" in analyzed("SELECT struct(1, t.*, 2) AS s FROM VALUES (1, 2, 3) t(a, b, c)")


def test_an_outer_struct_gives_its_fields():
    sql = "SELECT * FROM (SELECT named_struct('a', 1) AS s) t, LATERAL (SELECT s.*) l"
    assert ".a AS a#" in analyzed(sql)


def test_values_wait_for_the_moment():
    execution = QueryExecution("SELECT * FROM VALUES (current_date(), 1), (NULL, 2) t(a, b) WHERE b = 1")
    assert "ResolvedInlineTable [[current_date(Some(Etc/UTC)), 1], [cast(null as date), 2]], [a#" in execution.text(
        "analyzed"
    )
    assert execution.text("optimized").startswith("LocalRelation [a#")


def test_the_frequencies_of_a_percentile_are_a_column():
    assert "percentile(id#" in analyzed("SELECT percentile(id, 0.5, id) FROM range(3)")


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("SELECT id FROM range(3) ORDER BY id IN (SELECT 1)", 37),
        ("SELECT * FROM range(3) FULL JOIN LATERAL (SELECT 1) l ON true", 24),
        ("FROM range(3) |> WHERE sum(id) > 1", 1),
        ("FROM range(3) |> DROP nope", 1),
        ("FROM range(3) |> AGGREGATE sum(id) GROUP BY ALL", 1),
        ("SELECT 'a' COLLATE 'UNICODE'", 20),
        ("SELECT 1, INTERVAL 1 YEAR 2 DAYS", 11),
        ("SELECT sum(id) OVER (w ORDER BY id) FROM range(3) WINDOW w AS (ORDER BY id)", 21),
        ("SELECT * FROM VALUES ((SELECT 1))", 15),
        ("SELECT * FROM (SELECT 1) TABLESAMPLE (-1 ROWS)", 39),
    ],
)
def test_more_places(sql, column):
    assert place_and_class(sql)[1] == column


def test_what_a_recursive_query_defines_stays_in_it():
    lines = analyzed(
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL "
        "(WITH c AS (SELECT n + 1 AS m FROM r WHERE n < 4) SELECT m FROM c)) SELECT * FROM r"
    ).splitlines()
    inner = [line.lstrip(": +-") for line in lines]
    assert [x for x in inner if "CTE" in x or "UnionLoop" in x][:5] == [
        "WithCTE",
        "CTERelationDef 0, false",
        "UnionLoop 0",
        "WithCTE",
        "CTERelationDef 1, false",
    ]


@pytest.mark.parametrize(
    ("statements", "error_class"),
    [
        (
            (
                "CREATE TEMPORARY FUNCTION f(x INT) RETURNS INT RETURN x + 1",
                "CREATE VIEW v AS SELECT f(1) AS z",
            ),
            "INVALID_TEMP_OBJ_REFERENCE",
        ),
        (("DECLARE v1 INT", "CREATE VIEW v AS SELECT v1 AS z"), "INVALID_TEMP_OBJ_REFERENCE"),
        (("CREATE TEMPORARY VIEW v(a, a) AS SELECT 1, 2",), "COLUMN_ALREADY_EXISTS"),
        (("CREATE TEMPORARY VIEW v AS SELECT 1 AS a", "DESCRIBE v nope"), "COLUMN_NOT_FOUND"),
        (("CREATE TEMPORARY VIEW v AS SELECT 1 AS a", "SHOW CREATE TABLE v"), "EXPECT_PERMANENT_VIEW_NOT_TEMP"),
        (("EXECUTE IMMEDIATE nm",), "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
    ],
)
def test_what_a_session_refuses(statements, error_class):
    assert refused(*statements) == error_class


def test_a_call_by_name_shows_the_defaults():
    session = Session(Catalog())
    parameters = "x INT DEFAULT 3, y STRING DEFAULT ''"
    list(session.run(f"CREATE TEMPORARY FUNCTION f({parameters}) RETURNS STRING RETURN y || x", "analyzed"))
    (made,) = session.run("SELECT f(y => 'z')", "analyzed")
    assert "AS f(3, z)#" in made.execution.text("analyzed")


def test_a_subquery_in_the_condition_of_a_lateral_join():
    sql = "SELECT * FROM range(3) a LEFT JOIN LATERAL (SELECT a.id + 1 AS b) l ON (SELECT max(id) FROM range(4)) = 1"
    assert "LeftOuter, (scalar-subquery#" in analyzed(sql)


@pytest.mark.parametrize(
    ("sql", "error_class"),
    [
        ("SELECT ID FROM range(3)", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("SELECT T.id FROM range(3) t", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("SELECT named_struct('a', 1).A", "FIELD_NOT_FOUND"),
        ("SELECT * FROM range(3) a JOIN range(4) b USING (ID)", "UNRESOLVED_USING_COLUMN_FOR_JOIN"),
        ("SELECT * EXCEPT (ID) FROM range(3)", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("SELECT sum(id) OVER W FROM range(3) WINDOW w AS (ORDER BY id)", "MISSING_WINDOW_SPECIFICATION"),
        ("SELECT id AS X FROM range(3) ORDER BY x", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ],
)
def test_names_differ_by_case_where_the_session_says_so(sql, error_class):
    assert "Project" in analyzed(sql)
    config = OptimizerConfig.of(**{"spark.sql.caseSensitive": True})
    with pytest.raises(AnalysisError) as error:
        QueryExecution(sql, config=config).text("analyzed")
    assert error.value.error_class == error_class


def test_two_columns_that_differ_by_case():
    config = OptimizerConfig.of(**{"spark.sql.caseSensitive": True})
    session = Session(Catalog(), config)
    made = [*session.run("CREATE TEMPORARY VIEW v AS SELECT 1 AS a, 2 AS A; SELECT A, a FROM v", "analyzed")]
    assert [o.error for o in made] == [None, None]
    assert QueryExecution("SELECT named_struct('a', 1, 'A', 2).A", config=config).text("analyzed").count(".A") == 2
