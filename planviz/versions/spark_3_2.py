"""Spark 3.2, as it differs from 3.3."""

from planviz.versions.model import Edit, Version, gone

VERSION = Version(
    "spark-3.2",
    "Spark 3.2: no runtime filters, scalar subqueries are not merged",
    settings={"spark.sql.optimizer.collapseProjectAlwaysInline": True},
    behaviour={
        "outer_joins_are_dropped_for": frozenset({"groups", "columns"}),
        "rebalancing_takes_a_number": False,
        "rebalancing_counts_alone": False,
        "hidden_columns_come_last": False,
        "session_ends_may_be_null": False,
        "pruning_minds_constants": False,
        "cte_definitions_show_a_flag": False,
        "root_repartitions_stay": False,
        "joins_agree_by_number": True,
        "file_metadata": "none",
        "time_windows": "ceiling",
        "calls_show_less": (
            ("to_date", 2),
            ("to_timestamp", 3),
            ("unbase64", 1),
            ("unhex", 1),
            ("levenshtein", 0),
            ("conv", 1),
            ("percentile", 1),
        ),
        "calls_begin_later": (("element_at", 1),),
        "split_texts_are_no_nulls": False,
        "booleans_are_pushed": False,
        "truth_is_not_compared": False,
        "fields_are_known_not_to_be_null": False,
        "overflow_checks_show_null": True,
        "unions_combine_through_projections": False,
        "only_widened_inputs_are_projected": False,
        "unions_give_batches": False,
        "scans_tell_buckets": False,
        "ordered_functions_are_shared": False,
        "abs_shows_whether_it_fails": True,
        "casts_are_merged": False,
        "one_row_is_unsorted_here": True,
        "coded_merge_joins": "one side",
        "full_hash_joins_are_coded": False,
        "coded_sort_aggregates": "none",
        "unique_rows_are_not_grouped": False,
        "preparations": frozenset(
            {
                "CoalesceBucketsInJoin",
                "RemoveRedundantProjects",
                "DisableUnnecessaryBucketedScan",
                "RemoveRedundantSorts",
            }
        ),
    },
    edits=(
        gone("GenerateOptimization", "NullDownPropagation", "OptimizeOneRowPlan"),
        Edit(("Union",), strategy="Once"),
        gone("RemoveRedundantAliases", batches=("RewriteSubquery",)),
        Edit(("InjectRuntimeFilter", "MergeScalarSubqueries"), drop=("*",)),
        gone("BooleanSimplification", batches=("Cleanup filters",)),
    ),
)
