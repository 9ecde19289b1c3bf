"""Spark 3.0, as it differs from 3.1; its batches stand whole in planviz/optimizer/profiles/spark-3.0.json."""

from planviz.versions.model import Version

VERSION = Version(
    "spark-3.0",
    "Spark 3.0: its own batches and operators, CHAR and VARCHAR are plain strings",
    settings={"spark.sql.legacy.charVarcharAsString": True},
    behaviour={
        "grouping_id_is_long": False,
        "windows_are_hashed": True,
        "added_columns_are_hashed": True,
        "order_finds_results_before_their_casts": False,
        "aggregates_pass_constants_on": False,
        "constraints_are_hashed": True,
        "functions_are_known_to_be_strict": False,
        "unions_show_flags": False,
        "unions_drop_empty_inputs": False,
        "intervals_are_subtracted": False,
        "casts_are_merged": False,
        "join_cost": "sum",
        "joins": "spark-3.0",
        "operators_of_3_0": True,
        "sums_note_emptiness": False,
        "lags_are_negative": False,
        "repartitions_leave_their_number_open": False,
        "projections_mind_qualifiers": True,
        "preparations": frozenset[str](),
    },
    without=("V2CommandStrategy",),
)
