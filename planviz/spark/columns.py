"""Columns that can be counted."""

from __future__ import annotations

from dataclasses import dataclass

from planviz.types import parse_type

#: Types that ANALYZE takes, by the first word of their name; of the second group it keeps no smallest and largest.
ORDERED = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean", "date", "timestamp",
           "timestamp_ntz")  # fmt: skip
TEXTS = ("string", "binary")


@dataclass(frozen=True)
class Column:
    """A column that can be counted: its name, that quoted, its type, and the first word of that."""

    name: str
    quoted: str
    type: str
    kind: str

    @property
    def ordered(self) -> bool:
        """Whether it has a smallest and a largest value."""
        return self.kind in ORDERED

    @property
    def width(self) -> int:
        """Bytes of a value where nothing better is known."""
        return parse_type(self.type).default_size
