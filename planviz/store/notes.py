"""Notes on operators: a note is carried from the operator it was written on to the same one of later versions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from planviz.errors import InputError
from planviz.graph import PlanGraph
from planviz.graph.alignment import align
from planviz.store.access import listed_for, same_query
from planviz.store.library import Library, now
from planviz.store.people import Person
from planviz.store.tables import DocumentRow, NoteRow

_LONGEST = 4_000


@dataclass(frozen=True)
class Note:
    """A note: `plan` and `node` name the operator in the version `document` (an id); `node` is None where it is gone.

    `created` is in milliseconds since 1970, UTC.
    """

    number: int
    document: str
    version: int
    plan: str
    node: int | None
    words: str
    created: int


def add_note(library: Library, id: str, plan: str, node: int, words: str) -> None:
    """Write a note on an operator of a document. Raises InputError for an empty note, or when there is no document."""
    add_notes(library, id, [(plan, node, words)])


def add_notes(library: Library, id: str, notes: Iterable[tuple[str, int, str]]) -> None:
    """Write notes (plan, operator, words) on a document at once, all or none. Raises InputError as `add_note` does."""
    said = [(plan, node, _said(words)) for plan, node, words in notes]

    def work(session: Session, row: DocumentRow) -> None:
        session.add_all(NoteRow(document=row.number, plan=p, node=n, words=w, created=now()) for p, n, w in said)

    library.write_own(id, work)


def _said(words: str) -> str:
    said = words.strip()
    if not said:
        raise InputError("A note needs words.")
    if len(said) > _LONGEST:
        raise InputError(f"A note has at most {_LONGEST:,} characters; this one has {len(said):,}.")
    return said


def remove_note(library: Library, id: str, note: int) -> None:
    """Take a note away from a document, in whichever of its versions it was written."""

    def work(session: Session, row: DocumentRow) -> None:
        numbers = [one.number for one in _versions(session, row, library.person)]
        session.execute(delete(NoteRow).where(NoteRow.number == note, NoteRow.document.in_(numbers)))

    library.write_own(id, work)


def notes_of(library: Library, id: str) -> list[Note]:
    """The notes on a document and on the earlier versions of its query, as they were written, the oldest first."""

    def work(session: Session, row: DocumentRow) -> list[Note]:
        rows = {one.number: one for one in _versions(session, row, library.person)}
        earlier = [number for number, one in rows.items() if one.version <= row.version]
        found = session.scalars(select(NoteRow).where(NoteRow.document.in_(earlier)).order_by(NoteRow.number))
        return [
            Note(n.number, rows[n.document].id, rows[n.document].version, n.plan, n.node, n.words, n.created)
            for n in found
        ]

    return library.read_seen(id, work)


def _versions(session: Session, row: DocumentRow, person: Person) -> Sequence[DocumentRow]:
    """The document with those versions of its query that a person finds."""
    same = select(DocumentRow).where(same_query(row), listed_for(person))
    return [*(one for one in session.scalars(same) if one.number != row.number), row]


def carried(notes: Sequence[Note], id: str, plans: Callable[[str], Mapping[str, PlanGraph]]) -> list[Note]:
    """The notes at the operators of the version `id`; `plans` gives the plans of a version (an id) by their names.

    An operator is followed by the alignment of both versions' plans of that name; `node` is None where it went.
    """
    here = plans(id)
    matches: dict[tuple[str, str], dict[int, tuple[int, float]]] = {}
    found = []
    for note in notes:
        if note.document == id:
            found.append(note)
            continue
        key = (note.document, note.plan)
        if key not in matches:
            older, newer = plans(note.document).get(note.plan), here.get(note.plan)
            matches[key] = {} if older is None or newer is None else align(older, newer)
        match = matches[key].get(note.node) if note.node is not None else None
        found.append(replace(note, node=None if match is None else match[0]))
    return found
