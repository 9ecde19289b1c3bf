"""One query through all stages, each by its name (Spark: QueryExecution)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, field, replace

from planviz.analysis import Analyzer
from planviz.analysis.inference import Defined, infer
from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.decisions.choices import Decision
from planviz.decisions.refusals import Refusal
from planviz.errors import AnalysisError, InputError, PlanvizError, defect
from planviz.estimation import Estimator, cost_string
from planviz.estimation.cost import Reordering
from planviz.expressions.ids import Ids, ids_from, next_id
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.frontend import Parameters, Statement, parse_plan
from planviz.frontend.dialect import dialect_of
from planviz.logical.cached import DEFAULT_LEVEL, CachedPlan, InMemoryRelation, StorageLevel
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.logical.writes import InsertIntoHadoopFsRelationCommand
from planviz.optimizer import Optimizer
from planviz.optimizer.caches import CachedData, CacheManager
from planviz.optimizer.context import OptimizerContext
from planviz.physical.formatted import formatted, simple
from planviz.physical.plan import SparkPlan
from planviz.physical.query import PhysicalPlan, plan_query
from planviz.trees.collector import collector_at_rest
from planviz.trees.depth import deep_stack, refuse_heavy, written
from planviz.trees.executor import RuleExecutor
from planviz.trees.trace import Trace
from planviz.types import typing_decimals
from planviz.types.zones import in_session_zone

#: Settings of a plan that fills a cache: its buckets are read one by one (Spark: getOrCloneSessionWithConfigsOff).
_CACHING = {"spark.sql.sources.bucketing.autoBucketedScan.enabled": False}
#: Whether such a plan may spread its rows otherwise while it runs, as adaptive execution does: before Spark 3.5 it is
#: adaptive only then, later it is anyway.
_SPREAD_ANEW = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
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
    far, `warnings` what is worth telling beside the plan, `refusals` the guards of optimizer rules that said no and
    `effects` the rules that changed something within another's step (None: nobody asked). `ids` numbers the expressions
    of all stages (None: as the surrounding `fresh_ids` does): the same text always gives the same ids. `analyzer` is
    that of a session, where the query is one of several, `caches` what the session keeps the rows of. `optimizes` is
    False where the optimized plan was given and cannot be made again: it stays what it is under other settings. Raises
    ParseError and AnalysisError (line and column where known) as stages are computed.
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
    effects: list[str] | None = field(default=None, repr=False)
    reorderings: list[Reordering] | None = field(default=None, repr=False)
    caches: CacheManager = field(default_factory=CacheManager, repr=False)
    optimizes: bool = True
    _with_cached_data: LogicalPlan | None = field(default=None, repr=False)
    _first_new_id: int = 1
    _read_back: bool = False
    _stages: dict[str, LogicalPlan | SparkPlan] = field(default_factory=dict)
    _planned: PhysicalPlan | None = field(default=None, repr=False)

    def starting_at(self, plan: LogicalPlan) -> QueryExecution:
        """This execution of a plan that was not read from text."""
        self._stages["parsed"] = plan
        return self

    def written_as(self, plan: LogicalPlan) -> None:
        """Show another plan as the parsed one: what was looked up while the program was read."""
        self._stages["parsed"] = plan

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
            with self._numbered(), _told("read"):
                if plan is None:
                    plan = parse_plan(self.sql, self.params, dialect_of(self.config))
                self._stages["parsed"] = plan
        return self._logical("parsed")

    @property
    def analyzed(self) -> LogicalPlan:
        """The plan with every name and type known."""
        if "analyzed" not in self._stages:
            self._analyze()
        return self._logical("analyzed")

    @collector_at_rest()
    def _analyze(self) -> None:
        parsed = self.parsed
        if self.infer:
            self.catalog, self.warnings = with_guesses([parsed], self.catalog)
        with self._numbered(), written(parsed), _told("analyzed"):
            refuse_heavy(parsed.weight, "The query")
            analyzer = self.analyzer or Analyzer(self.catalog, self.config)
            plan, warnings = analyzer.analyze(parsed, self.trace)
        self._stages["analyzed"] = plan
        self.warnings += [*warnings, *self.config.warnings]

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
                self.config,
                database=self.catalog.current,
                refusals=self.refusals,
                effects=self.effects,
                reorderings=self.reorderings,
            )
            optimizer = Optimizer(self.config, context)
            with self._numbered(), written(self.parsed), _told("optimized"):
                self._first_new_id = next_id()
                self._stages["optimized"] = optimizer.optimize(analyzed, self.trace)
            self.warnings += optimizer.warnings
        return self._logical("optimized")

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
        return self._physical("physical")

    @property
    def spark_plan(self) -> SparkPlan:
        """The strategies' plan, before anything is prepared: no exchange, no sort, no generated stage (sparkPlan)."""
        if "sparkPlan" not in self._stages:
            self._stages["sparkPlan"] = self.planned.spark
        return self._physical("sparkPlan")

    def again(
        self,
        config: OptimizerConfig | None = None,
        refusals: list[Refusal] | None = None,
        plans: Mapping[str, LogicalPlan] | None = None,
        effects: list[str] | None = None,
    ) -> QueryExecution:
        """The analyzed query to be optimized once more, with other settings; guards that say no go to `refusals`.

        `effects` takes the rules that change something within another's step.

        `plans` take the place of the stages "analyzed" or "optimized", which are then not computed. New expressions get
        the numbers that they got the first time, or go on counting behind an optimized plan. Raises what the stages
        raise.
        """
        _ = self.optimized
        other = replace(self, trace=Trace(), warnings=[], refusals=refusals, reorderings=None, _planned=None)
        other.effects = effects
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

    def run_by(self, command: LogicalPlan) -> QueryExecution:
        """The execution of a command that runs this query, which is a part of it; this query stays as it is."""
        other = replace(self, trace=Trace(), warnings=[], _planned=None, _with_cached_data=None)
        other._stages = {"parsed": command}
        if self.ids is not None:
            other.ids = Ids(next(copy(self.ids.expressions)))
        return other

    @property
    def caches_read(self) -> tuple[FilledCache, ...]:
        """The caches that the optimized plan reads, each once. Raises what the stages raise."""
        read = {id(r.cached) for r in self.optimized.collect(InMemoryRelation)}
        return tuple([c for c in self.caches.caches if isinstance(c, FilledCache) and id(c.cached) in read])

    @property
    def decisions_shown(self) -> tuple[Decision, ...]:
        """The planner's decisions on all that the physical plan shows: on the query, and on what fills its caches."""
        return (*self.planned.decisions, *[d for c in self.caches_read for d in c.execution.decisions_shown])

    def kept(self, level: StorageLevel = DEFAULT_LEVEL, name: str = "") -> FilledCache:
        """What a cache of this query's rows holds; `name` is that of the cached table. Raises what the stages raise."""
        # The caches of this moment: planned again later, it must not read the cache that it fills.
        caches = self.caches.copy()
        filling = replace(self, trace=Trace(), warnings=[], caches=caches, _planned=None, _with_cached_data=None)
        anew = self.config.get(_SPREAD_ANEW) or self.config.behaviour.caches_are_planned_anew
        adaptive = {} if anew else {"spark.sql.adaptive.enabled": False}
        filling.config = self.config.with_settings(_CACHING | adaptive)
        filling._stages = {name: self._stages[name] for name in ("parsed", "analyzed") if name in self._stages}
        physical = filling.physical
        statistics = Estimator(self.config).estimate(filling.optimized)
        cached = CachedPlan(physical, statistics, level, name, filling.planned.last_plan_id)
        return FilledCache(filling.analyzed, cached, filling)

    @contextmanager
    def _numbered(self) -> Iterator[None]:
        """Within the block ids are this execution's, decimals are typed and clocks read as its settings say."""
        loss = bool(self.config.get("spark.sql.decimalOperations.allowPrecisionLoss"))
        least = bool(self.config.get("spark.sql.legacy.literal.pickMinimumPrecision"))
        decimals = typing_decimals(allows_precision_loss=loss, least_precision=least)
        zone = in_session_zone(self.config.text("spark.sql.session.timeZone"))
        with nullcontext() if self.ids is None else ids_from(self.ids), decimals, zone:
            yield

    def _logical(self, name: str) -> LogicalPlan:
        plan = self._stages[name]
        assert isinstance(plan, LogicalPlan)
        return plan

    def _physical(self, name: str) -> SparkPlan:
        plan = self._stages[name]
        assert isinstance(plan, SparkPlan)
        return plan

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

    def stage(self, name: str) -> LogicalPlan | SparkPlan:
        """A stage by its name (see STAGES)."""
        if name not in STAGES:
            raise PlanvizError(f"There is no stage {name!r}; there are {', '.join(STAGES)}.")
        return self.spark_plan if name == "sparkPlan" else getattr(self, name)

    @property
    def reads_guesses(self) -> bool:
        """Whether a table of the catalogue was guessed, or files that an analyzed plan reads."""
        if any(table.guessed for table in self.catalog.tables.values()):
            return True
        plan = self.stages.get("analyzed")
        relations = plan.collect(LogicalRelation) if isinstance(plan, LogicalPlan) else []
        return any(isinstance(r.table, Table) and r.table.guessed for r in relations)

    @property
    def guesses_tables_of_columns(self) -> bool:
        """Whether columns were guessed, and the query names one without its table: nobody knows which table has it.

        So programs do, whose queries have no text of SQL.
        """
        if not self.reads_guesses or not self.sql:
            return self.reads_guesses
        names = (a for node in self.parsed.walk() for e in node.expressions for a in e.collect(UnresolvedAttribute))
        return any(len(name.parts) == 1 for name in names)

    def text(self, name: str) -> str:
        """A stage as Spark's extended explain prints it, without heading and output line."""
        text: str = self.stage(name).tree_string
        return text

    def explain_string(self, mode: str = "simple") -> str:
        """The plans as `df.explain(mode)` prints them, one of EXPLAIN_MODES, nothing cut (Spark: explainString)."""
        if mode not in EXPLAIN_MODES:
            raise InputError(f"There is no explain mode {mode!r} here; there are {', '.join(EXPLAIN_MODES)}.")
        plan = self.physical
        if mode == "formatted":
            text = formatted(plan, self.config.behaviour)
        else:
            text = simple(plan) if mode == "simple" else plan.tree_string
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
        """The optimized plan with the operators' estimates, as `explain cost` prints it, without heading."""
        estimator = Estimator(self.config)
        plan = self.optimized
        told = None if self.config.behaviour.cost_shows_every_estimate else estimator.asked_by(plan)
        if isinstance(plan, InsertIntoHadoopFsRelationCommand):  # of a command itself nothing is told
            told = ({id(node) for node in plan.walk()} if told is None else told) - {id(plan)}
        return cost_string(plan, estimator.estimate, told)


@dataclass(frozen=True, eq=False)
class FilledCache(CachedData):
    """What keeps an analyzed plan's rows, and the execution that fills it."""

    execution: QueryExecution


def with_guesses(
    plans: list[LogicalPlan],
    catalog: Catalog,
    defined: Defined = (),
    variables: Iterable[str] = (),
) -> tuple[Catalog, list[str]]:
    """The catalogue with the tables that the unresolved plans read and it does not have, guessed; and warnings.

    `defined` are names that are not to be guessed, `variables` names that are no columns, as `infer` takes them. Raises
    AnalysisError for a query that is too deep to be walked.
    """
    try:
        with deep_stack():
            return infer(plans, catalog, defined, variables)
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
