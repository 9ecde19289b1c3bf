"""SortAggregate: one buffer, rows in the order of their keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cmp_to_key

from planviz.evaluation import compare
from planviz.mechanics.aggregates.base import AggregateModel, count
from planviz.mechanics.aggregates.map_based import Entry
from planviz.mechanics.play import Item, Panel, Row, Step, texts
from planviz.mechanics.rows import same_key


class SortAggregate(AggregateModel):
    """Spark: SortAggregateExec, SortBasedAggregationIterator."""

    about = (
        "Rows come sorted by key, so a group's rows lie together and one buffer is enough. When the key changes, the "
        "group is done: its row is given, and the buffer starts anew. A sort comes first, unless the input is sorted."
    )

    def panels(self) -> list[Panel]:
        """Input, the one buffer, output."""
        columns = (*[k.name for k in self.keys], *self.buffer_names)
        buffer = Panel("buffer", "Buffer", "of the current group", "buffer", 1, columns, len(self.keys))
        return [self.table(), buffer, self.out(2)]

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        keys = ", ".join(k.name for k in self.keys)
        return [*super().facts, ("Ordering", f"{keys}, ascending, nulls first" if keys else "none")]

    def task(self, items: Sequence[Item]) -> Iterator[Step]:
        """Row by row; where the key changes, a group ends."""
        rows = list(items)
        if self.source.sort and self.keys:
            rows.sort(key=cmp_to_key(lambda a, b: compare(self.key(a), self.key(b))))
            yield self.sorted(items, rows)
        group: Entry | None = None if self.keys else Entry((), self.buffers.begin)
        for item in rows:
            self.board["input"].point(item.id)
            key = self.key(item)
            if group is not None and same_key(group.key) != same_key(key):
                yield self.done(group, item, key)
                group = None
            new = group is None
            group = group or Entry(key, self.buffers.begin)
            yield self.taken(group, item, new)
        if group is not None:
            yield self.done(group, None, ())

    def sorted(self, items: Sequence[Item], rows: Sequence[Item]) -> Step:
        """The task's rows in order."""
        pane = self.board["input"]
        at = next(key for key, group in pane.groups.items() if items[0].id in group.rows)
        pane.replace([i.id for i in rows], at)
        return self.board.step(
            "sort",
            f"The {count(len(rows), 'row')} of the task are sorted by {', '.join(k.name for k in self.keys)}.",
            marks=[("input", i.id, "current") for i in rows],
        )

    def taken(self, group: Entry, item: Item, new: bool) -> Step:
        """A row into the one buffer."""
        before = group.buffer
        group.buffer = self.buffers.add(before, item.env)
        group.row = self.board.row((*group.key, *group.buffer), (item.id,))
        self.board["buffer"].replace([group.row])
        change = f": {texts(before)} → {texts(group.buffer)}" if group.buffer else ""
        begins = f"key {texts(group.key)} begins a group" if group.key else "the only group begins"
        text = f"{begins}; the buffer starts and" if new else "the key is the same; the buffer"
        return self.board.step(
            "insert" if new else "update",
            f"{texts(item.values)}: {text} takes the row{change}.",
            marks=[("input", item.id, "current"), ("buffer", group.row, "new" if new else "match")],
            links=[("input", item.id, "buffer", group.row)],
        )

    def done(self, group: Entry, item: Item | None, key: Row) -> Step:
        """The group is complete."""
        row = self.emit(group.key, group.buffer, (group.row,))
        self.board["buffer"].clear()
        why = "Nothing is left" if item is None else f"Key {texts(key)} is another one"
        marks = [("output", row, "new")] + ([] if item is None else [("input", item.id, "current")])
        return self.board.step("emit", f"{why}: the group is done and gives {texts(self.output[-1][-1])}.", marks=marks)
