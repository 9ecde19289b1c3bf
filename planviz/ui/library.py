"""The library behind the pages: what is saved, what is kept for a link, and documents opened out of it.

The server's process asks the database; what looks at plans runs in a worker, as everywhere.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache

from planviz.errors import InputError, StoreError
from planviz.graph import PlanGraph
from planviz.jsontypes import JsonObject
from planviz.render.text import one_line
from planviz.store import Library, Person, Query, Saved, default_place, is_place
from planviz.store.library import now
from planviz.store.notes import Note, carried, notes_of
from planviz.store.terms import Terms, terms_of
from planviz.store.texts import Text
from planviz.ui import cache, people
from planviz.ui.opened import Opened, Source, in_worker

#: Carries from `planviz serve` whether the library is listed: only where this machine alone reaches the app.
LISTED_VARIABLE = "PLANVIZ_LIBRARY_LISTED"
#: Milliseconds after which a document that is opened is noted to be, so that not each look at a picture writes.
_NOTED = 3_600_000
#: Seconds between two looks for what lay in the trash, or was kept for a link, for too long.
_SWEEPS = 6 * 3600


@lru_cache(maxsize=1)
def _library(place: str) -> Library:
    library = Library(place)
    threading.Thread(target=_sweep, args=(library,), daemon=True, name="library-sweep").start()
    return library


def _sweep(library: Library) -> None:
    while True:
        try:
            library.sweep()
        except StoreError as error:
            logging.getLogger("planviz").warning("%s", error)
        time.sleep(_SWEEPS)


def library(person: Person | None = None) -> Library | None:
    """The library of a person, by default of whose page runs here; None where the server was started without one.

    Raises StoreError when it cannot be opened, NotLetIn where people sign in and this one did not.
    """
    place = default_place()
    return _library(place).of(person or people.here()) if is_place(place) else None


def needed(person: Person | None = None) -> Library:
    """As `library`. Raises StoreError where there is none."""
    found = library(person)
    if found is None:
        raise StoreError("This server keeps no library. Whoever runs it starts one: planviz serve --store PLACE.")
    return found


def is_listed() -> bool:
    """Whether the Library page lists what is saved; elsewhere a document is opened by its address alone."""
    return people.is_on() or os.environ.get(LISTED_VARIABLE) == "yes"


def text_of(source: Source) -> Text:
    """What a document is kept as."""
    own = cache.own_catalog(source.catalog)
    name = "" if own is not None or source.catalog == cache.AUTO else source.catalog
    return Text(source.text, name, own, source.profile)


def source_of(given: Text) -> Source:
    """What a kept document is opened with; its own catalogue is there for planning from now on."""
    catalog = given.catalog or cache.AUTO
    if given.catalog_text is not None:
        catalog = cache.keep_catalog(given.catalog_text)
    elif not cache.is_catalog(catalog):
        catalog = cache.AUTO
    return Source(given.text, catalog, profile=given.profile)


@in_worker
def terms(opened: Opened) -> Terms:
    """What an open document is searched by."""
    return terms_of(opened.document)


def save(opened: Opened, name: str, tags: Iterable[str], follows: str | None = None) -> Saved:
    """Save an open document under a name. Raises StoreError when it cannot be, InputError without a name."""
    if not name.strip():
        raise InputError("Give it a name to be found by.")
    strangers = not is_listed()
    return needed().save(text_of(opened.source), name, terms(opened), tags, follows, strangers)


def remembered(opened: Opened, name: str) -> str:
    """The id under which a text too long for a link is kept, "" where there is no library that takes it."""
    try:
        found = library()
        return "" if found is None else found.remember(text_of(opened.source), name).id
    except StoreError as error:
        logging.getLogger("planviz").warning("%s", error)
        return ""


def kept(id: str, person: Person | None = None) -> tuple[Source, Saved]:
    """What is opened for an address, and its place among its versions; `person` as in `library`.

    Raises InputError for an unknown id, and for one that the person may not read.
    """
    found = needed(person)
    given, saved = found.text(id), found.named(id)
    if now() - saved.opened > _NOTED:
        found.touch(id)
    return source_of(given), saved


def newer_words(saved: Saved, person: Person | None = None) -> str:
    """What a picture says of a version that is not the newest, "" of the newest."""
    if not saved.is_saved:
        return ""
    newest = needed(person).newest_version(saved.id)
    return f"version {saved.version}; version {newest} is newer" if newest > saved.version else ""


def delete(found: Library, id: str) -> None:
    """Delete one's own document for ever; its text is found no more by the key of whoever had it open, either."""
    text = found.own_text(id).text
    found.delete([id])
    cache.close(text)


def notes(id: str) -> list[tuple[Note, str]]:
    """The notes on a document and its earlier versions, each with its operator in words, "" where that is gone."""
    found = needed()
    said = notes_of(found, id)
    if not said:
        return []
    opened: dict[str, Opened] = {}
    for one in {id, *(note.document for note in said)}:
        source = source_of(found.text(one))
        opened[one] = cache.open_document(source.text, source.catalog, source.profile)
    plans = {one: {note.plan: graph(opened[one], note.plan) for note in said} for one in opened}
    here = carried(said, id, lambda one: {name: plan for name, plan in plans[one].items() if plan is not None})
    return [(note, _operator(plans[id].get(note.plan), note.node)) for note in here]


def _operator(plan: PlanGraph | None, node: int | None) -> str:
    return "" if plan is None or node is None or node >= len(plan) else plan[node].op


@in_worker
def graph(opened: Opened, plan: str) -> PlanGraph | None:
    """A plan of a document, None where it has none of that name."""
    try:
        return opened.graph(plan)
    except KeyError:
        return None


_COLUMNS = (
    ("Name", "what"), ("Version", "text"), ("What", "text"), ("Tags", "text"), ("Catalogue", "text"), ("Spark", "text"),
    ("Opened", "time"),
)  # fmt: skip


def table(found: Iterable[Saved], selected: str) -> JsonObject:
    """Documents as the page's table (`planviz/ui/history.js`), one row opened by its id."""
    found = list(found)
    whose = any(one.by for one in found)
    rows = [
        {
            "open": one.id,
            "cells": [
                one_line(one.name, 200),
                f"{one.version} of {one.versions}" if one.versions > 1 else "1",
                one_line(one.recognised, 60),
                " ".join(f"#{tag}" for tag in one.tags),
                one_line(one.catalog, 40),
                one.profile.removeprefix("spark-"),
                datetime.fromtimestamp(one.opened / 1000, UTC).strftime("%Y-%m-%d %H:%M"),
                *((one_line(one.by or "me", 40),) if whose else ()),
            ],
        }
        for one in found
    ]
    return {
        "columns": (*_COLUMNS, *((("Of", "text"),) if whose else ())),
        "ranked": None,
        "rows": rows,
        "selected": selected,
    }


def counted(count: int, shown: int, query: Query) -> str:
    """How many documents there are, in words."""
    where = " in the trash" if query.trash else ""
    said = f"{count:,} document{'' if count == 1 else 's'}{where}"
    return said + (f", the {shown} opened last" if shown < count else "")
