"""Spark 4.0, as it differs from 4.1."""

from planviz.versions.model import Edit, Version, gone

VERSION = Version(
    "spark-4.0",
    "Spark 4.0: nothing is known of how a union's rows are spread",
    settings={
        "spark.sql.unionOutputPartitioning": False,
        "spark.sql.variant.pushVariantIntoScan": False,
        "spark.sql.prioritizeOrdinalResolutionInSort.enabled": False,
    },
    behaviour={
        "tables_are_saved_by_a_command": False,
        "noop_write": "",
        "inserts_name_every_column": False,
        "pruning_queries_have_their_own_name": False,
        "doubled_quotes_are_one": False,
        "casts_of_declared_texts_stay": False,
        "dates_name_their_own_parser": False,
        "single_rows_are_parallelized": True,
        "assertions_show_sql": False,
        "cte_references_know_most_rows": False,
        "added_aggregates_are_named_by_sql": False,
        "grouping_columns_are_named_by_sql": False,
        "having_finds_grouping_values": False,
        "hidden_columns_come_alone": False,
        "arrow_in_aggregates": False,
    },
    edits=(
        gone("SimplifyDateTimeConversions"),
        gone("ConstantFolding", batches=("Infer window group limit",)),
        Edit(("Infer window group limit",), put=("ConstantFolding",)),
    ),
    without=("Pipelines", "EventTimeWatermarkStrategy"),
)
