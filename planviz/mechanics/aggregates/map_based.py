"""What the aggregates that keep a map share: finding a group's buffer, giving the groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cmp_to_key

from planviz.evaluation import compare
from planviz.mechanics.aggregates.base import AggregateModel
from planviz.mechanics.buffers import Buffer
from planviz.mechanics.play import Item, Row, Step, texts
from planviz.mechanics.rows import same_key
from planviz.types.values import Value


class Entry:
    """A group in the map or in a run: its key, its buffer, and the buffer's row on the board."""

    def __init__(self, key: Row, buffer: Buffer, row: int = -1) -> None:
        self.key, self.buffer, self.row = key, buffer, row


#: Puts entries in the order of their keys.
BY_KEY: Callable[[Entry], Value] = cmp_to_key(lambda a, b: compare(a.key, b.key))


class MapAggregate(AggregateModel):
    """Base of the aggregates that keep a map of buffers."""

    def begin(self) -> None:
        """An empty map; without keys it has its only group from the start."""
        self.map: dict[Row, Entry] = {}
        self.board["map"].clear()
        if not self.keys:
            self.entry((), self.buffers.begin)

    def entry(self, key: Row, buffer: Buffer) -> Entry:
        """A new group in the map."""
        entry = Entry(key, buffer, self.board.row((*key, *buffer)))
        self.map[same_key(key)] = entry
        self.board["map"].replace([entry.row], same_key(key))
        return entry

    def update(self, item: Item, key: Row) -> Step:
        """A row into its group's buffer."""
        known = self.map.get(same_key(key))
        entry = known or self.entry(key, self.buffers.begin)
        before = entry.buffer
        entry.buffer = self.buffers.add(before, item.env)
        entry.row = self.board.row((*entry.key, *entry.buffer), (item.id,))
        self.board["map"].replace([entry.row], same_key(key))
        named = f"key {texts(key)}" if key else "the only group"
        change = f": {texts(before)} → {texts(entry.buffer)}" if entry.buffer else ""
        text = f"{texts(item.values)}: {named} is in the map; its buffer is updated{change}."
        if known is None:
            text = f"{texts(item.values)}: {named} is not in the map. A new buffer, then updated{change}."
        return self.board.step(
            "update" if known else "insert",
            text,
            marks=[("input", item.id, "current"), ("map", entry.row, "match" if known else "new")],
            links=[("input", item.id, "map", entry.row)],
            compared=(texts(key), "in", "map", "found" if known else "new") if key else None,
        )

    # ---- results

    def given(self) -> Iterator[Step]:
        """The groups of the map."""
        for entry in list(self.map.values()):
            yield self.give(entry, "")

    def give(self, entry: Entry, why: str) -> Step:
        """A group's row."""
        row = self.emit(entry.key, entry.buffer, (entry.row,))
        self.board["map"].take(entry.row)
        named = f"Group {texts(entry.key)}" if entry.key else "The only group"
        because = f"{why[0].upper()}{why[1:]}. " if why else ""
        return self.board.step(
            "emit",
            f"{because}{named} gives {texts(self.output[-1][-1])}.",
            marks=[("output", row, "new")],
        )
