"""Texts, each kept once by its SHA-256 however many documents have it, and deleted with the last of them."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from planviz.errors import StoreError
from planviz.store.tables import Content, DocumentRow, NoteRow, Term

#: Rows that one statement names: SQLite takes some 32,000 values.
_AT_ONCE = 500


@dataclass(frozen=True)
class Text:
    """What a document is opened with: its text, the catalogue's name and, for one of its own, its text; the profile."""

    text: str = field(repr=False)
    catalog: str = ""
    catalog_text: str | None = field(default=None, repr=False)
    profile: str = ""

    def fingerprint(self) -> str:
        """The same for what opens alike."""
        parts = (digest(self.text), self.catalog, digest(self.catalog_text or ""), self.profile)
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def digest(text: str) -> str:
    """The address of a text: SHA-256 in hex."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def keep(session: Session, text: str) -> str:
    """Keep a text once; returns its address."""
    address = digest(text)
    body = gzip.compress(text.encode("utf-8", "surrogatepass"), 6, mtime=0)
    values = {"digest": address, "body": body, "characters": len(text)}
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    session.execute(dialect.insert(Content).values(**values).on_conflict_do_nothing())
    return address


def text_of(session: Session, row: DocumentRow) -> Text:
    """What a document is opened with."""
    catalog = None if row.catalog_digest is None else _unpacked(session, row.catalog_digest)
    return Text(_unpacked(session, row.digest), row.catalog, catalog, row.profile)


def _unpacked(session: Session, address: str) -> str:
    content = session.get_one(Content, address)
    try:
        # A character has four bytes at most: what unpacks to more was not written here.
        with gzip.GzipFile(fileobj=io.BytesIO(content.body)) as file:
            body = file.read(4 * content.characters + 1)
        text = body.decode("utf-8", "surrogatepass")
        if len(text) != content.characters:
            raise ValueError(text)
    except (OSError, EOFError, zlib.error, ValueError):
        raise StoreError(
            "The text of this document is damaged in the library. Put back a copy of the library's file."
        ) from None
    return text


def delete_documents(session: Session, numbers: Iterable[int]) -> int:
    """Delete documents with all that belongs to them, and their texts where no other has them; returns how many."""
    numbers = list(numbers)
    for at in range(0, len(numbers), _AT_ONCE):
        some = numbers[at : at + _AT_ONCE]
        of_these = select(DocumentRow.digest, DocumentRow.catalog_digest).where(DocumentRow.number.in_(some))
        texts = {address for pair in session.execute(of_these) for address in pair if address is not None}
        session.execute(delete(Term).where(Term.document.in_(some)))
        session.execute(delete(NoteRow).where(NoteRow.document.in_(some)))
        session.execute(delete(DocumentRow).where(DocumentRow.number.in_(some)))
        used: set[str | None] = set()
        for column in (DocumentRow.digest, DocumentRow.catalog_digest):
            used |= set(session.scalars(select(column).where(column.in_(texts))))
        session.execute(delete(Content).where(Content.digest.in_(texts - used)))
    return len(numbers)
