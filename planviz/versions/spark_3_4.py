"""Spark 3.4, as it differs from 3.5."""

from planviz.versions.model import Edit, Version, gone

_OPERATORS = ("Operator Optimization",)
VERSION = Version(
    "spark-3.4",
    "Spark 3.4: a filter on a rank limits no group of a window",
    settings={
        "spark.sql.optimizer.windowGroupLimitThreshold": -1,
        "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": False,
    },
    behaviour={
        "caches_ask_for_adaptive": False,
        "caches_are_planned_anew": False,
        "adaptive_plans_coalesce_buckets": False,
        "groups_ask_subqueries": False,
        "inline_tables_wait": False,
        "insert_flags": 2,
        "inserts_tell_privileges": False,
        "hash_joins_build_kept_sides": False,
        "outer_joins_are_dropped_for": frozenset({"groups", "projections", "extremes", "uniqueness"}),
        "ciphers_take_vectors": False,
        "adaptive_subqueries_have_own_roots": False,
        "bloom_filters_follow_keys": False,
        "local_rows_are_counted": False,
        "base64_is_replaced": False,
        "days_are_ranges_of_moments": False,
        "lists_hold_generators": False,
        "calls_show_less": (("to_date", 1), ("levenshtein", 0), ("url_decode", 1)),
        "cte_references_are_renewed": False,
        "renamed_columns_keep_their_names": False,
        "preparations": frozenset(
            {
                "CoalesceBucketsInJoin",
                "RemoveRedundantProjects",
                "ReplaceHashWithSortAgg",
                "DisableUnnecessaryBucketedScan",
                "RemoveRedundantSorts",
            }
        ),
    },
    edits=(
        Edit(("Infer window group limit",), drop=("*",)),
        gone("RewriteNonCorrelatedExists", batches=_OPERATORS),
        gone("ExtractPythonUDTFs"),
        Edit(_OPERATORS, put=("CombineFilters",), at="CollapseWindow"),
    ),
    without=("WindowGroupLimit",),
)
