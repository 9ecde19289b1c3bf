"""`planviz optimize` and `planviz trace` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planviz.cli.main import run
from planviz.document import open_text

SQL = """\
create table t (a int, b string);
select a from t where b = 'x' and a > 1 + 1;
"""
BAD = SQL + "select nosuch from t;\nselect b from t"
OPTIMIZED = """\
Project [a#1]
+- Filter ((isnotnull(b#2) AND isnotnull(a#1)) AND ((b#2 = x) AND (a#1 > 2)))
   +- Relation spark_catalog.default.t[a#1,b#2] parquet
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.sql"
    path.write_text(SQL, encoding="utf-8")
    return path


def test_a_stage_as_text(script: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["optimize", str(script)]) == 0
    assert capfdbinary.readouterr().out.decode() == OPTIMIZED
    assert run(["optimize", str(script), "--stage", "parsed"]) == 0
    assert capfdbinary.readouterr().out.decode().startswith("'Project ['a]\n")


def test_json_has_every_statement(script: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    script.write_text(BAD + "; refresh table t", encoding="utf-8")
    assert run(["optimize", str(script), "--format", "json"]) == 2
    out, err = capfdbinary.readouterr()
    read = json.loads(out)
    assert read["file"] == str(script)
    ddl, query, bad, last, skipped = read["statements"]
    assert (ddl["i"], ddl["kind"], ddl["text"], ddl["error"]) == (0, "ddl", None, None)
    assert (query["kind"], query["text"]) == ("query", OPTIMIZED)
    assert (bad["kind"], bad["text"]) == ("query", None)
    assert (bad["error"]["class"], bad["error"]["line"], bad["error"]["column"]) == (
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        3,
        8,
    )
    assert last["error"] is None
    assert skipped["kind"] == "unsupported"
    assert err.decode().startswith(f"planviz: {script}: [UNRESOLVED_COLUMN.WITH_SUGGESTION]")


def test_settings_and_pictures(script: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    excluded = "spark.sql.optimizer.excludedRules=org.apache.spark.sql.catalyst.optimizer.InferFiltersFromConstraints"
    assert run(["optimize", str(script), "--conf", excluded]) == 0
    assert b"isnotnull" not in capfdbinary.readouterr().out
    assert run(["optimize", str(script), "--format", "dot"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"digraph")
    assert run(["optimize", str(script), "--format", "mmd"]) == 0
    assert b"flowchart" in capfdbinary.readouterr().out


def test_several_files_go_to_a_folder_and_one_that_fails_stops_no_other(
    script: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    bad = tmp_path / "bad.sql"
    bad.write_text("select (1", encoding="utf-8")
    assert run(["optimize", str(bad), str(script), "--out", str(tmp_path / "out")]) == 2
    assert (tmp_path / "out" / "script.txt").read_text(encoding="utf-8") == OPTIMIZED
    assert not (tmp_path / "out" / "bad.txt").exists()
    assert b"bad.sql: [PARSE_SYNTAX_ERROR]" in capfdbinary.readouterr().err


@pytest.mark.parametrize(("text", "said"), [("create table t (a int)", "no query"), ("", "no query")])
def test_a_text_without_a_query_is_refused(
    text: str, said: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "x.sql"
    path.write_text(text, encoding="utf-8")
    assert run(["optimize", str(path)]) == 2
    assert said in capfdbinary.readouterr().err.decode()


def test_the_log_is_read_back_as_the_same_steps(script: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["trace", str(script)]) == 0
    log = capfdbinary.readouterr().out.decode()
    assert "=== Applying Rule org.apache.spark.sql.catalyst.optimizer.ConstantFolding ===\n" in log
    assert "Batch Eliminate Distinct has no effect.\n" in log
    assert "=== Result of Batch Finish Analysis ===\n" in log
    trace = open_text(log).trace
    assert trace.steps[-1].after == OPTIMIZED.rstrip("\n")
    assert len(trace.metrics) == 2
    assert run(["trace", str(script), "--format", "json"]) == 0
    query = json.loads(capfdbinary.readouterr().out)["statements"][1]
    assert [(s["rule"], s["batch"], s["before"], s["after"]) for s in query["trace"]] == [
        (s.rule, s.batch, s.before, s.after) for s in trace.steps
    ]
    assert {"rule", "runs", "looked", "milliseconds"} == set(query["silent"][0])


def test_a_stage_and_a_rule_alone(script: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["trace", str(script), "--stage", "analyzed"]) == 0
    log = capfdbinary.readouterr().out.decode()
    assert "Analyzer$ResolveReferences" in log
    assert "ConstantFolding" not in log
    assert run(["trace", str(script), "--rule", "constantFolding", "--format", "diff"]) == 0
    assert capfdbinary.readouterr().out.decode() == (
        "=== ConstantFolding (Operator Optimization before Inferring Filters, iteration 1) ===\n"
        "@@ -1,3 +1,3 @@\n"
        " Project [a#1]\n"
        "-+- Filter ((b#2 = x) AND (a#1 > (1 + 1)))\n"
        "++- Filter ((b#2 = x) AND (a#1 > 2))\n"
        "    +- Relation spark_catalog.default.t[a#1,b#2] parquet\n"
    )
    assert run(["trace", str(script), "--rule", "ConstantFoldng"]) == 2
    assert "Did you mean ConstantFolding" in capfdbinary.readouterr().err.decode()


def test_a_trace_ends_where_the_query_fails(script: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    script.write_text("create table t (a int); select nosuch from t", encoding="utf-8")
    assert run(["trace", str(script), "--format", "diff"]) == 2
    out, err = capfdbinary.readouterr()
    assert b"=== ResolveRelations" in out
    assert b"nosuch" in err
