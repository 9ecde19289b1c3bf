"""`planviz catalogue`: lists, entries, searches, formats."""

from __future__ import annotations

import json

import pytest

from planviz.cli.main import run


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["catalogue", *words]) == 0
    return capsys.readouterr().out


def test_lists_entries_and_searches(capsys: pytest.CaptureFixture[str]) -> None:
    settings = told(capsys, "settings")
    assert "spark.sql.shuffle.partitions" in settings
    assert "CombineFilters" not in settings
    assert "Level: problem" in told(capsys, "cartesian-product")
    found = told(capsys, "window", "partition")
    assert "finding   window-without-partition" in found
    assert json.loads(told(capsys, "--format", "json", "CombineFilters"))["kind"] == "rule"
    assert told(capsys, "--format", "markdown", "batches").startswith("| kind | name | what |")


def test_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["catalogue", "no-such-thing-at-all"]) == 2
    assert "no-such-thing-at-all" in capsys.readouterr().err
