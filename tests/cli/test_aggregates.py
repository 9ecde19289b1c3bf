"""`planviz aggregates`: stages, estimates, rows through the stages, as text and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planviz.cli.main import run

SQL = "SELECT user_id, count(DISTINCT item_id) AS items FROM orders GROUP BY user_id"


@pytest.fixture
def query(tmp_path: Path) -> str:
    path = tmp_path / "q.sql"
    path.write_text(SQL)
    return str(path)


def test_stages_and_estimates(query, capsys):
    assert run(["aggregates", "--catalog", "shop", query]) == 0
    lines = capsys.readouterr().out.splitlines()

    assert lines[0] == "Aggregate 1: count(distinct item_id) by user_id"
    assert lines[1] == "  1. HashAggregate, partial, by user_id, item_id: groups only"
    assert lines[2] == "     Exchange hashpartitioning(user_id, item_id, 200)"
    assert sum(line.startswith("  estimated after stage") for line in lines) == 4
    assert "input:" not in "".join(lines)


def test_rows_of_ones_own(query, capsys):
    assert run(["aggregates", "--catalog", "shop", "--row", "1,2", "--row", "1,2", "--row", "1,", query]) == 0
    out = capsys.readouterr().out

    assert "after stage 4:\n    partition  user_id  items\n    1          1        1\n" in out


def test_a_row_with_too_few_values_is_refused(query, capsys):
    assert run(["aggregates", "--catalog", "shop", "--row", "1", query]) == 2
    assert "give 2: user_id, item_id" in capsys.readouterr().err


def test_json(query, capsys):
    assert run(["aggregates", "--catalog", "shop", "--rows", "--format", "json", query]) == 0
    (found,) = json.loads(capsys.readouterr().out)["aggregates"]

    assert [s["operator"] for s in found["stages"]] == ["HashAggregate"] * 4
    assert [s["buffers"] for s in found["stages"]] == [[], [], [["count", "bigint"]], [["count", "bigint"]]]
    assert all(isinstance(s["rows"], int) for s in found["stages"])
    assert len(found["sample"]) == 5


def test_a_pasted_plan(query, capsys, tmp_path):
    run(["optimize", "--stage", "physical", "--catalog", "shop", query])
    plan = tmp_path / "plan.txt"
    plan.write_text(f"== Physical Plan ==\n{capsys.readouterr().out.split('==')[-1].strip()}\n")

    assert run(["aggregates", "--rows", str(plan)]) == 0
    out = capsys.readouterr().out
    assert "4. HashAggregate, final, by user_id: count(distinct item_id)" in out
    assert "after stage 4:" in out


def test_a_query_without_aggregates(tmp_path, capsys):
    path = tmp_path / "q.sql"
    path.write_text("SELECT 1")

    assert run(["aggregates", str(path)]) == 0
    assert capsys.readouterr().out == "No aggregate.\n"


def test_the_stages_are_a_picture(query, capsys):
    assert run(["aggregates", "--catalog", "shop", "--format", "svg", "--theme", "dark", query]) == 0
    drawn = capsys.readouterr().out
    assert drawn.startswith("<svg")
    assert "Partial Hash Aggregate" in drawn
    assert run(["aggregates", "--catalog", "shop", "--format", "svg", "--aggregate", "7", query]) == 2
    assert "There is no aggregate 7: the file has 1." in capsys.readouterr().err


def test_each_of_several_statements_has_a_heading(tmp_path, capsys):
    path = tmp_path / "two.sql"
    path.write_text(
        "SELECT count(*) FROM nation;\nSELECT count(*) FROM nation n JOIN region r ON n_regionkey = r_regionkey"
    )
    run(["aggregates", str(path), "--catalog", "tpch"])

    told = capsys.readouterr().out
    assert "Statement 1, line 1\n" in told
    assert "Statement 2, line 2\n" in told
