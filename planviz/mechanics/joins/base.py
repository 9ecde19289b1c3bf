"""What all joins share: keys and conditions of rows, what a row gives with its candidates, rows left over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planviz.mechanics.play import Board, Input, Item, Mark, Model, Panel, Row, Step, computed, plain, texts
from planviz.physical.joins import INNER_LIKE, BuildSide, JoinExec

if TYPE_CHECKING:
    from planviz.expressions.core import Expression

#: Join types that give a row of the right side's columns, too.
_WIDE = (*INNER_LIKE, "LeftOuter", "RightOuter", "FullOuter")
_WORDS = {
    "LeftOuter": "Left Outer",
    "RightOuter": "Right Outer",
    "FullOuter": "Full Outer",
    "LeftSemi": "Left Semi",
    "LeftAnti": "Left Anti",
    "ExistenceJoin": "Existence",
}


class Side:
    """One side of a join: its input, its keys, and which role it plays: streamed or built."""

    def __init__(self, name: str, source: Input, keys: Sequence[Expression]) -> None:
        self.name, self.source, self.keys = name, source, tuple(keys)
        self.types = [k.data_type for k in self.keys]

    def key(self, item: Item) -> Row:
        """The values of the keys."""
        return tuple([computed(k, item.env) for k in self.keys])

    @property
    def nulls(self) -> Row:
        """A row of nulls of this side."""
        return (None,) * len(self.source.columns)

    def qualified(self, key: Expression) -> str:
        """A key in words, with the side's name where it is a column."""
        return f"{self.source.name}.{key.name}" if hasattr(key, "name") else plain(key)

    @property
    def shown_keys(self) -> str:
        """The keys in words."""
        return ", ".join(k.name if hasattr(k, "name") else plain(k) for k in self.keys)


