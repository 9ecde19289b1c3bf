"""What all aggregate operators share: keys, buffers, the rows of one task after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planviz.mechanics.aggregates.buffers import Buffers
from planviz.mechanics.buffers import Buffer
from planviz.mechanics.play import Board, Input, Item, Model, Panel, Row, Step, computed, plain
from planviz.physical.aggregates import BaseAggregateExec

_MODES = {
    "Partial": "partial: rows become buffers",
    "PartialMerge": "partial merge: buffers become fewer buffers",
    "Final": "final: buffers become results",
    "Complete": "complete: rows become results",
}
#: How a stage's mode is called before the operator's name.
_STAGES = {"Partial": "Partial", "PartialMerge": "Merging", "Final": "Final", "Complete": "Complete"}


class AggregateModel(Model):
    """Base of the aggregates, for any physical one and the rows of its input."""

    def __init__(self, node: BaseAggregateExec, source: Input) -> None:
        self.node, self.source = node, source
        self.keys = tuple(node.keys)
        self.buffers = Buffers(node.functions, node.buffers)
        self.limited(source)
        super().__init__(Board(*self.panels()))

    def panels(self) -> list[Panel]:
        """The panels of the board; the last one is the output."""
        raise NotImplementedError

    @property
    def buffer_names(self) -> tuple[str, ...]:
        """The buffers' columns, their function named where a name stands for several."""
        names = [a.name for a in self.node.buffers]
        spans = zip(self.buffers.functions, self.buffers.spans, strict=True)
        whose = [e.function for e, (start, stop) in spans for _ in range(start, stop)]
        return tuple(
            name if names.count(name) == 1 else f"{name} of {plain(f)}" for name, f in zip(names, whose, strict=True)
        )

    @property
    def operator(self) -> str:  # type: ignore[override]
        """See Model."""
        return str(self.node.node_name)

    @property
    def modes(self) -> list[str]:
        """The modes of the functions; without functions, what the distribution tells."""
        if self.node.functions:
            return list(dict.fromkeys(f.mode for f in self.node.functions))
        return ["Partial" if self.node.distribution is None else "Final"]

    @property
    def title(self) -> str:
        """See Model."""
        words = "".join(f" {c}" if c.isupper() else c for c in self.operator).strip()
        return f"{_STAGES[self.modes[-1]]} {words}"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        functions = [(plain(f.function), _MODES[f.mode]) for f in self.node.functions]
        keys = ", ".join(k.name for k in self.keys) or "none: one group of all rows"
        wanted = self.node.distribution
        spread = "any" if wanted is None else "by the keys" if wanted else "all rows in one partition"
        buffers = ", ".join(f"{a.name} {a.data_type.simple_string}" for a in self.node.buffers) or "none"
        return [("Keys", keys), *functions, ("Buffer", buffers), ("Distribution", spread)]

    # ---- rows

    def key(self, item: Item) -> Row:
        """The values of the keys."""
        return tuple([computed(k, item.env) for k in self.keys])

    def table(self) -> Panel:
        """The panel of the input."""
        return Panel("input", self.source.name, "input", "table", 0, tuple(a.name for a in self.source.columns))

    def out(self, column: int) -> Panel:
        """The panel of the result."""
        return Panel("output", "Output", "", "output", column, tuple(a.name for a in self.node.output))

    def result(self, key: Row, buffer: Buffer) -> Row:
        """The row that a group gives."""
        env = self.buffers.env(buffer)
        env.update({k.expr_id: v for k, v in zip(self.keys, key, strict=True)})
        return tuple([computed(e, env) for e in self.node.results])

    def emit(self, key: Row, buffer: Buffer, of: Sequence[int]) -> int:
        """Give a group's row; its number on the board."""
        values = self.result(key, buffer)
        row = self.board.row(values, of)
        self.output[-1].append(values)
        self.board["output"].put(row)
        return row

    # ---- steps

    def steps(self) -> Iterator[Step]:
        """Every task with its partition."""
        parts = self.lay(self.source, "input")
        yield self.board_start(parts)
        for at, part in enumerate(parts):
            self.output.append([])
            if self.keys and not part:
                continue
            self.board.phase(f"Task {at}" if len(parts) > 1 else "Task")
            yield from self.task(part)
            if part:
                self.board["input"].point(part[-1].id)
        self.board["input"].point(-1)
        groups = sum(map(len, self.output))
        yield self.board.step("end", f"All rows are through: {count(groups, 'row')} given.")

    def board_start(self, parts: Sequence[Sequence[Item]]) -> Step:
        """The first step: what lies there."""
        self.board.phase("Input")
        filled = len([p for p in parts if p])
        where = f" in {count(filled, 'partition')}, one task each" if len(parts) > 1 else ""
        return self.board.step("start", f"{count(sum(map(len, parts)), 'row')} of input{where}.")

    def task(self, items: Sequence[Item]) -> Iterator[Step]:
        """The work of one task."""
        raise NotImplementedError


def count(number: int, noun: str) -> str:
    """1 row, 2 rows."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
