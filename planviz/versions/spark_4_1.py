"""Spark 4.1, as it differs from 4.2."""

from planviz.versions.model import Edit, Version, gone

VERSION = Version(
    "spark-4.1",
    "Spark 4.1: merges scalar subqueries only, Python functions take pickled rows",
    settings={
        "spark.sql.execution.pythonUDF.arrow.enabled": False,
        "spark.sql.execution.pythonUDTF.arrow.enabled": False,
        "spark.sql.execution.arrow.pyspark.enabled": False,
        "spark.sql.optimizer.avoidDoubleFilterEval": False,
        "spark.sql.optimizer.mergeSubplans.filterPropagation.enabled": False,
    },
    behaviour={
        "streams_are_named": False,
        "insert_flags": 3,
        "noop_write": "NoopWrite",
        "order_reads_blanked_keys": False,
        "windows_take_filters": False,
        "views_are_dropped_as_tables": False,
        "functions_are_routines": False,
        "own_functions_come_first": False,
        "parsed_json_shows_three_flags": False,
        "hash_joins_show_two_flags": False,
        "unions_count_distinct_values": False,
        "filters_shrink_sizes": False,
        "collections_show_nulls": False,
        "samples_show_their_method": False,
        "arrow_takes_columns": False,
        "calls_show_less": (("uniform", 1),),
    },
    edits=(
        gone("PushDownJoinThroughUnion", "OptimizeExpand"),
        gone("NullPropagation", batches=("RewriteSubquery",)),
        Edit(("Replace Operators",), drop=("ReplaceDeduplicateWithAggregate",)),
        Edit(("Replace Operators",), put=("ReplaceDeduplicateWithAggregate",)),
        Edit(
            ("MergeSubplans",),
            drop=("MergeSubplans",),
            put=("MergeScalarSubqueries",),
            before=True,
            name="MergeScalarSubqueries",
        ),
    ),
)
