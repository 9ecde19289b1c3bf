"""Comparisons, logic, choices."""

from __future__ import annotations

import math

from planviz.evaluation.core import Row, compare, deferred, evaluate, expression, function, strict
from planviz.evaluation.errors import AlwaysFailsError, UnknownValueError
from planviz.expressions.conditional import CaseWhen, Coalesce, Extremum, If
from planviz.expressions.core import Expression
from planviz.expressions.predicates import (
    And,
    AtLeastNNonNulls,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InSet,
    IsNaN,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    Or,
)
from planviz.expressions.variables import VariableReference
from planviz.types.values import Value

strict(EqualTo)(lambda e, a, b: compare(a, b) == 0)
strict(LessThan)(lambda e, a, b: compare(a, b) < 0)
strict(LessThanOrEqual)(lambda e, a, b: compare(a, b) <= 0)
strict(GreaterThan)(lambda e, a, b: compare(a, b) > 0)
strict(GreaterThanOrEqual)(lambda e, a, b: compare(a, b) >= 0)
strict(Not)(lambda e, a: not a)
expression(EqualNullSafe)(lambda e, row: compare(evaluate(e.left, row), evaluate(e.right, row)) == 0)
expression(IsNull)(lambda e, row: evaluate(e.child, row) is None)
expression(IsNotNull)(lambda e, row: evaluate(e.child, row) is not None)
function("equal_null", nulls=True)(lambda a, b: compare(a, b) == 0)


@function("raise_error", nulls=True)
def _raise_error(error_class: Value, details: Value) -> Value:
    """The user's own error; what another class would need is not looked at."""
    if error_class != "USER_RAISED_EXCEPTION":
        raise UnknownValueError(str(error_class))
    raise AlwaysFailsError(str(details[0][1] if details else ""), "USER_RAISED_EXCEPTION")


function("isnan", nulls=True)(lambda a: a is not None and math.isnan(a))


@deferred("nanvl")
def _nanvl(arguments: tuple[Expression, ...], row: Row) -> object:
    value = evaluate(arguments[0], row)
    return evaluate(arguments[1], row) if value is not None and math.isnan(value) else value


@expression(IsNaN)
def _is_nan(e: IsNaN, row: Row) -> bool:
    value = evaluate(e.child, row)
    return value is not None and math.isnan(value)


@expression(AtLeastNNonNulls)
def _at_least(e: AtLeastNNonNulls, row: Row) -> bool:
    values = [evaluate(item, row) for item in e.items]
    return sum(v is not None and not (isinstance(v, float) and math.isnan(v)) for v in values) >= e.least


@expression(And)
def _and(e: And, row: Row) -> bool | None:
    a = evaluate(e.left, row)
    if a is False:
        return False
    b = evaluate(e.right, row)
    return False if b is False else None if a is None or b is None else True


@expression(Or)
def _or(e: Or, row: Row) -> bool | None:
    a = evaluate(e.left, row)
    if a is True:
        return True
    b = evaluate(e.right, row)
    return True if b is True else None if a is None or b is None else False


@expression(If)
def _if(e: If, row: Row) -> object:
    return evaluate(e.then if evaluate(e.predicate, row) is True else e.otherwise, row)


@expression(CaseWhen)
def _case(e: CaseWhen, row: Row) -> object:
    for c, v in zip(e.conditions, e.values, strict=True):
        if evaluate(c, row) is True:
            return evaluate(v, row)
    return None if e.otherwise is None else evaluate(e.otherwise, row)


@expression(Coalesce)
def _coalesce(e: Coalesce, row: Row) -> object:
    for a in e.arguments:
        value = evaluate(a, row)
        if value is not None:
            return value
    return None


@expression(In, InSet)
def _in(e: In, row: Row) -> bool | None:
    value = evaluate(e.children[0], row)
    if value is None:
        return None
    unknown = False
    # One after the other: what stands behind an item that is equal is never computed, and so cannot fail.
    for i in e.values if isinstance(e, InSet) else e.items:
        item = evaluate(i, row)
        if item is None:
            unknown = True
        elif compare(value, item) == 0:
            return True
    return None if unknown else False


@expression(Extremum)
def _extremum(e: Expression, row: Row) -> object:
    found = None
    for c in e.children:
        value = evaluate(c, row)
        if value is not None and (found is None or (compare(value, found) > 0) == (e.pretty_name == "greatest")):
            found = value
    return found


@expression(VariableReference)
def _variable(e: VariableReference, row: Row) -> object:
    return e.value
