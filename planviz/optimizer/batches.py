"""The optimizer's batches in Spark 4.3's order: the only place with order.

Sources: `Optimizer.defaultBatches`, `SparkOptimizer.defaultBatches`. Rules that only concern what planviz has no plans
for (data source writes and V2 scans) are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from planviz.config import OptimizerConfig
from planviz.optimizer import profiles
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.optimizer.rules import (
    aggregates,
    boolean,
    casts,
    conditionals,
    constants,
    conversions,
    cte,
    cte_pushdown,
    filters,
    finish_analysis,
    floats,
    join_reorder,
    joins,
    limits,
    merging,
    nested_aggregates,
    nested_data,
    objects,
    partition_pruning,
    predicate_subqueries,
    projections,
    pushdown,
    python_udfs,
    relations,
    runtime_filters,
    schema_pruning,
    semi_anti,
    sets,
    subqueries,
    updates,
    variants,
    windows,
    with_expression,
    writes,
)
from planviz.trees.rule import Batch, FixedPoint, Once, Strategy

Rules = list[type[OptimizerRule]]

_ITERATIONS = "spark.sql.optimizer.maxIterations"

#: Run to a fixed point before and after filters are inferred.
OPERATOR_OPTIMIZATION: Rules = [
    # Push down what narrows or filters, so that the rest sees small plans.
    projections.PushProjectionThroughUnion,
    projections.PushProjectionThroughLimitAndOffset,
    # Before filters are pushed: conditions lie together above the joins and can be handed out.
    joins.ReorderJoin,
    joins.EliminateOuterJoin,
    pushdown.PushDownPredicates,
    semi_anti.PushDownLeftSemiAntiJoin,
    semi_anti.PushLeftSemiLeftAntiThroughJoin,
    joins.OptimizeJoinCondition,
    limits.LimitPushDown,
    limits.LimitPushDownThroughWindow,
    # After filters went down: the columns that only they read are then needed below alone.
    projections.ColumnPruning,
    nested_data.GenerateOptimization,
    # Combine operators.
    limits.CollapseRepartition,
    projections.CollapseProject,
    windows.OptimizeWindowFunctions,
    windows.CollapseWindow,
    limits.EliminateOffsets,
    limits.EliminateLimits,
    sets.CombineUnions,
    limits.OptimizeRepartition,
    windows.EliminateWindowPartitions,
    windows.TransposeWindow,
    windows.PullUpProjectAliasThroughWindow,
    # Constants and logic.
    constants.NullPropagation,
    subqueries.RewriteNonCorrelatedExists,
    constants.NullDownPropagation,
    constants.ConstantPropagation,
    constants.FoldablePropagation,
    constants.OptimizeIn,
    constants.OptimizeRand,
    # After values were propagated: what they stand in may now be constant.
    constants.ConstantFolding,
    aggregates.EliminateAggregateFilter,
    constants.ReorderAssociativeOperator,
    conditionals.LikeSimplification,
    boolean.BooleanSimplification,
    conditionals.SimplifyConditionals,
    conditionals.PushFoldableIntoBranches,
    boolean.SimplifyBinaryComparison,
    boolean.ReplaceNullWithFalseInPredicate,
    # After logic: conditions that came out as true or false now go.
    filters.PruneFilters,
    casts.SimplifyCasts,
    conditionals.SimplifyCaseConversionExpressions,
    conversions.SimplifyDateTimeConversions,
    # Subqueries whose plans are optimized become joins.
    subqueries.RewriteCorrelatedScalarSubquery,
    subqueries.RewriteLateralSubquery,
    # Before redundant aliases go: it leaves one where it joins two objects.
    objects.EliminateSerialization,
    projections.RemoveRedundantAliases,
    nested_aggregates.RemoveRedundantAggregates,
    casts.UnwrapCastInBinaryComparison,
    projections.RemoveNoopOperators,
    updates.OptimizeUpdateFields,
    conditionals.SimplifyExtractValueOps,
    conversions.OptimizeCsvJsonExprs,
    constants.CombineConcats,
    # Last: the conditions above all uses have settled as far as this pass can tell.
    cte_pushdown.PushdownPredicatesAndPruneColumnsForCTEDef,
]


#: A batch before its rules are made: its name, how often it runs, the classes in order.
Row = tuple[str, Strategy, Rules]

#: The batches by the version and the number of iterations, made once: every query of a session asks for them.
_TABLES: dict[tuple[str, int], list[Row]] = {}
_MOST_TABLES = 64


def _table(c: OptimizerContext) -> list[Row]:
    fixed = FixedPoint(c.config.number(_ITERATIONS))
    return [*_before_operators(fixed), *_operators(fixed), *_joins_and_aggregates(fixed), *_for_execution(fixed)]


def _before_operators(fixed: Strategy) -> list[Row]:
    """What brings a plan into the form that the rules of operators know."""
    return [
        # First what every other rule relies on: no names, no views, no functions that stand for others.
        ("Finish Analysis", FixedPoint(1), [finish_analysis.FinishAnalysis]),
        # Before CTEs are inlined, so that a shared expression is rewritten once.
        ("Rewrite With expression", fixed, [with_expression.RewriteWithExpression]),
        ("Eliminate Distinct", Once, [aggregates.EliminateDistinct]),
        # Early: every use of a CTE is then optimized for itself.
        ("Inline CTE", Once, [cte.InlineCTE]),
        # Before the big batch: it saves iterations there.
        ("Union", fixed, [projections.RemoveNoopOperators, sets.CombineUnions, sets.RemoveNoopUnion]),
        # Early: what is known to be empty needs no further work.
        (
            "LocalRelation early",
            fixed,
            [relations.ConvertToLocalRelation, relations.PropagateEmptyRelation, relations.UpdateAttributeNullability],
        ),
        # Before subqueries are optimized: afterwards their plans hold no outer references.
        (
            "Pullup Correlated Expressions",
            Once,
            [
                subqueries.OptimizeOneRowRelationSubquery,
                nested_data.PullOutNestedDataOuterRefExpressions,
                subqueries.PullupCorrelatedPredicates,
            ],
        ),
        # Inner plans first: outer rules look at optimized subqueries. Once is not enough to call it idempotent.
        (
            "Subquery",
            FixedPoint(1),
            [subqueries.OptimizeSubqueries, subqueries.OptimizeOneRowRelationSubquery],
        ),
        # Set operations and DISTINCT become joins and aggregates that the next batches know.
        (
            "Replace Operators",
            fixed,
            [
                sets.ReplaceDeduplicateWithAggregate,
                sets.RewriteExceptAll,
                sets.RewriteIntersectAll,
                sets.ReplaceIntersectWithSemiJoin,
                # Before the anti join: one pass over the table is less than a join.
                sets.ReplaceExceptWithFilter,
                sets.ReplaceExceptWithAntiJoin,
                # Last: the ones above make DISTINCT.
                aggregates.ReplaceDistinctWithAggregate,
            ],
        ),
        (
            "Aggregate",
            fixed,
            [aggregates.RemoveLiteralFromGroupExpressions, aggregates.RemoveRepetitionFromGroupExpressions],
        ),
    ]


def _operators(fixed: Strategy) -> list[Row]:
    """The big batch, before and after filters are inferred, and what it leaves to be pushed."""
    return [
        ("Operator Optimization before Inferring Filters", fixed, OPERATOR_OPTIMIZATION),
        # Once and between the two: inferred and pruned filters would chase each other in a fixed point.
        ("Infer Filters", Once, [filters.InferFiltersFromGenerate, filters.InferFiltersFromConstraints]),
        ("Operator Optimization after Inferring Filters", fixed, OPERATOR_OPTIMIZATION),
        # After all conditions have settled: what an OR implies for one side is taken once per condition.
        (
            "Push extra predicate through join",
            fixed,
            [pushdown.PushExtraPredicateThroughJoin, pushdown.PushDownPredicates],
        ),
        ("Clean Up Temporary CTE Info", Once, [cte_pushdown.CleanUpTempCTEInfo]),
        # Before join reordering: fewer operators stand between the joins.
        (
            "Early Filter and Projection Push-Down",
            Once,
            # The partitions last: then the filters over scans are as they will be.
            [
                nested_aggregates.CollapseGroupedSumOfCount,
                schema_pruning.SchemaPruning,
                writes.V1Writes,
                partition_pruning.PruneFileSourcePartitions,
                variants.PushVariantIntoScan,
            ],
        ),
    ]


def _joins_and_aggregates(fixed: Strategy) -> list[Row]:
    """What asks for sizes, or changes what an aggregate computes: once the plan is as small as it gets."""
    return [
        # After the definitions have settled, before joins are ordered by size.
        ("Update CTE Relation Stats", Once, [cte.UpdateCTERelationStats]),
        # After filters went down and sizes are known; before sorts go, which a new order of joins would lose.
        ("Join Reorder", FixedPoint(1), [join_reorder.CostBasedJoinReorder]),
        ("Push Down Join Through Union", Once, [joins.PushDownJoinThroughUnion]),
        # After join reordering: joins throw away the order of their inputs.
        ("Eliminate Sorts", Once, [limits.EliminateSorts, limits.RemoveRedundantSorts]),
        ("Decimal Optimizations", fixed, [aggregates.DecimalAggregates]),
        # After decimals, so that the rewritten aggregates are expanded.
        ("Distinct Aggregate Rewrite", Once, [aggregates.RewriteDistinctAggregates, nested_aggregates.OptimizeExpand]),
        # After the big batch: casts and null checks of elements are gone, and projections show what is read.
        (
            "Object Expressions Optimization",
            fixed,
            [
                objects.EliminateMapObjects,
                objects.CombineTypedFilters,
                objects.ObjectSerializerPruning,
                objects.ReassignLambdaVariableID,
            ],
        ),
        # Again: filters that came out as false have made empty relations.
        (
            "LocalRelation",
            fixed,
            [relations.ConvertToLocalRelation, relations.PropagateEmptyRelation, relations.UpdateAttributeNullability],
        ),
        ("Optimize One Row Plan", fixed, [relations.OptimizeOneRowPlan]),
        # After conditions were pushed: what has none now is a product.
        ("Check Cartesian Products", Once, [joins.CheckCartesianProducts]),
    ]


def _for_execution(fixed: Strategy) -> list[Row]:
    """What has to see the plan as it will be run: subqueries as joins, runtime filters, Python functions."""
    return [
        # Late: until here IN and EXISTS move as the filters they are.
        (
            "RewriteSubquery",
            Once,
            [
                predicate_subqueries.RewritePredicateSubquery,
                constants.NullPropagation,
                pushdown.PushPredicateThroughJoin,
                limits.LimitPushDown,
                projections.ColumnPruning,
                projections.CollapseProject,
                projections.RemoveRedundantAliases,
                projections.RemoveNoopOperators,
            ],
        ),
        # After subqueries became joins, whose keys have to be normal, too.
        ("NormalizeFloatingNumbers", Once, [floats.NormalizeFloatingNumbers]),
        ("ReplaceUpdateFieldsExpression", Once, [updates.ReplaceUpdateFieldsExpression]),
        # Before other runtime filters: leaving out partitions is better than testing rows.
        ("PartitionPruning", Once, [partition_pruning.PartitionPruning]),
        # Late: it needs the joins as they will be, and their estimated sizes.
        ("InjectRuntimeFilter", FixedPoint(1), [runtime_filters.InjectRuntimeFilter]),
        # After filters that run as scalar subqueries were made: they are merged, too.
        ("MergeSubplans", Once, [merging.MergeSubplans, aggregates.RewriteDistinctAggregates]),
        # Filters made for scans go down again.
        ("Pushdown Filters from PartitionPruning", fixed, [pushdown.PushDownPredicates]),
        (
            "Cleanup filters that cannot be pushed down",
            Once,
            [partition_pruning.CleanupDynamicPruningFilters, boolean.BooleanSimplification, filters.PruneFilters],
        ),
        (
            # After everything that moves, copies or merges expressions: until here a Python function is one of them.
            "Extract Python UDFs",
            Once,
            [
                python_udfs.ExtractPythonUDFFromJoinCondition,
                # Again: a condition of Python functions alone has left a product.
                joins.CheckCartesianProducts,
                python_udfs.ExtractPythonUDFFromAggregate,
                # Between the two: what is computed above the aggregate may be a key, and the next takes what is left.
                python_udfs.ExtractGroupingPythonUDFFromAggregate,
                python_udfs.ExtractPythonUDFs,
                # After the functions: what they give may be an argument.
                python_udfs.ExtractPythonUDTFs,
                # Again: the new operators stand between projections, filters, limits and the tables.
                projections.ColumnPruning,
                limits.LimitPushDown,
                pushdown.PushPredicateThroughNonJoin,
                projections.PushProjectionThroughLimitAndOffset,
                projections.RemoveNoopOperators,
            ],
        ),
        # Last of all: the operator that it adds is known to no other rule.
        (
            "Infer window group limit",
            Once,
            [
                windows.InferWindowGroupLimit,
                limits.LimitPushDown,
                limits.LimitPushDownThroughWindow,
                constants.ConstantFolding,
                limits.EliminateLimits,
            ],
        ),
        ("Replace CTE with Repartition", Once, [cte.ReplaceCTERefWithRepartition]),
    ]


#: Once batches that may change the plan again when run twice (Spark: excludedOnceBatches).
NOT_IDEMPOTENT = ("PartitionPruning", "RewriteSubquery", "Extract Python UDFs", "Infer Filters")


def batches(context: OptimizerContext) -> list[Batch]:
    """The profile's batches with their rules, without those that `spark.sql.optimizer.excludedRules` names."""
    excluded = excluded_rules(context.config.text("spark.sql.optimizer.excludedRules"))
    kept_anyway = kept_by(context.config.profile)
    result = []
    # One of each for all batches, for a rule remembers what it need not look at again.
    made: dict[type[OptimizerRule], OptimizerRule] = {}
    for name, strategy, rules in _profile_table(context):
        kept = [made[r] if r in made else made.setdefault(r, r(context)) for r in rules]
        if excluded:
            kept = [r for r in kept if kept_anyway(r) or not excluded & {r.spark_name, r.name}]
        if kept:
            result.append(Batch(name, strategy, kept, name not in NOT_IDEMPOTENT))
    return result


