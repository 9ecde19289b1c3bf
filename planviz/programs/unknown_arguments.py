"""What stands for arguments of the DataFrame API that a program's text does not tell: names, numbers, nothing at all.

A job gets columns, numbers and settings from its arguments and its configuration. Every DataFrame behind such a call
still has a plan: a column that nobody knows is called `<args.key>` where tables are guessed, and is one of the columns
that there are where they are known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.grouped import GroupedData
from planviz.dataframe.shaping import MissingValues
from planviz.dataframe.signatures import kind_of, parameters_of
from planviz.dataframe.window import WindowSpec
from planviz.dataframe.writers import DataFrameWriter, DataStreamWriter
from planviz.expressions.objects import Placeholder
from planviz.programs.core import placeholder
from planviz.programs.values import Unknown, UnknownList, Value
from planviz.types import BOOLEAN, STRING

if TYPE_CHECKING:
    from planviz.programs.calls import Calls

#: Methods whose unknown arguments change nothing in a plan, or stand for themselves as a text.
_INDIFFERENT_NAMES = """
    show explain printSchema option options config appName master mode format save parquet csv json orc text
    saveAsTable insertInto set get setLogLevel path partitionBy sortBy trigger queryName start toTable foreach
    foreachBatch foreachPartition persist cache unpersist checkpoint localCheckpoint setCheckpointDir jdbc load table
    createOrReplaceTempView createTempView createGlobalTempView createOrReplaceGlobalTempView registerTempTable toPandas
    collect parallelize textFile stop outputMode dropTempView getOrCreate lit col column expr sql when otherwise isin
    between contains startswith endswith like rlike eqNullSafe withColumn fillna fill replace alias withColumnRenamed
    date_format to_date to_timestamp regexp_replace regexp_extract concat_ws split getItem getField coalesce_ drop
    toLocalIterator register writeTo append overwrite using tableProperty cast filter where"""
_INDIFFERENT = frozenset(_INDIFFERENT_NAMES.split())
#: Methods whose unknown arguments are values, not names.
_VALUES = ("lit", "isin", "between", "when", "otherwise", "eqNullSafe", "contains", "startswith", "endswith")
#: Methods that take a number, and what stands for one that the text does not tell: enough for a shuffle to be one, and
#: for rows to be many.
_NUMBERS: dict[str, int | float] = {
    **dict.fromkeys(("repartition", "repartitionByRange", "coalesce", "bucketBy"), 200),
    **dict.fromkeys(("sample", "randomSplit"), 0.5),
    **dict.fromkeys(("limit", "offset", "head", "take", "tail", "range"), 1000),
    "substr": 1,
}
#: Numbers of functions by the parameter, where 1 is none that they take.
_OF_FUNCTIONS: dict[str, float] = {
    "percentage": 0.5, "numBits": 256, "accuracy": 10000, "rsd": 0.05, "confidence": 0.9
}  # fmt: skip
_NUMBERED_NAMES = """accuracy confidence eps frequency idx k len length lgConfigK lgNomEntries max min n numBits
    numBuckets numBucket occurrence percentage position rsd seed start extraction offset scale d pos count days months
    limit"""
_NUMBERED = frozenset(_NUMBERED_NAMES.split())
#: Values that say of which form the result is: nothing can stand for them.
_FORMS = ("schema", "targetType")
#: Functions that read a text by a schema.
_PARSERS = ("from_json", "from_csv", "from_xml")
_LAMBDAS = ("f", "merge", "finish", "comparator")
_SEVERAL_NUMBERS = ("sample", "randomSplit", "range", "substr")
#: Methods that take columns, or lists of their names, wherever an argument stands.
_OF_COLUMNS_NAMES = """
    select groupBy groupby rollup cube orderBy sort sortWithinPartitions repartition repartitionByRange
    dropDuplicates drop_duplicates dropDuplicatesWithinWatermark sum avg mean min max describe selectExpr
    fillna dropna fill drop partitionBy unpivot melt withColumns colRegex replace []"""
_OF_COLUMNS = frozenset(_OF_COLUMNS_NAMES.split())
#: Arguments by their name that are no columns: what stands for them where nobody knows.
_BY_NAME: dict[str, object] = {
    "ascending": True, "thresh": None, "allowMissingColumns": False, "value": 0, "seed": 1, "broadcast": False,
}  # fmt: skip
#: Methods of writers that no plan of their DataFrame depends on: mode, trigger and their like have one body.
_OF_WRITERS = ("_same", "save", "start", "toTable")
#: Methods that take another DataFrame first.
_OF_FRAMES = ("join", "crossJoin", "union", "unionAll", "unionByName", "subtract", "intersect", "intersectAll",
              "exceptAll")  # fmt: skip
_JOINS = ("join", "how")


#: Methods that take a function of whole groups or batches, of which a plan shows the name alone.
_OF_GROUPS = ("applyInPandas", "applyInArrow", "mapInPandas", "mapInArrow", "apply")


@dataclass(frozen=True)
class Given:
    """The arguments of a call with something in place of what nobody knows."""

    arguments: list[Value]
    named: dict[str, Value]


@dataclass(frozen=True)
class Instead:
    """What a call gives whose arguments are not needed."""

    value: Value


def _shown(value: Value) -> Value:
    return str(value) if isinstance(value, Unknown) else value


def is_unknown(value: object) -> bool:
    """Whether a value, or one in a list or dict, is not known."""
    if isinstance(value, list | tuple):
        return any(isinstance(v, Unknown) for v in value)
    if isinstance(value, dict):
        return any(isinstance(v, Unknown) for pair in value.items() for v in pair)
    return isinstance(value, Unknown)


def filled_in(
    reader: Calls, name: str, receiver: object, arguments: list[Value], named: dict[str, Value]
) -> Given | Instead | None:
    """The call of a method or function without unknown values; None where nothing can stand for them."""
    if reader.session.incomplete and name not in _INDIFFERENT:
        # What a statement gives that was passed over in this reading is no column that nobody knows.
        return None
    return _Call(reader, name, receiver).filled(arguments, named)


class _Call:
    """One call. `frame` is the DataFrame that it is about, None for functions."""

    def __init__(self, reader: Calls, name: str, receiver: object) -> None:
        self.reader, self.name, self.receiver = reader, name, receiver
        inner = receiver.frame if isinstance(receiver, GroupedData | MissingValues) else receiver
        self.frame = inner if isinstance(inner, DataFrame) else None
        self.line = getattr(reader.at, "lineno", 1)

    def filled(self, arguments: list[Value], named: dict[str, Value]) -> Given | Instead | None:
        """See `filled_in`."""
        if (
            self.receiver is not None
            and self.name in _NUMBERS
            and (self.name not in _OF_COLUMNS or _counts(arguments, named))
        ):
            numbers = self._numbers(arguments, named)
            if numbers is not None or self.name not in _OF_COLUMNS:
                return numbers
        if self.name in _OF_GROUPS and self.receiver is not None:
            return _with_functions(arguments, named)
        if self.frame is not None:
            found = self._of_frame(self.frame, arguments, named)
            if found is not None:
                return found
        if isinstance(self.receiver, DataFrameWriter | DataStreamWriter) and self.name in _OF_WRITERS:
            if self.name != "_same":
                return Given([_shown(a) for a in arguments], {k: _shown(v) for k, v in named.items()})
            return Instead(self.receiver)
        if isinstance(self.receiver, WindowSpec):
            return Given([self._column(a) for a in arguments], {})
        if self.name in _INDIFFERENT:
            return self._indifferent(arguments, named)
        if self.name in _PARSERS and self.receiver is None:
            arguments, named = self._parsed(arguments, named)
        if self.receiver is None:
            return _of_function(self.name, arguments, named)
        return None

    def _parsed(self, arguments: list[Value], named: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
        """The arguments of a function that reads a text, with a struct in place of a schema that nobody knows."""
        values = dict(zip(parameters_of(self.name), arguments, strict=False)) | named
        if type(values.get("schema")) is not Unknown or not self.reader.session.guesses.tables:
            return arguments, named
        self._tell("only the uses of what is read tell its schema.")
        return [], values | {"schema": self.reader.session.guessed_schema(self.reader.origin())}

    def _tell(self, what: str) -> None:
        self.reader.session.tell(what, self.line)

    def _numbers(self, arguments: list[Value], named: dict[str, Value]) -> Given | None:
        number = _NUMBERS[self.name]
        if self.name == "sample" and len(arguments) > 1 and type(arguments[0]) is Unknown:
            arguments = [False, *arguments[1:]]  # whether rows are put back
        # What stands behind the number of partitions may be columns.
        several = self.name in _SEVERAL_NUMBERS
        numbers = [_number(a, number) if i == 0 or several else a for i, a in enumerate(arguments)]
        given = {k: _number(v, number) for k, v in named.items()}
        if numbers != arguments or given != named:
            self._tell(f"{number} stands for a number of {self.name} that the text does not tell.")
        if any(map(is_unknown, (*numbers, *given.values()))):
            if self.name not in _OF_COLUMNS:
                return None
            return Given([self._column(a) for a in numbers], {k: self._column(v) for k, v in given.items()})
        return Given(numbers, given)

    def _indifferent(self, arguments: list[Value], named: dict[str, Value]) -> Given | None:
        name = self.name
        if name == "cast" and isinstance(next(iter((*arguments, *named.values())), None), Unknown):
            self._tell("string stands for a type that the text does not tell.")
            return Given(["string"], {})
        place = _valued if name in _VALUES else _placed
        return Given([place(a) for a in arguments], {k: place(v) for k, v in named.items()})

    # ------------------------------------------------------------------------------------------ DataFrames

    def _of_frame(self, frame: DataFrame, arguments: list[Value], named: dict[str, Value]) -> Given | Instead | None:
        name = self.name
        if name == "hint":
            return self._hint(frame, arguments)
        if name in ("filter", "where"):
            condition = next(iter((*arguments, *named.values())), None)
            return Given([Column(Placeholder(condition.what, BOOLEAN))], {}) if type(condition) is Unknown else None
        if name == "withColumn":
            values = dict(zip(("colName", "col"), arguments, strict=False)) | named
            column = values.get("col")
            column = placeholder(column) if isinstance(column, Unknown) else column
            return Given([_placed(values.get("colName")), column], {})
        if name in _OF_FRAMES:
            return self._combined(frame, arguments, named)
        if name == "observe":
            metrics = [_measure(a) if isinstance(a, Unknown) else a for a in arguments[1:]]
            return Given([_placed(arguments[0]), *metrics], {})
        if name == "pivot":
            return self._pivot(arguments, named)
        if name in ("withColumns", "withColumnsRenamed", "agg") and len(arguments) == 1:
            made = self._by_name(arguments[0])
            if made is not None:
                return Given([made], {})
        if name == "agg":
            return Given([_measure(a) if isinstance(a, Unknown) else a for a in _flat(arguments)], {})
        if name == "select":
            return self._select(frame, arguments)
        if name in ("fillna", "fill", "dropna", "drop", "replace"):
            return self._filling(arguments, named)
        if name in _OF_COLUMNS:
            lists = name in ("dropDuplicates", "drop_duplicates", "dropDuplicatesWithinWatermark")
            given = [[self._column(a)] if lists and isinstance(a, Unknown) else self._column(a) for a in arguments]
            more = {k: self._named(k, v) for k, v in named.items()}
            more = {k: [v] if k == "subset" and isinstance(v, str) else v for k, v in more.items()}
            return Given(given, more)
        return None

    def _hint(self, frame: DataFrame, arguments: list[Value]) -> Given | Instead:
        if isinstance(arguments[0], Unknown):
            self._tell("a hint that the text does not tell is left out.")
            return Instead(frame)
        name = str(arguments[0]).lower()
        if name not in ("repartition", "coalesce", "rebalance"):
            return Given([a for a in arguments if not isinstance(a, Unknown)], {})
        return Given([200 if isinstance(a, Unknown) else a for a in arguments], {})

    def _combined(self, frame: DataFrame, arguments: list[Value], named: dict[str, Value]) -> Given:
        """Two DataFrames: an unknown one is a table of which nothing but its uses is known."""
        names = ("other", "on", "how") if self.name == "join" else ("other", "allowMissingColumns")
        values = dict(zip(names, arguments, strict=False)) | named
        other = values.get("other")
        if isinstance(other, Unknown):
            self._tell(f"{other} is taken for rows of which only their uses tell the columns.")
            values["other"] = other = self.reader.session.guessed_rows(f"{other} of line {self.line}")
        if is_unknown(values.get("on")) and isinstance(other, DataFrame):
            values["on"] = self._common(frame, other, values["on"])
        if isinstance(values.get("how"), Unknown):
            self._tell("inner stands for a kind of join that the text does not tell.")
            values["how"] = "inner"
        return Given([], {k: _BY_NAME.get(k, False) if isinstance(v, Unknown) else v for k, v in values.items()})

    def _common(self, frame: DataFrame, other: DataFrame, on: Value) -> Value:
        """The names of columns that both sides have."""
        session = self.reader.session
        given = on if isinstance(on, list | tuple) else [on]
        if session.may_grow(frame) and session.may_grow(other):
            return [str(v) if isinstance(v, Unknown) else v for v in given]
        have = {c.lower() for c in other.columns}
        both = [c for c in frame.columns if c.lower() in have]
        if not both:
            open_side, known = (frame, other) if session.may_grow(frame) else (other, frame)
            both = known.columns if session.may_grow(open_side) else []
        if not both:
            return Column(Placeholder(_first(given).what, BOOLEAN))
        return list(dict.fromkeys(self._stands(both[0], v) if isinstance(v, Unknown) else v for v in given))

    def _pivot(self, arguments: list[Value], named: dict[str, Value]) -> Given:
        values = dict(zip(("pivot_col", "values"), arguments, strict=False)) | named
        column = self._column(values["pivot_col"])
        listed = values.get("values")
        if listed is None or is_unknown(listed):
            return Given([column], {})
        return Given([column, listed], {})

    def _by_name(self, given: Value) -> Value:
        """A dict of names to columns or functions; None for anything else."""
        if not isinstance(given, dict):
            return None
        if self.name == "agg":
            return {self._column(k): "max" if isinstance(v, Unknown) else v for k, v in given.items()}
        value = placeholder if self.name == "withColumns" else str
        return {_placed(k): value(v) if isinstance(v, Unknown) else v for k, v in given.items()}

    def _select(self, frame: DataFrame, arguments: list[Value]) -> Given:
        """The columns of a list that nobody knows are all that there are, where that is known."""
        given = _flat(arguments)
        if self.reader.session.may_grow(frame):
            return Given([self._column(a) for a in given], {})
        told = [a for a in given if isinstance(a, str)]
        rest = [c for c in dict.fromkeys(frame.columns) if c not in told]
        made: list[Value] = []
        for a in given:
            if isinstance(a, UnknownList) or (len(given) == 1 and isinstance(a, Unknown)):
                self._tell(f"all columns stand for {a}, which the text does not tell.")
                made += [f"`{c}`" for c in rest]
                rest = []
            else:
                made.append(self._column(a))
        return Given(made or ["*"], {})

    def _filling(self, arguments: list[Value], named: dict[str, Value]) -> Given | None:
        """na.fill and its like: values of a kind, and the columns that they are for."""
        if self.name in ("drop", "dropna"):
            if isinstance(self.receiver, DataFrame) and self.name == "drop":
                return None
            values = dict(zip(("how", "thresh", "subset"), arguments, strict=False)) | named
            made = {k: self._column(v) if k == "subset" else None for k, v in values.items() if is_unknown(v)}
            return Given([], values | made | ({"how": "any"} if made.get("how", 0) is None else {}))
        names = ("value", "subset") if self.name != "replace" else ("to_replace", "value", "subset")
        values = dict(zip(names, arguments, strict=False)) | named
        if "subset" in values:
            values["subset"] = self._column(values["subset"])
        first = values.get(names[0])
        if isinstance(first, Unknown):
            self._tell(f"what {self.name} puts in is not known: it is left out.")
            return None if self.frame is None else Given([0], {"subset": []})
        if isinstance(first, dict):
            values[names[0]] = {self._column(k) if self.name != "replace" else _placed(k): _placed(v)
                                for k, v in first.items()}  # fmt: skip
        return Given([], {k: _placed(v) for k, v in values.items()})

    # ------------------------------------------------------------------------------------------ columns

    def _named(self, key: str, value: Value) -> Value:
        return _BY_NAME[key] if key in _BY_NAME and is_unknown(value) else self._column(value)

    def _column(self, value: Value) -> Value:
        """A column, or a list of them, for unknown ones."""
        if isinstance(value, list | tuple) and is_unknown(value):
            return [self._column(v) for v in value]
        if not isinstance(value, Unknown):
            return value
        frame = self.frame
        if frame is None or not frame.columns or self.reader.session.may_grow(frame):
            told = f"{value} stands for columns that the text does not tell: what later lines name may be among them."
            if frame is not None:
                self._tell(told)
            return str(value)
        return self._stands(frame.columns[0], value)

    def _stands(self, column: str, value: Unknown) -> str:
        self._tell(f"the column {column} stands for {value}, which the text does not tell.")
        return column if column.isidentifier() else f"`{column}`"


def _of_function(name: str, arguments: list[Value], named: dict[str, Value]) -> Given | None:
    """A function's arguments: numbers, flags and constants for unknown ones that are no columns or texts."""
    parameters = parameters_of(name)
    pairs = [(parameters[min(i, len(parameters) - 1)], v) for i, v in enumerate(arguments)]
    if any(p in _FORMS and isinstance(v, Unknown) for p, v in (*pairs, *named.items())):
        return None

    def stand(parameter: str, value: Value) -> Value:
        if not isinstance(value, Unknown):
            return _placed(value)
        kind = kind_of(name, parameter)
        if parameter == "options":
            return {}
        if parameter in _LAMBDAS:
            return lambda first, *_: first
        if kind == "flag" or parameter in ("ignorenulls", "roundOff"):
            return True
        named_so = kind == "any" or parameter in ("offset", "limit")
        if kind in ("column or int", "int", "number") or (named_so and parameter in _NUMBERED):
            return _OF_FUNCTIONS.get(parameter, 1)
        return placeholder(value) if kind == "any" or parameter == "default" else str(value)

    return Given([stand(p, v) for p, v in pairs], {k: stand(k, v) for k, v in named.items()})


