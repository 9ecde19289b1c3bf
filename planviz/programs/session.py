"""The session of a program that is read: actions are noted down, tables that nobody knows are guessed from use."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from planviz.analysis.context import sql_text
from planviz.analysis.inference import infer
from planviz.catalog.tables import DATABASE, FILE_FORMATS, Buckets, Catalog, Table, placed
from planviz.config import OptimizerConfig
from planviz.dataframe.base import Frame
from planviz.dataframe.column import Column, literal, name_parts
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.rdd import RDD
from planviz.dataframe.readers import relation
from planviz.dataframe.refusals import BadRows
from planviz.dataframe.rows import Schema
from planviz.dataframe.session import SparkSession
from planviz.dataframe.writers import TableLayout
from planviz.errors import AnalysisError, InputError, ParseError, PlanvizError
from planviz.execution import QueryExecution
from planviz.execution.written import about_files
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, NamedExpression, SortOrder
from planviz.expressions.ids import fresh_ids, next_id
from planviz.expressions.objects import ScalaUDF
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedAttribute
from planviz.frontend import Statement, parse_script
from planviz.logical.combining import Join, SetOperation, Union, WithCTE
from planviz.logical.operators import (
    Aggregate,
    Deduplicate,
    Filter,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    Sample,
    Sort,
    SubqueryAlias,
    View,
)
from planviz.logical.plan import ANALYZED, LogicalPlan
from planviz.logical.relations import LocalRelation, LogicalRDD, LogicalRelation, Range, cell
from planviz.logical.unresolved import Pivot, UnresolvedRelation
from planviz.programs.files import WrittenColumns, read_columns, written_columns
from planviz.programs.frames import PandasFrame, spark_rows
from planviz.programs.guesses import Again, Guesses, pivot_key, table_of_path
from planviz.programs.known_rows import MOST_ROWS, as_python, handed_over, known_rows
from planviz.programs.placeholders import filled, only_unknown
from planviz.programs.retyping import columns_read, source, wanted_types
from planviz.programs.signals import LimitReached
from planviz.programs.unknown_rows import all_known, as_text, names_of
from planviz.programs.values import Unknown, UnknownRows, Value
from planviz.trees.memo import place
from planviz.types import BOOLEAN, DOUBLE, STRING, DataType, StructField, StructType, parse_fields

#: How many plans are made of one program at most, and how long that may take (seconds of this process).
MOST_PLANS, LONGEST_TIME = 30_000, 20.0
#: How many readings of a program only learn from its statements one step further than the reading before.
FEW_READINGS = 10
#: Statements of Delta Lake, Databricks and Hive that are no part of Spark's own SQL.
_FOREIGN = re.compile(
    r"\s*(?:optimize|vacuum|restore|convert|copy|grant|revoke|msck|fsck|clone|generate|reorg|apply|use\s+catalog|load"
    r"|export|import|lock|create\s+(?:external\s+location|catalog|share|volume|streaming|or\s+refresh|live|materialized)"
    r"|alter|undrop|sync|list|put|get|remove|%)\b",
    re.IGNORECASE,
)
#: A column of which the text does not tell the name.
_UNTOLD = re.compile(r"<[^<>]+>")
#: Between the names of guessed tables that a union reads.
_TOGETHER = "\0"
#: Actions that need all rows, which a stream never has.
_OF_BATCHES = frozenset(
    ("show", "count", "collect", "take", "tail", "head", "first", "isEmpty", "toPandas", "toArrow", "toLocalIterator")
)
#: What keeps state between triggers in a streaming query, by the operator of the batch.
_STATEFUL = {"Deduplicate": "StreamingDeduplicate", "Join": "StreamingSymmetricHashJoin"}
_PASSING = (Filter, Sort, GlobalLimit, LocalLimit, Offset, Sample, SubqueryAlias)


class ProgramSession(SparkSession):
    """PySpark's `spark` of a program. `note` is told every action and gives what it stands for."""

    def __init__(
        self,
        catalog: Catalog | None,
        config: OptimizerConfig | None,
        guesses: Guesses,
        note: Callable[[str, object, int | None], object],
    ) -> None:
        super().__init__(catalog, config)
        self._guesses = guesses.tables
        #: What was described before the program began; what it writes is no description of files.
        self._described = self.catalog
        self.guesses, self.note = guesses, note
        #: Where the call that is being read stands: the program's text and the character, None before the first.
        self.origin: tuple[str, int] | None = None
        self.began = guesses.began
        self.plans = 0
        #: Whether a statement was passed over, because more is known of a guessed table: this reading only learns.
        self.incomplete = False
        #: Whether a plan was given columns that its guessed table was not known to have: this reading only learns.
        self.learning = False
        #: Sentences about what was taken to be so, in order.
        self.notes: dict[str, None] = {}
        #: Guessed tables of the catalogue by key, and plans through which further columns of guessed tables go.
        self._tables: dict[str, str] = {}
        self._passing: dict[int, LogicalPlan] = {}
        #: Names in texts of SQL that stand for columns of which the program does not tell the name.
        self.untold: set[str] = set()
        #: What was noted once.
        self._told: set[str] = set()
        #: Where in the texts of views made by SQL a projection takes all columns of what it reads.
        self._view_stars: set[tuple[str, int]] = set()
        self._kept: list[LogicalPlan] = []
        #: The line of a pivot whose values are not listed, until it is aggregated; results of such pivots by identity.
        self._pivot = 0
        #: Rows of which only uses tell the columns, by the identity of their plan.
        self._rows: dict[int, str] = {}
        #: The columns of files that the program wrote, by path; None where they are guessed.
        self._files: dict[str, WrittenColumns | None] = {}
        self._file_bytes: dict[str, int | None] = {}
        #: Rows that the program says, by the number of the LogicalRDD that they were handed over as.
        self._handed: dict[int, list[tuple[Value, ...]]] = {}
        self._passing_pivots: dict[int, str] = {}
        #: The columns that plans were given of guessed tables, by id.
        self._made: dict[int, tuple[str, Alias]] = {}

    # ------------------------------------------------------------------------------------------ what it does

    def tell(self, what: str, line: int) -> None:
        """Note what was taken to be so, once, at the first line where it was."""
        if what not in self._told:
            self._told.add(what)
            self.notes[f"Line {line}: {what}"] = None

    def act(self, name: str, frame: object, number: int | None = None) -> Value:
        """Note an action. Raises AnalysisError for one that a stream does not have."""
        if isinstance(frame, DataFrame) and self.is_streaming(frame.plan):
            if name in _OF_BATCHES:
                told = "Queries with streaming sources must be executed with writeStream.start()"
                raise AnalysisError("_LEGACY_ERROR_TEMP_3102", told)
            self._tell_of_stream(frame.plan)
        return self.note(name, frame, number)

    def _tell_of_stream(self, plan: LogicalPlan) -> None:
        kept = [p for p in plan.walk() if isinstance(p, Aggregate | Deduplicate | Join)]
        streams = [p for p in kept if not isinstance(p, Join) or all(map(self.is_streaming, p.children))]
        names = dict.fromkeys(_STATEFUL.get(p.node_name, "StateStoreRestore and StateStoreSave") for p in streams)
        told = "a streaming query is planned as the batch of what one trigger takes"
        self.tell(f"{told}; Spark adds {', '.join(names)}." if names else f"{told}.", self.line())

    def is_batch(self, plan: LogicalPlan) -> bool:
        """Whether a plan surely reads no stream: a table that nothing describes may be one."""
        leaves = [p for p in plan.walk() if not p.children]
        known = [p for p in leaves if isinstance(p, LogicalRelation | Range | LocalRelation)]
        named = [p for p in known if isinstance(p, LogicalRelation) and p.name]
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

    def line(self) -> int:
        """The line of the call that is being read, 0 before the first."""
        return 0 if self.origin is None else self.origin[0].count("\n", 0, self.origin[1]) + 1

    def quiet(self, frame: DataFrame) -> bool:
        """Whether nothing would be shown of a DataFrame: one without columns, as commands give."""
        return not frame.output

    def note_dropped(self, plan: LogicalPlan) -> None:
        """What drops or fills columns hands on whatever else a guessed table has."""
        self._passing[id(plan)] = plan
        self._kept.append(plan)

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

    def execution(self, plan: LogicalPlan, sql: str = "") -> QueryExecution:
        """The execution of a plan, analyzed; a column that a guessed table may have begins the reading anew."""
        self.plans += 1
        # What is learned is of use only to a reading behind it.
        longest = LONGEST_TIME / 2 if self.learning else LONGEST_TIME
        if self.plans > MOST_PLANS or time.process_time() - self.began > longest:
            raise LimitReached("the program makes too many DataFrames")
        self.mark(plan)
        if isinstance(plan, Union | SetOperation) and self.guesses.columns and plan.children_resolved:
            self._learn_from_others(plan)
        if self.learning and self._made:
            plan = self._with_made(plan)
        plan, listed = self._with_listed(plan)
        made = super().execution(plan, sql)
        try:
            analyzed = made.analyzed
        except AnalysisError as error:
            if self.guesses.columns and error.error_class.startswith(("UNRESOLVED_COLUMN", "UNRESOLVED_USING")):
                grown = self._learn_from(plan)
                if grown is not None:
                    return self.execution(grown, sql)
            if self.guesses.columns:
                self._retype_from(plan, error)
            stood = self._with_known(plan) if error.error_class.startswith("UNRESOLVED_COLUMN") else None
            if stood is not None:
                return self.execution(stood, sql)
            raise
        if listed:
            self._rows[id(analyzed)] = listed
            self._kept.append(analyzed)
        if isinstance(plan, Pivot) and self._pivot:
            self._passing_pivots[id(analyzed)] = pivot_key(self._pivot, plan.aggregates)
            self._kept.append(analyzed)
            self._pivot = 0
        if not self.guesses.columns:
            return made
        if len(plan.children) > 1 and len(plan.children) == len(analyzed.children):
            for before, after in zip(plan.children, analyzed.children, strict=True):
                self._carry(before, after)
        stars = {p.origin for p in _new_in(plan) if isinstance(p, Project) and _starred(p) and p.origin is not None}
        if self._view_stars and any(isinstance(p, UnresolvedRelation) for p in _new_in(plan)):
            stars |= self._view_stars
            # The columns of a view are cast to the types that it was made with.
            views = [p.child for p in analyzed.walk() if isinstance(p, View)]
            self._passing |= {id(p): p for p in views if isinstance(p, Project)}
        if stars:
            self._passing |= {id(p): p for p in analyzed.walk() if isinstance(p, Project) and p.origin in stars}
            self._kept.append(analyzed)
        if isinstance(plan, Union) and plan.by_name:
            self._passing |= {id(c): c for c in analyzed.children if isinstance(c, Project)}
            self._kept.append(analyzed)
        joined = isinstance(plan, Join) and isinstance(analyzed, Project)
        starred = isinstance(plan, Project) and any("Star" in type(p).__name__ for p in plan.projects)
        if joined or starred or (isinstance(analyzed, Project) and _lists_all(analyzed)):
            self._passing[id(analyzed)] = plan
            self._kept.append(analyzed)
        return made

    def _carry(self, before: LogicalPlan, after: LogicalPlan) -> None:
        """What is known of an input counts for the one with ids of its own, too, as a set read twice has."""
        todo = [(before, after)]
        while todo:
            old, new = todo.pop()
            if old is new or type(old) is not type(new) or len(old.children) != len(new.children):
                continue
            if id(old) in self._passing:
                self._passing[id(new)] = new
            for known in (self._rows, self._passing_pivots):
                if id(old) in known:
                    known[id(new)] = known[id(old)]
            self._kept.append(new)
            todo += zip(old.children, new.children, strict=True)

    def table(self, tableName: str) -> DataFrame:  # noqa: N803  PySpark's name
        """A table or view, guessed where nobody knows it and guessing is allowed."""
        # A placeholder stands for the whole name, unless the parts are quoted already.
        quoted = tableName if "<" not in str(tableName) or "`" in str(tableName) else f"`{tableName}`"
        parts = name_parts(quoted)
        if self.guesses.tables and self.catalog.table(parts) is None and self.catalog.view(parts) is None:
            self._declare(placed(Table(parts[-1], (), self.catalog.current), parts))
        return super().table(quoted)

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
        if isinstance(rows, list | tuple) and not rows and not self.guesses.tables and not names:
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
        """Rows of a DataFrame of pandas, None where it may have changed: Spark has them as a LocalRelation."""
        given = parse_fields(schema) if isinstance(schema, str) else getattr(schema, "fields", None)
        try:
            names, types, rows = spark_rows(data, schema if given is None else [f.name for f in given])
        except InputError:
            return None
        kinds = types if given is None else [f.data_type for f in given]
        with self.numbering():
            columns = tuple(AttributeReference(n, t, True, next_id()) for n, t in zip(names, kinds, strict=True))
        cells = [tuple(cell(Literal(v, t), k) for v, t, k in zip(row, types, kinds, strict=True)) for row in rows]
        return DataFrame(self, LocalRelation(columns, tuple(cells)))

    def guessed_rows(self, key: str, names: Sequence[str] = ()) -> DataFrame:
        """Rows that only running the program would give; their columns are guessed from their use."""
        self.guesses.columns.setdefault(key, {})
        for name in names:
            self.guesses.learn(key, name)
        with self.numbering():
            fields = self.guesses.of(key).columns
            columns = tuple(AttributeReference(f.name, f.data_type, True, next_id()) for f in fields)
        made = LogicalRDD(columns, next_id())
        self._rows[id(made)] = key
        self._kept.append(made)
        return DataFrame(self, made)

    def named_rows(self, frame: DataFrame, names: Sequence[str]) -> DataFrame | None:
        """Rows that only running the program would give with the names that it gives them; None for other rows."""
        key = self._rows.get(id(frame.plan))
        if key is None or not names or isinstance(frame.plan, Project):
            return None
        return self.guessed_rows(key, names)

    def opaque(self, frame: DataFrame, name: str) -> DataFrame:
        """What a function of objects makes of rows: fewer of them for a filter, else rows that nobody knows."""
        if name in ("filter", "where"):
            condition = ScalaUDF(frame.output, BOOLEAN, "<function>")
            return frame.derived(Filter(condition, frame.plan))
        return self.guessed_rows(f"{name} of line {self.line()}")

    def transformed(self, frame: DataFrame, name: str, outputs: Sequence[str]) -> DataFrame:
        """A DataFrame with the columns that a model adds; further ones are guessed from their use."""
        key = f"columns of {name} of line {self.line()}"
        self.guesses.columns.setdefault(key, {})
        for one in dict.fromkeys(outputs):
            self.guesses.learn(key, one)
        have = {a.name.lower() for a in frame.output}
        with self.numbering():
            made = [
                Alias(ScalaUDF(frame.output, f.data_type), f.name, next_id())
                for f in self.guesses.of(key).columns
                if f.name.lower() not in have
            ]
        result = frame.derived(Project((*frame.output, *made), frame.plan))
        self._rows[id(result.plan)] = key
        self._kept.append(result.plan)
        return result

    def guessed(self, key: str, provider: str = "parquet") -> DataFrame:
        """A source of which only its uses tell the columns."""
        table = self.guesses.of(key)
        with self.numbering():
            made = relation(provider, key, table.columns)
        made = made.replace(table=replace(table, provider=provider))
        self._kept.append(made)
        return DataFrame(self, made)

    def sql(self, text: str, args: object = None, **kwargs: object) -> DataFrame:
        """A query as a DataFrame; `args` are the values of its parameters, `kwargs` those of {name}."""
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
        if only_unknown(text):
            return self.guessed_rows(f"query of line {self.line()}")
        whole = filled(text)
        if whole != text:
            self.notes[f"Line {self.line()}: values that the text does not tell stand as names or 1 in the query."] = (
                None
            )
            text = whole
        self._learn_from_query(text)
        self.params = parameters(args)
        try:
            return super().sql(text)
        except ParseError:
            if not _FOREIGN.match(text):
                raise
            self.notes[
                f"Line {self.line()}: {text.split()[0].upper()} is no statement of Spark itself; it is passed over."
            ] = None
            return DataFrame(self, LocalRelation(()))
        finally:
            self.params = None

    def define(self, statement: Statement) -> None:
        """A definition or command; the query whose rows it writes or changes is an action."""
        if statement.kind == "create_view" and statement.plan is not None:
            stars = [p.origin for p in statement.plan.walk() if isinstance(p, Project) and _starred(p)]
            self._view_stars |= {origin for origin in stars if origin is not None}
        try:
            super().define(statement)
        except AnalysisError as e:
            if not self.guesses.columns or not e.error_class.startswith("INCOMPATIBLE_DATA_FOR_TABLE"):
                raise
            self.notes[f"Line {self.line()}: types that are guessed do not fit the table that is written."] = None
        written = statement.written
        if written is not None and statement.kind != "create_view":
            frame = DataFrame(self, written, statement.sql)
            self.act(f"sql.{statement.kind}", frame)
            self._fill(statement, frame.execution)
        elif statement.changed is not None and statement.command is not None:
            frame = DataFrame(self, statement.changed, statement.sql)
            self.act(f"sql.{statement.command.verb.lower()}", frame)

    def _learn_from_query(self, text: str) -> None:
        """What a query asks of guessed tables, of views over them, and of files by their path.

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
            leaf = leaves.get(table.name.lower()) if found.database == DATABASE else None
            if leaf is not None:
                learned |= self._learn_columns(leaf[0], table, leaf[1])
            elif table.database.lower() in FILE_FORMATS:
                self._declare_files(table)
            elif self.guesses.tables:
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

    def mark(self, node: Any) -> None:
        """Tell the new nodes of a plan, or a column's expression, where in the program they were made."""
        if self.origin is None:
            return
        stack = [node]
        while stack:
            one = stack.pop()
            if one.origin is None and not isinstance(one, AttributeReference):
                place(one, self.origin)
                stack += one.children
                if isinstance(one, LogicalPlan):
                    stack += one.expressions

    # ------------------------------------------------------------------------------------------ guessing

    def missing_column(self, plan: LogicalPlan, parts: tuple[str, ...]) -> LogicalPlan | None:
        """The plan with the column, where a guessed table may have it."""
        return self.learn_column(plan, parts[0])

    def table_exists(self, parts: tuple[str, ...]) -> Value:
        """Whether there is a table or view; nobody knows of one that nothing describes, where tables are guessed."""
        known = super().table_exists(parts)
        return Unknown(f"tableExists({'.'.join(parts)})") if not known and self.guesses.tables else known

    def is_untold(self, e: Expression) -> bool:
        """Whether an expression is a column of which the text does not tell the name."""
        return _untold(e) or (isinstance(e, UnresolvedAttribute) and e.parts[-1] in self.untold)

    def may_grow(self, frame: Frame) -> bool:
        """Whether a DataFrame may have further columns, which only their uses tell."""
        return bool(self._open(frame.plan))

    def becomes_numeric(self, plan: LogicalPlan, column: Expression) -> bool:
        """Whether the column's type is only guessed; Again where it was guessed to be no number."""
        found = source(column, Project((column,), plan), self._guessed_in)
        if found is None:
            return False
        (keys, name), path = found
        if any([self.guesses.retype(key, name, path, DOUBLE) for key in keys.split(_TOGETHER)]):
            raise Again
        return True

    def learn_column(self, plan: LogicalPlan, name: str) -> LogicalPlan | None:
        """The plan with a column that it must have, where one of its guessed tables may have it.

        Raises Again instead while readings are few.
        """
        leaf = next(iter(self._open(plan)), None)
        if leaf is None or not (self._learn(leaf[1], name) or self.learning):
            return None
        if any(a.name.lower() == name.lower() for a in plan.output):
            return None
        return super().execution(self._grown(plan, [("", leaf[1], name)])).analyzed

    def _grown(self, plan: LogicalPlan, columns: Iterable[tuple[str, str, str]]) -> LogicalPlan:
        """A plan with columns of guessed tables on top: the qualifier they are called by, the table, their name.

        They come from nowhere, so the plan is good for nothing but to read on and learn more in the same reading.
        Raises Again instead while readings are few: what the rest of a program says of other tables often tells whose
        a column is, and only a program that adds to a table with every statement takes many readings.
        """
        if self.guesses.readings <= FEW_READINGS:
            raise Again
        self.learning = True
        made = []
        with self.numbering():
            for qualifier, keys, name in columns:
                known = self.guesses.columns.get(keys.split(_TOGETHER)[0], {}).get(name.lower())
                kind = STRING if known is None else known.data_type
                made.append(Alias(Literal(None, kind), name, next_id(), (qualifier,) if qualifier else ()))
                self._made[made[-1].expr_id] = keys, made[-1]
        return self._passing_project((*plan.output, *made), plan)

    def _passing_project(self, items: tuple[NamedExpression, ...], plan: LogicalPlan) -> Project:
        grown = Project(items, plan)
        self._kept.append(grown)
        self._passing[id(grown)] = grown
        return grown

    def _with_made(self, plan: LogicalPlan) -> LogicalPlan:
        """An operator whose inputs have the columns that were given to an earlier plan over the same guessed table."""
        have = plan.input_set
        asked = {a.expr_id for e in plan.expressions for a in e.collect(AttributeReference)} - have
        children = list(plan.children)
        for number in sorted(asked & self._made.keys()):
            keys, column = self._made[number]
            for i, child in enumerate(children):
                if any(key == keys for _, key in self._open(child)):
                    children[i] = self._passing_project((*child.output, column), child)
                    break
        return plan.with_new_children(tuple(children))

    def _with_listed(self, plan: LogicalPlan) -> tuple[LogicalPlan, str]:
        """A projection or grouping by columns that nobody knows, with those of its input that later uses ask for.

        With it the name under which these are learned, empty for any other operator.
        """
        if not isinstance(plan, Project | Aggregate) or self.origin is None or not plan.children_resolved:
            return plan, ""
        items = plan.projects if isinstance(plan, Project) else plan.grouping
        if not any(map(_untold, items)):
            return plan, ""
        key = f"columns of the list at {self.origin[1]}"
        wanted = self.guesses.columns.setdefault(key, {})
        have = {a.name.lower() for a in plan.child.output}
        grows = bool(self._open(plan.child))
        told = {_name_of(i).lower() for i in items}
        more = tuple(
            UnresolvedAttribute((f.name,)) for n, f in wanted.items() if n not in told and (n in have or grows)
        )
        if isinstance(plan, Project):
            return plan.replace(projects=(*plan.projects, *more)), key
        at = len(plan.grouping)
        results = (*plan.aggregates[:at], *more, *plan.aggregates[at:])
        return plan.replace(grouping=(*plan.grouping, *more), aggregates=results), key

    def _with_known(self, plan: LogicalPlan) -> LogicalPlan | None:
        """An operator with a column of its input in place of those that nobody knows, the first that fits; or None."""
        asked = {a.parts[-1] for e in plan.expressions for a in e.collect(UnresolvedAttribute)}
        names = {n for n in asked if n in self.untold or _UNTOLD.fullmatch(n)}
        if not names or not plan.children_resolved:
            return None
        by_type: dict[str, AttributeReference] = {}
        for a in (a for c in plan.children for a in c.output):
            by_type.setdefault(a.type.simple_string, a)
        for column in by_type.values():
            stood = plan.map_expressions(partial(_put_into, names, column))
            try:
                with fresh_ids():
                    super().execution(stood).analyzed  # noqa: B018  whether it fits
            except AnalysisError:
                continue
            for name in sorted(names):
                self.tell(f"the column {column.name} stands for {name}, which the text does not tell.", self.line())
            return stood
        return None

    def _learn(self, key: str, name: str, kind: DataType | None = None) -> bool:
        """Note a column of a guessed table, or of all that a union takes its rows from."""
        return any([self.guesses.learn(k, name, kind) for k in key.split(_TOGETHER)])

    def _learn_from(self, plan: LogicalPlan) -> LogicalPlan | None:
        """The operator over inputs that have the columns which it asks of guessed tables; None where it asks none.

        Raises Again instead while readings are few.
        """
        learned = False
        #: By the place of an input: the columns that it has to have more.
        missing: dict[int, dict[str, tuple[str, str, str]]] = {}

        def learn(place: int, key: str, name: str, kind: DataType | None = None, qualifier: str = "") -> None:
            nonlocal learned
            learned |= self._learn(key, name, kind)
            missing.setdefault(place, {}).setdefault(name.lower(), (qualifier, key, name))

        if isinstance(plan, Join) and plan.using:
            for place, side in enumerate((plan.left, plan.right)):
                for name in plan.using:
                    if name.lower() not in {a.name.lower() for a in side.output}:
                        for _, key in self._open(side)[:1]:
                            learn(place, key, name)
        have = {a.name.lower() for c in plan.children for a in c.output}
        qualifiers = {a.qualifier[-1].lower() for c in plan.children for a in c.output if a.qualifier}
        leaves = [(names, key, place) for place, c in enumerate(plan.children) for names, key in self._open(c)]
        names: list[tuple[str, ...]] = []

        def look(e: object) -> Value:
            if isinstance(e, UnresolvedAttribute):
                names.append(tuple(e.parts))
            return e

        for e in plan.expressions:
            e.transform_up(look)
        for attribute in _deduplicated(plan):
            names.append((attribute,))
        for parts in names:
            qualifier = parts[0].lower() if len(parts) > 1 else ""
            own = [x for x in leaves if qualifier in x[0]]
            if own and parts[1].lower() not in have:
                learn(own[0][2], own[0][1], parts[1], qualifier=qualifier)
            elif own:
                for _, key, place in own:
                    if self._learn(key, parts[1]):
                        learn(place, key, parts[1], qualifier=qualifier)
                        learned = True
                        break
            elif leaves and parts[0].lower() not in have and qualifier not in qualifiers:
                kind = None
                if len(parts) > 1:
                    kind = StructType(tuple(StructField(p, STRING) for p in parts[1:2]))
                learn(leaves[0][2], leaves[0][1], parts[0], kind)
        if not learned and not (self.learning and missing):
            return None
        children = [self._grown(c, missing[i].values()) if i in missing else c for i, c in enumerate(plan.children)]
        return plan.with_new_children(tuple(children))

    def _learn_from_others(self, plan: LogicalPlan) -> None:
        """What is put together with a guessed table has its columns: Again where it has to have more."""
        widest = max((c.output for c in plan.children), key=len)
        learned = False
        for child in plan.children:
            have = {a.name.lower() for a in child.output}
            if len(child.output) < len(widest):
                for _, key in self._open(child)[:1]:
                    new = [a for a in widest if a.name.lower() not in have]
                    learned |= any([self._learn(key, a.name, a.type) for a in new])
        if learned:
            raise Again

    def _retype_from(self, plan: LogicalPlan, error: AnalysisError) -> None:
        """Raises Again where a guessed column has to be of another type."""
        wanted = list(wanted_types(plan, error, self._guessed_in))
        leaves = [(k, name, path, kind) for (keys, name), path, kind in wanted for k in keys.split(_TOGETHER)]
        if any([self.guesses.retype(*leaf) for leaf in leaves]):
            raise Again
        read = columns_read(plan, error, self._guessed_in)
        if any([self.guesses.mistrust(k, name) for keys, name in read for k in keys.split(_TOGETHER)]):
            raise Again

    def _guessed_in(self, plan: LogicalPlan, column: AttributeReference) -> str | None:
        """The guessed table that makes a column at the bottom of a plan."""
        if id(plan) in self._rows:
            passed = {a.expr_id for c in plan.children for a in c.output}
            return None if column.expr_id in passed else self._rows[id(plan)]
        return self._guessed_leaf(plan)

    def _guessed_leaf(self, plan: LogicalPlan) -> str | None:
        """The guessed table that a relation reads."""
        if not isinstance(plan, LogicalRelation):
            return None
        table = plan.table
        key = table.shown_name if plan.name and isinstance(table, Table) else getattr(table, "name", "")
        return key if key in self.guesses.columns else None

    def _open(self, plan: LogicalPlan) -> list[tuple[frozenset[str], str]]:
        """The guessed tables whose further columns would come up to here, with the aliases that they have."""
        found: list[tuple[frozenset[str], str]] = []

        def walk(p: Any, names: frozenset[str]) -> None:
            if isinstance(p, LogicalRelation):
                key = self._guessed_leaf(p)
                if key is not None:
                    found.append((names | {key.rpartition(".")[2].lower()} if p.name else names, key))
            elif id(p) in self._rows:
                found.append((names, self._rows[id(p)]))
            elif id(p) in self._passing_pivots:
                found.append((names, self._passing_pivots[id(p)]))
            elif id(p) in self._passing or isinstance(p, _PASSING) or type(p).__name__ in _PASSING_NAMES:
                inner = names | {p.name[-1].lower()} if isinstance(p, SubqueryAlias) else names
                walk(p.child, inner)
            elif isinstance(p, Join):
                walk(p.left, names)
                if p.kind not in ("LeftSemi", "LeftAnti"):
                    walk(p.right, names)
            elif isinstance(p, Project) and _keeps_all(p):
                walk(p.child, names)
            elif isinstance(p, WithCTE):
                walk(p.children[-1], names)
            elif isinstance(p, Union | SetOperation):
                sides = [self._open(c) for c in p.children]
                if all(sides):
                    keys = dict.fromkeys(k for side in sides for k in side[0][1].split(_TOGETHER))
                    found.append((names, _TOGETHER.join(keys)))

        walk(plan, frozenset())
        return found


