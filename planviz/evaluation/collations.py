"""Texts under a collation: what is equal, and in what order (Spark: CollationFactory, CollationAwareUTF8String)."""

from __future__ import annotations

from planviz.evaluation.core import CollatedText, Row, evaluate, expression, function
from planviz.expressions.calls import FunctionCall
from planviz.expressions.collations import Collate


@expression(Collate)
def _collate(e: Collate, row: Row) -> object:
    value = evaluate(e.left, row)
    return value if value is None else CollatedText.of(value, e.data_type)


@function("collation", typed=True, nulls=True)
def _collation(e: FunctionCall, _: object) -> str | None:
    return collation_of(e)


def collation_of(e: FunctionCall) -> str | None:
    """What collation(text) gives: the full name, null where the collation is not known."""
    t = e.arguments[0].data_type
    name = getattr(t, "collation", "UTF8_BINARY")
    return None if name == "null" else f"SYSTEM.BUILTIN.{name}"
