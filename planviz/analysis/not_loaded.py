"""Functions of Avro, which Spark has and refuses as long as nobody loads their module."""

from __future__ import annotations

from planviz.errors import AnalysisError
from planviz.expressions.unresolved import UnresolvedFunction
from planviz.frontend.errors import analysis_error
from planviz.frontend.naming import constant_text
from planviz.functions.builders.base import wrong_count
from planviz.types import NULL, MapType

#: The fewest and the most arguments of each.
AVRO = {"from_avro": (2, 3), "to_avro": (1, 2), "schema_of_avro": (1, 2)}


def not_loaded(call: UnresolvedFunction) -> AnalysisError:
    """What Spark says of such a call: first of its arguments, then of the module that is not there."""
    name = call.parts[0].lower()
    fewest, most = AVRO[name]
    given = call.arguments
    if not fewest <= len(given) <= most:
        wrong_count(name, str([fewest, most]), len(given), call)
    schema = given[1:2] if name != "schema_of_avro" else given[:1]
    wrong = [a for a in schema if constant_text(a) is None and a.data_type != NULL]
    options = given[2:] if name == "from_avro" else given[1:] if name == "schema_of_avro" else ()
    wrong += [a for a in options if not isinstance(a.data_type, MapType) and a.data_type != NULL]
    if wrong:
        return analysis_error(
            "DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT",
            f"The schema that {name.upper()} is given must be a constant text, its options a constant map.",
            call,
        )
    return analysis_error(
        "AVRO_NOT_LOADED_SQL_FUNCTIONS_UNUSABLE",
        f"Cannot call the {name.upper()} SQL function because the Avro data source is not loaded.",
        call,
    )
