"""Any rows: every join and every aggregate gives what a naive reading of SQL gives, however its memory is limited."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planviz import mechanics
from planviz.execution import QueryExecution
from planviz.mechanics import Options
from planviz.mechanics.rows import rows_of
from tests.mechanics.plays import physical

KEYS = st.one_of(st.none(), st.integers(-2, 3))
ROWS = st.lists(st.tuples(KEYS, st.integers(0, 9)), min_size=1, max_size=9)
OPTIONS = st.builds(
    Options,
    slices=st.integers(1, 3),
    capacity=st.one_of(st.none(), st.integers(1, 4)),
    fallback=st.one_of(st.none(), st.integers(1, 4)),
    threshold=st.integers(1, 5),
)
KINDS = st.sampled_from(["INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"])
HINTS = st.sampled_from(["BROADCAST(a)", "BROADCAST(b)", "SHUFFLE_HASH(a)", "SHUFFLE_HASH(b)", "MERGE(a)"])
CONDITIONS = st.sampled_from(
    ["a.k = b.k", "a.k = b.k AND a.v < b.v", "a.v < b.v", "a.k <=> b.k", "a.k = b.k AND a.v = b.v"]
)


def values(rows: list[tuple[Any, ...]], name: str) -> str:
    """Rows as a table of columns k and v; the first is typed, so that nulls alone have a type, too."""
    written = [f"({'null' if k is None else k}, {v})" for k, v in rows]
    return f"(SELECT CAST(k AS INT) AS k, v FROM VALUES {', '.join(written)} AS t(k, v)) AS {name}"


def same_as_naive(sql: str, options: Options) -> None:
    """Our operators give what the optimized plan says, read naively and without the hint."""
    naive = rows_of(QueryExecution(re.sub(r"/\*.*?\*/", "", sql)).optimized)
    assert naive is not None
    ours = [row for part in mechanics.given(physical(sql), options=options) for row in part]
    assert Counter(ours) == Counter(naive), sql


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(ROWS, ROWS, KINDS, HINTS, CONDITIONS, OPTIONS)
def test_joins(a: Any, b: Any, kind: str, hint: str, on: str, options: Options) -> None:
    same_as_naive(f"SELECT /*+ {hint} */ * FROM {values(a, 'a')} {kind} JOIN {values(b, 'b')} ON {on}", options)


@settings(max_examples=40, deadline=None)
@given(ROWS, ROWS, OPTIONS)
def test_not_in(a: Any, b: Any, options: Options) -> None:
    same_as_naive(f"SELECT v FROM {values(a, 'a')} WHERE k NOT IN (SELECT k FROM {values(b, 'b')})", options)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ROWS, OPTIONS)
def test_aggregates(a: Any, options: Options) -> None:
    table = values(a, "a")
    same_as_naive(f"SELECT k, count(*), sum(v), min(v), max(v), avg(v) FROM {table} GROUP BY k", options)
    same_as_naive(f"SELECT k, count(DISTINCT v), count(*) FILTER (WHERE v > 4) FROM {table} GROUP BY k", options)
    same_as_naive(f"SELECT count(*), sum(k) FROM {table}", options)
