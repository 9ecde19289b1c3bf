"""Exported files and library files that somebody made on purpose, or that a disk damaged."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from planviz.cli.main import run
from planviz.errors import InputError, StoreError
from planviz.store import Library, Query
from planviz.store.bundle import export, load
from planviz.store.terms import Terms
from planviz.store.texts import Text

Opener = Callable[[str], Library]
TERMS = Terms("SQL query")


def _bundle(*documents: dict[str, object]) -> bytes:
    made = {
        "name": "one",
        "tags": [],
        "text": "SELECT 1",
        "catalog": "",
        "catalog_text": None,
        "profile": "",
        "notes": [],
    }
    lines = [{"format": "planviz-library/1", "documents": 1e400}, *(made | told for told in documents)]
    return gzip.compress("\n".join(map(json.dumps, lines)).encode())


@pytest.mark.parametrize("catalog", ["-", "/dev/zero", "/dev/stdin", "PIPE", "../secret.sql", "TPCH", "shop"])
def test_a_document_names_no_place_of_this_machine(
    catalog: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "shop").write_text("CREATE TABLE one (hunter2 INT)")  # not what the name means in a document
    monkeypatch.chdir(tmp_path)
    given = catalog.replace("PIPE", str(tmp_path / "pipe"))
    (tmp_path / "library.gz").write_bytes(_bundle({"catalog": given, "text": "SELECT * FROM one"}))
    store = ["--store", str(tmp_path / "library.db")]
    assert run(["import", "library.gz", *store]) == 0
    assert run(["library", "note", "one", *store]) == 0
    assert run(["list", "table:hunter2", *store]) == 0
    assert b"hunter2" not in capfdbinary.readouterr().out


def test_names_and_tags_of_a_file_obey_what_those_of_people_do(tmp_path: Path, opened: Opener) -> None:
    library = opened(str(tmp_path / "library.db"))
    data = _bundle(
        {"name": "a\x1b[2J\x00b\u202e\nc" + "x" * 5_000, "tags": [f"t\x1b{n}" for n in range(10_000)] + ["\x00"]}
    )
    assert load(library, data, lambda text: TERMS) == 1
    (saved,), _ = library.search(Query())
    assert saved.name.startswith("a[2Jb cx")
    assert len(saved.name) == 200
    assert len(saved.tags) == 100
    assert all(tag.isprintable() for tag in saved.tags)
    assert load(library, _bundle({"name": "\x00\x1b"}), lambda text: TERMS) == 1
    assert library.search(Query())[0][0].name == "Without a name"


@pytest.mark.parametrize(
    ("note", "error"),
    [({"plan": "x" * 1_000, "node": 1, "words": "w"}, "Document 2 of the file is damaged"),
     ({"plan": "0", "node": 1, "words": " "}, "A note of document 2 cannot be saved"),
     ({"plan": "0", "node": 1, "words": "w" * 5_000}, "A note of document 2 cannot be saved")],
)  # fmt: skip
def test_a_note_that_cannot_be_saved_is_told_with_its_document(
    note: dict[str, object], error: str, tmp_path: Path, opened: Opener
) -> None:
    library = opened(str(tmp_path / "library.db"))
    with pytest.raises(InputError, match=error):
        load(library, _bundle({"name": "first"}, {"text": "SELECT 2", "notes": [note]}), lambda text: TERMS)
    assert library.named("first").is_saved


def test_a_document_that_opening_fails_on_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def fails(*given: object, **named: object) -> None:
        raise RecursionError

    monkeypatch.setattr("planviz.cli.library.open_text", fails)
    (tmp_path / "library.gz").write_bytes(_bundle({}))
    assert run(["import", str(tmp_path / "library.gz"), "--store", str(tmp_path / "library.db")]) == 0


@pytest.mark.parametrize(
    "body",
    [b"", b"no gzip", gzip.compress(b"SELECT 1 AS one")[:-9], gzip.compress(b"x"), gzip.compress(b"x" * 10**7)],
    # gzip notes the second in which it was written: processes that begin in different ones would know other tests.
    ids=["nothing", "no gzip", "cut", "another text", "far larger"],
)
def test_a_text_that_the_disk_damaged_is_told(body: bytes, tmp_path: Path, opened: Opener) -> None:
    library = opened(str(tmp_path / "library.db"))
    id = library.save(Text("SELECT 1 AS one"), "one", TERMS).id
    other = library.save(Text("SELECT 3"), "other", TERMS).id
    with sqlite3.connect(tmp_path / "library.db") as connection:
        connection.execute("UPDATE content SET body = ? WHERE characters = 15", (body,))
    with pytest.raises(StoreError, match="is damaged in the library"):
        library.text(id)
    with pytest.raises(StoreError, match="is damaged in the library"):
        export(library)
    assert library.text(other).text == "SELECT 3"
    assert export(library, [other])
    library.trash([id])
    assert library.delete([id]) == 1
