"""Rows of small plans: three-valued conditions, every join, grouping; the same as Spark's where there is one."""

from __future__ import annotations

import shutil
from decimal import Decimal
from typing import Any

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution, Session
from planviz.logical.operators import Filter
from planviz.mechanics.rows import MOST_ROWS, filtered, rows_of
from tests.acceptance.engines import ROWS, VIEWS
from tests.plans import small_catalog

FULL = "SELECT * FROM ds1 FULL OUTER JOIN ds2 ON ds1.id = ds2.no"
BOTH = [
    ("Andy", 7, None, None),
    ("Justin", 11, None, None),
    (None, None, "Andy2", 30),
    (None, None, "Justin2", 11),
    ("Michael", 9, "Michael", 29),
]
A = "VALUES (1, 'x'), (2, 'y'), (null, 'n') AS a(k, v)"
B = "VALUES (1, 'p'), (1, 'q'), (null, 'm'), (3, 'r') AS b(k, w)"
#: Queries whose rows are counted by hand.
CASES: list[tuple[str, list[tuple[Any, ...]]]] = [
    (FULL, BOTH),
    (f"{FULL} WHERE ds1.age >= 9 AND ds2.age >= 20", BOTH[-1:]),
    (f"{FULL} WHERE ds1.age >= 9", [BOTH[1], BOTH[4]]),
    (f"{FULL} WHERE ds2.age >= 20", [BOTH[2], BOTH[4]]),
    (f"SELECT v, w FROM {A} JOIN {B} ON a.k = b.k", [("x", "p"), ("x", "q")]),
    (f"SELECT v, w FROM {A} JOIN {B} ON a.k <=> b.k", [("x", "p"), ("x", "q"), ("n", "m")]),
    (f"SELECT v, w FROM {A} LEFT JOIN {B} ON a.k = b.k", [("x", "p"), ("x", "q"), ("y", None), ("n", None)]),
    (f"SELECT v, w FROM {A} RIGHT JOIN {B} ON a.k = b.k", [("x", "p"), ("x", "q"), (None, "m"), (None, "r")]),
    (f"SELECT v FROM {A} LEFT SEMI JOIN {B} ON a.k = b.k", [("x",)]),
    (f"SELECT v FROM {A} LEFT ANTI JOIN {B} ON a.k = b.k", [("y",), ("n",)]),
    (f"SELECT count(*) FROM {A} CROSS JOIN {B}", [(12,)]),
    (f"SELECT v FROM {A} WHERE k NOT IN (SELECT k FROM {B})", []),
    (f"SELECT v FROM {A} WHERE k NOT IN (SELECT k FROM {B} WHERE k IS NOT NULL)", [("y",)]),
    (f"SELECT v FROM {A} WHERE k NOT IN (SELECT k FROM {B} WHERE k > 5)", [("x",), ("y",), ("n",)]),
    (f"SELECT v FROM {A} WHERE k IN (SELECT k FROM {B}) OR v = 'n'", [("x",), ("n",)]),
    (f"SELECT v FROM {A} WHERE NOT (k = 1)", [("y",)]),
    (f"SELECT v FROM {A} WHERE k = 1 OR k IS NULL", [("x",), ("n",)]),
    (f"SELECT k, count(*), count(w), min(w) FROM {B} GROUP BY k", [(1, 2, 2, "p"), (None, 1, 1, "m"), (3, 1, 1, "r")]),
    (f"SELECT sum(k), avg(k), max(k), count(DISTINCT k) FROM {B}", [(5, 5 / 3, 3, 2)]),
    (f"SELECT sum(k), count(*), max(w) FROM {B} WHERE k > 5", [(None, 0, None)]),
    (f"SELECT count(*) FILTER (WHERE k = 1) FROM {B}", [(2,)]),
    (f"SELECT DISTINCT k FROM {B}", [(1,), (None,), (3,)]),
    (f"SELECT k FROM {A} UNION ALL SELECT k FROM {B}", [(1,), (2,), (None,), (1,), (1,), (None,), (3,)]),
    (f"SELECT k FROM {A} INTERSECT SELECT k FROM {B}", [(1,), (None,)]),
    (f"SELECT k FROM {B} EXCEPT SELECT k FROM {A}", [(3,)]),
    (f"SELECT k, w FROM {B} ORDER BY k DESC NULLS FIRST, w DESC LIMIT 3", [(None, "m"), (3, "r"), (1, "q")]),
    (f"SELECT w FROM {B} ORDER BY k, w LIMIT 2 OFFSET 1", [("p",), ("q",)]),
    ("SELECT sum(x) FROM VALUES (1.10), (2.25) AS t(x)", [(Decimal("3.35"),)]),
    ("SELECT id + 1 FROM range(2)", [(1,), (2,)]),
]  # fmt: skip


