"""The functions that no code is generated for, by version (Spark: CodegenFallback)."""

from __future__ import annotations

from planviz.versions import Behaviour

#: Functions that no version generates code for, and how the names of families of them begin.
FALLBACK = frozenset(
    (
        *("approx_top_k_estimate", "array_sort", "from_json", "hll_sketch_estimate", "hll_union", "java_method"),
        *("map_filter", "map_zip_with", "reflect", "replicaterows", "transform_keys", "transform_values", "unnest"),
        *("theta_difference", "theta_intersection", "theta_sketch_estimate", "theta_union", "zip_with"),
    )
)
FAMILIES = ("kll_sketch_get_", "kll_sketch_to_string_", "kll_sketch_merge_", "tuple_")
#: Functions that take lambdas and have generated code since Spark 4.3.
_LAMBDAS = frozenset(("aggregate", "exists", "filter", "forall", "reduce", "transform"))
#: Functions that read and write JSON, CSV, XML and URLs and have it since 4.0.
_JSON = frozenset(
    (
        *("from_csv", "get_json_object", "json_array_length", "json_object_keys", "json_tuple", "parse_url"),
        *("schema_of_csv", "schema_of_json", "sentences", "to_csv", "to_json", "xpath", "xpath_boolean"),
        *("xpath_double", "xpath_float", "xpath_int", "xpath_long", "xpath_number", "xpath_short", "xpath_string"),
    )
)


def fallback_of(known: Behaviour) -> frozenset[str]:
    """The names of the functions that a version generates no code for, without those of `FAMILIES`."""
    names = FALLBACK if known.lambdas_are_coded else FALLBACK | _LAMBDAS
    return names if known.json_is_coded else names | _JSON
