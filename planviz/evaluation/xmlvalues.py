"""A struct written as XML, and a row of XML read as a struct.

Read is what holds elements and texts alone: no attributes, no entities but the five that XML has, no document type.
"""

from __future__ import annotations

import re
from datetime import datetime
from xml.sax.saxutils import unescape

from planviz.evaluation.casts import text_of
from planviz.evaluation.core import function, shown_bytes
from planviz.evaluation.csvvalues import cell_value
from planviz.evaluation.dateformats import formatted, formatted_timestamp
from planviz.evaluation.errors import UnknownValueError
from planviz.evaluation.jsonvalues import options_of
from planviz.expressions.calls import FunctionCall
from planviz.types import BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ, ArrayType, DataType, MapType, StructType
from planviz.types.values import Value

_WRITES = {"rowtag", "indent", "timestampformat", "dateformat"}
_READS = {"rowtag", "timestampformat", "dateformat"}
_PIECE = re.compile(r"<(/?)([A-Za-z][\w.-]*)\s*(/?)>|([^<]+)")
_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)")
#: Levels of elements.
_DEEPEST = 50
#: An element: the texts in it, and the elements in it by their names.
Element = tuple[str, list[tuple[str, "Element"]]]


# ------------------------------------------------------------------------------------------------------- writing


@function("to_xml", typed=True)
def _to_xml(e: FunctionCall, value: Value) -> str:
    options = options_of(e.lead + e.tail, _WRITES)
    t = e.arguments[0].data_type
    if not isinstance(t, StructType) or not t.fields:
        raise UnknownValueError(str(e))
    indent = options.get("indent", "    ")
    lines = _lines(options.get("rowtag", "ROW"), value, t, options, indent, 0)
    # Without an indent the whole stands in one line, which then ends.
    return "\n".join(lines) if indent else "".join(lines) + "\n"


def _lines(tag: str, value: Value, t: DataType, options: dict[str, str], indent: str, depth: int) -> list[str]:
    head = indent * depth
    if not re.fullmatch(r"[A-Za-z]\w*", tag) or isinstance(t, MapType) or depth > _DEEPEST:
        raise UnknownValueError(tag)
    if value is None:
        return []
    if isinstance(t, ArrayType):
        if isinstance(t.element, ArrayType):
            raise UnknownValueError(tag)
        return [line for v in value for line in _lines(tag, v, t.element, options, indent, depth)]
    if isinstance(t, StructType):
        fields = zip(value, t.fields, strict=True)
        inner = [line for v, f in fields for line in _lines(f.name, v, f.data_type, options, indent, depth + 1)]
        if not inner:
            raise UnknownValueError(tag)
        return [f"{head}<{tag}>", *inner, f"{head}</{tag}>"]
    text = _text(value, t, options)
    if not text or re.search(r"[<>&\r\n]", text):
        raise UnknownValueError(text)
    return [f"{head}<{tag}>{text}</{tag}>"]


def _text(value: Value, t: DataType, options: dict[str, str]) -> str:
    if t in (TIMESTAMP, TIMESTAMP_NTZ):
        return formatted_timestamp(value, t == TIMESTAMP, options)
    if t == DATE and "dateformat" in options:
        return formatted(datetime(value.year, value.month, value.day), options["dateformat"])
    return shown_bytes(value) if t == BINARY else text_of(value, t)


# ------------------------------------------------------------------------------------------------------- reading


@function("from_xml", typed=True)
def _from_xml(e: FunctionCall, text: str) -> Value:
    """In the permissive mode: what cannot be read is null, field by field."""
    options = options_of(e.lead, _READS)
    t = e.data_type
    if not isinstance(t, StructType):
        raise UnknownValueError(str(e))
    return _struct(_read(text), t, options)


def _read(text: str) -> Element:
    """The outermost element. Raises UnknownValueError for XML that is not well formed, or has more than elements."""
    if _ENTITY.search(text):
        raise UnknownValueError(text)
    root: Element = ("", [])
    open_elements = [("", root)]
    at = 0
    for m in _PIECE.finditer(text):
        if m.start() != at:
            raise UnknownValueError(text)
        at = m.end()
        closes, name, empty, words = m.groups()
        top, (own, children) = open_elements[-1]
        if words is not None:
            open_elements[-1] = (top, (own + unescape(words, {"&quot;": '"', "&apos;": "'"}), children))
        elif closes:
            if name != top or len(open_elements) < 2:
                raise UnknownValueError(text)
            _, done = open_elements.pop()
            open_elements[-1][1][1].append((name, done))
        elif empty:
            children.append((name, ("", [])))
        else:
            if len(open_elements) > _DEEPEST:
                raise UnknownValueError(name)
            open_elements.append((name, ("", [])))
    words, rows = open_elements[0][1]
    if at != len(text) or len(open_elements) != 1 or len(rows) != 1 or words.strip():
        raise UnknownValueError(text)
    return rows[0][1]


def _struct(element: Element, t: StructType, options: dict[str, str]) -> tuple[Value, ...]:
    return tuple(_field([x for name, x in element[1] if name == f.name], f.data_type, options) for f in t.fields)


def _field(found: list[Element], t: DataType, options: dict[str, str]) -> Value:
    if isinstance(t, MapType):
        raise UnknownValueError(str(t))
    if not found:
        return None
    if isinstance(t, ArrayType):
        made = tuple(_field([x], t.element, options) for x in found)
        if any(v is None and words for v, (words, _) in zip(made, found, strict=True)):
            # What follows an item that cannot be read is lost, which is not modelled.
            raise UnknownValueError(str(t))
        return made
    words, children = found[-1]
    if isinstance(t, StructType):
        return _struct(found[-1], t, options)
    if children or words != words.strip() or len(found) > 1:
        raise UnknownValueError(words)
    return cell_value(words, t, options) if words else None
