"""`planviz diff` as a user calls it: sides, formats, status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planviz.cli.main import run
from planviz.samples import load
from tests.graph.test_effects import HASHED, SORTED

SQL = (
    "SELECT c.c_name, sum(o.o_totalprice) FROM customer c JOIN orders o ON c.c_custkey = o.o_custkey GROUP BY c.c_name"
)
THRESHOLD = "autoBroadcastJoinThreshold=1000000000000"


@pytest.fixture
def shown(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]):
    def show(*options: str) -> tuple[int, str, str]:
        for name, text in (("a.txt", SORTED), ("b.txt", HASHED), ("q.sql", SQL)):
            (tmp_path / name).write_text(text, encoding="utf-8")
        known = {"a.txt", "b.txt", "q.sql"}
        put = [str(tmp_path / o) if o.partition(":")[0] in known else o for o in options]
        status = run(["diff", *put])
        got = capfdbinary.readouterr()
        return status, got.out.decode(), got.err.decode()

    return show


def test_text_and_status(shown) -> None:
    status, out, _ = shown("a.txt", "b.txt")
    assert status == 1
    lines = out.splitlines()
    assert lines[0].startswith("a.txt → b.txt: ")
    assert lines[2] == "  ▼ Join on a = d: SortMergeJoin → BroadcastHashJoin, builds u"
    assert any(line.split()[:4] == ["shuffles", "2", "0", "−2"] and line.endswith("better") for line in lines)
    status, out, _ = shown("a.txt", "a.txt:physical")
    assert (status, out) == (0, "a.txt → a.txt physical: no difference: 7 operators are the same\n")
    assert shown("a.txt", "b.txt", "--exit-zero")[0] == 0


def test_fail_on_names_what_counts(shown) -> None:
    assert shown("a.txt", "b.txt", "--fail-on", "join-strategy,exchange-added")[0] == 1
    assert shown("a.txt", "b.txt", "--fail-on", "exchange-added")[0] == 0
    assert shown("b.txt", "a.txt", "--fail-on", "exchange-added")[0] == 1
    assert shown("a.txt", "b.txt", "--fail-on", "any")[0] == 1
    status, _, err = shown("a.txt", "b.txt", "--fail-on", "join-strateg")
    assert status == 2
    assert "join-strateg" in err
    assert "join-strategy" in err


def test_sql_against_itself_with_another_setting(shown) -> None:
    status, out, _ = shown("q.sql", "--catalog", "tpch", "--conf-b", f"spark.sql.{THRESHOLD}")
    assert status == 1
    assert f"q.sql with {THRESHOLD}" in out.splitlines()[0]
    assert "SortMergeJoin → BroadcastHashJoin" in out


def test_stages_of_one_query(shown) -> None:
    status, out, _ = shown("q.sql:analyzed", "q.sql:optimized", "--catalog", "tpch")
    assert status == 1
    assert out.startswith("q.sql analyzed → q.sql optimized: ")
    status, out, _ = shown("q.sql", "--catalog", "tpch", "--stage-a", "optimized", "--stage-b", "physical")
    assert status == 1
    assert "is a logical plan" in out
    assert shown("q.sql:1", "q.sql:2", "--catalog", "tpch")[0] == 1


def test_what_is_wrong_is_one_sentence(shown) -> None:
    for options in (
        ("a.txt:optimized", "b.txt"),
        ("a.txt:7", "b.txt"),
        ("missing.txt", "b.txt"),
        ("q.sql", "--catalog", "tpch"),
        ("a.txt", "b.txt", "-o", "x.bmp"),
    ):
        status, out, err = shown(*options)
        assert (status, out) == (2, "")
        assert err.startswith("planviz: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err


def test_json_holds_every_operator_once(shown) -> None:
    status, out, _ = shown("a.txt", "b.txt", "--format", "json")
    told = json.loads(out)
    assert status == 1
    assert told["format"] == "planviz-diff/1"
    assert told["equal"] is False
    matches, plans = told["operators"]["matches"], told["plans"]
    assert len(matches) + len(told["operators"]["removed"]) == plans[0]["operators"]
    assert len(matches) + len(told["operators"]["inserted"]) == plans[1]["operators"]
    assert all(0 < match["confidence"] <= 1 for match in matches)
    shuffles = next(cell for cell in told["cells"] if cell["name"] == "shuffles")
    assert shuffles == {
        "name": "shuffles", "before": 2, "after": 0, "difference": -2, "percent": -100.0, "unit": "",
        "lower_is_better": True, "better": True, "measured": False,
    }  # fmt: skip


def test_markdown_for_a_pull_request(shown) -> None:
    _, out, _ = shown("a.txt", "b.txt", "--format", "markdown")
    assert out.startswith("### Query plan: a.txt → b.txt\n")
    assert "`join-strategy` Join on a = d: SortMergeJoin → BroadcastHashJoin, builds u" in out
    assert "```diff" in out
    assert "\\#" not in out.partition("```diff")[2]


@pytest.mark.parametrize(("ending", "head"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!doctype html>")])
def test_pictures_are_the_same_every_time(shown, tmp_path: Path, ending: str, head: bytes) -> None:
    made = []
    for at in "12":
        status, out, _ = shown("a.txt", "b.txt", "-o", str(tmp_path / f"{at}.{ending}"))
        assert (status, out) == (1, "")
        made.append((tmp_path / f"{at}.{ending}").read_bytes())
    assert made[0].startswith(head)
    assert made[0] == made[1]


def test_two_runs_of_one_plan_tell_what_moved(shown, tmp_path: Path) -> None:
    run_text = load("rest-execution")
    slower = run_text.replace("187.5 KiB", "900.0 MiB").replace('"22 ms"', '"12.5 s"').replace('"8,432"', '"8,432,000"')
    for name, text in (("one.json", run_text), ("two.json", slower)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    status, out, _ = shown(str(tmp_path / "one.json"), str(tmp_path / "two.json"))
    assert status == 1
    assert out.startswith("one.json → two.json: the same 27 operators, 3 numbers moved\n")
    assert "  · Broadcast Inner Join: number of output rows 8,432 → 8,432,000\n" in out
    assert "  ▲ Partial Hash Aggregate: works 22 ms → 12.5 s\n" in out
    assert "  ▲ Exchange hash: shuffle bytes written 187.5 KiB → 900 MiB\n" in out
    assert shown(str(tmp_path / "one.json"), str(tmp_path / "two.json"), "--fail-on", "bytes-moved")[0] == 1
    assert shown(str(tmp_path / "one.json"), str(tmp_path / "two.json"), "--fail-on", "join-strategy")[0] == 0


def test_hostile_names_and_texts_stay_text(shown, tmp_path: Path) -> None:
    evil = SORTED.replace("db.t", "`<img src=x onerror=alert(1)>|*`")
    (tmp_path / "e.txt").write_text(evil, encoding="utf-8")
    _, out, _ = shown("a.txt", str(tmp_path / "e.txt"), "--format", "markdown")
    assert "<img" not in out.partition("```diff")[0]
    _, out, _ = shown("a.txt", str(tmp_path / "e.txt"), "--format", "svg")
    assert "<img" not in out


def test_sarif_stands_at_the_operators_of_the_second_file(shown) -> None:
    status, out, _ = shown("a.txt", "b.txt", "--format", "sarif")
    assert status == 1
    (run_of_it,) = json.loads(out)["runs"]
    first = run_of_it["results"][0]
    assert (first["ruleId"], first["level"]) == ("join-strategy", "note")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("b.txt")
    assert "BroadcastHashJoin" in HASHED.splitlines()[place["region"]["startLine"] - 1]
    assert {rule["id"] for rule in run_of_it["tool"]["driver"]["rules"]} == {r["ruleId"] for r in run_of_it["results"]}
    _, back, _ = shown("b.txt", "a.txt", "--format", "sarif", "--fail-on", "exchange-added")
    levels = {(r["ruleId"], r["level"]) for r in json.loads(back)["runs"][0]["results"]}
    assert ("exchange-added", "error") in levels
    assert ("join-strategy", "note") in levels


def test_three_and_more_plans_are_a_chain(shown, tmp_path: Path) -> None:
    status, out, _ = shown("a.txt", "b.txt", "a.txt")
    assert status == 1
    assert out.startswith("1. a.txt → 2. b.txt → 3. a.txt: 3 plans, 2 of 2 steps changed it and the last is the first")
    assert "▲ Join on a = d: BroadcastHashJoin → SortMergeJoin" in out
    assert shown("a.txt", "a.txt", "a.txt")[0] == 0
    assert shown("a.txt", "b.txt", "b.txt", "--fail-on", "exchange-added")[0] == 0
    assert shown("a.txt", "b.txt", "a.txt", "--fail-on", "exchange-added")[0] == 1
    told = json.loads(shown("a.txt", "b.txt", "a.txt", "--format", "json")[1])
    assert [step["plans"][1]["name"] for step in told["steps"]] == ["2. b.txt", "3. a.txt"]
    results = json.loads(shown("a.txt", "b.txt", "a.txt", "--format", "sarif")[1])["runs"][0]["results"]
    places = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].rpartition("/")[2] for r in results}
    assert places == {"a.txt", "b.txt"}
    for ending, head in (("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!doctype html>"), ("md", b"## Query plan")):
        assert shown("a.txt", "b.txt", "a.txt", "-o", str(tmp_path / f"c.{ending}"))[0] == 1
        assert (tmp_path / f"c.{ending}").read_bytes().startswith(head)
    status, out, err = shown("a.txt", "b.txt", "a.txt", "--conf-b", "spark.sql.cbo.enabled=true")
    assert (status, out) == (2, "")
    assert "for two plans" in err
