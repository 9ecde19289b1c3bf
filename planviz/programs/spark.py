"""PySpark's modules as a program imports them: sessions, functions, types, windows, errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from planviz import types
from planviz.dataframe import api, functions
from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.grouped import GroupedData
from planviz.dataframe.services import Builder
from planviz.dataframe.storage import StorageLevel
from planviz.dataframe.window import Window
from planviz.functions import registry
from planviz.programs.glue import glue_module
from planviz.programs.lakehouse import delta_module, pipeline_module
from planviz.programs.ml import ml_module
from planviz.programs.schema_json import parsed_schema, schema_of_json
from planviz.programs.values import Described, ErrorClass, Module, Native, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

_TYPES = {
    "StringType": types.STRING, "IntegerType": types.INT, "LongType": types.LONG, "DoubleType": types.DOUBLE,
    "FloatType": types.FLOAT, "BooleanType": types.BOOLEAN, "DateType": types.DATE, "TimestampType": types.TIMESTAMP,
    "TimestampNTZType": types.TIMESTAMP_NTZ, "ShortType": types.SHORT, "ByteType": types.BYTE,
    "BinaryType": types.BINARY, "NullType": types.NULL, "VariantType": types.VARIANT,
}  # fmt: skip
_ERRORS = {
    "pyspark.errors": """AnalysisException ParseException PySparkException PySparkValueError PySparkTypeError
        PySparkAttributeError PySparkAssertionError PySparkRuntimeError IllegalArgumentException QueryExecutionException
        StreamingQueryException PythonException UnknownException SparkUpgradeException NumberFormatException""",
    "py4j.protocol": "Py4JJavaError Py4JError Py4JNetworkError",
}
#: Functions of pyspark.sql.functions that are no functions of SQL by the same name.
_OWN = """asc asc_nulls_first asc_nulls_last broadcast col column count_distinct countDistinct desc desc_nulls_first
desc_nulls_last expr lit sum_distinct sumDistinct listagg_distinct string_agg_distinct bitwise_not
udf pandas_udf arrow_udf udtf when call_function call_udf array
create_map struct approxCountDistinct bitwiseNOT toDegrees toRadians shiftLeft shiftRight shiftRightUnsigned negate
monotonically_increasing_id spark_partition_id input_file_name from_json to_json bucket years months days hours window
session_window first last lag lead nth_value broadcast timestamp_add timestamp_diff"""
#: SQL functions that PySpark's module does not have.
_NOT_THERE = frozenset(
    [
        "int",
        "string",
        "double",
        "float",
        "bigint",
        "smallint",
        "tinyint",
        "boolean",
        "timestamp",
        "date",
        "binary",
        "decimal",
    ]
)


def spark_module(reader: Interpreter, name: str) -> Module | None:
    """A module of PySpark by its dotted name, None for any other."""
    errors = next((n for prefix, n in _ERRORS.items() if name.startswith(prefix)), None)
    if name == "pyspark.sql.utils":
        errors = _ERRORS["pyspark.errors"]
    if errors is not None:
        return Module(name, {n: ErrorClass(n) for n in errors.split()})
    match name:
        case "pyspark":
            names: dict[str, Value] = {"sql": reader.importing("pyspark.sql"), "__version__": "4.3.0"}
            names |= _contexts(reader) | {"StorageLevel": storage_levels()}
            return Module(name, names)
        case "pyspark.sql" | "pyspark.sql.session" | "pyspark.sql.dataframe" | "pyspark.sql.column":
            return _sql(reader, name)
        case "pyspark.sql.functions":
            return functions_module(reader)
        case "pyspark.sql.types":
            known = type_names(reader)
            shown = {n: t for n, t in known.items() if n not in _BASES and not n.startswith("_")}
            return Module(name, known, closed=True, exported=lambda: shown)
        case "pyspark.sql.window":
            return Module(name, {"Window": window(), "WindowSpec": Native("WindowSpec", lambda *a: Unknown("w"))})
        case "pyspark.storagelevel":
            return Module(name, {"StorageLevel": storage_levels()})
        case "pyspark.context" | "pyspark.conf":
            return Module(name, _contexts(reader))
    if name.split(".")[0] == "delta":
        return delta_module(reader, name)
    if name == "dlt" or name == "pyspark.pipelines":
        return pipeline_module(reader, name)
    if name == "pyspark.pandas" or name.startswith(("pyspark.pandas.", "databricks.koalas")):
        reader.pass_over(reader.at or reader.tree, "The pandas API on Spark is not read.")
        return Module(name)
    if name.split(".")[0] == "awsglue":
        return glue_module(reader, name)
    if name == "pyspark.ml" or name.startswith("pyspark.ml."):
        return ml_module(reader, name)
    return None


def window() -> Module:
    """PySpark's Window."""
    return Module("Window", {n: api.attribute(Window, n) for n in api.WINDOW}, closed=True)


