"""Spark 4.2, as it differs from 4.3."""

from planviz.versions.model import Version, gone

VERSION = Version(
    "spark-4.2",
    "Spark 4.2: no code for unions, both stages of an aggregate where one would do",
    settings={
        "spark.sql.codegen.wholeStage.union.enabled": False,
        "spark.sql.execution.replaceHashWithSortAgg": False,
    },
    behaviour={
        "added_columns_follow_the_input": False,
        "duplicates_compare_in_order": False,
        "transforms_prune_fields": False,
        "preparations": frozenset(
            {
                "CoalesceBucketsInJoin",
                "RemoveRedundantProjects",
                "InsertSortForLimitAndOffset",
                "ReplaceHashWithSortAgg",
                "RemoveRedundantWindowGroupLimits",
                "DisableUnnecessaryBucketedScan",
                "RemoveRedundantSorts",
            }
        ),
        "order_looks_below_having": "filter",
        "sorts_go_last": False,
        "shuffled_sorts_are_dropped": False,
        "lambdas_are_coded": False,
        "outer_columns_are_renamed": False,
        "coded_sort_aggregates": "without keys",
    },
    edits=(gone("PullUpProjectAliasThroughWindow", "CollapseGroupedSumOfCount", "RewriteNearestByJoin"),),
    without=("AsOfJoinSelection",),
)
