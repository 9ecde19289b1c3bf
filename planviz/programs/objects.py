"""Scala's typed operations: Datasets of case classes, and what functions of their objects give.

What a function gives is found by calling it with an object that stands for all; where that tells no type, only the uses
of the result tell its columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planviz.dataframe.column import LongNumber
from planviz.dataframe.encoders import Encoder, Encoders, class_encoder, plain_encoder
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.typed import KeyValueGroupedDataset
from planviz.errors import InputError, PlanvizError
from planviz.expressions.core import AttributeReference
from planviz.expressions.ids import next_id
from planviz.logical.relations import LogicalRDD
from planviz.programs.core import from_planviz
from planviz.programs.rdds import example
from planviz.programs.scala_rows import Record, scala_type
from planviz.programs.signals import Raised
from planviz.programs.spark import RowClass, named_row
from planviz.programs.values import Function, Module, Native, Value
from planviz.types import LONG, StructType

if TYPE_CHECKING:
    from planviz.programs.calls import Calls
    from planviz.programs.interpreter import Interpreter

_OF_GROUPS = "mapGroups flatMapGroups agg reduceGroups cogroup mapGroupsWithState flatMapGroupsWithState keys"
#: How a plan names a function, of which Spark prints an address.
_LABEL = "<function>"
_SIMPLE = {
    "Int": Encoders.int, "Long": Encoders.long, "Double": Encoders.double, "Float": Encoders.float,
    "Boolean": Encoders.boolean, "Short": Encoders.short, "Byte": Encoders.byte, "String": Encoders.STRING,
    "Timestamp": Encoders.TIMESTAMP, "Date": Encoders.DATE,
    "STRING": Encoders.STRING, "INT": Encoders.INT, "LONG": Encoders.LONG, "DOUBLE": Encoders.DOUBLE,
    "FLOAT": Encoders.FLOAT, "BOOLEAN": Encoders.BOOLEAN, "SHORT": Encoders.SHORT, "BYTE": Encoders.BYTE,
    "TIMESTAMP": Encoders.TIMESTAMP, "DATE": Encoders.DATE, "DECIMAL": Encoders.DECIMAL, "BINARY": Encoders.BINARY,
}  # fmt: skip


def made_of_objects(reader: Interpreter, name: str, *columns: str) -> Native:
    """A method whose result has these columns, as far as they are known."""

    def rows(*given: object, **named: object) -> object:
        return reader.session.guessed_rows(f"{name} of line {getattr(reader.at, 'lineno', 1)}", columns)

    return Native(name, rows, True)


def as_class(reader: Interpreter, value: Value, written: str) -> Value:
    """`ds.as[T]`: the same rows as objects of a class. Raises Raised where the columns do not fit the class."""
    if not isinstance(value, DataFrame):
        return value
    known = reader.module.names.get(written)
    if isinstance(known, RowClass) and known.kind:
        kinds = [scala_type(k) for k in known.types]
        pairs = zip(known.values, kinds, strict=True)
        reader.session.learn_fields(value.plan, [(str(n), None if k is None else k[0]) for n, k in pairs])
    found = encoder_of(reader, written)
    if found is None:
        return value
    try:
        if found.names and not value.execution.reads_guesses:
            return value.as_(found)
        return value.derived(value.plan, found)
    except PlanvizError as e:
        raise from_planviz(e) from None


def named_as(reader: Interpreter, value: Value, given: Value) -> Value:
    """Java's `as` of a variable: an alias where it holds a name, else the same rows as objects of a class."""
    if not isinstance(given, str):
        return value
    return reader.call(reader.attribute(value, "alias"), [given], {}, None)


def encoder_of(reader: Interpreter, written: str) -> Encoder | None:
    """The encoder of a type as Scala writes it; None where it is not known."""
    written = written.replace(" ", "")
    simple = _SIMPLE.get(written.rpartition(".")[2])
    if simple is not None:
        return simple
    if written.startswith("(") and written.endswith(")") and "(" not in written[1:] and "[" not in written:
        return _tuple([encoder_of(reader, part) for part in written[1:-1].split(",")])
    known = reader.module.names.get(written)
    return _of_class(reader, known) if isinstance(known, RowClass) and known.kind else None


def _of_class(reader: Interpreter, known: RowClass) -> Encoder | None:
    fields = []
    for name, kind in zip(known.values, known.types, strict=True):
        found = _SIMPLE.get(kind.replace(" ", "").rpartition(".")[2])
        told = scala_type(kind)
        if found is None and told is not None:
            found = plain_encoder(told[0])
        if found is None:
            return None
        fields.append((str(name), found))
    return class_encoder(known.kind, fields) if fields else None


def _tuple(parts: Sequence[Encoder | None]) -> Encoder | None:
    known = [p for p in parts if p is not None]
    if not known or len(known) < len(parts) or any(p.fields for p in known):
        return None
    return Encoders.tuple(*known)


def _object(reader: Interpreter, own: Encoder) -> Value:
    """An object that stands for all of a class."""
    values = [LongNumber(1) if f.data_type == LONG else example(f.data_type) for f in own.schema.fields]
    if not own.fields:
        return values[0]
    known = reader.module.names.get(own.class_name.rpartition(" ")[2])
    return reader.call(known, values, {}, None) if own.names and isinstance(known, RowClass) else tuple(values)