def _profile_table(context: OptimizerContext) -> list[Row]:
    config = context.config
    if config.variant is not None:
        return _made_table(context)
    key = config.profile, config.number(_ITERATIONS)
    found = _TABLES.get(key)
    if found is None:
        if len(_TABLES) >= _MOST_TABLES:
            _TABLES.clear()
        found = _TABLES[key] = _made_table(context)
    return found


def _made_table(context: OptimizerContext) -> list[Row]:
    name = context.config.profile
    if profiles.has_file(name):
        return profiles.batch_table(name, context)
    edits = context.config.edits
    return profiles.edited(_table(context), edits) if edits else _table(context)


def excludable_rules(config: OptimizerConfig) -> dict[str, str]:
    """The rules that `spark.sql.optimizer.excludedRules` can switch off in a profile: Spark's names to ours."""
    context = OptimizerContext(config)
    kept_anyway = kept_by(config.profile)
    rules = {r for _, _, rules in _profile_table(context) for r in rules}
    made = [r(context) for r in rules]
    return {r.spark_name: r.name for r in made if not kept_anyway(r)}


def kept_by(profile: str) -> Callable[[OptimizerRule], bool]:
    """Whether a rule runs in a profile even if it is excluded (Spark: `nonExcludableRules`)."""
    if not profiles.has_file(profile):
        return lambda rule: not rule.excludable
    names = profiles.non_excludable(profile)
    return lambda rule: rule.name in names


