"""The signatures of pyspark.sql.functions in PySpark 4.3, and the values that PySpark puts in where none are given."""

from __future__ import annotations

from decimal import Decimal

from planviz.dataframe.refusals import BadCall, BadValue, NoSuchMethod, UnexpectedType, not_iterable

#: Parameters (`?` behind the name: may be left out; `*` before it: any number) and the functions that have them.
_SIGNATURES = """
: cume_dist curdate current_catalog current_database current_date current_path current_schema current_timestamp
    current_timezone current_user dense_rank e input_file_block_length input_file_block_start input_file_name
    localtimestamp monotonically_increasing_id now percent_rank pi rank row_number session_user spark_partition_id
    user version
*cols: array arrays_zip coalesce concat create_map greatest grouping_id hash java_method least map_concat
    named_struct reflect stack struct try_reflect xxhash64
*inputs: elt
a1 a2: arrays_overlap
arr pos value: array_insert
bucket_size ts origin?: time_bucket
col: abs acos acosh array_agg array_compact array_distinct array_max array_min array_size ascii asin asinh atan
    atanh avg base64 bin bit_and bit_count bit_length bit_or bit_xor bitmap_and_agg bitmap_bit_position
    bitmap_bucket_number bitmap_construct_agg bitmap_count bitmap_or_agg bitwiseNOT bitwise_not bool_and bool_or
    cardinality cbrt char collation collect_list collect_set collect_union cos cosh cot count_if crc32 csc day
    dayname dayofmonth dayofweek dayofyear days degrees every exp explode explode_outer expm1 factorial flatten
    from_base32 grouping hex hll_sketch_estimate hour hours initcap inline inline_outer isnan isnotnull isnull
    json_array_length json_object_keys kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float
    kll_sketch_to_string_bigint kll_sketch_to_string_double kll_sketch_to_string_float kurtosis length ln log10
    log1p log2 lower map_entries map_from_entries map_keys map_values max md5 mean median min minute month monthname
    months negate negative nullifzero octet_length parse_json posexplode posexplode_outer positive product quarter
    quote radians reverse rint sec second sha sha1 sign signum sin sinh size skewness some soundex sqrt std stddev
    stddev_pop stddev_samp sum tan tanh theta_intersection_agg theta_sketch_estimate time_from_micros
    time_from_millis time_from_seconds time_to_micros time_to_millis time_to_seconds timestamp_micros
    timestamp_millis timestamp_nanos timestamp_seconds toDegrees toRadians to_base32 to_variant_object try_avg
    try_parse_json try_sum tuple_sketch_estimate_double tuple_sketch_estimate_integer tuple_sketch_theta_double
    tuple_sketch_theta_integer typeof unbase64 unhex unix_date unix_micros unix_millis unix_nanos unix_seconds upper
    var_pop var_samp variance vector_avg vector_sum weekday weekofyear year years zeroifnull
col *fields: json_tuple
col allowDifferentLgConfigK?: hll_union_agg
col asc?: sort_array
col charset: decode encode
col collation: collate
col comparator?: array_sort
col count: array_repeat
col d: format_number
col delimiter null_replacement?: array_join
col delimiter?: listagg listagg_distinct string_agg string_agg_distinct
col deterministic?: mode
col element: array_remove
col eps confidence seed?: count_min_sketch
col errMsg?: assert_true
col extraction: element_at try_element_at
col f: exists filter forall map_filter transform transform_keys transform_values
col format: to_char to_number to_varchar try_to_number
col format?: to_binary to_date to_timestamp try_to_binary try_to_date try_to_timestamp
col fromBase toBase: conv
col ignoreNulls?: any_value first_value last_value
col index: get
col initialValue merge finish?: aggregate reduce
col k?: kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double
    kll_sketch_agg_float
col len pad: lpad rpad
col lgConfigK?: hll_sketch_agg
col lgNomEntries?: theta_sketch_agg theta_union_agg
col lgNomEntries? mode?: tuple_union_agg_double tuple_union_agg_integer
col mode?: tuple_intersection_agg_double tuple_intersection_agg_integer tuple_sketch_summary_double
    tuple_sketch_summary_integer
col n: repeat
col nBins: histogram_numeric
col numBits: sha2 shiftLeft shiftRight shiftRightUnsigned shiftleft shiftright shiftrightunsigned
col offset ignoreNulls?: nth_value
col options?: to_csv to_json to_xml
col ord k?: max_by min_by
col path: get_json_object
col percentage accuracy?: approx_percentile percentile_approx
col percentage frequency?: percentile
col pos: bit_get getbit
col rsd?: approxCountDistinct approx_count_distinct
col scale?: bround ceil ceiling floor round
col schema options?: from_csv from_json from_xml
col seed?: shuffle
col trim?: ltrim rtrim trim
col upperChar? lowerChar? digitChar? otherChar?: mask
col value: array_append array_contains array_position array_prepend map_contains_key
col1 col2: array_except array_intersect array_union atan2 corr covar_pop covar_samp equal_null hypot ifnull
    map_from_arrays nanvl nullif nvl pow power theta_difference theta_intersection tuple_difference_double
    tuple_difference_integer tuple_difference_theta_double tuple_difference_theta_integer
col1 col2 allowDifferentLgConfigK?: hll_union
col1 col2 col3: nvl2
col1 col2 f: map_zip_with
col1 col2 lgNomEntries?: theta_union
col1 col2 lgNomEntries? mode?: tuple_union_double tuple_union_integer tuple_union_theta_double
    tuple_union_theta_integer
col1 col2 mode?: tuple_intersection_double tuple_intersection_integer tuple_intersection_theta_double
    tuple_intersection_theta_integer
csv options?: schema_of_csv
date: last_day
date dayOfWeek: next_day
date format: date_format trunc
days: date_from_unix_date
days? hours? mins? secs?: make_dt_interval
dividend divisor: pmod
end start: date_diff datediff
errMsg: raise_error
field source: date_part datepart extract
format *cols: format_string printf
format timestamp: date_trunc
geo: st_srid
geo endianness?: st_asbinary
geo srid: st_setsrid
hour minute second: make_time
input key mode? padding? aad?: aes_decrypt try_aes_decrypt
input key mode? padding? iv? aad?: aes_encrypt
json options?: schema_of_json
key message algorithm?: hmac
key summary lgNomEntries? mode?: tuple_sketch_agg_double tuple_sketch_agg_integer
left right: contains jaro_winkler_similarity kll_sketch_merge_bigint kll_sketch_merge_double kll_sketch_merge_float
    try_add try_divide try_mod try_multiply try_subtract vector_cosine_similarity vector_inner_product
    vector_l2_distance
left right f: zip_with
left right threshold?: levenshtein
length seed?: randstr
min max seed?: uniform
n: chr ntile
numBuckets col: bucket
precision?: current_time
seed?: rand randn random uuid
sep *cols: concat_ws
sketch quantile: kll_sketch_get_rank_bigint kll_sketch_get_rank_double kll_sketch_get_rank_float
sketch rank: kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double kll_sketch_get_quantile_float
sourceTz targetTz sourceTs: convert_timezone
src delimiter partNum: split_part
src replace pos len?: overlay
src search replace?: replace
srcCol matching replace: translate
start days: date_add date_sub dateadd
start months: add_months
start stop step?: sequence
str: char_length character_length is_valid_utf8 lcase make_valid_utf8 try_url_decode try_validate_utf8 ucase
    url_decode url_encode validate_utf8
str delim count: substring_index
str format?: to_time try_to_time
str len: left right
str pattern escapeChar?: ilike like
str pattern idx: regexp_extract
str pos len: substring
str pos len?: substr
str prefix: startswith
str regexp: regexp regexp_count regexp_like regexp_substr rlike
str regexp idx?: regexp_extract_all regexp_instr
str str_array: find_in_set
str substr start? occurrence?: instr
str suffix: endswith
str trim?: btrim
string language? country?: sentences
string pattern replacement position?: regexp_replace
substr str pos?: locate
substr str start?: position
text pairDelim? keyValueDelim?: str_to_map
timeColumn gapDuration: session_window
timeColumn windowDuration slideDuration? startTime?: window
timestamp format?: to_timestamp_ltz to_timestamp_ntz to_unix_timestamp
timestamp tz: from_utc_timestamp to_utc_timestamp
unit quantity ts: timestamp_add
unit start end: time_diff timestamp_diff
unit time: time_trunc
url partToExtract key?: parse_url try_parse_url
v: is_valid_variant is_variant_null schema_of_variant schema_of_variant_agg
v *paths: variant_delete
v include_arrays?: variant_strip_nulls
v min max numBucket: width_bucket
v path targetType: try_variant_get variant_get
v path value: try_variant_array_append try_variant_insert variant_array_append variant_insert
v path value create_if_missing?: try_variant_set variant_set
value startTime?: counter_diff
vector degree?: vector_norm vector_normalize
windowColumn: window_time
wkb: st_geogfromwkb
wkb srid?: st_geomfromwkb
x start length: slice
xml options?: schema_of_xml
xml path: xpath xpath_boolean xpath_double xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string
y x: regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
year month day: make_date
years months days hours mins secs timezone?: make_timestamp_ltz try_make_timestamp_ltz
years? months?: make_ym_interval
years? months? days? hours? mins? secs? date? time?: make_timestamp_ntz try_make_timestamp_ntz
years? months? days? hours? mins? secs? timezone? date? time?: make_timestamp try_make_timestamp
years? months? weeks? days? hours? mins? secs?: make_interval try_make_interval
"""


