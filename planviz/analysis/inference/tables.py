"""Guessed tables, the relations in scope, and which of them a name belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from planviz.analysis.inference.guesses import Guess
from planviz.catalog.tables import CATALOG, DATABASE, Table
from planviz.types import STRING, StructField


@dataclass
class GuessedTable:
    """A table that no catalogue has, with the columns that queries name. `sure` are those named with the table."""

    parts: tuple[str, ...]
    columns: dict[str, Guess] = field(default_factory=dict)
    spelt: dict[str, str] = field(default_factory=dict)
    sure: set[str] = field(default_factory=set)
    starred: bool = False

    @property
    def name(self) -> str:
        """The name as the query writes it."""
        return ".".join(self.parts)

    def column(self, name: str, sure: bool = False) -> Guess:
        """The column of that name, made when it is new."""
        key = name.lower()
        if sure:
            self.sure.add(key)
        self.spelt.setdefault(key, name)
        return self.columns.setdefault(key, Guess(name))

    def forget_uses(self) -> None:
        """Keep only the columns that surely are its own, without their uses."""
        self.spelt = {k: v for k, v in self.spelt.items() if k in self.sure}
        self.columns = {k: Guess(v) for k, v in self.spelt.items()}

    def table(self) -> Table:
        """The table with the types that follow from the uses; every column marked as guessed."""
        columns = tuple(StructField(self.spelt[k], g.type(), True) for k, g in self.columns.items())
        if not columns and self.starred:
            columns = (StructField("unknown", STRING, True),)
        parts = self.parts[1:] if len(self.parts) == 3 and self.parts[0].lower() == CATALOG else self.parts
        database = parts[-2] if len(parts) > 1 else DATABASE
        return Table(self.parts[-1], columns, database, guessed=frozenset(c.name for c in columns))


@dataclass
class Relation:
    """What stands in FROM under one name: columns, and guessed tables whose further columns are visible through it."""

    qualifier: tuple[str, ...]
    columns: list[tuple[str, Guess]] = field(default_factory=list)
    open: list[GuessedTable] = field(default_factory=list)

    def named(self, name: str) -> Guess | None:
        """A column that is known to be there."""
        lowered = name.lower()
        for n, g in self.columns:
            if n.lower() == lowered:
                return g
        for t in self.open:
            if lowered in t.sure:
                return t.column(name)
        return None

    def answers_to(self, qualifier: tuple[str, ...]) -> bool:
        """Whether a qualifier as written means this relation."""
        own = tuple(q.lower() for q in self.qualifier)
        wanted = tuple(q.lower() for q in qualifier)
        return bool(wanted) and own[len(own) - len(wanted) :] == wanted


@dataclass
class Scope:
    """The relations that names are looked up in; then `aliases` (what stands further left in a select list), then
    `hidden` (the relations below a select list), then those of the query around.
    """

    relations: list[Relation]
    hidden: list[Relation] = field(default_factory=list)
    outer: Scope | None = None
    aliases: Relation | None = None

    def chain(self) -> Iterable[list[Relation]]:
        """The groups of relations, innermost first."""
        at: Scope | None = self
        while at is not None:
            yield at.relations
            if at.aliases is not None:
                yield [at.aliases]
            if at.hidden:
                yield at.hidden
            at = at.outer


class Resolver:
    """Finds or guesses the column that a name means.

    A name with its table is sure. One without belongs, in this order, to: a relation that is known to have it; the only
    unknown table in scope; the unknown table that its prefix abbreviates (l_shipdate: lineitem, ss_item_sk:
    store_sales); one whose name it begins with (user_name: users); the first in FROM.
    """

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, text: str) -> None:
        """Remember a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def column(self, parts: tuple[str, ...], scope: Scope) -> Guess | None:
        """The column that the parts mean, its fields followed; None when nothing in scope can have it."""
        for count in range(min(3, len(parts) - 1), 0, -1):
            for relations in scope.chain():
                for r in relations:
                    if r.answers_to(parts[:count]):
                        found = r.named(parts[count])
                        if found is None and r.open:
                            found = self._best(parts[count], r.open).column(parts[count], sure=len(r.open) == 1)
                        if found is not None:
                            return _fields(found, parts[count + 1 :])
        found = self._plain(parts[0], scope)
        return None if found is None else _fields(found, parts[1:])

    def _plain(self, name: str, scope: Scope) -> Guess | None:
        outside: list[GuessedTable] = []
        nearest: list[GuessedTable] = []
        for relations in scope.chain():
            for r in relations:
                found = r.named(name)
                if found is not None:
                    return found
            tables = list({id(t): t for r in relations for t in r.open}.values())
            if not nearest:
                nearest = tables
            else:
                outside += tables
        if not nearest:
            return None
        # A column of the query around: only when its name goes better with one of those tables.
        if max(_fit(name, t) for t in nearest) < max((_fit(name, t) for t in outside), default=0):
            nearest = outside
        table = self._best(name, nearest)
        if len(nearest) > 1:
            others = ", ".join(t.name for t in nearest if t is not table)
            self.warn(f"Column {name} is written without its table: taken as one of {table.name}, not of {others}.")
        return table.column(name)

    def _best(self, name: str, tables: list[GuessedTable]) -> GuessedTable:
        return max(tables, key=lambda t: (_fit(name, t), -tables.index(t)))


def _fields(found: Guess, rest: tuple[str, ...]) -> Guess:
    for name in rest:
        found = found.field(name)
    return found


def _fit(name: str, table: GuessedTable) -> int:
    """How well a column's name goes with a table's: 0 for not at all."""
    column = name.lower()
    own = table.parts[-1].lower()
    prefix, underscore, _ = column.partition("_")
    words = [w for w in own.split("_") if w]
    singular = own.removesuffix("s")
    if len(singular) > 1 and (column.startswith((f"{singular}_", f"{own}_"))):
        return 50
    if not underscore or len(prefix) > 4:
        return 0
    if prefix == "".join(w[0] for w in words):
        # Of part and partsupp, p_ is the shorter one's.
        return 40 - min(len(own), 20) // 2
    if own.startswith(prefix):
        return 20 if len(prefix) > 1 else 16
    rest = iter(own)
    return 10 if own[:1] == prefix[:1] and all(letter in rest for letter in prefix) else 0
