from __future__ import annotations

import json

import pytest

from planviz.cli.main import run

SQL = "SELECT * FROM store_sales JOIN item ON ss_item_sk = i_item_sk"


@pytest.fixture
def query(tmp_path):
    file = tmp_path / "query.sql"
    file.write_text(SQL)
    return str(file)


def test_every_table_in_turn(query, capsys):
    assert run(["crossover", query, "--catalog", "tpcds", "--to", "1g"]) == 0

    out = capsys.readouterr().out
    assert "item (now 94,248,000 bytes): 1 crossover," in out
    assert "> store_sales ⋈ item: BroadcastHashJoin, BuildRight -> SortMergeJoin" in out
    assert "right 10,485,760 -> 10,485,761, limit 10,485,760" in out
    assert "store_sales (now 42,623,559,552 bytes)" in out


def test_tables_together_as_json(query, capsys):
    assert run(["crossover", query, "--catalog", "tpcds", "--together", "--format", "json"]) == 0

    statement = json.loads(capsys.readouterr().out)["statements"][0]
    assert statement["crossovers"][0]["tables"] == ["store_sales", "item"]
    assert statement["crossovers"][0]["crossovers"][0]["at"] == 4_742_174_459


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--from", "much"), "is no size"), (("--table", "nowhere"), "reads no table nowhere")],
)
def test_mistakes_are_told(query, arguments, message, capsys):
    assert run(["crossover", query, "--catalog", "tpcds", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_each_of_several_statements_has_a_heading(tmp_path, capsys):
    path = tmp_path / "two.sql"
    path.write_text(
        "SELECT count(*) FROM nation;\nSELECT count(*) FROM nation n JOIN region r ON n_regionkey = r_regionkey"
    )
    run(["crossover", str(path), "--catalog", "tpch"])

    told = capsys.readouterr().out
    assert "Statement 1, line 1\n" in told
    assert "Statement 2, line 2\n" in told
