"""The columns of CREATE TABLE, and what else stands among them."""

from __future__ import annotations

from itertools import pairwise

from planviz.catalog.tables import Buckets
from planviz.expressions.core import Expression
from planviz.frontend.lexer import END, STRING, WORD
from planviz.frontend.pipes import PipeReader
from planviz.types import STRING as TEXT
from planviz.types import StructField
from planviz.types.collations import BINARY_TEXT

#: Words that begin a constraint over the whole table.
_CONSTRAINTS = ("CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK")


class ColumnReader(PipeReader):
    """Reads column lists. `notes` holds what was passed over, because plans do not depend on it."""

    notes: tuple[str, ...] = ()
    #: Whether one of the columns is computed from others, which no table of Spark's own catalogue can do.
    generated = False
    #: The columns whose type names a collation, which the table's default leaves alone.
    collated: frozenset[str] = frozenset()
    #: The columns with DEFAULT, and what it says.
    defaults: tuple[tuple[StructField, Expression], ...] = ()

    def columns(self) -> tuple[StructField, ...]:
        """(name type [NOT NULL] [COMMENT 'text'] [DEFAULT value] ..., constraints)."""
        start = self.at
        self.expect("(")
        found: list[StructField] = []
        named: set[str] = set()
        while True:
            if self.sees_any(*_CONSTRAINTS) and (self.peek(1) in ("(", "KEY") or self.peek() == "CONSTRAINT"):
                self._constraint()
            else:
                found.append(self._column(named))
            if not self.accept(","):
                break
        self.expect(")")
        if list(pairwise(self.keys[start : self.at])).count(("PRIMARY", "KEY")) > 1:
            raise self.error("MULTIPLE_PRIMARY_KEYS", "A table has one primary key; this one says several.", start)
        return tuple(found)

    def properties(self) -> tuple[tuple[str, str], ...]:
        """(key [=] value, ...): keys are names or texts, values constants."""
        self.expect("(")
        found = self.separated(self._property)
        self.expect(")")
        return tuple(found)

    def _property(self) -> tuple[str, str]:
        # Texts side by side are one text elsewhere; here the second one is the value.
        key = self.take_text() if self.kind == STRING else ".".join(self.identifier_parts())
        self.accept("=")
        return key, self.take_text() if self.kind == STRING else self.take()

    def partitions(self, columns: tuple[StructField, ...]) -> tuple[tuple[str, ...], tuple[StructField, ...]]:
        """The names in PARTITIONED BY (...), and the columns that are declared there rather than among `columns`."""
        self.expect("(")
        names: list[str] = []
        more: list[StructField] = []
        known = {c.name.lower() for c in columns}
        declared = set(known)
        while True:
            if self.peek(1) == "(":
                # A transform such as years(day) partitions by no column that a scan could prune by.
                self._note(f"partitioning by {self.take()}(...)")
                self._skip_to_comma()
            elif self.peek(1) in (",", ")"):
                at = self.at
                names.append(self.identifier())
                if known and names[-1].lower() not in known:
                    raise self.error("COLUMN_NOT_DEFINED_IN_TABLE", f"{names[-1]} is none of the table's columns.", at)
            else:
                more.append(self._column(declared))
                names.append(more[-1].name)
            if not self.accept(","):
                break
        self.expect(")")
        return tuple(names), tuple(more)

    def buckets(self, columns: tuple[StructField, ...]) -> Buckets:
        """What stands behind CLUSTERED BY: (columns) [SORTED BY (columns)] INTO n BUCKETS."""
        names = self._names(columns)
        by = self._names(columns) if self.accept("SORTED", "BY") else ()
        self.expect("INTO")
        at = self.at
        number = self.take()
        if not number.isdecimal() or len(number) > 40 or int(number) < 1:
            raise self.error("INVALID_BUCKET_COUNT", f"A number of buckets above 0 belongs here, not {number}.", at)
        self.expect("BUCKETS")
        return Buckets(names, int(number), by)

    def _names(self, columns: tuple[StructField, ...]) -> tuple[str, ...]:
        """Names of columns in parentheses; ASC and DESC are passed over."""
        known = {c.name.lower(): c.name for c in columns}
        names: list[str] = []
        self.expect("(")
        while True:
            at = self.at
            name = self.identifier()
            if known and name.lower() not in known:
                raise self.error("COLUMN_NOT_DEFINED_IN_TABLE", f"{name} is none of the table's columns.", at)
            names.append(known.get(name.lower(), name))
            if self.sees_any("ASC", "DESC"):
                self.at += 1
            if not self.accept(","):
                break
        self.expect(")")
        return tuple(names)

    def _column(self, before: set[str]) -> StructField:
        """A column, whose name (in lower case) is none of those `before` and joins them."""
        at = self.at
        name = self.identifier()
        if name.lower() in before:
            raise self.error("COLUMN_ALREADY_EXISTS", f"The column `{name}` already exists. Choose another name.", at)
        before.add(name.lower())
        self.accept(":")
        start = self.at
        data_type = self.data_type()
        if "COLLATE" in self.keys[start : self.at]:
            self.collated |= {name}
            # What is asked for by name is printed by name where the table's files are read.
            data_type = BINARY_TEXT if data_type == TEXT else data_type
        nullable = True
        default: Expression | None = None
        while not self.sees_any(",", ")"):
            if self.kind == END or self.sees(";"):
                self.fail("missing ')'")
            if self.accept("NOT", "NULL"):
                nullable = False
            elif self.accept("COMMENT"):
                self.string()
            elif self.sees_any("PRIMARY", "UNIQUE", "CHECK", "REFERENCES", "CONSTRAINT"):
                self._note(f"{self.peek()} of column {name}")
                self._skip_to_comma()
            elif self.accept("DEFAULT"):
                default = self.value()
            elif self.accept("NULL"):
                continue
            elif self.sees_any("GENERATED", "MASK", "AUTO_INCREMENT"):
                self.generated = self.generated or self.sees("GENERATED")
                self._skip_to_comma()
            else:
                raise self.syntax_error("',' or ')' was expected")
        made = StructField(name, data_type, nullable)
        if default is not None:
            self.defaults = (*self.defaults, (made, default))
        return made

    def _constraint(self) -> None:
        word = self.peek()
        name = f" {self.tokens.texts[self.at + 1]}" if word == "CONSTRAINT" and self.kinds[self.at + 1] == WORD else ""
        self._note(word + (" KEY" if self.peek(1) == "KEY" else "") + name)
        self._skip_to_comma()

    def _note(self, what: str) -> None:
        self.notes = (*self.notes, f"{what} is passed over: Spark's plans do not depend on it.")

    def _skip_to_comma(self) -> None:
        depth = 0
        while depth or not self.sees_any(",", ")"):
            if self.kind == END:
                self.fail("missing ')'")
            depth += {"(": 1, ")": -1}.get(self.peek(), 0)
            self.at += 1
