"""Arithmetic by name, random numbers."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.arithmetic import (
    Abs,
    Add,
    Divide,
    IntegralDivide,
    Multiply,
    Pmod,
    Remainder,
    Shift,
    Subtract,
    UnaryMinus,
    UnaryPositive,
)
from planviz.expressions.calls import FunctionCall, Replaced, try_eval
from planviz.expressions.core import Expression, Literal
from planviz.expressions.specs import FunctionSpec
from planviz.frontend.errors import analysis_error
from planviz.functions.builders.base import Args, Builder, Entry, signed, spec_of
from planviz.functions.signatures import SIGNATURES
from planviz.types import DOUBLE, INT, LONG, UNKNOWN, is_numeric

_E = spec_of("e", "", DOUBLE, False, "E")
_LOG = spec_of("log", "D D", DOUBLE, True, "LOG")


def _log(a: Args) -> Expression:
    base = a if len(a) == 2 else (FunctionCall("e", (), _E), a[0])
    return FunctionCall("log", base, _LOG)


def _tried(name: str, make: Callable[..., Expression]) -> Builder:
    def built(a: Args) -> Expression:
        # Only arithmetic of numbers knows by itself how to fail to null.
        numbers = all(is_numeric(x.data_type) or x.data_type == UNKNOWN for x in a)
        return Replaced(name, a, make(a[0], a[1], "TRY") if numbers else try_eval(make(a[0], a[1], "ANSI")))

    return built


def _rounded(name: str) -> Builder:
    """To a whole number: bigint, or a decimal of a decimal; to a given scale a decimal (Spark: RoundCeil)."""
    scaled = FunctionSpec(
        name, spec_of("", "DEC I", LONG).inputs, SIGNATURES["round"].spec.result, folded=(2,), null_intolerant=False
    )

    def make(a: Args) -> Expression:
        if len(a) == 1:
            return signed(name, a)
        scale = a[1]
        if scale.data_type != INT or not scale.foldable or (isinstance(scale, Literal) and scale.value is None):
            raise analysis_error(
                "NON_FOLDABLE_ARGUMENT", f'The function `{name}` requires a constant INT, not "{scale.pretty}".', scale
            )
        return FunctionCall(name, a, scaled)

    return make


BUILDERS: dict[str, Entry] = {
    "abs": (1, 1, lambda a: Abs(a[0])),
    "div": (2, 2, lambda a: IntegralDivide(a[0], a[1])),
    "mod": (2, 2, lambda a: Remainder(a[0], a[1], "ANSI", "mod")),
    "pmod": (2, 2, lambda a: Pmod(a[0], a[1])),
    "negative": (1, 1, lambda a: UnaryMinus(a[0], function=True)),
    "positive": (1, 1, lambda a: UnaryPositive(a[0])),
    "shiftleft": (2, 2, lambda a: Shift(a[0], a[1], "shiftleft")),
    "shiftright": (2, 2, lambda a: Shift(a[0], a[1], "shiftright")),
    "shiftrightunsigned": (2, 2, lambda a: Shift(a[0], a[1], "shiftrightunsigned")),
    "e": (0, 0, lambda a: FunctionCall("e", (), _E)),
    "log": (1, 2, _log),
    "ceil": (1, 2, _rounded("ceil")),
    "ceiling": (1, 2, _rounded("ceiling")),
    "floor": (1, 2, _rounded("floor")),
    "try_add": (2, 2, _tried("try_add", Add)),
    "try_subtract": (2, 2, _tried("try_subtract", Subtract)),
    "try_multiply": (2, 2, _tried("try_multiply", Multiply)),
    "try_divide": (2, 2, _tried("try_divide", Divide)),
    "try_mod": (2, 2, _tried("try_mod", Remainder)),
}
