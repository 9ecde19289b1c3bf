"""Higher-order functions: the value of a lambda is a Python function of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import TYPE_CHECKING

from planviz.evaluation.core import Row, evaluate, expression, function, step
from planviz.evaluation.errors import FailsError
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.types.values import Value

if TYPE_CHECKING:
    from planviz.expressions.core import Expression

Lambda = Callable[..., Value]
Pairs = tuple[tuple[Value, Value], ...]


@expression(LambdaFunction)
def _lambda(e: LambdaFunction, row: Row) -> Lambda:
    """Values that the lambda has no argument for, such as an element's index, are left out."""
    ids = [a.expr_id for a in e.arguments if isinstance(a, NamedLambdaVariable)]

    def apply(*values: object) -> Value:
        step()
        return evaluate(e.body, {**row, **dict(zip(ids, values, strict=False))})

    return apply


@function("transform")
def _transform(items: tuple[Value, ...], f: Lambda) -> tuple[Expression, ...]:
    return tuple(f(x, i) for i, x in enumerate(items))


@function("filter")
def _filter(items: tuple[Value, ...], f: Lambda) -> tuple[Expression, ...]:
    return tuple(x for i, x in enumerate(items) if f(x, i) is True)


def _decided(items: tuple[object, ...], f: Lambda, decisive: bool) -> bool | None:
    """`decisive` where the lambda gives it for an item, else null where it gives null, else the opposite."""
    unknown = False
    for x in items:
        value: bool | None = f(x)
        if value is decisive:
            return decisive
        unknown = unknown or value is None
    return None if unknown else not decisive


function("exists")(lambda items, f: _decided(items, f, True))
function("forall")(lambda items, f: _decided(items, f, False))


@function("aggregate", "reduce", nulls=True)
def _aggregate(items: tuple[object, ...] | None, start: object, merge: Lambda, finish: Lambda) -> object:
    if items is None:
        return None
    value = start
    for x in items:
        value = merge(value, x)
    return finish(value)


@function("zip_with")
def _zip_with(left: tuple[object, ...], right: tuple[object, ...], f: Lambda) -> tuple[Expression, ...]:
    length = max(len(left), len(right))
    a, b = (tuple(x) + (None,) * (length - len(x)) for x in (left, right))
    return tuple(f(x, y) for x, y in zip(a, b, strict=True))


@function("array_sort")
def _array_sort(items: tuple[Value, ...], f: Lambda) -> tuple[Expression, ...]:
    def order(a: object, b: object) -> int:
        result = f(a, b)
        if result is None:
            raise FailsError("the comparison gave null")
        return int(result)

    return tuple(sorted(items, key=cmp_to_key(order)))


@function("map_filter")
def _map_filter(pairs: Pairs, f: Lambda) -> Pairs:
    return tuple((k, v) for k, v in pairs if f(k, v) is True)


@function("transform_keys")
def _transform_keys(pairs: Pairs, f: Lambda) -> Pairs:
    made = tuple((f(k, v), v) for k, v in pairs)
    keys = [k for k, _ in made]
    if None in keys or len(set(keys)) < len(keys):
        raise FailsError("a key of the map is null or stands there twice")
    return made


@function("transform_values")
def _transform_values(pairs: Pairs, f: Lambda) -> Pairs:
    return tuple((k, f(k, v)) for k, v in pairs)


@function("map_zip_with")
def _map_zip_with(left: Pairs, right: Pairs, f: Lambda) -> Pairs:
    a, b = dict(left), dict(right)
    return tuple((k, f(k, a.get(k), b.get(k))) for k in {**a, **b})
