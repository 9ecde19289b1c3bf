"""Spark 3.2, as it differs from 3.3."""

from planviz.versions.model import Edit, Version, gone

VERSION = Version(
    "spark-3.2",
    "Spark 3.2: no runtime filters, scalar subqueries are not merged",
    behaviour={
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
