"""Checks of arguments beyond what each may be alone: types that must agree, constants within bounds.

A signature names one by the remark `check=`. It runs in place of the types where it tells more about them, so every
check takes whatever the arguments are and gives the mismatch, or None. Spark: the `checkInputDataTypes` of the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from planviz.expressions.arithmetic import UnaryMinus, unexpected_input
from planviz.expressions.casts import Cast
from planviz.expressions.complex import CreateArray
from planviz.expressions.core import Expression, Literal, TypeMismatch
from planviz.types import (
    INT,
    NULL,
    UNKNOWN,
    ArrayType,
    DataType,
    MapType,
    has_map,
    is_collated,
    is_orderable,
    is_string,
)
from planviz.types.values import Value

Arguments = tuple[Expression, ...]
Check = Callable[[str, Arguments], TypeMismatch | None]
_MOST_INT = 2147483647


def constant(e: Expression) -> Value:
    """The number or text that a constant is, behind its casts and sign; None where that is not known."""
    if isinstance(e, Cast):
        return constant(e.child)
    if isinstance(e, UnaryMinus):
        value = constant(e.child)
        return -value if isinstance(value, int | float | Decimal) else None
    if isinstance(e, CreateArray):
        return tuple(constant(i) for i in e.items)
    return e.value if isinstance(e, Literal) else None


def is_null(e: Expression) -> bool:
    """Whether the constant is null."""
    return is_null(e.child) if isinstance(e, Cast) else isinstance(e, Literal) and e.value is None


def _alike(a: DataType, b: DataType) -> bool:
    return a.simple_string == b.simple_string or UNKNOWN in (a, b)


def _sql(*arguments: Expression) -> str:
    return ", ".join(f'"{a.data_type.sql}"' for a in arguments)


def unordered(name: str, t: DataType) -> TypeMismatch | None:
    """The mismatch of a type whose values have no order."""
    if is_orderable(t) or t == UNKNOWN:
        return None
    return TypeMismatch("INVALID_ORDERING_TYPE", f'The `{name}` does not support ordering on type "{t.sql}"')


def out_of_range(what: str, bounds: str, value: object) -> TypeMismatch:
    """The mismatch of a constant beyond its bounds."""
    return TypeMismatch("VALUE_OUT_OF_RANGE", f"The {what} must be between {bounds} (current value = {value})")


def not_null(what: str) -> TypeMismatch:
    """The mismatch of a constant that is null."""
    return TypeMismatch("UNEXPECTED_NULL", f"The {what} must not be null")


def _element(name: str, a: Arguments) -> TypeMismatch | None:
    """An array and a value of its elements' type."""
    array, value = a[0].data_type, a[-1].data_type
    compares = name in ("array_contains", "array_position", "array_remove")
    if (name == "array_contains" and NULL in (array, value)) or (name == "array_position" and array == NULL):
        return TypeMismatch("NULL_TYPE", f"Null typed values cannot be used as arguments of `{name}`")
    if array == UNKNOWN:
        return None
    if not isinstance(array, ArrayType) and name not in ("array_insert", "array_remove"):
        return unexpected_input(1, a[0], '"ARRAY"')
    if isinstance(array, ArrayType) and _alike(array.element, value):
        return unordered(name, value) if compares else None
    return TypeMismatch(
        "ARRAY_FUNCTION_DIFF_TYPES",
        f'Input to `{name}` should have been "ARRAY" followed by a value with same element type, but it\'s '
        f"[{_sql(a[0], a[-1])}]",
    )


def _two_arrays(name: str, a: Arguments) -> TypeMismatch | None:
    """Two arrays of one type of elements."""
    left, right = a[0].data_type, a[1].data_type
    if UNKNOWN in (left, right):
        return None
    if isinstance(left, ArrayType) and isinstance(right, ArrayType) and _alike(left.element, right.element):
        return unordered(name, left.element)
    return TypeMismatch(
        "BINARY_ARRAY_DIFF_TYPES",
        f'Input to function `{name}` should have been two "ARRAY" with same element type, but it\'s [{_sql(*a)}]',
    )


def _ordered_elements(name: str, a: Arguments) -> TypeMismatch | None:
    t = a[0].data_type
    return unordered(name, t.element) if isinstance(t, ArrayType) else None


def _nested(name: str, a: Arguments) -> TypeMismatch | None:
    """An array of arrays."""
    t = a[0].data_type
    if t == UNKNOWN or (isinstance(t, ArrayType) and (isinstance(t.element, ArrayType) or t.element == UNKNOWN)):
        return None
    return unexpected_input(1, a[0], '"ARRAY" of "ARRAY"')


def _at(name: str, a: Arguments) -> TypeMismatch | None:
    """An array and an int, or a map and one of its keys."""
    whole, key = a[0].data_type, a[1].data_type
    if isinstance(whole, MapType) and not _alike(whole.key, key):
        return _not_a_key(name, a)
    if isinstance(whole, ArrayType) and key not in (INT, UNKNOWN):
        return unexpected_input(2, a[1], '"INT"')
    return None