def storage_levels() -> Module:
    """PySpark's StorageLevel."""
    return Module("StorageLevel", {n: v for n, v in vars(StorageLevel).items() if n.isupper()})


def _contexts(reader: Interpreter) -> dict[str, object]:
    # Settings that a program collects are those of its one session.
    conf, builder = Module("SparkConf"), Builder(reader.session)

    def kept(pairs: Iterable[Sequence[object]]) -> Module:
        for key, value in pairs:
            builder.config(key, value)
        return conf

    conf.names |= {n: Native(n, lambda key, value: kept([(key, value)]), True) for n in ("set", "setIfMissing")}
    conf.names["setMaster"] = Native("setMaster", lambda value: kept([("spark.master", value)]), True)
    conf.names["setAll"] = Native("setAll", lambda pairs: kept(reader.iterate(pairs)), True)
    conf.names["setAppName"] = Native("setAppName", lambda name: conf, True)
    conf.names["get"] = Native("get", lambda key, default=None: reader.session.conf.get(key, default), True)
    context = Native("SparkContext", lambda *a, **k: reader.session.sparkContext, True)
    return {
        "SparkContext": _class(context, {"getOrCreate": context}),
        "SparkConf": Native("SparkConf", lambda *a, **k: conf, True),
    }


def _class(made: Native, names: dict[str, object]) -> Module:
    """A class of PySpark: called it gives `made`'s value, and it has attributes of its own."""
    return Module(made.name, {**names, "__call__": made})


def _sql(reader: Interpreter, name: str) -> Module:
    session = Native("SparkSession", lambda *a, **k: reader.session, True)
    names: dict[str, Value] = {
        "SparkSession": Module("SparkSession", {
            "builder": Builder(reader.session), "getActiveSession": session, "active": session, "__call__": session,
        }),
        "DataFrame": Module("DataFrame", get=lambda n: _unbound(DataFrame, n)),
        "Column": Module("Column", get=lambda n: _unbound(Column, n)),
        "GroupedData": Module("GroupedData", get=lambda n: _unbound(GroupedData, n)),
        "Row": Native("Row", row, True),
        "Window": window(),
        "functions": reader.importing("pyspark.sql.functions"),
        "types": reader.importing("pyspark.sql.types"),
        "window": reader.importing("pyspark.sql.window"),
        "Observation": Native("Observation", _Observation, True),
        "SQLContext": Native("SQLContext", lambda *a, **k: reader.session, True),
        "HiveContext": Native("HiveContext", lambda *a, **k: reader.session, True),
    }  # fmt: skip
    return Module(name, names)


class _Observation(Described):
    """PySpark's Observation: the metrics of `observe` under its name, which only a query tells."""

    def __init__(self, name: object = None) -> None:
        # Spark makes up a name of its own.
        self.name = name if isinstance(name, str) else "observation"

    def attribute(self, name: str) -> Value:
        """The metrics (`get`)."""
        return self.name if name == "name" else Unknown(f"{self.name}.{name}")


def _unbound(kind: type, name: str) -> Native:
    """DataFrame.union and the like: a method with its object as the first argument."""
    if name.startswith("_") or not hasattr(kind, name):
        raise KeyError(name)

    def apply(receiver: object, *given: object, **named: object) -> Value:
        if isinstance(receiver, Unknown):
            return Unknown(f"{receiver.what}.{name}(...)")
        found = api.attribute(receiver, name)
        if not callable(found):
            raise TypeError(f"{kind.__name__}.{name} cannot be called")
        return found(*given, **named)

    return Native(f"{kind.__name__}.{name}", apply)


class PySparkValueError(ValueError):
    """PySpark's own for a name that a row does not have: it has no condition."""


class RowTuple(tuple[Value, ...]):
    """The values of a row; `_fields` are its names, as of a named tuple: values are found under them, too."""

    _fields: tuple[str, ...] = ()

    def __getitem__(self, key: Value) -> Value:
        """The value at a place or of a name. Raises ValueError for a name that the row does not have."""
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self._fields:
            raise PySparkValueError(key)
        return super().__getitem__(self._fields.index(key))

    def __contains__(self, item: object) -> bool:
        """Whether there is a field of this name, a value where the row has no names."""
        return item in self._fields if self._fields else super().__contains__(item)


def named_row(names: Sequence[str], values: Iterable[Value]) -> RowTuple:
    """A row whose values have these names."""
    made = RowTuple(values)
    made._fields = tuple(names)
    return made


def row(*given: Value, **named: object) -> Value:
    """Row(a=1, b=2), or Row("a", "b") as a class of rows."""
    if named:
        return named_row(tuple(named), named.values())
    if given and all(isinstance(g, str) for g in given):
        plain = RowTuple(given)

        def of(*values: Value) -> RowTuple:
            return named_row(given, values)

        return RowClass(plain, of)
    return RowTuple(given)


