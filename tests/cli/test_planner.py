"""`planviz planner`: tables, JSON, and the names of sections."""

from __future__ import annotations

import json

import pytest

from planviz.cli.main import run


def test_all_sections_or_one(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["planner"]) == 0
    whole = capfdbinary.readouterr().out.decode()
    assert run(["planner", "mapping"]) == 0
    part = capfdbinary.readouterr().out.decode()
    assert part in whole
    assert "Sort                     SortExec" in part
    assert "JoinSelection" not in part


def test_json_has_the_columns_as_keys(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["planner", "strategies", "--format", "json"]) == 0
    told = json.loads(capfdbinary.readouterr().out.decode())
    assert told["strategies"][10] == {
        "Spark 4.3": "11",
        "Spark 3.0": "9",
        "strategy": "JoinSelection",
        "plans": "joins: broadcast, shuffled hash, sort merge, nested loop, product",
    }


def test_another_name_is_refused_with_those_that_are_there(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["planner", "nothing"]) == 2
    assert "there are pipeline, classes, strategies" in capfdbinary.readouterr().err.decode()
