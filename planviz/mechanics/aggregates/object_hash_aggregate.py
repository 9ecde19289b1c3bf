"""ObjectHashAggregate: a map of objects, and sorting when it has too many keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cmp_to_key

from planviz.evaluation import compare
from planviz.mechanics.aggregates.base import count
from planviz.mechanics.aggregates.map_based import BY_KEY, Entry, MapAggregate
from planviz.mechanics.play import Input, Item, Panel, Row, Step, texts
from planviz.mechanics.rows import same_key
from planviz.physical.aggregates import BaseAggregateExec
from planviz.types.values import Value


class ObjectHashAggregate(MapAggregate):
    """Spark: ObjectHashAggregateExec, ObjectAggregationIterator.

    `threshold` is how many keys the map may hold (spark.sql.objectHashAggregate.sortBased.fallbackThreshold).
    """

    about = (
        "As a hash aggregate, with buffers that are objects on the heap. How much they take is not known, so keys are "
        "counted: when there are as many as the threshold says, the map is sorted and dumped once, all rows that still "
        "come are sorted instead of hashed, and the two sorted streams are merged."
    )

    def __init__(self, node: BaseAggregateExec, source: Input, threshold: int = 128) -> None:
        self.threshold = threshold
        super().__init__(node, source)

    def panels(self) -> list[Panel]:
        """Input, map, what is sorted after a fallback, output."""
        columns = (*[k.name for k in self.keys], *self.buffer_names)
        room = f"falls back at {count(self.threshold, 'key')}"
        return [
            self.table(),
            Panel("map", "Map of objects", room, "map", 1, columns, len(self.keys)),
            Panel("rows", "Rows left", "sorted by key", "runs", 1, tuple(a.name for a in self.source.columns)),
            Panel("runs", "Buffers dumped", "sorted by key", "runs", 1, columns, len(self.keys)),
            self.out(2),
        ]

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        return [*super().facts, ("Threshold", f"{count(self.threshold, 'key')} in the map")]

    def task(self, items: Sequence[Item]) -> Iterator[Step]:
        """Fill the map; fall back to sorting when it has too many keys and rows are left."""
        self.begin()
        for panel in ("rows", "runs"):
            self.board[panel].clear()
        for at, item in enumerate(items, 1):
            self.board["input"].point(item.id)
            yield self.update(item, self.key(item))
            if len(self.map) >= self.threshold and at < len(items):
                yield from self.fallen_back(items[at:])
                return
        yield from self.given()

    def fallen_back(self, left: Sequence[Item]) -> Iterator[Step]:
        """The map sorted and dumped, the rows that are left sorted, both merged."""
        dumped = sorted(self.map.values(), key=BY_KEY)
        self.map = {}
        self.board["map"].clear()
        self.board["runs"].replace([e.row for e in dumped])
        yield self.board.step(
            "spill",
            f"The map has {count(len(dumped), 'key')}, which is the threshold, and rows are left: its buffers are "
            "sorted by key and dumped. From here on nothing is hashed.",
            marks=[("runs", e.row, "new") for e in dumped],
        )
        rows = sorted(left, key=_by(self.key))
        self.board["input"].point(left[-1].id)
        self.board["rows"].replace([i.id for i in rows])
        yield self.board.step(
            "sort",
            f"The {count(len(rows), 'row')} that are left are sorted by key.",
            marks=[("rows", i.id, "new") for i in rows],
        )
        while rows or dumped:
            yield from self.group(rows, dumped)

    def group(self, rows: list[Item], dumped: list[Entry]) -> Iterator[Step]:
        """The group with the smallest key of both streams: its rows first, then its buffer."""
        keys = [*[self.key(i) for i in rows[:1]], *[e.key for e in dumped[:1]]]
        key = min(keys, key=cmp_to_key(compare))
        entry = Entry(key, self.buffers.begin)
        while rows and same_key(self.key(rows[0])) == same_key(key):
            item = rows.pop(0)
            before, entry.buffer = entry.buffer, self.buffers.add(entry.buffer, item.env)
            self.board["rows"].take(item.id)
            yield self.combined(entry, item.id, f"a row of key {texts(key)}", before, item.values)
        while dumped and same_key(dumped[0].key) == same_key(key):
            other = dumped.pop(0)
            before, entry.buffer = entry.buffer, self.buffers.merge(entry.buffer, other.buffer)
            self.board["runs"].take(other.row)
            yield self.combined(entry, other.row, f"the dumped buffer of key {texts(key)}", before, other.buffer)
        yield self.give(entry, f"both streams are past key {texts(key)}")

    def combined(self, entry: Entry, source: int, what: str, before: Row, value: Row) -> Step:
        """A row or a buffer into the current group's buffer."""
        entry.row = self.board.row((*entry.key, *entry.buffer), (source,))
        self.board["map"].replace([entry.row], "merge")
        return self.board.step(
            "merge",
            f"{texts(value)}, {what}, goes into the buffer: {texts(before)} → {texts(entry.buffer)}.",
            marks=[("map", entry.row, "match")],
        )


def _by(key: Callable[[Item], Row]) -> Callable[[Item], Value]:
    """A sort key of items from their grouping key."""
    return cmp_to_key(lambda a, b: compare(key(a), key(b)))
