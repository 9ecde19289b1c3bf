"""`planviz planner`: what Spark's planner consists of, as tables or JSON."""

from __future__ import annotations

import argparse
import json

from planviz.cli.files import write
from planviz.config import default_profile, profile_of
from planviz.errors import InputError
from planviz.physical.planner import Section, sections


def planner(options: argparse.Namespace) -> int:
    """Print all sections, or the one that was named. Raises InputError for another name."""
    found = [*sections(profile_of(options.profile or default_profile())), _facts(), _glossary()]
    if options.section is not None:
        names = [section.name for section in found]
        if options.section not in names:
            raise InputError(f"There is no section {options.section!r}; there are {', '.join(names)}.")
        found = [section for section in found if section.name == options.section]
    if options.format == "json":
        told = {s.name: [dict(zip(s.columns, row, strict=True)) for row in s.rows] for s in found}
        write(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
    else:
        write("\n".join(map(table, found)))
    return 0


def _facts() -> Section:
    """What the slides on cost-based optimization say beside their examples."""
    from planviz.document.cardinality.slides import slide_facts

    rows = tuple([(fact.about, fact.text) for fact in slide_facts()])
    return Section("slides", "Cost-based optimization: what the slides tell", ("about", "what they say"), rows)


def _glossary() -> Section:
    """Every term that planviz shows, as docs/glossary.md says it."""
    from planviz.render.glossary import terms

    rows = tuple([(", ".join((t.name, *t.also)), t.chapter, t.meaning) for t in terms()])
    return Section("glossary", "Words", ("term", "about", "what it means"), rows)


def table(section: Section) -> str:
    """A section as text: title, columns as wide as their longest word, note."""
    rows = [section.columns, *section.rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(section.columns))]
    lines = ["  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    note = [section.note] if section.note else []
    return "\n".join([section.title, "", *lines, *([""] if note else []), *note]) + "\n"
