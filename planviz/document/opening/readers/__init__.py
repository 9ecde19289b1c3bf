"""What opens a pasted text: one module per kind of text, which recognises it and reads it.

capture.py    captures of a live Spark        json_text.py  plans, REST answers and event logs as JSON
program.py    programs and notebooks          sql.py        statements
plan_text.py  explain texts and rule logs     pasted.py     the text, cleaned and scanned once for all of them

A reader gives the document, or None for a text of another kind. A new kind is a new module and its place in the list.
"""

from __future__ import annotations

from collections.abc import Callable

from planviz.document.model import Document
from planviz.document.opening.readers import capture, json_text, plan_text, program, sql
from planviz.document.opening.readers.pasted import Pasted

#: In the order in which they are asked: the most certain first.
READERS: tuple[Callable[[Pasted], Document | None], ...] = (
    capture.read,
    program.read_notebook,
    json_text.read,
    program.read,
    sql.read,
    plan_text.read,
)

__all__ = ["READERS", "Pasted"]
