"""Tables, views and their statistics, looked up as Spark looks them up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypedDict, Unpack

from planviz.catalog.statistics import ColumnStatistics, scaled_statistics, times, with_rows
from planviz.errors import InputError
from planviz.expressions.core import Expression, Literal
from planviz.expressions.python import PythonEvalType
from planviz.types import (
    STRING,
    CharType,
    DataType,
    StructField,
    StructType,
    is_integral,
    parse_fields,
    parse_type,
    without_lengths,
)

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan
    from planviz.trees.node import TreeNode

#: Spark's names of the built-in catalogue and its first database.
CATALOG, DATABASE = "spark_catalog", "default"
#: The database of the views that all sessions see.
GLOBAL_TEMP = "global_temp"


class TableNumbers(TypedDict, total=False):
    """Numbers of a table to be set; None for an unknown one."""

    row_count: int | None
    size_in_bytes: int | None


@dataclass(frozen=True)
class Buckets:
    """How a table's files are spread: by the hash of `columns` into `number` buckets, each sorted by `sorted_by`."""

    columns: tuple[str, ...]
    number: int
    sorted_by: tuple[str, ...] = ()


#: Sources that SQL reads by path: parquet.`/data/sales`.
FILE_FORMATS = frozenset(
    ("parquet", "orc", "csv", "json", "text", "avro", "xml", "delta", "iceberg", "hudi", "binaryfile")
)
#: Providers whose tables keep versions, and can be replaced, updated and deleted from.
TRANSACTIONAL = frozenset(("delta", "hudi", "iceberg", "paimon"))


@dataclass(frozen=True)
class Table:
    """A table: columns with types, where its rows come from, how many there are (None: unknown)."""

    name: str
    columns: tuple[StructField, ...]
    database: str = DATABASE
    provider: str = "parquet"
    partition_columns: tuple[str, ...] = ()
    row_count: int | None = None
    size_in_bytes: int | None = None
    column_stats: tuple[tuple[str, ColumnStatistics], ...] = ()
    #: Columns whose type was guessed from how a query uses them.
    guessed: frozenset[str] = frozenset()
    #: When the statistics were counted, as the catalogue says it (ISO 8601); None: they were written, not counted.
    analyzed_at: str | None = None
    #: How the rows are bucketed; None: they are not.
    buckets: Buckets | None = None
    #: How many rows the columns' statistics were taken from; None: from all, or nobody says.
    sampled_rows: int | None = None
    #: The catalogue that it is in, by Spark's name for it.
    catalog: str = CATALOG
    #: Columns declared as char(n), which plans see as padded strings, with n.
    char_lengths: tuple[tuple[str, int], ...] = ()
    #: Columns declared as varchar(n), which plans see as plain strings, with n.
    varchar_lengths: tuple[tuple[str, int], ...] = ()
    #: Columns with char(n) or varchar(n) inside of their values, and their types as declared.
    inner_lengths: tuple[tuple[str, DataType], ...] = ()
    #: Columns with a DEFAULT, and its value: what INSERT puts where nothing is given.
    defaults: tuple[tuple[str, Expression], ...] = ()
    #: Whether its size is one of many under which a pasted plan comes out as it was printed; nobody gave it.
    fitted: bool = False

    def __post_init__(self) -> None:
        """Take char and varchar off the columns' types, wherever the table comes from: plans see strings."""
        types = [without_lengths(c.data_type) for c in self.columns]
        if any(t != c.data_type for t, c in zip(types, self.columns, strict=True)):
            plain = tuple(replace(c, data_type=t) for t, c in zip(types, self.columns, strict=True))
            declared = [(c.name, t) for c in self.columns if isinstance(t := c.data_type, CharType)]
            for name, varying in (("char_lengths", False), ("varchar_lengths", True)):
                lengths = {column: t.length for column, t in declared if t.varying is varying}
                object.__setattr__(self, name, tuple({**dict(getattr(self, name)), **lengths}.items()))
            pairs = zip(types, self.columns, strict=True)
            inner = {
                c.name: c.data_type for t, c in pairs if t != c.data_type and not isinstance(c.data_type, CharType)
            }
            object.__setattr__(self, "inner_lengths", tuple({**dict(self.inner_lengths), **inner}.items()))
            object.__setattr__(self, "columns", plain)

    @property
    def qualified(self) -> tuple[str, ...]:
        """catalogue, database, table; the session's catalogue keeps its names in lower case."""
        names = (self.catalog, self.database, self.name)
        return tuple(n.lower() for n in names) if self.catalog == CATALOG else names

    @property
    def key(self) -> str:
        """Its name among the tables of a Catalog: lower case, database.table, before it another catalogue's name."""
        name = f"{self.database}.{self.name}".lower()
        return name if self.catalog == CATALOG else f"{self.catalog}.{name}".lower()

    @property
    def shown_name(self) -> str:
        """The name, with its database unless that is the default one, and with its catalogue unless that is Spark's."""
        if self.catalog != CATALOG:
            return ".".join(self.qualified)
        return self.name if self.database == DATABASE else f"{self.database}.{self.name}"

    @property
    def declared_texts(self) -> dict[str, str]:
        """The columns declared as char(n) or varchar(n), with that type."""
        chars = {name: f"char({length})" for name, length in self.char_lengths}
        return chars | {name: f"varchar({length})" for name, length in self.varchar_lengths}

    def declared_type(self, column: str) -> DataType | None:
        """The type of a column that is declared with char(n) or varchar(n), or holds such; None for others."""
        for lengths, varying in ((self.char_lengths, False), (self.varchar_lengths, True)):
            found = next((n for name, n in lengths if name == column), None)
            if found is not None:
                return CharType(found, varying)
        return next((t for name, t in self.inner_lengths if name == column), None)

    @property
    def keeps_versions(self) -> bool:
        """Whether earlier states can be read: in Delta Lake and the like, and perhaps in a table that is guessed."""
        return self.provider in TRANSACTIONAL or bool(self.guessed) or not self.columns

    def statistics_of(self, column: str) -> ColumnStatistics | None:
        """The statistics of a column, by its name in any case."""
        lowered = column.lower()
        return next((s for n, s in self.column_stats if n.lower() == lowered), None)

    def type_of(self, column: str) -> DataType | None:
        """The type of a column, by its name in any case."""
        lowered = column.lower()
        return next((c.data_type for c in self.columns if c.name.lower() == lowered), None)


