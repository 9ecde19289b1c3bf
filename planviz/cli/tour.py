"""`planviz tour`: stories in a few steps, and the address of each step in the app."""

from __future__ import annotations

import argparse
import json
import textwrap
from dataclasses import asdict

from planviz.cli.files import write

_WIDTH = 100


def tour(options: argparse.Namespace) -> int:
    """Print the tours, one of them, or one step. Raises InputError for what is not there."""
    from planviz.samples.tours import step_at, tour_named, tours
    from planviz.ui.tour_addresses import address, sql_of

    if options.name is None:
        width = max(map(len, tours()))
        write("".join(f"{one.name:{width}}  {one.title}: {one.about}\n" for one in tours().values()))
        return 0
    found = tour_named(options.name)
    if options.sql:
        write(sql_of(step_at(found, options.step or 1)).rstrip() + "\n")
        return 0
    chosen = [options.step] if options.step else list(range(1, len(found.steps) + 1))
    told = [(number, step_at(found, number)) for number in chosen]
    if options.format == "json":
        steps = [asdict(s) | {"sql": sql_of(s), "number": n, "address": address(found.name, n)} for n, s in told]
        told_json = {"name": found.name, "title": found.title, "about": found.about, "steps": steps}
        write(json.dumps(told_json, ensure_ascii=False, indent=1) + "\n")
        return 0
    parts = [f"{found.title}\n{textwrap.fill(found.about, _WIDTH)}"] if not options.step else []
    for number, step in told:
        rows = "" if step.rows is None else "\n   " + "; ".join(", ".join(map(_value, row)) for row in step.rows)
        page = "" if step.page == "explore" else step.page
        parts.append(
            f"{number}. {step.title}\n{_wrapped(step.see)}\n{_wrapped('Try: ' + step.do)}{rows}\n"
            f"   planviz tour {found.name} --step {number} --sql | planviz {_COMMANDS[step.page]}"
            f"{_catalog(step.catalog)}\n"
            f"   page /{page}; its whole address: --format json"
        )
    write("\n\n".join(parts) + "\n")
    return 0


#: What shows on the command line what a page shows.
_COMMANDS = {
    "explore": "lint -", "joins": "why -", "aggregations": "aggregates -", "rules": "trace -",
    "cardinality": "why - --estimates", "compare": "lint - --what-if",
}  # fmt: skip


def _catalog(name: str) -> str:
    return f" --catalog {name}" if name else ""


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="   ", subsequent_indent="   ")


def _value(value: object) -> str:
    return "null" if value is None else str(value)
