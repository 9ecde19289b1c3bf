"""The people who signed in: remembered, so that others see by whom a document is, and found by their e-mail."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from planviz.errors import InputError
from planviz.store.library import Library, now
from planviz.store.people import Person
from planviz.store.tables import PersonRow


def remember_person(library: Library) -> None:
    """Note the name and e-mail of the person whose library this is, as they are now."""
    person = library.person

    def work(session: Session) -> None:
        session.merge(PersonRow(key=person.key, email=person.email, name=person.name[:200], seen=now()))

    library.write(work)


def person_of(library: Library, email: str) -> Person:
    """Who signed in last with an e-mail. Raises InputError when nobody did."""
    address = email.strip().lower()

    def work(session: Session) -> Person | None:
        same = select(PersonRow).where(PersonRow.email == address).order_by(PersonRow.seen.desc())
        row = session.scalar(same.limit(1)) if address else None
        return None if row is None else Person(row.key, row.email, row.name)

    found = library.read(work)
    if found is None:
        raise InputError(f"Nobody has signed in as {email[:80]}. They have a library once they did.")
    return found
