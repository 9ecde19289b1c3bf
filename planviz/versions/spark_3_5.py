"""Spark 3.5, as it differs from 4.0."""

from planviz.versions.model import Edit, Version, gone

_OPERATORS = ("Operator Optimization",)
VERSION = Version(
    "spark-3.5",
    "Spark 3.5: no ANSI mode, BETWEEN is two comparisons",
    settings={
        "spark.sql.ansi.enabled": False,
        "spark.sql.legacy.ctePrecedencePolicy": "EXCEPTION",
        "spark.sql.legacy.timeParserPolicy": "EXCEPTION",
        "spark.sql.maxSinglePartitionBytes": (1 << 63) - 1,
    },
    behaviour={
        "aliases_are_renewed": False,
        "views_space_columns": False,
        "order_looks_below_having": "no",
        "dates_are_ranged_by_days": False,
        "names_have_escapes": False,
        "moments_move_by_bigints": False,
        "days_are_cast": False,
        "single_rows_are_tested": False,
        "comparisons_take_constants": False,
        "pruning_keys_are_listed": False,
        "ranges_show_open_slices": True,
        "json_readers_show_a_flag": False,
        "parsers_name_a_function": False,
        "databases_are_schemas": False,
        "raised_errors_have_a_class": False,
        "join_conditions_ask_subqueries": False,
        "aggregates_take_the_first_answer": False,
        "more_functions_are_replaced": False,
        "static_calls_are_short": False,
        "maps_are_grouped": False,
        "modes_show_their_order": False,
        "filtered_arrays_are_marked": False,
        "calls_show_less": (("url_decode", 1),),
        "between_is_a_function": False,
        "cte_reference_flags": 1,
        "expressions_are_shared": False,
        "wide_decimals_keep_whole_digits": False,
        "single_constants_move": False,
        "json_is_coded": False,
        "equalities_contradict": False,
        "limits_show_offsets": "unsorted",
        "null_tests_look_through_casts": False,
        "plus_signs_are_replaced": False,
        "scans_take_subqueries": False,
        "preparations": frozenset(
            {
                "CoalesceBucketsInJoin",
                "RemoveRedundantProjects",
                "ReplaceHashWithSortAgg",
                "RemoveRedundantWindowGroupLimits",
                "DisableUnnecessaryBucketedScan",
                "RemoveRedundantSorts",
            }
        ),
    },
    edits=(
        gone("RewriteWithExpression", "PullOutNestedDataOuterRefExpressions", "OptimizeJoinCondition"),
        gone("EliminateWindowPartitions", "RemoveRedundantSorts"),
        gone("OptimizeOneRowRelationSubquery", batches=("Subquery",)),
        Edit(_OPERATORS, put=("RemoveDispensableExpressions",), at="PushFoldableIntoBranches"),
    ),
    without=("V2CommandStrategy",),
)
