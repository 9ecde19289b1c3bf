"""`planviz save`, `list`, `open`, `export`, `import`, `library`: documents that are kept, by name and in versions."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from planviz.cli.files import GZIP, complain, named, read_text, say, write, write_file
from planviz.cli.settings import open_input
from planviz.config import OptimizerConfig
from planviz.document import Document, open_text
from planviz.errors import InputError, PlanvizError
from planviz.graph import PlanGraph
from planviz.render.text import one_line
from planviz.store import Library, Saved, default_place, is_place, read_query
from planviz.store import bundle as bundles
from planviz.store.accounts import person_of
from planviz.store.notes import Note, add_note, carried, notes_of, remove_note
from planviz.store.terms import Terms, terms_of
from planviz.store.texts import Text

#: Bytes of an exported file; none that unpacks to what is imported at once is larger.
_MOST_PACKED = 2_000_000_000


@contextmanager
def _library(options: argparse.Namespace) -> Iterator[Library]:
    place = options.store or default_place()
    if not is_place(place):
        raise InputError("There is no library here: PLANVIZ_STORE says none. Name one with --store.")
    library = Library(place)
    try:
        yield library.of(person_of(library, options.owner)) if options.owner is not None else library
    finally:
        library.close()


def save(options: argparse.Namespace) -> int:
    """Save files; status 2 where one could not be opened."""
    if options.name and len(options.files) > 1:
        raise InputError("--name is for one file; several are named after themselves.")
    status, saved = 0, []
    with _library(options) as library:
        follows = library.named(options.follows).id if options.follows else None
        for name in options.files:
            try:
                text = read_text(name)
                given = Text(text, *_catalog(options), options.profile or "")
                terms = terms_of(open_input(text, options, "physical"))
                title = options.name or ("Standard input" if name == "-" else Path(name.removesuffix(".gz")).stem)
                saved.append(library.save(given, title, terms, options.tag, follows))
            except PlanvizError as error:
                status = 2
                complain(name, error)
    _print(saved, options.format)
    return status


def _catalog(options: argparse.Namespace) -> tuple[str, str | None]:
    """A bundled catalogue's name, or the text of another one as planviz-catalog/1."""
    from planviz.catalog.bundled import NAMES
    from planviz.catalog.files import write_catalog
    from planviz.catalogs import find

    if not options.catalog:
        return "", None
    if options.catalog.lower() in NAMES and not Path(options.catalog).is_file():
        return options.catalog.lower(), None
    return "", write_catalog(find(options.catalog))


def list_(options: argparse.Namespace) -> int:
    """Print the documents that a search finds, or the tags."""
    with _library(options) as library:
        if options.tags:
            tags = library.tags()
            shown = "".join(f"{count:6}  {one_line(tag)}\n" for tag, count in tags)
            write(json.dumps(dict(tags), indent=1) + "\n" if options.format == "json" else shown)
            return 0
        query = read_query(
            " ".join(options.words), trash=options.trash, versions=options.versions, limit=max(1, options.limit)
        )
        found, count = library.search(query)
    _print(found, options.format)
    if count > len(found):
        say(f"planviz: {count - len(found):,} more; raise --limit, or search.")
    return 0


def open_(options: argparse.Namespace) -> int:
    """Print the text of a document, or all about it as JSON."""
    with _library(options) as library:
        saved = library.named(options.document)
        given = library.text(saved.id)
        shown = given.text
        if options.format == "json":
            told = asdict(saved) | {
                "catalog_text": given.catalog_text, "text": given.text,
                "versions": [asdict(one) for one in library.versions(saved.id)],
                "notes": [asdict(note) for note in _notes(library, saved)],
            }  # fmt: skip
            shown = json.dumps(told, indent=1) + "\n"
        library.touch(saved.id)
    if options.output:
        write_file(Path(options.output), shown.encode("utf-8", "surrogateescape"))
    else:
        write(shown)
    return 0


def export(options: argparse.Namespace) -> int:
    """Write documents to one file."""
    with _library(options) as library:
        write_file(Path(options.output), bundles.export(library, options.documents or None))
    return 0