def _not_a_key(name: str, a: Arguments) -> TypeMismatch:
    return TypeMismatch(
        "MAP_FUNCTION_DIFF_TYPES",
        f'Input to `{name}` should have been "MAP" followed by a value with same key type, but it\'s [{_sql(*a)}]',
    )


def _key(name: str, a: Arguments) -> TypeMismatch | None:
    """A map and one of its keys."""
    whole, key = a[0].data_type, a[1].data_type
    if key == NULL:
        return TypeMismatch("NULL_TYPE", f"Null typed values cannot be used as arguments of `{name}`")
    if isinstance(whole, MapType):
        return None if _alike(whole.key, key) else _not_a_key(name, a)
    return None if whole == UNKNOWN else _not_a_key(name, a)


def _maps(name: str, a: Arguments) -> TypeMismatch | None:
    """Maps of one type."""
    if any(not isinstance(x.data_type, MapType) for x in a):
        if any(x.data_type == UNKNOWN for x in a):
            return None
        return TypeMismatch("MAP_CONCAT_DIFF_TYPES", f"The `{name}` should all be of type map, but it's [{_sql(*a)}]")
    if all(_alike(x.data_type, a[0].data_type) for x in a):
        return None
    return TypeMismatch("DATA_DIFF_TYPES", f"Input to `{name}` should all be the same type, but it's [{_sql(*a)}]")


def _no_map(name: str, a: Arguments) -> TypeMismatch | None:
    """Values that can be compared and kept apart."""
    if not has_map(a[0].data_type) and not (name == "collect_set" and is_collated(a[0].data_type)):
        return None
    return TypeMismatch(
        "UNSUPPORTED_INPUT_TYPE", f'The input of `{name}` can\'t be "MAP" or "COLLATED STRING" type data'
    )


def _share(name: str, a: Arguments) -> TypeMismatch | None:
    """Constant percentages between 0 and 1, and for an approximate one an accuracy."""
    value = constant(a[1])
    if a[1].foldable and is_null(a[1]):
        return not_null("percentage")
    shares = value if isinstance(value, tuple) else (value,)
    wrong = [float(v) for v in shares if isinstance(v, int | float | Decimal) and not 0 <= v <= 1]
    if wrong:
        return out_of_range("percentage(s)", "[0.0, 1.0]", wrong[0])
    if "approx" in name and len(a) > 2:
        accuracy = constant(a[2])
        if is_null(a[2]):
            return not_null("accuracy")
        if isinstance(accuracy, int) and not 0 < accuracy <= _MOST_INT:
            return out_of_range("accuracy", f"(0, {_MOST_INT}]", f"{accuracy}L")
    return None


def _sketch(name: str, a: Arguments) -> TypeMismatch | None:
    """count_min_sketch: what is constant is not null, error and confidence lie within their bounds."""
    for e, what in zip(a[1:], ("eps", "confidence", "seed"), strict=False):
        if e.foldable and is_null(e):
            return not_null(what)
    eps, confidence = constant(a[1]), constant(a[2])
    if isinstance(eps, float) and eps <= 0:
        return out_of_range("eps", "(0.0, 1.7976931348623157E308]", eps)
    if isinstance(confidence, float) and not 0 < confidence < 1:
        return out_of_range("confidence", "(0.0, 1.0)", confidence)
    return None


def _delimiter(name: str, a: Arguments) -> TypeMismatch | None:
    """listagg: a delimiter of the type of what it stands between; that it is none is no mismatch."""
    if len(a) < 2 or a[1].data_type == NULL or UNKNOWN in (a[0].data_type, a[1].data_type):
        return None
    if is_string(a[0].data_type) == is_string(a[1].data_type):
        return None
    told = " or ".join(f'"{x.data_type.sql}"' for x in a[:2])
    return TypeMismatch("DATA_DIFF_TYPES", f"Input to `{name}` should all be the same type, but it's ({told})")


def _position(name: str, a: Arguments) -> TypeMismatch | None:
    """regexp_replace: where it begins, counted from 1."""
    value = constant(a[3]) if len(a) > 3 else None
    return out_of_range("`position`", f"(0, {_MOST_INT}]", value) if isinstance(value, int) and value <= 0 else None


def _length(name: str, a: Arguments) -> TypeMismatch | None:
    """randstr: how long it is, 0 at least."""
    value = constant(a[0])
    return out_of_range("`length`", f"[0, {_MOST_INT}]", value) if isinstance(value, int) and value < 0 else None


CHECKS: dict[str, Check] = {
    "position": _position,
    "length": _length,
    "delimiter": _delimiter,
    "element": _element,
    "arrays": _two_arrays,
    "ordered": _ordered_elements,
    "nested": _nested,
    "at": _at,
    "key": _key,
    "maps": _maps,
    "nomap": _no_map,
    "share": _share,
    "sketch": _sketch,
}
#: Checks that tell what the types alone would tell less well: they come first.
FIRST = frozenset(("arrays", "element", "nested", "key", "maps"))
