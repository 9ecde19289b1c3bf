"""Result types by short codes: fixed ones, and those computed from the arguments."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.complex import GetArrayStructFields, GetStructField
from planviz.expressions.core import Expression, Literal, NamedExpression
from planviz.functions.signatures.accepts import TYPES
from planviz.types import (
    DOUBLE,
    FLOAT,
    LONG,
    NULL,
    SRIDS,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    GeospatialType,
    MapType,
    StructField,
    StructType,
    YearMonthIntervalType,
    decimal_result,
    geospatial,
    is_ansi_interval,
    tightest_common_type,
    wider_type,
)

Arguments = tuple[Expression, ...]
Result = Callable[[Arguments], DataType]

_FIXED: dict[str, DataType] = {
    **TYPES,
    "?": UNKNOWN,
    "DT": DayTimeIntervalType(),
    "YM": YearMonthIntervalType(),
    "S[]": ArrayType(STRING, False),
    "S[]n": ArrayType(STRING),
    "S[][]": ArrayType(ArrayType(STRING, False), False),
    "F[]": ArrayType(TYPES["F"], False),
    "MSS": MapType(STRING, STRING),
}


def _element(args: Arguments) -> DataType:
    t: DataType = args[0].data_type
    return t.element if isinstance(t, ArrayType) else t.value if isinstance(t, MapType) else UNKNOWN


def _rounded(args: Arguments) -> DataType:
    """round: decimals lose the digits behind the scale and may gain one before it."""
    t: DataType = args[0].data_type
    if not isinstance(t, DecimalType):
        return t
    scale = args[1].value if isinstance(args[1], Literal) and isinstance(args[1].value, int) else 0
    whole = t.precision - t.scale + 1
    if scale < 0:
        return DecimalType(max(min(max(whole, -scale + 1), 38), 1), 0)
    kept = min(scale, t.scale)
    return DecimalType(min(whole + kept, 38), kept)


def _ceiled(args: Arguments) -> DataType:
    t = args[0].data_type
    if isinstance(t, DecimalType):
        return DecimalType(min(t.precision - t.scale + 1, 38), 0)
    return LONG


def _of_map(args: Arguments) -> MapType:
    t = args[0].data_type
    return t if isinstance(t, MapType) else MapType(UNKNOWN, UNKNOWN)


def _entries(args: Arguments) -> DataType:
    t = _of_map(args)
    fields = (StructField("key", t.key, False), StructField("value", t.value, t.value_contains_null))
    return ArrayType(StructType(fields), False)


def _map_from_arrays(args: Arguments) -> DataType:
    k, v = args[0].data_type, args[1].data_type
    if isinstance(k, ArrayType) and isinstance(v, ArrayType):
        return MapType(k.element, v.element, v.contains_null)
    return UNKNOWN


def _map_from_entries(args: Arguments) -> DataType:
    t = args[0].data_type
    if isinstance(t, ArrayType) and isinstance(t.element, StructType) and len(t.element.fields) == 2:
        key, value = t.element.fields
        return MapType(key.data_type, value.data_type, value.nullable)
    return UNKNOWN


def _flat(args: Arguments) -> DataType:
    t = args[0].data_type
    return t.element if isinstance(t, ArrayType) and isinstance(t.element, ArrayType) else t


def _compact(args: Arguments) -> DataType:
    t = args[0].data_type
    return ArrayType(t.element, False) if isinstance(t, ArrayType) else t


def zip_names(args: Arguments) -> tuple[str, ...]:
    """The field names of arrays_zip: those of its columns, else their positions."""
    named = (NamedExpression, GetStructField)
    return tuple(
        a.field.name if isinstance(a, GetArrayStructFields) else str(a.name if isinstance(a, named) else i)
        for i, a in enumerate(args)
    )


def _zipped(args: Arguments) -> DataType:
    types = [a.data_type.element if isinstance(a.data_type, ArrayType) else a.data_type for a in args]
    fields = tuple(StructField(n, t, True) for n, t in zip(zip_names(args), types, strict=True))
    return ArrayType(StructType(fields), False)


def _common(args: Arguments) -> DataType:
    t: DataType | None = NULL
    for a in args:
        t = wider_type(t, a.data_type) if t is not None else None
    return t or UNKNOWN


def _between(least: DataType, most: DataType) -> DataType:
    """The type of a number between two: the floating one's, else the decimal's, else the wider one's."""
    for kind in (DOUBLE, FLOAT):
        if kind in (least, most) and NULL not in (least, most):
            return kind
    decimals = [t for t in (most, least) if isinstance(t, DecimalType)]
    return decimals[0] if decimals and NULL not in (least, most) else wider_type(least, most) or UNKNOWN


