"""`planviz upgrade` as a user and a build call it: a folder, its settings, reports, status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planviz.cli.main import run

RANKED = """SELECT * FROM (SELECT o_custkey, rank() OVER (PARTITION BY o_custkey ORDER BY o_totalprice) r FROM orders)
WHERE r < 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "planviz.toml").write_text('catalog = "tpch"\n')
    (tmp_path / "ranked.sql").write_text(RANKED)
    (tmp_path / "jobs" / "kept.sql").write_text(f"-- conf: spark.sql.optimizer.windowGroupLimitThreshold=-1\n{RANKED}")
    return tmp_path


def test_a_folder_is_planned_as_both_versions_with_each_querys_own_settings(folder, capsys):
    status = run(["upgrade", str(folder), "--from", "3.4", "--to", "spark-3.5"])

    out = capsys.readouterr().out
    assert status == 1
    assert "≠ ranked: " in out
    assert out.endswith("2 queries: 1 has another plan, 1 has the same plan.\n")


def test_programs_of_a_folder_are_planned_too(folder, capsys):
    (folder / "jobs" / "job.py").write_text("spark.table('orders').groupBy('o_custkey').count().show()\n")

    run(["upgrade", str(folder), "--from", "3.1", "--to", "3.5"])

    out = capsys.readouterr().out
    assert "≠ jobs/job.py: " in out
    assert "3 queries: " in out


def test_tables_of_unknown_size_are_no_sixteen_exbibytes(tmp_path, capsys):
    (tmp_path / "q.sql").write_text("SELECT a.x, count(*) FROM a JOIN b ON a.k = b.k GROUP BY a.x")

    run(["upgrade", str(tmp_path), "--from", "3.1", "--to", "3.5"])

    assert "EiB" not in capsys.readouterr().out


def test_status_is_0_where_nothing_changes_or_no_named_kind_does(folder):
    assert run(["upgrade", str(folder / "jobs"), "--from", "3.4", "--to", "3.5", "--catalog", "tpch"]) == 0
    assert run(["upgrade", str(folder), "--from", "3.4", "--to", "3.5", "--fail-on", "join-order"]) == 0
    assert run(["upgrade", str(folder), "--from", "3.4", "--to", "3.5", "--exit-zero"]) == 0


def test_the_ending_of_the_output_says_its_form(folder, tmp_path):
    for ending in ("txt", "json", "md", "html"):
        run(
            ["upgrade", str(folder / "ranked.sql"), "--from", "3.4", "--to", "3.5", "-o", str(tmp_path / f"r.{ending}")]
        )

    assert json.loads((tmp_path / "r.json").read_text())["format"] == "planviz-upgrade/1"
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "r.md").read_text().startswith("### Spark 3.4 → Spark 3.5")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from", "3.4", "--to", "9.9"], "There is no profile “9.9”"),
        (["--from", "3.4", "--to", "3.4"], "Both versions are spark-3.4"),
        (["--from", "3.4", "--to", "3.5", "-o", "x.pdf"], "the ending must be one of"),
        (["--from", "3.4", "--to", "3.5", "--fail-on", "nonsense"], "nonsense"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(folder, capsys, arguments, message):
    assert run(["upgrade", str(folder), *arguments]) == 2

    assert message in capsys.readouterr().err


def test_a_folder_without_queries_and_a_file_that_is_not_there_are_told(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert run(["upgrade", str(tmp_path / "empty"), "--from", "3.4", "--to", "3.5"]) == 2
    assert "there is no query in there" in capsys.readouterr().err
    assert run(["upgrade", str(tmp_path / "none.sql"), "--from", "3.4", "--to", "3.5"]) == 2
    assert "none.sql" in capsys.readouterr().err


def test_a_report_for_a_pull_request_calls_nobody(folder, capsys):
    (folder / "ranked.sql").rename(folder / "@team <b>.sql")
    run(["upgrade", str(folder), "--from", "3.4", "--to", "3.5", "--format", "markdown"])
    out = capsys.readouterr().out
    assert "<summary>≠ @\u200bteam &lt;b&gt;: " in out
    assert "@team" not in out


def test_a_query_that_neither_version_can_read_is_status_2(tmp_path, capsys):
    (tmp_path / "q.sql").write_text("SELECT a FROM (SELECT a FROM t")

    assert run(["upgrade", str(tmp_path), "--from", "3.4", "--to", "3.5"]) == 2
    assert "1 fails on both" in capsys.readouterr().out
