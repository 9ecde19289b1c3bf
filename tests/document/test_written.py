"""The query whose rows a statement writes is planned, with the write where that is one of files."""

from __future__ import annotations

import pytest

from planviz.document import open_sql
from planviz.document.decisions.reasons import why_here
from planviz.errors import ParseError
from tests.plans import small_catalog


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO kept SELECT id, count(*) AS n FROM raw GROUP BY id",
        "INSERT OVERWRITE TABLE kept PARTITION (day = '2026-01-31') SELECT id, count(*) AS n FROM raw GROUP BY id",
        "WITH r AS (SELECT id FROM raw) INSERT INTO kept SELECT id, count(*) AS n FROM r GROUP BY id",
        "CREATE TABLE kept AS SELECT id, count(*) AS n FROM raw GROUP BY id",
    ],
)
def test_it_has_plans_and_a_note(sql):
    found = open_sql(sql)

    assert [s.kind for s in found.statements] == ["query"]
    assert found.error is None
    ops = [node.op for node in found.plans[-1]]
    assert "HashAggregate" in ops
    assert ops[:3] == ["AdaptiveSparkPlan", "Execute", "WriteFiles"]
    assert any("not described: taken to be Parquet" in n or "once the table is made" in n for n in found.notes)


def test_of_a_table_of_another_format_it_has_the_query_s_plan_and_a_note():
    found = open_sql(
        "CREATE TABLE raw (id INT); CREATE TABLE kept (id INT) USING delta; INSERT INTO kept SELECT id FROM raw"
    )

    assert all(node.op != "Execute" for plan in found.plans for node in plan)
    assert any("the query whose rows are written" in note for note in found.notes)


@pytest.mark.parametrize("sql", ["CREATE TABLE b LIKE a", "CACHE TABLE a"])
def test_what_writes_no_rows_has_none(sql):
    found = open_sql(f"CREATE TABLE a (id INT) USING parquet; {sql}")

    assert found.plans == ()
    assert found.error is None


def test_a_later_query_reads_the_table_that_was_made():
    found = open_sql("CREATE TABLE kept AS SELECT id FROM raw; SELECT id FROM kept")

    assert [s.kind for s in found.statements] == ["query", "query"]
    assert "kept" in list(found.plans[-1])[-1].text


@pytest.mark.parametrize(
    "sql", ["INSERT INTO t SELEC a FROM b", "WITH x AS (SELECT 1 AS a) INSERT INTO t SELECT a b c FROM x"]
)
def test_a_query_that_cannot_be_read_is_told(sql):
    with pytest.raises(ParseError):
        open_sql(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "explain insert into t2 select a, b, c from t1 where a > 1",
        "explain extended insert overwrite table t2 select a, b, c from t1 where a > 1",
        "explain create table n using parquet as select a, b, c from t1 where a > 1",
        "explain with q as (select * from t1 where a > 1) insert into t2 select a, b, c from q",
        "insert overwrite directory '/tmp/x' using parquet select a, b, c from t1 where a > 1",
        "insert overwrite local directory '/tmp/x' row format delimited fields terminated by ',' "
        "select a, b, c from t1 where a > 1",
        "create or replace temp view v as select a, b, c from t1 where a > 1",
        "explain create view v as select a, b, c from t1 where a > 1",
        "from t1 insert into t2 select a, b, c where a > 1",
        "with q as (select * from t1) from q insert into t2 select a, b, c where a > 1",
    ],
)
def test_what_writes_or_names_rows_has_the_plan_of_its_query(sql: str) -> None:
    document = open_sql(sql, small_catalog())
    assert document.error is None
    (statement,) = document.statements
    assert statement.execution is not None
    assert "Filter (isnotnull(a#" in statement.execution.text("optimized")


def test_a_from_that_writes_to_several_tables_has_a_plan_for_each() -> None:
    sql = (
        "from t1 insert into t2 select a, b, c where a > 1 insert overwrite table t3 select a, b, c where b > 2 limit 5"
    )
    document = open_sql(sql, small_catalog())
    plans = [s.execution.text("optimized") for s in document.statements if s.execution is not None]
    assert len(plans) == 2
    assert "(a#" in plans[0]
    assert "GlobalLimit" not in plans[0]
    assert "GlobalLimit 5" in plans[1]
    assert [s.sql.split()[0] for s in document.statements] == ["from", "insert"]


def test_explained_tables_and_views_are_not_made() -> None:
    document = open_sql("explain create table t1 as select a from t2; select b from t1", small_catalog())
    assert document.error is None
    assert len(document.statements) == 2
    bare = open_sql("explain create table t1 (z int) using parquet; select b from t1", small_catalog())
    assert bare.error is None
    assert [s.kind for s in bare.statements] == ["unsupported", "query"]


@pytest.mark.parametrize(
    "sql", ["create table u like t1", "create function f(x int) returns int return x + 1", "cache table t1"]
)
def test_what_has_no_query_has_none_under_explain(sql: str) -> None:
    (statement,) = open_sql(f"explain {sql}", small_catalog()).statements
    assert statement.kind == "unsupported"
    assert statement.execution is None


def test_views_beside_a_query_have_no_plan_of_their_own() -> None:
    document = open_sql("create temp view v as select a from t1; select * from v", small_catalog())
    assert [s.kind for s in document.statements] == ["ddl", "query"]


def test_what_is_wrong_with_a_statement_as_a_whole_is_told_where_it_begins() -> None:
    tables = "CREATE TABLE t (a INT); CREATE TABLE s (a INT);\n\n"
    found = open_sql(f"{tables}  MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE")
    assert str(found.error).endswith("no table of spark_catalog does. (line 3, column 3)")


def test_the_sort_of_a_write_is_there_for_the_folders() -> None:
    found = open_sql("INSERT INTO kept PARTITION (day) SELECT id, day FROM raw")
    plan = found.plans[-1]
    reason = why_here(plan, next(node for node in plan if node.op == "Sort"))
    assert reason is not None
    first, second = (line.words for line in reason.lines)
    assert "one file open at a time" in first
    assert second.startswith("put in by V1Writes")


def test_what_fills_the_only_table_of_a_script_reads_tables_from_elsewhere() -> None:
    found = open_sql("CREATE TABLE kept (id INT) USING parquet; INSERT INTO kept SELECT id FROM raw")
    assert found.error is None
    assert [node.op for node in found.plans[-1]][:2] == ["Execute", "WriteFiles"]
    read = open_sql("CREATE TABLE kept (id INT) USING parquet; INSERT INTO kept SELECT id FROM raw; SELECT * FROM kept")
    assert getattr(read.error, "error_class", "") == "TABLE_OR_VIEW_NOT_FOUND"
