"""What the builders share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Expression, Literal
from planviz.expressions.specs import FunctionSpec
from planviz.frontend.errors import analysis_error
from planviz.functions.signatures import SIGNATURES, accepts
from planviz.types import DataType, is_string

Args = tuple[Expression, ...]
Builder = Callable[[Args], Expression]
Entry = tuple[int, int, Builder]


def signed(name: str, arguments: Args) -> FunctionCall:
    """The call of a function that has a signature, all its arguments given."""
    spec = SIGNATURES[name].spec
    return FunctionCall(spec.name, arguments, spec, spec.tail)


def spec_of(name: str, inputs: str, result: DataType, null: str | bool = "any", sql_name: str = "") -> FunctionSpec:
    """A signature of parameters by code and a fixed result."""
    return FunctionSpec(
        name, tuple(accepts(c) for c in inputs.split(" ") if c), lambda _: result, null, sql_name=sql_name
    )


def plain_call(name: str, result: DataType, null: str | bool = "any", tail: tuple[str, ...] = ()) -> Builder:
    """A builder of calls whose arguments are neither checked nor cast."""
    spec = FunctionSpec(name, (), lambda _: result, null)
    return lambda a: FunctionCall(name, a, spec, tail)


def string_of(e: Expression) -> str | None:
    """The text of a string literal, or None."""
    return e.value if isinstance(e, Literal) and is_string(e.type) else None


def wrong_count(name: str, wanted: str, count: int, place: Expression | None) -> NoReturn:
    """Raise the error of a wrong number of arguments."""
    raise analysis_error(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        f"The `{name}` requires {wanted} parameters but the actual number is {count}.",
        place,
    )
