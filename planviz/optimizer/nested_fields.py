"""Which fields of nested columns a scan must read (Spark: SchemaPruning)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import GetArrayItem, GetArrayStructFields, GetMapValue, GetStructField
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.expressions.predicates import IsNotNull, IsNull
from planviz.trees.node import mask_of
from planviz.types import ArrayType, DataType, MapType, StructType

_PARTS = mask_of(GetStructField, GetArrayStructFields)
Path = tuple[int, tuple[int, ...]]
"""A column and the ordinals of the fields that lead to a part of it."""
Fields: TypeAlias = "dict[int, Fields]"
"""The ordinals of the fields that are read of a struct, each with those of its own; an empty one stands for all."""


def read_types(
    columns: Sequence[AttributeReference], expressions: Sequence[Expression], transforms: bool = True
) -> tuple[DataType, ...]:
    """The columns' types with only the fields that the expressions use; () where all columns are read whole.

    `transforms`: whether transform() counts as what it reads of an array's structs, and not as the whole array.
    """
    if not any(e.bits & _PARTS for e in expressions):
        return ()
    paths: dict[int, list[tuple[int, ...]]] = {}
    tested: dict[int, list[tuple[int, ...]]] = {}
    for e in expressions:
        _collect(e, paths, tested, {} if transforms else None)
    # Whether a struct, array or map is null can be told from any part of it that is read anyway.
    alone = {
        i: [t for t in found if not any(p[: len(t)] == t for p in paths.get(i, ()))] for i, found in tested.items()
    }
    for i, found in alone.items():
        paths.setdefault(i, []).extend(found)
    return tuple(_pruned(a.type, _merged(paths.get(a.expr_id, [()]))) for a in columns)


def _collect(
    e: Expression,
    paths: dict[int, list[tuple[int, ...]]],
    tested: dict[int, list[tuple[int, ...]]],
    elements: dict[int, Path] | None,
) -> None:
    """Note what an expression reads; `elements` are the variables that stand for an element; None: they never do."""
    if isinstance(e, IsNotNull | IsNull):
        whole = _path(e.child, elements or {})
        if whole is not None:
            tested.setdefault(whole[0], []).append(whole[1])
            return
    found = _path(e, elements or {})
    if found is not None:
        paths.setdefault(found[0], []).append(found[1])
        return
    if (
        elements is not None
        and isinstance(e, FunctionCall)
        and e.name == "transform"
        and isinstance(e.arguments[1], LambdaFunction)
    ):
        array, made = e.arguments[0], e.arguments[1]
        element = _path(array, elements)
        variable = made.arguments[0]
        if element is not None and isinstance(variable, NamedLambdaVariable):
            _collect(made.body, paths, tested, {**elements, variable.expr_id: element})
            return
    for c in e.children:
        _collect(c, paths, tested, elements)


def _path(e: Expression, elements: dict[int, Path]) -> Path | None:
    match e:
        case AttributeReference():
            return e.expr_id, ()
        case NamedLambdaVariable():
            return elements.get(e.expr_id)
        case GetStructField(child, ordinal) | GetArrayStructFields(child, ordinal):
            found = _path(child, elements)
            return None if found is None else (found[0], (*found[1], ordinal))
        case GetArrayItem(child, position) | GetMapValue(child, position) if position.foldable:
            return _path(child, elements)
    return None


def _merged(paths: Sequence[tuple[int, ...]]) -> Fields:
    """The fields of all paths; a path that ends at a struct takes it whole."""
    if any(not p for p in paths):
        return {}
    below: dict[int, list[tuple[int, ...]]] = {}
    for first, *rest in paths:
        below.setdefault(first, []).append(tuple(rest))
    return {i: _merged(below[i]) for i in sorted(below)}


def _pruned(t: DataType, fields: Fields) -> DataType:
    if not fields:
        return t
    match t:
        case StructType():
            kept = [(f, fields[i]) for i, f in enumerate(t.fields) if i in fields]
            return StructType(tuple(replace(f, data_type=_pruned(f.data_type, below)) for f, below in kept))
        case ArrayType():
            return ArrayType(_pruned(t.element, fields), t.contains_null)
        case MapType():
            return MapType(t.key, _pruned(t.value, fields), t.value_contains_null)
    return t
