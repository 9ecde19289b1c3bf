"""`planviz play`: operators by name and of a query, as text, JSON and a page; clear words where it cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planviz.__main__ import main

A = "VALUES (1, 'x'), (2, 'y'), (null, 'n'), (1, 'z') AS a(k, v)"
B = "VALUES (1, 'p'), (1, 'q'), (null, 'm'), (3, 'r') AS b(k, w)"
JOIN = ["--left", A, "--right", B, "--on", "k"]


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["play", *arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["play", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def result(capsys: pytest.CaptureFixture[str], *arguments: str) -> int:
    """How many rows a join gives."""
    endings = ("a row of both.", "kept, with nulls beside it.")
    return sum(line.endswith(endings) for line in told(capsys, *arguments).splitlines())


def test_a_join_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "sortmergejoin", *JOIN, "--type", "left")
    assert text.startswith("Sort Merge Join, Left Outer\n")
    assert "Shuffle a\n    1  (1, x): hash(1) = -559580957, modulo 4 partitions = 3.\n" in text
    assert "(1, z): key 1 as before; the buffered matches serve again. The other cursor does not go back." in text


@pytest.mark.parametrize(
    ("operator", "kind", "rows"),
    [
        ("BroadcastHashJoin", "inner", 4),
        ("BroadcastHashJoin", "right", 6),
        ("ShuffledHashJoin", "full", 8),
        ("SortMergeJoin", "full", 8),
        ("BroadcastNestedLoopJoin", "full", 8),
        ("CartesianProduct", "inner", 4),
        ("SortMergeJoin", "left", 6),
    ],
)
def test_types(capsys: pytest.CaptureFixture[str], operator: str, kind: str, rows: int) -> None:
    assert result(capsys, operator, *JOIN, "--type", kind) == rows


def test_not_in_and_existence(capsys: pytest.CaptureFixture[str]) -> None:
    assert "The list holds a null: NOT IN is never true" in told(capsys, "BroadcastHashJoin", *JOIN, "--type", "not-in")
    assert "has a partner: true is written beside it." in told(capsys, "SortMergeJoin", *JOIN, "--type", "existence")


def test_an_aggregate_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["--input", "VALUES (1, 'x'), (2, 'y'), (1, 'z') AS t(k, s)", "--group-by", "k", "--slices", "1"]
    text = told(capsys, "HashAggregate", *rows, "--select", "count(*)", "--capacity", "1")
    assert "Partial Hash Aggregate" in text
    assert "spilled as run 1" in text
    assert "gives (1, 2)." in text
    sorted_one = told(capsys, "SortAggregate", *rows, "--select", "count(*)")
    assert "are sorted by k." in sorted_one
    assert "Object Hash Aggregate" in told(capsys, "Aggregate", *rows, "--select", "collect_list(s)")
    error = refused(capsys, "HashAggregate", *rows, "--select", "max(s)")
    assert "updates buffers in place, which max cannot be" in error


def test_a_sort_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ["--input", "VALUES (3), (1), (2), (null) AS t(k)", "--slices", "1", "--partitions", "1"]
    text = told(capsys, "Sort", *rows, "--order-by", "k DESC", "--capacity", "2")
    given = [line.split()[1].strip(",") for line in text.splitlines() if line.endswith("is given.")]
    assert given == ["3", "2", "1", "null"]


def test_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    left, page, data = tmp_path / "people.csv", tmp_path / "out.html", tmp_path / "out.json"
    left.write_text("k,name,born\n1,Ann,2001-02-03\n2,O'Neil,\n,Bo,1999-09-09\n")
    arguments = ["BroadcastHashJoin", "--left", str(left), "--right", B, "--on", "people.k = b.k"]
    assert main(["play", *arguments, "-o", str(page), "--theme", "dark", "--title", "A look-up"]) == 0
    assert "<title>A look-up</title>" in page.read_text()
    assert main(["play", *arguments, "-o", str(data)]) == 0
    [play] = json.loads(data.read_text())["plays"]
    assert play["panels"][0]["columns"] == ["k", "name", "born"]
    assert {"cells": ["2", "O'Neil", None]} in play["rows"]
    assert "the ending must be one of html, txt, json" in refused(capsys, *arguments, "-o", "x.pdf")


def test_a_query(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    query, rows = tmp_path / "q.sql", tmp_path / "t.csv"
    table = "CREATE TABLE t(x DECIMAL(9, 2), k BIGINT, y INT)"
    query.write_text(f"{table}; SELECT v, sum(x) FROM (SELECT * FROM {A}) JOIN t USING (k) GROUP BY v")
    rows.write_text("K,x\n1,5\n1,6.25\n2,7\n")
    base = [str(query), "--conf", "spark.sql.shuffle.partitions=3"]
    text = told(capsys, *base, "--rows", f"t={rows}")
    assert "made up" not in text
    assert "of 3 partitions have rows" in text
    assert "gives (x, 11.25)." in text
    assert "The rows of t are made up" in told(capsys, *base, "--operator", "HashAggregate")
    assert "no CartesianProduct" in refused(capsys, *base, "--operator", "CartesianProduct")
    assert "there is no table u" in refused(capsys, *base, "--rows", f"u={rows}")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["BroadcastHashJoin", *JOIN, "--type", "full"], "does not do full joins"),
        (["BroadcastHashJoin", *JOIN, "--type", "left", "--build", "left"], "cannot build the left side"),
        (["SortMergeJoin", "--left", A, "--right", B, "--on", "a.v < b.w"], "needs a key"),
        (["SortMergeJoin", *JOIN, "--type", "outer"], "There is no join type 'outer'"),
        (["SortMergeJoin", "--left", A], "needs --right"),
        (["Sort", "--input", A], "needs --order-by"),
        (["nothing.sql"], "nothing.sql: No such file"),
    ],
)  # fmt: skip
def test_what_cannot_be(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    assert words in refused(capsys, *arguments)


def test_csv_rows_must_fit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1\n")
    assert "row 2 has 1 fields, the first line 2" in refused(capsys, "Aggregate", "--input", str(file))
    file.write_text("a,b\n")
    assert "needs a line with the columns' names and a row" in refused(capsys, "Aggregate", "--input", str(file))


def test_a_csv_file_that_no_reader_takes_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"a\n{'x' * 200_000}\n")
    assert "the rows cannot be read (field larger than field limit" in refused(
        capsys, "Aggregate", "--input", str(file)
    )
