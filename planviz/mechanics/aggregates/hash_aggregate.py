"""HashAggregate: a map of buffers that spills, and is merged by sorting, when it does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planviz.mechanics.aggregates.base import count
from planviz.mechanics.aggregates.map_based import BY_KEY, Entry, MapAggregate
from planviz.mechanics.play import Input, Item, Panel, Row, Step, texts
from planviz.mechanics.rows import same_key
from planviz.physical.aggregates import BaseAggregateExec


class HashAggregate(MapAggregate):
    """Spark: HashAggregateExec, TungstenAggregationIterator.

    `capacity` is how many keys the map holds before memory is full (None: all of them); `fallback` after how many rows
    it is spilled in any case, counted anew after each spill (the second number of
    spark.sql.TungstenAggregate.testFallbackStartsAt).
    """

    about = (
        "Rows come unsorted. Each finds its group's buffer in a hash map by its key, or gets a new one, and the "
        "buffer is updated in place. When memory is full the map is sorted by key and spilled; the sorted runs are "
        "merged at the end."
    )

    def __init__(
        self, node: BaseAggregateExec, source: Input, capacity: int | None = None, fallback: int | None = None
    ) -> None:
        self.capacity, self.fallback = capacity, fallback
        super().__init__(node, source)

    def panels(self) -> list[Panel]:
        """Input, map, spilled runs, output."""
        columns = (*[k.name for k in self.keys], *self.buffer_names)
        limit = f"room for {count(self.capacity, 'key')}" if self.capacity else "buffer per key"
        panels = [self.table(), Panel("map", "Hash map", limit, "map", 1, columns, len(self.keys))]
        if self.spills:
            panels.append(Panel("runs", "Spilled runs", "sorted by key", "runs", 1, columns, len(self.keys)))
        return [*panels, self.out(2)]

    @property
    def spills(self) -> bool:
        """Whether there is anything that could make the map spill."""
        return bool(self.keys) and (self.capacity is not None or self.fallback is not None)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        found = super().facts
        if self.capacity:
            found.append(("Memory", f"holds {count(self.capacity, 'key')}"))
        if self.fallback:
            found.append(("Spills after", count(self.fallback, "row")))
        return found

    # ---- the map

    def task(self, items: Sequence[Item]) -> Iterator[Step]:
        """Fill the map, spill where it is full, give the groups."""
        self.begin()
        self.runs: list[list[Entry]] = []
        since = 0
        for item in items:
            self.board["input"].point(item.id)
            key = self.key(item)
            if self.full(key, since):
                yield self.spill(since)
                since = 0
            yield self.update(item, key)
            since += 1
        if self.runs:
            yield from self.merged()
        else:
            yield from self.given()

    def full(self, key: Row, since: int) -> bool:
        """Whether there is no buffer to be had for this key."""
        if not self.spills:
            return False
        if self.fallback is not None and since >= self.fallback:
            return True
        return self.capacity is not None and len(self.map) >= self.capacity and same_key(key) not in self.map

    # ---- spilling

    def spill(self, since: int, last: bool = False) -> Step:
        """The map, sorted by key, becomes a run."""
        entries = sorted(self.map.values(), key=BY_KEY)
        self.runs.append(entries)
        name = f"run {len(self.runs)}"
        self.board["runs"].replace([e.row for e in entries], len(self.runs), name)
        self.map = {}
        self.board["map"].clear()
        why = f"{count(since, 'row')} were taken, which is the limit"
        if last:
            why = "No row is left, but runs were spilled before: what is in the map goes the same way"
        elif self.fallback is None or since < self.fallback:
            why = f"The map is full with {count(len(entries), 'key')}"
        return self.board.step(
            "spill",
            f"{why}. Its {count(len(entries), 'group')} {'is' if len(entries) == 1 else 'are'} sorted by key and "
            f"spilled as {name}; " + ("merging comes next." if last else "an empty map goes on."),
            marks=[("runs", e.row, "new") for e in entries],
        )

    def merged(self) -> Iterator[Step]:
        """Spill what is left, then merge the runs: equal keys come one after the other (sort-based aggregation)."""
        if self.map:
            yield self.spill(0, last=True)
        heads = [list(run) for run in self.runs]
        current: Entry | None = None
        while any(heads):
            run = min((h for h in heads if h), key=lambda h: BY_KEY(h[0]))
            entry = run.pop(0)
            if current is not None and same_key(current.key) != same_key(entry.key):
                yield self.give(current, "the next key is another one")
                current = None
            self.board["runs"].take(entry.row)
            current, step = self.combined(current, entry)
            yield step
        if current is not None:
            yield self.give(current, "nothing is left")

    def combined(self, current: Entry | None, entry: Entry) -> tuple[Entry, Step]:
        """The smallest entry of all runs, taken into the current group."""
        self.board["map"].clear()
        if current is None:
            self.board["map"].replace([entry.row], "merge")
            text = f"The smallest key of all runs is {texts(entry.key)}: its buffer begins a group."
            made = entry
        else:
            buffer = self.buffers.merge(current.buffer, entry.buffer)
            made = Entry(current.key, buffer, self.board.row((*current.key, *buffer), (current.row, entry.row)))
            self.board["map"].replace([made.row], "merge")
            change = f": {texts(current.buffer)} and {texts(entry.buffer)} → {texts(buffer)}" if buffer else ""
            text = f"Another run has key {texts(entry.key)}, too: the buffers are merged{change}."
        return made, self.board.step("merge", text, marks=[("map", made.row, "match")])
