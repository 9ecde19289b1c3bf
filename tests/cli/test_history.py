from __future__ import annotations

import json

import pytest

from planviz.cli.main import run
from tests.history.catalogues import BROADCAST, MERGED, catalogue, joined, log, query


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    first = log(
        "nightly", query(0, "select 1", joined(MERGED, 0), took=1_500), query(1, "select 2", error="no \x1b[31mspace")
    )
    second = log("nightly", query(100_000, "select 1", joined(BROADCAST, 1_000_000)), id="app-2")
    return catalogue(tmp_path_factory.mktemp("history"), {"first": first, "second": f"{second}garbage\n"})


def test_a_ranking_as_a_table(made, capsys):
    assert run(["history", made, "--limit", "2"]) == 0
    count, head, first, second = capsys.readouterr().out.splitlines()
    assert count == "3 executions; the first 2"
    assert head.split()[:3] == ["when", "(UTC)", "time"]
    assert first.split() == ["2026-09-21", "14:13:20", "1.5", "s", "5", "B", "SortMerge", "succeeded", "app-1#0",
                             "nightly:", "select", "1"]  # fmt: skip
    assert "250 ms" in second


def test_filters_and_json(made, capsys):
    asked = [*("--rank", "latest", "--application", "nightly", "--text", "SELECT", "--join", "broadcasthashjoin")]
    asked += ["--since", "2026-09-22", "--until", "2026-09-22", "--operator", "Scan", "--status", "succeeded"]
    asked += ["--format", "json"]
    assert run(["history", made, *asked]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rank"], told["count"]) == ("latest", 1)
    (found,) = told["executions"]
    assert found["joins"] == {"BroadcastHashJoin": 1}
    assert found["started"] == "2026-09-22T18:00:00+00:00"
    assert found["open"].endswith("second#100000")


def test_plans_that_changed(made, capsys):
    assert run(["history", made, "--rank", "changed"]) == 0
    out = capsys.readouterr().out
    assert "1 queries whose plan changed" in out
    assert "before  1 times, median 1.5 s" in out
    assert "6.0 times as fast" in out
    assert "    SortMergeJoin became BroadcastHashJoin\n" in out
    assert run(["history", made, "--rank", "changed", "--format", "json"]) == 0
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert change["difference"] == ["SortMergeJoin became BroadcastHashJoin"]


def test_an_execution_is_opened_by_every_other_command(made, capsys, tmp_path):
    assert run(["history", made, "--open", "app-2#100000"]) == 0
    printed = capsys.readouterr().out
    path = tmp_path / "past.json"
    assert run(["history", made, "--open", "second#100000", "-o", str(path)]) == 0
    assert path.read_text() == printed
    assert run(["parse", str(path), "--format", "json"]) == 0
    assert [node["op"] for node in json.loads(capsys.readouterr().out)["plans"][0]["nodes"]][1] == BROADCAST
    assert run(["why", str(path)]) == 0
    assert "BroadcastHashJoin" in capsys.readouterr().out
    assert run(["render", str(path), "-o", str(tmp_path / "past.svg")]) == 0


def test_an_empty_ranking_says_why(made, capsys):
    assert run(["history", made, "--rank", "estimate"]) == 0
    assert "spark.sql.ui.explainMode=cost" in capsys.readouterr().out
    assert run(["history", made, "--rank", "changed", "--text", "select 2"]) == 0
    assert capsys.readouterr().out == "No query that the filters let through has had another plan before.\n"
    assert run(["history", made, "--text", "select 3"]) == 0
    assert capsys.readouterr().out == "The filters let nothing through.\n"


def test_logs_and_their_faults(made, capsys):
    assert run(["history", made, "--logs"]) == 0
    damaged, fault, fine = capsys.readouterr().out.splitlines()
    assert damaged.endswith("second: 1 executions")
    assert "second, line 9: this line is no event" in fault
    assert fine.endswith("first: 2 executions")
    assert run(["history", made, "--logs", "--format", "json"]) == 0
    assert [len(log["faults"]) for log in json.loads(capsys.readouterr().out)] == [1, 0]


def test_what_failed_is_told_without_control_characters(made, capsys):
    assert run(["history", made, "--rank", "failed"]) == 0
    out = capsys.readouterr().out
    assert "nightly: no [31mspace" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--join", "HashJoin"], "There are: BroadcastHashJoin, SortMergeJoin."),
        (["--since", "soon"], "soon: this is no day or time."),
        (["--open", "app-3#1"], "There is no execution 1 of app-3"),
        (["--limit", "0"], "The limit is 0"),
    ],
)
def test_what_cannot_be_answered_is_one_line(made, arguments, words, capsys):
    assert run(["history", made, *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_what_is_no_catalogue(tmp_path, capsys):
    assert run(["history", str(tmp_path)]) == 2
    assert "no catalogue of executions" in capsys.readouterr().err