class Zero(int):
    """The number that PySpark puts in for a part of an interval, where it takes none from a program."""


_INTERVAL: dict[str, object] = {
    **dict.fromkeys(("years", "months", "weeks", "days", "hours", "mins"), Zero()), "secs": Decimal(0)
}  # fmt: skip
#: function -> parameter -> the value that PySpark hands to Spark where the call has none.
_FILLED: dict[str, dict[str, object]] = {
    "bround": {"scale": 0}, "round": {"scale": 0}, "mode": {"deterministic": False}, "sort_array": {"asc": True},
    "nth_value": {"ignoreNulls": False}, "overlay": {"len": -1}, "locate": {"pos": 1},
    "percentile": {"frequency": 1}, "percentile_approx": {"accuracy": 10000}, "approx_percentile": {"accuracy": 10000},
    "window": {"startTime": "0 second"},
    "make_dt_interval": {"days": Zero(), "hours": Zero(), "mins": Zero(), "secs": Decimal(0)},
    "make_ym_interval": {"years": Zero(), "months": Zero()},
    "make_interval": _INTERVAL, "try_make_interval": _INTERVAL,
}  # fmt: skip


def _read() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    text = _SIGNATURES.replace("\n    ", " ")
    for line in text.strip("\n").split("\n"):
        parameters, _, names = line.partition(":")
        found |= dict.fromkeys(names.split(), tuple(parameters.split()))
    return found


