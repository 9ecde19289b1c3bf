"""Scala's functions as columns: `udf((x: Long) => x + 1)`. Their types are declared or those of what they give."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

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
    declared = [_declared(a.annotation) for a in function.node.args.args]
    known = [t for t in declared if t is not None]
    inputs = tuple(t for t, _ in known) if len(known) == len(declared) else ()
    primitive = tuple(not nullable for _, nullable in known) if inputs else ()
    told = getattr(function.node, "returns", None)
    written = scala_type(told.value) if isinstance(told, ast.Constant) and isinstance(told.value, str) else None
    returns, nullable = written or _result(reader, function, inputs)

    def column(*given: Value) -> Column:
        return Column(ScalaUDF(tuple(map(column_or_name, given)), returns, name, nullable, inputs, primitive))

    made = Module(name, {n: Native(f"udf.{n}", column) for n in ("__call__", "apply")})
    made.names["withName"] = Native("withName", lambda other: scala_function(reader, function, str(other)), True)
    for same in ("asNondeterministic", "asNonNullable"):
        made.names[same] = Native(same, lambda: made, True)
    return made


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