def _untold(e: Expression) -> bool:
    """Whether an item of a list is a column of which the text does not tell the name, or named after one."""
    inner = e.child if isinstance(e, Alias | UnresolvedAlias) else e
    return isinstance(inner, UnresolvedAttribute) and _UNTOLD.fullmatch(inner.parts[-1]) is not None


def _name_of(e: Expression) -> str:
    return e.parts[-1] if isinstance(e, UnresolvedAttribute) else str(getattr(e, "name", ""))


def _put_into(names: set[str], column: AttributeReference, e: Expression) -> Expression:
    """An expression with a column in place of those of these names."""
    made: Expression = e.transform_up(
        lambda x: column if isinstance(x, UnresolvedAttribute) and x.parts[-1] in names else x
    )
    return made


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


def _new_in(plan: LogicalPlan) -> list[LogicalPlan]:
    """The operators of a plan without those of the DataFrames that it was made of."""
    found, todo = [], [plan]
    while todo:
        node = todo.pop()
        if node not in ANALYZED:
            found.append(node)
            todo += node.children
    return found


_PASSING_NAMES = frozenset(
    [
        "CollectMetrics",
        "Deduplicate",
        "Repartition",
        "RepartitionByExpression",
        "ResolvedHint",
        "Window",
        "Generate",
        "View",
        "EventTimeWatermark",
    ]
)


def _starred(plan: Project) -> bool:
    return any("Star" in type(p).__name__ and not getattr(p, "excepted", ()) for p in plan.projects)


def _keeps_all(plan: Project) -> bool:
    """Whether a projection hands on what is beneath a join's or a rename's columns: more items than its child has."""
    passed = {p.expr_id for p in plan.projects if isinstance(p, AttributeReference)}
    return (
        bool(plan.child.output)
        and all(a.expr_id in passed for a in plan.child.output)
        and len(plan.projects) > len(plan.child.output)
    )


def _lists_all(plan: Project) -> bool:
    """Whether a projection makes something of every column there is, as a list over `df.columns` does."""
    names = {p.name.lower() for p in plan.projects if isinstance(p, Alias)}
    known = {a.name.lower() for a in plan.child.output}
    return not plan.projects or (bool(names & known) and known <= {a.name.lower() for a in plan.output})


def _deduplicated(plan: LogicalPlan) -> tuple[str, ...]:
    names = getattr(plan, "names", None) or getattr(plan, "keys", None)
    if type(plan).__name__ == "UnresolvedDeduplicate" and isinstance(names, tuple):
        return tuple(n for n in names if isinstance(n, str))
    return ()
