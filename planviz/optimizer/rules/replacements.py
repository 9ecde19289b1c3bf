"""What functions stand for whose analysis is their own (Spark: RuntimeReplaceable with input types of their own)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from planviz.expressions.aggregates import AggregateCall, AggregateExpression, Average, Count, FirstLast, Max, Min
from planviz.expressions.arithmetic import UnaryMinus
from planviz.expressions.calls import DatetimePlus, RegexpForm
from planviz.expressions.common_expressions import with_shared
from planviz.expressions.conditional import If
from planviz.expressions.core import Literal, lit
from planviz.expressions.patterns import Like
from planviz.expressions.predicates import And, EqualTo, IsNotNull, IsNull, Or
from planviz.expressions.specs import FunctionSpec
from planviz.optimizer.attributes import function
from planviz.types import BOOLEAN, DOUBLE

#: Nodes that `replacement` looks at.
REPLACEABLE = (DatetimePlus, RegexpForm, AggregateCall, FirstLast)


_REGRESSION = FunctionSpec("regrreplacement", (), lambda args: args[0].data_type, True)


def _count_if(a: tuple[Any, ...]) -> Any:
    null = Literal(None, BOOLEAN)
    return Count((with_shared(lambda ref: If(EqualTo(ref, Literal(False, BOOLEAN)), null, ref), a[0]),))


def _of_pairs(index: int) -> Callable[[tuple[Any, ...]], Any]:
    """One of two columns where both have a value, null elsewhere."""
    return lambda a: If(And(IsNotNull(a[0]), IsNotNull(a[1])), a[index], Literal(None, a[index].data_type))


def _squares(index: int) -> Callable[[tuple[Any, ...]], Any]:
    def build(a: tuple[Any, ...]) -> Any:
        null = Literal(None, a[index].data_type)
        choice = If(Or(IsNull(a[0]), IsNull(a[1])), null, a[index])
        return AggregateCall("regrreplacement", (choice,), _REGRESSION)

    return build


_AGGREGATES: dict[str, Callable[[tuple[Any, ...]], Any]] = {
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


_PERCENTILE = FunctionSpec("percentile", (), lambda args: args[0].data_type, True)


def _percentile(call: AggregateCall, value: Any, share: Any, falling: str) -> AggregateCall:
    """The function behind median and percentile_cont; the column keeps its type."""
    spec = replace(_PERCENTILE, result=lambda _: call.data_type)
    return AggregateCall("percentile", (value, share, lit(1)), spec, ("0", "0", falling))


def replacement(e: Any) -> Any:
    """What stands for the expression from the optimizer on; itself for most."""
    match e:
        case RegexpForm("ilike", (text, pattern), escape):
            return Like(function("lower", text), function("lower", pattern), escape)
        case DatetimePlus(left, right, "-"):
            return DatetimePlus(left, UnaryMinus(right), "+", e.data_type)
        case AggregateExpression(AggregateCall(name, arguments)) if name in _AGGREGATES:
            return e.replace(function=_AGGREGATES[name](arguments))
        case AggregateExpression(AggregateCall("median", (value,)) as call):
            return e.replace(function=_percentile(call, value, Literal(0.5, DOUBLE), "false"))
        case AggregateExpression(AggregateCall("percentile_cont", (value, share), tail=tail) as call):
            return e.replace(function=_percentile(call, value, share, tail[0]))
        case AggregateExpression(FirstLast(child, "any_value", ignore)):
            return e.replace(function=FirstLast(child, "first", ignore))
    return e
