"""What a program's text says of tables and files that nothing describes: their columns, and what pivots hold."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from planviz.analysis.inference.guesses import named_type
from planviz.catalog.tables import FILE_FORMATS, Catalog, Table
from planviz.expressions.core import Alias, Expression
from planviz.programs.retyping import retyped
from planviz.types import DOUBLE, INT, LONG, STRING, ArrayType, DataType, StructField, StructType, is_numeric

#: Formats whose files hold nothing but texts, unless `inferSchema` is asked for.
_TEXTS = ("csv", "com.databricks.spark.csv")


_PIVOT = "pivot of line "
_FIELDS = "fields of "
#: How often the type of a guessed column may change (a struct gets its fields one after the other).
_MOST_CHANGES = 40
#: How long the type of a guessed column may be, as text.
_LONGEST_TYPE = 20_000


class Again(Exception):
    """More is known of a guessed table: the program is read once more from its beginning."""


class Guesses:
    """Tables and files that neither the catalogue nor the program describes: their columns, as uses of them say.

    `tables` says whether tables are guessed, too, or only files without a schema. `hints` are types by column name.
    `pivots` are the values that the program names of pivots whose values it does not list, by line.
    """

    def __init__(self, tables: bool, hints: dict[str, DataType]) -> None:
        self.tables, self.hints = tables, hints
        self.columns: dict[str, dict[str, StructField]] = {}
        self.pivots: dict[int, list[str]] = {}
        #: How a source's files tell types: "text" (all are strings), "json", None where nothing is known.
        self.kinds: dict[str, str] = {}
        #: When the first reading of the program began, in seconds of this process.
        self.began = time.process_time()
        #: How many readings of the program have begun.
        self.readings = 0
        #: What this reading of the program made use of.
        self.used: set[str] = set()
        self._changes: dict[tuple[str, str], int] = {}
        #: Columns whose type nothing but their name suggests.
        self._by_name: set[tuple[str, str]] = set()

    def of(self, key: str) -> Table:
        """A guessed table as far as it is known."""
        self.used.add(key)
        fields = tuple(self.columns.setdefault(key, {}).values())
        return Table(key, fields, guessed=frozenset(f.name for f in fields))

    def reads(self, key: str, provider: str, infers: bool) -> None:
        """Note the format of a source; `infers` says that the types of its texts are looked for."""
        provider = provider.lower()
        if provider in _TEXTS:
            self.kinds[key] = "text" if not infers else ""
        elif provider == "json":
            self.kinds[key] = "json"

    def learn(self, key: str, name: str, kind: DataType | None = None) -> bool:
        """Note a column; whether it was new."""
        if key.startswith(_PIVOT):
            return self._learn_value(key, name)
        if key.startswith(_FIELDS):
            return self._learn_field(key, name, kind)
        columns = self.columns.setdefault(key, {})
        if name.lower() in columns or not name:
            return False
        found, named = kind or self.hints.get(name.lower()), named_type(name)
        if found is None:
            self._by_name.add((key, name.lower()))
            found = named or STRING
        elif found == DOUBLE and named is not None and is_numeric(named):  # a sum asks for numbers, of whatever kind
            found = named
        columns[name.lower()] = StructField(name, self._in_files(key, found))
        return True

    def retype(self, key: str, name: str, path: tuple[str, ...], kind: DataType) -> bool:
        """Give a column, or a part of it, another type; whether that is new. No column is changed often."""
        before = self.columns.get(key, {}).get(name.lower())
        count = self._changes.get((key, name.lower()), 0)
        if before is None or count > _MOST_CHANGES:
            return False
        made = retyped(before.data_type, path, kind)
        if made == before.data_type:
            return False
        self._changes[key, name.lower()] = count + 1
        self.columns[key][name.lower()] = StructField(before.name, made)
        return True

    def mistrust(self, key: str, name: str) -> bool:
        """Take a column for a text again whose type its name alone suggested; whether that is new."""
        if (key, name.lower()) not in self._by_name:
            return False
        self._by_name.discard((key, name.lower()))
        return self.retype(key, name, (), STRING)

    def _learn_field(self, key: str, name: str, kind: DataType | None) -> bool:
        table, column, *path = key.removeprefix(_FIELDS).split("\n")
        before = self.columns.get(table, {}).get(column)
        if before is None or not name:
            return False
        found = kind or self.hints.get(name.lower()) or named_type(name) or STRING
        made = retyped(before.data_type, (*path, name), found)
        if len(made.simple_string) > _LONGEST_TYPE or (made == before.data_type):
            return False
        self.columns[table][column] = StructField(before.name, made)
        return True

    def _learn_value(self, key: str, name: str) -> bool:
        line, *suffixes = key.removeprefix(_PIVOT).split("\n")
        values = self.pivots.setdefault(int(line), [])
        value = next((name.removesuffix(s) for s in suffixes if name.endswith(s)), name if not suffixes else "")
        if not value or value in values or len(values) > 100:
            return False
        values.append(value)
        return True

    def _in_files(self, key: str, found: DataType) -> DataType:
        how = self.kinds.get(key)
        if how == "text":
            return STRING
        if how == "json" and found == INT:
            return LONG
        if how == "json" and isinstance(found, StructType | ArrayType):
            return found
        return found if how != "json" or found in (LONG, DOUBLE, STRING) or found.simple_string == "boolean" else STRING


def table_of_path(path: str, catalog: Catalog) -> Table | None:
    """The catalogue's table that files are named after: `s3://lake/sales/`, `sales.parquet`, `sales_csv/*.csv`."""
    for part in reversed(re.split(r"[/\\]+", path.strip())):
        if not part or "*" in part or "=" in part or "{" in part:
            continue
        name = re.split(r"[.?]", part)[0].lower()
        for one in (name, *(name.removesuffix(f"_{f}") for f in FILE_FORMATS if name.endswith(f"_{f}"))):
            found = catalog.table((one,))
            if found is not None and found.columns:
                return found
        return None
    return None


def pivot_key(line: int, aggregates: Sequence[Expression]) -> str:
    """What stands for the values of a line's pivot; with several aggregates columns are called value_aggregate."""
    names = [a.name if isinstance(a, Alias) else a.sql for a in aggregates] if len(aggregates) > 1 else []
    return "\n".join([f"{_PIVOT}{line}", *(f"_{n}" for n in names)])


def fields_key(leaf: tuple[str, str], path: Sequence[str]) -> str:
    """What stands for the fields of a guessed column, or of a part of it: they are learned as a table's columns are."""
    return _FIELDS + "\n".join((leaf[0], leaf[1].lower(), *path))
