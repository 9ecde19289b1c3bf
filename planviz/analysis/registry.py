"""Functions by name: from a call to the expression that it means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planviz.analysis.aggregate_functions import AGGREGATES
from planviz.analysis.context import AnalysisContext, analysis_error, sql_text
from planviz.analysis.operators import OPERATORS
from planviz.analysis.signatures import read_table
from planviz.expressions.aggregates import (
    AggregateFunction,
    FirstLast,
    Grouping,
    GroupingID,
)
from planviz.expressions.arithmetic import (
    Abs,
    Add,
    Divide,
    Multiply,
    Pmod,
    Remainder,
    Shift,
    Subtract,
    UnaryMinus,
    UnaryPositive,
)
from planviz.expressions.calls import (
    Concat,
    Explode,
    FunctionCall,
    FunctionSpec,
    GeneratorCall,
    RegexpForm,
    Replaced,
    Stack,
    StringForm,
    string_of,
    with_shared,
)
from planviz.expressions.complex import CreateArray, CreateMap, CreateNamedStruct, struct_of
from planviz.expressions.conditional import CaseWhen, Coalesce, Extremum, If
from planviz.expressions.core import Alias, Cast, Expression, Literal, SortOrder, lit
from planviz.expressions.predicates import (
    And,
    EqualNullSafe,
    EqualTo,
    GreaterThanOrEqual,
    IsNotNull,
    IsNull,
    LessThanOrEqual,
    Like,
    Not,
    RLike,
    StringPredicate,
)
from planviz.expressions.unresolved import LambdaFunction
from planviz.expressions.windows import LagLead, NthValue, NTile, RankLike
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    parse_type,
)

Args = tuple[Expression, ...]
Builder = Callable[[Args], Expression]

#: A call: name, arguments, DISTINCT, context, the place for messages.
_SIGNATURES = read_table()


def _between(a: Args) -> Expression:
    made = with_shared(lambda ref: And(GreaterThanOrEqual(ref, a[1]), LessThanOrEqual(ref, a[2])), a[0])
    return Replaced("between", a, made)


def _nullif(a: Args) -> Expression:
    made = with_shared(lambda ref: If(EqualTo(ref, a[1]), Literal(None, a[0].data_type), ref), a[0])
    return Replaced("nullif", a, made)


def _cast_function(t: DataType) -> Builder:
    return lambda a: Cast(a[0], t, user_specified=True)


def _log(a: Args) -> Expression:
    spec = FunctionSpec("log", _SIGNATURES["atan2"][0].inputs, lambda _: DOUBLE, True, sql_name="LOG")
    base = a if len(a) == 2 else (FunctionCall("e", (), _SIGNATURES["e"][0]), a[0])
    return FunctionCall("log", base, spec)


def _to_date(a: Args) -> Expression:
    if len(a) == 1:
        return Replaced("to_date", (*a, "None", "Some(Etc/UTC)", "true"), Cast(a[0], DATE), "", a)
    return Replaced("to_date", (a[0], f"Some({a[1]})", "Some(Etc/UTC)", "true"), Cast(Cast(a[0], STRING), DATE), "", a)


def _to_timestamp(name: str, t: DataType) -> Builder:
    def make(a: Args) -> Expression:
        fmt = f"Some({a[1]})" if len(a) > 1 else "None"
        return Replaced(name, (a[0], fmt, t.scala_name, "Some(Etc/UTC)", "true"), Cast(a[0], t), "", a)

    return make


def _unix_timestamp(name: str) -> Builder:
    def build_call(a: Args) -> Expression:
        from planviz.analysis.signatures import ACCEPTS

        full = (
            a
            if len(a) > 1
            else (
                (a or (FunctionCall("current_timestamp", (), CURRENT["current_timestamp"]),))
                + (lit("yyyy-MM-dd HH:mm:ss"),)
            )
        )
        accepts = type(ACCEPTS["T"])(
            '("STRING" or "DATE" or "TIMESTAMP")', lambda t: t in (STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ), STRING
        )
        spec = FunctionSpec(name, (accepts, ACCEPTS["S"]), lambda _: LONG, True, tail=("Some(Etc/UTC)", "true"))
        return FunctionCall(name, tuple(full), spec, spec.tail)

    return build_call


def _extract(name: str) -> Builder:
    parts = {
        "year": "year", "years": "year", "y": "year", "month": "month", "mon": "month", "months": "month", "day": "day",
        "days": "day", "d": "day", "quarter": "quarter", "qtr": "quarter", "week": "weekofyear", "weeks": "weekofyear",
        "dow": "dayofweek", "dayofweek": "dayofweek", "doy": "dayofyear", "hour": "hour", "hours": "hour", "h": "hour",
        "minute": "minute", "minutes": "minute", "min": "minute", "second": "second", "seconds": "second",
        "s": "second",
    }  # fmt: skip

    def make(a: Args) -> Expression:
        field = (string_of(a[0]) or "").lower()
        function = parts.get(field)
        if function is None:
            raise analysis_error("INVALID_EXTRACT_FIELD", f"Cannot extract `{field}` from {a[1].pretty}.", a[0])
        spec = _SIGNATURES[function][0]
        tail = ("Some(Etc/UTC)",) if spec.zoned else ()
        made: Expression = FunctionCall(function, (a[1],), spec, tail)
        return Replaced(name, a, made, name, (f"{string_of(a[0])} FROM {a[1].pretty}",) if name == "extract" else a)

    return make


def _in_pairs(name: str, make: Builder) -> Builder:
    def checked(a: Args) -> Expression:
        if len(a) % 2:
            raise analysis_error(
                "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                f"The `{name}` requires 2n (n > 0) parameters but the actual number is {len(a)}.",
                a[0],
            )
        return make(a)

    return checked


def _locate(a: Args) -> Expression:
    return StringForm("locate", (*a, lit(1)) if len(a) == 2 else a)


def _substring(name: str) -> Builder:
    def make(a: Args) -> Expression:
        return StringForm(name, (*a, Literal(2147483647, INT)) if len(a) == 2 else a)

    return make


def _trim(name: str) -> Builder:
    # trim(what, text): the text comes last when both are given.
    return lambda a: StringForm(name, a if len(a) == 1 else (a[1], a[0]))


def _timestamp_shift(a: Args) -> Expression:
    spec = FunctionSpec(
        "timestampadd",
        (),
        lambda args: args[-1].data_type if args[-1].data_type in (TIMESTAMP, TIMESTAMP_NTZ) else TIMESTAMP,
    )
    return FunctionCall("timestampadd", a, spec, ("Some(Etc/UTC)",))


def _timestamp_diff(a: Args) -> Expression:
    return FunctionCall("timestampdiff", a, FunctionSpec("timestampdiff", (), lambda _: LONG), ("Some(Etc/UTC)",))


def _sequence(a: Args) -> Expression:
    spec = FunctionSpec("sequence", (), lambda args: ArrayType(args[0].data_type, False))
    tail = (*(() if len(a) > 2 else ("None",)), "Some(Etc/UTC)")
    return FunctionCall("sequence", a, spec, tail)


def _higher(name: str) -> Builder:
    def make(a: Args) -> Expression:
        if name in ("aggregate", "reduce") and len(a) == 3:
            from planviz.expressions.unresolved import UnresolvedLambdaVariable

            variable = UnresolvedLambdaVariable(("id",))
            a = (*a, LambdaFunction(variable, (variable,)))
        tail = ("false",) if name == "array_sort" else ()
        return FunctionCall(name, a, FunctionSpec(name, (), lambda args: _higher_type(name, args)), tail)

    return make


def _higher_type(name: str, a: Args) -> DataType:
    t = a[0].data_type
    body = a[-1].data_type if isinstance(a[-1], LambdaFunction) else UNKNOWN
    null = a[-1].nullable
    if name in ("filter", "array_sort", "map_filter"):
        return t
    if name in ("transform", "zip_with"):
        return ArrayType(body, null)
    if name in ("exists", "any_match", "forall"):
        return BOOLEAN
    if name in ("aggregate", "reduce"):
        return body
    if isinstance(t, MapType):
        if name == "transform_keys":
            return MapType(body, t.value, t.value_contains_null)
        if name in ("transform_values", "map_zip_with"):
            return MapType(t.key, body, null)
    return UNKNOWN


HIGHER_ORDER = [
    "transform",
    "filter",
    "exists",
    "forall",
    "aggregate",
    "reduce",
    "zip_with",
    "map_filter",
    "map_zip_with",
    "transform_keys",
    "transform_values",
    "array_sort",
]


def _arithmetic(name: str, make: Callable[..., Expression]) -> Builder:
    return lambda a: Replaced(name, a, make(a[0], a[1], "TRY"))


def _call(name: str, result: DataType, *, tail: tuple[str, ...] = (), sql: str = "") -> Builder:
    return lambda a: FunctionCall(name, a, FunctionSpec(name, (), lambda _: result, sql_name=sql, tail=tail), tail)


CURRENT = {
    "current_timestamp": FunctionSpec("current_timestamp", (), lambda _: TIMESTAMP, False),
    "now": FunctionSpec("now", (), lambda _: TIMESTAMP, False),
    "current_date": FunctionSpec("current_date", (), lambda _: DATE, False, tail=("Some(Etc/UTC)",)),
    "localtimestamp": FunctionSpec("localtimestamp", (), lambda _: TIMESTAMP_NTZ, False, tail=("Some(Etc/UTC)",)),
}


def _current(name: str) -> Builder:
    spec = CURRENT[name]
    return lambda a: FunctionCall(name, (), spec, spec.tail)


#: name -> (fewest arguments, most arguments or -1, builder)
BUILDERS: dict[str, tuple[int, int, Builder]] = {
    "between": (3, 3, _between),
    "coalesce": (1, -1, Coalesce),
    "nvl": (2, 2, lambda a: Replaced("nvl", a, Coalesce(a))),
    "ifnull": (2, 2, lambda a: Replaced("ifnull", a, Coalesce(a))),
    "nvl2": (3, 3, lambda a: Replaced("nvl2", a, If(IsNotNull(a[0]), a[1], a[2]))),
    "nullif": (2, 2, _nullif),
    "zeroifnull": (1, 1, lambda a: Replaced("zeroifnull", a, Coalesce((a[0], lit(0))))),
    "nullifzero": (1, 1, lambda a: Replaced("nullifzero", a, If(EqualTo(a[0], lit(0)), lit(None), a[0]))),
    "if": (3, 3, lambda a: If(*a)),
    "greatest": (2, -1, lambda a: Extremum("greatest", a)),
    "least": (2, -1, lambda a: Extremum("least", a)),
    "isnull": (1, 1, lambda a: IsNull(a[0])),
    "isnotnull": (1, 1, lambda a: IsNotNull(a[0])),
    "abs": (1, 1, lambda a: Abs(a[0])),
    "mod": (2, 2, lambda a: Remainder(a[0], a[1], "ANSI", "mod")),
    "pmod": (2, 2, lambda a: Pmod(a[0], a[1])),
    "negative": (1, 1, lambda a: UnaryMinus(a[0], function=True)),
    "positive": (1, 1, lambda a: UnaryPositive(a[0])),
    "shiftleft": (2, 2, lambda a: Shift(a[0], a[1], "shiftleft")),
    "shiftright": (2, 2, lambda a: Shift(a[0], a[1], "shiftright")),
    "shiftrightunsigned": (2, 2, lambda a: Shift(a[0], a[1], "shiftrightunsigned")),
    "not": (1, 1, lambda a: Not(a[0])),
    "log": (1, 2, _log),
    "concat": (0, -1, Concat),
    "array": (0, -1, CreateArray),
    "map": (0, -1, _in_pairs("map", CreateMap)),
    "struct": (0, -1, lambda a: struct_of(list(a), "struct")),
    "named_struct": (0, -1, _in_pairs("named_struct", CreateNamedStruct)),
    "like": (2, 3, lambda a: Like(a[0], a[1])),
    "ilike": (2, 3, lambda a: RegexpForm("ilike", a[:2])),
    "rlike": (2, 2, lambda a: RLike(a[0], a[1])),
    "regexp": (2, 2, lambda a: RLike(a[0], a[1], "REGEXP")),
    "regexp_like": (2, 2, lambda a: RLike(a[0], a[1], "REGEXP_LIKE")),
    "startswith": (2, 2, lambda a: StringPredicate(a[0], a[1], "StartsWith")),
    "endswith": (2, 2, lambda a: StringPredicate(a[0], a[1], "EndsWith")),
    "contains": (2, 2, lambda a: StringPredicate(a[0], a[1], "Contains")),
    "substring": (2, 3, _substring("substring")),
    "substr": (2, 3, _substring("substr")),
    "trim": (1, 2, _trim("trim")),
    "ltrim": (1, 2, _trim("ltrim")),
    "rtrim": (1, 2, _trim("rtrim")),
    "locate": (2, 3, _locate),
    "position": (2, 3, _locate),
    "overlay": (3, 4, lambda a: StringForm("overlay", a if len(a) == 4 else (*a, lit(-1)))),
    "to_date": (1, 2, _to_date),
    "to_timestamp": (1, 2, _to_timestamp("to_timestamp", TIMESTAMP)),
    "to_timestamp_ntz": (1, 2, _to_timestamp("to_timestamp_ntz", TIMESTAMP_NTZ)),
    "unix_timestamp": (0, 2, _unix_timestamp("unix_timestamp")),
    "to_unix_timestamp": (1, 2, _unix_timestamp("to_unix_timestamp")),
    "extract": (2, 2, _extract("extract")),
    "date_part": (2, 2, _extract("date_part")),
    "datepart": (2, 2, _extract("datepart")),
    "timestampadd": (3, 3, _timestamp_shift),
    "timestampdiff": (3, 3, _timestamp_diff),
    "sequence": (2, 3, _sequence),
    "current_database": (0, 0, _call("current_schema", STRING)),
    "current_timestamp": (0, 0, _current("current_timestamp")),
    "now": (0, 0, _current("now")),
    "current_date": (0, 0, _current("current_date")),
    "curdate": (0, 0, _current("current_date")),
    "localtimestamp": (0, 0, _current("localtimestamp")),
    "user": (0, 0, _call("current_user", STRING)),
    "session_user": (0, 0, _call("current_user", STRING)),
    "collate": (2, 2, lambda a: FunctionCall("collate", a, FunctionSpec("collate", (), lambda args: STRING))),
    "try_add": (2, 2, _arithmetic("try_add", Add)),
    "try_subtract": (2, 2, _arithmetic("try_subtract", Subtract)),
    "try_multiply": (2, 2, _arithmetic("try_multiply", Multiply)),
    "try_divide": (2, 2, _arithmetic("try_divide", Divide)),
    "grouping": (1, 1, lambda a: Grouping(a[0])),
    "grouping_id": (0, -1, GroupingID),
    "stack": (2, -1, Stack),
    "row_number": (0, 0, lambda a: RankLike("row_number")),
    "rank": (0, -1, lambda a: RankLike("rank", a)),
    "dense_rank": (0, -1, lambda a: RankLike("dense_rank", a)),
    "percent_rank": (0, -1, lambda a: RankLike("percent_rank", a)),
    "cume_dist": (0, 0, lambda a: RankLike("cume_dist")),
    "ntile": (0, 1, lambda a: NTile(a[0] if a else lit(1))),
    "nth_value": (2, 2, lambda a: NthValue(a[0], a[1])),
    "boolean": (1, 1, _cast_function(BOOLEAN)),
    "tinyint": (1, 1, _cast_function(BYTE)),
    "smallint": (1, 1, _cast_function(SHORT)),
    "int": (1, 1, _cast_function(INT)),
    "bigint": (1, 1, _cast_function(LONG)),
    "float": (1, 1, _cast_function(FLOAT)),
    "double": (1, 1, _cast_function(DOUBLE)),
    "decimal": (1, 1, _cast_function(DecimalType(10, 0))),
    "date": (1, 1, _cast_function(DATE)),
    "timestamp": (1, 1, _cast_function(TIMESTAMP)),
    "binary": (1, 1, _cast_function(BINARY)),
    "string": (1, 1, _cast_function(STRING)),
}
BUILDERS |= {name: (1, 4, _higher(name)) for name in HIGHER_ORDER}


def _explode(name: str) -> Builder:
    return lambda a: Explode(a[0], name)


for _name in ("explode", "posexplode", "inline"):
    BUILDERS[_name] = (1, 1, _explode(_name))
    BUILDERS[_name + "_outer"] = (1, 1, _explode(_name + "_outer"))


def _json_tuple(a: Args) -> Expression:
    return GeneratorCall("json_tuple", a, tuple(StructField(f"c{i}", STRING, True) for i in range(len(a) - 1)))


def _assert_true(a: Args) -> Expression:
    message = a[1] if len(a) > 1 else lit(f"'{a[0].pretty}' is not true!")
    return Replaced(
        "assert_true", (a[0], message), If(a[0], lit(None), FunctionCall("raise_error", (message,), _RAISE))
    )


def _raise_error(a: Args) -> Expression:
    if len(a) == 2:
        return FunctionCall("raise_error", a, _RAISE, ("NullType",))
    details = CreateMap((lit("errorMessage"), a[0]))
    return FunctionCall("raise_error", (lit("USER_RAISED_EXCEPTION"), details), _RAISE, ("NullType",))


_RAISE = FunctionSpec("raise_error", (), lambda _: NULL, True, foldable=False)
BUILDERS["assert_true"] = (1, 2, _assert_true)
BUILDERS["raise_error"] = (1, 2, _raise_error)


def _decode(a: Args) -> Expression:
    """decode(value, search, result, ..., default) compares; decode(binary, charset) converts."""
    if len(a) == 2:
        return FunctionCall("decode", a, _SIGNATURES["decode"][0])
    pairs, rest = a[1:], a[1:][len(a[1:]) // 2 * 2 :]
    branches: list[Expression] = []
    for i in range(0, len(pairs) // 2 * 2, 2):
        branches += [EqualNullSafe(a[0], pairs[i]), pairs[i + 1]]
    return Replaced("decode", a, CaseWhen(tuple(branches), rest[0] if rest else Literal(None, NULL)))


BUILDERS["decode"] = (2, -1, _decode)


BUILDERS["json_tuple"] = (2, -1, _json_tuple)


def _lag_lead(name: str) -> Builder:
    def make(a: Args) -> Expression:
        offset = a[1] if len(a) > 1 else lit(1)
        if name == "lag":
            offset = (
                Literal(-offset.value, offset.type)
                if isinstance(offset, Literal) and isinstance(offset.value, int)
                else UnaryMinus(offset)
            )
        ignore = len(a) > 3 and isinstance(a[3], Literal) and a[3].value is True
        return LagLead(name, a[0], offset, a[2] if len(a) > 2 else Literal(None, NULL), ignore)

    return make


BUILDERS["lag"] = (1, 4, _lag_lead("lag"))
BUILDERS["lead"] = (1, 4, _lag_lead("lead"))


def _first_last(name: str) -> Builder:
    def make(a: Args) -> Expression:
        ignore = len(a) > 1 and isinstance(a[1], Literal) and a[1].value is True
        return FirstLast(a[0], name, ignore)

    return make


for _name, _shown in {
    "first": "first",
    "first_value": "first_value",
    "last": "last",
    "last_value": "last",
    "any_value": "any_value",
}.items():
    BUILDERS[_name] = (1, 2, _first_last(_shown))


def known(name: str) -> bool:
    """Whether a function of this name is known."""
    return name in BUILDERS or name in AGGREGATES or name in _SIGNATURES


def build(
    parts: tuple[str, ...], arguments: Args, distinct: bool, context: AnalysisContext, place: Any
) -> Expression | None:
    """The expression that a call means, or None for an unknown name.

    Raises AnalysisError when the number of arguments is wrong.
    """
    name = parts[-1].lower()
    plain = tuple(a.child if isinstance(a, Alias) and name not in ("struct",) else a for a in arguments)
    found = BUILDERS.get(name) or AGGREGATES.get(name) or OPERATORS.get(name)
    if found is not None:
        fewest, most, make = found
        _check_count(name, len(plain), fewest, most, place)
        return make(plain)
    entry = _SIGNATURES.get(name)
    if entry is None:
        return None
    spec, fewest, most, defaults, extra = entry
    _check_count(name, len(plain), fewest, most, place)
    missing = (most - len(plain)) if most >= 0 else 0
    filled = [d for d in defaults[len(defaults) - missing :] if d is not None] if missing else []
    more = tuple(lit(int(x)) for x in extra)
    tail = spec.tail
    if spec.zoned:
        tail = (*tail, "Some(Etc/UTC)")
    if more:
        tail = tuple(str(m) for m in more)
    if name == "array_join" and len(plain) == 2:
        filled, tail = [], ("None",)
    made = FunctionCall(name, (*plain, *filled), spec, tail)
    if name in ("from_json", "from_csv"):
        made = _from_text(made)
    return made


def _from_text(call: FunctionCall) -> FunctionCall:
    schema = string_of(call.arguments[1])
    try:
        t = parse_type(schema) if schema and "<" in schema.split(" ")[0] else parse_type(f"struct<{schema}>")
    except Exception:
        t = UNKNOWN
    from dataclasses import replace

    return FunctionCall(
        call.name, call.arguments[:1], replace(call.spec, result=lambda _: t), ("Some(Etc/UTC)", "false")
    )


def _check_count(name: str, count: int, fewest: int, most: int, place: Any) -> None:
    if fewest <= count and (most < 0 or count <= most):
        return
    wanted = (
        f"{fewest}"
        if fewest == most
        else f"> {fewest - 1}"
        if most < 0
        else f"[{', '.join(map(str, range(fewest, most + 1)))}]"
    )
    raise analysis_error(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        f"The `{name}` requires {wanted} parameters but the actual number is {count}.",
        place,
    )


def is_aggregate_function(e: Expression) -> bool:
    """Whether the expression is an aggregate function that is not a pure window function."""
    return isinstance(e, AggregateFunction) and not isinstance(e, RankLike | NTile | NthValue)


__all__ = ["BUILDERS", "CaseWhen", "SortOrder", "build", "is_aggregate_function", "known", "sql_text"]
