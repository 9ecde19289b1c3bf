"""`planviz spark analyze` stopped, resumed, and with a table that cannot be counted; Spark is played."""

from __future__ import annotations

import json

import pytest

from planviz.catalog.files import read_catalog
from planviz.cli.main import run
from planviz.cli.spark import analyze
from planviz.errors import SparkError, SparkLost

TABLES = ["shop.a", "shop.b", "shop.c"]


class Played:
    """Answers as Spark does; `ends` are the errors that counting a table raises. Keeps which tables were counted."""

    def __init__(self, ends):
        self.ends, self.counted, self.closed = ends, [], False

    def call(self, task, arguments, **_):
        if task == "tables":
            return TABLES
        name = arguments["table"]
        if name in self.ends:
            raise self.ends[name]
        self.counted.append(name)
        columns = [{"name": "k", "type": "bigint", "nullable": True}]
        return {"columns": columns, "stats": {"rowCount": len(self.counted), "sizeInBytes": 8, "columns": {}}}

    def close(self):
        self.closed = True


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """Runs the command over played tables: its status, what was counted, and the tables in the file."""
    path = tmp_path / "shop.json"

    def call(ends, *more):
        live = Played(ends)
        monkeypatch.setattr(analyze, "live_spark", lambda _: live)
        status = run(["spark", "analyze", "-o", str(path), *more])
        assert live.closed
        assert not [p for p in tmp_path.iterdir() if p != path]
        return status, live.counted, sorted(json.loads(path.read_text())["tables"])

    return call


def test_a_stopped_run_keeps_what_it_counted_and_goes_on(counted, capsys):
    assert counted({"shop.b": KeyboardInterrupt()}) == (130, ["shop.a"], ["shop.a"])
    assert "shop.json: 1; --resume goes on." in capsys.readouterr().err
    assert counted({}, "--resume") == (0, ["shop.b", "shop.c"], TABLES)
    assert "1 of 3, shop.a: kept" in capsys.readouterr().err


def test_without_resume_everything_is_counted_again(counted):
    counted({})
    assert counted({}) == (0, TABLES, TABLES)


def test_a_table_that_cannot_be_counted_stops_no_other(counted, capsys):
    assert counted({"shop.b": SparkError("The files of shop.b are gone.")}) == (
        1,
        ["shop.a", "shop.c"],
        ["shop.a", "shop.c"],
    )
    assert "2 of 3, shop.b: The files of shop.b are gone." in capsys.readouterr().err


def test_a_spark_that_ends_leaves_the_tables_that_were_counted(counted, capsys):
    status, _, kept = counted({"shop.c": SparkLost("Spark ended while it was counting.")})
    assert (status, kept) == (2, ["shop.a", "shop.b"])
    assert "Spark ended while it was counting." in capsys.readouterr().err


def test_the_file_is_a_catalogue(counted, tmp_path):
    counted({})
    assert sorted(read_catalog(tmp_path / "shop.json").tables) == TABLES
