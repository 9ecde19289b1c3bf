"""Sessions of several statements: definitions count for what follows, and nothing is executed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from planviz.analysis import Analyzer
from planviz.analysis.analyzer import Relations
from planviz.analysis.commands import (
    altered,
    changed_databases,
    check_command,
    check_dropped_function,
    check_function,
    database_of,
)
from planviz.analysis.context import exact_names, sql_text
from planviz.analysis.definitions import (
    check_database,
    check_drop,
    check_path,
    check_table,
    check_view,
    column_defaults,
    is_made,
)
from planviz.catalog.ddl import table_of
from planviz.catalog.tables import (
    DATABASE,
    GLOBAL_TEMP,
    TRANSACTIONAL,
    Catalog,
    OwnFunction,
    PythonFunction,
    SqlFunction,
    View,
)
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, InputError, ParseError, PlanvizError
from planviz.evaluation import Evaluator
from planviz.execution.defaults import DEFAULTS, with_defaults
from planviz.execution.query import QueryExecution, with_guesses
from planviz.execution.substitution import names_values, with_values
from planviz.execution.written import creation, guessed_target, insertion, written_size
from planviz.expressions.core import Alias, Expression, Literal
from planviz.expressions.ids import Ids, fresh_ids, ids_from, next_id
from planviz.expressions.python import PythonEvalType
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.frontend import Parameters, Statement, parse_script
from planviz.frontend.commands import Command
from planviz.frontend.dialect import dialect_of
from planviz.frontend.errors import analysis_error
from planviz.frontend.lexer import tokenize
from planviz.frontend.model import CREATED
from planviz.functions import registry
from planviz.logical.cached import DEFAULT_LEVEL, storage_level
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedRelation
from planviz.logical.writes import SOURCES
from planviz.optimizer.caches import CacheManager
from planviz.optimizer.routines import with_function
from planviz.optimizer.variables import changed_variables
from planviz.settings import SETTINGS
from planviz.types import STRING, DataType, StructField
from planviz.types.zones import zone_of

#: Settings of a session that nothing changes once it is there.
_STATIC = frozenset(
    f"spark.sql.{name}"
    for name in (
        "catalogImplementation", "extensions", "globalTempDatabase", "hive.metastore.jars", "hive.metastore.version",
        "queryExecutionListeners", "sources.schemaStringLengthThreshold", "streaming.streamingQueryListeners",
        "streaming.ui.enabled", "ui.retainedExecutions", "warehouse.dir",
    )
)  # fmt: skip
#: What begins the names of settings of a whole application.
_OF_THE_APPLICATION = ("spark.app.", "spark.driver.", "spark.dynamicAllocation.", "spark.executor.")


@dataclass(frozen=True)
class Outcome:
    """What became of one statement of a script: its execution when it is a query, the error when it failed.

    A query that failed has its execution, too: the stages before the failure stand in it.
    """

    statement: Statement
    execution: QueryExecution | None = None
    error: PlanvizError | None = None


class Session:
    """Runs the statements of a script one after the other; nothing is executed, definitions change the catalogue.

    `params` are the values of `:name` (by name) or `?` (in order) in every script that it runs. `infer` says to guess
    the tables that neither the catalogue nor the script has, from all queries of the script together; None: only where
    there is nothing at all, no catalogue and no table whose columns the script says.
    """

    def __init__(
        self,
        catalog: Catalog | None = None,
        config: OptimizerConfig | None = None,
        params: Parameters | None = None,
        infer: bool | None = False,
    ) -> None:
        self.catalog = catalog or Catalog()
        self.config = self._given = config or OptimizerConfig()
        self.params = params
        self.infer = infer
        self.caches = CacheManager(through_names=self.config.behaviour.names_are_no_matter_to_caches)
        self.warnings: list[str] = []
        self._first_id = 1
        #: Databases that are there beside those of the tables.
        self.databases = {DATABASE}
        #: Whether tables are guessed, so that one that is not known may be there.
        self._guesses = False
        self._told_databases = False
        #: Functions that are written in no SQL, which a script makes by their classes: nothing else is known of them.
        self._foreign: set[str] = set()
        #: Tables that a cache reads keep their columns' ids in the statements after it, as all tables do in Spark.
        self._relations: Relations = {}
        #: The bytes in each table that a statement made, by its key; None where they are not known.
        self._sizes: dict[str, int | None] = {}

    def register_python_function(
        self,
        name: str,
        returns: DataType | str = STRING,
        eval_type: PythonEvalType | int | str | None = None,
        deterministic: bool = True,
    ) -> None:
        """Know a function written in Python from now on (Spark: `spark.udf.register`); its code is not needed.

        `returns` is a type or its DDL text, `eval_type` PySpark's name or number of the way in which it runs
        (`SQL_GROUPED_AGG_PANDAS_UDF`, 202; None: as `udf` makes it), `deterministic` whether equal arguments give equal
        values. Raises InputError for a type or kind that there is not.
        """
        function = PythonFunction.of(name, returns, eval_type, deterministic)
        self.catalog = self.catalog.with_function(function)

    def run(self, script: str, stage: str = "analyzed") -> Iterator[Outcome]:
        """The outcome of each statement, in order; queries are planned up to `stage`.

        A statement that cannot be read has its error and stops no other. Raises ParseError when none can be read.
        """
        statements, read_as = self._read(script), dialect_of(self.config)
        if names_values(script) and (filled := with_values(script, statements, self.config)) != script:
            script, statements = filled, self._read(filled)
        self._guess(statements)
        # Of a script of definitions alone the plans are those of what it defines.
        asks = [s for s in statements if s.kind in ("query", "explain") or (s.written or s.changed) is not None]
        defines = not asks
        while statements:
            s = statements.pop(0)
            yield self._one(s, stage, defines)
            if s.kind == "set" and (now := dialect_of(self.config)) != read_as:
                # SET changed how the rest is read.
                statements, read_as = [x for x in self._read(script) if x.start > s.start], now

    def _read(self, script: str) -> list[Statement]:
        with fresh_ids():
            statements = parse_script(script, self.params, tolerant=True, dialect=dialect_of(self.config))
            # The parsed plans hold ids already; every statement's stages count on from behind them.
            self._first_id = max(self._first_id, next_id())
        return statements

    def _guess(self, statements: list[Statement]) -> None:
        queries = [(s, p) for s in statements for p in s.read if s.command is None or DEFAULTS not in s.command.flags]
        places = {id(s): at for at, (s, _) in reversed([*enumerate(queries)])}
        made = ("create_table", "create_view")
        defining = [s for s in statements if s.kind in made or (s.kind == "cache" and s.plan is not None)]
        defined = [(s.name, places.get(id(s))) for s in defining]
        variables = [name for s in statements if s.kind == "declare" for name in s.name]
        # A script that makes tables with columns is complete; one that makes views and copies, or only a table that it
        # fills, reads what is elsewhere.
        reading = {r.parts[-1].lower() for _, p in queries for r in p.collect(UnresolvedRelation)}
        filled = {s.command.name[-1].lower() for s in statements if s.kind == "insert" and s.command and s.command.name}
        tables = [s.name[-1].lower() for s in statements if s.kind == "create_table" and s.columns]
        made_here = any(name in reading or name not in filled for name in tables)
        nothing = not (self.catalog.tables or self.catalog.views or made_here)
        if not (self.infer or (self.infer is None and nothing)):
            return
        self._guesses = True
        known = self.catalog
        for s in statements:
            if s.kind == "create_table" and s.columns:
                known = known.with_table(table_of(s.name, s.columns, s.provider, s.partition_columns, s.buckets))
        found, self.warnings = with_guesses([p for _, p in queries], known, defined, variables)
        guessed = {key: t for key, t in found.tables.items() if key not in known.tables}
        self.catalog = replace(self.catalog, tables={**self.catalog.tables, **guessed})

    def _one(self, s: Statement, stage: str, defines: bool = False) -> Outcome:
        if s.error is not None:
            return Outcome(s, None, s.error)
        try:
            s = with_defaults(s, self.catalog)
        except PlanvizError as e:
            return Outcome(s, None, e)
        if s.kind in ("query", "explain"):
            try:
                if s.command is not None and self._is_known(s.command):
                    self._check(s, s.command)
            except PlanvizError as e:
                return Outcome(s, None, e)
            execution = self._writing(s) or self._execution(replace(s, kind="query"))
            execution.warnings += s.notes
            return Outcome(s, execution, execution.error_until(stage))
        try:
            query = self._execute(s) if s.kind == "execute" else None
            self._define(s)
        except PlanvizError as e:
            return Outcome(s, None, e)
        if query is not None:
            return Outcome(s, query, query.error_until(stage))
        written = s.written
        if written is None and s.plan is not None and defines and s.kind in ("create_view", "cache"):
            execution = self._execution(replace(s, kind="query"))
            return Outcome(s, execution, execution.error_until(stage))
        asked = written or s.changed
        if asked is None:
            return Outcome(s)
        writing = self._writing(s)
        execution = writing or self._execution(replace(s, kind="query", plan=asked))
        if writing is None:
            execution.warnings.append(s.remark)
        if written is not None and (s.command is None or s.command.name):
            self._fill(s, execution)
        return Outcome(s, execution, execution.error_until(stage))

    def _writing(self, s: Statement) -> QueryExecution | None:
        """The command that writes a statement's rows to a table of files, with its query; None where there is none."""
        found = None if s.written is None else self.command_over(s, s.written)
        if found is None:
            return None
        made = self._execution(replace(s, kind="query", plan=found[0]))
        made.warnings += found[1]
        return made

    def command_over(self, s: Statement, query: LogicalPlan) -> tuple[LogicalPlan, list[str]] | None:
        """The command that writes the rows of a statement's query to a table of files, and what is to be said of it.

        None where a statement writes none, or what becomes of the rows hangs on a format that is not Spark's. Where
        tables are guessed, one that is inserted into has the columns of the query.
        """
        c = s.command
        name = s.name if c is None else c.name
        if not name or (c is not None and "UNSUPPORTED" in c.flags):
            return None
        table, notes = self.catalog.table(name), []
        if table is None and c is not None and self._guesses:
            asked = self._execution(replace(s, kind="query", plan=query))
            if asked.error_until("analyzed") is None:
                table = guessed_target(c, asked.analyzed.output, self.catalog.current)
            notes.append(f"The table {'.'.join(name)} is not described: taken to be Parquet files with these columns.")
        elif table is not None and (table.guessed or table.provider not in SOURCES):
            return None
        if table is None:
            return None
        if c is None:
            return creation(s, table, query), [CREATED]
        return insertion(c, table, query, self.config.behaviour), notes

    def _fill(self, s: Statement, execution: QueryExecution) -> None:
        """A table that the script made is as large as what the script writes to it."""
        name, flags = (s.name, frozenset()) if s.command is None else (s.command.name, s.command.flags)
        table = self.catalog.table(name)
        if table is None or table.key not in self._sizes:
            return
        before = 0 if "OVERWRITE" in flags else self._sizes[table.key]
        more = None if before is None else written_size(execution, table)
        size = self._sizes[table.key] = None if before is None or more is None else before + more
        self.catalog = self.catalog.with_table(replace(table, size_in_bytes=size))

    def _execution(self, s: Statement) -> QueryExecution:
        analyzer = Analyzer(self.catalog, self.config)
        analyzer.relations = self._relations if s.kind == "cache" else dict(self._relations)
        made = QueryExecution(s.sql, self.catalog, self.config, s, self.params, analyzer=analyzer)
        made.warnings, made.ids, made.caches = list(self.warnings), Ids(self._first_id), self.caches.copy()
        return made

    def _body(self, s: Statement) -> LogicalPlan:
        """The analyzed query of a function's body. The functions that it calls were checked when they were made: of
        them the type counts alone, so that a chain of them is not put together anew for every link.
        """
        known = {
            name: replace(f, body=Literal(None, f.returns)) if isinstance(f, SqlFunction) and f.columns is None else f
            for name, f in self.catalog.functions.items()
        }
        whole, self.catalog = self.catalog, replace(self.catalog, functions=known)
        try:
            return self._execution(s).analyzed
        finally:
            self.catalog = whole

    def _define(self, s: Statement) -> None:
        """Carry out a statement that is no query, as far as later ones see what it does. Raises its errors."""
        match s.kind:
            case "create_view" if s.plan is not None:
                self._create_view(s, s.plan)
            case "create_table":
                self._create_table(s)
            case "set" if s.words == "RESET":
                self.config = _reset(self.config, self._given, s.name)
            case "set" if s.options:
                self._check_set(dict(s.options))
                self.config = _with_settings(self.config, dict(s.options))
            case "create_function":
                self.catalog = with_function(self.catalog, s, self._body)
            case "drop_function":
                if not self._guesses and s.name[-1].lower() not in self._foreign:
                    check_dropped_function(
                        s.name, s.words, self._named_function(s.name), self._databases(), self.config.behaviour
                    )
                self.catalog = self.catalog.without_function(s.name[-1])
            case "unsupported" if s.words == "CREATE FUNCTION":
                self._foreign.add(s.name[-1].lower())
            case "declare" | "set_variable" | "drop_variable":
                self.catalog = changed_variables(self.catalog, s, lambda q: self._execution(q).optimized)
            case "drop":
                self._drop(s)
            case "cache":
                self._cache(s)
            case "uncache":
                self._uncache(s)
            case "clear_cache":
                self.caches.clear()
            case _ if s.command is not None and self._is_known(s.command):
                self._command(s, s.command)

    def _check_set(self, settings: dict[str, str]) -> None:
        for key in settings:
            if key.upper() == "PATH" and settings[key]:
                check_path(settings[key], str(self.config.settings.get("spark.sql.path.enabled", "false")) == "true")
            parts = tuple(key.lower().split("."))
            if parts[:-1] in ((), ("session",), ("system", "session")) and self.catalog.variable(parts[-1:]):
                raise AnalysisError(
                    "UNSUPPORTED_FEATURE.SET_VARIABLE_USING_SET",
                    f"{key} is a variable: SET VAR changes it.",
                )

    def _named_function(self, name: tuple[str, ...]) -> OwnFunction | None:
        """The function of a name; of one in another database any of that name, which are not told apart."""
        return self.catalog.functions.get(name[-1].lower())

    def _create_view(self, s: Statement, query: LogicalPlan) -> None:
        if not is_made(s, self.catalog):
            return
        with exact_names(self.config.case_sensitive):
            check_view(s, self._analyzed(s), self.catalog)
        self._forget(s.name)
        self.catalog = self.catalog.with_view(self._view(s, query))

    def _create_table(self, s: Statement) -> None:
        # Tables of Delta Lake and the like may be in another catalogue, replaced and computed.
        free = self._guesses or s.provider in TRANSACTIONAL
        if not free:
            self._check_name(s.name)
        if not is_made(s, self.catalog, free):
            return
        columns = s.columns if s.plan is None else self._columns_of(s)
        check_table(s, None if s.plan is None else self._analyzed(s))
        defaults = column_defaults(s, lambda p: self._execution(replace(s, kind="query", plan=p)).analyzed)
        self._forget(s.name)
        known = (s.provider, s.partition_columns, s.buckets, self.catalog.current)
        table = replace(table_of(s.name, columns, *known), defaults=defaults)
        self._relations.pop(table.qualified, None)
        self._sizes[table.key] = 0
        self.catalog = self.catalog.with_table(table)

    def _drop(self, s: Statement) -> None:
        if s.words.startswith(("TABLE", "VIEW")) and not self._guesses:
            check_drop(s, self.catalog, self.config.behaviour)
        self._forget(s.name)
        self.catalog = self.catalog.without(s.name)

    def _view(self, s: Statement, plan: LogicalPlan) -> View:
        """The view that a statement makes; what it reads of the current database stays that database's."""
        temporary, name, current = "TEMPORARY" in s.words, s.name[-1], self.catalog.current
        columns = tuple(c.name for c in s.columns)
        if "GLOBAL" in s.words:
            return View(f"{GLOBAL_TEMP}.{name}", plan, s.sql, True, columns)
        if current != DATABASE:
            known = self.catalog

            def placed(p: LogicalPlan) -> LogicalPlan:
                if not isinstance(p, UnresolvedRelation) or len(p.parts) > 1 or known.table(p.parts) is None:
                    return p
                return p if known.view(p.parts) is not None else p.replace(parts=(current, *p.parts))

            plan = plan.transform_up(placed, UnresolvedRelation.BIT)
        return View(name, plan, s.sql, temporary, columns, database_of(s.name, current))

    def _execute(self, s: Statement) -> QueryExecution | None:
        """EXECUTE IMMEDIATE: its text is read and carried out with the values, where they are known; its query, if it
        is one whose rows nothing takes."""
        assert isinstance(s.plan, Project)
        text, *values = s.plan.projects
        if isinstance(text, UnresolvedAttribute):
            known = self.catalog.variable(text.parts)
            if known is None and not self._guesses:
                raise analysis_error(
                    "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", f"There is no variable {sql_text(text.parts)}.", text
                )
            text = text if known is None else known.value
        if not isinstance(text, Literal):
            return None
        if not isinstance(text.value, str):
            raise AnalysisError(
                "INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", "EXECUTE IMMEDIATE takes a constant string, not null."
            )
        with fresh_ids():
            inner = parse_script(text.value, dialect=dialect_of(self.config))
            self._first_id = max(self._first_id, next_id())
        if len(inner) != 1:
            raise ParseError("PARSE_SYNTAX_ERROR", f"One statement was expected, the text holds {len(inner)}.")
        plain = [self._folded(v.child if isinstance(v, Alias) else v) for v in values]
        if not all(isinstance(v, Literal) for v in plain):
            return None
        # Values by name serve question marks, too, in their order.
        by_name = "?" not in tokenize(text.value).keys
        if values and not any(isinstance(v, Alias) for v in values) and by_name and ":" in tokenize(text.value).keys:
            raise AnalysisError("ALL_PARAMETERS_MUST_BE_NAMED", "The text names its parameters: USING value AS name.")
        named = {v.name: x for v, x in zip(values, plain, strict=True) if isinstance(v, Alias) and by_name}
        with fresh_ids():
            (one,) = parse_script(text.value, named or plain, dialect=dialect_of(self.config))
            self._first_id = max(self._first_id, next_id())
        unknown = next((n for n in s.name if self.catalog.variable((n,)) is None), None)
        if unknown is not None:
            raise AnalysisError(
                "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", f"There is no variable `{unknown}`; DECLARE it first."
            )
        if s.name:
            one = replace(one, kind="set_variable", name=s.name)
        if one.kind == "query":
            return self._execution(one)
        if one.kind == "execute":
            return self._execute(one)
        self._define(one)
        return None

    def _folded(self, e: Expression) -> Expression:
        """A value of USING: computed where it is one of constants."""
        return Evaluator.of(self.config).value_of(e) or e if e.resolved and e.foldable else e

    def _command(self, s: Statement, c: Command) -> None:
        """A command on a table or a database: checked, and carried out where later statements see what it does."""
        if c.verb.endswith(" FUNCTION"):
            known = {*registry.names(), *self.catalog.functions, *self._foreign}
            check_function(c, known, self._databases(), self.config.behaviour)
            return
        if c.verb.endswith("DATABASE"):
            self.databases = changed_databases(c, self._databases(), self.catalog)
            self._told_databases = self._told_databases or not c.verb.endswith((" OF DATABASE", " ON DATABASE"))
            if c.verb == "USE DATABASE":
                self.catalog = self.catalog.using(c.name[-1])
            elif c.verb == "DROP DATABASE":
                self.catalog = self.catalog.without_database(c.name[-1])
            return
        self._check(s, c)
        if c.other or "ADD" in c.flags or (c.verb == "ALTER VIEW" and c.plan is not None):
            before = self.catalog.table(c.name)
            self.catalog = altered(c, self.catalog)
            if before is not None:
                self._relations.pop(before.qualified, None)

    def _check(self, s: Statement, c: Command) -> None:
        policy = self.config.text("spark.sql.storeAssignmentPolicy")
        check_command(c, self.catalog, lambda p: self._execution(replace(s, kind="query", plan=p)).analyzed, policy)

    def _is_known(self, c: Command) -> bool:
        """Whether a command can be checked: where tables are guessed, only what the script itself made."""
        if not self._guesses or self._of_made_database(c):
            return True
        if c.verb != "INSERT" or not c.name:
            return False
        table = self.catalog.table(c.name)
        return self.catalog.view(c.name) is not None or (table is not None and not table.guessed)

    def _of_made_database(self, c: Command) -> bool:
        """Whether a command makes a database, or is about one that the script made: any other may be elsewhere."""
        if c.verb == "CREATE DATABASE":
            return c.name[-1].lower() not in self.databases
        return c.verb.endswith("DATABASE") and bool(c.name) and c.name[-1].lower() in self.databases

    def _databases(self) -> set[str]:
        return self.databases | {t.database.lower() for t in self.catalog.tables.values()}

    def _check_name(self, name: tuple[str, ...]) -> None:
        # A script that makes no database takes its tables to be in one that is there.
        known = self._databases() if self._told_databases else {database_of(name)}
        check_database(name, known)

    def _cache(self, s: Statement) -> None:
        """CACHE TABLE: a lazy one and one that is filled at once are planned alike, by what is known beforehand."""
        options = {key.lower(): value for key, value in s.options}
        level = storage_level(options["storagelevel"]) if "storagelevel" in options else DEFAULT_LEVEL
        if s.plan is not None:
            known = self.catalog.view(s.name)
            if known is not None and known.temporary:
                raise AnalysisError(
                    "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS",
                    f"Cannot create the temporary view `{s.name[-1]}` because it already exists.",
                )
            self._define(replace(s, kind="create_view", words="TEMPORARY"))
        execution = self._execution(replace(s, plan=UnresolvedRelation(s.name)))
        self.caches.add(execution.kept(level, self._shown_in_scans(s.name)))
        if execution.ids is not None:
            with ids_from(execution.ids):
                self._first_id = max(self._first_id, next_id())

    def _shown_in_scans(self, name: tuple[str, ...]) -> str:
        """A cached table's name as the scans of its cache show it."""
        if not self.config.behaviour.cached_tables_are_quoted:
            return ".".join(name)
        view = self.catalog.view(name)
        known = self.catalog.table(name)
        if view is not None:
            whole = view.name_parts if view.temporary else (view.database, view.name.lower())
        else:
            whole = name if known is None else known.qualified[1:]
        return ".".join(f"`{part}`" for part in whole)

    def _uncache(self, s: Statement) -> None:
        try:
            self._forget(s.name, known=False)
        except AnalysisError:
            if s.words != "IF EXISTS":
                raise

    def _forget(self, name: tuple[str, ...], known: bool = True) -> None:
        """Drop the cache of a table or view, with those that depend on it unless the view is a temporary one.

        Raises AnalysisError when there is none of that name and it is not `known` to be there.
        """
        view = self.catalog.view(name)
        if known and not (self.caches.caches and (view or self.catalog.table(name))):
            return
        plan = self._execution(Statement("query", "", 0, UnresolvedRelation(name))).analyzed
        self.caches.drop(plan, dependents=view is None or not view.temporary)

    def _analyzed(self, s: Statement) -> LogicalPlan:
        return self._execution(replace(s, kind="query")).analyzed

    def _columns_of(self, s: Statement) -> tuple[StructField, ...]:
        return tuple(StructField(a.name, a.type, a.is_nullable) for a in self._analyzed(s).output)


