"""Who reads what: own documents, shared folders, documents that open by their address, and nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from planviz.errors import InputError
from planviz.store import ALONE, NOBODY, Library, Person, Query, read_query
from planviz.store.accounts import person_of, remember_person
from planviz.store.bundle import export
from planviz.store.folders import change_folder, delete_folder, folders, make_folder, put, take_out
from planviz.store.notes import add_note, notes_of, remove_note
from planviz.store.terms import Terms
from planviz.store.texts import Text

ADA = Person("oidc-ada", "ada@example.com", "Ada")
BOB = Person("oidc-bob", "bob@example.com", "Bob")
EVE = Person("oidc-eve", "eve@example.com", "Eve")
UNKNOWN = Person("oidc-unknown", "", "No e-mail")
TERMS = Terms("SQL", ("orders",), ("sort",), ("cartesian-product",), ("select",))


@pytest.fixture
def ada(library: Library) -> Library:
    found = library.of(ADA)
    remember_person(found)
    return found


@pytest.fixture
def bob(library: Library) -> Library:
    found = library.of(BOB)
    remember_person(found)
    return found


def _sees(library: Library, id: str) -> list[str]:
    """The ways in which somebody comes to a document."""
    ways = []
    if library.find(id) is not None:
        ways.append("find")
    for name, query in (("search", Query()), ("table", read_query("table:orders")), ("versions", Query(versions=True))):
        if id in [one.id for one in library.search(query)[0]]:
            ways.append(name)
    asks: dict[str, Callable[[str], object]] = {
        "text": library.text, "of": library.versions, "named": library.named, "newest": library.newest_version,
    }  # fmt: skip
    for name, ask in asks.items():
        try:
            ask(id)
        except InputError:
            continue
        ways.append(name)
    try:
        notes_of(library, id)
    except InputError:
        return ways
    return [*ways, "notes"]


EVERY_WAY = ["find", "search", "table", "versions", "text", "of", "named", "newest", "notes"]


def test_a_document_is_its_owners_alone(library: Library, ada: Library) -> None:
    saved = ada.save(Text("SELECT 1"), "one", TERMS)
    assert _sees(ada, saved.id) == EVERY_WAY
    for person in (BOB, UNKNOWN, NOBODY, ALONE, Person("", "ada@example.com"), Person("oidc-x", "ada@example.com")):
        assert _sees(library.of(person), saved.id) == []


def test_a_folder_is_seen_by_those_it_names(library: Library, ada: Library, bob: Library) -> None:
    saved = ada.save(Text("SELECT 1"), "one", TERMS, ["nightly"])
    folder = make_folder(ada, " Team \n plans ", emails=["BOB@example.com ", "bob@example.com", ""])
    assert _sees(bob, saved.id) == []
    put(ada, saved.id, folder)
    assert _sees(bob, saved.id) == EVERY_WAY
    assert bob.tags() == [("nightly", 1)]
    found = bob.search(Query(folder=folder))[0][0]
    assert (found.by, found.folder, ada.search(Query())[0][0].by) == ("Ada", folder, "")
    assert [(one.name, one.own, one.by, one.emails, one.documents) for one in folders(bob)] == [
        ("Team plans", False, "Ada", (), 1)
    ]
    assert folders(ada)[0].emails == ("bob@example.com",)
    for person in (EVE, UNKNOWN, NOBODY, ALONE):
        assert _sees(library.of(person), saved.id) == []
        assert folders(library.of(person)) == []
        assert library.of(person).search(Query(folder=folder))[1] == 0
    # No more named: no more seen.
    change_folder(ada, folder, "Team", False, ["eve@example.com"])
    assert _sees(bob, saved.id) == []
    assert _sees(library.of(EVE), saved.id) == EVERY_WAY


def test_a_folder_of_everybody_is_seen_by_those_who_signed_in(library: Library, ada: Library) -> None:
    saved = ada.save(Text("SELECT 1"), "one", TERMS)
    put(ada, saved.id, make_folder(ada, "All", everybody=True))
    for person in (BOB, EVE, UNKNOWN):
        assert _sees(library.of(person), saved.id) == EVERY_WAY
    for person in (NOBODY, ALONE):
        assert _sees(library.of(person), saved.id) == []


def test_who_reads_does_not_change(ada: Library, bob: Library) -> None:
    saved = ada.save(Text("SELECT 1"), "one", TERMS, ["x"])
    add_note(ada, saved.id, "0", 1, "slow")
    folder = make_folder(ada, "All", everybody=True)
    put(ada, saved.id, folder)
    assert [note.words for note in notes_of(bob, saved.id)] == ["slow"]
    number = notes_of(bob, saved.id)[0].number
    refused: list[Callable[[], object]] = [
        lambda: bob.rename(saved.id, "mine", ["y"]),
        lambda: bob.open_by_link(saved.id, True),
        lambda: add_note(bob, saved.id, "0", 1, "no"),
        lambda: remove_note(bob, saved.id, number),
        lambda: put(bob, saved.id, ""),
        lambda: take_out(bob, saved),
        lambda: change_folder(bob, folder, "Bob's", False, ["bob@example.com"]),
        lambda: delete_folder(bob, folder),
        lambda: bob.save(Text("SELECT 2"), "two", TERMS, follows=saved.id),
    ]
    for act in refused:
        with pytest.raises(InputError):
            act()
    assert bob.trash([saved.id]) == bob.delete([saved.id]) == bob.restore([saved.id]) == 0
    # The same name is another document of one's own, no version of hers.
    own = bob.save(Text("SELECT 2"), "one", TERMS)
    assert (own.version, own.versions, own.by) == (1, 1, "")
    assert ada.find(saved.id) == saved.__class__(**{**saved.__dict__, "folder": folder})
    # And exported is one's own.
    assert export(bob) == export(bob, [own.id])


def test_in_the_trash_it_is_gone_for_all_others(ada: Library, bob: Library) -> None:
    saved = ada.save(Text("SELECT 1"), "one", TERMS)
    put(ada, saved.id, make_folder(ada, "All", everybody=True))
    ada.open_by_link(saved.id, True)
    ada.trash([saved.id])
    assert _sees(bob, saved.id) == []
    assert bob.search(Query(trash=True))[1] == 0
    ada.restore([saved.id])
    assert _sees(bob, saved.id) == EVERY_WAY
    ada.delete([saved.id])
    assert _sees(bob, saved.id) == _sees(ada, saved.id) == []
    assert folders(ada)[0].documents == 0


def test_by_its_address_alone(library: Library, ada: Library) -> None:
    first = ada.save(Text("SELECT 1"), "one", TERMS)
    second = ada.save(Text("SELECT 2"), "one", TERMS)
    assert ada.open_by_link(first.id, True).linked
    for person in (BOB, NOBODY, ALONE):
        other = library.of(person)
        assert _sees(other, first.id) == ["find", "text", "of", "named", "newest", "notes"]
        # That there is a newer version is told; the version itself opens for nobody else.
        assert other.newest_version(first.id) == 2
        assert [one.id for one in other.versions(first.id)] == [first.id]
        assert _sees(other, second.id) == []
    ada.open_by_link(first.id, False)
    assert _sees(library.of(NOBODY), first.id) == []


def test_one_machines_user_reads_nothing_of_people_and_they_nothing_of_hers(library: Library, ada: Library) -> None:
    alone, hers = library.save(Text("SELECT 0"), "zero", TERMS), ada.save(Text("SELECT 1"), "one", TERMS)
    put(ada, hers.id, make_folder(ada, "All", everybody=True))
    assert _sees(library, alone.id) == EVERY_WAY
    assert _sees(library, hers.id) == _sees(ada, alone.id) == _sees(library.of(NOBODY), alone.id) == []


def test_versions_lie_in_the_folder_of_their_query(ada: Library, bob: Library) -> None:
    first = ada.save(Text("SELECT 1"), "one", TERMS)
    folder = make_folder(ada, "All", everybody=True)
    put(ada, first.id, folder)
    second = ada.save(Text("SELECT 2"), "one", TERMS)
    assert second.folder == folder
    assert [one.version for one in bob.versions(first.id)] == [2, 1]
    assert folders(bob)[0].documents == 1
    put(ada, second.id, "")
    assert _sees(bob, first.id) == _sees(bob, second.id) == []


def test_others_put_their_own_documents_in_and_the_folders_owner_takes_them_out(ada: Library, bob: Library) -> None:
    folder = make_folder(ada, "Team", emails=["bob@example.com"])
    his = bob.save(Text("SELECT 1"), "his", TERMS)
    put(bob, his.id, folder)
    assert _sees(ada, his.id) == EVERY_WAY
    take_out(ada, his)
    assert _sees(ada, his.id) == []
    assert _sees(bob, his.id) == EVERY_WAY
    with pytest.raises(InputError, match="no folder of yours"):
        take_out(ada, his)
    put(bob, his.id, folder)
    # Not named any more he sees no folder, but his document is his, and he takes it out.
    change_folder(ada, folder, "Team", False, [])
    assert folders(bob) == []
    put(bob, his.id, "")
    with pytest.raises(InputError, match="not shared with you"):
        put(bob, his.id, folder)


def test_a_deleted_folder_leaves_its_documents(ada: Library, bob: Library) -> None:
    folder = make_folder(ada, "All", everybody=True)
    saved = [one.save(Text("SELECT 1"), "one", TERMS) for one in (ada, bob)]
    for library, one in zip((ada, bob), saved, strict=True):
        put(library, one.id, folder)
    delete_folder(ada, folder)
    assert folders(ada) == folders(bob) == []
    for library, one in zip((ada, bob), saved, strict=True):
        found = library.find(one.id)
        assert found is not None
        assert found.folder == ""
    assert _sees(bob, saved[0].id) == []


def test_a_folder_deleted_while_others_put_documents_into_it(ada: Library, bob: Library) -> None:
    """Whoever comes first, nothing lies in a folder that is gone, and its number gives nobody else's folder away."""
    for turn in range(10):
        folder = make_folder(ada, f"turn {turn}", everybody=True)
        saved = bob.save(Text(f"SELECT {turn}"), f"query {turn}", TERMS)
        failed: list[Exception] = []

        def put_it(id: str = saved.id, folder: str = folder, failed: list[Exception] = failed) -> None:
            try:
                put(bob, id, folder)
            except InputError as error:
                failed.append(error)

        threads = [threading.Thread(target=put_it), threading.Thread(target=delete_folder, args=(ada, folder))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        found = bob.find(saved.id)
        assert found is not None
        assert found.folder == ""
        next_one = make_folder(ada, "next", everybody=True)
        assert _sees(ada, saved.id) == []
        delete_folder(ada, next_one)


@pytest.mark.parametrize("email", ["ann", "ann@", "@example.com", "a@b@c", "a b@example.com", "<x@example.com>"])
def test_what_is_no_address_is_refused(email: str, ada: Library) -> None:
    with pytest.raises(InputError, match="no e-mail address"):
        make_folder(ada, "Team", emails=[email])
    assert folders(ada) == []


@pytest.mark.parametrize("name", ["", "  \n "])
def test_a_folder_needs_a_name(name: str, ada: Library) -> None:
    with pytest.raises(InputError, match="name"):
        make_folder(ada, name)


def test_people_are_found_by_the_e_mail_they_had_last(library: Library, ada: Library) -> None:
    assert person_of(library, " Ada@Example.com") == ADA
    again = Person("oidc-ada", "ada@new.example.com", "Ada L.")
    remember_person(library.of(again))
    assert person_of(library, "ada@new.example.com") == again
    for email in ("ada@example.com", "", "nobody"):
        with pytest.raises(InputError, match="Nobody has signed in"):
            person_of(library, email)
    remember_person(library.of(UNKNOWN))
    with pytest.raises(InputError, match="Nobody has signed in"):
        person_of(library, "")
