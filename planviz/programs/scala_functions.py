"""Scala's functions as columns: `udf((x: Long) => x + 1)`. Their types are declared or those of what they give."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from planviz.catalog.tables import JvmFunction
from planviz.dataframe.column import Column, LongNumber, column_or_name
from planviz.expressions.objects import ScalaUDF
from planviz.programs.rdds import example
from planviz.programs.scala_rows import scala_type, type_of
from planviz.programs.signals import Raised
from planviz.programs.values import Function, Module, Native, Value
from planviz.types import INT, LONG, NULL, STRING, DataType

if TYPE_CHECKING:
    from planviz.programs.calls import Calls


def scala_function(reader: Calls, function: Function, name: str = "UDF") -> Module:
    """What udf(function) gives: called with columns it is one (Spark: ScalaUDF)."""
    return called_with_columns(jvm_function(reader, function, name))


def jvm_function(reader: Calls, function: Function, name: str, returns: DataType | None = None) -> JvmFunction:
    """A function of the text as Spark takes it; `returns` is the type that a program in Java says."""
    if returns is not None:
        return JvmFunction(name, returns)
    declared = [_declared(a.annotation) for a in function.node.args.args]
    known = [t for t in declared if t is not None]
    inputs = tuple(t for t, _ in known) if len(known) == len(declared) else ()
    primitive = tuple(not nullable for _, nullable in known) if inputs else ()
    told = getattr(function.node, "returns", None)
    written = scala_type(told.value) if isinstance(told, ast.Constant) and isinstance(told.value, str) else None
    return JvmFunction(name, *(written or _result(reader, function, inputs)), inputs, primitive)


class UserFunction(Module):
    """What `udf` and `register` give: called with columns it is a column."""

    def __init__(self, function: JvmFunction) -> None:
        super().__init__(function.name, {})
        self.function = function


def called_with_columns(function: JvmFunction) -> UserFunction:
    """A function as the value that a program calls."""

    def column(*given: Value) -> Column:
        arguments = tuple(map(column_or_name, given))
        one = function
        return Column(ScalaUDF(arguments, one.returns, one.name, one.nullable, one.inputs, one.primitive))

    made = UserFunction(function)
    made.names |= {n: Native(f"udf.{n}", column) for n in ("__call__", "apply")}
    made.names["withName"] = Native("withName", lambda o: called_with_columns(replace(function, name=str(o))), True)
    for same in ("asNondeterministic", "asNonNullable"):
        made.names[same] = Native(same, lambda: made, True)
    return made


def registered(reader: Calls, arguments: list[Value]) -> UserFunction | None:
    """spark.udf.register of Scala and Java: the function, known to SQL from now on; None for another call."""
    if len(arguments) < 2 or not isinstance(arguments[0], str):
        return None
    name, function = arguments[0], arguments[1]
    returns = arguments[2] if len(arguments) > 2 and isinstance(arguments[2], DataType) else None
    if isinstance(function, UserFunction):
        made = replace(function.function, name=name)
    elif isinstance(function, Function):
        made = jvm_function(reader, function, name, returns)
    else:
        made = JvmFunction(name, returns or STRING)
    reader.session.catalog = reader.session.catalog.with_function(made)
    return called_with_columns(made)


def _declared(annotation: Value) -> tuple[DataType, bool] | None:
    written = getattr(annotation, "value", None)
    return scala_type(written) if isinstance(written, str) else None


def _result(reader: Calls, function: Function, inputs: tuple[DataType, ...]) -> tuple[DataType, bool]:
    """The type of what the function gives for values of its types; a text where nobody knows."""
    given = [LongNumber(1) if t == LONG else example(t) for t in inputs]
    try:
        found, nullable = type_of(reader.call(function, given, {}, None)) if given else (NULL, True)
    except Raised:
        found, nullable = NULL, True
    if found == INT and LONG in inputs:
        # What is computed with a long number is one.
        return LONG, False
    return (STRING, True) if found == NULL else (found, nullable)
