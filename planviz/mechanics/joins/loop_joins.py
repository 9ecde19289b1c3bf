"""BroadcastNestedLoopJoin and CartesianProduct: every row with every row."""

from __future__ import annotations

from collections.abc import Iterator

from planviz.mechanics.joins.base import JoinModel
from planviz.mechanics.play import Item, Panel, Step


class BroadcastNestedLoopJoin(JoinModel):
    """Spark: BroadcastNestedLoopJoinExec."""

    about = (
        "The build side is copied to every executor as it is, without a hash relation, since there are no equal keys "
        "to look up. Each row of the stream side is compared with all of them: the work is one side times the other."
    )

    def panels(self) -> list[Panel]:
        """Inputs, output."""
        return [
            self.table(self.streamed, 0, "stream side"),
            self.table(self.built, 1, "broadcast side"),
            self.out(2),
        ]

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        pairs = len(self.left.source.rows) * len(self.right.source.rows)
        sides = f"{self.streamed.source.name}: any; {self.built.source.name}: a copy everywhere"
        return [*super().facts, ("Distribution", sides), ("Pairs", f"{pairs:,}")]

    def steps(self) -> Iterator[Step]:
        """Broadcast, loop, what is left over."""
        streams = self.lay(self.streamed.source, self.streamed.name)
        built = [i for part in self.lay(self.built.source, self.built.name) for i in part]
        self.board.phase("Broadcast")
        yield self.board.step(
            "broadcast",
            f"All {len(built)} rows of {self.built.source.name} are sent to every executor.",
            marks=[(self.built.name, i.id, "current") for i in built],
        )
        for at, part in enumerate(streams):
            if part:
                self.board.phase(f"Loop, task {at}" if len(streams) > 1 else "Loop")
            self.output.append([])
            for item in part:
                self.board[self.streamed.name].point(item.id)
                yield from self.joined(item, built, self.built.name)
        self.board[self.streamed.name].point(-1)
        yield from self.unmatched(built)
        yield self.board.step("end", f"All pairs were looked at; rows given: {sum(map(len, self.output))}.")

    def unmatched(self, built: list[Item]) -> Iterator[Step]:
        """The rows of the broadcast side, once it is known from all tasks together which found a partner."""
        if not self.keeps_built:
            return
        self.board.phase("Broadcast side")
        self.output.append([])
        met = len([i for i in built if i.id in self.hit])
        yield self.board.step(
            "compare",
            f"The tasks tell together which rows of {self.built.source.name} found a partner: {met} of {len(built)}.",
            marks=[(self.built.name, i.id, "match" if i.id in self.hit else "miss") for i in built],
        )
        yield from self.left_over(built, self.built.name)


class CartesianProduct(JoinModel):
    """Spark: CartesianProductExec."""

    about = (
        "Every partition of one side is paired with every partition of the other, a task for each pair, and there "
        "every row with every row. Nothing is shuffled or broadcast, but each partition is read once per partition of "
        "the other side."
    )

    def streams_left(self) -> bool:
        """The left rows are walked, the right ones again and again."""
        return True

    def panels(self) -> list[Panel]:
        """Inputs, output."""
        return [self.table(self.left, 0, "left side"), self.table(self.right, 1, "right side"), self.out(2)]

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        parts = len(self.left.source.partitions) * len(self.right.source.partitions)
        pairs = len(self.left.source.rows) * len(self.right.source.rows)
        found = [f for f in super().facts if not f[0].endswith("side")]
        return [*found, ("Distribution", "any, both sides"), ("Tasks", f"{parts:,}"), ("Pairs", f"{pairs:,}")]

    def steps(self) -> Iterator[Step]:
        """A task per pair of partitions."""
        lefts = self.lay(self.left.source, "left")
        rights = self.lay(self.right.source, "right")
        self.board.phase("Tasks")
        yield self.board.step(
            "start", f"{len(lefts)} partitions times {len(rights)}: {len(lefts) * len(rights)} tasks, and no exchange."
        )
        for at, left in enumerate(lefts):
            for other, right in enumerate(rights):
                if left and right:
                    self.board.phase(f"Task {at} × {other}")
                self.output.append([])
                for item in left:
                    self.board["left"].point(item.id)
                    yield from self.joined(item, right, "right")
        self.board["left"].point(-1)
        yield self.board.step("end", f"All pairs were looked at; rows given: {sum(map(len, self.output))}.")