def execution(sql: str) -> QueryExecution:
    """The last query of a script, with the views of the table of acceptance."""
    found = [o.execution for o in Session(small_catalog()).run(f"{VIEWS};{sql}", "optimized") if o.execution]
    return found[-1]


def unordered(rows: Any) -> list[Any]:
    return sorted(map(tuple, rows), key=repr)


@pytest.mark.parametrize(("sql", "rows"), CASES, ids=[sql for sql, _ in CASES])
def test_rows_of_a_query(sql: str, rows: list[tuple[Any, ...]]) -> None:
    ours = rows_of(execution(sql).optimized)
    assert ours is not None
    assert (ours == rows) if "ORDER BY" in sql else unordered(ours) == unordered(rows)


@pytest.mark.parametrize("sql", [sql for sql, _ in CASES if "IN (SELECT" not in sql], ids=str)
def test_the_optimizer_keeps_the_rows(sql: str) -> None:
    done = execution(sql)
    before, after = rows_of(done.analyzed), rows_of(done.optimized)
    assert before is not None
    assert after is not None
    assert unordered(before) == unordered(after)


def test_a_filter_says_which_rows_it_drops() -> None:
    plan = execution(CASES[1][0]).analyzed
    found = filtered(next(node for node in plan.walk() if isinstance(node, Filter)))
    assert found is not None
    assert found.columns == ("id", "age", "no", "age")
    assert unordered(found.rows) == unordered(BOTH)
    assert [row for row, kept in zip(found.rows, found.kept, strict=True) if kept] == BOTH[-1:]


def test_a_table_has_the_rows_that_are_given() -> None:
    plan = QueryExecution("SELECT b FROM t1 WHERE a > 1", small_catalog()).optimized
    assert rows_of(plan) is None
    assert rows_of(plan, {"t1": [(1, 10, "x"), (2, 20, "y"), (None, 5, "n")]}) == [(20,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT rand() FROM range(3)",
        "SELECT id FROM range(1, 100000000)",
        "SELECT count(*) FROM range(1000) a CROSS JOIN range(1000) b",
        "SELECT sum(x) FROM VALUES (9223372036854775807L), (1L) AS t(x)",
        "SELECT row_number() OVER (ORDER BY id) FROM range(3)",
    ],
)
def test_what_is_not_known_has_no_rows(sql: str) -> None:
    assert rows_of(QueryExecution(sql).analyzed) is None


def test_there_are_never_more_rows_than_said() -> None:
    assert len(rows_of(QueryExecution(f"SELECT id FROM range({MOST_ROWS})").analyzed) or []) == MOST_ROWS
    assert rows_of(QueryExecution(f"SELECT id FROM range({MOST_ROWS + 1})").analyzed) is None


@pytest.fixture(scope="module")
def spark() -> Any:
    if shutil.which("java") is None:
        pytest.skip("no Java on this machine")
    sql = pytest.importorskip("pyspark.sql")
    session = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    for statement in VIEWS.split(";"):
        session.sql(statement.replace("TEMPORARY VIEW", "OR REPLACE TEMPORARY VIEW"))
    return session


@pytest.mark.spark
def test_spark_gives_the_same_rows(spark: Any) -> None:
    wrong = []
    for sql, rows in CASES:
        theirs = [tuple(row) for row in spark.sql(sql).collect()]
        if (theirs != rows) if "ORDER BY" in sql else unordered(theirs) != unordered(rows):
            wrong.append((sql, theirs, rows))
    assert not wrong


def test_the_rows_of_the_table_of_acceptance() -> None:
    views = ";".join(f"CREATE TEMPORARY VIEW v{n} AS SELECT * FROM VALUES {ROWS[n]} AS v(a, b, c)" for n in ROWS)
    sql = f"{views}; SELECT vt1.a, vt2.c FROM vt1 LEFT JOIN vt2 ON vt1.a = vt2.a AND vt2.b > 10"
    found = [o.execution for o in Session(config=OptimizerConfig()).run(sql, "optimized") if o.execution][-1]
    two = [(2, "y")] * 4
    assert unordered(rows_of(found.optimized) or []) == unordered([(1, None), *two, (3, None), (None, None)])
