"""A played operator as data: panels of rows, and the small steps that change them.

A `Board` is what a model draws on while it works: it registers rows, puts them into panels and says what happened.
`Play.to_json` is what `planviz.render.mechanics` draws; docs/mechanics.md describes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from planviz.errors import InputError
from planviz.evaluation import DEFAULT_EVALUATOR, UnknownValueError
from planviz.expressions.core import AttributeReference, Expression
from planviz.jsontypes import JsonObject
from planviz.physical.exchanges import ShuffleExchangeExec
from planviz.types.values import Value

#: Most rows of one input that are played, and most steps that are kept.
MOST_ROWS = 60
MOST_STEPS = 2_000
#: Most characters of a value that are shown.
_LONGEST = 40
_LONG_TEXT = 120

Row = tuple[Value, ...]
Env = dict[int, Value]
#: A mark on a row: current, match, miss, new or dropped.
Mark = tuple[str, int, str]
#: From a row (or a group, by its label) of one panel to one of another.
Link = tuple[str, int | str, str, int | str]
#: What was compared: left, operator, right, verdict.
Comparison = tuple[str, str, str, str]


class CannotPlay(InputError):
    """The operator has no model, or its rows cannot be computed; the message says which."""


def text_of(value: object) -> str:
    """A value as a cell shows it; null is `null`."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case tuple() | list():
            shown = f"[{', '.join(map(text_of, value))}]"
        case bytes():
            shown = f"x'{value.hex()}'"
        case _:
            shown = str(value)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def plain(e: Expression) -> str:
    """An expression as people read it: Spark's `toPrettySQL`, without ids."""
    return str(e.pretty)


def texts(values: Sequence[object]) -> str:
    """Several values in brackets; a single one without."""
    shown = ", ".join(map(text_of, values))
    return shown if len(values) == 1 else f"({shown})"


@dataclass(frozen=True)
class Input:
    """Rows that flow into an operator: their columns, and the partitions in which they lie. `name` is for people.

    `shuffle` is the exchange that they still have to go through, `sort` says that they have to be sorted then, both as
    part of the play.
    """

    name: str
    columns: tuple[AttributeReference, ...]
    partitions: tuple[tuple[Row, ...], ...]
    shuffle: ShuffleExchangeExec | None = None
    sort: bool = False

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        return [row for part in self.partitions for row in part]

    def env(self, row: Row) -> Env:
        """The row as expressions read it."""
        return {a.expr_id: v for a, v in zip(self.columns, row, strict=True)}


