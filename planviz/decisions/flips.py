"""The smallest changes that would flip a decision, each a promise: applied, it gives the outcome that it names.

`planviz.document.alternatives.flips` finds them, applies them and plans anew before it offers one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planviz.versions.model import SettingValue

FlipKind = Literal["setting", "hint", "statistics", "clause"]


@dataclass(frozen=True)
class SettingChange:
    """Set `key` to `value`."""

    key: str
    value: SettingValue


@dataclass(frozen=True)
class TextChange:
    """Put `text` in place of the characters from `start` up to `end` of the statement's SQL; equal for an insertion."""

    start: int
    end: int
    text: str

    def on(self, sql: str) -> str:
        """The changed SQL."""
        return sql[: self.start] + self.text + sql[self.end :]


@dataclass(frozen=True)
class StatisticsChange:
    """Give the table with this name in the catalogue these statistics; None leaves one as it is."""

    table: str
    size_in_bytes: int | None = None
    row_count: int | None = None


Change = SettingChange | TextChange | StatisticsChange


@dataclass(frozen=True)
class Flip:
    """A change that makes a decision come out otherwise.

    `words` says it as a request ("raise spark.sql.autoBroadcastJoinThreshold to 12.4 MiB"), `short` for a button.
    `outcome` is the operator promised and `build` its build side (BuildLeft, BuildRight, or empty); `node` names the
    question that then is answered otherwise. `distance` orders flips: 0 is nearest; of a number that has to change it
    is by how many powers of two. `relation` is what a hint or statistics are about.
    `cost` says what the operator would cost or why it would fail, `unsafe` that it should not be tried unseen, and
    `weight`, on the scale of the distance, how far beyond what Spark itself would choose that is.
    """

    kind: FlipKind
    changes: tuple[Change, ...]
    words: str
    short: str
    outcome: str
    build: str = ""
    node: str = ""
    distance: float = 0.0
    relation: str = ""
    cost: str = ""
    unsafe: bool = False
    weight: float = 0.0

    @property
    def rank(self) -> tuple[bool, float]:
        """What to sort flips by: first what a careful engineer would try first, unsafe ones last."""
        return self.unsafe, self.distance + self.weight

    @property
    def promise(self) -> str:
        """What comes of it: the operator and its build side."""
        return f"{self.outcome}, {self.build}" if self.build else self.outcome


def flip_json(flip: Flip) -> dict[str, object]:
    """A flip as JSON values; a change has the fields of its class and its `type`."""
    return {
        "kind": flip.kind,
        "changes": [{"type": type(c).__name__.removesuffix("Change").lower(), **vars(c)} for c in flip.changes],
        "words": flip.words,
        "short": flip.short,
        "outcome": flip.outcome,
        "build": flip.build or None,
        "node": flip.node or None,
        "distance": round(flip.distance, 3),
        "relation": flip.relation or None,
        "cost": flip.cost or None,
        "unsafe": flip.unsafe,
    }
