"""The library: saving, versions, search, trash, deletion; several writers, a kill, a full disk, an old file."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, event

import planviz.store
from planviz.document import open_sql
from planviz.errors import InputError, StoreError
from planviz.store import Library, Person, Query, default_place, read_query
from planviz.store.bundle import export, load
from planviz.store.database import HEAD, VARIABLE, open_database
from planviz.store.notes import add_note, add_notes, carried, notes_of, remove_note
from planviz.store.tables import Base, new_id
from planviz.store.terms import Terms, terms_of, words_of
from planviz.store.texts import Text

#: The fixture that opens libraries.
Opener = Callable[[str], Library]
JOIN = "SELECT l.a FROM lineitem l JOIN orders o ON l.k = o.k"
ADA, BOB = Person("oidc-ada", "ada@example.com", "Ada"), Person("oidc-bob", "bob@example.com", "Bob")
TERMS = Terms("SQL", ("lineitem", "orders"), ("broadcasthashjoin",), ("cartesian-product",), ("select", "lineitem"))


def test_the_same_saved_twice_is_one_document(library: Library) -> None:
    first = library.save(Text(JOIN, "tpch"), "join", TERMS, ["Nightly"])
    again = library.save(Text(JOIN, "tpch"), "the join", TERMS, ["slow"])
    assert again.id == first.id
    assert (again.name, again.tags) == ("the join", ("nightly", "slow"))
    assert library.search(Query())[1] == 1
    assert library.text(first.id) == Text(JOIN, "tpch")
    # Another catalogue or version of Spark is another document of the same text, which is kept once.
    other = library.save(Text(JOIN, "tpch", None, "spark-3.5"), "the join in 3.5", TERMS)
    assert other.id != first.id
    assert library.search(Query())[1] == 2


def test_a_name_has_versions(library: Library) -> None:
    saved = [library.save(Text(f"SELECT {i}"), "daily  report", TERMS) for i in range(3)]
    assert [one.version for one in saved] == [1, 2, 3]
    assert [one.version for one in library.versions(saved[0].id)] == [3, 2, 1]
    assert library.named("daily report").id == saved[2].id
    newest, count = library.search(Query())
    assert ([one.id for one in newest], count) == ([saved[2].id], 1)
    assert newest[0].versions == 3
    assert library.search(Query(versions=True))[1] == 3
    # A document under another name, said to follow the second.
    follows = library.save(Text("SELECT 9"), "report, broadcast", TERMS, follows=saved[1].id)
    assert (follows.version, follows.versions) == (4, 4)
    with pytest.raises(InputError, match="no document nothing"):
        library.save(Text("SELECT 10"), "x", TERMS, follows="nothing")


def test_search_by_words_tables_operators_findings_and_tags(library: Library) -> None:
    one = library.save(Text(JOIN), "Revenue of a year", TERMS, ["nightly"])
    two = library.save(Text("SELECT 1 FROM part"), "parts", Terms("SQL", ("part",), ("filescan",), (), ("select",)))

    def found(text: str) -> set[str]:
        return {each.id for each in library.search(read_query(text))[0]}

    assert found("") == {one.id, two.id}
    assert found("REVENUE") == found("reven year") == found("table:line") == found("tag:nightly") == {one.id}
    assert found("operator:broadcast finding:cartesian") == {one.id}
    assert found("part") == found("select table:part") == {two.id}
    assert found("revenue parts") == set()
    assert library.search(Query())[1] == 2
    with pytest.raises(InputError, match="Nothing is searched by “column:”"):
        read_query("column:a")
    assert library.tags() == [("nightly", 1)]


def test_the_terms_of_a_document() -> None:
    document = open_sql("CREATE TABLE t (a INT); CREATE TABLE u (b INT); SELECT * FROM t CROSS JOIN u")
    terms = terms_of(document)
    assert {"t", "u"} <= set(terms.tables)
    assert "cartesianproduct" in terms.operators or "broadcastnestedloopjoin" in terms.operators
    assert terms.findings
    assert ("word", "t") not in Terms().pairs()
    assert words_of("SELECT a1 FROM x.y -- 12") == ("select", "a1", "from", "x.y")
    assert len(words_of(" ".join(f"w{i}" for i in range(5000)))) == 400


def test_trash_restore_and_deletion(library: Library) -> None:
    saved = library.save(Text(JOIN), "join", TERMS, ["x"])
    assert library.trash([saved.id, "none"]) == 1
    assert library.search(Query())[1] == 0
    assert library.search(Query(trash=True))[1] == 1
    with pytest.raises(InputError, match="lies in the trash"):
        library.text(saved.id)
    assert library.restore([saved.id]) == 1
    assert library.text(saved.id).text == JOIN
    assert library.delete([saved.id]) == 1
    assert library.find(saved.id) is None
    assert library.search(read_query("tag:x"))[1] == 0


def test_deleted_is_gone_from_the_file(tmp_path: Path, opened: Opener) -> None:
    library = opened(str(tmp_path / "library.db"))
    secret = os.urandom(3000).hex()
    saved = library.save(Text(secret), "secretname", Terms(words=("secretword",)))
    library.delete([saved.id])
    library.close()
    # The last connection's end folds the log into the file.
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secretword" not in held
    assert b"secretname" not in held


def test_deleted_is_gone_while_the_library_is_open(tmp_path: Path, opened: Opener) -> None:
    library = opened(str(tmp_path / "library.db"))
    saved = library.save(Text("SELECT 'secrettext'"), "secretname", Terms(words=("secretword",)))
    add_note(library, saved.id, "0", 1, "secretnote")
    library.save(Text("SELECT 2"), "kept", TERMS)

    def held() -> bytes:
        return b"".join(path.read_bytes() for path in tmp_path.iterdir())

    assert b"secretnote" in held()
    library.delete([saved.id])
    assert not [word for word in (b"secretname", b"secretword", b"secretnote") if word in held()]
    assert library.search(Query())[1] == 1


def test_strangers_change_nothing_of_each_other_s(library: Library) -> None:
    first = library.save(Text(JOIN), "revenue", TERMS, ["mine"], among_strangers=True)
    library.save(Text("SELECT 2"), "revenue", TERMS, among_strangers=True)
    again = library.save(Text(JOIN), "nonsense", TERMS, ["theirs"], among_strangers=True)
    assert (again.id, again.name, again.tags) == (first.id, "revenue", first.tags)
    for saved in library.search(Query())[0]:
        assert (saved.version, saved.versions) == (1, 1)


def test_one_owner_does_not_see_the_others(library: Library) -> None:
    mine, yours = library.of(ADA), library.of(BOB)
    saved = mine.save(Text(JOIN), "join", TERMS, ["x"])
    assert yours.find(saved.id) is None
    assert yours.search(Query())[1] == 0
    assert yours.tags() == []
    for ask in (yours.text, yours.versions, yours.named):
        with pytest.raises(InputError):
            ask(saved.id)
    assert yours.trash([saved.id]) == yours.delete([saved.id]) == 0
    # The same text is each one's own document.
    assert yours.save(Text(JOIN), "join", TERMS).id != saved.id


def test_what_nobody_saved_goes_with_time_and_size(library: Library) -> None:
    old = library.remember(Text("old"))
    saved = library.save(Text("saved"), "saved", TERMS)
    assert library.search(Query())[1] == 1
    assert library.remember(Text("old")).id == old.id
    assert library.sweep(days=1) == 0
    assert library.sweep(days=-1) == 1
    assert library.find(old.id) is None
    assert library.find(saved.id) is not None
    kept = [library.remember(Text(f"{i} " + os.urandom(500).hex())).id for i in range(4)]
    assert library.sweep(most=1400) == 2
    assert [library.find(id) is not None for id in kept] == [False, False, True, True]
    # Saved afterwards, it stays.
    assert library.save(Text("kept"), "kept", TERMS).is_saved


def test_any_text_comes_back(library: Library) -> None:
    for text in ("", "a\r\nb\x00\udce4", "計画 🎉", "x" * 3_000_000):
        saved = library.save(Text(text, "c", "CREATE TABLE t (a INT)"), "n", Terms())
        assert library.text(saved.id) == Text(text, "c", "CREATE TABLE t (a INT)")
        assert saved.characters == len(text)


def test_notes_follow_their_operator_through_versions(library: Library) -> None:
    tables = "CREATE TABLE t (a INT, b INT); CREATE TABLE u (c INT); "
    old = tables + "SELECT a FROM t JOIN u ON a = c"
    new = tables + "SELECT a FROM t JOIN u ON a = c ORDER BY a LIMIT 3"

    def physical(sql: str) -> dict[str, object]:
        return {"0": open_sql(sql).plans[-1]}

    first = library.save(Text(old), "query", Terms())
    join = next(node.id for node in physical(old)["0"] if node.kind == "join")
    add_note(library, first.id, "0", join, "  why is this not a broadcast? ")
    second = library.save(Text(new), "query", Terms())
    there = {first.id: physical(old), second.id: physical(new)}
    (note,) = carried(notes_of(library, second.id), second.id, there.__getitem__)
    assert note.words == "why is this not a broadcast?"
    assert there[second.id]["0"][note.node].kind == "join"
    assert note.version == 1
    # An operator that is no longer there: the note stays, without a place.
    third = library.save(Text(tables + "SELECT a FROM t"), "query", Terms())
    there[third.id] = physical(tables + "SELECT a FROM t")
    (gone,) = carried(notes_of(library, third.id), third.id, there.__getitem__)
    assert gone.node is None
    remove_note(library, third.id, gone.number)
    assert notes_of(library, first.id) == []
    for words, error in (("  ", "needs words"), ("x" * 5000, "at most 4,000")):
        with pytest.raises(InputError, match=error):
            add_note(library, first.id, "0", 1, words)


def test_export_and_import(library: Library, tmp_path: Path, opened: Opener) -> None:
    for i in range(3):
        saved = library.save(Text(f"SELECT {i}", "tpch"), "daily", TERMS, ["x"])
    add_note(library, saved.id, "0", 2, "look here")
    data = export(library)
    assert data == export(library)
    other = opened(str(tmp_path / "other.db"))
    done = []
    assert load(other, data, lambda text: TERMS, lambda at, of: done.append((at, of))) == 3
    assert done == [(1, 3), (2, 3), (3, 3)]
    assert load(other, data, lambda text: TERMS) == 3
    assert export(other) == data
    assert [note.words for note in notes_of(other, other.named("daily").id)] == ["look here"]
    assert load(other, export(library, [saved.id]), lambda text: TERMS) == 1


@pytest.mark.parametrize("data", [b"", b"nothing", b"\x1f\x8b\x08", export.__doc__.encode()])
def test_what_is_no_library_is_refused(data: bytes, tmp_path: Path, opened: Opener) -> None:
    library = opened(str(tmp_path / "library.db"))
    with pytest.raises(InputError):
        load(library, data, lambda text: TERMS)


def test_a_damaged_document_is_named(tmp_path: Path, opened: Opener) -> None:
    import gzip

    library = opened(str(tmp_path / "library.db"))
    library.save(Text("SELECT 1"), "one", TERMS)
    lines = gzip.decompress(export(library)).splitlines()
    for damaged in (b'{"name": 1}', b"[]", b"{", b"[" * 50_000):
        with pytest.raises(InputError, match=r"Document 2|Line 3"):
            load(library, gzip.compress(b"\n".join([*lines, damaged])), lambda text: TERMS)


@pytest.mark.parametrize(
    "change",
    [{"catalog_text": []}, {"text": None}, {"tags": 3}, {"notes": [{"plan": "p", "node": -1, "words": "w"}]},
     {"name": "\ud800"}, {"text": "SELECT '\udc00'"}, {"tags": ["\ud800"]}, {"profile": "\ud800"},
     {"notes": [{"plan": "\ud800", "node": 1, "words": "w"}]},
     {"notes": [{"plan": "p", "node": 1e999, "words": "w"}]}, {"notes": [{"plan": "p", "node": 10**30, "words": "w"}]}],
)  # fmt: skip
def test_values_of_other_types_are_no_documents(change: dict[str, object], tmp_path: Path, opened: Opener) -> None:
    import gzip
    import json

    library = opened(str(tmp_path / "library.db"))
    library.save(Text("SELECT 1"), "one", TERMS)
    head, line = gzip.decompress(export(library)).splitlines()
    changed = json.dumps(json.loads(line) | change).encode()
    with pytest.raises(InputError, match="Document 1 of the file is damaged"):
        load(library, gzip.compress(head + b"\n" + changed), lambda text: TERMS)


def test_half_a_character_is_refused_in_a_sentence(library: Library) -> None:
    for text, name in ((Text("SELECT 1", "\ud800"), "one"), (Text("SELECT 1"), "\udfff")):
        with pytest.raises(StoreError, match=r"U\+D\w{3} is half a character"):
            library.save(text, name, TERMS)
    assert library.search(Query())[1] == 0


def test_the_notes_of_a_document_are_written_together(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = opened(str(tmp_path / "first.db")), opened(str(tmp_path / "second.db"))
    id = first.save(Text("SELECT 1"), "one", TERMS).id
    add_notes(first, id, [("0", n, f"note {n}") for n in range(500)])
    with pytest.raises(InputError, match="A note needs words"):
        add_notes(first, id, [("0", 1, "good"), ("0", 1, " ")])
    data, writes, write = export(first), 0, Library._write

    def counted(self: Library, work: Callable[..., object]) -> object:
        nonlocal writes
        writes += 1
        return write(self, work)

    monkeypatch.setattr(Library, "_write", counted)
    assert load(second, data, lambda text: TERMS) == 1
    assert writes == 2  # the document, its notes
    saved = second.search(Query())[0][0]
    assert [note.words for note in notes_of(second, saved.id)] == [f"note {n}" for n in range(500)]
    assert load(second, data, lambda text: TERMS) == 1
    assert len(notes_of(second, saved.id)) == 500


def test_a_line_that_unpacks_to_more_than_any_document_is_not_held(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gzip

    from planviz.store import bundle

    monkeypatch.setattr(bundle, "_LONGEST", 1_000)
    library = opened(str(tmp_path / "library.db"))
    library.save(Text("SELECT 1"), "one", TERMS)
    lines = gzip.decompress(export(library))
    with pytest.raises(InputError, match="longer than any that planviz opens"):
        load(library, gzip.compress(lines + b"[" * 2_000), lambda text: TERMS)
    monkeypatch.setattr(bundle, "_MOST", 1_000)
    with pytest.raises(InputError, match="larger than planviz imports"):
        load(library, gzip.compress(lines + b"[" * 2_000), lambda text: TERMS)


def _write(place: str, writer: int, count: int) -> None:
    library = Library(place)
    for i in range(count):
        library.save(Text(f"SELECT {writer}, {i}"), f"shared {i}", Terms(words=(f"w{writer}",)))
        library.save(Text(f"SELECT {i}"), "same", TERMS)
    library.close()


@pytest.mark.slow
def test_fifty_writers_at_once_lose_nothing(place: str, opened: Opener) -> None:
    opened(place).close()
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write, args=(place, writer, 4)) for writer in range(50)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert [one.exitcode for one in writers] == [0] * 50
    library = opened(place)
    # 200 texts of their own in four chains of 50 versions; four that all wrote, once each.
    assert library.search(Query(versions=True))[1] == 204
    assert sorted(one.version for one in library.versions(library.named("shared 0").id)) == list(range(1, 51))
    assert library.search(read_query("w17", versions=True))[1] == 4


def _save_until_killed(place: str, run: int, acknowledged: Connection) -> None:
    library = Library(place)
    for i in range(100_000):
        library.save(Text(f"{run} {i}"), f"{run} {i}", Terms())
        acknowledged.send(i)


@pytest.mark.slow
def test_a_hundred_kills_in_the_middle_lose_nothing_acknowledged(tmp_path: Path, opened: Opener) -> None:
    place = str(tmp_path / "library.db")
    opened(place).close()
    context = multiprocessing.get_context("fork")
    acknowledged = {}
    for run in range(100):
        here, there = context.Pipe(duplex=False)
        saver = context.Process(target=_save_until_killed, args=(place, run, there))
        saver.start()
        there.close()
        while here.recv() < run % 4:
            pass
        # The moment differs from run to run.
        time.sleep(run % 25 * 0.0007)
        saver.kill()
        last = run % 4
        with contextlib.suppress(EOFError):
            while True:
                last = here.recv()
        acknowledged[run] = last
        saver.join()
        assert saver.exitcode == -signal.SIGKILL
    library = opened(place)
    for run, last in acknowledged.items():
        for i in range(last + 1):
            assert library.text(library.named(f"{run} {i}").id).text == f"{run} {i}"
    with sqlite3.connect(place) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path: Path, opened: Opener) -> None:
    place = str(tmp_path / "library.db")
    library = opened(place)
    saved = library.save(Text("before"), "before", TERMS)
    with library._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="the disk is full, so nothing was saved"):
        library.save(Text(os.urandom(200_000).hex()), "big", TERMS)
    assert library.text(saved.id).text == "before"
    assert library.search(Query())[1] == 1


def test_an_old_file_is_brought_up_to_date(tmp_path: Path, opened: Opener) -> None:
    place = tmp_path / "library.db"
    engine = create_engine(f"sqlite:///{place}")
    config = Config()
    config.set_main_option("script_location", str(Path(planviz.store.__file__).parent / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.exec_driver_sql("INSERT INTO content VALUES ('d', x'1f8b', 1)")
        connection.exec_driver_sql(
            "INSERT INTO document VALUES (1, 'old', '', 'f', 'd', 'old one', 'SQL', '', NULL, '', 1, 1, 1, 5, 5, 0)"
        )
    engine.dispose()
    library = opened(str(place))
    assert library.named("old one").created == 5
    add_note(library, "old", "0", 1, "still here")
    assert notes_of(library, "old")[0].words == "still here"


def test_a_name_is_found_by_its_index(tmp_path: Path, opened: Opener) -> None:
    library = opened(str(tmp_path / "library.db"))
    library.save(Text("SELECT 1"), "one", TERMS)
    asked: list[tuple[str, object]] = []
    event.listen(library._engine, "before_cursor_execute", lambda _, __, sql, values, *___: asked.append((sql, values)))
    library.save(Text("SELECT 2"), "one", TERMS)
    library.named("one")
    by_name = [(sql, values) for sql, values in asked if "document.name = ?" in sql and sql.startswith("SELECT")]
    assert len(by_name) == 2
    with sqlite3.connect(tmp_path / "library.db") as connection:
        for sql, values in by_name:
            told = str(connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall())
            assert "document_name (owner=? AND name=? AND saved=? AND trashed=?)" in told


def test_migrations_make_the_tables(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "library.db"))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == HEAD
        assert compare_metadata(context, Base.metadata) == []


def test_a_newer_or_foreign_or_damaged_file_is_refused(tmp_path: Path, opened: Opener) -> None:
    place = tmp_path / "library.db"
    opened(str(place)).close()
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="made by a newer planviz"):
        opened(str(place))
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE contacts (name)")
    with pytest.raises(StoreError, match="another program's tables"):
        opened(str(foreign))
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"no database at all, but long enough to look at" * 50)
    with pytest.raises(StoreError, match="damaged or no SQLite database"):
        opened(str(damaged))
    for address, error in (
        ("mysql://a/b", "mysql is not known"),
        ("://", "address is none"),
        ("nope://x", "is not known|none that"),
    ):
        with pytest.raises(StoreError, match=error):
            opened(address)
    with pytest.raises(StoreError) as refused:
        opened("postgresql://ada:secret@127.0.0.1:1/x")
    assert "secret" not in str(refused.value)


def test_the_place_of_the_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, opened: Opener) -> None:
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_place() == str(tmp_path / "planviz" / "library.db")
    opened(default_place()).close()
    assert (tmp_path / "planviz" / "library.db").stat().st_mode & 0o077 == 0
    monkeypatch.setenv(VARIABLE, "postgresql://a/b")
    assert default_place() == "postgresql://a/b"


def test_no_id_begins_like_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-abc", "-", "x-yz"])
    monkeypatch.setattr("planviz.store.tables.secrets.token_urlsafe", lambda length: next(drawn))
    assert new_id() == "x-yz"
