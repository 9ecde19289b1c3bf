"""One query through all stages, each by its name (Spark: QueryExecution), and sessions of several statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from planviz.analysis import Analyzer
from planviz.analysis.analyzer import Relations
from planviz.analysis.commands import altered, changed_databases, check_command, database_of
from planviz.analysis.definitions import check_database, check_drop, check_table, check_view, is_made
from planviz.analysis.inference import infer
from planviz.catalog.ddl import table_of
from planviz.catalog.tables import DATABASE, GLOBAL_TEMP, TRANSACTIONAL, Catalog, PythonFunction, View
from planviz.config import OptimizerConfig
from planviz.decisions.refusals import Refusal
from planviz.errors import AnalysisError, InputError, ParseError, PlanvizError, defect
from planviz.estimation import cost_string, estimate, estimating
from planviz.estimation.cost import Reordering
from planviz.expressions.core import Alias, Literal
from planviz.expressions.ids import Ids, fresh_ids, ids_from, next_id
from planviz.expressions.python import PythonEvalType
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.frontend import Parameters, Statement, parse_plan, parse_script
from planviz.frontend.commands import Command
from planviz.frontend.dialect import dialect_of, reading
from planviz.frontend.lexer import tokenize
from planviz.logical.cached import DEFAULT_LEVEL, CachedPlan, StorageLevel, storage_level
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedRelation
from planviz.optimizer import Optimizer
from planviz.optimizer.caches import CachedData, CacheManager
from planviz.optimizer.context import OptimizerContext
from planviz.optimizer.routines import with_function
from planviz.optimizer.variables import changed_variables
from planviz.physical.formatted import formatted, simple
from planviz.physical.plan import SparkPlan
from planviz.physical.query import PhysicalPlan, plan_query
from planviz.trees.collector import collector_at_rest
from planviz.trees.depth import deep_stack, refuse_heavy, written
from planviz.trees.executor import RuleExecutor
from planviz.trees.trace import Trace
from planviz.types import STRING, DataType, StructField, decimal_arithmetic

#: Settings of a plan that fills a cache: its buckets are read one by one (Spark: getOrCloneSessionWithConfigsOff).
_CACHING = {"spark.sql.sources.bucketing.autoBucketedScan.enabled": False}
STAGES = ("parsed", "analyzed", "optimized", "sparkPlan", "physical")
#: What `explain_string` can print; Spark's codegen mode prints Java code, and there is none here.
EXPLAIN_MODES = ("simple", "extended", "formatted", "cost")


@contextmanager
def _told(done: str) -> Iterator[None]:
    """What goes wrong inside, told to a person; `done` is what should become of the query."""
    try:
        with deep_stack():
            yield
    except RecursionError:
        raise AnalysisError(
            "TOO_DEEP", f"The query nests too deep to be {done}; split it with views or temporary tables."
        ) from None
    except PlanvizError:
        raise
    except Exception as e:
        if not RuleExecutor.guarded:
            raise
        raise defect(f"The step after which the query is {done}", e) from e


@dataclass
class QueryExecution:
    """A query with a catalogue and settings; every stage is computed when it is first asked for.

    `params` are the values of `:name` (by name) or `?` (in order); `infer` says to guess the tables that the catalogue
    does not have. `parsed`, `analyzed` and `optimized` are plans, `trace` holds every effective rule application so
    far, `warnings` what is worth telling beside the plan, `refusals` the guards of optimizer rules that said no (None:
    nobody asked). `ids` numbers the expressions of all stages (None: as the surrounding `fresh_ids` does): the same
    text always gives the same ids. `analyzer` is that of a session, where the query is one of several, `caches` what
    the session keeps the rows of. `optimizes` is False where the optimized plan was given and cannot be made again:
    it stays what it is under other settings. Raises ParseError and AnalysisError (line and column where known) as
    stages are computed.
    """

    sql: str
    catalog: Catalog = field(default_factory=Catalog)
    config: OptimizerConfig = field(default_factory=OptimizerConfig)
    statement: Statement | None = None
    params: Parameters | None = None
    infer: bool = False
    trace: Trace = field(default_factory=Trace)
    warnings: list[str] = field(default_factory=list)
    ids: Ids | None = field(default=None, repr=False)
    analyzer: Analyzer | None = field(default=None, repr=False)
    refusals: list[Refusal] | None = field(default=None, repr=False)
    reorderings: list[Reordering] | None = field(default=None, repr=False)
    caches: CacheManager = field(default_factory=CacheManager, repr=False)
    optimizes: bool = True
    _with_cached_data: LogicalPlan | None = field(default=None, repr=False)
    _first_new_id: int = 1
    _read_back: bool = False
    _stages: dict[str, Any] = field(default_factory=dict)
    _planned: PhysicalPlan | None = field(default=None, repr=False)

    def starting_at(self, plan: LogicalPlan) -> QueryExecution:
        """This execution of a plan that was not read from text."""
        self._stages["parsed"] = plan
        return self

    def with_plans(self, analyzed: LogicalPlan, optimized: LogicalPlan, first_id: int) -> QueryExecution:
        """This execution of plans that were read back; `first_id` numbers the first expression that is new to both."""
        self._stages = {"parsed": analyzed, "analyzed": analyzed, "optimized": optimized}
        self._first_new_id, self.ids, self._read_back = first_id, Ids(first_id), True
        return self

    @property
    def base(self) -> str:
        """The stage from which the query is planned anew, under other settings or over other statistics."""
        return "analyzed" if self.optimizes else "optimized"

    @property
    @collector_at_rest()
    def parsed(self) -> LogicalPlan:
        """The plan as the text says it."""
        if "parsed" not in self._stages:
            plan = self.statement.plan if self.statement is not None else None
            with self._numbered(), _told("read"), reading(self.config):
                self._stages["parsed"] = plan if plan is not None else parse_plan(self.sql, self.params)
        made: LogicalPlan = self._stages["parsed"]
        return made

    @property
    @collector_at_rest()
    def analyzed(self) -> LogicalPlan:
        """The plan with every name and type known."""
        if "analyzed" not in self._stages:
            parsed = self.parsed
            if self.infer:
                self.catalog, self.warnings = with_guesses([parsed], self.catalog)
            with self._numbered(), written(parsed), _told("analyzed"):
                refuse_heavy(parsed.weight, "The query")
                analyzer = self.analyzer or Analyzer(self.catalog, self.config)
                plan, warnings = analyzer.analyze(parsed, self.trace)
            self._stages["analyzed"] = plan
            self.warnings += [*warnings, *self.config.warnings]
        made: LogicalPlan = self._stages["analyzed"]
        return made

    @property
    @collector_at_rest()
    def with_cached_data(self) -> LogicalPlan:
        """The analyzed plan with the parts that are cached read from their caches; itself where nothing is."""
        if self._with_cached_data is None:
            analyzed = self.analyzed
            with _told("read from its caches"):
                self._with_cached_data = self.caches.use(analyzed)
        return self._with_cached_data

    @property
    @collector_at_rest()
    def optimized(self) -> LogicalPlan:
        """The plan that the optimizer makes of the analyzed one."""
        if "optimized" not in self._stages:
            analyzed = self.with_cached_data
            context = OptimizerContext(
                self.config, database=self.catalog.current, refusals=self.refusals, reorderings=self.reorderings
            )
            optimizer = Optimizer(self.config, context)
            with self._numbered(), written(self.parsed), _told("optimized"):
                self._first_new_id = next_id()
                self._stages["optimized"] = optimizer.optimize(analyzed, self.trace)
            self.warnings += optimizer.warnings
        plan: LogicalPlan = self._stages["optimized"]
        return plan

    @property
    @collector_at_rest()
    def planned(self) -> PhysicalPlan:
        """What the planner made of the optimized plan, with the decisions it took."""
        if self._planned is None:
            optimized = self.optimized
            # A condition may stand in the filter, and twice more in the scan beneath it.
            with self._numbered(), written(self.parsed, copies=3), _told("planned"):
                self._planned = plan_query(optimized, self.config, self.caches.last_plan_id, self.trace)
            self.warnings += self._planned.warnings
        return self._planned

    @property
    def physical(self) -> SparkPlan:
        """The plan that runs: operators, exchanges and sorts, generated stages."""
        if "physical" not in self._stages:
            self._stages["sparkPlan"] = self.planned.spark
            self._stages["physical"] = self.planned.executed
        plan: SparkPlan = self._stages["physical"]
        return plan

    @property
    def spark_plan(self) -> SparkPlan:
        """The strategies' plan, before anything is prepared: no exchange, no sort, no generated stage (sparkPlan)."""
        if "sparkPlan" not in self._stages:
            self._stages["sparkPlan"] = self.planned.spark
        plan: SparkPlan = self._stages["sparkPlan"]
        return plan

    def again(
        self,
        config: OptimizerConfig | None = None,
        refusals: list[Refusal] | None = None,
        plans: Mapping[str, LogicalPlan] | None = None,
    ) -> QueryExecution:
        """The analyzed query to be optimized once more, with other settings; guards that say no go to `refusals`.

        `plans` take the place of the stages "analyzed" or "optimized", which are then not computed. New expressions get
        the numbers that they got the first time, or go on counting behind an optimized plan. Raises what the stages
        raise.
        """
        _ = self.optimized
        other = replace(self, trace=Trace(), warnings=[], refusals=refusals, reorderings=None, _planned=None)
        other.config = config or self.config
        if not plans or "optimized" not in plans:
            other.ids = Ids(self._first_new_id)
        kept = ("parsed", "analyzed") if self.optimizes else ("parsed", "analyzed", "optimized")
        other._stages = {name: self._stages[name] for name in kept} | dict(plans or {})
        if plans and "analyzed" in plans:
            other._with_cached_data = None
        return other

    def apart(self) -> QueryExecution:
        """This query as the session is now: what it caches later and how it numbers further queries change nothing.

        Raises what the stages raise up to where caches are read.
        """
        other = replace(self, warnings=list(self.warnings), caches=self.caches.copy(), _stages=dict(self._stages))
        with self._numbered():
            other.ids = Ids(next_id())
        _ = other.with_cached_data
        return other

    def kept(self, level: StorageLevel = DEFAULT_LEVEL, name: str = "") -> CachedData:
        """What a cache of this query's rows holds; `name` is that of the cached table. Raises what the stages raise."""
        filling = replace(self, trace=Trace(), warnings=[], _planned=None, _with_cached_data=None)
        filling.config = self.config.with_settings(_CACHING)
        filling._stages = {name: self._stages[name] for name in ("parsed", "analyzed") if name in self._stages}
        physical = filling.physical
        with estimating(self.config):
            statistics = estimate(filling.optimized)
        cached = CachedPlan(physical, statistics, level, name, filling.planned.last_plan_id)
        return CachedData(filling.analyzed, cached)

    @contextmanager
    def _numbered(self) -> Iterator[None]:
        """Within the block ids are this execution's, and decimals are typed as its settings say."""
        loss = bool(self.config.get("spark.sql.decimalOperations.allowPrecisionLoss"))
        least = bool(self.config.get("spark.sql.legacy.literal.pickMinimumPrecision"))
        with nullcontext() if self.ids is None else ids_from(self.ids), decimal_arithmetic(loss, least):
            yield

    @property
    def stages(self) -> dict[str, LogicalPlan | SparkPlan]:
        """The stages computed so far, by name, in order."""
        return dict(self._stages)

    def error_until(self, stage: str) -> PlanvizError | None:
        """Compute the stages up to this one; the error that stopped that, or None."""
        try:
            _ = self.stage(stage)
        except PlanvizError as e:
            return e
        return None

    def stage(self, name: str) -> Any:
        """A stage by its name (see STAGES)."""
        if name not in STAGES:
            raise PlanvizError(f"There is no stage {name!r}; there are {', '.join(STAGES)}.")
        return self.spark_plan if name == "sparkPlan" else getattr(self, name)

    def text(self, name: str) -> str:
        """A stage as Spark's extended explain prints it, without heading and output line."""
        text: str = self.stage(name).tree_string
        return text

    def explain_string(self, mode: str = "simple") -> str:
        """The plans as `df.explain(mode)` prints them, one of EXPLAIN_MODES, nothing cut (Spark: explainString)."""
        if mode not in EXPLAIN_MODES:
            raise InputError(f"There is no explain mode {mode!r} here; there are {', '.join(EXPLAIN_MODES)}.")
        plan = self.physical
        text = {"simple": simple, "formatted": formatted}.get(mode, lambda p: p.tree_string)(plan)
        physical = f"== Physical Plan ==\n{text}\n"
        if mode == "cost":
            return f"== Optimized Logical Plan ==\n{self.cost_text}\n{physical}"
        if mode != "extended":
            return physical
        columns = ", ".join(f"{a.name}: {a.data_type.simple_string}" for a in self.analyzed.output)
        # Of plans that were read back, an earlier stage may be missing; a later one then stands in its place.
        parsed = "" if self._read_back else f"== Parsed Logical Plan ==\n{self.text('parsed')}\n"
        absent = self._read_back and self.analyzed is self.optimized
        analyzed = "" if absent else f"== Analyzed Logical Plan ==\n{columns}\n{self.text('analyzed')}\n"
        return f"{parsed}{analyzed}== Optimized Logical Plan ==\n{self.text('optimized')}\n{physical}"

    @property
    def cost_text(self) -> str:
        """The optimized plan with every operator's estimate, as `explain cost` prints it, without heading."""
        plan = self.optimized
        with estimating(self.config):
            return cost_string(plan, estimate)


