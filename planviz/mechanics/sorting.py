"""Sort: rows gathered in memory, sorted runs spilled when it is full, runs merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planviz.mechanics.ordering import order_text, order_values, sort_key
from planviz.mechanics.play import Board, Input, Item, Model, Panel, Step, texts
from planviz.physical.operators import SortExec
from planviz.types.values import Value


class Sort(Model):
    """Spark: SortExec, UnsafeExternalRowSorter. `capacity` is how many rows fit in memory (None: all of them)."""

    operator = "Sort"
    about = (
        "Each task gathers the rows of its partition and sorts them. When memory is full, what is there is sorted and "
        "written to disk as a run; in the end the runs are merged by taking the smallest of their first rows."
    )

    def __init__(self, node: SortExec, source: Input, capacity: int | None = None) -> None:
        self.node, self.source, self.capacity = node, source, capacity
        self.limited(source)
        self.key = sort_key(source, node.order)
        columns = tuple(a.name for a in source.columns)
        room = f"room for {capacity}" if capacity else "in memory"
        panels = [
            Panel("input", source.name, "input", "table", 0, columns),
            Panel("sorter", "Sorter", room, "buffer", 1, columns),
        ]
        if capacity:
            panels.append(Panel("runs", "Spilled runs", "sorted", "runs", 1, columns))
        super().__init__(Board(*panels, Panel("output", "Output", "sorted", "output", 2, columns)))

    @property
    def title(self) -> str:
        """See Model."""
        return f"Sort by {order_text(self.node.order)}"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        whole = "all partitions: a range exchange comes first" if self.node.whole else "each partition by itself"
        found = [("Order", order_text(self.node.order)), ("Covers", whole)]
        return [*found, ("Memory", f"holds {self.capacity} rows")] if self.capacity else found

    def steps(self) -> Iterator[Step]:
        """Every task with its partition."""
        parts = self.lay(self.source, "input")
        for at, part in enumerate(parts):
            self.output.append([])
            if not part:
                continue
            self.board.phase(f"Task {at}" if len(parts) > 1 else "Task")
            yield from self.task(part)
        self.board["input"].point(-1)
        yield self.board.step("end", f"{sum(map(len, self.output))} rows are sorted.")

    def task(self, items: Sequence[Item]) -> Iterator[Step]:
        """Gather, spill, merge."""
        self.held: list[Item] = []
        self.runs: list[list[Item]] = []
        for item in items:
            if self.capacity is not None and len(self.held) >= self.capacity:
                yield self.spill(f"The sorter is full with {len(self.held)} rows")
            self.held.append(item)
            self.board["input"].point(item.id)
            self.board["sorter"].put(item.id)
            yield self.board.step(
                "read",
                f"{texts(item.values)} is taken; it will be sorted by {self.value(item)}.",
                marks=[("input", item.id, "current"), ("sorter", item.id, "new")],
            )
        if self.runs:
            yield self.spill("No row is left, but runs were spilled before")
            yield from self.merged()
            return
        self.held.sort(key=self.by)
        self.board["sorter"].replace([i.id for i in self.held])
        yield self.board.step("sort", "No row is left: what was gathered is sorted.")
        for item in self.held:
            self.board["sorter"].take(item.id)
            yield self.give(item, "")

    def value(self, item: Item) -> str:
        """What a row is sorted by, in words."""
        return texts(order_values(self.source, item.values, self.node.order))

    def by(self, item: Item) -> Value:
        """The key by which items are sorted."""
        return self.key(item.values)

    def spill(self, why: str) -> Step:
        """What is held becomes a run."""
        self.held.sort(key=self.by)
        self.runs.append(self.held)
        name = f"run {len(self.runs)}"
        self.board["runs"].replace([i.id for i in self.held], len(self.runs), name)
        self.board["sorter"].clear()
        marks = [("runs", i.id, "new") for i in self.held]
        self.held = []
        return self.board.step("spill", f"{why}: they are sorted and spilled as {name}.", marks=marks)

    def merged(self) -> Iterator[Step]:
        """The smallest of the runs' first rows, until none is left; of equal ones that of the earlier run."""
        heads = [list(run) for run in self.runs]
        while any(heads):
            first = min((h for h in heads if h), key=lambda h: self.by(h[0]))
            item = first.pop(0)
            self.board["runs"].take(item.id)
            yield self.give(item, "the smallest first row of all runs")

    def give(self, item: Item, why: str) -> Step:
        """A row of the result."""
        self.output[-1].append(item.values)
        self.board["output"].put(item.id)
        reason = f", {why}" if why else ""
        return self.board.step("emit", f"{texts(item.values)}{reason}, is given.", marks=[("output", item.id, "new")])