_BY_NAME = _read()


#: What else than a column or its name a parameter takes, and the functions where it does: `any` value, or one of Java
#: (`text`, `int`, `flag`, `number`), for which a column ends in NOT_ITERABLE and another value in Py4JError.
_TAKEN = """
column or int; count: array_repeat
column or int; days: date_add date_sub dateadd
column or int; index: get
column or int; len: overlay substring
column or int; length: slice
column or int; months: add_months
column or int; n: repeat
column or int; numBucket: width_bucket
column or int; pos: array_insert overlay substring
column or int; scale: bround ceil ceiling floor round
column or int; srid: st_geomfromwkb st_setsrid
column or int; start: slice
column or flag; ignoreNulls: any_value first_value last_value
number; rsd: approxCountDistinct approx_count_distinct
any; accuracy: approx_percentile percentile_approx
any; allowDifferentLgConfigK: hll_union_agg
any; col1: atan2 hypot pow power
any; col2: atan2 hypot pow power
any; confidence: count_min_sketch
any; delimiter: listagg listagg_distinct string_agg string_agg_distinct
any; dividend: pmod
any; divisor: pmod
any; element: array_remove
any; eps: count_min_sketch
any; extraction: element_at
any; frequency: percentile
any; idx: regexp_extract_all regexp_instr
any; k: kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double
    kll_sketch_agg_float max_by min_by
any; len: lpad rpad
any; length: randstr
any; lgConfigK: hll_sketch_agg
any; lgNomEntries: theta_sketch_agg theta_union theta_union_agg tuple_sketch_agg_double tuple_sketch_agg_integer
    tuple_union_agg_double tuple_union_agg_integer tuple_union_double tuple_union_integer tuple_union_theta_double
    tuple_union_theta_integer
any; max: uniform
any; min: uniform
any; mode: tuple_intersection_agg_double tuple_intersection_agg_integer tuple_intersection_double
    tuple_intersection_integer tuple_intersection_theta_double tuple_intersection_theta_integer
    tuple_sketch_agg_double tuple_sketch_agg_integer tuple_sketch_summary_double tuple_sketch_summary_integer
    tuple_union_agg_double tuple_union_agg_integer tuple_union_double tuple_union_integer tuple_union_theta_double
    tuple_union_theta_integer
any; n: ntile
any; numBits: sha2
any; numBuckets: bucket
any; occurrence: instr
any; options: from_csv from_json from_xml schema_of_csv schema_of_json schema_of_xml to_csv to_json to_xml
any; pad: lpad rpad
any; path: try_variant_array_append try_variant_insert try_variant_set variant_array_append variant_get
    variant_insert variant_set
any; paths: variant_delete
any; pattern: regexp_replace
any; percentage: approx_percentile percentile percentile_approx
any; position: regexp_replace
any; replacement: regexp_replace
any; schema: from_json
any; seed: count_min_sketch randstr shuffle uniform uuid
any; slideDuration: window
any; start: instr
any; startTime: window
any; substr: instr
any; tz: from_utc_timestamp to_utc_timestamp
any; value: array_append array_contains array_insert array_position array_prepend map_contains_key
any; windowDuration: window
text; charset: decode encode
text; collation: collate
text; dayOfWeek: next_day
text; delim: substring_index
text; delimiter: array_join
text; format: date_format date_trunc format_string to_date to_timestamp trunc try_to_date
text; matching: translate
text; null_replacement: array_join
text; path: get_json_object
text; pattern: regexp_extract
text; replace: translate
text; sep: concat_ws
text; substr: locate
text; targetType: try_variant_get variant_get
text; unit: timestamp_add timestamp_diff
int; count: substring_index
int; d: format_number
int; fromBase: conv
int; idx: regexp_extract
int; numBits: shiftLeft shiftRight shiftRightUnsigned shiftleft shiftright shiftrightunsigned
int; offset: nth_value
int; pos: locate
int; precision: current_time
int; seed: rand randn random
int; threshold: levenshtein
int; toBase: conv
flag; allowDifferentLgConfigK: hll_union
flag; asc: sort_array
flag; create_if_missing: try_variant_set variant_set
flag; deterministic: mode
flag; ignoreNulls: nth_value
flag; include_arrays: variant_strip_nulls
"""