class RowClass(Native):
    """Row("a", "b"): called it makes rows of these names."""

    def __init__(self, values: RowTuple, make: Any) -> None:
        super().__init__("Row", make, True)
        self.values = values
        #: The name of a case class, and the types of its fields as they are written.
        self.kind = ""
        self.types: tuple[str, ...] = ()


def type_names(reader: Interpreter) -> dict[str, object]:
    """pyspark.sql.types."""
    made: dict[str, Value] = {}
    for name, kind in _TYPES.items():
        made[name] = Native(name, lambda *a, kind=kind: kind)
    made["StructType"] = Native("StructType", api.struct_type)
    for name, make in (
        ("StructField", api.struct_field), ("ArrayType", api.array_type), ("MapType", api.map_type),
    ):  # fmt: skip
        made[name] = Native(name, _checked(reader, make))
    made["DecimalType"] = Native("DecimalType", api.decimal_type)
    made["CharType"] = Native("CharType", lambda n: types.parse_type(f"char({int(n)})"))
    made["VarcharType"] = Native("VarcharType", lambda n: types.parse_type(f"varchar({int(n)})"))
    made["DayTimeIntervalType"] = Native("DayTimeIntervalType", lambda *a: types.parse_type("interval day to second"))
    made["YearMonthIntervalType"] = Native(
        "YearMonthIntervalType", lambda *a: types.parse_type("interval year to month")
    )
    made["TimeType"] = Native("TimeType", lambda precision=6: types.parse_type(f"time({int(precision)})"))
    made["Row"] = Native("Row", row, True)
    made["_parse_datatype_string"] = Native("_parse_datatype_string", parsed_schema, True)
    made["_parse_datatype_json_string"] = Native("_parse_datatype_json_string", schema_of_json, True)
    for base in ("DataType", *_BASES):
        made[base] = Native(base, lambda *a, base=base: Unknown(base))
    return made


#: Base classes of types that a star import of PySpark's module leaves out.
_BASES = ("NumericType", "AtomicType", "IntegralType", "FractionalType", "AnsiIntervalType")
#: The parameters of constructors of types that are types.
_OF_TYPES = ("dataType", "elementType", "keyType", "valueType")


def _checked(reader: Interpreter, make: Callable[..., Value]) -> Callable[..., Value]:
    """A constructor of a type or field that takes nothing but types, as PySpark's do; Scala has others."""
    names = list(inspect.signature(make).parameters)

    def checked(*given: object, **named: object) -> Value:
        if not reader.applies:
            for name, value in {**dict(zip(names, given, strict=False)), **named}.items():
                if name in _OF_TYPES:
                    api.declared(value, name)
        return make(*given, **named)

    return checked


def functions_module(reader: Interpreter) -> Module:
    """pyspark.sql.functions: any function of SQL by its name, and PySpark's own."""
    known = {n.lower() for n in registry.names() | registry.INTERNAL} - _NOT_THERE
    if not reader.applies:
        known -= set(_OF_SQL_ALONE.split())
    own = set(_OWN.split())

    def get(name: str) -> Native:
        if name.startswith("_") or (name not in own and name.lower() != name) or not (name in own or name in known):
            raise KeyError(name)
        return Native(f"functions.{name}", getattr(functions, name, _no_function))

    kinds = {"SCALAR": 200, "GROUPED_MAP": 201, "GROUPED_AGG": 202, "SCALAR_ITER": 204, "MAP_ITER": 205}
    # What `import *` brings: not the names with capitals that were deprecated, which PySpark leaves out of __all__.
    names = [n for n in (*sorted(known), *own) if n == n.lower() and n.isidentifier()]
    return Module(
        "pyspark.sql.functions",
        {"PandasUDFType": Module("PandasUDFType", dict(kinds))},
        get,
        closed=True,
        exported=lambda: {n: get(n) for n in names if n not in _HIDDEN},
    )


def _no_function(*given: object, **named: object) -> Unknown:
    """Stands for a function that the interpreter itself calls (`udtf`)."""
    return Unknown("function")


#: Functions of SQL that Python's own names of the same kind would be hidden by, and PySpark does not export.
_HIDDEN = frozenset(
    ("range", "print", "in", "not", "and", "or", "is", "if", "map", "set", "type", "chr", "random", "uuid")
)
#: Functions of SQL that Scala's module may have, and Python's has not: `len` and `any` stay Python's own.
_OF_SQL_ALONE = """any approx_top_k approx_top_k_accumulate approx_top_k_combine approx_top_k_estimate between
collations div if in len localtime luhn_check map measure mod not and or percentile_cont
percentile_disc space sql_keywords time timestampadd timestampdiff variant_explode
variant_explode_outer"""