def sliced(rows: Sequence[Row], slices: int) -> tuple[tuple[Row, ...], ...]:
    """Rows in order over at most so many partitions, as Spark slices a local collection; one where there is none."""
    number = max(1, min(slices, len(rows)))
    return tuple(tuple(rows[len(rows) * i // number : len(rows) * (i + 1) // number]) for i in range(number))


def computed(e: Expression, env: Env) -> Value:
    """The value of an expression. Raises CannotPlay where it is not known here, or the query would fail."""
    try:
        return DEFAULT_EVALUATOR.row_value(e, env)
    except UnknownValueError as error:
        shown = plain(e) if len(plain(e)) <= _LONG_TEXT else f"{plain(e)[:_LONG_TEXT]}…"
        raise CannotPlay(f"{shown} cannot be computed here: {error} is not known.") from None


@dataclass(frozen=True)
class Panel:
    """A place of rows on the board: `kind` is table, map, buffer, runs or output, `column` counts from the left.

    `keys` of its columns, the first ones, are keys. Where it is `labelled`, groups are buckets with their label beside
    the rows; else labels head the groups.
    """

    id: str
    title: str
    role: str
    kind: str
    column: int
    columns: tuple[str, ...]
    keys: int = 0
    labelled: bool = False


@dataclass
class Group:
    """Rows of a panel that belong together: a partition, the rows of a key, a sorted run."""

    label: str
    rows: list[int] = field(default_factory=list)


class Pane:
    """What a panel holds now."""

    def __init__(self, panel: Panel) -> None:
        self.panel = panel
        self.groups: dict[object, Group] = {}
        #: The row that is being read; rows before it are done, -1 says that all are.
        self.at: int | None = None
        self.changed = True

    def put(self, row: int, key: object = None, label: str = "", first: bool = False) -> None:
        """Add a row to a group, which is made where it is not there."""
        rows = self.groups.setdefault(key, Group(label)).rows
        rows.insert(0 if first else len(rows), row)
        self.changed = True

    def replace(self, rows: Sequence[int], key: Value = None, label: str = "") -> None:
        """Let a group hold these rows."""
        self.groups.setdefault(key, Group(label)).rows = list(rows)
        self.changed = True

    def take(self, row: int) -> None:
        """Remove a row from its group; the group goes with its last row."""
        for key, group in list(self.groups.items()):
            if row in group.rows:
                group.rows.remove(row)
                if not group.rows:
                    del self.groups[key]
        self.changed = True

    def sort(self) -> None:
        """Put the groups in the order of their keys."""
        self.groups = dict(sorted(self.groups.items()))
        self.changed = True

    def clear(self, key: object = ...) -> None:
        """Drop a group, or all of them."""
        if key is ...:
            self.groups = {}
        else:
            self.groups.pop(key, None)
        self.changed = True

    def point(self, row: int | None) -> None:
        """Move the pointer."""
        self.changed = self.changed or self.at != row
        self.at = row

    def state(self) -> dict[str, object]:
        """The content as data."""
        return {"groups": [{"label": g.label, "rows": list(g.rows)} for g in self.groups.values()], "at": self.at}


@dataclass(frozen=True)
class Step:
    """One small step: its kind, the phase it is part of, a sentence, and the panels that it left changed."""

    kind: str
    phase: int
    text: str
    compared: Comparison | None
    marks: tuple[Mark, ...]
    links: tuple[Link, ...]
    state: Mapping[str, object]

    def to_json(self) -> dict[str, object]:
        """Without what is empty."""
        whole = {
            "kind": self.kind,
            "phase": self.phase,
            "text": self.text,
            "compared": self.compared,
            "marks": self.marks,
            "links": self.links,
            "state": self.state,
        }
        return {k: v for k, v in whole.items() if v or k == "phase"}


class Board:
    """The rows and panels of one play while its model works."""

    def __init__(self, *panels: Panel) -> None:
        self.panes = {p.id: Pane(p) for p in panels}
        self.cells: list[tuple[str | None, ...]] = []
        self.sources: list[tuple[int, ...]] = []
        self.phases: list[str] = []

    def __getitem__(self, panel: str) -> Pane:
        return self.panes[panel]

    def row(self, values: Sequence[object], of: Sequence[int] = ()) -> int:
        """Register a row; `of` are those that it was made from. Its number."""
        self.cells.append(tuple(None if v is None else text_of(v) for v in values))
        self.sources.append(tuple(of))
        return len(self.cells) - 1

    def phase(self, name: str) -> None:
        """What follows is part of this phase."""
        if not self.phases or self.phases[-1] != name:
            self.phases.append(name)

    def step(
        self,
        kind: str,
        text: str,
        *,
        marks: Sequence[Mark] = (),
        links: Sequence[Link] = (),
        compared: Comparison | None = None,
    ) -> Step:
        """What just happened, with the panels that changed since the last step."""
        state = {}
        for name, pane in self.panes.items():
            if pane.changed:
                state[name] = pane.state()
                pane.changed = False
        return Step(kind, len(self.phases) - 1, text, compared, tuple(marks), tuple(links), state)


@dataclass(frozen=True)
class Item:
    """A row of an input on the board: its number, its values, and these by attribute id."""

    id: int
    values: Row
    env: Env


class Model:
    """Base of the executable models: `steps` works the operator on a board, `output` collects its partitions.

    Subclasses give `operator`, `title` and `about` (a sentence) and `facts`.
    """

    operator = ""
    about = ""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.output: list[list[Row]] = []
        self.notes: list[str] = []

    @property
    def title(self) -> str:
        """What is played."""
        return self.operator

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What is worth knowing of the operator here, as name and value."""
        return []

    def steps(self) -> Iterator[Step]:
        """The work, step by step."""
        raise NotImplementedError

    def item(self, source: Input, row: Row) -> Item:
        """A row of an input, put on the board."""
        return Item(self.board.row(row), row, source.env(row))

    def lay(self, source: Input, panel: str) -> list[list[Item]]:
        """All rows of an input on the board and in a panel, partition by partition; empty ones are not drawn."""
        laid = [[self.item(source, row) for row in part] for part in source.partitions]
        for at, part in enumerate(laid):
            if part:
                label = f"partition {at}" if len(laid) > 1 else ""
                self.board[panel].replace([i.id for i in part], ("input", at), label)
        return laid

    def limited(self, *inputs: Input) -> None:
        """Raises CannotPlay where an input has more rows than are played."""
        for source in inputs:
            if len(source.rows) > MOST_ROWS:
                raise CannotPlay(
                    f"{source.name} has {len(source.rows):,} rows; {MOST_ROWS} of an input can be played: take fewer."
                )


@dataclass(frozen=True)
class Play:
    """An operator that was played: the steps, and the rows that it gave, partition by partition."""

    operator: str
    title: str
    about: str
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    panels: tuple[Panel, ...]
    phases: tuple[str, ...]
    cells: tuple[tuple[str | None, ...], ...]
    sources: tuple[tuple[int, ...], ...]
    steps: tuple[Step, ...]
    output: tuple[tuple[Row, ...], ...]

    @classmethod
    def of(cls, model: Model) -> Play:
        """Work a model to its end; more than MOST_STEPS steps are not kept, and a note says so."""
        work = model.steps()
        kept = tuple(islice(work, MOST_STEPS))
        more = sum(1 for _ in work)
        notes = list(model.notes)
        if more:
            notes.append(f"Shown are the first {MOST_STEPS:,} of {MOST_STEPS + more:,} steps; fewer rows play whole.")
        board = model.board
        return cls(
            model.operator,
            model.title,
            model.about,
            tuple(model.facts),
            tuple(notes),
            tuple(p.panel for p in board.panes.values()),
            tuple(board.phases),
            tuple(board.cells),
            tuple(board.sources),
            kept,
            tuple(map(tuple, model.output)),
        )

    @property
    def rows(self) -> list[Row]:
        """All rows that the operator gave."""
        return [row for part in self.output for row in part]

    def to_json(self) -> JsonObject:
        """All of it as plain data, the same for the same play; values are texts, nulls null."""
        return {
            "operator": self.operator,
            "title": self.title,
            "about": self.about,
            "facts": self.facts,
            "notes": self.notes,
            "panels": [vars(p) for p in self.panels],
            "phases": self.phases,
            "rows": [
                {"cells": c, "of": of} if of else {"cells": c} for c, of in zip(self.cells, self.sources, strict=True)
            ],
            "steps": [s.to_json() for s in self.steps],
        }
