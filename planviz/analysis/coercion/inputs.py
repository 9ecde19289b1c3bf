"""Casts of what functions, window frames and shared expressions take."""

from __future__ import annotations

import re

from planviz.analysis.coercion import legacy
from planviz.analysis.coercion.common_type import same_type
from planviz.analysis.coercion.lattice import Rule, TypeCoercion, cast_to
from planviz.expressions.calls import DatetimePlus, FunctionCall, StringForm, TemporalOperation
from planviz.expressions.casts import Cast
from planviz.expressions.common_expressions import CommonExpressionDef, CommonExpressionRef, With
from planviz.expressions.complex import GetMapValue
from planviz.expressions.core import Expression, Literal, UnaryExpression
from planviz.expressions.objects import ScalaUDF
from planviz.expressions.patterns import StringPredicate
from planviz.expressions.specs import Accepts, SignatureCall
from planviz.expressions.windows import FrameBoundary, LagLead, SpecifiedWindowFrame, WindowSpec
from planviz.frontend.errors import analysis_error
from planviz.functions.signatures import accepts as parameter
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    INT,
    NULL,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    MapType,
    is_integral,
    is_interval,
    is_numeric,
    is_string,
)


def function(e: SignatureCall, c: TypeCoercion) -> Expression:
    """A function by its signature; then what relates its arguments to each other."""
    if e.name == "sequence":
        return _sequence(e, c)
    inputs = e.spec.inputs
    if e.name in ("date_add", "date_sub"):
        return _days_added(e, c)
    if not inputs:
        return e
    new: list[Expression] = []
    for i, a in enumerate(e.arguments):
        wanted = inputs[min(i, len(inputs) - 1)]
        if a.data_type == NULL and wanted.null is not None:
            new.append(Literal(None, wanted.null))
            continue
        t = c.implicit(a.data_type, wanted)
        new.append(a if t is None else cast_to(a, t))
    made = e if all(a is b for a, b in zip(new, e.arguments, strict=True)) else e.replace(arguments=tuple(new))
    if e.name == "elt" and c.bytes_are_chosen_as_text:
        first, *others = made.arguments
        return made.replace(arguments=(first, *(cast_to(a, STRING) for a in others)))
    return _array_elements(made, c) if isinstance(made, FunctionCall) else made


#: A text that is a whole number of days.
_DAYS = re.compile(r"\s*[+-]?\d{1,10}\s*")


def _days_added(e: SignatureCall, c: TypeCoercion) -> Expression:
    """A timestamp or a string as the date, a string as the number of days (Spark: `StringLiteralCoercion`).

    Without ANSI mode the number must be constant.
    """
    start, days = e.arguments
    kind = start.data_type
    if kind in (TIMESTAMP, TIMESTAMP_NTZ) or is_string(kind):
        start = Cast(start, DATE)
    if is_string(days.data_type) and (days.foldable or c.mode == "ANSI"):
        if c.mode != "ANSI" and isinstance(days, Literal) and not _DAYS.fullmatch(str(days.value)):
            raise analysis_error(
                "SECOND_FUNCTION_ARGUMENT_NOT_INTEGER",
                f"The second argument of the function {e.name} needs to be a whole number.",
                e,
            )
        days = Cast(days, INT)
    start, days = (Literal(None, t) if x.data_type == NULL else x for x, t in ((start, DATE), (days, INT)))
    same = start is e.arguments[0] and days is e.arguments[1]
    return e if same else e.replace(arguments=(start, days))


_ELEMENT_FUNCTIONS = frozenset(("array_contains", "array_position", "array_remove", "array_append", "array_prepend"))


_ARRAY_PAIRS = frozenset(("array_union", "array_except", "array_intersect", "arrays_overlap"))