def _kinds() -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for line in _TAKEN.replace("\n    ", " ").strip("\n").split("\n"):
        head, _, names = line.partition(":")
        kind, parameter = head.split("; ")
        found |= {(name, parameter): kind for name in names.split()}
    return found


_KINDS = _kinds()
#: Functions with PySpark's list of columns in one argument.
_LISTED = ("array", "create_map", "map_concat", "struct")
#: Parameters that are Python functions, or values that only Spark looks at.
_FUNCTIONS = ("f", "merge", "finish", "comparator", "schema", "options")
_JAVA: dict[str, tuple[type, ...]] = {"text": (str,), "int": (int,), "flag": (bool,), "number": (float,)}
_MORE: dict[str, tuple[str, tuple[type, ...]]] = {
    "column or int": ("Column, int or str", (int,)), "column or flag": ("Column, bool or str", (bool,)),
}  # fmt: skip
_PLAIN = (int, float, str, list, tuple, dict, set, type(None))


def check_columns(name: str, given: tuple[object, ...]) -> None:
    """Raise what PySpark raises for arguments of a function that are no columns, or columns where it takes texts.

    `given` are the arguments in the order of the parameters. What stands for a value that nobody knows passes.
    """
    parameters = _BY_NAME.get(name, ())
    if not parameters or parameters[0] in ("*inputs",) or (name in _LISTED and _columns(given)):
        return
    if name in ("greatest", "least") and len(given) < 2:
        raise BadValue("WRONG_NUM_COLUMNS", f"Function `{name}` should take at least 2 columns.")
    for i, value in enumerate(given):
        parameter = parameters[min(i, len(parameters) - 1)]
        _check(name, parameter.strip("*?"), parameter.endswith("?"), value)


