"""CREATE FUNCTION ... RETURN and calls, as Spark 4.3 plans them."""

from __future__ import annotations

import pytest

from planviz.analysis.routines import ResolveSQLFunctions
from planviz.execution import Session
from tests.plans import canonical

SETUP = """create temp view p as select * from values (1, 2.5D), (2, 3.5D) p(n, d);
create temporary function twice(v int) returns int return v * 2;
create temporary function scaled(v double, by double default 10.0) return v * by;
create temporary function best(k int) returns double return select max(d) from p where n = k;
"""

FUNCTIONS = "USER_DEFINED_FUNCTIONS"
TABLES = """create function pairs(n int, times int default 2) returns table(a int, b int) return select n, n * times;
create function rows_of(k int) returns table(total double) return select sum(d) from p where n = k group by n;
create function named() returns table return select 1 as one, 'x' as text;
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
        (
            "create temporary function f(a int default 1, b int) returns int return a",
            "USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_PARAMETER_POSITION",
        ),
        (
            "create temporary function f(a int default (select 1)) returns int return a",
            "USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_EXPRESSION",
        ),
        (
            "create temporary function f(a int default array(1)) returns int return a",
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
        ),
        (
            "create temporary function f(a int) returns int return array(a)",
            "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
        ),
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


def lines(sql: str) -> list[str]:
    return canonical(last(sql).execution.text("analyzed")).splitlines()


def test_a_call_over_aggregates_is_computed_above_them_and_one_beneath_them_below():
    found = lines("select n, twice(cast(sum(d) as int)) + sum(twice(n)) from p group by n")

    assert found[0].startswith("Project [n#1, (cast(twice(v#2) as bigint) + sum(twice(n))#3L) AS ")
    total = "CAST(sum(d) AS INT)#5"
    assert found[1].strip(" +-") == f"Project [n#1, {total}, sum(twice(n))#3L, cast({total} as int) AS v#2]"
    assert found[2].strip(" +-").startswith(f"Aggregate [n#1], [n#1, cast(sum(d#6) as int) AS {total}, sum(twice(v#7))")
    assert found[3].strip(" +-").startswith("Project [n#1, d#6, cast(n#1 as int) AS v#7]")


def test_rows_are_grouped_by_a_call_that_is_computed_beneath():
    found = lines("select twice(n), count(*) from p group by twice(n)")

    assert found[1].strip(" +-").startswith("Aggregate [twice#3], [twice#3 AS twice(n)#1")
    assert found[2].strip(" +-") == "Project [n#4, d#5, twice(v#6) AS twice#3]"


def test_having_asks_for_a_call():
    found = lines("select n from p group by n having twice(cast(sum(d) as int)) > 3")

    assert any(line.strip(" +-").startswith("Filter (twice(v#") for line in found)


def test_a_join_takes_the_body_with_its_arguments_where_they_are_read():
    execution = last("select a.n from p a join p b on twice(a.n) = b.n", "optimized").execution

    assert "Join Inner, (twice(v#2) = n#3)" in canonical(execution.text("analyzed"))
    assert "Join Inner, ((n#1 * 2) = n#2)" in canonical(execution.text("optimized"))


def test_views_are_found_under_small_letters_and_share_no_ids_with_the_query():
    found = lines("create temp view Big as values (1), (2); select twice(col1) from BIG")

    assert "   +- SubqueryAlias big" in found
    assert any("View (`Big`, [col1#3])" in line for line in found)


def table_lines(sql: str) -> list[str]:
    return [line.strip(" :+-") for line in lines(TABLES + sql)]


def test_a_call_in_from_is_the_functions_query_with_its_arguments():
    found = table_lines("select * from pairs(3)")

    assert found[1:3] == ["SQLFunctionNode spark_catalog.default.pairs", "SubqueryAlias pairs"]
    assert found[3] == "Project [cast(n#3 as int) AS a#1, cast((outer(pairs.n) * outer(pairs.times))#4 as int) AS b#2]"
    assert found[4].startswith("Project [cast(3 as int) AS n#3, (cast(3 as int) * cast(2 as int)) AS ")
    optimized = last(TABLES + "select * from pairs(n => 3, times => 5)", "optimized").execution.text("optimized")
    assert canonical(optimized).startswith("Project [3 AS a#1, 15 AS b#2]")


def test_a_call_reads_the_row_before_it_and_keeps_a_join_where_it_aggregates():
    plain = table_lines("select * from p, lateral pairs(n)")
    summed = table_lines("select * from p, lateral rows_of(n)")

    assert not any(line.startswith("LateralJoin lateral-subquery") for line in plain[2:])
    assert any(line.startswith("Project [cast(outer(n#1) as int) AS n#") for line in plain)
    assert any(line.startswith("LateralJoin lateral-subquery#") for line in summed[2:])
    assert any(line.startswith("Project [cast(outer(n#1) as int) AS k#") for line in summed)


def test_the_query_of_a_function_names_its_columns():
    assert table_lines("select * from named()")[0] == "Project [one#1, text#2]"


def test_a_query_of_one_value_is_that_value():
    found = lines("create function same(x int) returns int return select x; select same(n) from p")

    assert found[0] == "Project [spark_catalog.default.same(x#1) AS spark_catalog.default.same(n)#2]"


@pytest.mark.parametrize(
    ("sql", "error_class"),
    [
        ("select pairs(1)", "NOT_A_SCALAR_FUNCTION"),
        ("select * from twice(1)", "NOT_A_TABLE_FUNCTION"),
        ("select * from abs(1)", "NOT_A_TABLE_FUNCTION"),
        ("select * from pairs()", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
        ("create function f() returns table(a int) return 1", f"{FUNCTIONS}.SQL_TABLE_UDF_BODY_MUST_BE_A_QUERY"),
        ("create function f() returns table(a int) return select 1, 2", f"{FUNCTIONS}.RETURN_COLUMN_COUNT_MISMATCH"),
    ],
)  # fmt: skip
def test_wrong_uses_of_table_functions(sql, error_class):
    assert last(TABLES + sql).error.error_class == error_class


def test_a_chain_of_functions_is_not_put_together_for_every_link(monkeypatch):
    bodies = 0
    put_in = ResolveSQLFunctions._body

    def counted(self, call, levels):
        nonlocal bodies
        bodies += 1
        return put_in(self, call, levels)

    monkeypatch.setattr(ResolveSQLFunctions, "_body", counted)
    session = Session()
    links = [f"CREATE FUNCTION f{i}(x INT) RETURNS INT RETURN f{i - 1}(x) + 1" for i in range(1, 30)]
    outcomes = list(session.run(";".join(["CREATE FUNCTION f0(x INT) RETURNS INT RETURN x", *links]), "analyzed"))
    assert [o.error for o in outcomes if o.error] == []
    assert bodies < 2 * len(links)
