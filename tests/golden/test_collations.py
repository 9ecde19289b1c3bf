"""Text under collations, as Spark 4.3 analyzed and optimized it (`collations.txt`).

Every entry is the SQL, then `---- analyzed` and `---- optimized` (or `---- error` and Spark's error class).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.errors import ParseError
from planviz.execution import Session
from tests.golden.test_statements import blocks
from tests.plans import canonical

TABLES = """
create table people(code string collate utf8_binary, label string collate utf8_lcase) using parquet;
create table guests(code string, label string collate utf8_lcase) using parquet;
create table signs(s string, code string, label string collate utf8_lcase) using parquet;
create table nested(pair struct<code: string, label: string collate utf8_lcase>) using parquet;
create table dressed(a string, b string collate utf8_binary, c int) using parquet default collation utf8_lcase;
create temporary view shown default collation unicode as select 'a' as x
"""
ENTRIES = blocks(Path(__file__).parent / "collations.txt")


@pytest.fixture(scope="module")
def session():
    session = Session()
    assert all(outcome.error is None for outcome in session.run(TABLES))
    return session


@pytest.mark.parametrize(("sql", "expected"), ENTRIES, ids=[sql for sql, _ in ENTRIES])
def test_collation(session, sql, expected):
    (outcome,) = session.run(sql)
    if outcome.error is not None:
        assert outcome.error.error_class == expected.get("error"), outcome.error
        return
    assert outcome.execution is not None
    stages = {stage: canonical(outcome.execution.text(stage)) for stage in ("analyzed", "optimized")}
    assert stages == expected


@pytest.mark.parametrize(
    ("written", "name"),
    [("unicode_ai_ci", "UNICODE_CI_AI"), ("UNICODE_CS_AS", "UNICODE"), ("unicode_rtrim_ci", "UNICODE_CI_RTRIM"),
     ("EN_usa_ai", "en_USA_AI"), ("sr_latn", "sr_Latn"), ("utf8_lcase_rtrim", "UTF8_LCASE_RTRIM")],
)  # fmt: skip
def test_names_are_written_as_spark_writes_them(session, written, name):
    (outcome,) = session.run(f"select collation('a' collate {written})")

    assert outcome.execution.text("optimized").startswith(f"Project [SYSTEM.BUILTIN.{name} AS ")


@pytest.mark.parametrize("name", ["nope", "UTF8_BINARY_CI", "UNICODE_CI_CS", "UNICODE_", "en__CI", "system.unicode"])
def test_no_such_collation(session, name):
    (outcome,) = session.run(f"select 'a' collate {name}")

    assert outcome.error.error_class == "COLLATION_INVALID_NAME"
    with pytest.raises(ParseError, match="COLLATION_INVALID_NAME"):
        list(session.run(f"select cast('a' as string collate {name})"))


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("create table x(m map<string collate unicode, int>) using parquet",
         "UNSUPPORTED_FEATURE.COLLATIONS_IN_MAP_KEYS"),
        ("create table x(a int, p string collate unicode) using parquet partitioned by (p)",
         "INVALID_PARTITION_COLUMN_DATA_TYPE"),
        ("create table x(a string collate unicode, b int) using parquet clustered by (a) into 4 buckets",
         "INVALID_BUCKET_COLUMN_DATA_TYPE"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be(session, sql, error):
    (outcome,) = session.run(sql)

    assert outcome.error.error_class == error


def physical(session, sql):
    (outcome,) = session.run(sql)
    return outcome.execution.text("physical")


def test_files_do_not_filter_by_a_collation(session):
    plan = physical(session, "select * from people where label = 'x' and code = 'y'")

    assert "PushedFilters: [IsNotNull(code), EqualTo(code,y)]" in plan


def test_groups_of_collated_keys_are_sorted(session):
    assert "HashAggregate(keys=[code#" in physical(session, "select distinct code from people")
    plan = physical(session, "select distinct label from people")
    assert "+- SortAggregate(key=[label#" in plan
    assert ") SortAggregate" not in plan  # no code is generated for keys that bytes do not tell apart


def test_keys_made_for_a_join_can_be_hashed_and_collated_texts_cannot(session):
    hint = "select /*+ shuffle_hash(guests) */ * from people join guests on "

    assert "ShuffledHashJoin [collationkey(" in physical(session, hint + "people.label = guests.label")
    assert "SortMergeJoin [collate(" in physical(session, hint + "people.label collate unicode = guests.label")
