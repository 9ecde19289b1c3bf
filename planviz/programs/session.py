"""The session of a program that is read: actions are noted down, tables that nobody knows are guessed from use."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from planviz.analysis.context import sql_text
from planviz.analysis.inference import infer
from planviz.catalog.tables import CATALOG, DATABASE, FILE_FORMATS, Buckets, Catalog, Table, placed
from planviz.config import OptimizerConfig
from planviz.dataframe.base import Frame
from planviz.dataframe.column import Column, literal, name_parts
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.rdd import RDD
from planviz.dataframe.readers import relation
from planviz.dataframe.refusals import BadRows
from planviz.dataframe.rows import Schema
from planviz.dataframe.writers import TableLayout
from planviz.errors import AnalysisError, InputError, ParseError, PlanvizError
from planviz.execution.written import about_files
from planviz.expressions.core import AttributeReference, Literal, SortOrder
from planviz.expressions.ids import fresh_ids, next_id
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.frontend import Statement, parse_script
from planviz.frontend.model import CREATED
from planviz.logical.operators import (
    Project,
    Sort,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, LogicalRDD, LogicalRelation, Range, cell
from planviz.logical.streams import NamedStreamingRelation, UnresolvedDataSource
from planviz.logical.unresolved import UnresolvedRelation
from planviz.programs.commands import command_rows
from planviz.programs.files import WrittenColumns, read_columns, written_columns
from planviz.programs.frames import PandasFrame, spark_rows
from planviz.programs.guessed_plans import starred
from planviz.programs.guesses import Again, Guesses, table_of_path
from planviz.programs.known_rows import MOST_ROWS, as_python, handed_over, known_rows
from planviz.programs.placeholders import filled, only_unknown, placeholder_names
from planviz.programs.python_tables import calls_untold
from planviz.programs.schema_inference import SchemaInference
from planviz.programs.unknown_rows import all_known, as_text, names_of
from planviz.programs.values import Unknown, UnknownRows, Value
from planviz.types import DataType, StructField, StructType, parse_fields

#: Statements of Delta Lake, Databricks and Hive that are no part of Spark's own SQL.
_FOREIGN = re.compile(
    r"\s*(?:optimize|vacuum|restore|convert|copy|grant|revoke|msck|fsck|clone|generate|reorg|apply|use\s+catalog|load"
    r"|export|import|lock|create\s+(?:external\s+location|catalog|share|volume|streaming|or\s+refresh|live|materialized)"
    r"|alter|undrop|sync|list|put|get|remove|%)\b",
    re.IGNORECASE,
)
#: What Delta Lake tells of a table, which reads like the description of a table of that name.
_TOLD_BY_DELTA = re.compile(r"\s*desc(?:ribe)?\s+(history|detail)\s+[\w`]", re.IGNORECASE)
#: Actions that need all rows, which a stream never has.
_OF_BATCHES = frozenset(
    ("show", "count", "collect", "take", "tail", "head", "first", "isEmpty", "toPandas", "toArrow", "toLocalIterator")
)


class ProgramSession(SchemaInference):
    """PySpark's `spark` of a program. `note` is told every action and gives what it stands for."""

    def __init__(
        self,
        catalog: Catalog | None,
        config: OptimizerConfig | None,
        guesses: Guesses,
        note: Callable[[str, object, int | None, LogicalPlan | None], object],
    ) -> None:
        super().__init__(catalog, config, guesses)
        self._guesses = guesses.tables
        #: What was described before the program began; what it writes is no description of files.
        self._described = self.catalog
        self.note = note
        #: Guessed tables of the catalogue by key.
        self._tables: dict[str, str] = {}
        #: The columns of files that the program wrote, by path; None where they are guessed.
        self._files: dict[str, WrittenColumns | None] = {}
        self._file_bytes: dict[str, int | None] = {}
        #: Rows that the program says, by the number of the LogicalRDD that they were handed over as.
        #: Names that stand in queries for values that the text does not tell.
        self._unnamed: set[str] = set()
        #: Classes that give rows, of which nobody knows the columns, under their names in SQL.
        self.untold_tables: set[str] = set()
        self._handed: dict[int, list[tuple[Value, ...]]] = {}

    # ------------------------------------------------------------------------------------------ what it does

    def act(self, name: str, frame: object, number: int | None = None, command: LogicalPlan | None = None) -> Value:
        """Note an action, with the command that it runs. Raises AnalysisError for one that a stream does not have."""
        if isinstance(frame, DataFrame) and frame.plan.is_streaming:
            _refuse_for_stream(name, frame)
        return self.note(name, frame, number, command)

    def is_batch(self, plan: LogicalPlan) -> bool:
        """Whether a plan surely reads no stream: a table that nothing describes may be one."""
        leaves = [p for p in plan.walk() if not p.children]
        known = [p for p in leaves if isinstance(p, LogicalRelation | Range | LocalRelation)]
        named = [p for p in known if isinstance(p, LogicalRelation) and p.name and self._guessed_leaf(p) is not None]
        return len(known) == len(leaves) and not named and super().is_batch(plan)

    def batch_of(self, frame: Frame) -> DataFrame:
        """The rows of one trigger; columns that later uses ask for are those of the stream."""
        key = f"columns of the batch of line {self.line()}"
        wanted = self.guesses.columns.setdefault(key, {})
        have = {a.name.lower() for a in frame.output}
        for name in [f.name for n, f in wanted.items() if n not in have] if self.may_grow(frame) else []:
            self.learn_column(frame.plan, name)
        made = super().batch_of(frame)
        if self.may_grow(frame):
            self._rows[id(made.plan)] = key
            self._kept.append(made.plan)
        return made

    def rows_of(self, frame: DataFrame) -> list[Value] | None:
        """The rows of a DataFrame as collect() gives them, None where the program does not tell them."""
        rows = known_rows(frame.plan, self._handed)
        return None if rows is None else as_python(frame.plan, rows)

    def act_on_rows(self, rows: RDD) -> Value:
        """Rows that nobody knows: RDDs have no plans."""
        return UnknownRows("rows of an RDD")

    def pivot_values(self, frame: object, column: object) -> list[Value]:
        """The values of a pivot that the program does not list: of rows that it says, else those that it names as
        columns of the result."""
        line = self.line()
        found = self._distinct(frame, column)
        if found is not None:
            return found
        told = f"Line {line}: Spark runs a query to find the values of the pivot; planned with those that are named."
        self.notes[told] = None
        self._pivot = line
        return list(self.guesses.pivots.get(line, ()))

    def _distinct(self, frame: Value, column: Value) -> list[Value] | None:
        """The values of a column in order, as far as the program says the rows; notes nothing."""
        with fresh_ids():
            values = frame.select(column).distinct()
            (attribute,) = values.output
            rows = known_rows(Sort((SortOrder(attribute),), True, values.plan), self._handed)
        return None if rows is None else [Literal(v, attribute.data_type) for (v,) in rows]

    def quiet(self, frame: DataFrame) -> bool:
        """Whether nothing would be shown of a DataFrame: one without columns, as commands give."""
        return not frame.output

    def note_table(self, name: str, frame: Any, layout: TableLayout) -> None:
        """Later statements may read a table that the program writes."""
        if "<" in name:
            return
        parts = name_parts(name)
        if self.catalog.table(parts) is None and self.catalog.view(parts) is None:
            database = parts[-2] if len(parts) > 1 else self.catalog.current
            fields = {a.name.lower(): StructField(a.name, a.type, True) for a in frame.output}
            folders = [n.lower() for n in layout.partitions]
            ordered = [f for k, f in fields.items() if k not in folders] + [fields[k] for k in folders if k in fields]
            known = layout.provider if layout.provider in FILE_FORMATS else "parquet"
            table = Table(
                parts[-1], tuple(ordered), database, known, tuple(fields[k].name for k in folders if k in fields)
            )
            table = replace(table, size_in_bytes=self._written_bytes(frame, layout.provider))
            if layout.buckets is not None:
                table = replace(table, buckets=Buckets(layout.buckets[1], layout.buckets[0], layout.sorted_by))
            self.catalog = self.catalog.with_table(table)

    def _written_bytes(self, frame: DataFrame, provider: str) -> int | None:
        """About how many bytes the rows of a DataFrame take in files, None where the program does not tell the rows."""
        rows = known_rows(frame.plan, self._handed)
        if rows is None:
            return None
        return about_files(provider, len(frame.output)) + len(rows) * sum(
            a.data_type.default_size for a in frame.output
        )

    def note_files(self, path: object, frame: object, layout: TableLayout) -> None:
        """The program may read the files that it writes; guessed columns are left to their uses."""
        if path is None or layout.provider not in FILE_FORMATS or not isinstance(frame, DataFrame):
            return
        plan = frame.plan
        guessed = any(id(p) in self._rows or self._guessed_leaf(p) is not None for p in plan.walk())
        again = str(path) in self._files
        rows = known_rows(plan, self._handed) if layout.partitions and not guessed else None
        self._files[str(path)] = None if guessed else written_columns(frame.output, layout, rows)
        # What is written once more may come on top of what is there.
        self._file_bytes[str(path)] = None if guessed or again else self._written_bytes(frame, layout.provider)

    def table(self, tableName: str) -> DataFrame:  # noqa: N803  PySpark's name
        """A table or view, guessed where nobody knows it and guessing is allowed."""
        # A placeholder is no name as names are written; its own points part nothing.
        quoted = str(tableName)
        if "<" in quoted and "`" not in quoted:
            quoted = ".".join(f"`{part}`" for part in re.findall(r"(?:<[^<>]*>|[^.])+", quoted))
        parts = name_parts(quoted)
        if self.catalog.table(parts) is None and self.catalog.view(parts) is None:
            named = placed(Table(parts[-1], (), self.catalog.current), parts)
            untold = {p for p in parts if "<" in p}
            if not self._declare_described(named, untold) and (
                self.guesses.tables or untold or self._is_elsewhere(named)
            ):
                self._declare(named)
        return super().table(quoted)

    def _is_elsewhere(self, named: Table) -> bool:
        """Whether a table is in another catalogue, which the settings of the session tell of (Iceberg's, say)."""
        return f"spark.sql.catalog.{named.catalog}" in self.config.settings

    def _declare_described(self, named: Table, untold: set[str]) -> bool:
        """Where the text tells of a table's name all but the database: whether the catalogue describes just one table
        that is called so, which it is taken for."""
        elsewhere = self._described.tables.get(f"{named.database}.{named.name}".lower())
        if named.catalog != CATALOG and elsewhere is not None and named.key not in self._described.tables:
            self.notes[f"The table {named.shown_name} is taken to be {elsewhere.shown_name} of the catalogue."] = None
            self.catalog = self.catalog.with_table(replace(elsewhere, catalog=named.catalog))
            return True
        if not untold or named.name in untold:
            return False
        found = [t for t in self._described.tables.values() if t.name.lower() == named.name.lower()]
        if len(found) != 1:
            return False
        told = (
            f"The table {named.shown_name} is taken to be {found[0].shown_name}: the text does not tell its database."
        )
        self.notes[told] = None
        same = replace(found[0], name=named.name, database=named.database, catalog=named.catalog)
        self.catalog = self.catalog.with_table(same)
        return True

    def _declare(self, named: Table) -> None:
        """Let the catalogue have a guessed table as far as it is known."""
        known = self.guesses.of(named.shown_name)
        self.catalog = self.catalog.with_table(replace(named, columns=known.columns, guessed=known.guessed))
        self._tables[named.key] = named.shown_name

    def from_source(
        self,
        provider: str,
        path: object,
        fields: tuple[StructField, ...] | None,
        options: dict[str, object] | None = None,
    ) -> DataFrame:
        """The rows of files; without a schema those of the catalogue's table of that name, else they are guessed."""
        if isinstance(path, RDD | DataFrame):
            # Texts that are read as JSON, XML or CSV: rows of which only the data tell the columns.
            if fields is not None:
                return super().createDataFrame([], StructType(tuple(fields)))
            return self.guessed_rows(f"{provider} of line {self.line()}")
        several = [self._files.get(str(p)) for p in path] if isinstance(path, list) and path else []
        alike = bool(several) and all(w is not None and w == several[0] for w in several)
        written = several[0] if alike else self._files.get(str(path))
        found = None if written is None else read_columns(written, provider, options or {})
        if fields is None and written is not None and found is not None:
            with self.numbering():
                size = self._file_bytes.get(str(path))
                return DataFrame(self, relation(provider, path, found, tuple(f.name for f in written.folders), size))
        if fields is not None:
            # Columns of the files' folders come last, whatever the schema says.
            folders = [] if written is None else [f.name.lower() for f in written.folders]
            last = [f for f in fields if f.name.lower() in folders]
            if last:
                ordered = (*(f for f in fields if f not in last), *last)
                with self.numbering():
                    size = self._file_bytes.get(str(path))
                    return DataFrame(self, relation(provider, path, ordered, tuple(f.name for f in last), size))
            return super().from_source(provider, path, fields)
        named = table_of_path(str(path[0] if isinstance(path, list) and path else path), self._described)
        if named is not None and named.key not in self._tables:
            self.notes[f"The files {path} are taken to have the columns of the table {named.shown_name}."] = None
            return super().from_source(provider, path, named.columns)
        given = options or {}
        self.guesses.reads(str(path), provider, str(given.get("inferschema", "")).lower() == "true")
        return self.guessed(str(path), provider)

    def createDataFrame(
        self, data: object, schema: Schema | Unknown = None, *given: object, **named: object
    ) -> DataFrame:
        """Rows of a program; where nobody knows them or their columns, the columns are guessed from their use."""
        if isinstance(data, PandasFrame):
            found = self._of_pandas(data, schema)
            if found is not None:
                return found
        rows = data.rows if isinstance(data, RDD) else list(data) if isinstance(data, dict) else data
        if isinstance(schema, str | DataType):
            told = list(rows) if isinstance(rows, list | tuple) else []
            return self._keep(super().createDataFrame(told, schema), data if told else None)
        if isinstance(rows, bool | int | float) and not isinstance(schema, Unknown):
            raise TypeError(f"'{type(rows).__name__}' object is not iterable")
        names = [n for n in schema if isinstance(n, str)] if isinstance(schema, list | tuple) else []
        if isinstance(rows, list | tuple) and rows and not isinstance(schema, Unknown):
            try:
                return self._keep(super().createDataFrame([as_text(r) for r in rows], schema), data)
            except (BadRows, IndexError):
                if all_known(rows):
                    raise
                names = names or names_of(rows)
            except (InputError, TypeError):
                names = names or names_of(rows)
        if isinstance(rows, list | tuple) and not rows and not self.guesses.tables:
            return super().createDataFrame(rows, None if isinstance(schema, Unknown) else schema)
        return self.guessed_rows(f"rows of line {self.line()}", names)

    def _keep(self, frame: DataFrame, data: object) -> DataFrame:
        """A DataFrame of rows that the program says, and these rows for what needs them."""
        rows = (data.rows if data.whole else None) if isinstance(data, RDD) else data
        if not isinstance(rows, list | tuple) or len(rows) > MOST_ROWS or not isinstance(frame.plan, LogicalRDD):
            return frame
        names, types = frame.columns, [a.data_type for a in frame.output]
        made = [handed_over(r, names, types) for r in rows]
        known = [r for r in made if r is not None]
        if len(known) == len(made):
            self._handed[frame.plan.rdd] = known
        return frame

    def _of_pandas(self, data: PandasFrame, schema: Value) -> DataFrame | None:
        """Rows of a DataFrame of pandas, None where it may have changed: by way of Arrow Spark has a LocalRelation."""
        given = parse_fields(schema) if isinstance(schema, str) else getattr(schema, "fields", None)
        try:
            names, types, rows = spark_rows(data, schema if given is None else [f.name for f in given])
        except InputError:
            return None
        kinds = types if given is None else [f.data_type for f in given]
        with self.numbering():
            columns = tuple(AttributeReference(n, t, True, next_id()) for n, t in zip(names, kinds, strict=True))
            by_arrow = self.config.flag("spark.sql.execution.arrow.pyspark.enabled")
            handed = None if by_arrow else LogicalRDD(columns, next_id())
        if handed is not None:
            return self._keep(DataFrame(self, handed), [tuple(row) for row in rows])
        cells = [tuple(cell(Literal(v, t), k) for v, t, k in zip(row, types, kinds, strict=True)) for row in rows]
        return DataFrame(self, LocalRelation(columns, tuple(cells)))

    def sql(self, text: str, args: object = None, **kwargs: object) -> DataFrame:
        """A query as a DataFrame; `args` are the values of its parameters, `kwargs` those of {name}."""
        asked = re.findall(r"(?<!\{)\{(\w+)(?:\.\w+|\[\w+\])?\}", text) if kwargs else ()
        for name in asked:
            if name not in kwargs:
                raise KeyError(name)  # as Python's format() does
        for name, value in kwargs.items():
            if isinstance(value, DataFrame):
                self.with_view(f"_{name}", value.plan)
                # {df.a} and {df[a]} are columns of the view that {df} is.
                text = re.sub(rf"\{{{name}(?:\.(\w+)|\[(\w+)\])\}}", rf"_{name}.\1\2", text)
            shown = f"_{name}" if isinstance(value, DataFrame) else _written(value)
            text = text.replace("{" + name + "}", shown)
        if self.incomplete:
            # A view may be missing, whose columns would be taken for those of a table.
            raise Again
        if only_unknown(text) or calls_untold(text, self.untold_tables):
            return self.guessed_rows(f"query of line {self.line()}")
        told = _TOLD_BY_DELTA.match(text)
        if told is not None:
            return self.guessed_rows(f"{told[1].lower()} of line {self.line()}")
        whole, untold = filled(text), placeholder_names(text)
        self._unnamed |= untold
        self.writes_untold |= bool(untold)
        if whole != text:
            self.notes[f"Line {self.line()}: values that the text does not tell stand as names or 1 in the query."] = (
                None
            )
            text = whole
        self._learn_from_query(text, untold)
        self.params = parameters(args)
        try:
            made = super().sql(text)
            return made if made.output else self._rows_of_command(text, made)
        except ParseError:
            if not _FOREIGN.match(text):
                raise
            self.notes[
                f"Line {self.line()}: {text.split()[0].upper()} is no statement of Spark itself; it is passed over."
            ] = None
            return DataFrame(self, LocalRelation(()))
        finally:
            self.params = None

    def _rows_of_command(self, text: str, made: DataFrame) -> DataFrame:
        """What a command gives, where it gives rows."""
        with self.numbering():
            found = command_rows(text, self.catalog)
        if found is None:
            return made
        result, asked = found
        frame = DataFrame(self, result)
        frame.execution.written_as(asked)
        return frame

    def define(self, statement: Statement) -> None:
        """A definition or command; the query whose rows it writes or changes is an action."""
        if statement.kind == "create_view" and statement.plan is not None:
            stars = [p.origin for p in statement.plan.walk() if isinstance(p, Project) and starred(p)]
            self._view_stars |= {origin for origin in stars if origin is not None}
        # What a statement names with a value that nobody knows cannot be looked up.
        self._guesses = self.guesses.tables or any(name in statement.sql for name in self._unnamed)
        self._guesses |= any(
            f"spark.sql.catalog.{part}" in self.config.settings for part in _first_names(statement.sql)
        )
        try:
            super().define(statement)
        except AnalysisError as e:
            if not self.guesses.columns or not e.error_class.startswith("INCOMPATIBLE_DATA_FOR_TABLE"):
                raise
            self.notes[f"Line {self.line()}: types that are guessed do not fit the table that is written."] = None
        written = statement.written
        if written is not None and statement.kind != "create_view":
            frame = DataFrame(self, written, statement.sql)
            command, notes = self.command_over(statement, frame.plan) or (None, [])
            self.notes |= dict.fromkeys(f"Line {self.line()}: {note}" for note in notes if note != CREATED)
            self.act(f"sql.{statement.kind}", frame, command=command)
            self._fill(statement, frame.execution)
        elif statement.changed is not None and statement.command is not None:
            frame = DataFrame(self, statement.changed, statement.sql)
            self.act(f"sql.{statement.command.verb.lower()}", frame)

    def _learn_from_query(self, text: str, untold: set[str]) -> None:
        """What a query asks of guessed tables, of views over them, and of files by their path. `untold` are names in it
        that stand for what the program does not tell.

        Raises Again where a table that was read before has to have more columns.
        """
        leaves = self._open_views()
        tables = {k: t for k, t in self.catalog.tables.items() if k not in self._tables}
        views = {k: v for k, v in self.catalog.views.items() if k not in leaves}
        hidden = replace(self.catalog, tables=tables, views=views)
        try:
            with fresh_ids():
                plans = [p for s in parse_script(text) for p in s.read]
            known, _ = infer(plans, hidden)
        except (PlanvizError, RecursionError):
            return
        learned = False
        for key, found in known.tables.items():
            if key in tables:
                continue
            # A name without a database is the current one's.
            table = replace(found, database=self.catalog.current) if found.database == DATABASE else found
            names = (table.name, table.database, table.catalog)
            leaf = leaves.get(table.name.lower()) if found.database == DATABASE else None
            if leaf is not None:
                learned |= self._learn_columns(leaf[0], table, leaf[1])
            elif table.database.lower() in FILE_FORMATS:
                self._declare_files(table)
            elif self._declare_described(table, untold.intersection(names)):
                continue
            elif self.guesses.tables or self._is_elsewhere(table) or untold.intersection(names):
                before = table.key in self._tables
                learned |= self._learn_columns(table.shown_name, table) and before
                self._declare(table)
        if learned:
            raise Again

    def _learn_columns(self, key: str, table: Table, have: frozenset[str] = frozenset()) -> bool:
        new = [c for c in table.columns if c.name.lower() not in have and c.name != "unknown"]
        return any([self._learn(key, c.name, c.data_type) for c in new])

    def _declare_files(self, table: Table) -> None:
        named = table_of_path(table.name, self._described)
        if named is not None:
            self.notes[f"The files {table.name} are taken to have the columns of the table {named.shown_name}."] = None
            self.catalog = self.catalog.with_table(replace(table, columns=named.columns, guessed=frozenset()))
            return
        self._learn_columns(table.name, table)
        known = self.guesses.of(table.name)
        self.catalog = self.catalog.with_table(replace(table, columns=known.columns, guessed=known.guessed))
        self._tables[table.key] = table.name

    def _open_views(self) -> dict[str, tuple[str, frozenset[str]]]:
        """Views over guessed tables: which one, and the columns that the view has."""
        found = {}
        for key, view in self.catalog.views.items():
            if view.plan is None or not view.plan.resolved:
                continue
            leaves = self._open(view.plan)
            if leaves:
                found[key] = leaves[0][1], frozenset(a.name.lower() for a in view.plan.output)
        return found

    def table_exists(self, parts: tuple[str, ...]) -> Value:
        """Whether there is a table or view; nobody knows of one that nothing describes, where tables are guessed."""
        known = super().table_exists(parts)
        return Unknown(f"tableExists({'.'.join(parts)})") if not known and self.guesses.tables else known


