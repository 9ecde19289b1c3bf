"""Who finds and reads which documents: conditions for the library's questions."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Select, or_, select

from planviz.store.people import Person
from planviz.store.tables import DocumentRow, FolderRow, MemberRow


def shared_with(person: Person) -> ColumnElement[bool]:
    """The folders that a person sees: their own, those of everybody, those that name their e-mail."""
    if not person.signed_in:
        return FolderRow.owner == person.key
    ways = [FolderRow.owner == person.key, FolderRow.everybody]
    if person.email:
        ways.append(FolderRow.number.in_(select(MemberRow.folder).where(MemberRow.email == person.email)))
    return or_(*ways)


def listed_for(person: Person) -> ColumnElement[bool]:
    """The documents that a person finds: their own, and what lies in folders that they see."""
    own = DocumentRow.owner == person.key
    if not person.signed_in:
        return own
    folders = select(FolderRow.number).where(shared_with(person))
    return or_(own, (DocumentRow.trashed == 0) & DocumentRow.folder.in_(folders))


def readable(person: Person, id: str) -> Select[DocumentRow]:
    """The document of an id, if the person may read it: it is listed for them, or opens by its address for anybody."""
    ways = or_(listed_for(person), (DocumentRow.trashed == 0) & DocumentRow.linked)
    return select(DocumentRow).where(DocumentRow.id == id, ways)


def same_query(row: DocumentRow) -> ColumnElement[bool]:
    """The versions of a document's query, itself among them."""
    return DocumentRow.number == row.number if row.chain is None else DocumentRow.chain == row.chain
