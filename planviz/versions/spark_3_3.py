"""Spark 3.3, as it differs from 3.4."""

from planviz.versions.model import Edit, Version, gone

VERSION = Version(
    "spark-3.3",
    "Spark 3.3: no bloom filters for joins, no OFFSET",
    settings={
        "spark.sql.optimizer.runtime.bloomFilter.enabled": False,
        "spark.sql.readSideCharPadding": False,
        "spark.sql.legacy.noCharPaddingInPredicate": True,
        "spark.sql.parquet.enableNestedColumnVectorizedReader": False,
        "spark.sql.orc.enableNestedColumnVectorizedReader": False,
    },
    behaviour={
        "outer_joins_are_dropped_for": frozenset({"groups", "projections"}),
        "file_metadata": "sizes",
        "cte_reference_flags": 0,
        "writes_are_planned": False,
        "joins_tell_their_type": False,
        "predicates_stand_in_lists": False,
        "lists_name_themselves": False,
        "tried_casts_are_casts": False,
        "shared_ctes_leave_their_number_open": False,
        "aggregates_stand_above_comparisons": False,
        "calls_show_less": (
            ("to_date", 1),
            ("to_timestamp", 1),
            ("unbase64", 1),
            ("unhex", 1),
            ("levenshtein", 0),
            ("conv", 1),
        ),
        "time_windows": "positive",
        "set_operations_are_spaced": False,
        "limits_show_offsets": "none",
        "decimals_are_promoted": True,
        "relations_name_the_catalogue": False,
        "semi_joins_compute_columns_again": True,
        "unique_keys_bound_joins": False,
        "scan_rules_inline_all": True,
        "structs_are_put_together_twice": True,
        "window_inputs_are_shared": False,
        "bloom_filters_take_a_byte_a_row": True,
    },
    edits=(
        gone("EliminateOffsets", "OptimizeRand", "PushProjectionThroughLimitAndOffset", "V1Writes"),
        gone("LimitPushDown", "PushPredicateThroughJoin", batches=("RewriteSubquery",)),
        gone("LimitPushDown", batches=("Extract Python UDFs",)),
        Edit(("Eliminate Distinct",), place="Finish Analysis"),
        Edit(name="OptimizeLimitZero", strategy="Once", put=("OptimizeLimitZero",), place="LocalRelation early"),
        Edit(("InjectRuntimeFilter",), put=("RewritePredicateSubquery",)),
    ),
)
