"""JSON: plans as Spark writes them, its REST answers, event logs."""

from __future__ import annotations

from planviz.document.model import Document
from planviz.document.opening.readers.pasted import Pasted
from planviz.graph.trace import RuleTrace
from planviz.plantext.json_plans import looks_like_json, read_json
from planviz.plantext.stated import with_stated
from planviz.plantext.versions import PrintedBy


def read(pasted: Pasted) -> Document | None:
    """The document of plans in JSON; None for any other text, and for JSON in which there is none."""
    text = pasted.text
    found = read_json(text) if looks_like_json(text) else None
    if found is None:
        return None
    plans, recognised, reasons, remarks, unread = found
    printed = with_stated(PrintedBy(), enumerate(text[:200_000].split("\n"), 1))
    origin = (printed.words,) if printed.words else ()
    return Document(
        text, recognised, reasons, tuple(plans), RuleTrace(), unread, remarks, origin=origin, printed=printed
    )
