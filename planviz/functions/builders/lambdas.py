"""Higher-order functions."""

from __future__ import annotations

from planviz.expressions.arithmetic import unexpected_input
from planviz.expressions.calls import FunctionCall
from planviz.expressions.conditional import If
from planviz.expressions.core import Expression, TypeMismatch, lit
from planviz.expressions.lambdas import LambdaFunction, UnresolvedLambdaVariable
from planviz.expressions.predicates import And, GreaterThan, IsNull, LessThan
from planviz.expressions.specs import Accepts, FunctionSpec
from planviz.functions.builders.base import Args, Builder, Entry
from planviz.types import BOOLEAN, INT, NULL, UNKNOWN, ArrayType, DataType, MapType


def _higher_type(name: str, a: Args) -> DataType:
    t = a[0].data_type
    body = a[-1].data_type if isinstance(a[-1], LambdaFunction) else UNKNOWN
    null = a[-1].nullable
    if name in ("filter", "array_sort", "map_filter"):
        return t
    if name in ("transform", "zip_with"):
        return ArrayType(body, null)
    if name in ("exists", "forall"):
        return BOOLEAN
    if name in ("aggregate", "reduce"):
        return body
    if isinstance(t, MapType):
        if name == "transform_keys":
            return MapType(body, t.value, t.value_contains_null)
        if name in ("transform_values", "map_zip_with"):
            return MapType(t.key, body, null)
    return UNKNOWN


def _variable(name: str) -> UnresolvedLambdaVariable:
    return UnresolvedLambdaVariable((name,))


def _identity() -> Expression:
    return LambdaFunction(_variable("id"), (_variable("id"),))


def _ascending() -> Expression:
    """The order of array_sort where none is given: nulls last (Spark: ArraySort.comparator)."""
    left, right = _variable("left"), _variable("right")
    compared = If(LessThan(left, right), lit(-1), If(GreaterThan(left, right), lit(1), lit(0)))
    one_null = If(IsNull(left), lit(1), If(IsNull(right), lit(-1), compared))
    return LambdaFunction(If(And(IsNull(left), IsNull(right)), lit(0), one_null), (left, right))


#: How many variables the functions among the arguments take, from the last argument backwards.
_VARIABLES = {
    "transform": (1,), "filter": (1,), "exists": (1,), "forall": (1,), "aggregate": (2, 1), "reduce": (2, 1),
    "zip_with": (2,), "map_filter": (2,), "map_zip_with": (3,), "transform_keys": (2,), "transform_values": (2,),
    "array_sort": (2,),
}  # fmt: skip


def _function_of(e: Expression, name: str, position: int) -> Expression:
    """An expression where a function is wanted: a function that ignores its variables."""
    counts = _VARIABLES[name]
    first = _COUNTS[name][1] - len(counts)
    if isinstance(e, LambdaFunction) or position < first:
        return e
    variables = tuple(_variable(f"col{i}") for i in range(counts[position - first]))
    return LambdaFunction(e, variables, True)


_ARRAY = Accepts('"ARRAY"', lambda t: isinstance(t, ArrayType) or t == NULL)
_MAP = Accepts('"MAP"', lambda t: isinstance(t, MapType) or t == NULL)
_ANY = Accepts('"ANY"', lambda t: True)
_TEST = Accepts('"BOOLEAN"', lambda t: t in (BOOLEAN, NULL, UNKNOWN))
_INPUTS = {
    "exists": (_ARRAY, _TEST), "forall": (_ARRAY, _TEST), "filter": (_ARRAY, _TEST), "map_filter": (_MAP, _TEST),
    "map_zip_with": (_MAP, _MAP, _ANY), "zip_with": (_ARRAY, _ARRAY, _ANY), "transform_keys": (_MAP, _ANY),
    "transform_values": (_MAP, _ANY),
}  # fmt: skip


def _merged(name: str, a: Args) -> TypeMismatch | None:
    """The function of aggregate gives the type that it starts with."""
    start, merge = a[1].data_type, a[2].data_type
    if start.simple_string == merge.simple_string or UNKNOWN in (start, merge):
        return None
    return unexpected_input(3, a[2], f'"{start.sql}"')


def _compared(name: str, a: Args) -> TypeMismatch | None:
    """The function of array_sort tells the order of two elements by a number."""
    t = a[1].data_type
    if t in (INT, UNKNOWN):
        return None
    told = f'The `lambda function` requires return "INT" type, but the actual is "{t.sql}" type'
    return TypeMismatch("UNEXPECTED_RETURN_TYPE", told)


_CHECKS = {"aggregate": _merged, "reduce": _merged, "array_sort": _compared}


def _higher(name: str) -> Builder:
    check = _CHECKS.get(name)
    inputs = _INPUTS.get(name, (_ARRAY, _ANY))
    spec = FunctionSpec(name, inputs, lambda args: _higher_type(name, args), null_intolerant=False, check=check)

    def make(a: Args) -> Expression:
        if name in ("aggregate", "reduce") and len(a) == 3:
            a = (*a, _identity())
        if name == "array_sort" and len(a) == 1:
            a = (*a, _ascending())
        a = tuple(_function_of(x, name, i) for i, x in enumerate(a))
        return FunctionCall(name, a, spec, ("false",) if name == "array_sort" else ())

    return make


_COUNTS = {
    "transform": (2, 2), "filter": (2, 2), "exists": (2, 2), "forall": (2, 2), "aggregate": (3, 4), "reduce": (3, 4),
    "zip_with": (3, 3), "map_filter": (2, 2), "map_zip_with": (3, 3), "transform_keys": (2, 2),
    "transform_values": (2, 2), "array_sort": (1, 2),
}  # fmt: skip
HIGHER_ORDER = frozenset(_COUNTS)
BUILDERS: dict[str, Entry] = {name: (*counts, _higher(name)) for name, counts in _COUNTS.items()}
