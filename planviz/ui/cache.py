"""Documents that are open, found again by the hash of their text.

Kept here and not in `st.cache_data`: a plan's classes must never outlive a reload of their module, and a document is
worth keeping while anybody looks at it. What goes on to Streamlit is text and bytes, the same bytes on every rerun.

The server keeps texts and answers, a worker (`at_work`) the documents themselves.
"""

from __future__ import annotations

import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from hashlib import sha256
from threading import Lock, RLock

from planviz.catalog.bundled import NAMES, read_bundled
from planviz.catalog.files import FORMAT, read_catalog
from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig, default_profile
from planviz.document import PASTE_LIMIT, Document, open_text
from planviz.errors import InputError, ParseError, PlanvizError
from planviz.ui import questions
from planviz.ui.opened import Opened, Source, facts_of

__all__ = ["Opened"]

#: Catalogues that SQL is planned with: the first bundled one that has the query's tables; none (then they are guessed).
AUTO, NO_CATALOG = "auto", "none"
CATALOGS = (AUTO, *NAMES, NO_CATALOG)

#: Documents kept at most by the server, and by a worker; the characters of their texts and answers together. The newest
#: stays whatever its size.
KEPT = 256
KEPT_IN_WORKER = 24
KEPT_CHARACTERS = 120_000_000

#: Begins the names of catalogues that a session brought along, and how many of all sessions are kept.
OWN = "own-"
KEPT_CATALOGS = 64

#: Seconds that a document stays open when its last session has left: a reload of the page is a new session.
GRACE = 60.0
#: The same for one that no session has looked at: a page's script may have sent it.
GRACE_ALONE = 900.0

#: Held for moments only, never while anything is read or planned: the event loop takes it, too.
_lock = RLock()
_WORD = re.compile(r"\w+")
#: Texts that are being opened, by key: who asks for the same text waits for it, nobody else does.
_turns: dict[tuple[bool, str], _Turn] = {}
_own: OrderedDict[str, str] = OrderedDict()


@dataclass(eq=False)
class _Shelf:
    """The documents of a process, so many at `most`; `seen` is by key when who last looked, and which sessions did."""

    most: int
    kept: OrderedDict[str, Opened] = field(default_factory=OrderedDict)
    seen: dict[str, tuple[float, set[str]]] = field(default_factory=dict)


_server, _worker = _Shelf(KEPT), _Shelf(KEPT_IN_WORKER)
#: In a worker: what looks for a document or a catalogue that it has not got.
_lacking: ContextVar[Callable[[str], Opened | str | None] | None] = ContextVar("lacking", default=None)


@contextmanager
def at_work(lacking: Callable[[str], Opened | str | None]) -> Iterator[None]:
    """Be a worker: open documents here, and ask `lacking` for those that are not there."""
    token = _lacking.set(lacking)
    try:
        yield
    finally:
        _lacking.reset(token)


def _shelf() -> _Shelf:
    return _server if _lacking.get() is None else _worker


def open_document(text: str, catalog: str = AUTO, profile: str = "", near: str = "") -> Opened:
    """Open a text or find it open; SQL is planned with one of `CATALOGS`, as the version or runtime `profile`.

    `near` is the key of a document that it will be compared with: it is opened in the worker that has that one.
    Raises PlanvizError if it cannot.
    """
    opened = open_source(Source(text, catalog, profile=profile), near)
    assert opened is not None
    return opened


def open_next(text: str, catalog: str, kept: str) -> Opened:
    """Open a text while a document is open that is planned as the version `kept`; that of a pasted plan is found anew.

    Raises PlanvizError if it cannot.
    """
    opened = open_document(text, catalog, kept)
    return opened if not kept or opened.facts.statements else open_document(text, catalog)


def key_of(source: Source) -> str:
    """The key of a document: equal for equal sources, in all processes."""
    named = "" if source.catalog == AUTO else f"\0{source.catalog}"
    named += f"\0as {source.profile}" if source.profile else ""
    key = sha256((source.text + named).encode("utf-8", "surrogatepass")).hexdigest()
    return sha256(f"{key}\0{source.variant}".encode()).hexdigest() if source.variant else key


