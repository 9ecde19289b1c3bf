"""Which names of the DataFrame API a program may use, by class: PySpark's, as far as planviz.dataframe has them."""

from __future__ import annotations

from collections.abc import Iterable

from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.grouped import CoGroupedData, GroupedData
from planviz.dataframe.python import UDFRegistration, UserDefinedFunction
from planviz.dataframe.python_tables import UDTFRegistration, UserDefinedTableFunction
from planviz.dataframe.rdd import RDD
from planviz.dataframe.readers import DataFrameReader
from planviz.dataframe.refusals import BadValue, NotAsserted
from planviz.dataframe.services import Builder, RuntimeConfig, SessionCatalog, SparkContext
from planviz.dataframe.session import SparkSession
from planviz.dataframe.shaping import MissingValues
from planviz.dataframe.statistics import StatFunctions
from planviz.dataframe.table_functions import TABLE_FUNCTIONS, TableValuedFunctions
from planviz.dataframe.window import Window, WindowSpec
from planviz.dataframe.writers import DataFrameWriter, DataStreamWriter
from planviz.errors import AnalysisError, InputError
from planviz.trees.depth import refuse_heavy
from planviz.types import ArrayType, DataType, DecimalType, MapType, StructField, StructType, parse_type

#: attribute() for a name that there is not.
ABSENT = object()

_FRAME = """agg alias approxQuantile asTable cache checkpoint coalesce colRegex collect columns corr count cov
createGlobalTempView createOrReplaceGlobalTempView createOrReplaceTempView createTempView crossJoin crosstab cube
describe display distinct drop dropDuplicates dropDuplicatesWithinWatermark drop_duplicates dropna dtypes exceptAll
exists explain fillna filter first foreach foreachPartition freqItems groupBy groupby groupingSets head hint inputFiles
intersect intersectAll isEmpty isLocal isStreaming join lateralJoin limit localCheckpoint mapInArrow mapInPandas melt
na observe offset orderBy pandas_api persist printSchema randomSplit rdd registerTempTable repartition
repartitionByRange replace rollup sameSemantics sample sampleBy scalar schema select selectExpr semanticHash show sort
sortWithinPartitions sparkSession stat storageLevel subtract summary tail take to toArrow toDF toJSON toLocalIterator
toPandas transform transpose union unionAll unionByName unpersist unpivot where withColumn withColumnRenamed
withColumns withColumnsRenamed withMetadata withWatermark write writeStream writeTo"""
_COLUMN = """alias asc asc_nulls_first asc_nulls_last astype between bitwiseAND bitwiseOR bitwiseXOR cast contains desc
desc_nulls_first desc_nulls_last dropFields endswith eqNullSafe getField getItem ilike isNaN isNotNull isNull isin like
name otherwise outer over rlike startswith substr transform try_cast when withField"""
_GROUPED = """agg apply applyInArrow applyInPandas applyInPandasWithState avg cogroup count max mean min pivot sum
transformWithState transformWithStateInPandas"""
_SESSION = """catalog conf createDataFrame range read readStream sparkContext sql stop streams table udf udtf newSession
setConf getActiveSession builder registerDataFrameAsTable dropTempTable tvf version"""
_READER = "csv format jdbc json load option options orc parquet schema table text xml"
_WRITER = """append bucketBy clusterBy create createOrReplace csv format insertInto jdbc json mode option options orc
overwrite overwritePartitions parquet partitionBy partitionedBy replace save saveAsTable sortBy tableProperty text using
xml"""
_STREAM = """clusterBy foreach foreachBatch format option options outputMode partitionBy queryName start toTable
trigger"""
_RDD = " ".join(
    n for n in vars(RDD) if not n.startswith("_") and n not in ("session", "rows", "whole", "examples", "frame")
)
_NAMES: dict[type, frozenset[str]] = {
    t: frozenset(names.split())
    for t, names in (
        (DataFrame, _FRAME), (Column, _COLUMN), (GroupedData, _GROUPED), (SparkSession, _SESSION),
        (DataFrameReader, _READER), (DataFrameWriter, _WRITER), (DataStreamWriter, _STREAM), (RDD, _RDD),
        (WindowSpec, "orderBy partitionBy rangeBetween rowsBetween"),
        (MissingValues, "drop fill replace"),
        (UserDefinedFunction, "asNondeterministic"),
        (UserDefinedTableFunction, "asDeterministic"),
        (UDTFRegistration, "register"),
        (UDFRegistration, "register registerJavaFunction registerJavaUDAF"),
        (StatFunctions, "approxQuantile corr cov crosstab freqItems sampleBy"),
        (CoGroupedData, "applyInArrow applyInPandas"),
        (RuntimeConfig, "get isModifiable set unset"),
        (SessionCatalog, """cacheTable clearCache dropGlobalTempView dropTempView isCached refreshTable
            setCurrentDatabase tableExists uncacheTable"""),
        (SparkContext, """addFile addPyFile binaryFiles emptyRDD hadoopFile newAPIHadoopRDD parallelize pickleFile range
            sequenceFile setCheckpointDir setJobDescription setJobGroup setLocalProperty setLogLevel stop textFile
            wholeTextFiles"""),
        (TableValuedFunctions, " ".join(TABLE_FUNCTIONS)),
        (Builder, "appName config create enableHiveSupport getOrCreate master remote"),
    )
}  # fmt: skip
WINDOW = [
    "orderBy",
    "partitionBy",
    "rangeBetween",
    "rowsBetween",
    "unboundedPreceding",
    "unboundedFollowing",
    "currentRow",
]
KINDS = tuple(_NAMES)


