"""Guessed tables, the relations in scope, and which of them a name belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from planviz.analysis.inference.guesses import Guess
from planviz.catalog.tables import Table, placed
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
        table = Table(self.parts[-1], columns, guessed=frozenset(c.name for c in columns))
        return placed(table, self.parts)


@dataclass
class Relation:
    """What stands in FROM under one name: columns, and guessed tables whose further columns are visible through it."""

    qualifier: tuple[str, ...]
    columns: list[tuple[str, Guess]] = field(default_factory=list)
    open: list[GuessedTable] = field(default_factory=list)
    #: The first column of each name in lower case, of as many of `columns` as have been looked at; they only grow.
    _index: dict[str, Guess] = field(default_factory=dict, init=False, repr=False, compare=False)
    _indexed: int = field(default=0, init=False, repr=False, compare=False)

    def named(self, name: str) -> Guess | None:
        """A column that is known to be there."""
        lowered = name.lower()
        for n, g in islice(self.columns, self._indexed, None):
            self._index.setdefault(n.lower(), g)
        self._indexed = len(self.columns)
        if lowered in self._index:
            return self._index[lowered]
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
        for scope in self.queries():
            yield from scope.groups()

    def queries(self) -> Iterable[Scope]:
        """The scopes of this query and of those around it, innermost first."""
        at: Scope | None = self
        while at is not None:
            yield at
            at = at.outer

    def groups(self) -> list[list[Relation]]:
        """The groups of this query's relations, the first to be looked at first."""
        aliases = [] if self.aliases is None else [[self.aliases]]
        return [self.relations, *aliases, *([self.hidden] if self.hidden else [])]

    @property
    def open(self) -> list[GuessedTable]:
        """The guessed tables of this query, each once."""
        return list({id(t): t for group in self.groups() for r in group for t in r.open}.values())

    def named(self, name: str) -> Guess | None:
        """A column that is known to be in this query."""
        return next((g for group in self.groups() for r in group if (g := r.named(name)) is not None), None)


#: Up to so many columns are told one by one.
_FEW = 3


class Resolver:
    """Finds or guesses the column that a name means.

    A name with its table is sure. One without belongs, in this order, to: a relation of its own query that is known to
    have it; the only unknown table there; the unknown table that its prefix abbreviates (l_shipdate: lineitem,
    ss_item_sk: store_sales), also of a query around; one whose name it begins with (user_name: users); the first in
    FROM.
    """

    def __init__(self) -> None:
        self.warnings: list[str] = []
        #: Session variables, in lower case: a name alone means one of them before a column of a guessed table.
        self.variables: frozenset[str] = frozenset()
        #: Columns that were placed by their names: the table, and the others that it could have been.
        self.placed: dict[str, tuple[str, str]] = {}

    def warn(self, text: str) -> None:
        """Remember a warning, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def told(self) -> list[str]:
        """The warnings, and where columns without a table were placed: a sentence each, or one for many."""
        if len(self.placed) <= _FEW:
            return self.warnings + [
                f"Column {name} is written without its table: taken as one of {table}, not of {others}."
                for name, (table, others) in self.placed.items()
            ]
        owners: dict[str, list[str]] = {}
        for name, (table, _) in self.placed.items():
            owners.setdefault(table, []).append(name)
        where = "; ".join(f"{table}: {', '.join(names)}" for table, names in owners.items())
        return [
            *self.warnings,
            f"{len(self.placed)} columns are written without their tables and were placed by their names ({where}). "
            "Write table.column, or give a catalogue, to be sure.",
        ]

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

    def known(self, name: str, scope: Scope) -> Guess | None:
        """The column that a name means without guessing that a table has it."""
        return next((g for query in scope.queries() if (g := query.named(name)) is not None), None)

    def _plain(self, name: str, scope: Scope) -> Guess | None:
        own, *around = scope.queries()
        while True:
            found, tables = own.named(name), own.open
            if found is None and tables:
                found = self._elsewhere(name, tables, around) or self._guessed(name, tables)
            if found is not None or not around:
                return found
            own, *around = around

    def _elsewhere(self, name: str, tables: list[GuessedTable], around: list[Scope]) -> Guess | None:
        """A column of a query around; only when its name goes with a table there and not with those of its own."""
        fit = max(_fit(name, t) for t in tables)
        if fit == 0 and _prefix(name):
            known = next((g for scope in around if (g := scope.named(name)) is not None), None)
            if known is not None:
                return known
        outside = [t for scope in around for t in scope.open]
        return self._guessed(name, outside) if fit < max((_fit(name, t) for t in outside), default=0) else None

    def _guessed(self, name: str, tables: list[GuessedTable]) -> Guess:
        table = self._best(name, tables)
        if len(tables) > 1:
            others = ", ".join(t.name for t in tables if t is not table)
            self.placed.setdefault(name, (table.name, others))
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
    prefix = _prefix(column)
    words = [w for w in own.split("_") if w]
    singular = own.removesuffix("s")
    if len(singular) > 1 and (column.startswith((f"{singular}_", f"{own}_"))):
        return 50
    if not prefix:
        return 0
    if prefix == "".join(w[0] for w in words):
        # Of part and partsupp, p_ is the shorter one's.
        return 40 - min(len(own), 20) // 2
    if own.startswith(prefix):
        return 20 if len(prefix) > 1 else 16
    rest = iter(own)
    return 10 if own[:1] == prefix[:1] and all(letter in rest for letter in prefix) else 0


def _prefix(name: str) -> str:
    """What abbreviates a table at the beginning of a column's name (the l of l_orderkey); "" for none."""
    prefix, underscore, _ = name.lower().partition("_")
    return prefix if underscore and len(prefix) <= 4 else ""
