"""`planviz lint`: levels, exit status, formats, settings that silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planviz.cli import lint_arguments, lint_reports
from planviz.cli.main import run
from planviz.findings import SEVERITIES

PRODUCT = "SELECT count(*)\nFROM orders, lineitem WHERE o_totalprice > l_extendedprice;\n"


@pytest.fixture
def query(tmp_path: Path) -> str:
    path = tmp_path / "q.sql"
    path.write_text(PRODUCT, encoding="utf-8")
    return str(path)


def lint(*arguments: str) -> int:
    return run(["lint", "--catalog", "tpch", *arguments])


def test_text_says_what_why_and_what_to_do(query: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(query) == 1
    told = capsys.readouterr().out
    assert f"{query}:2: ✗ problem cartesian-product: Cartesian product\n" in told
    assert "    To do: " in told
    assert "1 query in 1 file: 1 problem" in told


def test_levels_decide_the_status_and_what_is_told(query: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(query, "--fail-on", "never") == 0
    assert lint(query, "--ignore", "cartesian-product", "--level", "problem") == 0
    assert "no finding" in capsys.readouterr().out.splitlines()[-1]
    assert lint(query, "--only", "spill") == 0
    assert lint(query, "--ignore", "spil") == 2
    assert "There is no finding 'spil'" in capsys.readouterr().err


def test_json_sarif_and_markdown(query: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lint(query, "--format", "json")
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == "planviz-lint/1"
    assert told["files"][0]["findings"][0]["name"] == "cartesian-product"
    assert told["files"][0]["findings"][0]["line"] == 2
    lint(query, "--format", "sarif", "-o", str(tmp_path / "out.sarif"))
    sarif = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8"))["runs"][0]
    assert sarif["results"][0]["level"] == "error"
    assert sarif["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}
    assert sarif["tool"]["driver"]["rules"][0]["id"] == "cartesian-product"
    lint(query, "--format", "markdown")
    assert "- **Cartesian product** (problem, `cartesian-product`, line 2)" in capsys.readouterr().out


HOSTILE = "`x](//e) @me <i> |*y*`"


def test_names_mean_nothing_to_markdown_sarif_and_terminals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x](javascript:1)\n::error::[q\x1b[2J.sql"
    path.write_text(f"SELECT count(*) FROM {HOSTILE} x, {HOSTILE} y WHERE x.a > y.b", encoding="utf-8")
    lint_it = ["lint", str(path), "--format"]
    run([*lint_it, "markdown"])
    told = capsys.readouterr().out
    assert "\\](//e)" in told
    assert "<i>" not in told
    assert "](" not in told.replace("\\](", "")
    assert "@me" not in told
    assert "\n::" not in told
    run([*lint_it, "sarif"])
    (sarif,) = json.loads(capsys.readouterr().out)["runs"]
    assert sarif["results"]
    for result in sarif["results"]:
        assert "](" not in result["message"]["text"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.endswith("x%5D%28javascript%3A1%29%0A%3A%3Aerror%3A%3A%5Bq%1B%5B2J.sql")
    run([*lint_it, "text"])
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\n::" not in told


def test_a_file_that_fails_stops_no_other(query: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint("no-such-file.sql", query) == 2
    said = capsys.readouterr()
    assert "no-such-file.sql" in said.err
    assert "cartesian-product" in said.out


def test_plan_texts_and_silence_within(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text(
        "== Physical Plan ==\nBatchEvalPython [f(a#1)#2], [p#3]\n+- LocalTableScan [a#1]\n", encoding="utf-8"
    )
    assert run(["lint", str(plan)]) == 1
    assert f"{plan}:2: ▲ warning python-row-udf" in capsys.readouterr().out
    assert run(["lint", "--level", "problem", str(plan)]) == 0


def test_the_options_offer_what_there_is() -> None:
    assert lint_arguments.SEVERITIES == SEVERITIES
    assert tuple(lint_reports.REPORTS) == lint_arguments.FORMATS


def test_what_several_actions_of_a_program_share_is_one_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = tmp_path / "job.py"
    job.write_text("d = spark.table('a').join(spark.table('b'), 'k')\nd.show()\nd.count()\n")
    run(["lint", str(job)])
    told = capsys.readouterr().out

    assert told.count("size-unknown") == 1
    assert "So in 2 queries." in told
    assert "for which Spark takes 8 EiB" not in told  # it lists the files: the size is planviz's, not Spark's


BROKEN = "CREATE TABLE t (a INT) USING parquet;\nSELECT a FROM (SELECT a FROM t\nWHERE a JOIN t ON a = 1;\n"


def test_what_cannot_be_parsed_is_no_green_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "q.sql"
    path.write_text(BROKEN, encoding="utf-8")
    assert run(["lint", str(path)]) == 2
    assert capsys.readouterr().out == ""
    assert run(["lint", str(path), "--format", "json"]) == 2
    (told,) = json.loads(capsys.readouterr().out)["files"]
    assert [error["line"] for error in told["errors"]] == [3]
    assert run(["lint", str(path), "--format", "sarif"]) == 2
    (done,) = json.loads(capsys.readouterr().out)["runs"][0]["invocations"]
    assert done["executionSuccessful"] is False
    (note,) = done["toolExecutionNotifications"]
    assert "PARSE_SYNTAX_ERROR" in note["message"]["text"]
    assert note["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}


def test_beside_findings_an_error_is_counted(query: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.sql"
    path.write_text(BROKEN, encoding="utf-8")
    assert lint(query, str(path)) == 2
    assert "1 query in 2 files: 1 problem" in (told := capsys.readouterr().out)
    assert told.rstrip().endswith("; 1 error, of what could not be read.")


def test_a_folder_is_looked_at_with_its_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "planviz.toml").write_text('catalog = "tpch"\n')
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "q.sql").write_text(PRODUCT, encoding="utf-8")
    (tmp_path / "job.py").write_text("spark.table('orders').show()\n")
    assert run(["lint", str(tmp_path), "--fail-on", "problem"]) == 1
    assert "2 queries in 2 files: 1 problem" in capsys.readouterr().out
    assert run(["lint", str(tmp_path / "in" / ".." / "none")]) == 2
    (tmp_path / "empty").mkdir()
    assert run(["lint", str(tmp_path / "empty")]) == 2
    assert "no query or program in there" in capsys.readouterr().err


TRACE = (
    "[PYTHON_EXCEPTION] An exception was thrown from the Python worker: Traceback (most recent call last):\n"
    + '  File "worker.py", line 1, in read\n    import pyarrow\n' * 20
    + "ModuleNotFoundError: No module named 'pyarrow'\n SQLSTATE: 38000"
)


def test_findings_of_an_event_log_name_its_executions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = {
        "nodeName": "Range",
        "simpleString": "Range (0, 9, step=1, splits=1)",
        "children": [],
        "metadata": {},
        "metrics": [],
    }
    sql = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
    start = {"Event": f"{sql}Start", "executionId": 8, "description": "save at job.py:3", "details": "", "time": 1,
             "physicalPlanDescription": "", "sparkPlanInfo": plan}  # fmt: skip
    end = {"Event": f"{sql}End", "executionId": 8, "time": 2, "errorMessage": TRACE}
    path = tmp_path / "log.json"
    path.write_text("\n".join(map(json.dumps, (start, end))), encoding="utf-8")
    assert run(["lint", str(path)]) == 1
    told = capsys.readouterr().out
    assert f"{path}: execution 8: save at job.py:3: ✗ problem failed: The execution failed\n" in told
    assert "    ModuleNotFoundError: No module named 'pyarrow'.\n" in told
    run(["lint", str(path), "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file["findings"][0]["execution"] == {"id": 8, "description": "save at job.py:3"}


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (
            "Job aborted.\n\tat x.Y\nCaused by: a.B: outer\n\tat z\nCaused by: java.io.IOException: disk full\n\tat w",
            "java.io.IOException: disk full.",
        ),
        ("[DIVIDE_BY_ZERO] Division by zero.\n== SQL ==\nSELECT 1", "[DIVIDE_BY_ZERO] Division by zero."),
        (TRACE, "ModuleNotFoundError: No module named 'pyarrow'."),
    ],
)
def test_the_cause_of_a_failure_stands_last_in_its_message(message: str, cause: str) -> None:
    from planviz.plantext.json_plans import cause_of

    assert cause_of(message) == cause
