"""The query whose rows a statement writes is planned, and it is said that the write is not."""

from __future__ import annotations

import pytest

from planviz.document import open_sql
from planviz.errors import ParseError


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
    assert any(node.op == "HashAggregate" for node in found.plans[-1])
    assert any("the query whose rows are written" in note for note in found.notes)


@pytest.mark.parametrize("sql", ["CREATE TABLE b LIKE a", "CREATE VIEW v AS SELECT id FROM a", "CACHE TABLE a"])
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
