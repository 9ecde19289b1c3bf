"""What PySpark's methods refuse by the types of their arguments, before Spark sees a plan.

Each line of the table: class, method, and its parameters with what they take, `; ` between. `*` stands before a
parameter of any number, `jvm` for values that PySpark hands on as they are: Java has no method for others, and a
column there ends in NOT_ITERABLE.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.grouped import GroupedData
from planviz.dataframe.readers import DataFrameReader
from planviz.dataframe.refusals import (
    BadValue,
    IllegalArgument,
    NoSuchMethod,
    NotAsserted,
    UnexpectedType,
    not_iterable,
)
from planviz.dataframe.session import SparkSession
from planviz.dataframe.shaping import MissingValues
from planviz.dataframe.writers import DataFrameWriter
from planviz.types import DataType

_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,), "int": (int,), "float": (float,), "Column": (Column,), "list": (list,), "tuple": (tuple,),
    "dict": (dict,), "bool": (bool,), "DataType": (DataType,), "None": (type(None),),
}  # fmt: skip
_TABLE = """
DataFrame limit num:jvm:int
DataFrame head n:jvm:int
DataFrame take num:jvm:int
DataFrame coalesce numPartitions:jvm:int
DataFrame select *col:Column or str:list,tuple
DataFrame filter condition:Column or str:
DataFrame where condition:Column or str:
DataFrame groupBy *col:Column or str:int,list,tuple
DataFrame groupby *col:Column or str:int,list,tuple
DataFrame drop *col:Column or str:
DataFrame sort *col:Column, int or str:list,tuple
DataFrame orderBy *col:Column, int or str:list,tuple
DataFrame hint name:str:
DataFrame withColumn colName:jvm:str; col:Column:
DataFrame withColumns colsMap:dict:
DataFrame withColumnsRenamed colsMap:dict:
DataFrame withColumnRenamed existing:jvm:str; new:jvm:str
DataFrame toDF *cols:list[str]:str
DataFrame colRegex colName:str:
DataFrame repartition numPartitions:Column or str:int; *col:Column or str:
DataFrame fillna value:bool, dict, float, int or str:; subset:list or tuple:None,str
DataFrame dropna how:jvm:str; thresh:jvm:int,None; subset:list, str or tuple:None
DataFrame createOrReplaceTempView name:jvm:str
DataFrame createTempView name:jvm:str
GroupedData sum *cols:jvm:str,list,tuple
GroupedData avg *cols:jvm:str,list,tuple
GroupedData mean *cols:jvm:str,list,tuple
GroupedData max *cols:jvm:str,list,tuple
GroupedData min *cols:jvm:str,list,tuple
Column like other:jvm:str
Column rlike other:jvm:str
Column ilike other:jvm:str
Column startswith other:jvm:str,Column
Column endswith other:jvm:str,Column
Column alias *alias:jvm:str
Column cast dataType:DataType or str:
Column astype dataType:DataType or str:
MissingValues fill value:bool, dict, float, int or str:; subset:list or tuple:None,str
DataFrameWriter mode saveMode:jvm:str,None
DataFrameWriter bucketBy numBuckets:int:
DataFrameWriter partitionBy *cols:jvm:str,list
DataFrameReader format source:jvm:str
DataFrame show n:int:; truncate:bool:int
DataFrame repartitionByRange numPartitions:Column, int or str:; *col:Column or str:
DataFrame crosstab col1:str:; col2:str:
DataFrame sampleBy col:Column or str:; fractions:dict:
DataFrame withWatermark eventTime:str:; delayThreshold:str:
DataFrame withMetadata columnName:str:; metadata:dict:
DataFrame freqItems cols:list or tuple:
DataFrame approxQuantile col:list, str or tuple:; probabilities:list or tuple:
GroupedData pivot pivot_col:jvm:str
SparkSession table tableName:str:
"""


@dataclass(frozen=True)
class _Parameter:
    """What a parameter takes: `expected` in the words of the error, empty where Java looks for a method."""

    name: str
    many: bool
    expected: str
    kinds: tuple[type, ...]


def _parameter(text: str) -> _Parameter:
    name, expected, more = text.split(":")
    listed = [] if expected == "jvm" else expected.replace(" or ", ", ").split(", ")
    words = [w for w in (*listed, *more.split(",")) if w]
    kinds = tuple(k for w in words for k in _KINDS.get(w, ()))
    return _Parameter(name.lstrip("*"), name.startswith("*"), "" if expected == "jvm" else expected, kinds)


def _read() -> dict[tuple[str, str], tuple[_Parameter, ...]]:
    found = {}
    for line in _TABLE.strip().split("\n"):
        owner, method, rest = line.split(" ", 2)
        found[owner, method] = tuple(map(_parameter, rest.split("; ")))
    return found


_CHECKS = _read()
_OWNERS = (DataFrame, GroupedData, Column, MissingValues, DataFrameWriter, DataFrameReader, SparkSession)
_MODES = ("append", "overwrite", "ignore", "error", "errorifexists", "default")


def check(receiver: object, name: str, given: Sequence[object], named: dict[str, object]) -> None:
    """Raise what PySpark raises for a call whose arguments are of other types than the method takes.

    What stands for a value that nobody knows passes. Raises UnexpectedType, BadValue, NoSuchMethod, NotAsserted.
    """
    owner = next((o for o in _OWNERS if isinstance(receiver, o)), None)
    if owner is None:
        return
    for p, value in _bound(_CHECKS.get((owner.__name__, name), ()), given, named):
        if not _takes(p, value):
            _refuse(p, name, value)
    special = _SPECIAL.get((owner.__name__, name))
    if special is not None:
        special(receiver, given, named)


def _bound(
    parameters: tuple[_Parameter, ...], given: Sequence[object], named: dict[str, object]
) -> list[tuple[_Parameter, object]]:
    pairs: list[tuple[_Parameter, object]] = []
    rest = list(given)
    for p in parameters:
        if p.many:
            # A list stands for several, and stands alone.
            one = p if len(rest) == 1 else replace(p, kinds=tuple(k for k in p.kinds if k not in (list, tuple)))
            pairs += [(one, v) for v in rest]
            rest = []
        elif rest:
            pairs.append((p, rest.pop(0)))
        elif p.name in named:
            pairs.append((p, named[p.name]))
    return pairs


def _takes(p: _Parameter, value: object) -> bool:
    if isinstance(value, str) and "<" in value:
        return True
    if isinstance(value, bool) and bool not in p.kinds:
        return False
    return isinstance(value, p.kinds)


def _refuse(p: _Parameter, method: str, value: object) -> None:
    if p.expected:
        raise UnexpectedType(p.name, p.expected, value)
    if isinstance(value, Column):
        raise not_iterable()
    raise NoSuchMethod(f"Method {method}([{type(value).__name__}]) does not exist.")


def _joined(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    on = given[1] if len(given) > 1 else named.get("on")
    how = given[2] if len(given) > 2 else named.get("how")
    if isinstance(how, int | float | list | Column):
        raise NotAsserted("how should be a string")
    several = on if isinstance(on, list) else [] if on is None else [on]
    if not all(isinstance(c, str | Column) for c in several):
        raise NotAsserted("on should be Column or list of Column")


def _sorted(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    if not given and "cols" not in named:
        raise BadValue("CANNOT_BE_EMPTY", "At least one cols must be specified.")
    if not isinstance(named.get("ascending", True), bool | int | list):
        raise UnexpectedType("ascending", "Column, int or str", named["ascending"])


def _split(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    weights = given[0] if given else named.get("weights")
    negative = [w for w in weights if isinstance(w, int | float) and w < 0] if isinstance(weights, list) else []
    if negative:
        told = f"Value for `weights` must be positive, got '{negative[0]}'."
        raise BadValue("VALUE_NOT_POSITIVE", told)


def _dropped_nulls(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    _subset(receiver, given, named)
    how = given[0] if given else named.get("how")
    if isinstance(how, str) and how not in ("any", "all") and "<" not in how:
        told = f"Value for `how` has to be amongst the following values: ['any', 'all'], got {how!r}."
        raise BadValue("VALUE_NOT_ALLOWED", told)


def _replaced(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    old = given[0] if given else named.get("to_replace")
    told = len(given) > 1 or "value" in named
    new = given[1] if len(given) > 1 else named.get("value")
    if not isinstance(old, dict) and not told:
        told_of = "Argument `value` is required when `to_replace` is dict."
        raise BadValue("ARGUMENT_REQUIRED", told_of, "PySparkTypeError")
    if isinstance(old, dict):
        keys, values = list(old), list(old.values())
    else:
        keys = list(old) if isinstance(old, list | tuple) else [old]
        values = list(new) if isinstance(new, list | tuple) else [new] * len(keys)
    if len(keys) != len(values):
        told_of = f"to_replace and value should be of the same length, got {len(keys)} and {len(values)}."
        raise BadValue("LENGTH_SHOULD_BE_THE_SAME", told_of)
    both = [*keys, *(v for v in values if v is not None)]
    numbers = all(isinstance(v, int | float) for v in both)
    if not numbers and not any(all(isinstance(v, kind) for v in both) for kind in (bool, str)):
        raise BadValue("MIXED_TYPE_REPLACEMENT", "Mixed type replacements are not supported.")


def _aggregated(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    if len(given) == 1 and isinstance(given[0], dict):
        return
    if not all(isinstance(e, Column) for e in given):
        raise NotAsserted("all exprs should be Column")


def _sampled(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    names = ("withReplacement", "fraction", "seed")
    values = {**dict(zip(names, given, strict=False)), **named}
    replaced, fraction = values.get("withReplacement"), values.get("fraction")
    flagged = replaced is None or isinstance(replaced, bool)
    if isinstance(replaced, float) or (flagged and isinstance(fraction, float)):
        return
    shown = "withReplacement (optional), fraction (required) and seed (optional)"
    raise UnexpectedType(shown, "bool, float or int", replaced)


def _observed(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    if given and isinstance(given[0], int | float | list | Column):
        raise UnexpectedType("observation", "Observation or str", given[0])
    if len(given) < 2:
        raise BadValue("CANNOT_BE_EMPTY", "At least one exprs must be specified.")


def _moded(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    mode = given[0] if given else named.get("saveMode")
    if isinstance(mode, str) and "<" not in mode and mode.lower() not in _MODES:
        known = ", ".join(f'"{m}"' for m in _MODES)
        told = f'The specified save mode "{mode}" is invalid. Valid save modes include {known}.'
        raise BadValue("INVALID_SAVE_MODE", told, "AnalysisException")


def _shortened(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    start, length = [*given, *named.values(), None, None][:2]
    if start is None or length is None:
        return
    if type(start) is not type(length):
        told = "Argument `startPos` and `length` should be the same type."
        raise BadValue("NOT_SAME_TYPE", told, "PySparkTypeError")
    if not isinstance(start, int | Column):
        raise UnexpectedType("startPos", "Column or int", start)


def _with_columns(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    columns = given[0] if given else named.get("colsMap")
    for value in columns.values() if isinstance(columns, dict) else ():
        if not isinstance(value, Column):
            raise UnexpectedType("col", "Column or str", value)


def _alias(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    if given and not isinstance(given[0], str):
        raise NotAsserted("alias should be a string")


def _parts(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    number = given[0] if given else named.get("numPartitions")
    if isinstance(number, int) and number <= 0:
        raise IllegalArgument(f"requirement failed: Number of partitions ({number}) must be positive.")


def _named_view(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    name = given[0] if given else named.get("name")
    if not isinstance(name, str) or "<" in name or "`" in name:
        return
    parts = name.split(".")
    if not all(re.fullmatch(r"\w*[a-zA-Z_]\w*", p, re.ASCII) and not re.fullmatch(r"\d+e\d+", p) for p in parts):
        raise BadValue("_LEGACY_ERROR_TEMP_1321", f"Invalid view name: {name}.", "AnalysisException")
    if len(parts) > 1:
        told = f"CREATE TEMPORARY VIEW accepts a single name part, but got `{name}`."
        raise BadValue("TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS", told, "AnalysisException")


def _in(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    for value in given[0] if len(given) == 1 and isinstance(given[0], list | set) else given:
        if isinstance(value, list | tuple | set | range):
            told = f"The feature is not supported: Literal for '{list(value)}' of class java.util.ArrayList."
            raise BadValue("UNSUPPORTED_FEATURE.LITERAL_TYPE", told, "SparkRuntimeException")


def _deduplicated(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    subset = given[0] if given else named.get("subset")
    for value in subset if isinstance(subset, list | tuple) else ():
        if not isinstance(value, str):
            raise UnexpectedType("subset", "str", value)


def _subset(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    lists = [v for v in (*given, *named.values()) if isinstance(v, list | tuple)]
    if any(isinstance(v, Column) for names in lists for v in names):
        raise not_iterable()


def _made(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    data, schema = (
        [*given, None, None][i] if len(given) > i else named.get(k) for i, k in enumerate(("data", "schema"))
    )
    if isinstance(data, DataFrame):
        raise BadValue("INVALID_TYPE", "Argument `data` should not be a DataFrame.", "PySparkTypeError")
    if isinstance(schema, int | float | set | dict):
        raise UnexpectedType("schema", "list, None or StructType", schema)


def _queried(receiver: object, given: Sequence[object], named: dict[str, object]) -> None:
    if given and isinstance(given[0], int | float | list | Column):
        raise NoSuchMethod(f"Method sql([{type(given[0]).__name__}]) does not exist.")


_SPECIAL = {
    ("DataFrame", "join"): _joined, ("DataFrame", "sort"): _sorted, ("DataFrame", "orderBy"): _sorted,
    ("DataFrame", "randomSplit"): _split, ("DataFrame", "dropna"): _dropped_nulls,
    ("MissingValues", "drop"): _dropped_nulls, ("DataFrame", "replace"): _replaced,
    ("MissingValues", "replace"): _replaced, ("DataFrame", "agg"): _aggregated, ("GroupedData", "agg"): _aggregated,
    ("DataFrame", "sample"): _sampled, ("DataFrame", "observe"): _observed, ("DataFrameWriter", "mode"): _moded,
    ("Column", "substr"): _shortened, ("DataFrame", "withColumns"): _with_columns, ("DataFrame", "alias"): _alias,
    ("DataFrame", "repartition"): _parts, ("DataFrame", "repartitionByRange"): _parts,
    ("DataFrame", "coalesce"): _parts, ("DataFrame", "createOrReplaceTempView"): _named_view,
    ("DataFrame", "createTempView"): _named_view, ("DataFrame", "createGlobalTempView"): _named_view,
    ("DataFrame", "createOrReplaceGlobalTempView"): _named_view,
    ("Column", "isin"): _in, ("DataFrame", "dropDuplicates"): _deduplicated,
    ("DataFrame", "drop_duplicates"): _deduplicated, ("SparkSession", "createDataFrame"): _made,
    ("SparkSession", "sql"): _queried, ("DataFrame", "fillna"): _subset, ("MissingValues", "fill"): _subset,
}  # fmt: skip