def placed(table: Table, name: tuple[str, ...]) -> Table:
    """The table in the catalogue and the database that a dotted name of it says; what it does not say stays."""
    if len(name) < 2:
        return table
    return replace(
        table,
        catalog=name[0] if len(name) > 2 and name[0].lower() != CATALOG else CATALOG,
        database=".".join(name[1:-1]) if len(name) > 2 else name[0],
    )


@dataclass(frozen=True)
class View:
    """A view: its query's text and the unresolved plan of it, None until somebody reads the text.

    `columns` are the names that it gives its query's columns (none: their own), `database` is that of a lasting one.
    """

    name: str
    plan: LogicalPlan | None
    sql: str = ""
    temporary: bool = True
    columns: tuple[str, ...] = ()
    database: str = DATABASE

    @property
    def key(self) -> str:
        """The key in a catalogue: a database is in it where that is not the first one."""
        plain = self.temporary or self.database == DATABASE
        return self.name.lower() if plain else f"{self.database}.{self.name}".lower()

    @property
    def name_parts(self) -> tuple[str, ...]:
        """The name of a temporary view; one that all sessions see has a database."""
        database, dot, name = self.name.partition(".")
        return (database, name) if dot and database == GLOBAL_TEMP else (self.name,)


@dataclass(frozen=True)
class Variable:
    """A session variable: its name as declared, its value and the one it is reset to, literals of its type."""

    name: str
    value: Literal
    default: Literal


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function: `default` is an expression, or None where a value must be given."""

    name: str
    type: DataType
    default: Expression | None = None


@dataclass(frozen=True)
class SqlFunction:
    """A function written in SQL: `body` is an unresolved expression over the names of the parameters.

    Of a function that gives a table `body` is a query and `columns` are the table's.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: DataType
    body: TreeNode
    temporary: bool = True
    columns: tuple[StructField, ...] | None = None

    @property
    def shown_name(self) -> str:
        """The name in plans: of a lasting function with catalogue and database."""
        return self.name if self.temporary else f"{CATALOG}.{DATABASE}.{self.name.lower()}"


@dataclass(frozen=True)
class PythonFunction:
    """A function written in Python, of which planning needs no code (Spark: UserDefinedPythonFunction).

    `returns` is the type of its values, `eval_type` how rows reach it (None: as `udf` makes it, which the session's
    settings say), `deterministic` whether the same arguments always give the same value. Of a class that gives rows
    (Spark: UserDefinedPythonTableFunction) `columns` are theirs, and it is called in FROM.
    """

    name: str
    returns: DataType
    eval_type: PythonEvalType | None = None
    deterministic: bool = True
    columns: tuple[StructField, ...] | None = None
    #: It is registered in a session; Spark keeps none in its catalogue.
    temporary: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        name: str,
        returns: DataType | str = STRING,
        eval_type: PythonEvalType | int | str | None = None,
        deterministic: bool = True,
    ) -> PythonFunction:
        """The function; its type may be DDL text, its kind PySpark's name or number.

        Raises InputError for a type or a kind that there is not.
        """
        return cls(name, _returned(returns), python_eval_type(eval_type), deterministic)


