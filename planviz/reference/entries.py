"""All entries of the catalogue, and search over them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import cache

from planviz.errors import InputError
from planviz.reference.entry import Entry
from planviz.reference.operators import operator_entries
from planviz.reference.rules import batch_entries, rule_entries
from planviz.reference.settings import finding_entries, function_entries, setting_entries

#: Kinds of entries in the order in which they are shown, with the word for several.
KINDS: Mapping[str, str] = {
    "rule": "rules", "operator": "operators", "setting": "settings", "batch": "batches", "finding": "findings",
    "function": "functions",
}  # fmt: skip
_SOURCES = {
    "rule": rule_entries, "operator": operator_entries, "setting": setting_entries, "batch": batch_entries,
    "finding": finding_entries, "function": function_entries,
}  # fmt: skip


@cache
def entries() -> Mapping[tuple[str, str], Entry]:
    """Every entry by kind and name, in the order of `KINDS` and, within, of their sources."""
    return {(one.kind, one.name): one for kind in KINDS for one in _SOURCES[kind]()}


def entry_named(name: str, kind: str = "") -> Entry:
    """An entry by its name in any case, or `kind:name`; of several kinds the first of `KINDS`.

    Raises InputError with the nearest names.
    """
    if not kind and name.split(":")[0] in KINDS:
        kind, _, name = name.partition(":")
    wanted = name.lower()
    for one in entries().values():
        if one.name.lower() in (wanted, f"{wanted} (logical)") and kind in ("", one.kind):
            return one
    known = {one.name.lower(): one.name for one in entries().values() if kind in ("", one.kind)}
    near = [known[n] for n in difflib.get_close_matches(wanted, known, 3, 0.5)]
    advice = f"Did you mean {', '.join(near)}?" if near else "`planviz catalogue` lists them."
    raise InputError(f"There is no {kind or 'entry'} {name!r} in the catalogue. {advice}")


_WORD = re.compile(r"[a-z0-9_.]+")


def search(text: str, kinds: Sequence[str] = ()) -> list[Entry]:
    """The entries that have all words of a text, the nearest first.

    A name that equals it, begins with it or contains it; then those that have all words in their names, in name and
    summary, and anywhere. Without words all entries of the kinds, in their order.
    """
    words = text.lower().split()
    among = [one for one in entries().values() if not kinds or one.kind in kinds]
    if not words:
        return among
    found = [one for one in among if all(word in one.words for word in words)]
    return sorted(found, key=lambda one: _distance(one, words))


def _distance(entry: Entry, words: Sequence[str]) -> int:
    name, text = entry.name.lower(), " ".join(words)
    if name == text:
        return 0
    last = name.rsplit(".", 1)[-1]
    if name.startswith(text) or last.startswith(text):
        return 1
    if text in name:
        return 2
    said = set(_WORD.findall(entry.summary.lower()))
    if all(word in name for word in words):
        return 3
    return 4 if all(word in name or {word, f"{word}s"} & said for word in words) else 5
