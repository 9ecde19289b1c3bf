"""RDDs of programs: what their functions make of the rows that the text tells, or of one row that stands for all."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import TYPE_CHECKING

from planviz.dataframe.frame import DataFrame
from planviz.dataframe.rdd import RDD
from planviz.dataframe.session import SparkSession
from planviz.programs.signals import Raised
from planviz.programs.spark import named_row
from planviz.programs.values import Native, Unknown, Value
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
)

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

#: How many rows are looked at: Spark infers the types of columns from the first ones, too.
MOST_ROWS = 100
#: What gives the rows anew, from the rows and what the method was given.
Step = Callable[["Interpreter", list[Value], tuple[Value, ...]], list[Value]]
#: What makes an RDD run, and with it the query of the DataFrame that it comes from.
RUNS = frozenset(
    ["collect", "count", "take", "first", "foreach", "foreachPartition", "reduce", "isEmpty", "saveAsTextFile",
     "countByKey", "countByValue", "collectAsMap", "takeOrdered", "top", "max", "min", "sum", "mean", "fold",
     "aggregate", "toLocalIterator", "saveAsPickleFile", "stats", "lookup"]
)  # fmt: skip
_PLAIN: dict[DataType, Value] = {
    BOOLEAN: True, BYTE: 1, SHORT: 1, INT: 1, LONG: 1, FLOAT: 1.0, DOUBLE: 1.0, STRING: "1", BINARY: b"1",
    DATE: datetime.date(2020, 1, 1), TIMESTAMP: datetime.datetime(2020, 1, 1),
    TIMESTAMP_NTZ: datetime.datetime(2020, 1, 1),
}  # fmt: skip


def of_frame(frame: DataFrame, rows: list[Value] | None = None) -> RDD:
    """The rows of a DataFrame (DataFrame.rdd); unless they are known one that has values of its columns' types stands
    for all."""
    row = named_row([a.name for a in frame.output], [example(a.type) for a in frame.output])
    known = rows and len(rows) <= MOST_ROWS
    made = RDD(frame.session, rows, examples=[row]) if known else RDD(frame.session, [row], whole=False)
    made.frame = frame
    return made


def of_texts(session: SparkSession) -> RDD:
    """Lines that nobody knows: one stands for all."""
    return RDD(session, [Unknown("line")], whole=False)


def example(kind: DataType) -> Value:
    """A value of a type; a text that is a number, too. Unknown for types that Python has no values of."""
    match kind:
        case ArrayType():
            return [example(kind.element)]
        case MapType():
            return {example(kind.key): example(kind.value)}
        case StructType():
            return named_row([f.name for f in kind.fields], [example(f.data_type) for f in kind.fields])
        case DecimalType():
            return decimal.Decimal(1)
    return _PLAIN.get(kind, Unknown(kind.simple_string))


def method(reader: Interpreter, rdd: RDD, name: str) -> Native | None:
    """A method of an RDD whose rows are known as far as they tell types; None where it tells nothing."""
    rows = rdd.rows
    if rows is None:
        return None
    if name in _STEPS:

        def step(*given: Value, **named: Value) -> RDD:
            made = _made(reader, rdd, name, (*given, *named.values()))
            made.frame = rdd.frame
            return made

        return Native(f"RDD.{name}", step, True)
    if name in _ACTIONS and rdd.whole and len(rows) <= MOST_ROWS and not any(isinstance(r, Unknown) for r in rows):
        return Native(f"RDD.{name}", lambda *given: _ACTIONS[name](reader, rows, given), True)
    return None


def _made(reader: Interpreter, rdd: RDD, name: str, given: tuple[Value, ...]) -> RDD:
    rows = list(rdd.rows or ())
    whole = rdd.whole and len(rows) <= MOST_ROWS and all(not isinstance(g, RDD) or g.whole for g in given)
    made = _after(reader, rows[:MOST_ROWS], name, given)
    # An example is kept, whatever its values say.
    examples = rdd.examples if name == "filter" else _after(reader, rdd.examples or [], name, given)
    if not made and examples:
        return RDD(rdd.session, examples, whole=False)
    if made is None:
        return RDD(rdd.session)
    if not made and name == "filter":
        # No row is left: these tell the types.
        return RDD(rdd.session, rows, whole=False)
    return RDD(rdd.session, made, whole, examples) if made or whole else RDD(rdd.session)


def _after(reader: Interpreter, rows: list[Value], name: str, given: tuple[Value, ...]) -> list[Value] | None:
    try:
        return _STEPS[name](reader, rows, given)
    except (Raised, TypeError, ValueError, LookupError, AttributeError):
        # The functions of an RDD run where its rows are; what they raise there is not told here.
        return None


def _call(reader: Interpreter, function: Value, *arguments: Value) -> Value:
    return reader.call(function, list(arguments), {}, None)


def _kept(reader: Interpreter, rows: list[Value], given: tuple[Value, ...]) -> list[Value]:
    return [r for r in rows if reader.truth(_call(reader, given[0], r)) is not False]


def _flat(reader: Interpreter, rows: list[Value], given: tuple[Value, ...]) -> list[Value]:
    return [x for r in rows for x in reader.rounds(_call(reader, given[0], r))]


def _pairs(reader: Interpreter, rows: list[Value]) -> dict[Value, list[Value]]:
    """The values by key, in order; what is no pair, or has a key that nobody knows, has a key of its own."""
    found: dict[Value, list[Value]] = {}
    for r in rows:
        key, value = reader.iterate(r)
        found.setdefault(tuple(key) if isinstance(key, list) else key, []).append(value)
    return found


def _reduced(reader: Interpreter, rows: list[Value], function: Value) -> list[Value]:
    made = []
    for key, values in _pairs(reader, rows).items():
        total = values[0]
        for v in values[1:]:
            total = _call(reader, function, total, v)
        made.append((key, total))
    return made


def _joined(outer: bool) -> Step:
    def join(reader: Interpreter, rows: list[Value], given: tuple[Value, ...]) -> list[Value]:
        left, right = _pairs(reader, rows), _pairs(reader, list(given[0].rows or ()))
        made: list[Value] = []
        for key, values in left.items():
            found = right.get(key, [None] if outer else [])
            made += [(key, (a, b)) for a in values for b in found]
        return made

    return join


def _by(reader: Interpreter, rows: list[Value], given: tuple[Value, ...]) -> list[Value]:
    keys = [_call(reader, given[0], r) for r in rows]
    if any(isinstance(k, Unknown) for k in keys):
        return rows
    order = sorted(range(len(rows)), key=lambda i: keys[i], reverse=len(given) > 1 and given[1] is False)
    return [rows[i] for i in order]


def _distinct(reader: Interpreter, rows: list[Value], given: tuple[Value, ...]) -> list[Value]:
    made: list[Value] = []
    for r in rows:
        if not any(r == m and type(r) is type(m) for m in made):
            made.append(r)
    return made


def _in_parts(with_index: bool) -> Step:
    def step(reader: Interpreter, rows: list[Value], given: tuple[Value, ...]) -> list[Value]:
        return list(reader.rounds(_call(reader, given[0], *([0] if with_index else []), rows)))

    return step


def _grouped(reader: Interpreter, rows: list[Value], given: tuple[Value, ...]) -> list[Value]:
    return list(_pairs(reader, [(_call(reader, given[0], r), r) for r in rows]).items())


_STEPS: dict[str, Step] = {
    "map": lambda reader, rows, given: [_call(reader, given[0], r) for r in rows],
    "flatMap": _flat,
    "filter": _kept,
    "mapPartitions": _in_parts(False),
    "mapPartitionsWithIndex": _in_parts(True),
    "mapValues": lambda reader, rows, given: [
        (k, _call(reader, given[0], v)) for k, v in (reader.iterate(r) for r in rows)
    ],
    "flatMapValues": lambda reader, rows, given: [
        (k, x) for k, v in (reader.iterate(r) for r in rows) for x in reader.rounds(_call(reader, given[0], v))
    ],
    "keys": lambda reader, rows, given: [next(reader.iterate(r)) for r in rows],
    "values": lambda reader, rows, given: [list(reader.iterate(r))[1] for r in rows],
    "keyBy": lambda reader, rows, given: [(_call(reader, given[0], r), r) for r in rows],
    "reduceByKey": lambda reader, rows, given: _reduced(reader, rows, given[0]),
    "groupByKey": lambda reader, rows, given: list(_pairs(reader, rows).items()),
    "groupBy": _grouped,
    "join": _joined(False),
    "leftOuterJoin": _joined(True),
    "union": lambda reader, rows, given: [*rows, *(given[0].rows or ())],
    "sortBy": _by,
    "sortByKey": lambda reader, rows, given: _by(reader, rows, (Native("key", lambda r: r[0]), *given)),
    "zipWithIndex": lambda reader, rows, given: [(r, i) for i, r in enumerate(rows)],
    "distinct": _distinct,
}
_ACTIONS: dict[str, Callable[[Interpreter, list[Value], tuple[Value, ...]], Value]] = {
    "collect": lambda reader, rows, given: list(rows),
    "count": lambda reader, rows, given: len(rows),
    "first": lambda reader, rows, given: rows[0],
    "take": lambda reader, rows, given: rows[: given[0]],
    "isEmpty": lambda reader, rows, given: not rows,
    "collectAsMap": lambda reader, rows, given: dict(tuple(reader.iterate(r)) for r in rows),
}
