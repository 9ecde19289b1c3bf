"""No statement that does more than ask for rows reaches a live Spark, and each refusal says why."""

from __future__ import annotations

import ast
from contextlib import suppress
from pathlib import Path

import pytest

from planviz.errors import StatementRefused
from planviz.spark.safety import check_with_spark, queries_of
from tests.acceptance.engines import real_spark, skip_without_java

COMMANDS = [
    "CREATE TABLE x (a int) USING parquet",
    "CREATE TEMPORARY VIEW v AS SELECT 1",
    "CREATE TABLE x USING parquet AS SELECT 1 AS a",
    "DROP TABLE x",
    "SET spark.sql.runSQLOnFiles=true",
    "RESET",
    "ADD JAR '/tmp/x.jar'",
    "CACHE TABLE t",
    "INSERT INTO t SELECT 1",
    "INSERT OVERWRITE DIRECTORY '/tmp/x' USING parquet SELECT 1",
    "EXECUTE IMMEDIATE 'DROP TABLE t'",
    "EXPLAIN SELECT 1",
    "CALL system.x()",
    "USE other",
]
UNREADABLE = [
    "BEGIN DROP TABLE t; END",
    "FROM t INSERT OVERWRITE DIRECTORY '/tmp/x' USING parquet SELECT *",
    "WITH c AS (INSERT INTO t SELECT 1) SELECT 1",
]
HIDDEN = [
    ("SELECT java_method('java.lang.System', 'exit', 1) FROM VALUES (1)", "java_method() calls any method"),
    ("SELECT a FROM t WHERE Reflect('x', 'y') IS NULL", "reflect() calls any method"),
    ("SELECT system.builtin.try_reflect('x', 'y')", "try_reflect() calls any method"),
    ("SELECT (SELECT max(reflect('x', 'y')) FROM t)", "reflect()"),
    ("SELECT 1 FROM t WHERE a IN (SELECT b FROM u WHERE reflect('x', 'y') = 'z')", "reflect()"),
    ("WITH c AS (SELECT reflect('x', 'y') AS r) SELECT 1 FROM t", "reflect()"),
    ("SELECT filter(array(1), x -> reflect('x', x) = 'y')", "reflect()"),
    ("SELECT 1 FROM t ORDER BY reflect('x', 'y')", "reflect()"),
    ("SELECT a FROM t JOIN u ON reflect('x', 'y') = 'z'", "reflect()"),
    ("SELECT * FROM VALUES (reflect('x', 'y')) AS v(a)", "reflect()"),
    ("SELECT sum(a) OVER (PARTITION BY reflect('x', 'y')) FROM t", "reflect()"),
    ("SELECT * FROM t, LATERAL (SELECT reflect('x', t.a))", "reflect()"),
    ("SELECT * FROM range(cast(reflect('x', 'y') AS int))", "reflect()"),
    ("SELECT a FROM t GROUP BY a HAVING reflect('x', 'y') = 'z'", "reflect()"),
    ("SELECT * FROM text.`/etc/passwd`", "reads a file by its path"),
    ("SELECT 1 FROM t WHERE EXISTS (SELECT * FROM JSON.`/etc/x`)", "reads a file by its path"),
    ("SELECT TRANSFORM(a) USING 'touch /tmp/x' FROM t", "would start the program"),
    ("SELECT explode(sequence(1, 1000000000))", "at most 1,000,000"),
    ("SELECT sha2(repeat('a', 300000000), 256)", "at most 1,000,000"),
    ("SELECT * FROM read_anything('x')", "not on the list"),
]
QUERIES = [
    "SELECT 1",
    "WITH c AS (SELECT a FROM t) SELECT * FROM c JOIN u ON c.a = u.a WHERE c.a > (SELECT avg(a) FROM t)",
    "VALUES (1, 'a'), (2, 'b')",
    "TABLE t",
    "FROM t SELECT a |> WHERE a > 1",
    "SELECT /*+ BROADCAST(t) */ a, sum(b) OVER (PARTITION BY a) FROM t TABLESAMPLE (10 ROWS)",
    "SELECT a, count(*) FROM t LATERAL VIEW explode(array(1, 2)) x AS y GROUP BY CUBE (a) HAVING count(*) > 1 LIMIT 5",
    "SELECT * FROM range(1000000000000)",
    "SELECT 'java_method(' AS text, reflect FROM (SELECT 1 AS reflect)",
    "SELECT a FROM t UNION ALL SELECT a FROM u EXCEPT SELECT 1",
    "SELECT * FROM t PIVOT (sum(b) FOR c IN ('x', 'y'))",
    "SELECT repeat('a', 10), sequence(1, 100)",
]


@pytest.mark.parametrize("sql", COMMANDS)
def test_a_command_is_refused_by_its_name(sql):
    with pytest.raises(
        StatementRefused, match=rf"^Line 1: {sql.split()[0]} does more than ask for rows; nothing of it was"
    ):
        queries_of(sql)


@pytest.mark.parametrize("sql", UNREADABLE)
def test_what_planviz_cannot_read_is_not_given_on(sql):
    with pytest.raises(StatementRefused, match="cannot read this SQL, so it is not given to Spark"):
        queries_of(sql)


@pytest.mark.parametrize(("sql", "words"), HIDDEN)
def test_what_hides_in_a_query_is_found(sql, words):
    with pytest.raises(StatementRefused) as refused:
        queries_of(sql)
    assert words in str(refused.value)


@pytest.mark.parametrize("sql", QUERIES)
def test_a_query_passes(sql):
    assert [s.sql for s in queries_of(sql)] == [sql]


def test_one_bad_statement_stops_all_and_is_named_by_its_line():
    with pytest.raises(StatementRefused, match=r"^Line 3: SET does more"):
        queries_of("SELECT 1;\n\nSET a=b;\nSELECT 2")
    with pytest.raises(StatementRefused, match="no statement in the text"):
        queries_of(" ; -- nothing\n")


@pytest.mark.spark
def test_spark_s_own_parser_is_asked_too():
    skip_without_java()
    spark = real_spark().spark
    jvm, session = spark._jvm, spark._jsparkSession
    refused = [*COMMANDS, *UNREADABLE[:2], "SELECT TRANSFORM(a) USING 'touch /tmp/x' FROM t"]
    before = {table.name for table in spark.catalog.listTables()}
    for sql in refused:
        with pytest.raises(StatementRefused, match=r"Spark reads \w+ in this text"):
            check_with_spark(jvm, session, sql)
    for sql in QUERIES:
        check_with_spark(jvm, session, sql)
    assert {table.name for table in spark.catalog.listTables()} == before


CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "live" / "hostile_statements.txt"


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
    assert len(passed) >= 10
    assert not [sql for sql, effects in passed.items() if effects]
    assert not [sql for sql in passed if "java" in sql or "`/" in sql or "using" in sql]
