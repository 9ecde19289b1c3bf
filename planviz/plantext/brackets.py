"""Brackets and literals within an operator's line."""

from __future__ import annotations

import re

_JAVA_ARRAY = re.compile(r"\[L(?=\w+(?:\.\w+)+;)")


def opens(text: str) -> bool:
    """Whether more brackets open in a text than close."""
    return text.count("(") > text.count(")") or text.count("[") - _java_arrays(text) > text.count("]")


def balance_of(text: str) -> int:
    """How many more brackets open in a text than close."""
    return text.count("(") - text.count(")") + text.count("[") - text.count("]") - _java_arrays(text)


def _java_arrays(text: str) -> int:
    """How many brackets are no brackets: Java prints an array as `[Lorg.apache.spark.Partition;@2ac7c683`."""
    return len(_JAVA_ARRAY.findall(text)) if "[L" in text else 0
