"""What functions stand for whose analysis is their own (Spark: RuntimeReplaceable with input types of their own)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planviz.evaluation.collations import collation_of
from planviz.expressions.aggregates import AggregateCall, AggregateExpression, Average, Count, FirstLast, Max, Min
from planviz.expressions.arithmetic import Add, Multiply, Subtract, UnaryMinus
from planviz.expressions.calls import DatetimePlus, FunctionCall, RegexpForm, RuntimeReplaceable, try_eval
from planviz.expressions.casts import Cast
from planviz.expressions.common_expressions import with_shared
from planviz.expressions.complex import GetArrayItem
from planviz.expressions.conditional import If
from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.ids import next_id
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.expressions.objects import FunctionObject, Invoke, KnownNotContainsNull, StaticInvoke
from planviz.expressions.patterns import Like
from planviz.expressions.predicates import And, EqualTo, IsNotNull, IsNull, LessThanOrEqual, Or
from planviz.expressions.specs import FunctionSpec
from planviz.functions.signatures import AGGREGATE_SIGNATURES
from planviz.optimizer.attributes import function
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    GeospatialType,
    is_string,
)

#: Nodes that `replacement` looks at.
REPLACEABLE = (DatetimePlus, FunctionCall, RegexpForm, AggregateCall, FirstLast)


_REGRESSION = FunctionSpec("regrreplacement", (), lambda args: args[0].data_type, True)


def _count_if(a: tuple[Expression, ...]) -> Expression:
    null = Literal(None, BOOLEAN)
    return Count((with_shared(lambda ref: If(EqualTo(ref, Literal(False, BOOLEAN)), null, ref), a[0]),))


def _of_pairs(index: int) -> Callable[[tuple[Expression, ...]], Expression]:
    """One of two columns where both have a value, null elsewhere."""
    return lambda a: If(And(IsNotNull(a[0]), IsNotNull(a[1])), a[index], Literal(None, a[index].data_type))


def _squares(index: int) -> Callable[[tuple[Expression, ...]], Expression]:
    def build(a: tuple[Expression, ...]) -> Expression:
        null = Literal(None, a[index].data_type)
        choice = If(Or(IsNull(a[0]), IsNull(a[1])), null, a[index])
        return AggregateCall("regrreplacement", (choice,), _REGRESSION)

    return build


_AGGREGATES: dict[str, Callable[[tuple[Expression, ...]], Expression]] = {
    "every": lambda a: Min(a[0]),
    "bool_and": lambda a: Min(a[0]),
    "some": lambda a: Max(a[0]),
    "any": lambda a: Max(a[0]),
    "bool_or": lambda a: Max(a[0]),
    "count_if": _count_if,
    "regr_count": Count,
    "regr_avgx": lambda a: Average(_of_pairs(1)(a)),
    "regr_avgy": lambda a: Average(_of_pairs(0)(a)),
    "regr_sxx": _squares(1),
    "regr_syy": _squares(0),
}


def _percentile(call: AggregateCall, value: Expression, share: Expression, falling: str) -> AggregateCall:
    """The function behind median and percentile_cont, the same as percentile's own where the type is; the column keeps
    its type."""
    spec = AGGREGATE_SIGNATURES["percentile"].spec
    if spec.result((value, share)) != call.data_type:
        spec = replace(spec, result=lambda _: call.data_type)
    return AggregateCall("percentile", (value, share, Literal(1, LONG)), spec, ("0", "0", falling))


_SPLIT = FunctionSpec("stringsplitsql", (), lambda _: ArrayType(STRING, False))
_JAVA = "ExpressionImplUtils"
_BITMAPS = "BitmapExpressionUtils"
_VARIANTS = "VariantExpressionEvalUtils"


def _static(
    owner: str, method: str, result: DataType | None = None, *more: bool
) -> Callable[[FunctionCall], Expression]:
    """A method of Java over the arguments, then constants; it gives what the function gave."""
    constants = tuple(Literal(m, BOOLEAN) for m in more)

    def made(e: FunctionCall) -> Expression:
        arguments, takes_null = (*e.arguments, *constants), not e.spec.null_intolerant
        return StaticInvoke(owner, method, result or e.data_type, arguments, e.nullable, takes_null)

    return made


def _vector(method: str) -> Callable[[FunctionCall], Expression]:
    """A method of Java over the vectors, which is told under which name it was called."""

    def made(e: FunctionCall) -> Expression:
        arguments = (*e.arguments, lit(e.name))
        return StaticInvoke("VectorFunctionImplUtils", method, e.data_type, arguments, e.nullable)

    return made


def _shapes(of_geography: str, of_geometry: str) -> Callable[[FunctionCall], Expression]:
    """A method of Java by the kind of shapes that it takes."""

    def made(e: FunctionCall) -> Expression:
        kind = e.arguments[0].data_type
        on_the_globe = isinstance(kind, GeospatialType) and kind.kind == "geography"
        return _static("STUtils", of_geography if on_the_globe else of_geometry)(e)

    return made


def _renamed(name: str, *more: Expression) -> Callable[[FunctionCall], Expression]:
    return lambda e: function(name, *e.arguments, *more)


def _element_at(array: Expression, position: Expression, missing: str) -> Expression:
    return function("element_at", array, position).replace(tail=(missing, "false"))


def _from_the_right(e: FunctionCall) -> Expression:
    text, length = e.arguments
    rest = If(LessThanOrEqual(length, lit(0)), lit(""), function("substring", text, UnaryMinus(length)))
    return If(IsNull(text), Literal(None, e.data_type), rest)


def _without_nulls(array: Expression) -> Expression:
    kind = array.data_type
    assert isinstance(kind, ArrayType)
    item = NamedLambdaVariable("arg", kind.element, True, next_id())
    return KnownNotContainsNull(function("filter", array, LambdaFunction(IsNotNull(item), (item,))))


def _first_match(e: FunctionCall) -> Expression:
    found = function("regexp_extract", *e.arguments, lit(0))
    return with_shared(lambda ref: If(EqualTo(ref, lit("")), Literal(None, STRING), ref), found)


def _uniform(e: FunctionCall) -> Expression:
    """A random number between two others, computed as DOUBLE."""
    least, most, *seed = e.arguments
    start = _of_type(least, DOUBLE)
    width = Subtract(_of_type(most, DOUBLE), start)
    return _of_type(Add(start, Multiply(width, function("rand", *seed))), e.data_type)


def _of_type(e: Expression, kind: DataType) -> Expression:
    return e if e.data_type == kind else Cast(e, kind)


def _to_json(e: FunctionCall) -> Expression:
    """Spark: StructsToJsonEvaluator, which knows options, type and time zone."""
    (value,) = e.arguments
    options = ", ".join(" -> ".join(o[1:-1].split(",", 1)) for o in e.lead)
    made = f"StructsToJsonEvaluator(Map({options}),{value.data_type.scala_name},{e.tail[0]})"
    return Invoke(FunctionObject(made, STRING), "evaluate", STRING, e.arguments)


def _parse_url(e: FunctionCall) -> Expression:
    """Spark: ParseUrlEvaluator; what is constant of its three arguments is prepared."""
    known = [_prepared(a) for a in e.arguments]
    made = FunctionObject(f"ParseUrlEvaluator({','.join((*known, 'null')[:3])},{e.tail[0]})", STRING)
    return Invoke(made, "evaluate", STRING, e.arguments)


def _prepared(e: Expression) -> str:
    return str(e) if isinstance(e, Literal) and e.value is not None else "null"


def _xpath(kind: str) -> Callable[[FunctionCall], Expression]:
    """Spark: XPathEvaluator, which knows its path."""

    def make(e: FunctionCall) -> Expression:
        made = FunctionObject(f"XPath{kind}Evaluator({e.arguments[1]})", e.data_type)
        return Invoke(made, "evaluate", e.data_type, e.arguments[:1])

    return make


def _try_to_binary(e: FunctionCall) -> Expression:
    made = function("to_binary", *e.arguments)
    return try_eval(made.replacement if isinstance(made, RuntimeReplaceable) else made)


def _try_aes_decrypt(e: FunctionCall) -> Expression:
    bytes_at = (0, 1, 4)
    cast = [Cast(a, BINARY) if i in bytes_at and a.data_type != BINARY else a for i, a in enumerate(e.arguments)]
    return try_eval(StaticInvoke(_JAVA, "aesDecrypt", BINARY, tuple(cast), True))


#: Functions that are others under another name, or methods of Java; computed beforehand where they are constant.
_FUNCTIONS: dict[str, Callable[[FunctionCall], Expression]] = {
    "aes_decrypt": _static(_JAVA, "aesDecrypt"),
    "aes_encrypt": _static(_JAVA, "aesEncrypt"),
    "array_compact": lambda e: _without_nulls(e.arguments[0]),
    "array_append": lambda e: function("array_insert", e.arguments[0], lit(-1), e.arguments[1]),
    "array_prepend": lambda e: function("array_insert", e.arguments[0], lit(1), e.arguments[1]),
    "array_size": _renamed("size"),
    "collation": lambda e: Literal(collation_of(e), STRING),
    "base64": _static("Base64", "encode", None, True),
    "bitmap_bit_position": _static(_BITMAPS, "bitmapBitPosition"),
    "bitmap_bucket_number": _static(_BITMAPS, "bitmapBucketNumber"),
    "bitmap_count": _static(_BITMAPS, "bitmapCount"),
    "decode": _static("StringDecode", "decode", None, False, False),
    "encode": _static("Encode", "encode", None, False, False),
    "from_base32": _static("UnBase32", "decode"),
    "get": lambda e: GetArrayItem(e.arguments[0], e.arguments[1], "LEGACY"),
    "hmac": _static(_JAVA, "hmac"),
    "try_make_interval": lambda e: function("make_interval", *e.arguments).replace(tail=("false",)),
    "is_valid_variant": _static(_VARIANTS, "isValidVariant"),
    "is_variant_null": _static(_VARIANTS, "isVariantNull"),
    "jaro_winkler_similarity": _static(_JAVA, "jaroWinklerSimilarity"),
    "json_object_keys": _static("JsonExpressionUtils", "jsonObjectKeys"),
    "is_valid_utf8": lambda e: Invoke(e.arguments[0], "isValid", BOOLEAN),
    "json_array_length": _static("JsonExpressionUtils", "lengthOfJsonArray"),
    "left": lambda e: function("substring", e.arguments[0], lit(1), e.arguments[1]),
    "luhn_check": _static(_JAVA, "isLuhnNumber"),
    "make_valid_utf8": lambda e: Invoke(e.arguments[0], "makeValid", e.data_type),
    "map_contains_key": lambda e: function("array_contains", function("map_keys", e.arguments[0]), e.arguments[1]),
    "parse_json": _static(_VARIANTS, "parseJson", None, False, True, True),
    "parse_url": _parse_url,
    "quote": _static(_JAVA, "quote"),
    "regexp_count": lambda e: function("size", function("regexp_extract_all", *e.arguments, lit(0))),
    "regexp_substr": _first_match,
    "right": _from_the_right,
    "schema_of_variant": _static("SchemaOfVariant", "schemaOfVariant"),
    "sentences": _static(_JAVA, "getSentences"),
    "st_asbinary": _shapes("stGeogAsBinary", "stGeomAsBinary"),
    "st_geogfromwkb": _static("STUtils", "stGeogFromWKB"),
    "st_geomfromwkb": _static("STUtils", "stGeomFromWKB"),
    "st_setsrid": _shapes("stGeogSetSrid", "stGeomSetSrid"),
    "st_srid": _shapes("stGeogSrid", "stGeomSrid"),
    "split_part": lambda e: _element_at(
        FunctionCall("stringsplitsql", e.arguments[:2], _SPLIT), e.arguments[2], "Some()"
    ),
    "to_json": _to_json,
    "to_base32": _static("Base32", "encode"),
    "try_aes_decrypt": _try_aes_decrypt,
    "try_parse_json": _static(_VARIANTS, "parseJson", None, False, False, True),
    "try_to_binary": _try_to_binary,
    "try_element_at": lambda e: _element_at(e.arguments[0], e.arguments[1], "None"),
    "try_validate_utf8": _static(_JAVA, "tryValidateUTF8String"),
    "uniform": _uniform,
    "url_decode": _static("UrlCodec", "decode", None, True),
    "url_encode": _static("UrlCodec", "encode"),
    "validate_utf8": _static(_JAVA, "validateUTF8String"),
    "vector_cosine_similarity": _vector("vectorCosineSimilarity"),
    "vector_inner_product": _vector("vectorInnerProduct"),
    "vector_l2_distance": _vector("vectorL2Distance"),
    "vector_norm": _vector("vectorNorm"),
    "vector_normalize": _vector("vectorNormalize"),
    "xpath": _xpath("List"),
    "xpath_boolean": _xpath("Boolean"),
    "xpath_double": _xpath("Double"),
    "xpath_float": _xpath("Float"),
    "xpath_int": _xpath("Int"),
    "xpath_long": _xpath("Long"),
    "xpath_number": _xpath("Double"),
    "xpath_short": _xpath("Short"),
    "xpath_string": _xpath("String"),
}


#: What stands for these is no constant, be the arguments ones: its lambda reads a variable.
_NEVER_FOLDED = frozenset(("array_compact",))
#: The methods of Java that compare binaries.
_OF_BYTES = {"startswith": "startsWith", "endswith": "endsWith", "contains": "contains"}
#: Those that stay what they are where a version replaces fewer functions (before 4.0).
REPLACED_LATER = frozenset((
    "array_append", "decode", "encode", "json_array_length", "json_object_keys", "parse_url",
    "sentences", "to_json", "xpath", "xpath_boolean", "xpath_double", "xpath_float", "xpath_int", "xpath_long",
    "xpath_number", "xpath_short", "xpath_string",
))  # fmt: skip


def replacement(e: Expression) -> Expression:
    """What stands for the expression from the optimizer on; itself for most."""
    match e:
        case FunctionCall("lpad" | "rpad" as name, lead=(_,)):
            return StaticInvoke("ByteArray", name, BINARY, e.arguments, e.nullable)
        case FunctionCall("startswith" | "endswith" | "contains" as name, lead=(_,)) if not e.foldable:
            return StaticInvoke("ByteArrayMethods", _OF_BYTES[name], e.data_type, e.arguments, e.nullable)
        case FunctionCall(name) if name in _FUNCTIONS and (name in _NEVER_FOLDED or not e.foldable):
            return _FUNCTIONS[name](e)
        case RegexpForm("ilike", (text, pattern), escape):
            return Like(function("lower", text), function("lower", pattern), escape)
        case DatetimePlus(left, right, "-"):
            # Until here it prints what it was given, not the timestamp that is made of it.
            made = e.data_type == TIMESTAMP and (left.data_type in (DATE, NULL) or is_string(left.data_type))
            start = Cast(left, TIMESTAMP) if made else left
            return DatetimePlus(start, UnaryMinus(right), "+", e.data_type)
        case AggregateExpression(AggregateCall(name, arguments)) if name in _AGGREGATES:
            return e.replace(function=_AGGREGATES[name](arguments))
        case AggregateExpression(AggregateCall("median", (value,)) as call):
            return e.replace(function=_percentile(call, value, Literal(0.5, DOUBLE), "false"))
        case AggregateExpression(AggregateCall("percentile_cont", (value, share), tail=tail) as call):
            return e.replace(function=_percentile(call, value, share, tail[0]))
        case AggregateExpression(FirstLast(child, "any_value", ignore)):
            return e.replace(function=FirstLast(child, "first", ignore))
    return e
