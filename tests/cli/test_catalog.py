from __future__ import annotations

import json

import pytest

from planviz.cli.main import run


def said(capsys, *arguments):
    status = run(["catalog", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_list_names_the_bundled_catalogues(capsys):
    status, out, _ = said(capsys, "list")

    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == ["documents", "shop", "tpch", "tpcds", "slides"]
    assert json.loads(said(capsys, "list", "--format", "json")[1])[2]["tables"][0] == "customer"


def test_show_prints_tables_with_what_is_known(capsys):
    status, out, _ = said(capsys, "show", "documents", "orders")

    assert status == 0
    assert out.startswith("orders  parquet  4 rows")
    assert "  price        decimal(7,2)  yes" in out
    assert "customer  parquet" not in out
    assert list(json.loads(said(capsys, "show", "tpch", "nation", "--format", "json")[1])["tables"]) == ["nation"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "tpcs"), "no catalogue or file called “tpcs”. Did you mean tpcds"),
        (("show", "tpch", "lineitm"), "has no table lineitm; did you mean lineitem?"),
        (("show", "nothing/at/all.sql"), "bundled ones are documents"),
    ],
)
def test_a_wrong_name_gets_the_nearest(capsys, arguments, message):
    status, out, err = said(capsys, *arguments)

    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_check_reports_problems_with_status_1(capsys, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"format": "planviz-catalog/1", "tables": {"t": {"stats": {"rowCount": -1}, "cols": []}}}')

    status, out, _ = said(capsys, "check", "tpch", str(bad))
    assert status == 1
    assert out.splitlines()[0] == "tpch: nothing is wrong."
    assert f"{bad}: tables.t.stats.rowCount: must be a whole number" in out
    report = json.loads(said(capsys, "check", str(bad), "--format", "json")[1])
    assert {p["path"] for p in report[0]["problems"]} == {"tables.t", "tables.t.stats.rowCount"}


def test_check_of_a_broken_file_goes_on_with_the_others(capsys, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('{"format": "planviz-catalog/1",\n "tables": }')

    status, out, err = said(capsys, "check", str(bad), "tpch")
    assert status == 2
    assert "line 2, column 12" in err
    assert out == "tpch: nothing is wrong.\n"


def test_infer_writes_a_catalogue_that_can_be_used(capsys, tmp_path):
    query = tmp_path / "q.sql"
    query.write_text("SELECT o.day, sum(o.amount) FROM orders o WHERE o.status = 'paid' GROUP BY o.day")
    target = tmp_path / "guessed.json"

    status, out, err = said(capsys, "infer", str(query), "-o", str(target))
    assert (status, out) == (0, "")
    assert "Guessed from the query, types too: orders." in err
    document = json.loads(target.read_text())
    day = {"name": "day", "type": "date", "nullable": True, "guessed": True}
    assert day in document["tables"]["orders"]["columns"]
    assert run(["optimize", str(query), "--catalog", str(target)]) == 0
    assert capsys.readouterr().out.startswith("Aggregate [day#")
    assert "  status  string ?" in said(capsys, "show", str(target))[1]


def test_infer_takes_known_tables_from_a_catalogue(capsys, tmp_path):
    query = tmp_path / "q.sql"
    query.write_text("SELECT 1 FROM nation JOIN extra ON extra.k = n_name")

    status, out, _ = said(capsys, "infer", str(query), "--catalog", "tpch", "--format", "text")
    assert status == 0
    assert out == "extra  parquet\n  column  type      null\n  k       string ?  yes\n"


def test_optimize_guesses_where_there_is_nothing_and_says_so(capsys, tmp_path):
    query = tmp_path / "q.sql"
    query.write_text("SELECT a FROM t WHERE b = 1")

    assert run(["optimize", str(query)]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("Project [a#")
    assert captured.err.startswith("planviz: note: Guessed from the query")
    assert run(["optimize", str(query), "--no-infer"]) == 2
    assert "TABLE_OR_VIEW_NOT_FOUND" in capsys.readouterr().err
    assert run(["optimize", str(query), "--catalog", "tpch"]) == 2
    assert run(["optimize", str(query), "--catalog", "tpch", "--infer"]) == 0


def test_parameters_settings_and_profile_reach_the_plan(capsys, tmp_path):
    query = tmp_path / "q.sql"
    query.write_text("SELECT a FROM t1 WHERE c = :x LIMIT 0")
    older = tmp_path / "older.sql"
    older.write_text("SELECT a FROM t1 LIMIT 0")
    options = ["--catalog", "documents", "--param", "x=a b"]

    assert run(["trace", str(older), "--catalog", "documents", "--profile", "spark-3.0"]) == 0
    assert "OptimizeLimitZero" in capsys.readouterr().out
    assert run(["trace", str(query), *options, "--profile", "spark-3.0"]) == 2
    assert "a parameter, which came with 3.4" in capsys.readouterr().err
    assert run(["optimize", str(query), "--stage", "analyzed", *options]) == 0
    assert "(c#3 = a b)" in capsys.readouterr().out
    assert run(["optimize", str(query), "--catalog", "documents"]) == 2
    assert "UNBOUND_SQL_PARAMETER" in capsys.readouterr().err
    assert run(["optimize", str(query), *options, "--conf", "spark.sql.cbo.enabled=maybe"]) == 2
    assert "must be true or false" in capsys.readouterr().err
    assert run(["optimize", str(query), *options, "--conf", "spark.sql.cbo.enable=true"]) == 0
    assert "did you mean spark.sql.cbo.enabled?" in capsys.readouterr().err


def test_edit_writes_other_statistics(capsys, tmp_path):
    target = tmp_path / "big.json"
    edits = (
        "--scale",
        "10",
        "--table",
        "orders",
        "--set",
        "customer.rowCount=7",
        "--set",
        "customer.id.distinctCount=8",
    )

    status, out, err = said(capsys, "edit", "documents", *edits, "-o", str(target))

    assert (status, out) == (0, "")
    assert "8 is more than the table's 7 rows" in err
    assert "40 rows" in said(capsys, "show", str(target), "orders")[1]
    assert "7 rows" in said(capsys, "show", str(target), "customer")[1]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (("--set", "customer.rowcout=1"), "did you mean rowCount?"), (("--scale", "much"), "is no factor"),
        (("--scale", "0"), "more than 0"), (("--scale", "2", "--table", "nowhere"), "has no table nowhere"),
    ],
)  # fmt: skip
def test_edit_says_what_cannot_be_set(capsys, edit, message):
    status, _, err = said(capsys, "edit", "documents", *edit)

    assert status == 2
    assert message in err
