"""Which version of Spark has a built-in function first, as DESCRIBE FUNCTION EXTENDED says; the others are older.

Beside them those that took another number of arguments, as those Sparks say.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

_SINCE = {
    "3.1": (
        "current_catalog current_timezone date_from_unix_date json_array_length json_object_keys nth_value "
        "raise_error regexp_extract_all timestamp_micros timestamp_millis timestamp_seconds unix_date unix_micros "
        "unix_millis unix_seconds width_bucket"
    ),
    "3.2": (
        "bit_get btrim current_user getbit make_dt_interval make_ym_interval regexp regexp_like session_window "
        "try_add try_divide"
    ),
    "3.3": (
        "aes_decrypt aes_encrypt array_agg array_size contains csc endswith histogram_numeric "
        "ilike map_contains_key regr_avgx regr_avgy regr_count regr_r2 sec split_part startswith to_binary to_number "
        "try_avg try_element_at try_multiply try_subtract try_sum try_to_binary try_to_number"
    ),
    "3.4": (
        "any_value array_append array_compact array_insert convert_timezone curdate current_schema date_diff dateadd "
        "datepart equal_null get len localtimestamp make_timestamp_ltz make_timestamp_ntz mask median mode reduce "
        "regexp_count regexp_instr regexp_substr regr_intercept regr_slope regr_sxx regr_sxy regr_syy to_char "
        "to_timestamp_ltz to_timestamp_ntz try_to_timestamp url_decode url_encode user window_time"
    ),
    "3.5": (
        "array_prepend bitmap_bit_position bitmap_bucket_number bitmap_construct_agg bitmap_count bitmap_or_agg "
        "hll_sketch_agg hll_sketch_estimate hll_union hll_union_agg luhn_check sql_keywords to_varchar "
        "try_aes_decrypt"
    ),
    "4.0": (
        "<< >> >>> collate collation collations dayname from_avro from_protobuf from_xml is_valid_utf8 "
        "is_variant_null listagg make_valid_utf8 monthname nullifzero parse_json "
        "randstr schema_of_avro schema_of_variant schema_of_variant_agg schema_of_xml session_user string_agg to_avro "
        "to_protobuf to_variant_object to_xml try_make_interval try_make_timestamp try_make_timestamp_ltz "
        "try_make_timestamp_ntz try_mod try_parse_json try_parse_url try_reflect try_to_date try_url_decode "
        "try_validate_utf8 try_variant_get uniform validate_utf8 variant_explode variant_explode_outer variant_get "
        "zeroifnull"
    ),
    "4.1": (
        "approx_top_k approx_top_k_accumulate approx_top_k_combine approx_top_k_estimate bitmap_and_agg current_time "
        "kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double "
        "kll_sketch_agg_float kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float "
        "kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double kll_sketch_get_quantile_float "
        "kll_sketch_get_rank_bigint kll_sketch_get_rank_double kll_sketch_get_rank_float kll_sketch_merge_bigint "
        "kll_sketch_merge_double kll_sketch_merge_float kll_sketch_to_string_bigint kll_sketch_to_string_double "
        "kll_sketch_to_string_float make_time python_worker_logs quote st_asbinary st_geogfromwkb st_geomfromwkb "
        "st_setsrid st_srid theta_difference theta_intersection theta_intersection_agg theta_sketch_agg "
        "theta_sketch_estimate theta_union theta_union_agg time_diff time_trunc to_time try_to_time"
    ),
    "4.2": (
        "current_path is_valid_variant measure time_bucket time_from_micros time_from_millis "
        "time_from_seconds time_to_micros time_to_millis time_to_seconds tuple_difference_double "
        "tuple_difference_integer tuple_difference_theta_double tuple_difference_theta_integer "
        "tuple_intersection_agg_double tuple_intersection_agg_integer tuple_intersection_double "
        "tuple_intersection_integer tuple_intersection_theta_double tuple_intersection_theta_integer "
        "tuple_sketch_agg_double tuple_sketch_agg_integer tuple_sketch_estimate_double tuple_sketch_estimate_integer "
        "tuple_sketch_summary_double tuple_sketch_summary_integer tuple_sketch_theta_double "
        "tuple_sketch_theta_integer tuple_union_agg_double tuple_union_agg_integer tuple_union_double "
        "tuple_union_integer tuple_union_theta_double tuple_union_theta_integer vector_avg vector_cosine_similarity "
        "vector_inner_product vector_l2_distance vector_norm vector_normalize vector_sum"
    ),
    "4.3": (
        "collect_union counter_diff from_base32 hmac jaro_winkler_similarity localtime timestamp_nanos to_base32 "
        "try_variant_array_append try_variant_insert try_variant_set unix_nanos variant_array_append variant_delete "
        "variant_insert variant_set variant_strip_nulls"
    ),
}


#: Which version lets a function have more arguments than so many.
_MORE = {
    "3.2": {"decode": 2},
    "3.3": {"ceil": 1, "ceiling": 1, "floor": 1},
    "4.0": {"mode": 1},
    "4.2": {"min_by": 2, "max_by": 2},
}
#: Which version lets a function have fewer arguments than so many, and which functions stand in FROM since when.
_FEWER = {"4.1": {"make_timestamp": 6}}
_TABLES_SINCE = "3.4"


@cache
def most_arguments(profile: str, profiles: Sequence[str]) -> dict[str, int]:
    """How many arguments a function may have in a profile at most, where a later version lets it have more.

    `profiles`: all, the newest first.
    """
    newer = [name.removeprefix("spark-") for name in profiles[: profiles.index(profile)]]
    return {name: most for version in newer for name, most in _MORE.get(version, {}).items()}


@cache
def least_arguments(profile: str, profiles: Sequence[str]) -> dict[str, int]:
    """How many arguments a function must have in a profile at least, where a later version lets it have fewer.

    `profiles`: all, the newest first.
    """
    newer = [name.removeprefix("spark-") for name in profiles[: profiles.index(profile)]]
    return {name: least for version in newer for name, least in _FEWER.get(version, {}).items()}


@cache
def gives_tables(profile: str, profiles: Sequence[str]) -> bool:
    """Whether functions beside range() stand in FROM in a profile; `profiles`: all, the newest first."""
    return profiles.index(profile) <= profiles.index(f"spark-{_TABLES_SINCE}")


@cache
def functions_after(profile: str, profiles: Sequence[str]) -> dict[str, str]:
    """The functions that a profile does not have yet, each with the version that does.

    `profiles`: all, the newest first.
    """
    newer = {name.removeprefix("spark-") for name in profiles[: profiles.index(profile)]}
    return {name: version for version in newer for name in _SINCE.get(version, "").split()}
