"""`planviz replay`: what it says of sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.__main__ import main

JOIN = """== Physical Plan ==
BroadcastHashJoin [a#1], [b#2], Inner, BuildRight, false
:- Filter isnotnull(a#1)
:  +- FileScan parquet default.t[a#1] Batched: true, DataFilters: [isnotnull(a#1)], Format: Parquet, Location: x[y], \
PartitionFilters: [], PushedFilters: [IsNotNull(a)], ReadSchema: struct<a:int>
+- BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, false] as bigint)),false), [plan_id=1]
   +- Filter isnotnull(b#2)
      +- FileScan parquet default.u[b#2] DataFilters: [isnotnull(b#2)], Format: Parquet, Location: x[y], \
PartitionFilters: [], PushedFilters: [IsNotNull(b)], ReadSchema: struct<b:int>
"""
SCAN = "== Physical Plan ==\nFilter isnotnull(a#1)\n+- FileScan parquet default.t[a#1] ReadSchema: struct<a:int>\n"


def replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> str:
    path = tmp_path / "plan.txt"
    path.write_text(text)
    main(["replay", str(path)])
    return capsys.readouterr().out


def test_sizes_that_a_decision_hangs_on_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = replayed(tmp_path, capsys, JOIN)
    assert "fitted, for the text gives no sizes (one possibility, in bytes): default.t " in told
    assert "1 decision hangs on sizes; with these none would be another one" in told


def test_sizes_that_nothing_hangs_on_are_not_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = replayed(tmp_path, capsys, SCAN)
    assert "replayed as" in told
    assert "fitted" not in told
