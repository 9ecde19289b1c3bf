"""No statement that does more than ask for rows reaches a live Spark, and each refusal says why and where."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from types import SimpleNamespace

import pytest

from planviz.errors import StatementRefused
from planviz.frontend import parse_script
from planviz.spark.function_options import OPTIONS, known_functions
from planviz.spark.safety import check_functions, check_with_spark, queries_of
from tests.acceptance.engines import real_spark, skip_without_java
from tests.conftest import ROOT, SHARED
from tests.spark.hostile import PASSES, statements

HOSTILE = [pair for pair in statements() if pair[0] != PASSES]
HARMLESS = [sql for said, sql in statements() if said == PASSES]
#: What only Spark's own settings, or planviz' reading of names and numbers, can tell from a query.
_QUERIES_TO_SPARK = (
    "reads a file", "any method of Java", "up to", "grows beyond", "document type", "GROUP BY stands", "keep Spark",
    "operators to plan", "Options of a table", "file and no address", "map of plain texts", "arguments by name",
    "no function of Spark", "IDENTIFIER", "not on the list", "cannot read", "would compare",
)  # fmt: skip


@pytest.mark.parametrize(("said", "sql"), HOSTILE, ids=[sql[:60] for _, sql in HOSTILE])
def test_a_hostile_statement_is_refused_with_its_reason_and_place(said, sql):
    with pytest.raises(StatementRefused) as refused:
        queries_of(sql)
    assert said in str(refused.value)
    assert str(refused.value).startswith("Line ") or "(line " in str(refused.value) or "at most" in str(refused.value)


@pytest.mark.parametrize(
    "sql",
    [
        "EXPLAIN INSERT INTO t SELECT 1",
        "EXPLAIN EXTENDED INSERT OVERWRITE DIRECTORY '/tmp/x' USING parquet SELECT 1",
        "EXPLAIN CREATE TABLE x USING parquet AS SELECT 1 AS a",
        "EXPLAIN CREATE VIEW v AS SELECT 1 AS a",
        "EXPLAIN CACHE TABLE c AS SELECT 1 AS a",
        "EXPLAIN WITH q AS (SELECT 1 AS a) INSERT INTO t SELECT a FROM q",
        "EXPLAIN FROM t INSERT INTO u SELECT a INSERT INTO v SELECT b",
        "FROM t INSERT INTO u SELECT a INSERT INTO v SELECT b",
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "UPDATE t SET a = 1 WHERE b = 2",
        "DELETE FROM t WHERE b = 2",
        "EXPLAIN MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "EXPLAIN DELETE FROM t",
        "WITH q AS (SELECT 1 AS id) MERGE INTO t USING q ON t.id = q.id WHEN MATCHED THEN DELETE",
        "EXPLAIN WITH q AS (SELECT 1 AS id) DELETE FROM t WHERE id IN (SELECT id FROM q)",
        "INSERT INTO t REPLACE WHERE a = 1 SELECT 1 AS a",
        "INSERT OVERWRITE LOCAL DIRECTORY '/tmp/x' SELECT 1",
        "CREATE OR REFRESH STREAMING TABLE s AS SELECT 1 AS a",
        "CREATE MATERIALIZED VIEW m AS SELECT 1 AS a",
    ],
)
def test_what_is_planned_here_of_a_write_is_not_given_to_a_live_spark(sql):
    with pytest.raises(StatementRefused, match="does more than ask for rows"):
        queries_of(sql)


@pytest.mark.parametrize("sql", HARMLESS)
def test_what_only_looks_dangerous_passes(sql):
    assert len(queries_of(sql)) == 1


def test_one_bad_statement_stops_all_and_is_named_by_its_place():
    with pytest.raises(StatementRefused, match=r"^Line 3: SET does more"):
        queries_of("SELECT 1;\n\nSET a=b;\nSELECT 2")
    with pytest.raises(StatementRefused, match=r"^Line 3, column 8: reflect\(\) calls"):
        queries_of("SELECT 1;\nSELECT a,\n       reflect('x', 'y') FROM t")
    with pytest.raises(StatementRefused, match="no statement in the text"):
        queries_of(" ; -- nothing\n")


QUERIES = [
    *sorted((ROOT / "sample_queries").rglob("*.sql")),
    *sorted((SHARED / "corpus" / "tpcds" / "queries").rglob("*.sql")),
]


def test_every_sample_query_and_every_query_of_tpc_ds_passes():
    passed = 0
    for path in QUERIES:
        for statement in parse_script(path.read_text(encoding="utf-8")):
            if statement.kind == "query":
                assert len(queries_of(statement.sql)) == 1
                passed += 1
    assert passed >= 50


@pytest.mark.spark
def test_spark_s_own_parser_is_asked_too():
    skip_without_java()
    spark = real_spark().spark
    jvm, session = spark._jvm, spark._jsparkSession
    before = {table.name for table in spark.catalog.listTables()}
    refused = [sql for said, sql in HOSTILE if not any(word in said for word in _QUERIES_TO_SPARK) and ";" not in sql]
    assert len(refused) > 30
    for sql in [*refused, "BEGIN DROP TABLE t; END", "FROM t INSERT INTO u SELECT * INSERT INTO v SELECT *"]:
        with pytest.raises(StatementRefused, match=r"Spark reads \w+ in this text"):
            check_with_spark(jvm, session, sql)
    for sql in HARMLESS:
        check_with_spark(jvm, session, sql)
        assert spark.sql(sql)._jdf.queryExecution().optimizedPlan().toString()
    assert {table.name for table in spark.catalog.listTables()} == before


CORPUS = SHARED / "corpus" / "live" / "hostile_statements.txt"


def observed():
    """Statements that a real Spark was given, and the effects that each had."""
    lines = CORPUS.read_text(encoding="utf-8").splitlines() if CORPUS.is_file() else []
    at = [i for i, line in enumerate(lines) if line[:1] in "'\""]
    for begin, end in zip(at, [*at[1:], len(lines)], strict=True):
        effects = next((line for line in lines[begin:end] if "EFFECTS:" in line), "EFFECTS: []")
        yield ast.literal_eval(lines[begin]), ast.literal_eval(effects.split("EFFECTS:", 1)[1].strip())


@pytest.mark.skipif(not CORPUS.is_file(), reason=f"the captures are not at {CORPUS}")
def test_nothing_that_had_an_effect_on_a_real_spark_passes():
    passed = {}
    for sql, effects in observed():
        with suppress(StatementRefused):
            queries_of(sql)
            passed[sql] = effects
    assert len(passed) >= 9
    assert not [sql for sql, effects in passed.items() if effects]
    assert not [sql for sql in passed if "java" in sql or "`/" in sql or "using" in sql]


@pytest.mark.parametrize("mode", ["", "FORMATTED "])
def test_of_an_explain_the_query_alone_is_given_to_spark(mode):
    assert [query.sql for query in queries_of(f"EXPLAIN {mode}SELECT 1 AS a")] == ["SELECT 1 AS a"]


@pytest.mark.spark
def test_somebody_has_looked_at_every_function_of_spark_that_takes_options():
    skip_without_java()
    spark = real_spark().spark
    names = {row[0] for row in spark.sql("SHOW ALL FUNCTIONS").collect()}
    assert {name for name in names if name.isidentifier()} <= known_functions()
    described = {}
    for name in names:
        with suppress(Exception):
            rows = spark.sql(f"DESCRIBE FUNCTION EXTENDED `{name}`").collect()
            described[name] = "\n".join(row[0] for row in rows)
    takes = {name for name, text in described.items() if re.search(rf"{re.escape(name)}\([^)]*\boptions\b", text)}
    assert takes
    assert takes <= set(OPTIONS)


def asked(*names):
    """A Spark that has these functions built in, and what it was asked."""
    said = []

    def sql(text):
        said.append(text)
        return SimpleNamespace(collect=lambda: [(name,) for name in names])

    return SimpleNamespace(sql=sql), said


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT Fetch_Url('http://127.0.0.1/')",
        "SELECT 1 FROM t WHERE EXISTS (SELECT system.builtin.fetch_url(a) FROM u)",
        "WITH c AS (SELECT max(`fetch_url`(a)) AS m FROM t) SELECT m FROM c",
        "SELECT transform(array('x'), x -> fetch_url(x))",
    ],
)
def test_a_function_of_tomorrow_is_refused_until_somebody_has_looked(sql):
    session, said = asked("fetch_url", "abs")
    with pytest.raises(StatementRefused, match=r"(?i)fetch_url\(\) is a function of this Spark"):
        check_functions(session, queries_of(sql)[0])
    assert said == ["SHOW SYSTEM FUNCTIONS"]


def test_a_function_that_somebody_registered_passes_and_spark_is_asked_only_where_a_name_is_new():
    session, said = asked("abs")
    check_functions(session, queries_of("SELECT my_own(a) FROM t")[0])
    assert len(said) == 1
    check_functions(session, queries_of("SELECT abs(a), max(b), concat(c, 'x') FROM t GROUP BY 1, 3")[0])
    assert len(said) == 1


def test_a_function_without_arguments_is_read_like_any_other():
    read = 0
    for name in sorted(known_functions()):
        with suppress(StatementRefused):
            read += len(queries_of(f"SELECT `{name}`()"))
    assert read > 500
