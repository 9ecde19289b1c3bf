"""Folders that people share: who sees them, and which documents lie in them.

Whoever sees a folder reads what lies in it and puts documents of their own there. Who owns the folder names it, says
whom it is shared with, and takes out what others put in; who owns a document alone changes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from planviz.errors import InputError
from planviz.store.access import same_query, shared_with
from planviz.store.library import Library, Saved
from planviz.store.tables import DocumentRow, FolderRow, MemberRow, PersonRow, new_id

#: E-mails that a folder is shared with, and folders of one person.
MOST_MEMBERS = 500
MOST_FOLDERS = 500
_LONGEST = 80
_EMAIL = re.compile(r"[^@\s,;<>\"'()]{1,64}@[^@\s,;<>\"'()]{1,255}")


@dataclass(frozen=True)
class Folder:
    """A folder as somebody sees it: `own` or `by` whom; who it is shared with is told to its owner alone."""

    id: str
    name: str
    everybody: bool
    emails: tuple[str, ...]
    documents: int
    own: bool
    by: str = ""


def folders(library: Library) -> list[Folder]:
    """The folders that the person sees, their own first, by name; `documents` counts queries, not their versions."""

    def work(session: Session) -> list[Folder]:
        rows = session.scalars(select(FolderRow).where(shared_with(library.person))).all()
        numbers = [row.number for row in rows]
        there = (DocumentRow.folder.in_(numbers), DocumentRow.saved, DocumentRow.trashed == 0)
        counted = select(DocumentRow.folder, func.count(DocumentRow.chain.distinct())).where(*there)
        counts = dict(session.execute(counted.group_by(DocumentRow.folder)).all())
        names = dict(
            session.execute(
                select(PersonRow.key, PersonRow.name).where(PersonRow.key.in_({row.owner for row in rows}))
            ).all()
        )
        found = []
        for row in rows:
            own = row.owner == library.owner
            members = select(MemberRow.email).where(MemberRow.folder == row.number).order_by(MemberRow.email)
            emails = tuple(session.scalars(members)) if own else ()
            by = "" if own else names.get(row.owner, "somebody else")
            found.append(Folder(row.id, row.name, row.everybody, emails, counts.get(row.number, 0), own, by))
        return sorted(found, key=lambda one: (not one.own, one.name.lower(), one.id))

    return library.read(work)


def make_folder(library: Library, name: str, everybody: bool = False, emails: Iterable[str] = ()) -> str:
    """Make a folder, shared with everybody who signs in or with these e-mails; returns its id. Raises InputError."""
    named, members = _named(name), _members(emails)

    def work(session: Session) -> str:
        count = session.scalar(select(func.count()).select_from(FolderRow).where(FolderRow.owner == library.owner))
        if (count or 0) >= MOST_FOLDERS:
            raise InputError(f"Nobody has more than {MOST_FOLDERS} folders. Delete one first.")
        row = FolderRow(id=new_id(), owner=library.owner, name=named, everybody=everybody)
        session.add(row)
        session.flush()
        session.add_all(MemberRow(folder=row.number, email=email) for email in members)
        return row.id

    return library.write(work)


def change_folder(library: Library, id: str, name: str, everybody: bool, emails: Iterable[str]) -> None:
    """Name one's own folder anew, and share it with others than before. Raises InputError where there is none."""
    named, members = _named(name), _members(emails)

    def work(session: Session) -> None:
        row = _own(session, library, id)
        row.name, row.everybody = named, everybody
        session.execute(delete(MemberRow).where(MemberRow.folder == row.number))
        session.add_all(MemberRow(folder=row.number, email=email) for email in members)

    library.write(work)


def delete_folder(library: Library, id: str) -> None:
    """Delete one's own folder; what lay in it stays with its owners. Raises InputError where there is none."""

    def work(session: Session) -> None:
        number = _own(session, library, id).number
        session.execute(update(DocumentRow).where(DocumentRow.folder == number).values(folder=None))
        session.execute(delete(MemberRow).where(MemberRow.folder == number))
        session.execute(delete(FolderRow).where(FolderRow.number == number))

    library.write(work)


def put(library: Library, document: str, folder: str) -> None:
    """Put one's own document, with all versions of its query, into a folder that one sees; "" takes it out.

    Raises InputError where there is no such document or folder.
    """

    def work(session: Session, row: DocumentRow) -> None:
        _moved(session, row, _locked(session, library, folder).number if folder else None)

    library.write_own(document, work)


def take_out(library: Library, document: Saved) -> None:
    """Take what somebody put there out of one's own folder. Raises InputError where it is not in one."""

    def work(session: Session) -> None:
        own = select(FolderRow.number).where(FolderRow.owner == library.owner)
        there = select(DocumentRow).where(DocumentRow.id == document.id, DocumentRow.folder.in_(own))
        row = session.scalar(there)
        if row is None:
            raise InputError("This document lies in no folder of yours any more. Reload the page.")
        _moved(session, row, None)

    library.write(work)


def _moved(session: Session, row: DocumentRow, folder: int | None) -> None:
    session.execute(update(DocumentRow).where(same_query(row)).values(folder=folder))


def _locked(session: Session, library: Library, id: str) -> FolderRow:
    """A folder that one sees, which nobody deletes meanwhile."""
    found = session.scalar(
        select(FolderRow).where(FolderRow.id == id, shared_with(library.person)).with_for_update(read=True)
    )
    if found is None:
        raise InputError("There is no such folder any more, or it is not shared with you. Reload the page.")
    return found


def _own(session: Session, library: Library, id: str) -> FolderRow:
    mine = (FolderRow.id == id, FolderRow.owner == library.owner)
    found = session.scalar(select(FolderRow).where(*mine).with_for_update())
    if found is None:
        raise InputError("You have no such folder. Reload the page.")
    return found


def _named(name: str) -> str:
    named = " ".join(name.split())[:_LONGEST]
    if not named:
        raise InputError("Give the folder a name.")
    return named


def _members(emails: Iterable[str]) -> list[str]:
    """E-mails as they are compared: in lower case, each once."""
    members = list(dict.fromkeys(email.strip().lower() for email in emails if email.strip()))
    for email in members:
        if not _EMAIL.fullmatch(email):
            raise InputError(f"“{email[:80]}” is no e-mail address. Write one such as ann@example.com.")
    if len(members) > MOST_MEMBERS:
        raise InputError(f"A folder is shared with at most {MOST_MEMBERS} addresses. Share it with everybody.")
    return members