@dataclass(frozen=True)
class JvmFunction:
    """A function written in Scala or Java, registered under a name; planning needs no code of it (Spark: ScalaUDF).

    `returns` is the type of its values and `nullable` whether they may be null; `inputs` are the types of its
    parameters where they are known, `primitive` which of them can hold no null.
    """

    name: str
    returns: DataType
    nullable: bool = True
    inputs: tuple[DataType, ...] = ()
    primitive: tuple[bool, ...] = ()
    #: It is registered in a session; Spark keeps none in its catalogue.
    temporary: ClassVar[bool] = True


#: What a catalogue may have under a function's name.
OwnFunction: TypeAlias = "SqlFunction | PythonFunction | JvmFunction"


def python_eval_type(given: PythonEvalType | int | str | None) -> PythonEvalType | None:
    """How a function runs, by PySpark's name (`SQL_GROUPED_AGG_PANDAS_UDF`), its number, or `udf` (None): as it comes.

    Raises InputError that names what there is.
    """
    if given is None or (isinstance(given, str) and given.lower() == "udf"):
        return None
    found = next((k for k in PythonEvalType if given in (k, k.name) or str(given) == str(int(k))), None)
    if found is None:
        names = ", ".join(f"{k.name} ({int(k)})" for k in PythonEvalType if "WINDOW" not in k.name)
        raise InputError(f"There is no kind of Python function {given!r} here; there are udf, {names}.")
    return found