def exclusion_warnings(context: OptimizerContext) -> list[str]:
    """What Spark logs of `spark.sql.optimizer.excludedRules`: the rules that run all the same, the batches that do not.

    And, which Spark keeps to itself, the names that are no rule of this profile.
    """
    excluded = excluded_rules(context.config.text("spark.sql.optimizer.excludedRules"))
    if not excluded:
        return []
    kept_anyway = kept_by(context.config.profile)
    table = [(name, [r(context) for r in rules]) for name, _, rules in _profile_table(context)]
    by_name = {n: r for _, rules in table for r in rules for n in (r.spark_name, r.name)}
    found = []
    for name in sorted(excluded):
        if name not in by_name:
            near = get_close_matches(name, by_name, 1, 0.8)
            found.append(f"{name} is no rule of {context.config.profile}" + (f": meant {near[0]}?" if near else "."))
        elif kept_anyway(by_name[name]):
            found.append(
                f"Optimization rule '{by_name[name].spark_name}' was not excluded from the optimizer because this rule "
                "is a non-excludable rule."
            )
    gone = [n for n, rules in table if all(excluded & {r.spark_name, r.name} and not kept_anyway(r) for r in rules)]
    return found + [
        f"Optimization batch '{n}' is excluded from the optimizer as all enclosed rules have been excluded."
        for n in gone
    ]


def excluded_rules(text: str) -> frozenset[str]:
    """The rule names of the setting: separated by commas, with or without package."""
    return frozenset(part.strip() for part in text.split(",") if part.strip())


def all_rules() -> dict[str, type[OptimizerRule]]:
    """Every rule by its name, in the order in which they first run."""
    found: dict[str, type[OptimizerRule]] = {}
    for _, _, rules in _table(OptimizerContext()):
        for r in rules:
            found.setdefault(r.__name__, r)
    return found
