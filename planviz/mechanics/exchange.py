"""Exchanges: every row to the partition to which Spark would send it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.evaluation import UnknownValueError
from planviz.mechanics.hashing import murmur3, range_bounds, range_of
from planviz.mechanics.ordering import comparison, order_text, order_values
from planviz.mechanics.play import Board, CannotPlay, Comparison, Input, Item, Model, Panel, Row, Step, computed, texts
from planviz.physical.exchanges import ShuffleExchangeExec

if TYPE_CHECKING:
    from planviz.expressions.core import Expression


@dataclass(frozen=True)
class Sending:
    """A row's way through an exchange: the partition that takes it, why in a sentence, and what was compared."""

    to: int
    text: str
    compared: Comparison | None = None


def sendings(plan: ShuffleExchangeExec, below: Input) -> list[Sending]:
    """The way of every row of the input. Raises CannotPlay where keys cannot be computed or hashed here.

    Rows that go in turn begin with the first partition here; Spark begins with a random one per task.
    """
    match plan.kind:
        case "hashpartitioning":
            return [_hashed(plan, below, row) for row in below.rows]
        case "rangepartitioning":
            return _ranged(plan, below)
        case "RoundRobinPartitioning":
            return [Sending(n % plan.number, f"in turn: partition {n % plan.number}") for n in range(len(below.rows))]
    return [Sending(0, "all rows go to the only partition") for _ in below.rows]


def _hashed(plan: ShuffleExchangeExec, below: Input, row: Row) -> Sending:
    env = below.env(row)
    key = tuple([computed(k, env) for k in plan.keys])
    try:
        hashed = murmur3(key, [k.data_type for k in plan.keys])
    except UnknownValueError as error:
        raise CannotPlay(f"{', '.join(map(str, plan.keys))} cannot be hashed here: {error}.") from None
    to = hashed % plan.number
    call = f"hash({texts(key)})" if len(key) == 1 else f"hash{texts(key)}"
    text = f"{call} = {hashed}, modulo {plan.number} partitions = {to}"
    return Sending(to, text, (f"{call} = {hashed}", "pmod", str(plan.number), f"partition {to}"))


def _ranged(plan: ShuffleExchangeExec, below: Input) -> list[Sending]:
    values = [order_values(below, row, plan.order) for row in below.rows]
    comparing = comparison(plan.order)
    bounds = range_bounds(values, plan.number, comparing)
    found = []
    for value in values:
        to = range_of(value, bounds, comparing)
        upper = f"up to {texts(bounds[to])}" if to < len(bounds) else "the last range"
        found.append(Sending(to, f"{texts(value)} belongs to range {to}, {upper}"))
    return found


class Shuffle:
    """The exchange below one side of a join, or none where rows lie as they should: `parts` by number, none empty."""

    def __init__(self, model: Model, source: Input, panel: str) -> None:
        self.model, self.source, self.panel = model, source, panel
        self.laid = model.lay(source, panel)
        self.parts: dict[int, list[Item]] = {}

    def steps(self) -> Iterator[Step]:
        """Every row to its partition."""
        if self.source.shuffle is None:
            self.parts = {at: part for at, part in enumerate(self.laid) if part}
            return
        board, pane = self.model.board, self.model.board[self.panel]
        board.phase(f"Shuffle {self.source.name}")
        items = [i for part in self.laid for i in part]
        for item, sending in zip(items, sendings(self.source.shuffle, self.source), strict=True):
            self.parts.setdefault(sending.to, []).append(item)
            pane.take(item.id)
            pane.put(item.id, ("partition", sending.to), f"partition {sending.to}")
            yield board.step(
                "hash",
                f"{texts(item.values)}: {sending.text}.",
                marks=[(self.panel, item.id, "current")],
                compared=sending.compared,
            )
        self.parts = dict(sorted(self.parts.items()))
        pane.clear()
        for at in self.parts:
            self.show(at)
        number = self.source.shuffle.number
        empty = number - len(self.parts)
        yield board.step(
            "shuffled",
            f"{self.source.name} lies in {len(self.parts)} of {number} partitions"
            + (f"; {empty} are empty and not drawn." if empty else "."),
        )

    def show(self, at: int) -> None:
        """Draw a partition as it is now."""
        key = ("input" if self.source.shuffle is None else "partition", at)
        self.model.board[self.panel].replace([i.id for i in self.parts[at]], key, f"partition {at}")


class Exchange(Model):
    """Spark: ShuffleExchangeExec."""

    operator = "Exchange"
    about = (
        "Every task writes its rows into one part per target partition; the tasks of the next stage fetch their parts "
        "from all of them. The whole input is written and read again, which is what a shuffle costs."
    )

    def __init__(self, node: ShuffleExchangeExec, source: Input) -> None:
        self.node, self.source = node, source
        self.limited(source)
        columns = tuple(a.name for a in source.columns)
        super().__init__(
            Board(
                Panel("input", source.name, "by task", "table", 0, columns),
                Panel("output", "Partitions", f"{node.number} in all", "output", 1, columns),
            )
        )

    @property
    def title(self) -> str:
        """See Model."""
        words = {
            "hashpartitioning": "by hash",
            "rangepartitioning": "by range",
            "RoundRobinPartitioning": "in turn",
            "SinglePartition": "to one partition",
        }
        return f"Exchange {words[self.node.kind]}"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        keys: Sequence[Expression] = self.node.keys
        shown = (
            order_text(self.node.order) if self.node.kind == "rangepartitioning" else ", ".join(_name(k) for k in keys)
        )
        found = [("Partitioning", self.node.kind), ("Partitions", str(self.node.number)), ("Why", self.node.origin)]
        return [*found[:1], ("Keys", shown), *found[1:]] if keys else found

    def steps(self) -> Iterator[Step]:
        """Row by row, task by task."""
        parts = self.lay(self.source, "input")
        self.output = [[] for _ in range(self.node.number)]
        ways = iter(sendings(self.node, self.source))
        for at, part in enumerate(parts):
            if part:
                self.board.phase(f"Task {at}" if len(parts) > 1 else "Task")
            for item in part:
                sending = next(ways)
                self.output[sending.to].append(item.values)
                self.board["input"].point(item.id)
                self.board["output"].put(item.id, sending.to, f"partition {sending.to}")
                self.board["output"].sort()
                yield self.board.step(
                    "hash",
                    f"{texts(item.values)}: {sending.text}.",
                    marks=[("input", item.id, "current"), ("output", item.id, "new")],
                    links=[("input", item.id, "output", item.id)],
                    compared=sending.compared,
                )
        self.board["input"].point(-1)
        filled = len([part for part in self.output if part])
        yield self.board.step("end", f"{filled} of {self.node.number} partitions have rows.")


def _name(key: Expression) -> str:
    return str(getattr(key, "name", key))
