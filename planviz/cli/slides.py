"""`planviz slides`: the slides' examples of cost-based optimization, their numbers beside ours."""

from __future__ import annotations

import argparse
import json

from planviz.cli.files import write
from planviz.document.alternatives.what_if import joins_of
from planviz.document.cardinality.slides import (
    SlideExample,
    SlideSide,
    beside,
    slide_example,
    slide_examples,
    slide_query,
)
from planviz.document.decisions.queries import outcome
from planviz.jsontypes import JsonObject
from planviz.units import byte_size, exact


def slides(options: argparse.Namespace) -> int:
    """Print the list of examples, or one. Raises InputError for an unknown one."""
    if options.name is None:
        examples = slide_examples()
        if options.format == "json":
            write(json.dumps([{"name": e.name, "title": e.title, "about": e.about} for e in examples], indent=1) + "\n")
        else:
            width = max(len(e.name) for e in examples)
            write("".join(f"{e.name:<{width}}  {e.title}\n" for e in examples))
        return 0
    example = slide_example(options.name)
    sides = [_side(example, side) for side in example.sides]
    if options.format == "json":
        told = {
            "name": example.name,
            "sql": example.sql,
            "said": example.said,
            "limits": example.limits,
            "sides": sides,
        }
        write(json.dumps(told, indent=1, ensure_ascii=True) + "\n")
    else:
        write(_text(example, sides))
    return 0


def _side(example: SlideExample, side: SlideSide) -> dict[str, object]:
    query = slide_query(example, side)
    figures = [
        {
            "about": b.figure.about, "slide": {"rows": b.figure.rows, "bytes": b.figure.size},
            "inferred": b.figure.inferred,
            "estimated": None if b.ours is None else {"rows": b.ours.rows, "bytes": b.ours.size},
        }
        for b in beside(side, query)
    ]  # fmt: skip
    joins = [outcome(d) for d in joins_of(query)]
    return {"name": side.name, "settings": dict(side.settings), "figures": figures, "joins": joins}


def _text(example: SlideExample, sides: list[JsonObject]) -> str:
    lines = [example.title, example.about, "", example.sql, ""]
    for side in sides:
        lines.append(f"{side['name']}: {', '.join(f'{k}={v}' for k, v in side['settings'].items())}")
        width = max((len(f["about"]) for f in side["figures"]), default=0)
        for f in side["figures"]:
            guessed = "  (its place in the picture is inferred)" if f["inferred"] else ""
            lines.append(
                f"  {f['about']:<{width}}  slide {_said(f['slide'])}  estimated {_said(f['estimated'])}{guessed}"
            )
        lines += [f"  {join}" for join in side["joins"]]
    return "\n".join([*lines, "", *example.said, *example.limits]) + "\n"


def _said(numbers: JsonObject | None) -> str:
    if numbers is None:
        return "nothing: no such operator in this plan"
    rows = "unknown" if numbers["rows"] is None else exact(numbers["rows"])
    return f"{rows} rows" + ("" if numbers["bytes"] is None else f", {byte_size(numbers['bytes'])}")