class JoinModel(Model):
    """Base of the joins, for any physical join and the rows of its two inputs.

    `streamed` is walked row by row, `built` is what its rows are looked up in. `hit` holds the built rows that found a
    partner, which matters where that side is kept.
    """

    def __init__(self, node: JoinExec, left: Input, right: Input) -> None:
        self.node, self.kind, self.condition = node, node.kind, node.condition
        self.left = Side("left", left, getattr(node, "left_keys", ()))
        self.right = Side("right", right, getattr(node, "right_keys", ()))
        self.limited(left, right)
        stream_left = self.streams_left()
        self.streamed, self.built = (self.left, self.right) if stream_left else (self.right, self.left)
        self.hit: set[int] = set()
        super().__init__(Board(*self.panels()))

    def streams_left(self) -> bool:
        """Whether the left side is the streamed one."""
        return isinstance(self.node, BuildSide) and self.node.build == "BuildRight"

    def panels(self) -> list[Panel]:
        """The panels of the board; the last one is the output."""
        raise NotImplementedError

    def table(self, side: Side, column: int, role: str) -> Panel:
        """The panel of an input."""
        names = tuple(a.name for a in side.source.columns)
        return Panel(side.name, side.source.name, role, "table", column, names)

    def out(self, column: int) -> Panel:
        """The panel of the result."""
        return Panel("output", "Output", self.kind_words, "output", column, tuple(a.name for a in self.node.output))

    @property
    def operator(self) -> str:  # type: ignore[override]
        """See Model."""
        return str(self.node.node_name)

    @property
    def kind_words(self) -> str:
        """The join type in words."""
        anti = "null-aware " if getattr(self.node, "null_aware", False) else ""
        return f"{anti}{_WORDS.get(self.kind, self.kind)}"

    @property
    def title(self) -> str:
        """See Model."""
        words = "".join(f" {c}" if c.isupper() else c for c in self.operator).strip()
        return f"{words}, {self.kind_words}"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        found = [("Join type", self.kind_words)]
        if self.left.keys:
            found.append(("Keys", self.shown_equalities))
        if self.condition is not None:
            found.append(("Condition", plain(self.condition)))
        return [*found, ("Stream side", self.streamed.source.name), ("Build side", self.built.source.name)]

    @property
    def shown_equalities(self) -> str:
        """The keys of both sides as equalities."""
        pairs = zip(self.left.keys, self.right.keys, strict=True)
        return ", ".join(f"{self.left.qualified(a)} = {self.right.qualified(b)}" for a, b in pairs)

    # ---- what is kept

    @property
    def keeps_streamed(self) -> bool:
        """Whether streamed rows without a partner are given, filled with nulls."""
        own = "LeftOuter" if self.streamed is self.left else "RightOuter"
        return self.kind in (own, "FullOuter")

    @property
    def keeps_built(self) -> bool:
        """Whether built rows are given, or told of, once all streamed rows are through."""
        own = "LeftOuter" if self.built is self.left else "RightOuter"
        return self.kind in (own, "FullOuter") or (self.built is self.left and self.kind not in _WIDE)

    # ---- steps

    def passes(self, streamed: Item, built: Item) -> bool:
        """Whether the condition beside the keys is true for a pair."""
        return self.condition is None or computed(self.condition, streamed.env | built.env) is True

    def joined(self, streamed: Item, candidates: Sequence[Item], panel: str) -> Iterator[Step]:
        """What a streamed row gives with the built rows that are to be compared with it, which lie in `panel`."""
        found = False
        for built in candidates:
            if not self.passes(streamed, built):
                yield self.refused(streamed, built, panel)
                continue
            found = True
            self.hit.add(built.id)
            if self.kind in _WIDE:
                yield self.pair(streamed, built, panel)
            elif self.streamed is self.left:
                break
            else:
                yield self.marked(streamed, built, panel)
        yield from self.alone(streamed, found)

    def marked(self, streamed: Item, built: Item, panel: str) -> Step:
        """A pair that is not given, but tells something of the built row."""
        return self.board.step(
            "match",
            f"{texts(built.values)} has a partner, {texts(streamed.values)}: that is remembered.",
            marks=[(self.streamed.name, streamed.id, "current"), (panel, built.id, "match")],
            links=[(self.streamed.name, streamed.id, panel, built.id)],
        )

    def refused(self, streamed: Item, built: Item, panel: str) -> Step:
        """A pair for which the condition is not true."""
        return self.board.step(
            "condition",
            f"{texts(streamed.values)} with {texts(built.values)}: the condition is not true, so this pair is not one.",
            marks=[(self.streamed.name, streamed.id, "current"), (panel, built.id, "miss")],
            links=[(self.streamed.name, streamed.id, panel, built.id)],
            compared=(texts(streamed.values), "condition", texts(built.values), "not true"),
        )

    def pair(self, streamed: Item, built: Item, panel: str) -> Step:
        """A pair that is given."""
        left, right = (streamed, built) if self.streamed is self.left else (built, streamed)
        row = self.emit((*left.values, *right.values), (left.id, right.id))
        also = "" if self.condition is None else ", and the condition is true"
        return self.board.step(
            "emit",
            f"{texts(streamed.values)} meets {texts(built.values)}{also}: a row of both.",
            marks=[
                (self.streamed.name, streamed.id, "current"),
                (panel, built.id, "match"),
                ("output", row, "new"),
            ],
            links=[(self.streamed.name, streamed.id, panel, built.id)],
        )

    def alone(self, streamed: Item, found: bool) -> Iterator[Step]:
        """What a streamed row gives by itself, now that it is known whether it has a partner."""
        mark = (self.streamed.name, streamed.id, "match" if found else "miss")
        if self.kind in _WIDE:
            if self.keeps_streamed and not found:
                filled = (streamed.values, self.built.nulls)
                left, right = filled if self.streamed is self.left else filled[::-1]
                yield self.kept((*left, *right), streamed, mark, "has no partner: it is kept, with nulls beside it.")
        elif self.streamed is self.left:
            yield self.left_alone(streamed, found, mark)

    def left_alone(self, item: Item, found: bool, mark: Mark) -> Step:
        """What a row of the left side gives in a semi, anti or existence join."""
        has = "has a partner" if found else "has no partner"
        if self.kind == "ExistenceJoin":
            return self.kept((*item.values, found), item, mark, f"{has}: {str(found).lower()} is written beside it.")
        if found is (self.kind == "LeftSemi"):
            more = ", and one is enough" if found else ""
            return self.kept(item.values, item, mark, f"{has}{more}: it is given.")
        return self.board.step("drop", f"{texts(item.values)} {has}: it is dropped.", marks=[(*mark[:2], "dropped")])

    def kept(self, values: Sequence[object], item: Item, mark: Mark, why: str) -> Step:
        """A row that is given alone."""
        row = self.emit(values, (item.id,))
        return self.board.step("emit", f"{texts(item.values)} {why}", marks=[mark, ("output", row, "new")])

    def left_over(self, built: Sequence[Item], panel: str) -> Iterator[Step]:
        """The built rows, once all streamed rows that could meet them are through, where that side is kept."""
        if not self.keeps_built:
            return
        for item in built:
            found = item.id in self.hit
            mark = (panel, item.id, "match" if found else "miss")
            if self.kind not in _WIDE:
                yield self.left_alone(item, found, mark)
            elif not found:
                filled = (item.values, self.streamed.nulls)
                left, right = filled if self.built is self.left else filled[::-1]
                yield self.kept((*left, *right), item, mark, "was never met: it is kept, with nulls beside it.")

    def emit(self, values: Sequence[object], of: Sequence[int]) -> int:
        """Give a row in the current partition of the output; its number on the board."""
        row = self.board.row(values, of)
        self.output[-1].append(tuple(values))
        self.board["output"].put(row)
        return row


def has_null(key: Row) -> bool:
    """Whether a key can equal nothing."""
    return any(v is None for v in key)