def _refuse_for_stream(name: str, frame: DataFrame) -> None:
    """Raise AnalysisError for an action that needs all rows, and for showing the plan of a stream that is read by SQL:
    Spark does not know it for a stream before it is analyzed."""
    if name in _OF_BATCHES or (name == "explain" and not _asks_for_stream(frame.execution.parsed)):
        told = "Queries with streaming sources must be executed with writeStream.start()"
        raise AnalysisError("_LEGACY_ERROR_TEMP_3102", told)


def _asks_for_stream(parsed: LogicalPlan) -> bool:
    """Whether a plan is known to be of a stream as it was written."""
    if isinstance(parsed, UnresolvedRelation):
        return parsed.streaming
    return parsed.is_streaming or isinstance(parsed, NamedStreamingRelation | UnresolvedDataSource)


def _first_names(text: str) -> set[str]:
    """The first parts of the names of several parts in a query."""
    return set(re.findall(r"(?<![\w.`])`?(\w+)`?(?=\.)", text))


def _written(value: object) -> str:
    """A value as it is put into the text of a query: a column as SQL, anything else as Python shows it."""
    if not isinstance(value, Column):
        return str(value)
    if isinstance(value.expr, UnresolvedAttribute):
        return sql_text(value.expr.parts)
    return str(value.expr.sql)


def parameters(args: object) -> Value:
    """The values of a query's parameters: by name, or in order."""
    if isinstance(args, dict):
        return {str(k): literal(v) if not isinstance(v, Column) else v.expr for k, v in args.items()}
    if isinstance(args, list | tuple):
        return [literal(v) if not isinstance(v, Column) else v.expr for v in args]
    return None