def with_guesses(plans: list[LogicalPlan], catalog: Catalog, defined: Iterable[str] = ()) -> tuple[Catalog, list[str]]:
    """The catalogue with the tables that the unresolved plans read and it does not have, guessed; and warnings.

    `defined` are names that are not to be guessed. Raises AnalysisError for a query that is too deep to be walked.
    """
    try:
        with deep_stack():
            return infer(plans, catalog, defined)
    except RecursionError:
        raise AnalysisError("TOO_DEEP", "The query is too deep to guess its tables; give a catalogue.") from None


def explain(
    sql: str,
    catalog: Catalog | None = None,
    config: OptimizerConfig | None = None,
    params: Parameters | None = None,
    infer: bool = False,
) -> QueryExecution:
    """A query, ready to be asked for its stages; ids count from 1, so that the same text always gives the same ids."""
    execution = QueryExecution(
        sql, catalog or Catalog(), config or OptimizerConfig(), params=params, infer=infer, ids=Ids()
    )
    _ = execution.analyzed
    return execution


@dataclass(frozen=True)
class Outcome:
    """What became of one statement of a script: its execution when it is a query, the error when it failed.

    A query that failed has its execution, too: the stages before the failure stand in it.
    """

    statement: Statement
    execution: QueryExecution | None = None
    error: PlanvizError | None = None


