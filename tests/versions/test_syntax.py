"""What the parser of an older version refuses, with its place, and the settings that parsers obey."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, ParseError
from planviz.execution import QueryExecution, Session, explain
from planviz.versions import PROFILES
from planviz.versions.functions import functions_after
from planviz.versions.syntax import SINCE, later_than
from tests.plans import small_catalog

LATER = """
3.0 3.1 select a from t1 where c like any ('a', 'b')
3.0 3.1 select count(distinct a) filter (where a > 1) from t1
3.1 3.2 select * from t1, lateral (select 1)
3.1 3.2 select try_cast(c as int) from t1
3.1 3.2 select a, b from t1 group by a, rollup (b)
3.1 3.2 select a, b from t1 group by grouping sets (rollup (a, b), (a))
3.1 3.2 select cast('1' as interval day)
3.2 3.3 select r'x' from t1
3.2 3.3 select c ilike 'x' from t1
3.2 3.3 select percentile_cont(0.5) within group (order by a) from t1
3.3 3.4 select a from t1 limit 3 offset 1
3.3 3.4 select * from t1 unpivot (v for n in (a, b))
3.3 3.4 select * from arr, lateral explode(xs)
3.3 3.4 select timestamp_ntz'2020-01-01 00:00:00'
3.4 3.5 select identifier('a') from t1
3.4 3.5 select mask(str => c) from t1
3.5 4.0 from t1 |> select a
3.5 4.0 select mode() within group (order by a) from t1
3.5 4.0 select * except (a) from t1
3.5 4.0 select a::string from t1
3.5 4.0 select a << 1 from t1
3.5 4.0 with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select n from r
4.0 4.1 select a as identifier('x') from t1
4.0 4.1 select time'10:00:00'
4.1 4.2 select a from t1 tablesample bernoulli (10 percent)
4.2 4.3 select t1.a from t1 join t1 t2 approx nearest 2 by distance t1.a - t2.a
4.1 4.2 select a from t1 qualify row_number() over (order by a) = 1
"""


def text(sql: str, profile: str = "spark-4.3", stage: str = "analyzed", **settings: object) -> str:
    return explain(sql, small_catalog(), OptimizerConfig.of(profile, **settings)).text(stage)


@pytest.mark.parametrize("line", LATER.strip().splitlines())
def test_a_parser_refuses_what_the_next_version_reads_first(line):
    older, newer, sql = line.split(" ", 2)
    with pytest.raises(ParseError) as refused:
        text(sql, f"spark-{older}")
    assert refused.value.error_class in ("PARSE_SYNTAX_ERROR", "UNSUPPORTED_TYPED_LITERAL")
    assert refused.value.line == 1
    assert refused.value.column > 1
    assert text(sql, f"spark-{newer}")


def test_the_newest_version_reads_everything_and_the_oldest_least():
    names = tuple(PROFILES)
    assert later_than(names[0], names) == {}
    assert later_than(names[-1], names) == SINCE
    assert functions_after(names[0], names) == {}


def test_a_function_of_a_later_version_is_none():
    with pytest.raises(AnalysisError, match=r"UNRESOLVED_ROUTINE.*array_append.*came with Spark 3\.4"):
        text("select array_append(xs, 1) from arr", "spark-3.3")
    assert "array_append" in text("select array_append(xs, 1) from arr", "spark-3.4")


@pytest.mark.parametrize(
    ("older", "newer", "sql"),
    [
        ("3.1", "3.2", "select decode(c, 'a', 1, 2) from t1"),
        ("3.2", "3.3", "select ceil(a, 1) from t1"),
        ("4.1", "4.2", "select max_by(a, b, 2) from t1"),
        ("4.0", "4.1", "select make_timestamp(date'2020-01-01', null) from t1"),
    ],
)
def test_a_function_takes_as_many_arguments_as_it_took_then(older, newer, sql):
    with pytest.raises(AnalysisError, match="WRONG_NUM_ARGS"):
        text(sql, f"spark-{older}")
    assert text(sql, f"spark-{newer}")


def test_only_range_stands_in_from_before_3_4():
    with pytest.raises(AnalysisError, match="UNRESOLVABLE_TABLE_VALUED_FUNCTION"):
        text("select * from explode(array(1, 2))", "spark-3.3")
    assert "Generate explode" in text("select * from explode(array(1, 2))", "spark-3.4")
    assert "Range" in text("select * from range(3)", "spark-3.3")


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("select (select b from t2 where t2.a = t1.a) from t1", "MUST_AGGREGATE_CORRELATED_SCALAR_SUBQUERY"),
        ("select (select max(b) from t2 where t2.a = t1.a group by c) from t1", "NON_CORRELATED_COLUMNS_IN_GROUP_BY"),
        (
            "select a from t1 where exists (select 1 from t2 where t2.a = t1.a limit 1)",
            "ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED",
        ),
        (
            "select a from t1 where exists (select 1 from t2 where t2.a = t1.a union all select 2)",
            "ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED",
        ),
    ],
)
def test_what_a_correlated_subquery_may_be_since_4_0_only(sql, condition):
    with pytest.raises(AnalysisError, match=condition):
        text(sql, "spark-3.5")
    assert text(sql, "spark-4.0")


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("select a from t1 where a in (select t2.a + t1.b from t2)", "CORRELATED_REFERENCE"),
        (
            "select a from t1 where exists (select 1 from t2 join t3 on t2.a = t3.a and t3.b = t1.b)",
            "CORRELATED_REFERENCE",
        ),
        (
            "select a from t1 where exists (select sum(b) over (partition by a) from t2 where t2.b = t1.b)",
            "ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED",
        ),
        (
            "select a from t1 where exists (select max(a) from t2 where t2.b > t1.b)",
            "CORRELATED_COLUMN_IS_NOT_ALLOWED_IN_PREDICATE",
        ),
    ],
)
def test_what_exists_and_in_may_read_of_the_query_around_since_4_0_only(sql, condition):
    with pytest.raises(AnalysisError, match=condition):
        text(sql, "spark-3.5")
    assert text(sql, "spark-4.0")


def test_before_4_0_exists_compares_what_an_aggregate_groups_by():
    sql = "select a from t1 where exists (select max(a) from t2 where t2.b = t1.b having max(a) > 1)"
    assert re.search(r"Join LeftSemi, \(b#\d+ = b#\d+\)", text(sql, "spark-3.5", "optimized"))
    assert re.search(r"Join LeftSemi, \(b#\d+ <=> b#\d+\)", text(sql, "spark-4.0", "optimized"))


def test_before_3_4_a_scalar_subquery_compares_for_equality_below_its_aggregate():
    sql = "select (select count(*) from t2 where t2.a = t1.a and t2.b > t1.b) from t1"
    with pytest.raises(AnalysisError, match="CORRELATED_COLUMN_IS_NOT_ALLOWED_IN_PREDICATE"):
        text(sql, "spark-3.3")
    assert text(sql, "spark-3.4")


def test_having_reads_an_operation_that_the_select_list_computes():
    sql = "select a, max(b) - min(b) as d from t1 group by a having max(b) - min(b) > 5"
    assert text(sql, "spark-3.3").startswith("Filter (d#")


@pytest.mark.parametrize(
    ("older", "stage", "sql", "then", "now"),
    [
        ("4.0", "optimized", "select to_date(c, 'yyyy') from t1", "try_to_timestamp", "try_to_date"),
        ("3.3", "analyzed", "select try_cast(c as int) from t1", "AS TRY_CAST(c AS INT)#", "AS c#"),
        (
            "3.3",
            "optimized",
            "with x as (select rand() r) select * from x, x y",
            "Repartition 200, true",
            "RepartitionByExpression",
        ),
    ],
)
def test_what_a_version_shows_and_the_next_does_not(older, stage, sql, then, now):
    following = {"4.0": "4.1", "3.3": "3.4"}[older]
    assert then in text(sql, f"spark-{older}", stage)
    assert now in text(sql, f"spark-{following}", stage)


def test_any_value_is_none_before_3_4():
    with pytest.raises(AnalysisError, match="UNRESOLVED_ROUTINE"):
        text("select any_value(a) from t1", "spark-3.3")
    assert "any_value" in text("select any_value(a) from t1", "spark-3.4")


def test_a_correlated_scalar_subquery_of_one_row_was_always_one():
    for sql in (
        "select (select max(b) from t2 where t2.a = t1.a) from t1",
        "select (select max(b) from t2 where t2.a = t1.a group by t2.a having max(b) > 1) from t1",
    ):
        assert "Aggregate" in text(sql, "spark-3.5")


def test_commands_of_4_0_are_none_before():
    for sql in (
        "create function f(x int) returns int return x + 1",
        "declare variable v int default 1",
        "execute immediate 'select 1'",
    ):
        with pytest.raises(ParseError, match=r"came with 4\.0"):
            list(Session(small_catalog(), OptimizerConfig.of("spark-3.5")).run(sql))
        assert list(Session(small_catalog(), OptimizerConfig.of("spark-4.0")).run(sql))


def test_a_window_may_be_another_one_by_name():
    sql = "select sum(a) over w, max(a) over x from t1 window w as v, v as (order by b), x as (v)"
    assert text(sql).count("windowspecdefinition(b#") == 2
    with pytest.raises(ParseError, match="UNRESOLVED_WINDOW_REFERENCE"):
        text("select sum(a) over w from t1 window w as v")
    with pytest.raises(ParseError, match="INVALID_WINDOW_REFERENCE"):
        text("select sum(a) over w from t1 window w as v, v as w")


def test_greatest_and_least_take_no_text_beside_a_number():
    with pytest.raises(AnalysisError, match="DATA_DIFF_TYPES"):
        text("select greatest(a, c) from t1")
    assert "greatest(a#" in text("select greatest(a, null) from t1")


def test_an_inner_definition_may_not_hide_an_outer_one_before_4_0():
    sql = "with t as (select 1 as x), u as (with t as (select 2 as x) select x from t) select x from u"
    with pytest.raises(AnalysisError, match="AMBIGUOUS_ALIAS_IN_NESTED_CTE"):
        text(sql, "spark-3.5")
    assert "2 AS x" in text(sql, "spark-4.0")
    assert "2 AS x" in text(sql, "spark-3.5", **{"spark.sql.legacy.ctePrecedencePolicy": "CORRECTED"})


@pytest.mark.parametrize(
    ("setting", "value", "sql", "stage", "usual", "other"),
    [
        ("ansi.doubleQuotedIdentifiers", True, 'select "a" from t1', "analyzed", "[a AS a#", "[a#"),
        ("legacy.exponentLiteralAsDecimal.enabled", True, "select 1e3 x", "analyzed", "[1000.0 AS", "[1000 AS"),
        (
            "legacy.setopsPrecedence.enabled", True, "select 1 union all select 2 intersect select 3", "analyzed",
            "Union", "Intersect",
        ),
        (
            "ansi.relationPrecedence", True, "select t1.b from t1, t2 join t3 on t2.a = t3.a", "analyzed",
            "\n+- Join Inner, (a#", "\n+- Join Inner\n",
        ),
        (
            "timestampType", "TIMESTAMP_NTZ", "select cast('2020-01-01' as timestamp) x", "analyzed",
            "as timestamp)", "as timestamp_ntz)",
        ),
        (
            "decimalOperations.allowPrecisionLoss", False,
            "select cast(cast(1 as decimal(38,10)) * cast(2 as decimal(38,10)) as string) x", "optimized",
            "2.000000 ", "2.00000000000000000000 ",
        ),
        (
            "legacy.literal.pickMinimumPrecision", False, "select price + 1 from orders", "analyzed",
            "cast(1 as decimal(1,0))", "cast(1 as decimal(10,0))",
        ),
        ("execution.useHashAggregateExec", False, "select a, count(*) from t1 group by a", "physical", "Hash", "Sort"),
        ("codegen.maxFields", 2, "select * from t1 where a > 1", "physical", "*(1) Filter", "Filter"),
        (
            "codegen.wholeStage.union.maxChildren", 1, "select a + 1 from t1 union all select b from t2", "physical",
            "*(1) Union", "Union",
        ),
        (
            "optimizer.optimizeOneRowRelationSubquery", False, "select (select a) from t1", "optimized",
            "Project", "Join",
        ),
        (
            "requireAllClusterKeysForDistribution", True,
            "select a, b, count(*) from (select a, b from t1 distribute by a) group by a, b", "physical",
            "hashpartitioning(a#2, 200)", "hashpartitioning(a#2, b#3, 200)",
        ),
    ],
)  # fmt: skip
def test_a_setting_changes_the_plan_as_it_says(setting, value, sql, stage, usual, other):
    off = {"spark.sql.adaptive.enabled": False}
    plain, changed = text(sql, stage=stage, **off), text(sql, stage=stage, **off, **{f"spark.sql.{setting}": value})
    assert plain != changed
    assert usual in plain
    assert other in changed


ANALYZED_LATER = """
3.3 3.4 UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY select exists (select 1 from t2) from t1
3.4 3.5 UNSUPPORTED_GENERATOR select explode(array(a)), explode(array(b)) from t1
3.3 3.4 UNRESOLVED_COLUMN select a as x, x + 1 from t1
3.3 3.4 UNRESOLVED_COLUMN select a, count(*) from t1 group by all
3.5 4.0 DATATYPE_MISMATCH select sum(amount) over (order by s_date range between interval 7 days preceding and current row) from orders
3.5 4.0 UNSUPPORTED_EXPR_FOR_OPERATOR select a, count(*) from t1 group by a having count(*) > 1 order by count(*)
3.5 4.0 UNRESOLVED_COLUMN select a, sum(b) from t1 group by a having sum(b) > 1 order by sum(b)
4.2 4.3 UNSUPPORTED_EXPR_FOR_OPERATOR select a, count(*) from t1 group by a having max(b) > 1 order by count(*)
"""  # noqa: E501


@pytest.mark.parametrize("line", ANALYZED_LATER.strip().splitlines())
def test_an_analyzer_refuses_what_the_next_version_takes_first(line):
    older, newer, condition, sql = line.split(" ", 3)
    with pytest.raises(AnalysisError) as refused:
        text(sql, f"spark-{older}")
    assert refused.value.error_class.startswith(condition)
    assert text(sql, f"spark-{newer}")


def test_order_by_reads_what_having_lets_through_in_every_version():
    sql = "select a, sum(b) as s from t1 group by a having s > 10 order by s, a + 1"
    for profile in ("spark-3.0", "spark-3.5", "spark-4.2"):
        assert text(sql, profile).startswith("Sort [s#")


def test_a_doubled_quote_is_none_before_4_1():
    sql = """select 'it''s', "a""b", 'c''\\'d' from t1"""

    assert text(sql, "spark-4.0").startswith("Project [its AS its#")
    assert "ab AS ab#" in text(sql, "spark-4.0")
    assert "c'd AS c'd#" in text(sql, "spark-4.0")
    assert text(sql, "spark-4.1").startswith("Project [it's AS it's#")
    assert """c''d AS c''d#""" in text(sql, "spark-4.1")


def test_a_unit_is_shown_as_it_was_written():
    for unit in ("day", "MONTH", "Hour"):
        assert f"timestampdiff({unit}, " in text(f"select datediff({unit}, s_date, s_date) from orders")


def test_a_semi_join_without_keys_goes_below_an_aggregate_before_4_0():
    sql = "select /*+ broadcast(t2) */ * from (select a, count(*) from t1 group by a) x left semi join t2 on x.a < t2.a"
    tables = small_catalog()
    plans = {p: QueryExecution(sql, tables, OptimizerConfig.of(p)).optimized for p in ("spark-3.5", "spark-4.0")}
    assert [str(p.tree_string).split(" ")[0] for p in plans.values()] == ["Aggregate", "Join"]
