"""The analyzer's batches in Spark's order, and how they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from typing_extensions import override

from planviz.analysis.aggregates import (
    GlobalAggregates,
    RemoveTempResolvedColumn,
    ResolveAggregateFunctions,
    ResolveGroupingAnalytics,
    ResolveUnresolvedHaving,
)
from planviz.analysis.arithmetic import ResolveBinaryArithmetic
from planviz.analysis.char_padding import ApplyCharTypePadding
from planviz.analysis.check import check_analysis
from planviz.analysis.cleanup import CleanupAliases, EliminateUnions
from planviz.analysis.coercion import UnpivotCoercion, WidenSetOperationTypes, combined_rule
from planviz.analysis.collations import ResolveCollationName
from planviz.analysis.context import AnalysisContext, Counters, exact_names, sql_text
from planviz.analysis.ctes import CTESubstitution, ResolveWithCTE
from planviz.analysis.deduplication import DeduplicateRelations
from planviz.analysis.earlier import as_parsed_then
from planviz.analysis.frames import ResolveDataFrameDropColumns, ResolveDeduplicate, ResolveUnion
from planviz.analysis.functions import (
    LookupFunctions,
    ResolveAliases,
    ResolveFunctions,
    ResolveIdentifierClause,
    ResolveLambdaVariables,
    ResolveRandomSeed,
    ResolveTimeZone,
)
from planviz.analysis.generators import ExtractGenerator, ResolveGenerate, ResolvePivot, ResolveUnpivot
from planviz.analysis.inline_tables import ResolveInlineTables
from planviz.analysis.joins import (
    DisableHints,
    RemoveAllHints,
    ResolveCoalesceHints,
    ResolveJoinStrategyHints,
    ResolveNaturalAndUsingJoin,
)
from planviz.analysis.lateral_aliases import ResolveLateralColumnAliasReference
from planviz.analysis.nondeterministic import PullOutNondeterministic
from planviz.analysis.null_inputs import HandleNullInputsForUDF
from planviz.analysis.objects import ResolveDeserializer, ResolveUpCast
from planviz.analysis.ordinals import ResolveOrdinalInOrderByAndGroupBy
from planviz.analysis.pipes import ValidateAndStripPipeExpressions
from planviz.analysis.references import ResolveReferences
from planviz.analysis.relations import (
    ApplyLimitAll,
    FindDataSourceTable,
    ResolveRelations,
    ResolveSubqueryColumnAliases,
)
from planviz.analysis.routines import ResolveSQLFunctions
from planviz.analysis.subqueries import ResolveSubquery, UpdateOuterReferences
from planviz.analysis.time_windows import ResolveWindowTime, SessionWindowing, TimeWindowing
from planviz.analysis.variants import ExtractSemiStructuredFields
from planviz.analysis.windows import (
    ExtractWindowExpressions,
    ResolveQualify,
    ResolveWindowFrame,
    ResolveWindowOrder,
    WindowsSubstitution,
)
from planviz.analysis.writes import DataSourceAnalysis, PreprocessTableInsertion, ResolveUserSpecifiedColumns
from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.frontend.errors import analysis_error
from planviz.functions.registry import nearest
from planviz.logical.plan import ANALYZED, LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.trees.executor import Check, RuleExecutor
from planviz.trees.node import TreeNode
from planviz.trees.rule import Batch, FixedPoint, Once, Rule
from planviz.trees.trace import Trace
from planviz.types import typing_decimals

Relations = dict[tuple[str, ...], LogicalRelation]


def _resolution(c: AnalysisContext, relations: Relations) -> list[Rule]:
    """The rules of the batch "Resolution" in Spark's order."""
    return [
        ResolveRelations(c),
        ResolveIdentifierClause(c),
        # First what tells occurrences apart, so that names below resolve to ids that stay.
        DeduplicateRelations(c),
        ResolveCollationName(c),
        ResolveDataFrameDropColumns(c),
        ResolveReferences(c),
        ResolveLateralColumnAliasReference(c),
        # What typed operations read is bound before names: an encoder knows places, not names.
        ResolveDeserializer(c),
        ResolveUpCast(c),
        ResolveGroupingAnalytics(c),
        ResolvePivot(c),
        ResolveUnpivot(c),
        ResolveOrdinalInOrderByAndGroupBy(c),
        ExtractGenerator(c),
        ResolveGenerate(c),
        ResolveFunctions(c),
        ValidateAndStripPipeExpressions(c),
        ExtractSemiStructuredFields(c),
        ResolveAliases(c),
        ResolveSubquery(c),
        ResolveSubqueryColumnAliases(c),
        ResolveWindowOrder(c),
        ResolveWindowFrame(c),
        ResolveNaturalAndUsingJoin(c),
        ExtractWindowExpressions(c),
        GlobalAggregates(c),
        ResolveAggregateFunctions(c),
        ResolveQualify(c),
        SessionWindowing(c),
        TimeWindowing(c),
        ResolveWindowTime(c),
        ResolveInlineTables(c),
        ResolveUserSpecifiedColumns(c),
        ResolveLambdaVariables(c),
        ResolveSQLFunctions(c),
        ResolveTimeZone(c),
        ResolveRandomSeed(c),
        ResolveUnion(c),
        ResolveDeduplicate(c),
        ResolveBinaryArithmetic(c),
        UnpivotCoercion(c),
        WidenSetOperationTypes(c),
        combined_rule(c),
        ResolveWithCTE(c),
        FindDataSourceTable(c, relations),
    ]