_WRITTEN = (
    "The plan is that of the query whose rows are written. Spark has the write above it, and may sort the rows by the "
    "partitions that they go to."
)


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
        self.config = config or OptimizerConfig()
        self.params = params
        self.infer = infer
        self.caches = CacheManager()
        self.warnings: list[str] = []
        self._first_id = 1
        #: Databases that are there beside those of the tables.
        self.databases = {DATABASE}
        #: Whether tables are guessed, so that one that is not known may be there.
        self._guesses = False
        self._told_databases = False
        #: Tables that a cache reads keep their columns' ids in the statements after it, as all tables do in Spark.
        self._relations: Relations = {}

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
        self._guess(statements)
        while statements:
            s = statements.pop(0)
            yield self._one(s, stage)
            if s.kind == "set" and (now := dialect_of(self.config)) != read_as:
                # SET changed how the rest is read.
                statements, read_as = [x for x in self._read(script) if x.start > s.start], now

    def _read(self, script: str) -> list[Statement]:
        with fresh_ids(), reading(self.config):
            statements = parse_script(script, self.params, tolerant=True)
            # The parsed plans hold ids already; every statement's stages count on from behind them.
            self._first_id = max(self._first_id, next_id())
        return statements

    def _guess(self, statements: list[Statement]) -> None:
        made = ("create_table", "create_view")
        defined = [s.name[-1] for s in statements if s.kind in made or (s.kind == "cache" and s.plan is not None)]
        # A script that makes tables with columns is complete; one that makes views and copies reads what is elsewhere.
        made_here = any(s.kind == "create_table" and s.columns for s in statements)
        nothing = not (self.catalog.tables or self.catalog.views or made_here)
        if not (self.infer or (self.infer is None and nothing)):
            return
        self._guesses = True
        known = self.catalog
        for s in statements:
            if s.kind == "create_table" and s.columns:
                known = known.with_table(table_of(s.name, s.columns, s.provider, s.partition_columns, s.buckets))
        plans = [p for s in statements if (p := s.written if s.plan is None else s.plan) is not None]
        found, self.warnings = with_guesses(plans, known, defined)
        guessed = {key: t for key, t in found.tables.items() if key not in known.tables}
        self.catalog = replace(self.catalog, tables={**self.catalog.tables, **guessed})

    def _one(self, s: Statement, stage: str) -> Outcome:
        if s.error is not None:
            return Outcome(s, None, s.error)
        if s.kind == "query":
            execution = self._execution(s)
            return Outcome(s, execution, execution.error_until(stage))
        try:
            self._define(s)
        except PlanvizError as e:
            return Outcome(s, None, e)
        written = s.written
        if written is None:
            return Outcome(s)
        execution = self._execution(replace(s, kind="query", plan=written))
        execution.warnings.append(_WRITTEN)
        return Outcome(s, execution, execution.error_until(stage))

    def _execution(self, s: Statement) -> QueryExecution:
        analyzer = Analyzer(self.catalog, self.config)
        analyzer.relations = self._relations if s.kind == "cache" else dict(self._relations)
        made = QueryExecution(s.sql, self.catalog, self.config, s, self.params, analyzer=analyzer)
        made.warnings, made.ids, made.caches = list(self.warnings), Ids(self._first_id), self.caches.copy()
        return made

    def _define(self, s: Statement) -> None:
        match s.kind:
            case "create_view" if s.plan is not None:
                if not is_made(s, self.catalog):
                    return
                check_view(s, self._analyzed(s), self.catalog)
                self._forget(s.name)
                self.catalog = self.catalog.with_view(self._view(s, s.plan))
            case "create_table":
                # Tables of Delta Lake and the like may be in another catalogue, replaced and computed.
                free = self._guesses or s.provider in TRANSACTIONAL
                if not free:
                    self._check_name(s.name)
                if not is_made(s, self.catalog, free):
                    return
                columns = s.columns if s.plan is None else self._columns_of(s)
                check_table(s, None if s.plan is None else self._analyzed(s))
                self._forget(s.name)
                known = (s.provider, s.partition_columns, s.buckets, self.catalog.current)
                table = table_of(s.name, columns, *known)
                self._relations.pop(table.qualified, None)
                self.catalog = self.catalog.with_table(table)
            case "set" if s.options:
                self.config = self.config.with_settings(dict(s.options))
            case "create_function":
                self.catalog = with_function(self.catalog, s, lambda q: self._execution(q).analyzed)
            case "drop_function":
                self.catalog = self.catalog.without_function(s.name[-1])
            case "declare" | "set_variable" | "drop_variable":
                self.catalog = changed_variables(self.catalog, s, lambda q: self._execution(q).optimized)
            case "drop":
                if s.words.startswith(("TABLE", "VIEW")) and not self._guesses:
                    check_drop(s, self.catalog)
                self._forget(s.name)
                self.catalog = self.catalog.without(s.name)
            case "cache":
                self._cache(s)
            case "uncache":
                self._uncache(s)
            case "clear_cache":
                self.caches.clear()
            case "execute":
                self._execute(s)
            case _ if s.command is not None and not self._guesses:
                self._command(s, s.command)

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

    def _execute(self, s: Statement) -> None:
        """EXECUTE IMMEDIATE: its text is read and analyzed with the values, where they are known."""
        assert isinstance(s.plan, Project)
        text, *values = s.plan.projects
        if isinstance(text, UnresolvedAttribute):
            known = self.catalog.variable(text.parts)
            text = text if known is None else known.value
        if not isinstance(text, Literal):
            return
        if not isinstance(text.value, str):
            raise AnalysisError(
                "INVALID_EXPR_TYPE_FOR_QUERY_EXECUTE_IMMEDIATE", "EXECUTE IMMEDIATE takes a constant string, not null."
            )
        with fresh_ids(), reading(self.config):
            inner = parse_script(text.value)
            self._first_id = max(self._first_id, next_id())
        if len(inner) != 1:
            raise ParseError("PARSE_SYNTAX_ERROR", f"One statement was expected, the text holds {len(inner)}.")
        plain = [v.child if isinstance(v, Alias) else v for v in values]
        if not all(isinstance(v, Literal) for v in plain):
            return
        # Values by name serve question marks, too, in their order.
        by_name = "?" not in tokenize(text.value).keys
        named = {v.name: x for v, x in zip(values, plain, strict=True) if isinstance(v, Alias) and by_name}
        with fresh_ids(), reading(self.config):
            (one,) = parse_script(text.value, named or plain)
            self._first_id = max(self._first_id, next_id())
        if s.name:
            one = replace(one, kind="set_variable", name=s.name)
        if one.kind == "query":
            _ = self._execution(one).analyzed
        else:
            self._define(one)

    def _command(self, s: Statement, c: Command) -> None:
        """A command on a table or a database: checked, and carried out where later statements see what it does."""
        if c.verb.endswith("DATABASE"):
            self.databases = changed_databases(c, self._databases(), self.catalog)
            self._told_databases = True
            if c.verb == "USE DATABASE":
                self.catalog = self.catalog.using(c.name[-1])
            elif c.verb == "DROP DATABASE":
                self.catalog = self.catalog.without_database(c.name[-1])
            return
        check_command(c, self.catalog, lambda p: self._execution(replace(s, kind="query", plan=p)).analyzed)
        if c.other or "ADD" in c.flags or (c.verb == "ALTER VIEW" and c.plan is not None):
            self.catalog = altered(c, self.catalog)

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
        self.caches.add(execution.kept(level, ".".join(s.name)))
        if execution.ids is not None:
            with ids_from(execution.ids):
                self._first_id = max(self._first_id, next_id())

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
