"""BroadcastHashJoin and ShuffledHashJoin: one side in a hash relation, the other looked up in it row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planviz.mechanics.exchange import Shuffle
from planviz.mechanics.joins.base import JoinModel, has_null
from planviz.mechanics.play import Item, Mark, Panel, Row, Step, texts
from planviz.mechanics.rows import same_key
from planviz.physical.joins import BroadcastHashJoinExec

#: Most rows of a broadcast hash relation of other than a single long key, and of such and plain rows.
BROADCAST_ROWS = "341 million rows (512 million with a single long key) and 8 GB"


class HashJoin(JoinModel):
    """Base of the joins by hash relation: building it, looking rows up."""

    def panels(self) -> list[Panel]:
        """Inputs, relation, output."""
        return [
            self.table(self.streamed, 0, "stream side"),
            self.table(self.built, 0, "build side"),
            Panel(
                "relation", "Hash relation", f"of {self.built.source.name} by {self.built.shown_keys}", "map", 1,
                tuple(a.name for a in self.built.source.columns), labelled=True,
            ),
            self.out(2),
        ]  # fmt: skip

    @property
    def keeps_nulls(self) -> bool:
        """Whether rows with a null key must be in the relation, though nothing finds them."""
        return self.keeps_built

    @property
    def first_only(self) -> bool:
        """Whether the relation keeps one row per key: more do not matter (ShuffledHashJoin: ignoreDuplicatedKey)."""
        return False

    def build(self, items: Sequence[Item]) -> Iterator[Step]:
        """The relation of these rows; one with the same key goes in front of those that were there."""
        self.relation: dict[Row, list[Item]] = {}
        for item in items:
            key = self.built.key(item)
            mark: Mark = (self.built.name, item.id, "current")
            self.board[self.built.name].point(item.id)
            if has_null(key) and not self.keeps_nulls:
                yield self.board.step(
                    "skip",
                    f"{texts(item.values)}: its key is null, and null equals nothing. It stays out of the relation.",
                    marks=[(self.built.name, item.id, "dropped")],
                )
                continue
            same = self.relation.setdefault(same_key(key), [])
            if same and self.first_only:
                yield self.board.step(
                    "skip",
                    f"{texts(item.values)}: key {texts(key)} is in the relation, and one row of a key is enough here.",
                    marks=[(self.built.name, item.id, "dropped"), ("relation", same[0].id, "match")],
                )
                continue
            same.insert(0, item)
            self.board["relation"].put(item.id, same_key(key), texts(key), first=True)
            more = f"; {len(same)} rows have it now" if len(same) > 1 else ""
            yield self.board.step(
                "insert",
                f"{texts(item.values)} goes into the relation under key {texts(key)}{more}.",
                marks=[mark, ("relation", item.id, "new")],
            )
        self.board[self.built.name].point(-1)

    def probe(self, items: Sequence[Item]) -> Iterator[Step]:
        """The streamed rows, each with the rows that its key finds."""
        for item in items:
            key = self.streamed.key(item)
            self.board[self.streamed.name].point(item.id)
            found = [] if has_null(key) else self.relation.get(same_key(key), [])
            yield self.looked_up(item, key, found)
            yield from self.joined(item, found, "relation")
        self.board[self.streamed.name].point(-1)

    def looked_up(self, item: Item, key: Row, found: Sequence[Item]) -> Step:
        """A look into the relation."""
        marks: list[Mark] = [(self.streamed.name, item.id, "current")]
        if has_null(key):
            text, verdict = f"{texts(item.values)}: its key is null, so it is not even looked up.", "null"
        elif found:
            rows = "1 row" if len(found) == 1 else f"{len(found)} rows"
            text, verdict = f"{texts(item.values)}: the relation has {rows} under key {texts(key)}.", f"finds {rows}"
        else:
            end = "" if self.keeps_streamed or self.kind in ("LeftAnti", "ExistenceJoin") else " It is dropped."
            text, verdict = f"{texts(item.values)}: nothing in the relation has key {texts(key)}.{end}", "finds nothing"
        return self.board.step(
            "lookup",
            text,
            marks=[*marks, *[("relation", b.id, "match") for b in found]],
            links=[(self.streamed.name, item.id, "relation", b.id) for b in found],
            compared=(f"{self.streamed.shown_keys} = {texts(key)}", "in", "relation", verdict),
        )


class BroadcastHashJoin(HashJoin):
    """Spark: BroadcastHashJoinExec over a BroadcastExchangeExec."""

    about = (
        "The build side is gathered on the driver, made a hash relation and copied to every executor. The stream side "
        "stays where it is; each of its rows is looked up. No shuffle, no sort."
    )

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        sides = f"{self.streamed.source.name}: any; {self.built.source.name}: a copy everywhere"
        return [*super().facts, ("Distribution", sides), ("Limits of a broadcast", BROADCAST_ROWS)]

    def steps(self) -> Iterator[Step]:
        """Collect, build, send, probe."""
        self.streams = self.lay(self.streamed.source, self.streamed.name)
        parts = self.lay(self.built.source, self.built.name)
        self.output = [[] for _ in self.streams]
        self.board.phase("Broadcast")
        yield self.board.step(
            "start",
            f"{self.built.source.name} is to be broadcast: the driver fetches its {_rows(sum(map(len, parts)))}"
            f" from {_count(len(parts), 'partition')} and checks that they are not too many.",
            marks=[(self.built.name, i.id, "current") for part in parts for i in part],
        )
        self.board.phase("Build")
        items = [i for part in parts for i in part]
        yield from self.build(items)
        if isinstance(self.node, BroadcastHashJoinExec) and self.node.null_aware:
            yield from self.null_aware(items)
            return
        keys = len(self.relation)
        yield self.board.step(
            "broadcast", f"The relation of {_count(keys, 'key')} is sent to every executor; each has a whole copy."
        )
        yield from self.tasks()

    def tasks(self) -> Iterator[Step]:
        """Every task probes with its partition of the stream side."""
        whole, self.output = self.output, []
        for at, part in enumerate(self.streams):
            if part or at == 0:
                self.board.phase(f"Probe, task {at}" if len(whole) > 1 else "Probe")
            self.output.append([])
            yield from self.probe(part)
        yield self.board.step("end", f"All rows are through: {_rows(len([r for p in self.output for r in p]))} given.")

    def null_aware(self, items: Sequence[Item]) -> Iterator[Step]:
        """NOT IN: what is left when a null makes every comparison unknown."""
        if not items:
            self.board.phase("Probe")
            yield self.board.step("broadcast", "The list is empty: NOT IN is true for every row, even one with a null.")
            yield from self.whole_side()
        elif any(has_null(self.built.key(i)) for i in items):
            self.board.phase("Probe")
            yield self.board.step(
                "end",
                "The list holds a null: NOT IN is never true then, whatever a row has. Nothing is given, and no row of "
                f"{self.streamed.source.name} is even read.",
                marks=[(self.streamed.name, i.id, "dropped") for part in self.streams for i in part],
            )
        else:
            yield self.board.step("broadcast", "No null in the list: the relation is sent to every executor.")
            yield from self.tasks()

    def whole_side(self) -> Iterator[Step]:
        """Every streamed row as it is."""
        for item in [i for part in self.streams for i in part]:
            self.board[self.streamed.name].point(item.id)
            yield self.kept(item.values, item, (self.streamed.name, item.id, "match"), "is given.")

    def left_alone(self, item: Item, found: bool, mark: Mark) -> Step:
        """See JoinModel; a null is not known to be missing from a list that is not empty."""
        if isinstance(self.node, BroadcastHashJoinExec) and self.node.null_aware and has_null(self.streamed.key(item)):
            return self.board.step(
                "drop",
                f"{texts(item.values)}: whether null is in the list is not known, so NOT IN is not true. Dropped.",
                marks=[(*mark[:2], "dropped")],
            )
        return super().left_alone(item, found, mark)


class ShuffledHashJoin(HashJoin):
    """Spark: ShuffledHashJoinExec."""

    about = (
        "Both sides are shuffled by their keys, so that equal keys meet in one partition. There the build side becomes "
        "a hash relation in memory, and the rows of the stream side are looked up in it. Nothing is sorted."
    )

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        return [*super().facts, ("Distribution", "both sides clustered by the keys"), ("Ordering", "none asked for")]

    @property
    def first_only(self) -> bool:
        """See HashJoin."""
        if self.kind not in ("LeftSemi", "LeftAnti", "ExistenceJoin"):
            return False
        keys = frozenset([k.expr_id for k in self.built.keys if hasattr(k, "expr_id")])
        seen = frozenset([a.expr_id for a in self.streamed.source.columns]) | keys
        return self.condition is None or self.condition.references <= seen

    def steps(self) -> Iterator[Step]:
        """Shuffle both sides, then build and probe partition by partition."""
        shuffles = [Shuffle(self, side.source, side.name) for side in (self.streamed, self.built)]
        for shuffle in shuffles:
            yield from shuffle.steps()
        streams, builds = (shuffle.parts for shuffle in shuffles)
        for at in sorted({*streams, *builds}):
            self.output.append([])
            self.board.phase(f"Partition {at}")
            self.board["relation"].clear()
            built = builds.get(at, [])
            yield from self.build(built)
            yield from self.probe(streams.get(at, []))
            yield from self.left_over(built, "relation")
        yield self.board.step("end", f"All partitions are through: {_rows(len([r for p in self.output for r in p]))}.")


def _rows(number: int) -> str:
    return _count(number, "row")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