def names_of(kind: type) -> frozenset[str]:
    """The names that objects of a class have."""
    return _NAMES.get(kind, frozenset())


def attribute(value: object, name: str) -> object:
    """`value.name` for an object of the API, ABSENT where it is none or has nothing of that name.

    Raises AnalysisError ATTRIBUTE_NOT_SUPPORTED for a DataFrame that has neither a method nor a column of it.
    """
    if value is Window:
        return getattr(Window, name) if name in WINDOW else ABSENT
    names = next((n for t, n in _NAMES.items() if isinstance(value, t)), None)
    if names is None:
        return ABSENT
    if isinstance(value, SparkSession):
        return session_attribute(value, name) if name in names else ABSENT
    if name in names and (hasattr(type(value), name) or name in vars(value)):
        return getattr(value, name)
    if name in names:
        return ABSENT
    if isinstance(value, Column):
        return value[name]
    if isinstance(value, DataFrame):
        if any(c.lower() == name.lower() for c in value.columns):
            return value.col(name)
        raise not_supported(name)
    return ABSENT


def session_attribute(session: SparkSession, name: str) -> object:
    """`spark.name`: `spark.catalog` is PySpark's, not the catalogue of tables that planning reads."""
    if name == "catalog":
        return SessionCatalog(session)
    if name == "builder":
        return Builder(session)
    return getattr(session, name) if hasattr(session, name) else ABSENT


def not_supported(name: str) -> AnalysisError:
    """The error for a name that a DataFrame does not have."""
    error = AnalysisError("ATTRIBUTE_NOT_SUPPORTED", f"Attribute `{name}` is not supported.")
    error.python_type = "PySparkAttributeError"  # type: ignore[attr-defined]
    return error


def item(value: object, key: object) -> object:
    """`value[key]` for other objects of the API; ABSENT where they have no items."""
    return ABSENT


def elements(value: object) -> Iterable[object] | None:
    """The elements of an object of the API, None where it has none."""
    return None


_INTEGRAL = frozenset(["ByteType", "ShortType", "IntegerType", "LongType"])
_FRACTIONAL = frozenset(["FloatType", "DoubleType", "DecimalType"])
_NOT_ATOMIC = frozenset(["ArrayType", "MapType", "StructType", "NullType"])
#: PySpark's base classes of types, by what their types are called (None: all but those that are nested).
_BASES: dict[str, frozenset[str] | None] = {
    "IntegralType": _INTEGRAL, "FractionalType": _FRACTIONAL, "NumericType": _INTEGRAL | _FRACTIONAL,
    "AnsiIntervalType": frozenset(["DayTimeIntervalType", "YearMonthIntervalType"]), "AtomicType": None,
    "DataType": None,
}  # fmt: skip


def type_class(value: object) -> str | None:
    """The name of PySpark's class of a data type (`LongType`), None for anything else."""
    return value.scala_name.split("(")[0] if isinstance(value, DataType) else None


def is_base_type(name: str) -> bool:
    """Whether a name is that of a base class of PySpark's types."""
    return name in _BASES


