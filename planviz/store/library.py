"""The library: documents by an unguessable id, each text once, versions of one query, tags, a trash."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import Select, delete, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, aliased

from planviz.errors import InputError, StoreError
from planviz.store.access import listed_for, readable, same_query
from planviz.store.database import database_errors, fold_log, open_database
from planviz.store.people import ALONE, Person
from planviz.store.query import Query
from planviz.store.tables import Content, DocumentRow, FolderRow, PersonRow, Term, new_id
from planviz.store.terms import Terms, words_of
from planviz.store.texts import Text, delete_documents, keep, text_of

R = TypeVar("R")

#: Days after which what lies in the trash, or what nobody saved and nobody opened, is deleted.
DAYS = 30
#: Bytes (packed) of what nobody saved that are kept, the oldest deleted first.
MOST_BYTES = 2_000_000_000
_DAY = 86_400_000
_ATTEMPTS = 20
_NAME = 200
_TAGS = 100
#: Controls and directional marks.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
#: Characters of a name or tag that are looked at.
_LONGEST = 4_000


@dataclass(frozen=True)
class Saved:
    """A document of the library. Times are milliseconds since 1970, UTC; `trashed` is 0 outside of the trash.

    `version` counts from 1 among the `versions` of its query. `folder` is the id of the folder that it lies in,
    `linked` whether whoever has the address reads it, and `by` names its owner where that is somebody else.
    """

    id: str
    name: str
    recognised: str
    catalog: str
    profile: str
    version: int
    versions: int
    characters: int
    created: int
    opened: int
    trashed: int
    is_saved: bool
    tags: tuple[str, ...] = ()
    folder: str = ""
    linked: bool = False
    by: str = ""


def now() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


class Library:
    """One database of documents, for any number of threads and processes. Every method raises StoreError when it fails.

    `person` is who asks: what they do not own and nobody shares with them is not there for them.
    """

    def __init__(self, place: str, person: Person = ALONE) -> None:
        self.place, self.person = place, person
        self._engine = open_database(place)

    @property
    def owner(self) -> str:
        """The key under which this person's documents stand."""
        return self.person.key

    def of(self, person: Person) -> Library:
        """The same database for another person."""
        other = object.__new__(Library)
        other.place, other.person, other._engine = self.place, person, self._engine
        return other

    def close(self) -> None:
        """Let the database go."""
        self._engine.dispose()

    # -- saving

    def save(
        self, given: Text, name: str, terms: Terms, tags: Iterable[str] = (), follows: str | None = None,
        among_strangers: bool = False,
    ) -> Saved:  # fmt: skip
        """Save a document under a name; saving the same again renames it and takes it out of the trash.

        Under a name that another text has, or with `follows` (the id of an earlier version), it becomes the next
        version of that query. `among_strangers`, who save into one library and do not know each other, a name means
        nothing to other documents, and what is saved stays as it is. Returns when it is on the disk.
        """
        wanted = _tags(tags)

        def work(session: Session) -> Saved:
            row = self._row_of(session, given)
            if row is None:
                row = self._added(session, given, terms)
            elif among_strangers and row.saved and not row.trashed:
                row.opened = now()
                return self._saved(session, row)
            by_itself = among_strangers and follows is None
            before = None if by_itself else self._before(session, name, follows, row)
            if before is not None and row.chain != before.chain:
                row.chain, row.version, row.folder = before.chain, self._next(session, before), before.folder
            elif row.chain is None:
                row.chain = row.number
            row.name, row.saved, row.trashed, row.opened = _name(name), True, 0, now()
            session.flush()
            _tag(session, row.number, wanted)
            _name_words(session, row)
            return self._saved(session, row)

        return self._write(work)

    def remember(self, given: Text, name: str = "") -> Saved:
        """Keep a document for its address, without saving it: it goes when nobody opens it for `DAYS` days."""

        def work(session: Session) -> Saved:
            row = self._row_of(session, given) or self._added(session, given, Terms())
            row.opened = now()
            row.name = row.name or _plain(name)[:_NAME]
            session.flush()
            return self._saved(session, row)

        return self._write(work)

    def _row_of(self, session: Session, given: Text) -> DocumentRow | None:
        same = (DocumentRow.owner == self.owner, DocumentRow.fingerprint == given.fingerprint())
        return session.scalar(select(DocumentRow).where(*same).with_for_update())

    def _added(self, session: Session, given: Text, terms: Terms) -> DocumentRow:
        moment = now()
        row = DocumentRow(
            id=new_id(), owner=self.owner, fingerprint=given.fingerprint(),
            digest=keep(session, given.text), name="", recognised=terms.recognised, catalog=given.catalog[:200],
            catalog_digest=None if given.catalog_text is None else keep(session, given.catalog_text),
            profile=given.profile[:60], chain=None, version=1, saved=False, created=moment, opened=moment, trashed=0,
        )  # fmt: skip
        session.add(row)
        session.flush()
        _found_by(session, row.number, terms.pairs())
        return row

    def _before(self, session: Session, name: str, follows: str | None, row: DocumentRow) -> DocumentRow | None:
        """The document whose next version this is."""
        mine = select(DocumentRow).where(DocumentRow.owner == self.owner, DocumentRow.saved)
        if follows is not None:
            found = session.scalar(mine.where(DocumentRow.id == follows))
            if found is None:
                raise InputError(f"The library has no document {follows[:40]}. List them with `planviz list`.")
            return found
        same = mine.where(DocumentRow.name == _name(name), DocumentRow.trashed == 0, DocumentRow.number != row.number)
        return session.scalar(same.order_by(DocumentRow.version.desc()).limit(1))

    def _next(self, session: Session, before: DocumentRow) -> int:
        newest = select(func.max(DocumentRow.version)).where(DocumentRow.chain == before.chain)
        return int(session.scalar(newest) or 0) + 1

    # -- reading

    def named(self, name: str) -> Saved:
        """The document of an id, or the newest version of an own one's name. Raises InputError when there is none."""

        def work(session: Session) -> Saved:
            same = (DocumentRow.owner == self.owner, DocumentRow.saved, DocumentRow.name == _name(name))
            newest = select(DocumentRow).where(*same, DocumentRow.trashed == 0).order_by(DocumentRow.version.desc())
            row = session.scalar(self._readable(name)) or session.scalar(newest.limit(1))
            if row is None:
                raise _missing(name)
            return self._saved(session, row)

        return self._read(work)

    def find(self, id: str) -> Saved | None:
        """The document of an id, one's own wherever it lies; None when there is none that this person may read."""

        def work(session: Session) -> Saved | None:
            row = session.scalar(readable(self.person, id))
            return None if row is None else self._saved(session, row)

        return self._read(work)

    def text(self, id: str) -> Text:
        """What a document is opened with. Raises InputError when there is none, or it lies in the trash."""
        return self._read(lambda session: text_of(session, self._seen(session, id)))

    def own_text(self, id: str) -> Text:
        """As `text`, of one's own document wherever it lies. Raises InputError when there is none."""

        def work(session: Session) -> Text:
            own = select(DocumentRow).where(DocumentRow.owner == self.owner, DocumentRow.id == id)
            row = session.scalar(own)
            if row is None:
                raise _missing(id)
            return text_of(session, row)

        return self._read(work)

    def newest_version(self, id: str) -> int:
        """The number of the newest version of a document's query outside of the trash. Raises InputError as `text`."""

        def work(session: Session) -> int:
            row = self._seen(session, id)
            there = select(func.max(DocumentRow.version)).where(same_query(row), DocumentRow.trashed == 0)
            return int(session.scalar(there) or row.version)

        return self._read(work)

    def versions(self, id: str) -> list[Saved]:
        """All versions of a document's query that this person finds outside of the trash, the newest first."""

        def work(session: Session) -> list[Saved]:
            row = self._seen(session, id)
            same = select(DocumentRow).where(same_query(row), DocumentRow.trashed == 0, listed_for(self.person))
            found = session.scalars(same.order_by(DocumentRow.version.desc())).all()
            return self._all_saved(session, found or [row])

        return self._read(work)

    def search(self, query: Query) -> tuple[list[Saved], int]:
        """The documents that a search asks for, what was opened last first, and how many there are in all."""

        def work(session: Session) -> tuple[list[Saved], int]:
            wanted = self._wanted(query)
            count = session.scalar(select(func.count()).select_from(wanted.subquery())) or 0
            rows = session.scalars(
                wanted.order_by(DocumentRow.opened.desc(), DocumentRow.number.desc())
                .limit(query.limit)
                .offset(query.offset)
            ).all()
            return self._all_saved(session, rows), count

        return self._read(work)

    def _wanted(self, query: Query) -> Select[DocumentRow]:
        wanted = select(DocumentRow).where(listed_for(self.person), DocumentRow.saved)
        wanted = wanted.where(DocumentRow.trashed > 0 if query.trash else DocumentRow.trashed == 0)
        if query.own:
            wanted = wanted.where(DocumentRow.owner == self.owner)
        if query.folder:
            in_it = select(FolderRow.number).where(FolderRow.id == query.folder)
            wanted = wanted.where(DocumentRow.folder.in_(in_it))
        for kind, term in query.terms:
            has = select(Term.document).where(Term.kind == kind, Term.term >= term, Term.term < _after(term))
            wanted = wanted.where(DocumentRow.number.in_(has))
        if not (query.versions or query.trash):
            later = aliased(DocumentRow)
            newer = select(later.number).where(
                later.chain == DocumentRow.chain, later.version > DocumentRow.version, later.trashed == 0
            )
            wanted = wanted.where(~newer.exists())
        return wanted

    def tags(self) -> list[tuple[str, int]]:
        """Every tag with the number of its documents, by name."""

        def work(session: Session) -> list[tuple[str, int]]:
            counted = (
                select(Term.term, func.count()).join(DocumentRow, DocumentRow.number == Term.document)
                .where(Term.kind == "tag", listed_for(self.person), DocumentRow.trashed == 0)
                .group_by(Term.term).order_by(Term.term)
            )  # fmt: skip
            return [(term, int(count)) for term, count in session.execute(counted)]

        return self._read(work)

    # -- changing

    def touch(self, id: str) -> None:
        """Note that a document was opened by somebody who may read it."""

        def work(session: Session) -> None:
            row = session.scalar(self._readable(id))
            if row is not None:
                row.opened = now()

        self._write(work)

    def rename(self, id: str, name: str, tags: Iterable[str] | None = None) -> Saved:
        """Give a document another name, and other tags where `tags` are given."""

        def work(session: Session) -> Saved:
            row = self._mine(session, id)
            row.name = _name(name)
            if tags is not None:
                session.execute(delete(Term).where(Term.kind == "tag", Term.document == row.number))
                _tag(session, row.number, _tags(tags))
            _name_words(session, row)
            return self._saved(session, row)

        return self._write(work)

    def open_by_link(self, id: str, linked: bool) -> Saved:
        """Let whoever has the address read one's own document, or nobody any more whom it is not shared with."""

        def work(session: Session) -> Saved:
            row = self._mine(session, id)
            row.linked = linked
            return self._saved(session, row)

        return self._write(work)

    def trash(self, ids: Iterable[str]) -> int:
        """Put documents into the trash, where nobody opens them; returns how many."""
        return self._write(lambda session: self._marked(session, ids, now()))

    def restore(self, ids: Iterable[str]) -> int:
        """Take documents out of the trash; returns how many."""
        return self._write(lambda session: self._marked(session, ids, 0))

    def delete(self, ids: Iterable[str]) -> int:
        """Delete documents for ever, and their texts where no other document has them; returns how many."""

        def work(session: Session) -> int:
            numbers = session.scalars(
                select(DocumentRow.number).where(DocumentRow.owner == self.owner, DocumentRow.id.in_(list(ids)))
            ).all()
            return delete_documents(session, numbers)

        count = self._write(work)
        fold_log(self._engine, self.place)
        return count

    def sweep(self, days: float = DAYS, most: int = MOST_BYTES) -> int:
        """Delete, of all owners, what lay in the trash for `days`, and what nobody saved nor opened for so long.

        Of what nobody saved, the oldest over `most` bytes (packed) goes, too. Returns how many documents went.
        """

        def work(session: Session) -> int:
            edge = now() - int(days * _DAY)
            unsaved = DocumentRow.saved.is_(False)
            old = or_((DocumentRow.trashed > 0) & (DocumentRow.trashed < edge), unsaved & (DocumentRow.opened < edge))
            numbers = list(session.scalars(select(DocumentRow.number).where(old)))
            sizes = select(DocumentRow.number, func.length(Content.body)).join(
                Content, Content.digest == DocumentRow.digest
            )
            rest = sizes.where(unsaved, DocumentRow.number.not_in(numbers)).order_by(DocumentRow.opened.desc())
            total = 0
            for number, size in session.execute(rest):
                total += size
                if total > most:
                    numbers.append(number)
            return delete_documents(session, numbers)

        count = self._write(work)
        fold_log(self._engine, self.place)
        return count

    def _marked(self, session: Session, ids: Iterable[str], moment: int) -> int:
        mine = (DocumentRow.owner == self.owner, DocumentRow.id.in_(list(ids)))
        rows = session.scalars(select(DocumentRow).where(*mine)).all()
        for row in rows:
            row.trashed = moment
        return len(rows)

    # -- rows

    def _mine(self, session: Session, id: str) -> DocumentRow:
        row = session.scalar(select(DocumentRow).where(DocumentRow.owner == self.owner, DocumentRow.id == id))
        if row is None or row.trashed:
            raise _missing(id)
        return row

    def _readable(self, id: str) -> Select[DocumentRow]:
        return readable(self.person, id).where(DocumentRow.trashed == 0)

    def _seen(self, session: Session, id: str) -> DocumentRow:
        row = session.scalar(self._readable(id))
        if row is None:
            raise _missing(id)
        return row

    def _saved(self, session: Session, row: DocumentRow) -> Saved:
        return self._all_saved(session, [row])[0]

    def _all_saved(self, session: Session, rows: Iterable[DocumentRow]) -> list[Saved]:
        rows = list(rows)
        numbers, chains = [row.number for row in rows], [row.chain for row in rows if row.chain is not None]
        tags: dict[int, list[str]] = {}
        tagged = (
            select(Term.document, Term.term).where(Term.kind == "tag", Term.document.in_(numbers)).order_by(Term.term)
        )
        for number, term in session.execute(tagged):
            tags.setdefault(number, []).append(term)
        counted = select(DocumentRow.chain, func.count()).where(DocumentRow.chain.in_(chains), DocumentRow.trashed == 0)
        versions = dict(session.execute(counted.group_by(DocumentRow.chain)).all())
        folders = dict(
            session.execute(
                select(FolderRow.number, FolderRow.id).where(FolderRow.number.in_({row.folder for row in rows}))
            ).all()
        )
        others = {row.owner for row in rows if row.owner != self.owner}
        names = dict(session.execute(select(PersonRow.key, PersonRow.name).where(PersonRow.key.in_(others))).all())
        digests = {row.digest for row in rows}
        characters = dict(
            session.execute(select(Content.digest, Content.characters).where(Content.digest.in_(digests))).all()
        )
        return [
            Saved(
                row.id, row.name, row.recognised, row.catalog, row.profile, row.version, versions.get(row.chain, 1),
                characters[row.digest], row.created, row.opened, row.trashed, row.saved,
                tuple(tags.get(row.number, ())), folders.get(row.folder or 0, ""), row.linked,
                "" if row.owner == self.owner else names.get(row.owner, "somebody else"),
            )
            for row in rows
        ]  # fmt: skip

    # -- transactions

    def _write(self, work: Callable[[Session], R]) -> R:
        """In one transaction, again where two writers met in the same row."""
        with database_errors(self.place):
            for _ in range(_ATTEMPTS):
                try:
                    with Session(self._engine, expire_on_commit=False) as session, session.begin():
                        if self._engine.dialect.name == "postgresql":
                            # One writer an owner, as in SQLite: versions of a name are counted one after the other.
                            session.execute(select(func.pg_advisory_xact_lock(func.hashtext(self.owner))))
                        return work(session)
                except IntegrityError:
                    continue
        raise StoreError(
            f"The library could not be written: others wrote the same document {_ATTEMPTS} times in between. Try again."
        )

    def _read(self, work: Callable[[Session], R]) -> R:
        with database_errors(self.place):
            engine = self._engine.execution_options(planviz_reads=True)
            with Session(engine, expire_on_commit=False) as session:
                return work(session)

    # -- for notes and folders, which stand in modules of their own

    def write(self, work: Callable[[Session], R]) -> R:
        """Work in one transaction, begun anew where two writers met."""
        return self._write(work)

    def read(self, work: Callable[[Session], R]) -> R:
        """As `write`, without changing anything."""
        return self._read(work)

    def write_own(self, id: str, work: Callable[[Session, DocumentRow], R]) -> R:
        """Work in a transaction on one's own document. Raises InputError when there is none."""
        return self._write(lambda session: work(session, self._mine(session, id)))

    def read_seen(self, id: str, work: Callable[[Session, DocumentRow], R]) -> R:
        """Ask about a document that this person may read. Raises InputError when there is none."""
        return self._read(lambda session: work(session, self._seen(session, id)))


