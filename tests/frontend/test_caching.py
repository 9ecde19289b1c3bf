"""CACHE TABLE, UNCACHE TABLE, CLEAR CACHE."""

from __future__ import annotations

import pytest

from planviz.errors import AnalysisError, InputError, ParseError
from planviz.execution import Session
from planviz.frontend import parse_script


def test_what_is_cached_and_how():
    (s,) = parse_script("CACHE LAZY TABLE db.t OPTIONS ('storageLevel' 'DISK_ONLY', other.key = 3)")
    assert (s.kind, s.name, s.plan, s.words) == ("cache", ("db", "t"), None, "LAZY")
    assert s.options == (("storageLevel", "DISK_ONLY"), ("other.key", "3"))
    (s,) = parse_script("cache table g select 1")
    assert (s.name, s.words) == (("g",), "")
    assert s.plan is not None


def test_what_is_dropped():
    uncache, clear = parse_script("UNCACHE TABLE IF EXISTS t; CLEAR CACHE")
    assert (uncache.kind, uncache.name, uncache.words) == ("uncache", ("t",), "IF EXISTS")
    assert clear.kind == "clear_cache"


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        ("CACHE TABLE", 12),
        ("UNCACHE t", 9),
        ("UNCACHE TABLE q, q2", 16),
        ("CLEAR CACHE TABLE", 13),
        ("CACHE TABLE db.x AS SELECT 1", 13),
        ("CACHE TABLE t OPTIONS ()", 24),
    ],
)
def test_what_does_not_read(sql, column):
    with pytest.raises(ParseError) as caught:
        parse_script(sql)
    assert (caught.value.line, caught.value.column) == (1, column)


def outcome(script: str):
    return list(Session().run(script, "physical"))[-1]


def test_an_unknown_level_is_told_with_those_that_there_are():
    found = outcome("CACHE TABLE t OPTIONS (storagelevel 'WRONG') AS SELECT 1")
    assert isinstance(found.error, InputError)
    assert "MEMORY_AND_DISK" in str(found.error)


def test_a_name_is_taken_once():
    found = outcome("CREATE TEMP VIEW v AS SELECT 1; CACHE TABLE v AS SELECT 2")
    assert isinstance(found.error, AnalysisError)
    assert found.error.error_class == "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS"


def test_a_table_defined_anew_is_cached_no_longer():
    found = outcome("CREATE TABLE t (a INT); CACHE TABLE t; DROP TABLE t; CREATE TABLE t (a STRING); SELECT a FROM t")
    assert found.execution is not None
    assert "InMemory" not in found.execution.text("optimized")


def test_a_view_keeps_its_with_and_its_windows():
    """What stands before the rest of the analysis is done for views, too."""
    found = outcome(
        "CREATE TEMP VIEW v AS WITH w AS (SELECT id FROM range(5)) SELECT id, sum(id) OVER o s FROM w WINDOW o AS "
        "(ORDER BY id); CACHE TABLE v; SELECT s FROM v"
    )
    assert found.error is None
    assert found.execution is not None
    assert found.execution.text("physical").startswith("AdaptiveSparkPlan isFinalPlan=false\n+- Scan In-memory table v")