def _remainder(args: Arguments) -> DataType:
    a, b = args[0].data_type, args[1].data_type
    if isinstance(a, DecimalType) and isinstance(b, DecimalType):
        return decimal_result("%", a, b)
    return tightest_common_type(a, b) or UNKNOWN


def _middle(args: Arguments) -> DataType:
    t: DataType = args[0].data_type
    return t if is_ansi_interval(t) else DOUBLE


def _per_share(args: Arguments) -> DataType:
    """One value, or an array of them where an array of percentages is asked for."""
    t = args[0].data_type
    return ArrayType(t, False) if isinstance(args[1].data_type, ArrayType) else t


def _percentile(args: Arguments) -> DataType:
    t = _middle(args)
    return ArrayType(t, False) if isinstance(args[1].data_type, ArrayType) else t


def _top(args: Arguments) -> DataType:
    fields = (StructField("item", args[0].data_type, True), StructField("count", LONG, False))
    return ArrayType(StructType(fields), False)


def _bins(args: Arguments) -> DataType:
    fields = (StructField("x", args[0].data_type, True), StructField("y", DOUBLE, True))
    return ArrayType(StructType(fields), True)


def _number(args: Arguments) -> DataType:
    """The decimal that a number format holds: its digits before and behind the point."""
    text = str(args[1].value) if isinstance(args[1], Literal) and args[1].value is not None else ""
    text = text.upper().replace("D", ".", 1)
    whole, _, rest = text.partition(".")
    before, after = sum(c in "09" for c in whole), sum(c in "09" for c in rest)
    return DecimalType(before + after, after) if before + after else DecimalType(38, 18)


def _best(args: Arguments) -> DataType:
    """max_by: one value, or the k best."""
    t: DataType = args[0].data_type
    return ArrayType(t, True) if len(args) > 2 else t


def _quantile(t: DataType) -> Result:
    """One value, or an array of them where an array of positions is asked for."""
    return lambda args: ArrayType(t, False) if isinstance(args[1].data_type, ArrayType) else t


def _start_of(args: Arguments) -> DataType:
    t: DataType = args[1].data_type
    return t if t == TYPES["TN"] else TIMESTAMP


def _shapes_in(kind: str, args: Arguments) -> DataType:
    """Shapes of the reference system that the last argument names; of any where that is no constant."""
    srid = args[-1]
    known = isinstance(srid, Literal) and srid.value in SRIDS[kind]
    return geospatial(kind, srid.value if isinstance(srid, Literal) and known else None)


def _moved(args: Arguments) -> DataType:
    shapes = args[0].data_type
    return _shapes_in(shapes.kind if isinstance(shapes, GeospatialType) else "geometry", args)


_COMPUTED: dict[str, Result] = {
    "GEOG": lambda _: geospatial("geography", 4326),
    "GEOM": lambda args: _shapes_in("geometry", args),
    "srid": _moved,
    "0": lambda args: args[0].data_type,
    "1": lambda args: args[1].data_type,
    "elem": _element,
    "0[]": lambda args: ArrayType(args[0].data_type, args[0].nullable),
    "0[]!": lambda args: ArrayType(args[0].data_type, False),
    "0[]n": lambda args: ArrayType(args[0].data_type, True),
    "round": _rounded,
    "ceil": _ceiled,
    "keys": lambda args: ArrayType(_of_map(args).key),
    "values": lambda args: ArrayType(_of_map(args).value, _of_map(args).value_contains_null),
    "entries": _entries,
    "mfa": _map_from_arrays,
    "mfe": _map_from_entries,
    "flat": _flat,
    "compact": _compact,
    "zip": _zipped,
    "common": _common,
    "between": lambda args: _between(args[0].data_type, args[1].data_type),
    "%": _remainder,
    "middle": _middle,
    "share": _per_share,
    "percentile": _percentile,
    "top": _top,
    "bins": _bins,
    "number": _number,
    "best": _best,
    "bucket": _start_of,
}


def result_of(code: str) -> Result:
    """How the result type of a code comes from the resolved arguments."""
    if code.startswith("quantile:"):
        return _quantile(TYPES[code.removeprefix("quantile:")])
    fixed = _FIXED.get(code)
    return _COMPUTED[code] if fixed is None else lambda _: fixed