def batches(context: AnalysisContext, relations: Relations) -> list[Batch]:
    """The analyzer's batches (Spark: `Analyzer.batches`); rules that planviz has no use for are left out."""
    setting = "spark.sql.analyzer.maxIterations"
    fixed = FixedPoint(context.config.number(setting), True, setting)
    c = context
    hintless = c.config.get("spark.sql.optimizer.disableHints")
    disabled = [Batch("Disable Hints", Once, [DisableHints(c)])] if hintless else []
    return [
        Batch("Substitution", fixed, [CTESubstitution(c), WindowsSubstitution(c), EliminateUnions(c)]),
        Batch("Apply Limit All", Once, [ApplyLimitAll(c)]),
        *disabled,
        Batch("Hints", fixed, [ResolveJoinStrategyHints(c), ResolveCoalesceHints(c)]),
        Batch("Simple Sanity Check", Once, [LookupFunctions(c)]),
        Batch("Resolution", fixed, _resolution(c, relations)),
        Batch("Remove TempResolvedColumn", Once, [RemoveTempResolvedColumn(c)]),
        Batch("Remove Unresolved Hints", Once, [RemoveAllHints(c)]),
        Batch("Nondeterministic", Once, [PullOutNondeterministic(c)]),
        Batch("UDF", Once, [HandleNullInputsForUDF(c)]),
        Batch(
            "Post-Hoc Resolution", Once, [PreprocessTableInsertion(c), DataSourceAnalysis(c), ApplyCharTypePadding(c)]
        ),
        Batch("Subquery", Once, [UpdateOuterReferences(c)]),
        Batch("Cleanup", fixed, [CleanupAliases(c)]),
        Batch("ResolveUnresolvedHaving", Once, [ResolveUnresolvedHaving(c)]),
    ]


class _AnalyzerExecutor(RuleExecutor):
    """Runs the analyzer's batches over what is new in a plan.

    What was analyzed before, the DataFrame from which another one is derived, has nothing left for any rule: a rule
    whose nodes are only there is not called. Wrong for a rule that rewrites a new operator by what it finds beneath it
    and names only that in its `matches`.
    """

    _last: tuple[TreeNode | None, int] = (None, 0)

    @override
    def bits(self, plan: TreeNode) -> int:
        if self._last[0] is plan:
            return self._last[1]
        found, stack = 0, [plan]
        while stack:
            node = stack.pop()
            if node not in ANALYZED:
                found |= node.own_bits
                stack += node.children
        self._last = (plan, found)
        return found


class Analyzer:
    """Turns an unresolved plan into one whose every name and type is known.

    One analyzer serves one session: a table read by several queries keeps its ids, as in Spark.
    """

    def __init__(self, catalog: Catalog, config: OptimizerConfig | None = None, checks: Sequence[Check] = ()) -> None:
        self.catalog = catalog
        self.config = config or OptimizerConfig()
        self.checks = checks
        self.relations: Relations = {}

    def analyze(self, plan: LogicalPlan, trace: Trace | None = None) -> tuple[LogicalPlan, list[str]]:
        """The analyzed plan and the warnings that came up.

        Every effective rule application goes into `trace`. Raises AnalysisError, with Spark's error class, line and
        column, when a name or a type does not fit.
        """
        context = AnalysisContext(self.catalog, self.config, trace if trace is not None else Trace(), Counters())
        try:
            whole = self.config.behaviour.wide_decimals_keep_whole_digits
            with typing_decimals(keeps_whole_digits=whole), exact_names(self.config.flag("spark.sql.caseSensitive")):
                analyzed = self._run(as_parsed_then(plan, self.config), context)
            check_analysis(analyzed, context)
        except AnalysisError as e:
            call = context.counters.unknown
            if call is None or e.error_class in ("UNRESOLVED_ROUTINE", "ROUTINE_NOT_FOUND"):
                raise
            # Spark looks every function up before anything else, and reports the unknown one first.
            name = sql_text(call.parts)
            raise analysis_error(
                "UNRESOLVED_ROUTINE", f"Cannot resolve routine {name}.{nearest(call.parts[-1])}", call
            ) from e
        return analyzed, context.counters.warnings

    def _run(self, plan: LogicalPlan, context: AnalysisContext) -> LogicalPlan:
        inner = replace(context, analyze=self._run, analyze_view=self._view, run=len(context.trace.runs))
        executor = _AnalyzerExecutor("Analyzer", batches(inner, self.relations), self.checks)
        result: LogicalPlan = executor.execute(plan, context.trace, context.run)
        return result

    def _view(self, plan: LogicalPlan, context: AnalysisContext) -> LogicalPlan:
        """A view's query, analyzed and checked, whatever reads the view."""
        analyzed = self._run(plan, replace(context, outer=(), views=context.views + 1))
        check_analysis(analyzed, context)
        return analyzed
