"""`planviz parse`: plans as text, JSON, DOT, Mermaid, rule log, or the version of Spark that printed them.

The text form is the input itself, byte for byte: a document keeps every character, also what was not understood.
"""

from __future__ import annotations

import argparse
import json

from planviz.cli.files import read_text, show_each
from planviz.document import Document, document_json, open_text
from planviz.errors import InputError
from planviz.plantext.versions import PrintedBy

_ENDINGS = {"text": "txt", "json": "json", "dot": "dot", "mmd": "mmd", "log": "log", "version": "txt", "short": "txt"}


def parse(options: argparse.Namespace) -> int:
    """Print each file's plans; a file that fails does not stop the others."""
    return show_each(
        options.files,
        options.out,
        _ENDINGS[options.format],
        lambda name: (_shown(open_text(read_text(name, options.format == "text")), options.format), ()),
    )


def _shown(document: Document, format: str) -> str:
    if format == "text":
        return document.text
    if format == "json":
        return json.dumps(document_json(document), ensure_ascii=True, indent=1) + "\n"
    if format == "version":
        return version_text(document.printed) + "\n"
    if format == "log":
        from planviz.plantext.printing import rule_log

        if not document.trace.steps:
            raise InputError("There is no rule log in the text; --format log prints the steps of one.")
        return rule_log(document.trace)
    if format == "short":
        return short_text(document)
    from planviz.render import render

    return "".join(render(plan, format).decode("utf-8") for plan in document.plans)


def short_text(document: Document) -> str:
    """Every plan in a few words: what it reads, how it joins, what it moves, how many rows it gives."""
    from planviz.render.scene import build_scene

    lines = []
    for plan in document.plans:
        lines.append(plan.title or plan.stage)
        lines += [f"  {word:6} {said}" for word, said, _ in build_scene(plan).short]
    return "\n".join(lines) + "\n"


def version_text(printed: PrintedBy) -> str:
    """Which Sparks print so, how sure that is, and every piece of evidence with its line."""
    if printed.contradicted:
        first = "The spellings contradict each other: a vendor's Spark, or several texts in one."
    elif printed.words:
        first = f"{printed.words} (confidence: {printed.confidence})"
    else:
        first = "Nothing in the text tells the version of Spark that printed it."
    lines = [first]
    for e in printed.evidence:
        place = "" if e.line is None else f"line {e.line}: "
        lines.append(f"  {place}{e.words}: {e.versions}")
    return "\n".join(lines)
