"""The Live page begins with the query that is open, once."""

from __future__ import annotations

from typing import Any

import pytest
import streamlit as st

from planviz.ui import cache, live_choices, live_session


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(st, "session_state", {})
    return live_session.session()


def test_the_open_query_and_its_tables(live: dict[str, Any]) -> None:
    opened = cache.open_document("SELECT count(*) FROM lineitem;", "tpch")
    live_session.take_query(opened)
    assert (live["sql"], live["tables"]) == ("SELECT count(*) FROM lineitem", "tpch")
    live_session.write("sql", "SELECT 1")
    live_session.take_query(opened)
    assert live["sql"] == "SELECT 1"


@pytest.mark.parametrize("text", ["SELECT 1; SELECT 2", "== Physical Plan ==\nLocalTableScan [a#1]\n"])
def test_what_is_no_single_query_is_not_taken(live: dict[str, Any], text: str) -> None:
    before = live["sql"]
    live_session.take_query(cache.open_document(text))
    assert live["sql"] == before


def test_the_query_of_a_script_is_taken_with_the_tables_that_it_creates(live: dict[str, Any]) -> None:
    """The page began with a sample query, without a word."""
    made = "CREATE TABLE t (a INT) USING parquet;\nCREATE TABLE u (b INT)"
    live_session.take_query(cache.open_document(f"{made};\n-- all\nSELECT a FROM t JOIN u ON a = b"))
    assert live["sql"].endswith("SELECT a FROM t JOIN u ON a = b")
    assert "CREATE" not in live["sql"]
    assert live["tables"] == live_choices.PASTED
    assert live["text"].split() == f"{made};".split()


def test_what_was_typed_stays(live: dict[str, Any]) -> None:
    live_session.write("sql", "SELECT 7")
    live_session.take_query(cache.open_document("SELECT 1"))
    assert live["sql"] == "SELECT 7"
