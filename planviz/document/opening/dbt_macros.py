"""The macros of dbt and of dbt_utils whose SQL for Spark is one expression: what they give, of what they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping

#: What dbt_utils puts in place of null before it hashes.
_NULL = "_dbt_utils_surrogate_key_null_"


def _surrogate_key(columns: list[str]) -> str:
    parts = [f"coalesce(cast({column} as string), '{_NULL}')" for column in columns]
    joined = ", '-', ".join(parts)
    return f"md5(cast(concat({joined}) as string))"


def _group_by(n: int) -> str:
    return "group by " + ", ".join(str(at) for at in range(1, min(int(n), 1_000) + 1))


def _star(*table: object, **options: object) -> str:
    alias = options.pop("relation_alias", None)
    left_out = options.pop("except", None)
    options.pop("from", None)
    if options or (left_out is not None and not isinstance(left_out, list)):
        raise TypeError("star with a prefix or a suffix gives columns that only the table tells")
    columns = f"{alias}.*" if alias else "*"
    return f"{columns} except ({', '.join(map(str, left_out))})" if left_out else columns


def _type(name: str) -> Callable[..., object]:
    return lambda: name


#: Each macro by its name; it raises TypeError or ValueError for arguments that it does not take.
MACROS: Mapping[str, Callable[..., object]] = {
    "group_by": _group_by,
    "star": _star,
    "generate_surrogate_key": _surrogate_key,
    "surrogate_key": _surrogate_key,
    "date_trunc": lambda datepart, date: f"date_trunc('{datepart}', {date})",
    "dateadd": lambda datepart, interval, date: f"date_add({datepart}, {interval}, {date})",
    "datediff": lambda first, second, datepart: f"datediff({datepart}, {first}, {second})",
    "current_timestamp": lambda: "current_timestamp()",
    "safe_cast": lambda field, type: f"try_cast({field} as {type})",
    "safe_divide": lambda numerator, denominator: f"({numerator}) / nullif(({denominator}), 0)",
    "concat": lambda fields: f"concat({', '.join(fields)})",
    "hash": lambda field: f"md5(cast({field} as string))",
    "length": lambda expression: f"length({expression})",
    "type_string": _type("string"),
    "type_int": _type("int"),
    "type_bigint": _type("bigint"),
    "type_float": _type("float"),
    "type_numeric": _type("decimal(28, 6)"),
    "type_boolean": _type("boolean"),
    "type_timestamp": _type("timestamp"),
}
