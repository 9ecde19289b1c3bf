from __future__ import annotations

import json

import pytest

from planviz.cli.main import run

SQL = """SELECT count(*) FROM store_sales
JOIN customer ON ss_customer_sk = c_customer_sk
JOIN date_dim ON ss_sold_date_sk = d_date_sk WHERE d_year = 2000 AND d_moy = 11"""


@pytest.fixture
def query(tmp_path):
    file = tmp_path / "query.sql"
    file.write_text(SQL)
    return str(file)


def test_the_search_level_by_level(query, capsys):
    assert run(["join-order", query, "--catalog", "tpcds"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 relations, 4 candidates; rows weigh 0.7 of a cost"
    assert [line for line in lines if line.startswith("level 1")]
    assert not [line for line in lines if line.startswith("level 0")]
    assert "  * {store_sales, date_dim}" in lines
    assert any("{store_sales, customer} with {date_dim}" in line and "times that" in line for line in lines)
    assert lines[-1].startswith("chosen: ((store_sales ⋈ date_dim) ⋈ customer); in between ")


def test_as_json_and_why_nothing_was_searched(query, tmp_path, capsys):
    assert run(["join-order", query, "--catalog", "tpcds", "--format", "json"]) == 0
    (statement,) = json.loads(capsys.readouterr().out)["statements"]
    assert [r["name"] for r in statement["searches"][0]["relations"]] == ["store_sales", "customer", "date_dim"]

    two = tmp_path / "two.sql"
    two.write_text("SELECT * FROM store_sales JOIN item ON ss_item_sk = i_item_sk")
    assert run(["join-order", str(two), "--catalog", "tpcds"]) == 0
    assert "Not searched: There is nothing to choose between two relations." in capsys.readouterr().out


def test_each_of_several_statements_has_a_heading(tmp_path, capsys):
    path = tmp_path / "two.sql"
    path.write_text(
        "SELECT count(*) FROM nation;\nSELECT count(*) FROM nation n JOIN region r ON n_regionkey = r_regionkey"
    )
    run(["join-order", str(path), "--catalog", "tpch"])

    told = capsys.readouterr().out
    assert "Statement 1, line 1\n" in told
    assert "Statement 2, line 2\n" in told
