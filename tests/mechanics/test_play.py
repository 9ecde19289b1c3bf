"""Plays as data: steps replay to the final state, sentences name rows, limits are told."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from planviz import mechanics
from planviz.execution import QueryExecution
from planviz.mechanics import CannotPlay, Options, Play
from planviz.mechanics.play import MOST_ROWS
from planviz.physical.joins import JoinExec
from planviz.physical.sources import LocalTableScanExec
from tests.mechanics.plays import aggregates_of, physical, plays_of

A = "(VALUES (1, 'x'), (2, 'y'), (null, 'n'), (1, 'z')) AS a(k, v)"
B = "(VALUES (1, 'p'), (1, 'q'), (null, 'm'), (3, 'r')) AS b(k, w)"
JOIN = f"SELECT /*+ BROADCAST(b) */ * FROM {A} LEFT JOIN {B} ON a.k = b.k"
GROUPS = (
    "SELECT k, count(*), sum(x) FROM VALUES (3, 1), (1, 10), (2, 5), (1, 7), (3, 2), (2, null) AS t(k, x) GROUP BY k"
)


def cells(play: Play, panel: str, upto: int | None = None) -> list[tuple[str | None, ...]]:
    """What a panel shows after a step (the last one)."""
    states = [s.state[panel] for s in play.steps[:upto] if panel in s.state]
    return [play.cells[row] for group in states[-1]["groups"] for row in group["rows"]]


def test_a_join_is_data() -> None:
    [play] = plays_of(JOIN)
    data = json.loads(json.dumps(play.to_json()))
    assert data == json.loads(json.dumps(plays_of(JOIN)[0].to_json()))
    assert [p["id"] for p in data["panels"]] == ["left", "right", "relation", "output"]
    assert data["phases"] == ["Broadcast", "Build", "Probe, task 0", "Probe, task 1"]
    rows = {
        row
        for s in data["steps"]
        for state in s.get("state", {}).values()
        for g in state["groups"]
        for row in g["rows"]
    }
    assert rows == set(range(len(data["rows"])))
    assert all(0 <= row < len(data["rows"]) for s in data["steps"] for _, row, _ in s.get("marks", []))


def test_the_board_ends_with_the_result() -> None:
    [play] = plays_of(JOIN)
    shown = cells(play, "output")
    assert shown == [tuple(None if v is None else str(v) for v in row) for row in play.rows]
    assert ("2", "y", None, None) in shown
    assert (None, "n", None, None) in shown
    assert cells(play, "relation") == [("1", "q"), ("1", "p"), ("3", "r")]


def test_steps_tell_what_was_compared() -> None:
    [play] = plays_of(JOIN)
    found = next(s for s in play.steps if s.kind == "lookup")
    assert found.text == "(1, x): the relation has 2 rows under key 1."
    assert found.compared == ("k = 1", "in", "relation", "finds 2 rows")
    assert [mark for _, _, mark in found.marks] == ["current", "match", "match"]
    nulls = [s.text for s in play.steps if s.kind == "lookup" and "null" in s.text]
    assert nulls == ["(null, n): its key is null, so it is not even looked up."]


@pytest.mark.parametrize("capacity", [None, 1, 2])
def test_an_aggregate_gives_the_same_however_often_it_spills(capacity: int | None) -> None:
    partial, final = aggregates_of(GROUPS, Options(slices=1, capacity=capacity))
    assert sorted(final.rows) == [(1, 2, 17), (2, 2, 5), (3, 2, 3)]
    spills = [s for s in partial.steps if s.kind == "spill"]
    assert len(spills) == {None: 0, 1: 6, 2: 3}[capacity]
    assert sorted(partial.rows) == sorted(final.rows)


def test_a_spilled_map_is_sorted_and_merged() -> None:
    partial = aggregates_of(GROUPS, Options(slices=1, capacity=2))[0]
    at = next(n for n, s in enumerate(partial.steps) if s.kind == "spill")
    assert [row[0] for row in cells(partial, "runs", at + 1)] == ["1", "3"]
    assert "spilled as run 1" in partial.steps[at].text
    assert [row[0] for row in partial.rows] == [1, 2, 3]
    merged = [s.text for s in partial.steps if s.kind == "merge" and "merged" in s.text]
    assert merged[0] == "Another run has key 1, too: the buffers are merged: (1, 10) and (1, 7) → (2, 17)."


def test_more_rows_than_can_be_played() -> None:
    many = ", ".join(f"({n})" for n in range(MOST_ROWS + 1))
    with pytest.raises(CannotPlay, match=f"has {MOST_ROWS + 1} rows; {MOST_ROWS} of an input can be played"):
        plays_of(f"SELECT k, count(*) FROM VALUES {many} AS t(k) GROUP BY k")


def test_an_operator_without_a_model() -> None:
    with pytest.raises(CannotPlay, match="There is no model of LocalTableScan"):
        mechanics.of(physical("SELECT * FROM VALUES (1), (2) AS t(k)"))


@pytest.mark.parametrize("hint", ["MERGE(b)", "SHUFFLE_HASH(b)"])
def test_what_an_operator_needs_is_played_though_the_plan_lacks_it(hint: str) -> None:
    sql = f"SELECT /*+ {hint} */ * FROM {A} JOIN {B} ON a.k = b.k"
    node = next(n for n in physical(sql).walk() if isinstance(n, JoinExec))
    sides = [next(n for n in side.walk() if isinstance(n, LocalTableScanExec)) for side in (node.left, node.right)]
    bare = mechanics.of(node.replace(left=sides[0], right=sides[1]))
    assert Counter(bare.rows) == Counter(mechanics.of(node).rows)
    assert [p for p in bare.phases if p.startswith("Shuffle")] == ["Shuffle left", "Shuffle right"]


def test_inputs_have_the_names_of_the_query() -> None:
    query = QueryExecution(f"SELECT a.v, s.w FROM {A} JOIN (SELECT k + 1 AS j, w FROM {B}) AS s ON a.k = s.j")
    node = next(n for n in query.physical.walk() if isinstance(n, JoinExec))
    play = mechanics.of(node, names=mechanics.relation_names(query.analyzed))
    assert [p.title for p in play.panels[:2]] == ["a", "right"]


def test_subqueries_below_an_operator_are_answered() -> None:
    sql = f"SELECT v, count(*) FROM {A} WHERE k >= (SELECT max(k) FROM {B} WHERE k < 3) + 1 GROUP BY v"
    assert [p.rows for p in aggregates_of(sql)] == [[("y", 1)], [("y", 1)]]


def test_what_cannot_be_computed_is_named() -> None:
    with pytest.raises(CannotPlay, match=r"What Window does with rows is not modelled"):
        aggregates_of(f"SELECT r, count(*) FROM (SELECT row_number() OVER (ORDER BY k) AS r FROM {A}) GROUP BY r")