def _returned(given: DataType | str) -> DataType:
    """A type, or the columns that a function of whole groups returns (`id int, v double`)."""
    if not isinstance(given, str):
        return given
    try:
        return parse_type(given)
    except InputError:
        if " " not in given.strip():
            raise
        try:
            return StructType(tuple(parse_fields(given)))
        except InputError:
            pass
        raise


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence on an unknown name: the known one nearest to it, or all of them."""
    names = list(dict.fromkeys(known))
    near = get_close_matches(name.lower(), [n.lower() for n in names], 1, 0.6)
    if near:
        return f"; did you mean {next(n for n in names if n.lower() == near[0])}?"
    return f"; there are {', '.join(names) or 'none'}."


def scaled_table(table: Table, factor: Fraction) -> Table:
    """A table with `factor` times its rows, bytes and nulls.

    Columns that identify rows (as many distinct values as rows, within 10 %) get as many more distinct values, and
    whole numbers among them a range as much wider. Other columns keep theirs, as many as there are rows at most: a key
    of another table's rows does not grow with this table's. Raises InputError for a factor of 0 or less.
    """
    if factor <= 0:
        raise InputError(f"A factor must be more than 0, not {float(factor):g}.")
    before, rows = table.row_count, times(table.row_count, factor)
    grown = [(name, scaled_statistics(s, factor, before, _whole(table, name))) for name, s in table.column_stats]
    stats = tuple([(name, with_rows(s, rows)) for name, s in grown])
    size = times(table.size_in_bytes, factor)
    return replace(table, row_count=rows, size_in_bytes=size, column_stats=stats, analyzed_at=None)


def _whole(table: Table, column: str) -> bool:
    data_type = table.type_of(column)
    return data_type is not None and is_integral(data_type)


@dataclass(frozen=True)
class Catalog:
    """Tables and views under lower-case names `database.table`; a view's name stands alone."""

    name: str = "empty"
    tables: dict[str, Table] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    description: str = ""
    #: The session's variables by lower-case name.
    variables: dict[str, Variable] = field(default_factory=dict)
    #: Functions written in SQL or Python, by lower-case name.
    functions: dict[str, OwnFunction] = field(default_factory=dict)
    #: What was passed over when the catalogue was read.
    notes: tuple[str, ...] = ()
    #: The database of names that have none, as USE sets it.
    current: str = DATABASE

    def table(self, parts: tuple[str, ...]) -> Table | None:
        """The table that a dotted name means: table, db.table or catalogue.db.table."""
        rest = parts[1:] if len(parts) == 3 and parts[0].lower() == CATALOG else parts
        if len(rest) > 2:
            return self.tables.get(".".join(parts).lower())
        database = rest[0].lower() if len(rest) == 2 else self.current
        return self.tables.get(f"{database}.{rest[-1].lower()}")

    def view(self, parts: tuple[str, ...]) -> View | None:
        """The view that a name means; a temporary one has no database."""
        if len(parts) == 2 and parts[0].lower() == GLOBAL_TEMP:
            return self.views.get(".".join(parts).lower())
        name, qualifier = parts[-1].lower(), tuple(p.lower() for p in parts[:-1])
        if not qualifier:
            found = self.views.get(name)
            if found is not None and (found.temporary or self.current == DATABASE):
                return found
            return self.views.get(f"{self.current}.{name}")
        if qualifier[0] == CATALOG and len(qualifier) == 2:
            qualifier = qualifier[1:]
        found = self.views.get(name if qualifier == (DATABASE,) else ".".join((*qualifier, name)))
        return None if found is None or found.temporary else found

    def with_table(self, table: Table) -> Catalog:
        """This catalogue and one more table (or another in place of one of the same name); temporary views hide it."""
        name = View(table.name, None, temporary=False, database=table.database).key
        views = {k: v for k, v in self.views.items() if k != name or v.temporary}
        return replace(self, tables={**self.tables, table.key: table}, views=views)

    def scaled(self, factor: float | Fraction, tables: Iterable[str] | None = None) -> Catalog:
        """This catalogue with `factor` times the data, in these tables or in all (see `scaled_table`).

        Raises InputError for an unknown table and for a factor of 0 or less.
        """
        wanted = list(self.tables.values())
        if tables is not None:
            wanted = [self._named(name) for name in tables]
        catalog = self
        for table in wanted:
            catalog = catalog.with_table(scaled_table(table, Fraction(factor)))
        return catalog

    def _named(self, name: str) -> Table:
        table = self.table(tuple(name.split(".")))
        if table is None:
            raise InputError(f"The catalogue has no table {name}{nearest(name, self.names())}")
        return table

    def with_statistics(
        self, table: str, *, column_stats: Mapping[str, ColumnStatistics] | None = None, **numbers: Unpack[TableNumbers]
    ) -> Catalog:
        """This catalogue with other `row_count`, `size_in_bytes`, `column_stats` (by column) in a table.

        Columns that are not named keep what is known of them. Raises InputError when there is no such table.
        """
        found = self.table(tuple(table.split(".")))
        if found is None:
            raise InputError(f"The catalogue {self.name} has no table {table}.")
        given = {name.lower(): (name, stats) for name, stats in (column_stats or {}).items()}
        kept = [(n, s) for n, s in found.column_stats if n.lower() not in given]
        return self.with_table(replace(found, column_stats=(*kept, *given.values()), **numbers))

    def with_view(self, view: View) -> Catalog:
        """This catalogue and one more view."""
        return replace(self, views={**self.views, view.key: view})

    def function(self, parts: tuple[str, ...]) -> OwnFunction | None:
        """The function that a name means, written in SQL or in a language."""
        found = self.functions.get(parts[-1].lower())
        if found is None or len(parts) == 1:
            return found
        database = tuple(p.lower() for p in parts[:-1])
        places = (("session",), ("system", "session")) if found.temporary else ((DATABASE,), (CATALOG, DATABASE))
        return found if database in places else None

    def with_function(self, function: OwnFunction) -> Catalog:
        """This catalogue and one more function."""
        return replace(self, functions={**self.functions, function.name.lower(): function})

    def without_function(self, name: str) -> Catalog:
        """This catalogue without a function."""
        return replace(self, functions={k: v for k, v in self.functions.items() if k != name.lower()})

    def using(self, database: str) -> Catalog:
        """This catalogue with names that have no database meaning this one's (USE)."""
        return replace(self, current=database.lower())

    def without_database(self, database: str) -> Catalog:
        """This catalogue without the tables and views of a database."""
        gone = database.lower()
        tables = {k: t for k, t in self.tables.items() if t.database.lower() != gone}
        views = {k: v for k, v in self.views.items() if v.temporary or v.database.lower() != gone}
        return replace(self, tables=tables, views=views)

    def variable(self, parts: tuple[str, ...]) -> Variable | None:
        """The variable that a name means: name, session.name, system.session.name, or row.column in a FOR."""
        if len(parts) == 2 and (found := self.variables.get(".".join(parts).lower())) is not None:
            return found
        if tuple(p.lower() for p in parts[:-1]) not in ((), ("session",), ("system", "session")):
            return None
        return self.variables.get(parts[-1].lower())

    def with_variable(self, variable: Variable) -> Catalog:
        """This catalogue and one more variable, or another value of it."""
        return replace(self, variables={**self.variables, variable.name.lower(): variable})

    def without_variable(self, name: str) -> Catalog:
        """This catalogue without a variable."""
        return replace(self, variables={k: v for k, v in self.variables.items() if k != name.lower()})

    def without(self, parts: tuple[str, ...]) -> Catalog:
        """This catalogue without a view of this name, or else without the table."""
        view = self.view(parts)
        if view is not None:
            return replace(self, views={k: v for k, v in self.views.items() if k != view.key})
        found = self.table(parts)
        gone = found.key if found else ""
        tables = {k: t for k, t in self.tables.items() if k != gone}
        return replace(self, tables=tables)

    def names(self) -> list[str]:
        """The names of all tables and views, sorted; those of the default database without it."""
        tables = [t.shown_name for t in self.tables.values()]
        return sorted(tables + [v.name for v in self.views.values()])
