"""Commands on tables, views and databases: what Spark 4.3 refuses, and what later statements see."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import Session

SETUP = (
    "create table t (a int, b string) using parquet; create view v as select a from t; "
    "create temp view w as select 1 as a; create table p (a int, k string) using parquet partitioned by (k)"
)
REFUSED = [
    ("create table t (a int) using parquet", "TABLE_OR_VIEW_ALREADY_EXISTS"),
    ("create database d; create table nowhere.t (a int) using parquet", "SCHEMA_NOT_FOUND"),
    ("create table a.b.c (a int) using parquet", "REQUIRES_SINGLE_PART_NAMESPACE"),
    ("create table x (a int, k int) using parquet partitioned by (a, k)", "ALL_PARTITION_COLUMNS_NOT_ALLOWED"),
    ("create table x (a int) using parquet partitioned by (q)", "COLUMN_NOT_DEFINED_IN_TABLE"),
    ("create table x (a int) using parquet comment 'c' comment 'd'", "DUPLICATE_CLAUSES"),
    ("create table x (a int, b int generated always as (a)) using parquet", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ("create table x (a int default 'q') using parquet", "INVALID_DEFAULT_VALUE.DATA_TYPE"),
    ("create table x (a tinyint default 700) using parquet", "INVALID_DEFAULT_VALUE.DATA_TYPE"),
    ("create table x (a int default b, b int) using parquet", "INVALID_DEFAULT_VALUE.NOT_CONSTANT"),
    ("create table x (a int default (select 1)) using parquet", "INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION"),
    ("create external table x (a int) using parquet", "CREATE_EXTERNAL_TABLE_WITHOUT_LOCATION"),
    ("create table x as select 1 as a, 2 as a", "COLUMN_ALREADY_EXISTS"),
    ("create view v as select 1 as a", "TABLE_OR_VIEW_ALREADY_EXISTS"),
    ("create temp view w as select 2 as a", "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS"),
    ("create view x (a, b) as select a from t", "CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"),
    ("create temp view x (a) as select a, b from t", "CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"),
    ("create view x as select a from w", "INVALID_TEMP_OBJ_REFERENCE"),
    ("create view x as select a from t where a in (select a from w)", "INVALID_TEMP_OBJ_REFERENCE"),
    ("create view x as select a + 1 from t", "CREATE_PERMANENT_VIEW_WITHOUT_ALIAS"),
    (
        "create view x as with n(i) as (values (1), (2)) select sum(i) from n",
        "CREATE_PERMANENT_VIEW_WITHOUT_ALIAS",
    ),
    ("create temp view d.x as select 1", "INVALID_TEMP_OBJ_QUALIFIER"),
    ("create or replace view if not exists x as select 1 as a", "CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE"),
    ("alter view t as select 1 as a", "EXPECT_VIEW_NOT_TABLE.NO_ALTERNATIVE"),
    ("insert into p partition (k = 'x', K = 'y') values (1)", "DUPLICATE_KEY"),
    ("create table x (a int primary key, b int primary key) using parquet", "MULTIPLE_PRIMARY_KEYS"),
    ("create table x (a int, b int) using parquet partitioned by (a, A)", "COLUMN_ALREADY_EXISTS"),
    ("create table x (a int, b map<int, int>) using parquet partitioned by (b)", "INVALID_PARTITION_COLUMN_DATA_TYPE"),
    ("describe t z", "COLUMN_NOT_FOUND"),
    ("describe table t a.b", "INVALID_EXTRACT_BASE_FIELD_TYPE"),
    ("describe t partition (a = 1)", "_LEGACY_ERROR_TEMP_1251"),
    ("describe function nothing", "UNRESOLVED_ROUTINE"),
    ("refresh function nothing", "ROUTINE_NOT_FOUND"),
    ("show tables in nowhere", "SCHEMA_NOT_FOUND"),
    ("show table extended in nowhere like 't'", "SCHEMA_NOT_FOUND"),
    ("show functions in nowhere", "SCHEMA_NOT_FOUND"),
    ("show columns in t in nowhere", "TABLE_OR_VIEW_NOT_FOUND"),
    ("show create table t as serde", "UNSUPPORTED_SHOW_CREATE_TABLE.ON_DATA_SOURCE_TABLE_WITH_AS_SERDE"),
    ("analyze table t compute statistics for columns a, z", "COLUMN_NOT_FOUND"),
    (
        "create table x (m map<int, int>); analyze table x compute statistics for columns m",
        "UNSUPPORTED_FEATURE.ANALYZE_UNSUPPORTED_COLUMN_TYPE",
    ),
    ("analyze table v compute statistics", "UNSUPPORTED_FEATURE.ANALYZE_VIEW"),
    ("analyze tables in nowhere compute statistics", "SCHEMA_NOT_FOUND"),
    ("comment on column t.z is 'c'", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("comment on database nowhere is 'c'", "SCHEMA_NOT_FOUND"),
    ("drop database default", "UNSUPPORTED_FEATURE.DROP_DATABASE"),
    ("load data local inpath '/x' into table t", "_LEGACY_ERROR_TEMP_1261"),
    ("msck repair table t", "NOT_A_PARTITIONED_TABLE"),
    ("truncate table t partition (a = 1)", "_LEGACY_ERROR_TEMP_1267"),
    ("alter table t add partition (a = 1)", "_LEGACY_ERROR_TEMP_1251"),
    ("alter table t drop if exists partition (a = 1)", "_LEGACY_ERROR_TEMP_1251"),
    ("alter table t add column c int not null", "_LEGACY_ERROR_TEMP_1052"),
    ("alter table t alter column z comment 'c'", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("alter table t alter column a type bigint", "NOT_SUPPORTED_CHANGE_COLUMN"),
    ("alter table t change column a c int", "NOT_SUPPORTED_CHANGE_COLUMN"),
    ("alter table t add constraint c check (a > 0)", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ("drop function nothing", "ROUTINE_NOT_FOUND"),
    ("drop temporary function nothing", "ROUTINE_NOT_FOUND"),
    ("drop function upper", "FORBIDDEN_OPERATION"),
    ("drop function nowhere.f", "SCHEMA_NOT_FOUND"),
    (
        "create temporary function if not exists f() returns int return 1",
        "INVALID_SQL_SYNTAX.CREATE_TEMP_FUNC_WITH_IF_NOT_EXISTS",
    ),
    ("create temporary function d.f() returns int return 1", "INVALID_TEMP_OBJ_QUALIFIER"),
    (
        "create or replace function if not exists f() returns int return 1",
        "INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE",
    ),
    ("create function f() returns table return select 1", "USER_DEFINED_FUNCTIONS.SQL_TABLE_UDF_MISSING_COLUMN_NAMES"),
    ("create function f() returns table (a int, A int) return select 1, 2", "DUPLICATE_ROUTINE_RETURNS_COLUMNS"),
    ("set spark.sql.shuffle.partitions = many", "INVALID_CONF_VALUE.TYPE_MISMATCH"),
    ("set spark.sql.warehouse.dir = /x", "CANNOT_MODIFY_STATIC_CONFIG"),
    ("set spark.executor.memory = 1g", "CANNOT_MODIFY_CONFIG"),
    ("set time zone 'nowhere'", "INVALID_CONF_VALUE.TIME_ZONE"),
    ("declare n", "INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED"),
    ("declare n int = (select max(a) from t)", "INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION"),
    ("declare nowhere.n int", "UNRESOLVED_VARIABLE"),
    ("declare n, N int", "DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE"),
    ("declare n int; set n = 5", "UNSUPPORTED_FEATURE.SET_VARIABLE_USING_SET"),
    (
        "create function f(n int not null) returns int return 1",
        "USER_DEFINED_FUNCTIONS.NOT_NULL_ON_FUNCTION_PARAMETERS",
    ),
    (
        "create function f() returns bigint contains sql return (select sum(a) from t)",
        "INVALID_SQL_FUNCTION_DATA_ACCESS",
    ),
    ("execute immediate 'select 1' into nothing", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
    ("execute immediate 'select :n' using 5", "ALL_PARAMETERS_MUST_BE_NAMED"),
    ("drop table x", "TABLE_OR_VIEW_NOT_FOUND"),
    ("drop view t", "WRONG_COMMAND_FOR_OBJECT_TYPE"),
    ("alter table x add columns (c int)", "TABLE_OR_VIEW_NOT_FOUND"),
    ("alter table t add columns (A int)", "COLUMN_ALREADY_EXISTS"),
    ("alter table t drop column a", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ("show partitions t", "INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY"),
    ("describe x", "TABLE_OR_VIEW_NOT_FOUND"),
    ("use nowhere", "SCHEMA_NOT_FOUND"),
    ("create database default", "SCHEMA_ALREADY_EXISTS"),
    ("insert into x values (1)", "TABLE_OR_VIEW_NOT_FOUND"),
    ("insert into v values (1)", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE"),
    ("insert into t values (1)", "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"),
    ("insert into t (a) values (1, 'x')", "INSERT_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS"),
    ("insert into t (a, z) values (1, 'x')", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("insert into t by name select 1 as a, 2 as z", "INCOMPATIBLE_DATA_FOR_TABLE.EXTRA_COLUMNS"),
    ("insert into t values ('x', 'y')", "INCOMPATIBLE_DATA_FOR_TABLE.CANNOT_SAFELY_CAST"),
    ("insert into p partition (z = 1) values (1)", "PARTITIONS_NOT_FOUND"),
    ("update t set b = 'x' where z = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
    ("delete from t where a = 1", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
    ("merge into t using p on t.a = p.a", "MERGE_WITHOUT_WHEN"),
    ("merge into t using p on t.a = p.a when matched then delete", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
]


def last(sql: str):
    *_, outcome = Session().run(f"{SETUP}; {sql}")
    return outcome


@pytest.mark.parametrize(("sql", "error_class"), REFUSED)
def test_a_command_is_refused_with_spark_s_class(sql, error_class):
    error = last(sql).error
    assert error is not None
    assert error.error_class == error_class


@pytest.mark.parametrize(
    "sql",
    [
        "create table if not exists t (z int) using parquet; select a, b from t",
        "create table x like t; select a, b from x",
        "alter table t add columns (c int); select c from t",
        "alter table t rename to x; select a, b from x",
        "alter view v as select b from t; select b from v",
        "create or replace view v as select b from t; select b from v",
        "drop view if exists x; drop table if exists x; select 1",
        "create database d; create table d.x (a int) using parquet; select a from d.x",
        "insert into p partition (k = 'x') select a from t",
        "insert into t values (1, default)",
        "create table x (s struct<p: int, q: array<struct<r: int>>>); insert into x select struct(1, array(struct(2)))",
        "create function f as 'a.B'; drop function f; select 1",
        "create function f() returns int return 1; drop function f; drop function if exists f; select 1",
        "show tables; show tables in default; describe function case; describe t a; select 1",
        "alter table t alter column a comment 'c'; analyze table t compute statistics for columns a; select a from t",
        "msck repair table p; alter table p add partition (k = 'x'); truncate table p partition (k = 'x'); select 1",
        "create function upper(s string) returns string return 'own'; select upper(b), default.upper(b) from t",
        "insert overwrite t (b, a) select k, a from p",
        "from t insert into t select a, b insert into p select a, b",
        "with q as (select * from t) insert into t select * from q",
        "begin if 1 = 1 then select case 1 when 1 then 2 end; end if; while false do select 1; end while; end",
    ],
)
def test_a_command_is_taken_and_later_statements_see_it(sql):
    outcomes = list(Session().run(f"{SETUP}; {sql}"))
    assert [o.error for o in outcomes] == [None] * len(outcomes)


def test_a_block_is_the_statements_in_it():
    outcomes = list(Session().run("begin declare x int; begin select x; end; end; select 2"))
    assert [o.statement.sql for o in outcomes] == ["declare x int", "select x", "END", "select 2"]


def test_a_table_that_is_guessed_may_be_written_to():
    *_, outcome = Session(infer=True).run("insert into guessed select a from other; select a from other")
    assert outcome.error is None


@pytest.mark.parametrize(
    ("sql", "error_class"),
    [
        ("execute immediate 'select 1'", None),
        ("execute immediate 'select a from t where a > ? and b = ?' using 1, 'x'", None),
        ("execute immediate 'select :x + :y' using 1 as x, 2 as y", None),
        ("execute immediate 'select ?' using 1 as x", None),
        ("declare q string = 'select z from t'; execute immediate q", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("execute immediate 'select :x'", "UNBOUND_SQL_PARAMETER"),
        ("execute immediate 'selekt 1'", "PARSE_SYNTAX_ERROR"),
        ("execute immediate 'select 1; select 2'", "PARSE_SYNTAX_ERROR"),
        ("execute immediate null", "INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE"),
        ("execute immediate 'drop table x'", "TABLE_OR_VIEW_NOT_FOUND"),
    ],
)
def test_execute_immediate_is_what_its_text_is(sql, error_class):
    error = last(sql).error
    assert (None if error is None else error.error_class) == error_class


def test_execute_immediate_may_fill_a_variable():
    outcome = last("declare n int = 1; execute immediate 'select 41 + ?' into n using 1; select n")
    assert "variablereference(system.session.n=42)" in outcome.execution.text("analyzed")


@pytest.mark.parametrize(
    ("sql", "now", "before"),
    [
        ("drop table v", None, "WRONG_COMMAND_FOR_OBJECT_TYPE"),
        ("drop function nothing", "ROUTINE_NOT_FOUND", "UNRESOLVED_ROUTINE"),
        ("drop function upper", "FORBIDDEN_OPERATION", "_LEGACY_ERROR_TEMP_1017"),
    ],
)
def test_before_spark_4_2_drop_tells_views_and_routines_otherwise(sql, now, before):
    for version, wanted in (("spark-4.2", now), ("spark-4.1", before)):
        *_, outcome = Session(config=OptimizerConfig.of(version)).run(f"{SETUP}; {sql}")
        assert getattr(outcome.error, "error_class", None) == wanted


def test_what_within_group_orders_by_is_a_column_where_values_are_distinct():
    *_, outcome = Session().run(f"{SETUP}; select listagg(distinct b) within group (order by b) from t", "physical")

    assert "HashAggregate(keys=[b#4, b#4]" in re.sub(r"#\d+", "#4", outcome.execution.text("physical"))


@pytest.mark.parametrize(
    ("sql", "error_class"),
    [
        ("create table made (x int) as select 1", "_LEGACY_ERROR_TEMP_0035"),
        ("create view w as select a from t; create or replace view w as select * from w", "RECURSIVE_VIEW"),
        (
            "create view w as select a from t; create view x as select * from w; "
            "create or replace view w as select * from x",
            "RECURSIVE_VIEW",
        ),
        ("describe select zz from t", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("explain nosuch", "PARSE_SYNTAX_ERROR"),
    ],
)
def test_what_makes_no_sense_is_refused(sql, error_class):
    errors = [o.error for o in Session().run(f"{SETUP}; {sql}") if o.error is not None]
    assert [e.error_class for e in errors] == [error_class]


def test_a_view_may_be_replaced_by_a_query_whose_definition_has_its_name():
    sql = "create view w as select a from t; create or replace view w as with w as (select b from t) select * from w"
    assert not [o.error for o in Session().run(f"{SETUP}; {sql}; select b from w") if o.error is not None]


@pytest.mark.parametrize("sql", ["describe select a from t", "desc query with q as (select a from t) select * from q"])
def test_a_described_query_has_a_plan(sql):
    *_, outcome = Session().run(f"{SETUP}; {sql}", "optimized")
    assert outcome.execution is not None
    assert outcome.statement.kind != "query"