def import_(options: argparse.Namespace) -> int:
    """Save the documents of exported files; status 2 where one could not be read."""
    status = 0
    with _library(options) as library:
        for name in options.files:
            try:
                with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
                    data = file.read(2)
                    data += file.read(_MOST_PACKED) if data == GZIP else b""  # a device may go on without end
                count = bundles.load(library, data, _terms, _progress)
            except OSError as error:
                status = 2
                say(f"planviz: {named(name)}: {error.strerror or error}.")
            except PlanvizError as error:
                status = 2
                complain(name, error)
            else:
                write(f"{name}: {count:,} documents\n")
    return status


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty() and (done % 20 == 0 or done == of):
        print(f"\r{done:,} of {of:,}", end="" if done < of else "\n", file=sys.stderr, flush=True)


def library(options: argparse.Namespace) -> int:
    """Rename, write notes, use the trash."""
    with _library(options) as found:
        if options.part == "rename":
            _print([found.rename(found.named(options.document).id, options.name, options.tag)], "text")
        elif options.part == "note":
            _note(found, options)
        elif options.part == "sweep":
            write(f"{found.sweep(options.days):,} documents deleted\n")
        else:
            ids = [found.named(one).id for one in options.documents] if options.part == "trash" else options.documents
            count = {"trash": found.trash, "restore": found.restore, "delete": found.delete}[options.part](ids)
            if count < len(ids):
                raise InputError(f"{len(ids) - count} of {len(ids)} are not there: `planviz list` shows the ids.")
    return 0


def _note(library: Library, options: argparse.Namespace) -> None:
    saved = library.named(options.document)
    if options.remove is not None:
        remove_note(library, saved.id, options.remove)
    elif options.write is not None:
        plans = _plans(library, saved.id)
        plan = str(options.plan if options.plan is not None else len(plans) - 1)
        if plan not in plans or not 0 <= options.node < len(plans[plan]):
            raise InputError(
                f"The document has no operator {options.node} in a plan {plan}: it has {len(plans)} plans."
            )
        add_note(library, saved.id, plan, options.node, options.write)
    for note in _notes(library, saved):
        place = "no longer there" if note.node is None else f"plan {note.plan}, node {note.node}"
        write(f"{note.number:5}  version {note.version}, {place}: {one_line(note.words, 4_000)}\n")


def _notes(library: Library, saved: Saved) -> list[Note]:
    return carried(notes_of(library, saved.id), saved.id, lambda id: _plans(library, id))


def _plans(library: Library, id: str) -> Mapping[str, PlanGraph]:
    return {str(at): plan for at, plan in enumerate(_opened(library.text(id)).plans)}


def _opened(given: Text) -> Document:
    from planviz.catalog.bundled import NAMES, read_bundled
    from planviz.catalog.files import read_catalog

    # A document that came in a file names bundled catalogues and no place of this machine.
    named = read_bundled(given.catalog.lower()) if given.catalog.lower() in NAMES else None
    catalog = named if given.catalog_text is None else read_catalog(given.catalog_text)
    config = OptimizerConfig.of(given.profile) if given.profile else None
    return open_text(given.text, catalog=catalog, config=config)


def _terms(given: Text) -> Terms:
    try:
        return terms_of(_opened(given))
    except Exception:  # it was saved somewhere: a text that this planviz cannot open is kept all the same
        return Terms()


def _print(saved: list[Saved], format: str) -> None:
    if format == "json":
        write(json.dumps([asdict(one) for one in saved], indent=1) + "\n")
        return
    for one in saved:
        when = datetime.fromtimestamp(one.opened / 1000, UTC).strftime("%Y-%m-%d %H:%M")
        version = f"v{one.version}" + (f" of {one.versions}" if one.versions > 1 else "")
        tags = "".join(f"  #{one_line(tag)}" for tag in one.tags)
        write(f"{one.id}  {when}  {version:8}  {one_line(one.name)}  ({one_line(one.recognised)}){tags}\n")
