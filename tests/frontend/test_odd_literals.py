"""Numbers and characters that no statement needs and anybody may write: an answer with a sentence."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.errors import PlanvizError

MANY = "9" * 5_000


@pytest.mark.parametrize(
    "sql",
    [
        f"CREATE TABLE w (a INT) USING parquet CLUSTERED BY (a) INTO {MANY} BUCKETS",
        f"SELECT * FROM t TABLESAMPLE (BUCKET 1 OUT OF {MANY})",
        f"SELECT * FROM t VERSION AS OF {MANY}",
        f"SELECT 1e{MANY[:50]}",
        f"SELECT 1e{MANY[:50]}BD",
        f"SELECT 1e-{MANY[:50]}BD",
        f"SELECT 1.5e{MANY[:50]}F",
        "CREATE TABLE w (a INT) USING parquet CLUSTERED BY (a) INTO ² BUCKETS",
    ],
    ids=lambda sql: sql[:40],
)
def test_a_number_that_is_too_long_is_refused(sql: str) -> None:
    try:
        error = open_text(sql).error
    except PlanvizError as refused:
        error = refused
    assert isinstance(error, PlanvizError)
    assert "defect" not in str(error)


def test_what_is_too_small_is_nothing() -> None:
    document = open_text(f"SELECT 1e-{MANY[:50]} AS a")
    assert document.error is None
    assert "0.0 AS a" in "".join(n.text for p in document.plans for n in p)


def test_an_escape_above_all_characters_is_one_character() -> None:
    assert open_text("SELECT '\\UFFFFFFFF' AS a").error is None
