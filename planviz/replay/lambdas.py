"""Functions of functions: their variables have the types of what an array or a map holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from planviz.expressions.core import Expression
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.functions.builders.lambdas import HIGHER_ORDER
from planviz.functions.registry import build
from planviz.replay.term import Term
from planviz.types import (
    INT,
    UNKNOWN,
    ArrayType,
    DataType,
    MapType,
)
from planviz.types.reading import parse_type

if TYPE_CHECKING:
    from planviz.replay.expressions import Elaborator


def _lambda_function(e: Elaborator, t: Term) -> Expression:
    body, *names, hidden = t.children
    variables = [e.expression(n) for n in names]
    return LambdaFunction(e.expression(body), tuple(variables), hidden.text == "true")


def _higher_order(e: Elaborator, t: Term) -> Expression | None:
    """A function that takes functions: their variables are of the types of what they go through."""
    name = t.value[0]
    values = [c for c in t.children if not _is_function(c)]
    functions = [c for c in t.children if _is_function(c)]
    if name == "array_sort":
        values, functions = values[:1], functions[:1]  # a flag stands behind them
    if not functions:
        return None
    given = [e.expression(c) for c in values]
    held = [_held(g) for g in given]
    if name in ("aggregate", "reduce") and len(values) == 2:
        return _aggregated(e, t, given, held[0], functions)
    bound = {
        "array_sort": held[0] * 2,
        "zip_with": [kinds[0] for kinds in held],
        "map_zip_with": [*held[0], *held[-1][1:]],
        "transform": [held[0][0], (INT, False)],
        "filter": [held[0][0], (INT, False)],
    }
    (function,) = functions
    _bind(e, function, bound.get(name, held[0]))
    return _built(name, (*given, e.expression(function)), t)


def _aggregated(
    e: Elaborator, t: Term, given: list[Expression], held: list[tuple[DataType, bool]], functions: list[Term]
) -> Expression | None:
    """aggregate(array, start, merge, finish): a constant to start with is of the type that `merge` gives."""
    start = t.children[1]
    kinds = [given[1].data_type]
    if start.kind == "constant":
        kinds += [k for k in (_cast_to(functions[0].children[0]), held[0][0]) if k is not None]
    known, opaque = dict(e.made), len(e.found.opaque)
    for kind in kinds:
        e.made = dict(known)
        del e.found.opaque[opaque:]
        first = e.expression(start, kind)
        _bind(e, functions[0], [(kind, True), held[0]])
        made = e.expression(functions[0])
        if first.data_type == kind == made.data_type:
            break
    else:
        return None
    for finish in functions[1:]:
        _bind(e, finish, [(kind, True)])
    return _built(t.value[0], (given[0], first, made, *(e.expression(f) for f in functions[1:])), t)


def _cast_to(t: Term) -> DataType | None:
    return parse_type(t.value[1]) if t.kind == "cast" else None


def _bind(e: Elaborator, function: Term, kinds: list[tuple[DataType, bool]]) -> None:
    """Note the types of a function's variables."""
    for variable, (kind, null) in zip(function.children[1:-1], kinds, strict=False):
        label, number, _ = variable.value
        e.lambdas[int(number)] = NamedLambdaVariable(label, kind, null, int(number))


def _built(name: str, arguments: tuple[Expression, ...], t: Term) -> Expression | None:
    made = build((name,), arguments, None)
    return made if made is not None and made.text == t.text else None


def _is_function(t: Term) -> bool:
    return t.kind == "call" and t.value[0] == "lambdafunction" and all(c.kind == "lambda" for c in t.children[1:-1])


def _held(e: Expression) -> list[tuple[DataType, bool]]:
    """The types of what an array or a map holds, and whether it can be null."""
    kind = e.data_type
    if isinstance(kind, ArrayType):
        return [(kind.element, kind.contains_null)]
    if isinstance(kind, MapType):
        return [(kind.key, False), (kind.value, kind.value_contains_null)]
    return [(UNKNOWN, True)]


#: How the call of a function is made, by its name.
FORMS: dict[str, Callable[[Elaborator, Term], Expression | None]] = {
    "lambdafunction": _lambda_function,
    **dict.fromkeys(HIGHER_ORDER, _higher_order),
}
