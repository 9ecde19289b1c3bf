"""A library, or some documents of it, as one file: gzip of JSON lines, `planviz-library/1`."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterable, Iterator

from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.store.library import Library, Saved
from planviz.store.notes import add_notes, notes_of
from planviz.store.query import Query
from planviz.store.terms import Terms
from planviz.store.texts import Text

_FORMAT = "planviz-library/1"
#: Bytes that a file may unpack to, and one document of it.
_MOST = 2_000_000_000
_LONGEST = 100_000_000
_PAGE = 200


def export(library: Library, ids: Iterable[str] | None = None) -> bytes:
    """The documents of these ids, or all that are saved, every version with its tags and notes; the same for the same.

    Raises InputError for an id that the library does not have.
    """
    saved = _all(library) if ids is None else [library.named(id) for id in ids]
    lines = [json.dumps({"format": _FORMAT, "documents": len(saved)})]
    for one in sorted(saved, key=lambda one: (one.name, one.version, one.created)):
        text = library.text(one.id)
        notes = [
            {"plan": note.plan, "node": note.node, "words": note.words}
            for note in notes_of(library, one.id)
            if note.document == one.id
        ]
        lines.append(
            json.dumps(
                {
                    "name": one.name, "version": one.version, "tags": one.tags, "recognised": one.recognised,
                    "catalog": text.catalog, "catalog_text": text.catalog_text, "profile": text.profile, "notes": notes,
                    "text": text.text,
                },
                sort_keys=True,
            )
        )  # fmt: skip
    return gzip.compress("\n".join(lines).encode() + b"\n", 9, mtime=0)


def _all(library: Library) -> list[Saved]:
    found: list[Saved] = []
    while True:
        some, count = library.search(Query(versions=True, own=True, limit=_PAGE, offset=len(found)))
        found += some
        if len(found) >= count or not some:
            return found


def load(
    library: Library, data: bytes, terms: Callable[[Text], Terms], progress: Callable[[int, int], None] | None = None
) -> int:
    """Save the documents of an exported file; those that are there already stay one. Returns how many the file has.

    `terms` opens a text to say what it is searched by; `progress` is called with how many are done, and of how many.
    Raises InputError for what is no such file, with the number of the document that is damaged; those before it are
    saved.
    """
    lines = _lines(data)
    head = _object(next(lines, b""), 0)
    if head.get("format") != _FORMAT:
        raise InputError("This is no library: `planviz export -o FILE` makes one.")
    count = head.get("documents")
    count, at = count if isinstance(count, int) else 0, 0
    for at, line in enumerate(lines, 1):
        told = _object(line, at)
        try:
            own = told["catalog_text"]
            text = Text(
                _str(told["text"]), _str(told["catalog"]), None if own is None else _str(own), _str(told["profile"])
            )
            notes = [(_str(note["plan"], 20), _node(note["node"]), _str(note["words"])) for note in told["notes"]]
            name, tags = _str(told["name"]), [_str(tag) for tag in told["tags"]]
        except (KeyError, TypeError, ValueError):
            raise InputError(f"Document {at} of the file is damaged; those before it were saved.") from None
        saved = library.save(text, name, terms(text), tags)
        there = {
            (note.plan, note.node, note.words) for note in notes_of(library, saved.id) if note.document == saved.id
        }
        new = [note for note in notes if note not in there]
        try:
            add_notes(library, saved.id, new)
        except InputError as error:
            raise InputError(f"A note of document {at} cannot be saved; those before it were. {error}") from None
        if progress is not None:
            progress(at, max(count, at))
    return at


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines one after the other, so that a file never takes more memory than its longest document."""
    unpacked = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            while line := file.readline(_LONGEST + 1):
                unpacked += len(line)
                if unpacked > _MOST:
                    raise InputError("This library is larger than planviz imports at once. Export it in parts.")
                if len(line) > _LONGEST:
                    raise InputError("A document of this file is longer than any that planviz opens.")
                yield line
    except (OSError, EOFError, zlib.error):
        raise InputError("This is no library, or it is damaged: `planviz export -o FILE` makes one.") from None


def _object(line: bytes, at: int) -> JsonObject:
    # What JSON holds has any type; every value is looked at before it is used.
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"Line {at + 1} of the file is no document: it was cut off or changed.")
    return found


def _node(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**31:
        raise ValueError
    return value


def _str(value: object, most: int = _LONGEST) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise TypeError
    value.encode()  # half a character ("\ud800" in JSON) is in no text that was exported
    return value
