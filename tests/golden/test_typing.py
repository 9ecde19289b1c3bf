"""Types, implicit casts and their mistakes over a table of every type, as Spark 4.3 analyzed them (`typing.txt`).

Every entry is the SQL and, indented, the first line of the analyzed plan without ids, or the error class.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz.execution import Session

TABLE = """
create table stored (cb boolean, cti tinyint, csi smallint, ci int, cl bigint, cf float, cd double, cde decimal(10,2),
  cs string, cbi binary, cda date, cts timestamp, cntz timestamp_ntz, cai array<int>, cas array<string>,
  cmap map<string,int>, cst struct<x:int,y:string>, cv variant) using parquet;
create temp view tt as select *, cast(null as interval year to month) cym, cast(null as interval day to second) cdt,
  null cn, make_interval(1) cci from stored
"""
LINES = (Path(__file__).parent / "typing.txt").read_text(encoding="utf-8").splitlines()
ENTRIES = [(sql, expected.strip()) for sql, expected in zip(LINES[::2], LINES[1::2], strict=True)]


@pytest.fixture(scope="module")
def session():
    session = Session()
    assert all(outcome.error is None for outcome in session.run(TABLE))
    return session


@pytest.mark.parametrize(("sql", "expected"), ENTRIES, ids=[sql for sql, _ in ENTRIES])
def test_types(session, sql, expected):
    (outcome,) = session.run(sql)
    if outcome.error is not None:
        assert outcome.error.error_class == expected
        return
    assert outcome.execution is not None
    top = outcome.execution.text("analyzed").split("\n")[0]
    assert re.sub(r"#\d+", "#", top) == expected