def _array_elements(e: FunctionCall, c: TypeCoercion) -> Expression:
    """Functions over an array and one of its elements, or two arrays, want one element type.

    In both modes that type comes without promotion of strings, as `TypeCoercion` finds it.
    """
    if e.name in _ELEMENT_FUNCTIONS and isinstance(e.arguments[0].data_type, ArrayType):
        array, value = e.arguments
        element = e.arguments[0].data_type.element
        if element == value.data_type or (e.name == "array_contains" and value.data_type == NULL):
            return e
        # The one that only compares takes wider types than both.
        alike = legacy.without_strings if e.name == "array_contains" else legacy.tightest
        t = alike(element, value.data_type)
        if t is None:
            return e
        first = array if element == t else Cast(array, ArrayType(t, e.arguments[0].data_type.contains_null))
        return e.replace(arguments=(first, cast_to(value, t)))
    if e.name == "array_insert" and isinstance(e.arguments[0].data_type, ArrayType):
        array, position, value = e.arguments
        held = e.arguments[0].data_type
        t = legacy.tightest(held.element, value.data_type)
        if position.data_type in (BYTE, SHORT):
            position = Cast(position, INT)
        if t is None or held.element == value.data_type:
            return e if position is e.arguments[1] else e.replace(arguments=(array, position, value))
        whole = cast_to(array, ArrayType(t, held.contains_null))
        return e.replace(arguments=(whole, position, cast_to(value, t)))
    if e.name in _ARRAY_PAIRS:
        left, right = (a.data_type for a in e.arguments)
        t = None if NULL in (left, right) else legacy.tightest(left, right)
        return e if t is None else e.replace(arguments=tuple(cast_to(a, t) for a in e.arguments))
    if e.name == "map_concat" and all(isinstance(a.data_type, MapType) for a in e.arguments):
        t = c.common([a.data_type for a in e.arguments]) if e.arguments else None
        return e if t is None else e.replace(arguments=tuple(_as_map(a, t) for a in e.arguments))
    if e.name in ("element_at", "try_element_at") and isinstance(e.arguments[0].data_type, MapType):
        return _map_element(e)
    if e.name == "map_contains_key" and isinstance(e.arguments[0].data_type, MapType):
        return _map_key(e, e.arguments[0].data_type)
    if e.name in ("element_at", "try_element_at") and e.arguments[1].data_type in (BYTE, SHORT):
        return e.replace(arguments=(e.arguments[0], cast_to(e.arguments[1], INT)))
    return e


def _as_map(e: Expression, t: DataType) -> Expression:
    """A map with the keys and values of another one's types: whether its values may be null is no reason to cast."""
    known = e.data_type
    same = isinstance(known, MapType) and isinstance(t, MapType) and (known.key, known.value) == (t.key, t.value)
    return e if same else Cast(e, t)


def _map_element(e: FunctionCall) -> Expression:
    """A map and what its keys are looked for by: both of the type that holds both."""
    whole, key = e.arguments
    held = whole.data_type
    t = legacy.tightest(held.key, key.data_type) if isinstance(held, MapType) else None
    if t is None or not isinstance(held, MapType) or is_string(held.key):
        return e.replace(arguments=(whole, Cast(key, STRING))) if key.data_type == NULL and t is not None else e
    return e.replace(arguments=(cast_to(whole, MapType(t, held.value, held.value_contains_null)), cast_to(key, t)))


def _map_key(e: FunctionCall, held: MapType) -> Expression:
    """A map and a key that it may have, both of a type that is as wide as either."""
    whole, key = e.arguments
    t = None if NULL in (key.data_type, held.key) else legacy.without_strings(held.key, key.data_type)
    if t is None or t == held.key == key.data_type:
        return e
    return e.replace(arguments=(cast_to(whole, MapType(t, held.value, held.value_contains_null)), cast_to(key, t)))


def _sequence(e: SignatureCall, c: TypeCoercion) -> Expression:
    """The bounds (and a whole-numbered step) of one type; when one must change, all are cast."""
    stepped = len(e.arguments) > 2 and is_integral(e.arguments[2].data_type)
    alike = e.arguments if stepped else e.arguments[:2]
    t = same_type(c, alike)
    return e if t is None else e.replace(arguments=(*(Cast(a, t) for a in alike), *e.arguments[len(alike) :]))


def user_defined(e: ScalaUDF, c: TypeCoercion) -> Expression:
    """The arguments of a function of the JVM as the types of its parameters."""
    if len(e.inputs) != len(e.arguments):
        return e
    wanted = [c.implicit(a.data_type, Accepts.exactly(t)) for a, t in zip(e.arguments, e.inputs, strict=True)]
    new = tuple(a if t is None else cast_to(a, t) for a, t in zip(e.arguments, wanted, strict=True))
    return e if all(a is b for a, b in zip(new, e.arguments, strict=True)) else e.replace(arguments=new)