def _with_functions(arguments: list[Value], named: dict[str, Value]) -> Given | None:
    """A call with a function of its name for one that nobody knows; None where the schema is not known."""

    def stand(value: Value) -> Value:
        return _Named(re.split(r"[^\w]+", value.what)[-1] or "function") if isinstance(value, Unknown) else value

    values = dict(zip(("func", "schema"), arguments, strict=False)) | named
    if isinstance(values.get("schema"), Unknown):
        return None
    return Given([stand(arguments[0]), *arguments[1:]] if arguments else [], {k: stand(v) for k, v in named.items()})


class _Named:
    """A function of which only the name is known."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *given: Value) -> None:
        """Nothing calls it."""


def _first(values: Value) -> Unknown:
    return next(v for v in values if isinstance(v, Unknown))


def _flat(arguments: list[Value]) -> list[Value]:
    one = arguments[0] if len(arguments) == 1 else None
    return list(one) if isinstance(one, list | tuple) else arguments


def _measure(value: Unknown) -> Column:
    return Column(Placeholder(value.what, STRING)).alias(str(value))


def _counts(arguments: list[Value], named: dict[str, Value]) -> bool:
    """Whether the first argument may be a number of partitions."""
    first = arguments[0] if arguments else named.get("numPartitions")
    return isinstance(first, int) or (type(first) is Unknown and (first.kind is int or len(arguments) > 1))


def _number(value: Value, number: float) -> Value:
    """A number for a value that is unknown, or for those in a list; rows that are unknown are none."""
    if isinstance(value, list):
        return [_number(v, number) for v in value]
    if type(value) is not Unknown:
        return value
    return max(1, int(number)) if value.kind is int else number


def _valued(value: Value) -> Value:
    if isinstance(value, list | tuple):
        return [_valued(v) for v in value]
    return placeholder(value) if isinstance(value, Unknown) else value


def _placed(value: Value) -> Value:
    if isinstance(value, list):
        return [_placed(v) for v in value]
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(_placed(v) for v in value)
    return str(value) if isinstance(value, Unknown) else value


placed = _placed
