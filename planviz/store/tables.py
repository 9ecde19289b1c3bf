"""The library's tables. `migrations/` makes them; a change here needs a migration there."""

from __future__ import annotations

import secrets

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, LargeBinary, String, UniqueConstraint, false
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


def new_id() -> str:
    """An id of 22 characters that nobody guesses; none begins with a minus sign, which a command line takes for an
    option."""
    while (made := secrets.token_urlsafe(16)).startswith("-"):
        pass
    return made


class Base(DeclarativeBase):
    """All tables."""


class Content(Base):
    """A text, once, however many documents have it: by the SHA-256 of its UTF-8, packed with gzip."""

    __tablename__ = "content"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)
    characters: Mapped[int]


class DocumentRow(Base):
    """A document: a text with what it is opened with, its owner's.

    `fingerprint` is the same for the same text, catalogue and profile, so that an owner has each once. `chain` is the
    number of the first version of a query, `version` counts from 1 in it. Times are milliseconds since 1970, UTC;
    `trashed` is 0 for what is not in the trash. What nobody saved is kept for its address alone. `folder` is the one
    that all versions of a query lie in, and `linked` says that whoever has the address reads it.
    """

    __tablename__ = "document"
    __table_args__ = (
        UniqueConstraint("owner", "fingerprint", name="document_once"),
        UniqueConstraint("chain", "version", name="document_version"),
        Index("document_opened", "owner", "saved", "trashed", "opened"),
        Index("document_name", "owner", "name", "saved", "trashed", "version"),
    )

    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    id: Mapped[str] = mapped_column(String(32), unique=True)
    owner: Mapped[str] = mapped_column(String(320))
    fingerprint: Mapped[str] = mapped_column(String(64))
    digest: Mapped[str] = mapped_column(ForeignKey("content.digest"), index=True)
    name: Mapped[str] = mapped_column(String(200))
    recognised: Mapped[str] = mapped_column(String(200))
    catalog: Mapped[str] = mapped_column(String(200))
    catalog_digest: Mapped[str | None] = mapped_column(ForeignKey("content.digest"), index=True)
    profile: Mapped[str] = mapped_column(String(60))
    chain: Mapped[int | None]
    version: Mapped[int]
    saved: Mapped[bool]
    created: Mapped[int] = mapped_column(BigInteger)
    opened: Mapped[int] = mapped_column(BigInteger)
    trashed: Mapped[int] = mapped_column(BigInteger)
    folder: Mapped[int | None] = mapped_column(ForeignKey("folder.number"), index=True)
    linked: Mapped[bool] = mapped_column(server_default=false())


class FolderRow(Base):
    """A folder that its owner shares with `everybody` who signs in, or with the members."""

    __tablename__ = "folder"

    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    id: Mapped[str] = mapped_column(String(32), unique=True)
    owner: Mapped[str] = mapped_column(String(320), index=True)
    name: Mapped[str] = mapped_column(String(200))
    everybody: Mapped[bool]


class MemberRow(Base):
    """An e-mail (in lower case) that a folder is shared with."""

    __tablename__ = "member"

    folder: Mapped[int] = mapped_column(ForeignKey("folder.number", ondelete="CASCADE"), primary_key=True)
    email: Mapped[str] = mapped_column(String(320), primary_key=True, index=True)


class PersonRow(Base):
    """Somebody who signed in: the key that owns documents, with the e-mail and name that were told last (`seen`)."""

    __tablename__ = "person"

    key: Mapped[str] = mapped_column(String(320), primary_key=True)
    email: Mapped[str] = mapped_column(String(320), index=True)
    name: Mapped[str] = mapped_column(String(200))
    seen: Mapped[int] = mapped_column(BigInteger)


class Term(Base):
    """What a document is searched by: its tables, operators, findings, words and tags, in lower case."""

    __tablename__ = "term"
    __table_args__ = (Index("term_document", "document"), {"sqlite_with_rowid": False})

    kind: Mapped[str] = mapped_column(String(10), primary_key=True)
    term: Mapped[str] = mapped_column(String(120), primary_key=True)
    document: Mapped[int] = mapped_column(ForeignKey("document.number", ondelete="CASCADE"), primary_key=True)


class NoteRow(Base):
    """A note on an operator of a version: `plan` names the plan as an address does, `node` is the operator's number."""

    __tablename__ = "note"

    number: Mapped[int] = mapped_column(Integer, primary_key=True)
    document: Mapped[int] = mapped_column(ForeignKey("document.number", ondelete="CASCADE"), index=True)
    plan: Mapped[str] = mapped_column(String(20))
    node: Mapped[int]
    words: Mapped[str] = mapped_column(String(4000))
    created: Mapped[int] = mapped_column(BigInteger)
