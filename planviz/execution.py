"""One query through all stages, each by its name (Spark: QueryExecution), and sessions of several statements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from planviz.analysis import Analyzer
from planviz.catalog.ddl import table_of
from planviz.catalog.tables import Catalog, View
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, PlanvizError
from planviz.expressions.core import fresh_ids
from planviz.frontend import Parameters, Statement, parse_plan, parse_script
from planviz.logical.plan import LogicalPlan
from planviz.optimizer import Optimizer
from planviz.trees.trace import Trace
from planviz.types import StructField

STAGES = ("parsed", "analyzed", "optimized")


@dataclass
class QueryExecution:
    """A query with a catalogue and settings; every stage is computed when it is first asked for.

    `params` are the values of `:name` (by name) or `?` (in order). `parsed` and `analyzed` are plans, `trace` holds
    every effective rule application so far, `warnings` what is worth telling beside the plan.
    Raises ParseError and AnalysisError (line and column where known) as stages are computed.
    """

    sql: str
    catalog: Catalog = field(default_factory=Catalog)
    config: OptimizerConfig = field(default_factory=OptimizerConfig)
    statement: Statement | None = None
    params: Parameters | None = None
    trace: Trace = field(default_factory=Trace)
    warnings: list[str] = field(default_factory=list)
    _stages: dict[str, LogicalPlan] = field(default_factory=dict)

    @property
    def parsed(self) -> LogicalPlan:
        """The plan as the text says it."""
        if "parsed" not in self._stages:
            plan = self.statement.plan if self.statement is not None else None
            self._stages["parsed"] = plan if plan is not None else parse_plan(self.sql, self.params)
        return self._stages["parsed"]

    @property
    def analyzed(self) -> LogicalPlan:
        """The plan with every name and type known."""
        if "analyzed" not in self._stages:
            parsed = self.parsed
            try:
                plan, warnings = Analyzer(self.catalog, self.config).analyze(parsed, self.trace)
            except RecursionError:
                raise AnalysisError(
                    "TOO_DEEP", "The plan is too deep to be analyzed; split the query with WITH or views."
                ) from None
            self._stages["analyzed"] = plan
            self.warnings += warnings
        return self._stages["analyzed"]

    @property
    def optimized(self) -> LogicalPlan:
        """The plan that the optimizer makes of the analyzed one."""
        if "optimized" not in self._stages:
            analyzed = self.analyzed
            try:
                self._stages["optimized"] = Optimizer(self.config).optimize(analyzed, self.trace)
            except RecursionError:
                raise AnalysisError(
                    "TOO_DEEP", "The plan is too deep to be optimized; split the query with WITH or views."
                ) from None
        return self._stages["optimized"]

    def stage(self, name: str) -> LogicalPlan:
        """A stage by its name (see STAGES)."""
        if name not in STAGES:
            raise PlanvizError(f"There is no stage {name!r}; there are {', '.join(STAGES)}.")
        plan: LogicalPlan = getattr(self, name)
        return plan

    def text(self, name: str) -> str:
        """A stage as Spark's extended explain prints it, without heading and output line."""
        return self.stage(name).tree_string


def explain(
    sql: str, catalog: Catalog | None = None, config: OptimizerConfig | None = None, params: Parameters | None = None
) -> QueryExecution:
    """A query, ready to be asked for its stages; ids count from 1, so that the same text always gives the same ids."""
    with fresh_ids():
        execution = QueryExecution(sql, catalog or Catalog(), config or OptimizerConfig(), params=params)
        _ = execution.parsed
        _ = execution.analyzed
    return execution


@dataclass(frozen=True)
class Outcome:
    """What became of one statement of a script: its execution when it is a query, the error when it failed."""

    statement: Statement
    execution: QueryExecution | None = None
    error: PlanvizError | None = None


class Session:
    """Runs the statements of a script one after the other; nothing is executed, definitions change the catalogue.

    `params` are the values of `:name` (by name) or `?` (in order) in every script that it runs.
    """

    def __init__(
        self,
        catalog: Catalog | None = None,
        config: OptimizerConfig | None = None,
        params: Parameters | None = None,
    ) -> None:
        self.catalog = catalog or Catalog()
        self.config = config or OptimizerConfig()
        self.params = params

    def run(self, script: str) -> Iterator[Outcome]:
        """The outcome of each statement, in order. Raises ParseError when the script cannot be read."""
        with fresh_ids():
            statements = parse_script(script, self.params)
        for s in statements:
            with fresh_ids():
                yield self._one(s)

    def _one(self, s: Statement) -> Outcome:
        try:
            if s.kind == "query":
                with fresh_ids(10_000):
                    execution = QueryExecution(s.sql, self.catalog, self.config, s)
                    _ = execution.analyzed
                return Outcome(s, execution)
            self._define(s)
        except PlanvizError as e:
            return Outcome(s, None, e)
        return Outcome(s)

    def _define(self, s: Statement) -> None:
        if s.kind == "create_view" and s.plan is not None:
            self._analyzed(s)
            self.catalog = self.catalog.with_view(View(s.name[-1], s.plan, s.sql))
        elif s.kind == "create_table":
            columns = s.columns if s.plan is None else self._columns_of(s)
            table = table_of(s.name, columns, s.provider, s.partition_columns)
            self.catalog = self.catalog.with_table(table)
        elif s.kind == "set" and s.options:
            self.config = self.config.with_settings(dict(s.options))
        elif s.kind == "drop":
            self.catalog = self.catalog.without(s.name)

    def _analyzed(self, s: Statement) -> LogicalPlan:
        with fresh_ids(10_000):
            return QueryExecution(s.sql, self.catalog, self.config, replace(s, kind="query")).analyzed

    def _columns_of(self, s: Statement) -> tuple[StructField, ...]:
        return tuple(StructField(a.name, a.type, a.is_nullable) for a in self._analyzed(s).output)