def open_source(source: Source, near: str = "") -> Opened | None:
    """Open a document or find it open; None for a derived one that is none. Raises PlanvizError if it cannot.

    `near` is the key of a document in whose worker it should be opened.
    """
    key, shelf = key_of(source), _shelf()
    with _turn_of(key):
        with _lock:
            opened = shelf.kept.get(key)
        if opened is None:
            opened = _open(key, source, near)
        if opened is not None:
            with _lock:
                shelf.kept[key] = opened
                shelf.kept.move_to_end(key)
                shelf.seen.setdefault(key, (time.monotonic(), set()))
                _forget(shelf)
    return opened


def _open(key: str, source: Source, near: str) -> Opened | None:
    if _lacking.get() is not None or not questions.running():
        return _here(key, source)
    told = questions.ask(None, "planviz.ui.worker", "opened", (source,), {}, near=near or key)
    if told is None:
        return None
    facts, catalog = told
    return Opened(key, source, facts, catalog, near)


def _here(key: str, source: Source) -> Opened | None:
    if source.made is None:
        document, catalog = _opened(source.text, source.catalog, source.profile)
        return Opened(key, source, facts_of(document), catalog, here=document)
    whole = open_source(source.base or replace(source, variant="", made=None))
    made = None if whole is None else source.made(whole.document)
    return None if whole is None or made is None else Opened(key, source, facts_of(made), whole.catalog, here=made)


@dataclass(eq=False)
class _Turn:
    lock: Lock = field(default_factory=Lock)
    wanted: int = 0


@contextmanager
def _turn_of(key: str) -> Iterator[None]:
    """One at a time for each key."""
    name = (_lacking.get() is None, key)
    with _lock:
        turn = _turns.setdefault(name, _Turn())
        turn.wanted += 1
    try:
        with turn.lock:
            yield
    finally:
        with _lock:
            turn.wanted -= 1
            if not turn.wanted:
                del _turns[name]


def _opened(text: str, catalog: str, profile: str) -> tuple[Document, str]:
    tables = catalog_of(catalog) if catalog != AUTO else None
    config = OptimizerConfig.of(profile or default_profile())
    document = open_text(text, limit=PASTE_LIMIT, catalog=tables, config=config)
    if not document.statements:
        return document, ""
    if catalog != AUTO:
        return document, catalog
    for name in _with_tables_of(text) if _incomplete(document) else ():
        try:
            other = open_text(text, limit=PASTE_LIMIT, catalog=read_bundled(name), config=config)
        except PlanvizError:
            continue  # a program that ends at once with the tables of this catalogue
        if other.error is None:
            return other, name
    return document, NO_CATALOG


def _with_tables_of(text: str) -> list[str]:
    """The bundled catalogues that have a table whose name stands in the text: no other can plan it any better."""
    words = set(_WORD.findall(text.lower()))
    return [name for name in NAMES if any(t.name.lower() in words for t in read_bundled(name).tables.values())]


def derived(opened: Opened, name: str, make: Callable[[Document], Document | None]) -> Opened | None:
    """What `make` makes of an open document, once, as a document with a key of its own; None where it makes nothing."""
    base = opened.source if opened.source.made is not None else None
    variant = f"{opened.source.variant}\0{name}" if base else name
    source, made = replace(opened.source, variant=variant, made=make, base=base), ("derived", name)
    if made not in opened.made or (opened.made[made] and find(key_of(source)) is None):
        opened.made[made] = open_source(source, near=opened.key) is not None
    return find(key_of(source)) if opened.made[made] else None


def keep_catalog(text: str) -> str:
    """Keep a planviz-catalog/1 text; its name, which nobody can guess who has not got the text."""
    name = f"{OWN}{sha256(text.encode()).hexdigest()[:32]}"
    with _lock:
        _own[name] = text
        _own.move_to_end(name)
        while len(_own) > KEPT_CATALOGS:
            _own.popitem(last=False)
    return name


