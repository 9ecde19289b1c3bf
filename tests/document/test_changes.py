"""MERGE, UPDATE and DELETE: the rows that they change have a plan, as far as Spark and not the table's format says."""

from __future__ import annotations

import pytest

from planviz.catalog import Catalog
from planviz.catalog.ddl import with_table
from planviz.document import Document, open_sql
from planviz.errors import ParseError
from planviz.graph import PlanGraph
from planviz.types import BOOLEAN, LONG, STRING, StructField

MERGE = "MERGE INTO t USING (SELECT id, v, flag FROM u) AS s ON t.id = s.id "
UPDATED, DELETED = "WHEN MATCHED AND s.v > t.v THEN UPDATE SET v = s.v, t.w = DEFAULT", "WHEN MATCHED THEN DELETE"
INSERTED = "WHEN NOT MATCHED BY TARGET AND flag THEN INSERT (id, v) VALUES (id, upper(v))"
OF_TARGET = "WHEN NOT MATCHED BY SOURCE AND t.old < 7 THEN DELETE"


def optimized(document: Document) -> PlanGraph:
    assert document.error is None, document.error
    return next(plan for plan in document.plans if plan.stage == "optimized")


@pytest.mark.parametrize(
    ("clauses", "kind"),
    [
        (UPDATED, "Inner"),
        (f"{UPDATED} {DELETED}", "Inner"),
        (f"{DELETED} {INSERTED}", "RightOuter"),
        (f"{DELETED} {OF_TARGET}", "LeftOuter"),
        (f"{UPDATED} {INSERTED} {OF_TARGET}", "FullOuter"),
        (INSERTED, "LeftAnti"),
    ],
)
def test_the_clauses_say_how_merge_joins(clauses: str, kind: str) -> None:
    plan = optimized(open_sql(MERGE + clauses))

    (join,) = [node for node in plan if node.kind == "join"]
    assert join.arguments["join_type"] == kind
    tables = [str(node.arguments["table"]).rpartition(".")[2] for node in plan if node.kind == "scan"]
    assert tables == (["u", "t"] if kind == "LeftAnti" else ["t", "u"])


def test_clauses_tell_columns_of_a_guessed_target() -> None:
    document = open_sql(f"{MERGE}{UPDATED} {INSERTED} {OF_TARGET}")
    (relation,) = [n for n in optimized(document) if n.kind == "scan" and "t[" in n.text]

    assert {str(c).partition("#")[0] for c in relation.arguments["output"]} == {"id", "v", "w", "old"}
    assert any("join of target and source that MERGE begins with" in note for note in document.notes)


def test_rows_that_update_and_delete_change_are_read_with_what_their_conditions_ask() -> None:
    script = "UPDATE t AS x SET v = x.v + 1 WHERE id IN (SELECT id FROM bad); DELETE FROM t WHERE id = 3"
    document = open_sql(script)
    update, delete = [plan for plan in document.plans if plan.stage == "optimized"]

    assert [n.arguments["join_type"] for n in update if n.kind == "join"] == ["LeftSemi"]
    assert [n.op for n in delete] == ["Filter", "Relation"]
    assert sum("rows that UPDATE changes" in note for note in document.notes) == 1
    assert sum("rows that DELETE removes" in note for note in document.notes) == 1


@pytest.mark.parametrize("words", ["EXPLAIN", "EXPLAIN FORMATTED"])
def test_what_explain_explains_has_the_same_plan(words: str) -> None:
    assert [n.op for n in optimized(open_sql(f"{words} DELETE FROM t WHERE id = 3"))] == ["Filter", "Relation"]


@pytest.mark.parametrize(
    "sql",
    [
        "WITH q AS (SELECT id FROM bad WHERE x > 1) DELETE FROM t WHERE id IN (SELECT id FROM q)",
        "WITH p AS (SELECT * FROM bad), q (id) AS (SELECT id FROM p WHERE x > 1) "
        "UPDATE t SET v = 1 WHERE id IN (SELECT id FROM q)",
        "EXPLAIN WITH q AS (SELECT id FROM bad WHERE x > 1) "
        "MERGE INTO t USING q ON t.id = q.id WHEN MATCHED THEN UPDATE SET v = q.id",
    ],
)
def test_definitions_before_a_change_are_seen_in_it(sql: str) -> None:
    plan = optimized(open_sql(sql))

    assert [n.arguments["join_type"] for n in plan if n.kind == "join"] in (["LeftSemi"], ["Inner"])
    assert sum("x#" in n.text and n.kind == "filter" for n in plan) == 1


def test_an_alias_that_is_a_command_s_word_changes_nothing() -> None:
    assert optimized(open_sql("WITH q AS (SELECT 1 AS a) SELECT max(a) update FROM q"))[0].op != "Filter"


def test_rows_that_replace_others_are_planned() -> None:
    document = open_sql("INSERT INTO t REPLACE WHERE day = 3 SELECT * FROM staging WHERE day = 3")
    assert [n.op for n in optimized(document)] == ["Filter", "Relation"]
    assert any("query whose rows are written" in note for note in document.notes)


def catalog(provider: str) -> Catalog:
    columns = StructField("id", LONG), StructField("v", STRING), StructField("flag", BOOLEAN)
    return with_table(with_table(Catalog(), ("t",), columns, provider), ("u",), columns, provider)


def test_what_the_catalogue_says_of_the_tables_counts() -> None:
    assert open_sql(MERGE + INSERTED, catalog("delta")).error is None
    unknown = open_sql(f"{MERGE}WHEN MATCHED THEN UPDATE SET v = s.nosuch", catalog("delta")).error
    assert getattr(unknown, "error_class", "").startswith("UNRESOLVED_COLUMN")
    refused = open_sql(MERGE + INSERTED, catalog("parquet")).error
    assert getattr(refused, "error_class", "") == "UNSUPPORTED_FEATURE.TABLE_OPERATION"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("MERGE INTO t USING u ON t.id = u.id\nWHEN MATCHED THEN DO SOMETHING", "near 'DO'"),
        ("MERGE INTO t USING u\nON t.id = WHEN MATCHED THEN DELETE", "near 'MATCHED'"),
        ("MERGE INTO t USING u ON t.id = u.id\nWHEN MATCHED THEN DELET", "near 'DELET'."),
        ("MERGE INTO t USING u ON t.id = u.id\nWHEN MATCHED THEN INSERT *", "near 'INSERT'."),
        ("MERGE INTO t USING u ON t.id = u.id\nWHEN NOT MATCHED THEN DELETE", "near 'DELETE'."),
        ("UPDATE t\nSET a b", "near 'b'"),
        ("DELETE FROM t\nWHERE a = 1 AND", "near 'AND'"),
        ("DELETE FROM t\nWHERE a = 1 b", "near 'b'"),
        ("DELETE\nt WHERE a = 1", "near 't'"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(sql: str, said: str) -> None:
    with pytest.raises(ParseError, match=r"line 2, column") as told:
        open_sql(sql)
    assert said in str(told.value)
