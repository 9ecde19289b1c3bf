"""Captures: what `planviz capture` wrote of a live Spark."""

from __future__ import annotations

from planviz.document.model import Document
from planviz.document.opening.readers.pasted import Pasted
from planviz.plantext.captures import looks_like_capture, read_capture
from planviz.plantext.stated import stated
from planviz.plantext.versions import printed_by


def read(pasted: Pasted) -> Document | None:
    """The document of a capture; None for any other text."""
    if not looks_like_capture(pasted.text):
        return None
    plans, trace, reasons, remarks, version = read_capture(pasted.text)
    printed = stated(printed_by(plans), version, f"captured from Spark {version}")
    return Document(pasted.text, "Spark capture", reasons, tuple(plans), trace, (), remarks, printed=printed)
