"""Spark's rule log beside planviz's steps."""

from __future__ import annotations

import json
from pathlib import Path

from planviz.__main__ import main
from planviz.document import Document, open_text
from planviz.document.rules.logs import logged_runs, step_difference
from tests.document.test_replayed import EXTENDED


def log(tmp_path: Path, capsys) -> str:
    path = tmp_path / "plan.txt"
    path.write_text(EXTENDED)
    assert main(["trace", str(path), "--format", "log"]) == 0
    return str(capsys.readouterr().out)


def opened(text: str) -> Document:
    document = open_text(text)
    assert len(document.trace.steps) == 2
    return document


def test_the_same_steps_are_said_to_be_the_same(tmp_path: Path, capsys) -> None:
    (run,) = logged_runs(opened(log(tmp_path, capsys)))
    assert [step.same for step in run.steps] == [True, True]
    assert run.first is None
    assert "takes the same 2 steps" in run.words


def test_the_first_step_that_differs_is_marked(tmp_path: Path, capsys) -> None:
    text = log(tmp_path, capsys).replace("(isnotnull(b#2) AND (b#2 > 1))", "(isnotnull(b#2) AND (b#2 > 7))")
    document = opened(text)
    (run,) = logged_runs(document)
    assert [step.same for step in run.steps] == [True, False]
    assert run.first is run.steps[1]
    assert "step 2 is the first that differs" in run.words
    lines = step_difference(run.first, document.trace.steps[1])
    assert lines[0].startswith("- ")
    assert "b#2 > 7" in lines[0]
    assert "b#2 > 1" in lines[1]
    path = tmp_path / "log.txt"
    path.write_text(text)
    assert main(["trace", str(path)]) == 0
    assert "DIFFERS InferFiltersFromConstraints" in capsys.readouterr().out
    assert main(["trace", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["first"] == 2


def test_a_rule_that_planviz_does_not_take_here(tmp_path: Path, capsys) -> None:
    text = log(tmp_path, capsys).replace("InferFiltersFromConstraints", "PushDownPredicates")
    document = opened(text)
    (run,) = logged_runs(document)
    assert run.first is run.steps[1]
    assert step_difference(run.steps[1], document.trace.steps[1])[:2] == [
        "- PushDownPredicates",
        "+ InferFiltersFromConstraints",
    ]