def string_form(e: StringForm, c: TypeCoercion) -> Expression:
    """Functions over a string and a number."""
    new = []
    for i, a in enumerate(e.arguments):
        text = i == 0 or "trim" in e.name or (e.name in ("locate", "position", "overlay") and i == 1)
        t = c.implicit(a.data_type, parameter("S|X" if text else "I"))
        new.append(a if t is None else cast_to(a, t))
    return e if all(a is b for a, b in zip(new, e.arguments, strict=True)) else e.replace(arguments=tuple(new))


def texts(e: Expression, c: TypeCoercion) -> Expression:
    """Patterns: every child a string; what begins, ends or stands in another value may be binary where both are."""
    binary = isinstance(e, StringPredicate) and all(a.data_type == BINARY for a in e.children)

    def one(a: Expression) -> Expression:
        t = c.implicit(a.data_type, parameter("X" if binary else "S"))
        return a if t is None else cast_to(a, t)

    return e.map_children(one)


def child_to(code: str) -> Rule:
    """The rule that casts the only child to what `code` accepts (see `signatures`); intervals stay."""

    def rule(e: UnaryExpression, c: TypeCoercion) -> Expression:
        t = c.implicit(e.child.data_type, parameter(code))
        if is_interval(e.child.data_type):
            return e
        return e if t is None else e.replace(child=cast_to(e.child, t))

    return rule


def lag_lead(e: LagLead, c: TypeCoercion) -> Expression:
    """The default of LAG and LEAD takes the type of the input."""
    if e.default.data_type != e.input.data_type and not isinstance(e.default, Cast) and e.default.data_type != NULL:
        return e.replace(default=cast_to(e.default, e.input.data_type))
    return e


def window_spec(e: WindowSpec, c: TypeCoercion) -> WindowSpec:
    """A RANGE frame's bounds take the type of the sort key."""
    frame = e.frame
    if not isinstance(frame, SpecifiedWindowFrame) or frame.kind != "RangeFrame" or len(e.order) != 1:
        return e
    t = e.order[0].data_type
    lower, upper = _bound(frame.lower, t), _bound(frame.upper, t)
    return e.replace(frame=frame.replace(lower=lower, upper=upper))


def _bound(b: Expression, t: DataType) -> Expression:
    if isinstance(b, FrameBoundary) or not (is_numeric(t) or is_string(t) or t == BOOLEAN):
        return b
    return cast_to(b, t)


def shared(e: With, c: TypeCoercion) -> Expression:
    """References take the type that coercion gave their definitions."""
    types = {d.id: d.child for d in e.definitions if isinstance(d, CommonExpressionDef)}

    def refer(x: Expression) -> Expression:
        if isinstance(x, CommonExpressionRef) and x.id in types and types[x.id].resolved:
            d = types[x.id]
            if (x.type, x.is_nullable) != (d.data_type, d.nullable):
                return CommonExpressionRef(x.id, d.data_type, d.nullable)
        return x

    return e.replace(body=e.body.transform_up(refer, CommonExpressionRef.BIT))


def map_value(e: GetMapValue, c: TypeCoercion) -> Expression:
    """The key that a map is asked for takes the type of its keys."""
    t = e.child.data_type
    return e.replace(key=cast_to(e.key, t.key)) if isinstance(t, MapType) and e.key.data_type != NULL else e


def temporal(e: TemporalOperation, c: TypeCoercion) -> Expression:
    """Arithmetic with dates, times and intervals by what it takes; what is subtracted from is cast later."""
    if not e.inputs or (isinstance(e, DatetimePlus) and e.sign == "-"):
        return e
    found = [c.implicit(x.data_type, wanted) for x, wanted in zip((e.left, e.right), e.inputs, strict=True)]
    left, right = (x if t is None else cast_to(x, t) for x, t in zip((e.left, e.right), found, strict=True))
    return e if left is e.left and right is e.right else e.replace(left=left, right=right)
