"""An operator's line taken apart: its name, its text, its generated stage and what marks it."""

from __future__ import annotations

import re

from planviz.graph.node import MARKS
from planviz.plantext.operators import truncations

#: Names of several words, by the first: a relation of a stream in Spark 2.3 and 2.4; a join with a table of Cassandra.
_SEVERAL = {"Streaming": "Streaming RelationV2", "Cassandra": "Cassandra Direct Join"}


def parts_of(body: str, match: re.Match[str] | None) -> tuple[str, str, int | None, tuple[str, ...]]:
    """Name, text, generated stage and badges of an operator's line."""
    if match is None:
        op, text, stage = body.split(None, 1)[0][:60], body, None
        badges: tuple[str, ...] = ("not understood",)
    else:
        codegen, gluten, marks, inner_codegen, op = match.groups()
        codegen = codegen or gluten or inner_codegen
        stage = int(codegen) if codegen else None
        text = body[match.start(5) :]
        if op in _SEVERAL and text.startswith(f"{_SEVERAL[op]} "):
            op = _SEVERAL[op]
        badges = tuple(MARKS[mark] for mark in dict.fromkeys(marks)) if marks else ()
    if "..." in text and truncations(text):
        badges = (*badges, "truncated")
    if match is not None and body[0] == "*" and stage is None:
        badges = (*badges, "codegen")
    return op, text, stage, badges
