"""`planviz catalogue`: rules, operators, settings, batches, findings and functions, listed, searched, told."""

from __future__ import annotations

import argparse
import json
import textwrap
from dataclasses import asdict

from planviz.cli.files import write
from planviz.errors import InputError
from planviz.reference import KINDS, Entry, entries, entry_named, search

_WIDTH = 100


def catalogue(options: argparse.Namespace) -> int:
    """Print a list or an entry. Raises InputError for what is not there."""
    found = _found(options.words)
    if options.format == "json":
        told = [asdict(one) | {"settings": dict(one.settings)} for one in found]
        write(json.dumps(told[0] if len(told) == 1 else told, ensure_ascii=False, indent=1) + "\n")
    elif len(found) == 1:
        write(card(found[0]))
    else:
        write(_table(found) if options.format == "text" else _markdown(found))
    return 0


def _found(words: list[str]) -> list[Entry]:
    text = " ".join(words)
    kinds = {word: kind for kind, several in KINDS.items() for word in (kind, several)}
    if text.lower() in kinds or not text:
        return [one for one in entries().values() if one.kind == kinds.get(text.lower(), one.kind)]
    try:
        return [entry_named(text)]
    except InputError:
        found = search(text)
        if not found:
            raise
        return found


def _table(found: list[Entry]) -> str:
    wide = max(len(one.name) for one in found)
    return "".join(f"{one.kind:9} {one.name:{min(wide, 70)}}  {one.summary}\n" for one in found)


def _markdown(found: list[Entry]) -> str:
    rows = "".join(f"| {one.kind} | `{one.name}` | {one.summary.replace('|', chr(92) + '|')} |\n" for one in found)
    return f"| kind | name | what |\n|---|---|---|\n{rows}"


def card(one: Entry) -> str:
    """An entry in words."""
    from planviz.reference.shown import plan_of, step_of

    parts = [f"{one.kind} {one.name} ({one.family})\n\n{_wrapped(one.summary)}"]
    parts += [_wrapped(paragraph) for paragraph in one.text]
    parts.append(textwrap.indent(one.code, "  "))
    parts.append("\n".join(f"{name}: {value}" for name, value in one.facts))
    parts.append("\n".join(f"Spark {version}: {told}" for version, told in one.versions))
    if one.related:
        parts.append("See also: " + ", ".join(f"{kind}:{name}" for kind, name in one.related))
    if one.sql:
        first = "".join(f"SET {key}={value};\n" for key, value in one.settings.items())
        shown = plan_of(one) if one.kind == "operator" else step_of(one)
        parts.append(f"Example, over the catalogue {one.catalog}\n\n{first}{one.sql}\n\n{shown}")
    return "\n\n".join(filter(None, parts)).rstrip() + "\n"


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), _WIDTH)