def is_type(value: object, name: str) -> bool | None:
    """Whether a value is a data type of that PySpark class (`StringType`, `NumericType`), None for other names."""
    own = type_class(value)
    if own is None:
        return False if name.endswith("Type") else None
    if name in _BASES:
        kinds = _BASES[name]
        return (name == "DataType" or own not in _NOT_ATOMIC) if kinds is None else own in kinds
    return own == name


def added(
    struct: StructType,
    field: StructField | str,
    data_type: DataType | str | None = None,
    nullable: bool = True,
    metadata: object = None,
) -> object:
    """StructType.add: a struct with one field more."""
    if not isinstance(field, StructField):
        kind = parse_type(data_type) if isinstance(data_type, str) else data_type
        if kind is None:
            raise InputError("A field that is added by its name needs a type, as in add('id', 'int').")
        field = StructField(str(field), kind, bool(nullable))
    return StructType((*struct.fields, field))


#: The first words of the names that types have in the JSON of a schema.
_NAMES_IN_JSON = (
    "string", "binary", "boolean", "date", "timestamp", "timestamp_ntz", "decimal", "double", "float", "byte", "short",
    "integer", "long", "void", "variant", "char", "varchar", "interval",
)  # fmt: skip


def check_added(
    field: StructField | str, data_type: DataType | str | None = None, *more: object, **named: object
) -> None:
    """Raise what PySpark's StructType.add raises: a type is one, or the name that it has in JSON, and no SQL."""
    if isinstance(field, StructField):
        return
    if data_type is None:
        told = "Argument `data_type` is required when passing name of struct_field to create."
        raise BadValue("ARGUMENT_REQUIRED", told)
    if not isinstance(data_type, str):
        declared(data_type, "dataType")
    elif data_type.replace("(", " ").split(" ")[0] not in _NAMES_IN_JSON:
        raise BadValue("CANNOT_PARSE_DATATYPE", f"Unable to parse datatype. {data_type}.")


def struct_type(fields: Iterable[StructField] | None = None) -> StructType:
    """PySpark's StructType([...])."""
    for f in fields or ():
        if not isinstance(f, StructField):
            raise AttributeError(f"'{type(f).__name__}' object has no attribute 'name'")
    return StructType(tuple(fields or ()))


def struct_field(name: object, dataType: object, nullable: object = True, metadata: object = None) -> StructField:
    """PySpark's StructField(name, type)."""
    return StructField(str(name), _type(dataType), bool(nullable))


def array_type(elementType: object, containsNull: object = True) -> ArrayType:
    """PySpark's ArrayType(type)."""
    return ArrayType(_type(elementType), bool(containsNull))


def map_type(keyType: object, valueType: object, valueContainsNull: object = True) -> MapType:
    """PySpark's MapType(type, type)."""
    return MapType(_type(keyType), _type(valueType), bool(valueContainsNull))


def declared(kind: DataType | object, what: str) -> None:
    """Raise NotAsserted where PySpark's types are given something else than a type: a class, or a text."""
    if not isinstance(kind, DataType):
        shown = kind if isinstance(kind, str) else getattr(kind, "name", type(kind).__name__)
        told = f"{what} {shown} should be an instance of <class 'pyspark.sql.types.DataType'>"
        raise NotAsserted(told)


def decimal_type(precision: int = 10, scale: int = 0) -> DecimalType:
    """PySpark's DecimalType(precision, scale)."""
    return DecimalType(precision, scale)


def _type(given: object) -> DataType:
    if isinstance(given, DataType):
        refuse_heavy(_spelled(given), "A data type that stands in others")
        return given
    if isinstance(given, str):
        return parse_type(given)
    made = given() if callable(given) else None
    if not isinstance(made, DataType):
        raise TypeError("a data type is needed")
    return made


def _spelled(root: DataType) -> int:
    """How many types a type is made of, spelled out: one that stands in two fields counts twice."""
    known: dict[int, int] = {}
    stack = [root]
    while stack:
        top = stack[-1]
        inner = _inner(top)
        left = [t for t in inner if id(t) not in known]
        if left:
            stack += left
        else:
            known[id(stack.pop())] = 1 + sum(known[id(t)] for t in inner)
    return known[id(root)]


def _inner(kind: DataType) -> list[DataType]:
    match kind:
        case StructType(fields):
            return [f.data_type for f in fields]
        case ArrayType(element):
            return [element]
        case MapType(key, value):
            return [key, value]
    return []
