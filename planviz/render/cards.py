"""A scene as data: cards, edges and links with their places and words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from planviz.graph import KINDS
from planviz.graph.kinds import is_exchange
from planviz.jsontypes import JsonObject
from planviz.units import beyond, short

Sub = list[list[str]]  # [[lead word, text], ...], the lines under a card's title
#: A word, what is to be said under it, and the index of the node that it is most about (-1: of none).
Line = tuple[str, str, int]
#: What a number of rows is worth that Spark itself does not estimate: what its formulas would give, or a bound.
FORMULA, AT_MOST = 1, 2


@dataclass(frozen=True, slots=True)
class Scene:
    """What is to be drawn of one plan, in px, without colours.

    `nodes` holds parallel lists, one entry per node in the order of the text: `id`, `x`, `y`, `w`, `h` (top left
    corner and size), `kind` (index into `KINDS`), `op`, `title`, `sub` (lines under the title, or None as a whole when
    not loaded), `parent` (index or -1), `edge` ("c" child, "s" subquery), `depth`, `first` and `last` source line (0
    when unknown), `codegen` (stage or -1), `number` (shown last), `badges`, `rows` and `bytes` (None when unknown).
    `sign` tells which rows Spark itself does not estimate (`FORMULA`, `AT_MOST`; 0 for the others).
    `rows_are` tells what kind of numbers these are: "estimated", "measured" or "unknown"; they are never mixed.
    `links` are `[from index, to index, type]`. `details` holds per node `[name, text]` facts, or None when not loaded.
    `short` is the plan in a few words (`summary.in_short`).
    """

    title: str
    stage: str
    notes: list[str]
    size: tuple[float, float]
    nodes: JsonObject
    rows_are: str
    links: list[list[Any]]
    details: list[list[list[str]]] | None
    short: list[Line] = field(default_factory=list)

    @property
    def exchanges(self) -> int:
        """How many operators move rows (`planviz.graph.kinds.is_exchange`), the one count that is shown anywhere."""
        return sum(1 for op in self.nodes["op"] if is_exchange(op))

    def rows_words(self, i: int) -> str:
        """The rows of node i in short form: `≈` marks an estimate, brackets what only the formulas give; "" unknown."""
        rows, sign = self.nodes["rows"][i], self.nodes["sign"][i]
        if rows is None or (beyond(rows) and sign == AT_MOST):
            return ""
        if sign:
            return f"({'≤' if sign == AT_MOST else ''}{short(rows)})"
        return f"{'≈' if self.rows_are == 'estimated' and not beyond(rows) else ''}{short(rows)}"

    def to_json(self) -> JsonObject:
        """The scene as JSON values, the same for the same plan."""
        return {
            "version": 1,
            "title": self.title,
            "stage": self.stage,
            "notes": self.notes,
            "size": list(self.size),
            "kinds": list(KINDS),
            "exchanges": self.exchanges,
            "nodes": self.nodes,
            "rows_are": self.rows_are,
            "links": self.links,
            "details": self.details,
            "short": [list(line) for line in self.short],
        }
