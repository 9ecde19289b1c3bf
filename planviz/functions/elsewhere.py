"""Functions of other systems that Spark has under another name, or says otherwise: for errors and notes."""

from __future__ import annotations

#: What to write in Spark instead, by names in capitals.
INSTEAD = {
    "APPROX_QUANTILES": "percentile_approx(x, array(0.5, 0.9))",
    "ARRAYAGG": "array_agg(x)",
    "ARRAY_CAT": "concat(a, b)",
    "ARRAY_LENGTH": "size(a)",
    "ARRAY_TO_STRING": "array_join(a, ',')",
    "CONVERT": "cast(x AS type)",
    "DATEFROMPARTS": "make_date(y, m, d)",
    "DATE_PARSE": "to_timestamp(s, format)",
    "DIV0": "try_divide(a, b)",
    "FORMAT_DATE": "date_format(d, format)",
    "FORMAT_TIMESTAMP": "date_format(t, format)",
    "FROM_ISO8601_TIMESTAMP": "to_timestamp(s)",
    "GENERATE_ARRAY": "sequence(a, b)",
    "GENERATE_DATE_ARRAY": "sequence(a, b, INTERVAL 1 DAY)",
    "GENERATE_SERIES": "explode(sequence(a, b))",
    "GROUP_CONCAT": "array_join(collect_list(x), ',')",
    "IFF": "if(condition, a, b)",
    "IIF": "if(condition, a, b)",
    "JSON_EXTRACT": "get_json_object(s, '$.a')",
    "JSON_EXTRACT_SCALAR": "get_json_object(s, '$.a')",
    "JSON_EXTRACT_STRING": "get_json_object(s, '$.a')",
    "JSON_QUERY": "get_json_object(s, '$.a')",
    "JSON_VALUE": "get_json_object(s, '$.a')",
    "NEWID": "uuid()",
    "OBJECT_CONSTRUCT": "named_struct('a', x) or map('a', x)",
    "PARSE_DATE": "to_date(s, format)",
    "PARSE_TIMESTAMP": "to_timestamp(s, format)",
    "REGEXP_MATCHES": "regexp_like(s, pattern)",
    "REPLICATE": "repeat(s, n)",
    "SAFE_CAST": "try_cast(x AS type)",
    "SAFE_DIVIDE": "try_divide(a, b)",
    "SAFE_OFFSET": "get(a, 0)",
    "STRING_SPLIT": "split(s, ',')",
    "STRING_TO_ARRAY": "split(s, ',')",
    "STRPOS": "instr(s, part)",
    "SYSDATE": "current_timestamp()",
    "SYSDATETIME": "current_timestamp()",
    "TIMESTAMP_DIFF": "timestampdiff(unit, a, b)",
    "TIMESTAMP_TRUNC": "date_trunc('unit', t)",
    "TO_JSON_STRING": "to_json(x)",
    "TRY_CONVERT": "try_cast(x AS type)",
    "UNNEST": "explode(a)",
}


def instead_of(name: str) -> str:
    """A blank and what Spark has instead of a function of another system; "" for no such function."""
    found = INSTEAD.get(name.upper())
    return f" Spark has no {name}; {found} says the same." if found else ""
