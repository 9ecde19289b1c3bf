from __future__ import annotations

import json

import pytest

from planviz.cli.main import run

SQL = """
SELECT d_year, count(*) FROM store_sales JOIN date_dim ON ss_sold_date_sk = d_date_sk WHERE d_moy = 5 GROUP BY d_year
"""


@pytest.fixture
def query(tmp_path):
    file = tmp_path / "query.sql"
    file.write_text(SQL)
    return str(file)


def test_every_operator_with_formula_and_assumptions(query, capsys):
    assert run(["why", "--estimates", query, "--catalog", "tpcds", "--conf", "spark.sql.cbo.enabled=true"]) == 0

    out = capsys.readouterr().out
    assert "Join Inner, (ss_sold_date_sk = d_date_sk)\n" in out
    assert "⌈rows × selectivity⌉ = ⌈73,049 × " in out
    assert "(d_moy = 5): 0.0833333 = 1 / 12" in out
    assert "assumes uniformity, containment" in out
    assert "statistics of date_dim: declared" in out


def test_without_rows_they_are_unknown(query, capsys):
    assert run(["why", "--estimates", query, "--catalog", "tpcds"]) == 0

    out = capsys.readouterr().out
    assert "rows unknown, " in out
    assert "(SizeInBytesOnlyStatsPlanVisitor)" in out


def test_as_json(query, capsys):
    assert run(["why", "--estimates", "--format", "json", query, "--catalog", "slides"]) == 0

    top, *_, leaf = json.loads(capsys.readouterr().out)["queries"][0]["estimates"]
    assert (top["rows"], top["rowsLabel"], top["bytesLabel"], top["depth"]) == (None, "unknown", "estimated", 0)
    assert leaf["sources"][0] == {
        "table": "date_dim", "kind": "declared", "rows": 73049, "bytes": 10226860, "analyzedAt": None,
        "columns": ["d_date_sk", "d_year", "d_moy"], "unknown": [],
    }  # fmt: skip


def test_a_pasted_plan_has_the_estimates_of_the_plan_that_was_read_back(tmp_path, capsys):
    file = tmp_path / "plan.txt"
    file.write_text("== Physical Plan ==\n*(1) Range (0, 5, step=1, splits=1)\n")

    assert run(["why", "--estimates", str(file)]) == 0
    told = capsys.readouterr().out
    assert told.startswith("replayed")
    assert "    5 rows, 40 B\n" in told
