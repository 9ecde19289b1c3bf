"""Small statements over the documents' tables, as Spark 4.3 parsed and analyzed them (`statements.txt`).

Every entry is the SQL, then `---- parsed` and `---- analyzed` (or `---- error` and Spark's error class); ids are
renumbered.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.errors import AnalysisError, ParseError
from tests.plans import plan_text

#: Statements, by their beginning, that come out differently, with the reason.
KNOWN = {
    "select make_date(2020,1,1), make_timestamp": "Spark reports another of the query's mistakes first",
    "select nosuchfn(a) from t1": "an unknown function becomes an opaque call with a warning",
    "select a, b, sum(b) from t1 group by rollup(a,b) having grouping(a)=0 order by": "Spark loses the grouping id",
    "select /*+ REBALANCE(a) */": "Spark without adaptive execution drops the hint",
}
#: The same, of whole statements.
BROKEN_OFF = (
    "Spark reads the word that begins a clause as a name; who writes so has not finished, and is told what is missing"
)
WHOLE = {"select a from t1 where": BROKEN_OFF, "select from t1": BROKEN_OFF}


def blocks(path: Path) -> list[tuple[str, dict[str, str]]]:
    """(SQL, part -> text) of every entry of a file of statements."""
    text = path.read_text(encoding="utf-8")
    out = []
    for block in text.rstrip("\n").split("\n\n====\n"):
        head, *parts = block.split("\n---- ")
        out.append((head, dict(p.split("\n", 1) for p in parts)))
    return out


ENTRIES = blocks(Path(__file__).parent / "statements.txt")


def reason(sql: str) -> str | None:
    return WHOLE.get(sql) or next((why for start, why in KNOWN.items() if sql.startswith(start)), None)


@pytest.mark.parametrize(("sql", "expected"), ENTRIES, ids=[f"{i}" for i in range(len(ENTRIES))])
def test_statement(sql, expected, request):
    if why := reason(sql):
        # Strict: a difference that is mended must leave the list.
        request.node.add_marker(pytest.mark.xfail(strict=True, reason=why))
    if "error" in expected:
        with pytest.raises((AnalysisError, ParseError)) as e:
            plan_text(sql)
        assert e.value.error_class == expected["error"]
        return
    assert plan_text(sql, "parsed") == expected["parsed"]
    assert plan_text(sql) == expected["analyzed"]


def test_every_known_difference_is_still_there():
    assert set(WHOLE) <= {sql for sql, _ in ENTRIES}
    for start in KNOWN:
        assert any(sql.startswith(start) for sql, _ in ENTRIES), start
