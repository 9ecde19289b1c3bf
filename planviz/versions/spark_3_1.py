"""Spark 3.1, as it differs from 3.2."""

from planviz.versions.model import Edit, Version, gone

VERSION = Version(
    "spark-3.1",
    "Spark 3.1: adaptive execution is off, a definition of WITH is written where it is named",
    settings={"spark.sql.adaptive.enabled": False},
    behaviour={
        "ctes_are_kept": False,
        "relations_show_names": False,
        "conjuncts_stand_in_a_row": True,
        "exchange_numbers_are_short": True,
        "having_reuses_results": False,
        "one_row_is_unsorted_here": False,
        "semi_joins_need_a_broadcast": False,
        "relations_are_deduplicated": False,
        "reused_in_one_walk": False,
    },
    edits=(
        gone("LimitPushDownThroughWindow", "OptimizeOneRowRelationSubquery", "OptimizeRepartition"),
        gone("PushFoldableIntoBranches", "RewriteLateralSubquery", "RemoveRedundantAggregates", "RemoveNoopUnion"),
        gone("PushdownPredicatesAndPruneColumnsForCTEDef", "CleanUpTempCTEInfo", "UpdateCTERelationStats"),
        gone("ReplaceCTERefWithRepartition"),
        gone("RemoveNoopOperators", batches=("Union",)),
        Edit(("PartitionPruning",), put=("OptimizeSubqueries",)),
    ),
    without=("SparkScripts",),
)