def _of_value(reader: Interpreter, value: Value) -> Encoder | None:
    """The encoder of what a function gave."""
    match value:
        case Record() if value.kind:
            return encoder_of(reader, value.kind)
        case bool():
            return Encoders.boolean
        case LongNumber():
            return Encoders.long
        case int():
            return Encoders.int
        case float():
            return Encoders.double
        case str():
            return Encoders.STRING
        case tuple() if not getattr(value, "_fields", ()):
            return _tuple([_of_value(reader, v) for v in value])
    return None


def _own(frame: DataFrame) -> Encoder | None:
    try:
        return frame._own()
    except InputError:
        return None


def _result(reader: Interpreter, function: Value, given: list[Value], several: bool) -> Encoder | None:
    """The encoder of what a function gives, of the elements of what it gives for `several`; None where nobody knows."""
    if not isinstance(function, Function | Native):
        return None
    try:
        made = reader.call(function, given, {}, None)
    except Raised:
        return None
    if several:
        made = made[0] if isinstance(made, list) and made else None
    return _of_value(reader, made)


def typed_method(reader: Interpreter, frame: DataFrame, name: str) -> Value:
    """A typed operation of a Dataset; NotImplemented for another name."""
    if name in ("map", "flatMap", "mapPartitions"):
        return Native(name, lambda *given, **named: _mapped(reader, frame, name, given), True)
    if name == "groupByKey":
        return Native(name, lambda *given, **named: _grouped(reader, frame, given), True)
    if name == "reduce":
        return Native(name, lambda *given, **named: reader.session.act("reduce", frame), True)
    return made_of_objects(reader, name, "_1", "_2") if name == "joinWith" else NotImplemented


def typed_filter(reader: Calls, frame: DataFrame, name: str) -> DataFrame:
    """The rows whose objects a function accepts."""
    own = _own(frame) if frame.encoder is not None else None
    if own is None or StructType(own.schema.fields) == StructType(()):
        return reader.session.opaque(frame, name)
    return frame.typed_filter(_LABEL)


def _mapped(reader: Interpreter, frame: DataFrame, name: str, given: Sequence[Value]) -> DataFrame:
    own = _own(frame)
    told = next((encoder_of(reader, g.written) for g in given if isinstance(g, WrittenEncoder)), None)
    if own is not None and given:
        one = _object(reader, own)
        objects: list[Value] = [[one] if name == "mapPartitions" else one]
        found = told or _result(reader, given[0], objects, name != "map")
        if found is not None:
            method = frame.map if name == "map" else frame.mapPartitions
            made: DataFrame = method(_LABEL, found)
            return made
    # The objects are rows, or of a class that nobody knows: at least the columns of the result may be known.
    row = named_row([a.name for a in frame.output], [example(a.type) for a in frame.output])
    rows: list[Value] = [[row] if name == "mapPartitions" else row]
    result = told or (_result(reader, given[0], rows, name != "map") if given else None)
    if result is None:
        return reader.session.opaque(frame, name)
    with reader.session.numbering():
        fields = result.schema.fields
        columns = tuple(AttributeReference(f.name, f.data_type, f.nullable, next_id()) for f in fields)
        return DataFrame(reader.session, LogicalRDD(columns, next_id()), "", result)


class WrittenEncoder:
    """An encoder that a program in Java gives, as it is written: STRING."""

    def __init__(self, written: str) -> None:
        self.written = written


def _grouped(reader: Interpreter, frame: DataFrame, given: Sequence[Value]) -> Module:
    """What groupByKey gives."""
    own, key = _own(frame), None
    made = Module("groupByKey", {name: made_of_objects(reader, name) for name in _OF_GROUPS.split()})
    made.names["count"] = made_of_objects(reader, "count", "key", "count(1)")
    made.names["mapValues"] = Native("mapValues", lambda *given: made, True)
    told = next((encoder_of(reader, g.written) for g in given if isinstance(g, WrittenEncoder)), None)
    if own is not None and given:
        key = told or _result(reader, given[0], [_object(reader, own)], False)
    if own is None or key is None:
        return made
    groups: KeyValueGroupedDataset = frame.groupByKey(_LABEL, key)
    made.names["count"] = Native("count", lambda *a: groups.count(), True)
    made.names["keys"] = Native("keys", lambda *a: groups.keys(), True)
    known_key, known_own = key, own

    def of_groups(name: str) -> Native:
        def step(*functions: Value) -> Value:
            objects: list[Value] = [_object(reader, known_key), [_object(reader, known_own)]]
            said = next((encoder_of(reader, g.written) for g in functions if isinstance(g, WrittenEncoder)), None)
            several = name != "mapGroups"
            found = said or (_result(reader, functions[0], objects, several) if functions else None)
            if found is None:
                return reader.session.guessed_rows(f"{name} of line {getattr(reader.at, 'lineno', 1)}")
            return groups.mapGroups(_LABEL, found)

        return Native(name, step, True)

    made.names |= {name: of_groups(name) for name in ("mapGroups", "flatMapGroups")}
    return made
