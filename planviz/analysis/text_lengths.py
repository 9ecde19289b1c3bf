"""char(n) and varchar(n) inside of values: padded when they are read, measured when they are written."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.conditional import If
from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.ids import next_id
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.expressions.objects import StaticInvoke
from planviz.expressions.predicates import IsNull
from planviz.functions.registry import build
from planviz.types import STRING, ArrayType, CharType, DataType, MapType, StructType, without_lengths

#: What is done with a text that is declared so.
Measure = Callable[[Expression, CharType], Expression]


def padded(text: Expression, t: CharType) -> Expression:
    """A text as it is read: with blanks up to the length of its char(n)."""
    return (
        text if t.varying else StaticInvoke("CharVarcharCodegenUtils", "readSidePadding", STRING, (text, lit(t.length)))
    )


def checked(text: Expression, t: CharType) -> Expression:
    """A text as it is written: padded or not, and never longer than it is declared."""
    method = f"{'varchar' if t.varying else 'char'}TypeWriteSideCheck"
    return StaticInvoke("CharVarcharCodegenUtils", method, STRING, (text, lit(t.length)))


def measured(e: Expression, declared: DataType, measure: Measure) -> Expression:
    """A value with every text that is declared by a length measured; itself where none is."""
    match declared:
        case CharType():
            return measure(e, declared)
        case StructType(fields):
            values = [measured(GetStructField(e, i), f.data_type, measure) for i, f in enumerate(fields)]
            if all(isinstance(v, GetStructField) for v in values):
                return e
            made = CreateNamedStruct(tuple(x for f, v in zip(fields, values, strict=True) for x in (lit(f.name), v)))
            return If(IsNull(e), Literal(None, made.data_type), made) if e.nullable else made
        case ArrayType(element, contains_null):
            return _each(e, element, contains_null, measure)
        case MapType(key, value, contains_null):
            keys, values_ = _call("map_keys", e), _call("map_values", e)
            new_keys, new_values = _each(keys, key, False, measure), _each(values_, value, contains_null, measure)
            unchanged = new_keys is keys and new_values is values_
            return e if unchanged else _call("map_from_arrays", new_keys, new_values)
    return e


def _each(e: Expression, element: DataType, nullable: bool, measure: Measure) -> Expression:
    variable = NamedLambdaVariable("x", without_lengths(element), nullable, next_id())
    body = measured(variable, element, measure)
    return e if body is variable else _call("transform", e, LambdaFunction(body, (variable,)))


def _call(name: str, *arguments: Expression) -> Expression:
    made = build((name,), arguments, None)
    assert made is not None
    return made
