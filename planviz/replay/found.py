"""What reading a text came upon."""

from __future__ import annotations

from dataclasses import dataclass, field

from planviz.types import DataType


@dataclass
class Found:
    """What reading a text came upon: expressions in all, texts of those that stayed opaque, types told by use."""

    expressions: int = 0
    opaque: list[str] = field(default_factory=list)
    told: dict[int, DataType] = field(default_factory=dict)
