"""Paths into a variant: `v:a.b[0]['c d']` (Spark's grammar: semiStructuredExtractionPath)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.frontend.lexer import NUMBER, QUOTED, STRING, WORD

if TYPE_CHECKING:
    from planviz.frontend.cursor import Cursor
    from planviz.frontend.reader import Reader


def starts_path(reader: Cursor) -> bool:
    """Whether the colon at the cursor begins a path."""
    return reader.kinds[reader.at + 1] in (WORD, QUOTED) or (
        reader.peek(1) == "[" and reader.kinds[reader.at + 2] in (NUMBER, STRING)
    )


def variant_path(reader: Reader) -> tuple[str, str | None]:
    """The path behind the colon at the cursor, as variant_get takes it, and the name that it gives its column."""
    reader.expect(":")
    path, name = _part(reader, "$")
    while True:
        if reader.sees("[") and reader.kinds[reader.at + 1] in (NUMBER, STRING):
            path, last = _part(reader, path)
            # An element of an array is named as the array.
            name = last or name
        elif reader.sees(".") and reader.kinds[reader.at + 1] in (WORD, QUOTED):
            reader.at += 1
            path, name = _part(reader, path)
        else:
            return path, name


def _part(reader: Reader, path: str) -> tuple[str, str | None]:
    if not reader.accept("["):
        name = reader.identifier()
        return f"{path}.{name}", name
    if reader.kind == STRING:
        key = reader.string()
        reader.expect("]")
        return f"{path}['{key}']", key
    index = reader.take()
    reader.expect("]")
    return f"{path}[{index}]", None
