"""Statements that Spark 4.3 refuses, and the error class that it gives."""

from __future__ import annotations

import pytest

from planviz.execution import Session

FRAME = "select sum(n) over ({}) from p"
#: What every statement may read.
SETUP = "create temp view p as select * from values (1, 'a', 1.5), (2, 'b', null) p(n, s, d)"
REFUSED = [
    (FRAME.format("order by s range between 1 preceding and current row"), "SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE"),
    (FRAME.format("order by n rows between 0.5 preceding and current row"), "SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE"),
    (FRAME.format("order by n rows between 3 following and 2 following"), "SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON"),
    (
        FRAME.format("order by n rows between current row and unbounded preceding"),
        "SPECIFIED_WINDOW_FRAME_INVALID_BOUND",
    ),
    (FRAME.format("order by n, s range between 1 preceding and current row"), "RANGE_FRAME_MULTI_ORDER"),
    ("select rank() over (order by n rows 2 preceding) from p", "_LEGACY_ERROR_TEMP_1036"),
    ("select sum(distinct n) over (partition by s) from p", "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED"),
    ("select ntile(n) over (order by n) from p", "NON_FOLDABLE_INPUT"),
    ("select s from p qualify s = 'a'", "QUALIFY_REQUIRES_WINDOW_FUNCTION"),
    ("select 1 + explode(array(n)) from p", "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS"),
    ("select s from p order by explode(array(n))", "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT"),
    ("select explode(array(1)), explode(array(2)) from p group by s", "UNSUPPORTED_GENERATOR.MULTI_GENERATOR"),
    ("select map(n, s) from p union select map(1, 'b')", "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE"),
    ("select * from p a join p b on a.n = b.n and sum(a.n) > 1", "UNSUPPORTED_EXPR_FOR_OPERATOR"),
    ("select * from p right join lateral (select 1) on true", "INVALID_LATERAL_JOIN_TYPE"),
    ("select * from values (rand())", "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE"),
    ("select sum(n) over w from p window w as (order by n), w as ()", "REPETITIVE_WINDOW_DEFINITION"),
    (
        "select s, (select max(q.n) from p q where q.n = p.n) from p group by s",
        "SCALAR_SUBQUERY_IS_IN_GROUP_BY_OR_AGGREGATE_FUNCTION",
    ),
]


@pytest.mark.parametrize(("sql", "error_class"), REFUSED)
def test_a_statement_is_refused_with_spark_s_class(sql, error_class):
    session = Session()
    *_, outcome = session.run(f"{SETUP}; {sql}")

    assert outcome.error is not None
    assert outcome.error.error_class in (
        error_class,
        f"DATATYPE_MISMATCH.{error_class}",
        f"INVALID_SQL_SYNTAX.{error_class}",
    )


def test_a_scalar_subquery_that_may_give_more_rows_becomes_a_join_that_fails_on_the_second():
    *_, outcome = Session().run(f"{SETUP}; select n, (select q.s from p q where q.n = p.n) from p", "optimized")

    assert "Join LeftSingle, (n#" in outcome.execution.text("optimized")


def test_a_view_may_hold_a_with_clause():
    *_, outcome = Session().run(
        "create temp view v as with c as (select 1 as one) select one + 1 as two from c; table v"
    )

    assert outcome.error is None
    assert "CTERelationRef 0" in outcome.execution.text("analyzed")
