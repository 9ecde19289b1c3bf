"""`planviz save`, `list`, `open`, `export`, `import`, `library`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planviz.cli.main import run
from planviz.store import Library, Person
from planviz.store.accounts import remember_person

QUERY = "SELECT l_orderkey FROM lineitem JOIN orders ON l_orderkey = o_orderkey"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a library of its own."""
    place = tmp_path / "library.db"
    monkeypatch.setenv("PLANVIZ_STORE", str(place))
    return place


@pytest.fixture
def query(tmp_path: Path) -> Path:
    file = tmp_path / "revenue.sql"
    file.write_text(QUERY)
    return file


def _listed(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    capsys.readouterr()
    assert run(["list", *words, "--format", "json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_a_file_is_saved_found_and_opened(query: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["save", str(query), "--catalog", "tpch", "--tag", "nightly", "--profile", "spark-3.5"]) == 0
    (saved,) = _listed(capsys, "table:lineitem", "operator:sortmergejoin", "tag:nightly", "REV")
    assert (saved["name"], saved["version"], saved["catalog"], saved["profile"]) == ("revenue", 1, "tpch", "spark-3.5")
    assert _listed(capsys, "table:part") == []
    assert run(["open", "revenue"]) == run(["open", str(saved["id"])]) == 0
    assert capsys.readouterr().out == QUERY * 2
    assert run(["list", "--tags"]) == 0
    assert capsys.readouterr().out.split() == ["1", "nightly"]


def test_a_changed_file_is_the_next_version_and_notes_come_along(
    query: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["save", str(query), "--catalog", "tpch"]) == 0
    assert run(["library", "note", "revenue", "--node", "1", "--write", "read me"]) == 0
    query.write_text(QUERY + " ORDER BY 1")
    assert run(["save", str(query), "--catalog", "tpch"]) == 0
    (newest,) = _listed(capsys)
    assert (newest["version"], newest["versions"]) == (2, 2)
    assert [one["version"] for one in _listed(capsys, "--versions")] == [2, 1]
    assert run(["open", "revenue", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (note,) = told["notes"]
    assert (note["words"], note["version"], note["plan"]) == ("read me", 1, "4")
    assert note["node"] > 1
    assert run(["library", "note", "revenue", "--remove", str(note["number"])]) == 0
    assert run(["library", "note", "revenue"]) == 0
    assert capsys.readouterr().out == ""
    assert run(["library", "note", "revenue", "--plan", "99", "--write", "x"]) == 2
    assert "has no operator 0 in a plan 99" in capsys.readouterr().err


def test_trash_restore_delete_rename(query: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["save", str(query)])
    id = str(_listed(capsys)[0]["id"])
    assert run(["library", "rename", "revenue", "sales", "--tag", "x"]) == 0
    assert run(["library", "trash", "sales"]) == 0
    assert _listed(capsys) == []
    assert run(["open", id]) == 2
    assert "lies in the trash" in capsys.readouterr().err
    assert [one["name"] for one in _listed(capsys, "--trash")] == ["sales"]
    assert run(["library", "restore", id]) == 0
    assert [one["tags"] for one in _listed(capsys)] == [["x"]]
    assert run(["library", "delete", id]) == 0
    assert run(["library", "delete", id]) == 2
    assert _listed(capsys, "--trash") == _listed(capsys) == []
    assert run(["library", "sweep"]) == 0


def test_export_and_import_into_another_library(
    query: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog = tmp_path / "own.sql"
    catalog.write_text("CREATE TABLE lineitem (l_orderkey INT); CREATE TABLE orders (o_orderkey INT)")
    run(["save", str(query), "--catalog", str(catalog)])
    bundle = str(tmp_path / "all.gz")
    assert run(["export", "-o", bundle]) == 0
    other = str(tmp_path / "other.db")
    assert run(["import", bundle, "--store", other]) == 0
    assert "1 documents" in capsys.readouterr().out
    (there,) = _listed(capsys, "table:lineitem", "--store", other)
    assert there["recognised"] == "SQL query"
    assert run(["open", "revenue", "--store", other, "--format", "json"]) == 0
    assert '"planviz-catalog/1"' in json.loads(capsys.readouterr().out)["catalog_text"]
    assert run(["import", str(query), str(tmp_path / "none"), "--store", other]) == 2
    told = capsys.readouterr().err
    assert "no library" in told
    assert "No such file" in told


def test_one_bad_file_stops_no_other(query: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("nothing to see here")
    assert run(["save", str(bad), str(query), str(tmp_path / "none.sql")]) == 2
    assert len(_listed(capsys)) == 1


def test_what_cannot_be(query: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, error in (
        (["open", "nothing"], "has no document nothing"),
        (["list", "column:a"], "Nothing is searched by “column:”"),
        (["save", str(query), str(query), "--name", "x"], "--name is for one file"),
        (["list", "--store", "/proc/none/library.db"], "Name a file in a folder that can be written"),
        (["list", "--store", "mysql://x"], "mysql is not known"),
    ):
        assert run(arguments) == 2
        told = capsys.readouterr().err
        assert error in told
        assert told.count("\n") == 1
    monkeypatch.setenv("PLANVIZ_STORE", "none")
    assert run(["list"]) == 2
    assert "no library here" in capsys.readouterr().err


def test_whoever_runs_the_server_has_the_libraries_of_people(
    store: Path, query: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = Library(str(store))
    remember_person(library.of(Person("oidc-ann", "ann@example.com", "Ann")))
    library.close()
    assert run(["save", str(query), "--catalog", "tpch"]) == 0
    assert _listed(capsys, "--owner", "ann@example.com") == []
    # What one machine's user saved before goes to somebody.
    assert run(["export", "-o", str(tmp_path / "all.gz")]) == 0
    assert run(["import", str(tmp_path / "all.gz"), "--owner", "ANN@example.com"]) == 0
    (hers,) = _listed(capsys, "table:lineitem", "--owner", "ann@example.com")
    (mine,) = _listed(capsys)
    assert hers["id"] != mine["id"]
    assert run(["open", str(hers["id"])]) == 2
    assert "has no document" in capsys.readouterr().err
    assert run(["library", "trash", "revenue", "--owner", "ann@example.com"]) == 0
    assert len(_listed(capsys)) == 1
    assert run(["list", "--owner", "bob@example.com"]) == 2
    assert capsys.readouterr().err == (
        "planviz: Nobody has signed in as bob@example.com. They have a library once they did.\n"
    )