def _missing(id: str) -> InputError:
    return InputError(f"The library has no document {id[:40]}: it was deleted, lies in the trash, or never was here.")


def _found_by(session: Session, number: int, pairs: Iterable[tuple[str, str]]) -> None:
    """Let a document be found by terms; what it is found by already stays."""
    rows = [{"kind": kind, "term": term, "document": number} for kind, term in pairs]
    if rows:
        dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
        session.execute(dialect.insert(Term).on_conflict_do_nothing(), rows)


def _tag(session: Session, number: int, tags: Iterable[str]) -> None:
    _found_by(session, number, (("tag", tag) for tag in tags))


def _name_words(session: Session, row: DocumentRow) -> None:
    """A document is found by the words of its name."""
    _found_by(session, row.number, (("word", word) for word in words_of(row.name)))


def _tags(tags: Iterable[str]) -> list[str]:
    found = dict.fromkeys(_plain(tag).lower()[:60].strip() for tag in tags)
    return [tag for tag in found if tag][:_TAGS]


def _name(name: str) -> str:
    return _plain(name)[:_NAME].strip() or "Without a name"


def _plain(text: str) -> str:
    """On one line, without what a terminal obeys and what no database keeps."""
    return _OBEYED.sub("", " ".join(text[:_LONGEST].split()))


def _after(term: str) -> str:
    """What every longer text that begins with a term stands before."""
    return term + "\U0010ffff"