def is_catalogue(text: str) -> bool:
    """Whether a text is meant as a planviz-catalog/1."""
    return text.lstrip().startswith("{") and f'"{FORMAT}"' in text


def is_catalog(name: str) -> bool:
    """Whether SQL can be planned with a catalogue of this name here and now."""
    return name in CATALOGS or name in _own


def catalog_of(name: str) -> Catalog | None:
    """The catalogue of a name of `CATALOGS` or `keep_catalog`; None for no tables but those that the text defines.

    Raises InputError for one that is not kept any more.
    """
    if not name.startswith(OWN):
        return read_bundled(name) if name in NAMES else None
    text = _own.get(name)
    if text is None and (lacking := _lacking.get()) is not None and isinstance(told := lacking(name), str):
        text = told
        keep_catalog(told)
    if text is None:
        raise InputError("The server no longer holds the catalogue that this was planned with. Collect it again.")
    return read_catalog(text)


def own_catalog(name: str) -> str | None:
    """The text of a catalogue that `keep_catalog` keeps."""
    return _own.get(name)


def _incomplete(document: Document) -> bool:
    """Whether SQL reads tables that it does not define."""
    if isinstance(document.error, ParseError):  # no table makes it any better
        return False
    return document.error is not None or guesses(document)


def guesses(document: Document) -> bool:
    """Whether a table or file of the open SQL or program was guessed from its queries."""
    return any(s.execution.reads_guesses for s in document.statements if s.execution is not None)


def find(key: str) -> Opened | None:
    """The document of this key when this process still holds it."""
    shelf = _shelf()
    with _lock:
        opened = shelf.kept.get(key)
        if opened is not None:
            shelf.kept.move_to_end(key)
            if key in shelf.seen:
                shelf.seen[key] = time.monotonic(), shelf.seen[key][1]
            return opened
    lacking = _lacking.get()
    found = None if lacking is None else lacking(key)
    return found if isinstance(found, Opened) else None


def is_kept(key: str) -> bool:
    """Whether this process holds the document of a key; looking for it keeps it no longer."""
    with _lock:
        return key in _shelf().kept


def _forget(shelf: _Shelf) -> None:
    kept = shelf.kept
    while len(kept) > 1 and (
        len(kept) > shelf.most or sum(len(o.text) + o.size for o in kept.values()) > KEPT_CHARACTERS
    ):
        shelf.seen.pop(kept.popitem(last=False)[0], None)


# -- memory is given back


def looked_at(key: str, session: str) -> None:
    """Note that a session has this document open."""
    with _lock:
        _, sessions = _server.seen.get(key, (0.0, set()))
        _server.seen[key] = time.monotonic(), sessions | {session}


def left(active: Callable[[str], bool], grace: float = GRACE, alone: float = GRACE_ALONE) -> tuple[str, ...]:
    """Close the documents whose sessions have left so many seconds ago, with what was derived from them; their keys."""
    now = time.monotonic()
    with _lock:
        here = {key for key, (_, sessions) in _server.seen.items() if any(map(active, sessions))}
        for key in here:
            _server.seen[key] = now, set(filter(active, _server.seen[key][1])) or {""}
        gone = []
        for key, (at, sessions) in _server.seen.items():
            opened = _server.kept.get(key)
            base = key if opened is None else key_of(replace(opened.source, variant="", made=None, base=None))
            if not {key, base} & here and now - at >= (grace if sessions else alone):
                gone.append(key)
        for key in gone:
            _server.seen.pop(key)
            _server.kept.pop(key, None)
        return tuple(gone)


def close(text: str) -> None:
    """Close all documents of a text; the workers hear of it as of those whose sessions have left (`left`)."""
    with _lock:
        for key in [key for key, opened in _server.kept.items() if opened.text == text]:
            del _server.kept[key]
            _server.seen[key] = -math.inf, set()


def forget(keys: Iterable[str]) -> None:
    """Close documents of this process's shelf."""
    with _lock:
        for key in keys:
            _shelf().kept.pop(key, None)


def forget_all() -> None:
    """Close all documents of this process's shelf."""
    with _lock:
        _shelf().kept.clear()
