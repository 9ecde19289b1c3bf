"""Documents that are open in this process, found again by the hash of their text.

Kept here and not in `st.cache_data`: a plan's classes must never outlive a reload of their module, and a document is
worth keeping while anybody looks at it. What goes on to Streamlit is text and bytes, the same bytes on every rerun.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock, RLock
from typing import Any

from planviz.catalog.bundled import NAMES, read_bundled
from planviz.catalog.files import FORMAT, read_catalog
from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig, default_profile
from planviz.document import PASTE_LIMIT, Document, open_text
from planviz.errors import InputError, ParseError, PlanvizError
from planviz.graph import PlanGraph
from planviz.replay.settings import candidates
from planviz.ui import links

#: Catalogues that SQL is planned with: the first bundled one that has the query's tables; none (then they are guessed).
AUTO, NO_CATALOG = "auto", "none"
CATALOGS = (AUTO, *NAMES, NO_CATALOG)

#: Documents kept at most, and the characters of their texts together; the newest stays whatever its size.
KEPT = 32
KEPT_CHARACTERS = 120_000_000

#: Begins the names of catalogues that a session brought along, and how many of all sessions are kept.
OWN = "own-"
KEPT_CATALOGS = 64

#: Held for moments only, never while anything is read or planned: the event loop takes it, too.
_lock = RLock()
_WORD = re.compile(r"\w+")
#: Texts that are being opened, by key: who asks for the same text waits for it, nobody else does.
_turns: dict[str, _Turn] = {}
_own: OrderedDict[str, str] = OrderedDict()
_kept: OrderedDict[str, Opened] = OrderedDict()


@dataclass(eq=False)
class Opened:
    """An open document with what was made from it.

    `key` is the SHA-256 of the text in hex: the same text has the same key in every process, and nobody can guess the
    key of a text that he has not got. `made` holds scenes, findings and pictures under a name, made once. `catalog` is
    the name of the catalogue that SQL was planned with, "" for anything but SQL. `profile` is the version of Spark that
    was chosen, "" for the default one of SQL and the one that is found of a plan's text.
    """

    key: str
    document: Document
    catalog: str = ""
    profile: str = ""
    made: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False)

    def graph(self, plan: str) -> PlanGraph:
        """The plan of a name: `3` is the fourth of the text, `12b` and `12a` are before and after the trace's step 12.

        Raises KeyError when the document has no such plan.
        """
        try:
            if plan.isascii() and plan.isdigit():
                return self.document.plans[int(plan)]
            number, side = int(plan[:-1]), {"b": 0, "a": 1}[plan[-1:]]
            if number < 0:
                raise KeyError(plan)
            return self.document.trace.steps[number].graphs()[side]
        except (IndexError, ValueError):
            raise KeyError(plan) from None

    def text(self, plan: str) -> str:
        """The text that the plan's source lines count in."""
        if plan[-1:] in ("a", "b"):
            step = self.document.trace.steps[int(plan[:-1])]
            return step.after if plan[-1] == "a" else step.before
        return self.document.text

    @property
    def config(self) -> OptimizerConfig:
        """The settings that SQL is planned with; of a plan's text the version that was chosen or likely printed it."""
        if self.profile or not self.document.is_pasted:
            return OptimizerConfig.of(self.profile or default_profile())
        return OptimizerConfig.of(candidates(self.document.plans, self.document.printed)[0])

    def link(self) -> str | None:
        """The packed text for an address, or None when it is too long for one."""
        if ("link",) not in self.made:
            self.made["link",] = links.pack(self.document.text)
        link: str | None = self.made["link",]
        return link


def open_document(text: str, catalog: str = AUTO, profile: str = "") -> Opened:
    """Open a text or find it open; SQL is planned with one of `CATALOGS`, as the version or runtime `profile`.

    Raises PlanvizError if it cannot.
    """
    named = ("" if catalog == AUTO else f"\0{catalog}") + (f"\0as {profile}" if profile else "")
    key = sha256((text + named).encode("utf-8", "surrogatepass")).hexdigest()
    opened = find(key)
    if opened is not None:
        return opened
    with _turn_of(key):
        opened = find(key)
        if opened is None:
            opened = Opened(key, *_opened(text, catalog, profile), profile)
            with _lock:
                _kept[key] = opened
                _forget()
        return opened


@dataclass(eq=False)
class _Turn:
    lock: Lock = field(default_factory=Lock)
    wanted: int = 0


@contextmanager
def _turn_of(key: str) -> Iterator[None]:
    """One at a time for each key."""
    with _lock:
        turn = _turns.setdefault(key, _Turn())
        turn.wanted += 1
    try:
        with turn.lock:
            yield
    finally:
        with _lock:
            turn.wanted -= 1
            if not turn.wanted:
                del _turns[key]


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
    made = ("derived", name)
    with _turn_of(f"{opened.key}\0{name}"):
        if made not in opened.made:
            document = make(opened.document)
            key = sha256(f"{opened.key}\0{name}".encode()).hexdigest()
            opened.made[made] = None if document is None else Opened(key, document, opened.catalog, opened.profile)
    found: Opened | None = opened.made[made]
    if found is not None:
        with _lock:
            _kept[found.key] = found
            _kept.move_to_end(found.key)
            _forget()
    return found


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
    if text is None:
        raise InputError("The server no longer holds the catalogue that this was planned with. Collect it again.")
    return read_catalog(text)


def _incomplete(document: Document) -> bool:
    """Whether SQL reads tables that it does not define."""
    if isinstance(document.error, ParseError):  # no table makes it any better
        return False
    return document.error is not None or guesses(document)


def guesses(document: Document) -> bool:
    """Whether a table of the open SQL was guessed from its queries."""
    executions = [s.execution for s in document.statements if s.execution is not None]
    return any(table.guessed for execution in executions for table in execution.catalog.tables.values())


def find(key: str) -> Opened | None:
    """The document of this key when this process still holds it."""
    with _lock:
        opened = _kept.get(key)
        if opened is not None:
            _kept.move_to_end(key)
        return opened


def _forget() -> None:
    while len(_kept) > 1 and (len(_kept) > KEPT or sum(len(o.document.text) for o in _kept.values()) > KEPT_CHARACTERS):
        _kept.popitem(last=False)
