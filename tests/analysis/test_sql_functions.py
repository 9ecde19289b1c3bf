"""CREATE FUNCTION ... RETURN and calls, as Spark 4.3 plans them."""

from __future__ import annotations

import pytest

from planviz.execution import Session

SETUP = """create temp view p as select * from values (1, 2.5D), (2, 3.5D) p(n, d);
create temporary function twice(v int) returns int return v * 2;
create temporary function scaled(v double, by double default 10.0) return v * by;
create temporary function best(k int) returns double return select max(d) from p where n = k;
"""


def last(sql: str, stage: str = "analyzed"):
    *_, outcome = Session().run(SETUP + sql, stage)
    return outcome


def test_a_call_reads_its_arguments_from_a_project_beneath_and_is_its_body_to_the_optimizer():
    execution = last("select twice(n + 1) as t from p", "optimized").execution

    assert "twice(v#" in execution.text("analyzed")
    assert "cast((n#" in execution.text("analyzed")
    assert "* 2)" in execution.text("optimized") or "LocalRelation" in execution.text("optimized")


def test_calls_nest_and_take_defaults_and_names():
    assert "AS scaled(3.0, 2.0)#" in last("select scaled(by => 2.0, v => 3.0)").execution.text("analyzed")
    assert "[30.0 AS" in last("select scaled(3) as s", "optimized").execution.text("optimized")
    assert "[12 AS" in last("select twice(twice(3)) as s", "optimized").execution.text("optimized")


def test_a_body_may_be_a_query_that_reads_the_parameters():
    assert "= outer(k#" in last("select n from p where best(n) > 3").execution.text("analyzed")


@pytest.mark.parametrize(
    ("sql", "error_class"),
    [
        ("select twice()", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
        ("select twice(1, 2)", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
        ("select twice(w => 1)", "UNRECOGNIZED_PARAMETER_NAME"),
        ("create temporary function f(a int, A int) returns int return 1", "DUPLICATE_ROUTINE_PARAMETER_NAMES"),
        ("create temporary function f(a int) returns int return b", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        (
            "create temporary function f(a int) returns int return max(a)",
            "USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS",
        ),
        ("create temporary function twice(v int) returns int return v", "ROUTINE_ALREADY_EXISTS"),
    ],
)
def test_what_is_wrong_with_a_function(sql, error_class):
    assert last(sql).error.error_class == error_class


def test_a_function_that_was_dropped_is_not_known():
    execution = last("drop temporary function twice; select twice(1)").execution

    assert any("twice" in w for w in execution.warnings)
