"""`planviz estimates`: expected rows beside measured ones."""

from __future__ import annotations

import json

import pytest

from planviz.cli.main import run

SQL = "SELECT r_name, n_name FROM nation JOIN region ON n_regionkey = r_regionkey WHERE r_name = 'ASIA'"
CBO = ["--catalog", "tpch", "--conf", "spark.sql.cbo.enabled=true"]
COST = """== Optimized Logical Plan ==
Filter (a#1 > 2), Statistics(sizeInBytes=91.4 MiB, rowCount=1.15E+5)
+- Relation [a#1] parquet, Statistics(sizeInBytes=91.4 MiB, rowCount=3.00E+6)
"""


def operator(name, text, rows, children=()):
    metrics = [{"name": "number of output rows", "metricType": "sum", "value": rows}]
    return {"nodeName": name, "simpleString": text, "metrics": metrics, "children": list(children)}


@pytest.fixture
def captured(tmp_path):
    """A run of the query in which the filter kept three regions instead of one."""
    nation, region = (
        operator(f"Scan parquet {name}", f"FileScan parquet spark_catalog.default.{name}[a#1]", rows)
        for name, rows in (("nation", 25), ("region", 5))
    )
    few = operator("Filter", "Filter (isnotnull(r_name#2) AND (r_name#2 = ASIA))", 3, [region])
    join = operator("BroadcastHashJoin", "BroadcastHashJoin [n#1], [r#2], Inner, BuildRight", 15, [nation, few])
    capture = {
        "format": "planviz-capture/1", "spark": {"version": "4.3.0", "master": "local"},
        "explain": {"extended": "== Optimized Logical Plan ==\nFilter (r#2 = ASIA)\n+- Relation region[r#2]\n"},
        "estimates": [[9, 90], [9, 90]],
        "executed": {"milliseconds": 1.0, "rows": 15, "plan": join},
    }  # fmt: skip
    path = tmp_path / "run.planviz.json"
    path.write_text(json.dumps(capture))
    return str(path)


@pytest.fixture
def query(tmp_path):
    path = tmp_path / "q.sql"
    path.write_text(SQL)
    return str(path)


def test_a_query_beside_a_run_of_it(query, captured, capsys):
    assert run(["estimates", query, *CBO, "--measured", captured, "--factor", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["operator", "bytes", "expected", "measured", "off"]
    (filtered,) = (line for line in lines if "1/3.0" in line and "divergence" in line)
    assert filtered.split()[-6:] == ["1", "3", "1/3.0", "<-", "first", "divergence"]
    assert any(line.strip() == "⌈rows × selectivity⌉ = ⌈5 × 0.2⌉" for line in lines)
    assert sum("first divergence" in line for line in lines) == 1


def test_as_json_with_the_whole_formula(query, captured, capsys):
    assert run(["estimates", query, *CBO, "--measured", captured, "--format", "json"]) == 0
    (plan,) = json.loads(capsys.readouterr().out)["plans"]
    join = next(row for row in plan if row["operator"].startswith("Inner Join"))
    assert (join["rows"], join["measured"], join["factor"], join["from"]) == (5, 15, 3.0, "planviz")
    assert join["estimate"]["formula"] == "inner rows"
    assert not any(row["firstDivergence"] for row in plan)


def test_a_capture_and_a_cost_text_have_spark_s_numbers(captured, tmp_path, capsys):
    assert run(["estimates", captured]) == 0
    assert "Relation region" in capsys.readouterr().out
    (tmp_path / "cost.txt").write_text(COST)
    assert run(["estimates", str(tmp_path / "cost.txt"), "--format", "json"]) == 0
    (plan,) = json.loads(capsys.readouterr().out)["plans"]
    assert [(row["rows"], row["from"]) for row in plan] == [(115_000, "Spark, rounded"), (3_000_000, "Spark, rounded")]


def test_a_text_without_the_numbers_is_told(query, tmp_path, capsys):
    (tmp_path / "plan.txt").write_text("== Physical Plan ==\n*(1) Filter (a#1 > 2)\n+- *(1) Range (0, 9)\n")
    assert run(["estimates", str(tmp_path / "plan.txt")]) == 2
    assert "There are no estimates in this text" in capsys.readouterr().err
    assert run(["estimates", query, *CBO, "--measured", str(tmp_path / "plan.txt")]) == 2
    assert "That text has no measured rows" in capsys.readouterr().err


def test_each_of_several_statements_has_a_heading(tmp_path, capsys):
    path = tmp_path / "two.sql"
    path.write_text(
        "SELECT count(*) FROM nation;\nSELECT count(*) FROM nation n JOIN region r ON n_regionkey = r_regionkey"
    )
    run(["estimates", str(path), "--catalog", "tpch"])

    told = capsys.readouterr().out
    assert "Statement 1, line 1\n" in told
    assert "Statement 2, line 2\n" in told


def test_a_broken_plan_has_no_estimates_of_what_could_not_be_read(tmp_path, capfdbinary):
    file = tmp_path / "broken.txt"
    file.write_text(
        "   :     +- Relation[a#1,b#2] parquet\n      +- Filter isnotnull(a#1)\n         +- Relation[a#1] parquet\n"
        "Project [a#1]\n      +- FileScan parquet [a#1] Batched: true\n",
        encoding="utf-8",
    )
    assert run(["estimates", str(file)]) in (0, 2)
    assert "defect" not in capfdbinary.readouterr().err.decode()
