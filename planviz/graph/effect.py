"""One effect of a difference of two plans: its kind, its words, and the operators that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from planviz.graph.alignment import without_expression_ids
from planviz.graph.words import clean

#: Kinds of effects, the most important first, and what each says. `planviz diff --fail-on` takes these names.
KINDS = {
    "join-order": "the tables are joined in another order",
    "join-strategy": "a join is done by another operator",
    "join-type": "a join has another type",
    "join-added": "a join is new",
    "join-removed": "a join is gone",
    "build-side": "a hash join builds its table of the other input",
    "exchange-added": "a shuffle is new",
    "exchange-removed": "a shuffle is gone",
    "exchange-changed": "a shuffle goes by other keys or numbers",
    "broadcast-added": "a broadcast is new",
    "broadcast-removed": "a broadcast is gone",
    "scan-widened": "a scan reads more columns",
    "scan-narrowed": "a scan reads fewer columns",
    "scan-filter-lost": "a scan has lost a pushed filter",
    "scan-filter-gained": "a scan has gained a pushed filter",
    "scan-filter-changed": "a pushed filter compares with another constant",
    "partition-filter-lost": "a scan has lost a filter on partitions",
    "partition-filter-gained": "a scan has gained a filter on partitions",
    "partition-filter-changed": "a filter on partitions compares with another constant",
    "scan-added": "a table is read that was not, or once more",
    "scan-removed": "a table is read no longer, or once less",
    "scan-changed": "a table is read in another way",
    "aggregate-stages": "an aggregate has other stages or operators",
    "reuse-lost": "what was computed once is computed again",
    "reuse-gained": "what was computed again is computed once",
    "sort-added": "a sort is new",
    "sort-removed": "a sort is gone",
    "filter-changed": "a filter keeps other rows",
    "estimate-moved": "much more or less is expected of an operator",
    "rows-moved": "an operator gave many more or fewer rows",
    "time-moved": "an operator took much more or less time",
    "bytes-moved": "an operator read, shuffled or spilled much more or less",
    "operator-changed": "an operator has other arguments",
    "operator-moved": "an operator stands elsewhere",
    "operator-added": "an operator of another kind is new",
    "operator-removed": "an operator of another kind is gone",
}
_LISTED = 6


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect: its kind (of `KINDS`), words, the operators it is about by their ids before and after.

    `worse` tells whether it costs more, False that it costs less, None that nobody can say. `confidence` is that of
    the least sure match it rests on. `parts` are the details: conditions, columns, keys.
    """

    kind: str
    words: str
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    worse: bool | None = None
    confidence: float = 1.0

    def to_json(self) -> dict[str, object]:
        """The effect as JSON values."""
        return {
            "kind": self.kind, "words": self.words, "before": list(self.before), "after": list(self.after),
            "worse": self.worse, "confidence": self.confidence,
        }  # fmt: skip


def listed(entries: Iterable[str], most: int = _LISTED) -> str:
    """Entries in a row, and how many more there are than `most`."""
    every = list(entries)
    more = len(every) - most
    return ", ".join(every[:most]) + (f" and {more} more" if more > 0 else "")


def plain(text: object) -> str:
    """One line of an argument, without expression ids."""
    return clean(without_expression_ids(str(text)), 160)


def ranks_lower(ranks: Sequence[str], before: str, after: str) -> bool | None:
    """Whether an operator stands behind another among `ranks`, the cheapest first; None where one is not among them."""
    if before not in ranks or after not in ranks:
        return None
    return ranks.index(after) > ranks.index(before)