def _columns(given: tuple[object, ...]) -> bool:
    return len(given) == 1 and isinstance(given[0], list | set) and all(map(is_column, given[0]))


def _check(name: str, parameter: str, optional: bool, value: object) -> None:
    kind = _KINDS.get((name, parameter), "column")
    unknown = isinstance(value, str) and "<" in value
    if kind == "any" or parameter in _FUNCTIONS or unknown or isinstance(value, Zero) or (optional and value is None):
        return
    if kind in _JAVA:
        check_java(name, value, _JAVA[kind])
    elif not is_column(value):
        told, more = _MORE.get(kind, ("Column or str", ()))
        if not isinstance(value, more):
            raise UnexpectedType("col", told, value)


def check_java(name: str, value: object, kinds: tuple[type, ...]) -> None:
    """Raise what comes of a value that PySpark hands to Java as it is, where Java takes others."""
    if value is None or (isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))):
        return
    if hasattr(value, "expr"):
        raise not_iterable()
    if isinstance(value, _PLAIN):
        raise NoSuchMethod(f"Method {name}([{type(value).__name__}]) does not exist.")


def is_column(value: object) -> bool:
    """Whether a value is a column or a name, or none of Python's own, of which nobody knows."""
    return isinstance(value, str) or not isinstance(value, _PLAIN)


def arranged(name: str, given: tuple[object, ...], named: dict[str, object]) -> tuple[object, ...]:
    """The arguments of a call in the order of the function's parameters, with PySpark's own values where it has some.

    Of a function that PySpark does not have the order is that of the call. Raises BadCall (Python's TypeError).
    """
    parameters = _BY_NAME.get(name)
    if parameters is None:
        return (*given, *named.values())
    if any(p.startswith("*") for p in parameters):
        if named and not all(k in parameters for k in named):
            raise BadCall(f"{name}() got an unexpected keyword argument {next(iter(named))!r}")
        return (*given, *named.values())
    plain = [p.rstrip("?") for p in parameters]
    if len(given) > len(plain):
        least = sum(not p.endswith("?") for p in parameters)
        takes = f"{len(plain)} positional argument{'s' * (len(plain) != 1)}"
        takes = takes if least == len(plain) else f"from {least} to {takes}"
        verb = "was" if len(given) == 1 else "were"
        raise BadCall(f"{name}() takes {takes} but {len(given)} {verb} given")
    values = dict(zip(plain, given, strict=False))
    for key, value in named.items():
        if key not in plain:
            raise BadCall(f"{name}() got an unexpected keyword argument {key!r}")
        if key in values:
            raise BadCall(f"{name}() got multiple values for argument {key!r}")
        values[key] = value
    missing = [p for p in parameters if not p.endswith("?") and p not in values]
    if missing:
        many = f"{len(missing)} required positional argument{'s' * (len(missing) != 1)}"
        raise BadCall(f"{name}() missing {many}: {' and '.join(map(repr, missing))}")
    values = {k: v for k, v in values.items() if v is not None or f"{k}?" not in parameters}
    filled = _FILLED.get(name, {})
    if name == "window":
        filled = {"slideDuration": values["windowDuration"], **filled}
    return tuple(values.get(p, filled.get(p)) for p in plain if p in values or p in filled)


#: Functions with a body of their own: their parameters.
_OTHERS = {
    "lag": "col offset default", "lead": "col offset default", "first": "col ignorenulls", "last": "col ignorenulls",
    "months_between": "date1 date2 roundOff", "split": "str pattern limit", "log": "arg1 arg2",
}  # fmt: skip


def parameters_of(name: str) -> list[str]:
    """The parameters of a function in order; of one that takes any number of columns the last stands for all."""
    return [p.strip("*?") for p in _BY_NAME.get(name, tuple(_OTHERS.get(name, "col").split()))] or ["col"]


def kind_of(name: str, parameter: str) -> str:
    """What a parameter of a function takes: `column`, `column or int`, `text`, `int`, `flag`, `number` or `any`."""
    return _KINDS.get((name, parameter), "column")
