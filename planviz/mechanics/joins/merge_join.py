"""SortMergeJoin: two sorted inputs, one cursor each, neither of them ever going back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cmp_to_key

from planviz.evaluation import compare
from planviz.mechanics.exchange import Shuffle
from planviz.mechanics.joins.base import JoinModel, has_null
from planviz.mechanics.play import Item, Panel, Row, Step, texts


class SortMergeJoin(JoinModel):
    """Spark: SortMergeJoinExec."""

    about = (
        "Both sides are shuffled by their keys and sorted by them in each partition. Then two cursors walk down: the "
        "one with the smaller key moves on. Rows of the other side with an equal key are buffered, since the next row "
        "may have the same key. No side has to fit in memory."
    )

    def streams_left(self) -> bool:
        """All but a right outer join stream their left side."""
        return bool(self.kind != "RightOuter")

    def panels(self) -> list[Panel]:
        """Inputs, buffered matches, output."""
        return [
            self.table(self.streamed, 0, "stream side"),
            self.table(self.built, 1, "buffered side"),
            Panel(
                "matches", "Buffered matches", f"of {self.built.source.name}", "buffer", 2,
                tuple(a.name for a in self.built.source.columns),
            ),
            self.out(2),
        ]  # fmt: skip

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        sides = [(n.replace("Build", "Buffered"), v) for n, v in super().facts]
        return [
            *sides,
            ("Distribution", "both sides clustered by the keys"),
            ("Ordering", "each partition of a side by its keys, nulls first"),
        ]

    @property
    def first_only(self) -> bool:
        """Whether one match is enough to be buffered."""
        return self.kind in ("LeftSemi", "LeftAnti", "ExistenceJoin") and self.condition is None

    def steps(self) -> Iterator[Step]:
        """Shuffle, sort, merge partition by partition."""
        shuffles = {side.name: Shuffle(self, side.source, side.name) for side in (self.streamed, self.built)}
        for shuffle in shuffles.values():
            yield from shuffle.steps()
        for side in (self.streamed, self.built):
            if side.source.sort:
                yield from self.sorted(shuffles[side.name])
        streams, builds = (shuffles[side.name].parts for side in (self.streamed, self.built))
        for at in sorted({*streams, *builds}):
            self.output.append([])
            self.board.phase(f"Merge partition {at}")
            self.board["matches"].clear()
            merge = self.full if self.kind == "FullOuter" else self.merged
            yield from merge(streams.get(at, []), builds.get(at, []))
        for side in (self.left, self.right):
            self.board[side.name].point(-1)
        yield self.board.step("end", f"Both cursors are at their ends; rows given: {sum(map(len, self.output))}.")

    def sorted(self, shuffle: Shuffle) -> Iterator[Step]:
        """Every partition of a side by its keys."""
        side = self.left if shuffle.panel == "left" else self.right
        self.board.phase(f"Sort {side.source.name}")
        for at, items in shuffle.parts.items():
            items.sort(key=cmp_to_key(lambda a, b: compare(side.key(a), side.key(b))))
            shuffle.show(at)
            yield self.board.step(
                "sort",
                f"Partition {at} of {side.source.name} is sorted by {side.shown_keys}, nulls first.",
                marks=[(side.name, i.id, "current") for i in items],
            )

    # ---- all but full outer joins

    def merged(self, streams: Sequence[Item], builds: Sequence[Item]) -> Iterator[Step]:
        """The streamed rows in order, the other cursor following."""
        self.next = 0
        buffered: list[Item] = []
        at: Row | None = None
        for item in streams:
            self.board[self.streamed.name].point(item.id)
            key = self.streamed.key(item)
            if has_null(key):
                yield self.board.step(
                    "skip",
                    f"{texts(item.values)}: its key is null, which equals nothing, so no partner is looked for.",
                    marks=[(self.streamed.name, item.id, "current")],
                )
                yield from self.joined(item, [], "matches")
                continue
            if at is not None and compare(at, key) == 0:
                yield self.again(item, key, buffered)
            else:
                at = key
                buffered = []
                yield from self.sought(item, key, builds, buffered)
            yield from self.joined(item, buffered, "matches")

    def again(self, item: Item, key: Row, buffered: Sequence[Item]) -> Step:
        """A streamed row with the key of the one before."""
        has = "the buffered matches serve again" if buffered else "there is no partner for it, as was seen"
        return self.board.step(
            "buffer",
            f"{texts(item.values)}: key {texts(key)} as before; {has}. The other cursor does not go back.",
            marks=[(self.streamed.name, item.id, "current"), *[("matches", b.id, "match") for b in buffered]],
        )

    def sought(self, item: Item, key: Row, builds: Sequence[Item], buffered: list[Item]) -> Iterator[Step]:
        """The other cursor moves to the key, and what has it is buffered."""
        self.board["matches"].clear()
        while self.next < len(builds):
            other = builds[self.next]
            self.board[self.built.name].point(other.id)
            found = self.built.key(other)
            if not has_null(found) and compare(found, key) >= 0:
                break
            yield self.moves_on(item, key, other, found)
            self.next += 1
        if self.next == len(builds):
            yield self.board.step(
                "compare",
                f"{texts(item.values)}: {self.built.source.name} is at its end, so nothing has key {texts(key)}.",
                marks=[(self.streamed.name, item.id, "current")],
            )
            return
        other = builds[self.next]
        yield self.compared(item, key, other, self.built.key(other))
        while self.next < len(builds) and compare(self.built.key(builds[self.next]), key) == 0:
            match = builds[self.next]
            self.next += 1
            self.board[self.built.name].point(match.id)
            if not (buffered and self.first_only):
                buffered.append(match)
                self.board["matches"].put(match.id)
                yield self.board.step(
                    "buffer",
                    f"{texts(match.values)} has key {texts(key)}, too: it is buffered.",
                    marks=[(self.built.name, match.id, "match"), ("matches", match.id, "new")],
                )

    def moves_on(self, item: Item, key: Row, other: Item, found: Row) -> Step:
        """The other cursor is behind."""
        null = has_null(found)
        why = "its key is null" if null else f"its key {texts(found)} is smaller than {texts(key)}"
        return self.board.step(
            "advance",
            f"{texts(other.values)}: {why}. The cursor of {self.built.source.name} moves on.",
            marks=[(self.streamed.name, item.id, "current"), (self.built.name, other.id, "miss")],
            links=[(self.streamed.name, item.id, self.built.name, other.id)],
            compared=(texts(key), "compared with", texts(found), "null" if null else "greater"),
        )

    def compared(self, item: Item, key: Row, other: Item, found: Row) -> Step:
        """The cursors stand at an equal or a greater key."""
        equal = compare(found, key) == 0
        tail = "the keys are equal." if equal else f"{texts(found)} is greater, so nothing has key {texts(key)}."
        return self.board.step(
            "compare",
            f"{texts(item.values)} and {texts(other.values)}: {tail}",
            marks=[
                (self.streamed.name, item.id, "current"),
                (self.built.name, other.id, "match" if equal else "miss"),
            ],
            links=[(self.streamed.name, item.id, self.built.name, other.id)],
            compared=(texts(key), "compared with", texts(found), "equal" if equal else "less"),
        )

    # ---- full outer joins

    def full(self, lefts: Sequence[Item], rights: Sequence[Item]) -> Iterator[Step]:
        """Both sides are kept: the smaller key is given alone, equal keys meet group by group."""
        left, right = list(lefts), list(rights)
        while left or right:
            for side, items in ((self.left, left), (self.right, right)):
                if items:
                    self.board[side.name].point(items[0].id)
            order = self.first(left, right)
            if order < 0:
                yield from self.alone(left.pop(0), False)
            elif order > 0:
                yield from self.left_over([right.pop(0)], "right")
            else:
                yield from self.groups(left, right)

    def first(self, left: Sequence[Item], right: Sequence[Item]) -> int:
        """Which cursor's row comes first: negative for left, positive for right, 0 where keys are equal."""
        if not left or not right:
            return -1 if left else 1
        a, b = self.left.key(left[0]), self.right.key(right[0])
        if has_null(a) or has_null(b):
            return -1 if has_null(a) else 1
        return compare(a, b)

    def groups(self, left: list[Item], right: list[Item]) -> Iterator[Step]:
        """All rows of both sides with one key."""
        key = self.left.key(left[0])
        yield self.compared(left[0], key, right[0], self.right.key(right[0]))
        lefts = [i for i in left if compare(self.left.key(i), key) == 0]
        rights = [i for i in right if compare(self.right.key(i), key) == 0]
        del left[: len(lefts)], right[: len(rights)]
        self.board["matches"].replace([i.id for i in rights])
        yield self.board.step(
            "buffer",
            f"The rows of both sides with key {texts(key)} are buffered: {len(lefts)} left, {len(rights)} right.",
            marks=[*[("left", i.id, "match") for i in lefts], *[("matches", i.id, "new") for i in rights]],
        )
        for item in lefts:
            self.board["left"].point(item.id)
            yield from self.joined(item, rights, "matches")
        yield from self.left_over(rights, "matches")
        self.board["matches"].clear()
