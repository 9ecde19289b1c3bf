"""Exchanges: rows sent to the partition that Spark would send them to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planviz.mechanics.hashing import murmur3
from planviz.mechanics.play import CannotPlay, Item, Step, texts
from planviz.optimizer.evaluation import UnknownValueError


class Shuffle:
    """The hash exchange below one side of a join or an aggregate: `parts` are its partitions by number, none empty."""

    def __init__(self, model: Any, side: Any, number: int) -> None:
        self.model, self.side, self.number = model, side, number
        self.parts: dict[int, list[Item]] = {}

    def lay(self) -> None:
        """Put the rows on the board as they come from below."""
        self.laid = self.model.lay(self.side.source, self.side.name)

    def steps(self) -> Iterator[Step]:
        """Every row to its partition, then the partitions in order."""
        board, side = self.model.board, self.side
        board.phase(f"Shuffle {side.source.name}")
        pane = board[side.name]
        for item in [i for part in self.laid for i in part]:
            key = side.key(item)
            try:
                hashed = murmur3(key, side.types)
            except UnknownValueError as error:
                raise CannotPlay(f"{side.shown_keys} cannot be hashed here: {error}.") from None
            to = hashed % self.number
            self.parts.setdefault(to, []).append(item)
            pane.take(item.id)
            pane.put(item.id, ("partition", to), f"partition {to}")
            yield board.step(
                "hash",
                f"{texts(item.values)}: hash({texts(key)}) = {hashed}, modulo {self.number} partitions = {to}.",
                marks=[(side.name, item.id, "current")],
                compared=(f"hash({texts(key)}) = {hashed}", "pmod", str(self.number), f"partition {to}"),
            )
        self.parts = dict(sorted(self.parts.items()))
        pane.clear()
        for at, items in self.parts.items():
            pane.replace([i.id for i in items], ("partition", at), f"partition {at}")
        empty = self.number - len(self.parts)
        yield board.step(
            "shuffled",
            f"{side.source.name} lies in {len(self.parts)} of {self.number} partitions"
            + (f"; {empty} are empty and not drawn." if empty else "."),
        )