def _reset(config: OptimizerConfig, given: OptimizerConfig, keys: Sequence[str]) -> OptimizerConfig:
    """All settings, or those of `keys`, as the session was given them."""
    again = {key: given.settings[key] for key in keys if key in given.settings}
    return config.without_settings(*keys).with_settings(again) if keys else given


def _with_settings(config: OptimizerConfig, settings: dict[str, str]) -> OptimizerConfig:
    """The settings changed as SET does. Raises AnalysisError for a value that Spark refuses, and what cannot be set."""
    for key, value in settings.items():
        if key in _STATIC:
            raise AnalysisError("CANNOT_MODIFY_STATIC_CONFIG", f"{key} is fixed when the session begins.")
        if key.startswith(_OF_THE_APPLICATION):
            raise AnalysisError("CANNOT_MODIFY_CONFIG", f"{key} is fixed when the application begins.")
        if key == "spark.sql.session.timeZone" and zone_of(value) is None:
            raise AnalysisError("INVALID_CONF_VALUE.TIME_ZONE", f"{value!r} is no time zone.")
    try:
        return config.with_settings(settings)
    except InputError as error:
        (key, value), *_ = settings.items()
        default = SETTINGS[key].default if key in SETTINGS else None
        wrong = (
            "TYPE_MISMATCH" if isinstance(default, bool | int) and not value.lstrip("-").isdigit() else "REQUIREMENT"
        )
        raise AnalysisError(f"INVALID_CONF_VALUE.{wrong}", str(error)) from None
