"""Names that a snippet uses and does not define: modules and functions that everybody imports, and DataFrames."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from planviz.dataframe.rdd import RDD
from planviz.programs.syntax import nodes_of
from planviz.programs.values import Module, Native, Unknown

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

_FUNCTIONS = ("F", "f", "sf", "SF", "psf", "fn", "fun", "func", "funcs", "functions", "sqlf", "spark_funcs", "fx")
_PLAIN = (
    """os sys re json math time random itertools functools datetime collections logging operator argparse pyspark"""
)
_MODULES = {
    **dict.fromkeys(_FUNCTIONS, "pyspark.sql.functions"),
    **dict.fromkeys(("T", "types", "t", "st"), "pyspark.sql.types"),
    **{n: n for n in _PLAIN.split()}, "np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "dt": "datetime",
}  # fmt: skip
_FROM: dict[str, str] = {
    "pyspark.sql": "SparkSession SQLContext HiveContext DataFrame Column Row Window",
    "pyspark.sql.types": """StructType StructField ArrayType MapType StringType IntegerType LongType DoubleType
FloatType BooleanType DateType TimestampType ShortType ByteType BinaryType DecimalType NullType NumericType""",
    "pyspark": "SparkContext SparkConf StorageLevel", "functools": "reduce partial", "decimal": "Decimal",
    "datetime": "date timedelta", "itertools": "chain", "collections": "defaultdict OrderedDict",
    "pyspark.sql.functions": "PandasUDFType", "dataclasses": "dataclass field", "copy": "deepcopy",
}  # fmt: skip
_ML = """VectorAssembler StringIndexer OneHotEncoder OneHotEncoderEstimator StandardScaler MinMaxScaler Tokenizer
HashingTF IDF Bucketizer Imputer PCA Pipeline PipelineModel LogisticRegression LinearRegression RandomForestClassifier
RandomForestRegressor DecisionTreeClassifier DecisionTreeRegressor GBTClassifier GBTRegressor KMeans NaiveBayes ALS
BinaryClassificationEvaluator MulticlassClassificationEvaluator RegressionEvaluator ClusteringEvaluator CrossValidator
ParamGridBuilder TrainValidationSplit Word2Vec CountVectorizer StopWordsRemover RegexTokenizer IndexToString"""
_FROM["pyspark.ml.feature"] = _ML
_FROM["delta.tables"] = "DeltaTable"
_ORIGIN = {name: module for module, names in _FROM.items() for name in names.split()}
#: Methods whose first argument is a DataFrame, and those that tell what their receiver is.
_COMBINING_NAMES = """join union unionAll unionByName crossJoin intersect intersectAll subtract exceptAll broadcast
lateralJoin cogroup sameSemantics"""
_FRAME_NAMES = """select filter where groupBy groupby withColumn withColumns join show orderBy sort agg drop write
withColumnRenamed createOrReplaceTempView createTempView cache persist printSchema limit distinct dropDuplicates
drop_duplicates union unionByName unionAll selectExpr repartition coalesce toPandas na fillna dropna explain writeStream
rdd toDF alias randomSplit describe crossJoin sample unpersist columns dtypes schema registerTempTable rollup cube
subtract intersect exceptAll summary stat approxQuantile pivot melt unpivot withWatermark toJSON foreachPartition
mapInPandas writeTo isStreaming checkpoint tail sampleBy collect head take first count"""
_RDD_NAMES = """map flatMap reduceByKey groupByKey mapValues mapPartitions reduce textFile saveAsTextFile sortByKey
keyBy countByKey countByValue zipWithIndex aggregateByKey flatMapValues collectAsMap mapPartitionsWithIndex"""
_COMBINING, _FRAMES, _RDD = (frozenset(n.split()) for n in (_COMBINING_NAMES, _FRAME_NAMES, _RDD_NAMES))
_SESSION = frozenset(["sql", "createDataFrame", "readStream", "sparkContext", "newSession"])
_NAMED = re.compile(r"(?:^|_)(?:s?df|dataframe|frame|sdf|ddf)\w{0,3}(?:$|_)|df\d*$|^df", re.IGNORECASE)

_JOINERS = ("path", "sep", "separator", "delimiter", "delim", "osp")
#: Methods of estimators and models, of which the one argument is a DataFrame.
_FITTING = frozenset(["fit", "transform", "evaluate"])
#: A name that stands for a DataFrame however it is used.
_SURELY = re.compile(r"df\d*|\w+_df\d*|\w+[a-z]DF\d*|data_?[fF]rame")


class Uses:
    """How the names of a program are used."""

    def __init__(self, tree: ast.AST) -> None:
        self.frames: set[str] = set()
        self.rdds: set[str] = set()
        self.indexed: set[str] = set()
        self.called: set[str] = set()
        #: What is given to `fit` and to models, which are of DataFrames where something is fitted.
        self.fitted: set[str] = set()
        self.fits = False
        #: Names of which methods are called that only a session has.
        self.sessions: set[str] = set()
        #: Whether statements may change more than the names that they bind: attributes of objects, other scopes, views.
        self.keeps_state = False
        #: Whether the text imports functions of columns.
        self.imports_functions = False
        #: Whether one was called that the text does not import: it is a part of a program.
        self.lacks_functions = False
        for node in nodes_of(tree):
            self._look(node)
            self.keeps_state |= isinstance(node, ast.ClassDef | ast.Global | ast.Nonlocal)
            self.keeps_state |= isinstance(node, ast.Attribute) and "Temp" in node.attr

    def _look(self, node: ast.AST) -> None:
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("pyspark.sql"):
                self.imports_functions |= "functions" in module or any(a.name == "functions" for a in names)
            case ast.Import(names=names):
                self.imports_functions |= any(a.name == "pyspark.sql.functions" for a in names)
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                if attr in _FRAMES:
                    self.frames.add(name)
                if attr in _RDD:
                    self.rdds.add(name)
                if attr in _SESSION:
                    self.sessions.add(name)
                self.indexed.add(name)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str())):
                self.indexed.add(name)
            case ast.Call(func=func, args=args):
                if isinstance(func, ast.Name):
                    self.called.add(func.id)
                called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                if called in _COMBINING and args and isinstance(args[0], ast.Name) and not _joins_texts(func):
                    self.frames.add(args[0].id)
                if called in _FITTING and len(args) == 1 and isinstance(args[0], ast.Name):
                    self.fitted.add(args[0].id)
                    self.fits |= called == "fit"
                if isinstance(func, ast.Attribute) and called in ("union", "unionByName", "unionAll", "join"):
                    for a in args[1:2] if isinstance(func.value, ast.Name) and func.value.id == "DataFrame" else ():
                        if isinstance(a, ast.Name):
                            self.frames.add(a.id)

    def is_frame(self, name: str) -> bool:
        """Whether a name is used as a DataFrame."""
        if name in self.rdds and not _NAMED.search(name):
            return False
        if name in self.frames or _SURELY.fullmatch(name) or (self.fits and name in self.fitted):
            return True
        return name in self.indexed and _NAMED.search(name) is not None


def _joins_texts(func: ast.expr) -> bool:
    """Whether a call is that of `", ".join`, `separator.join` or `os.path.join`."""
    if not isinstance(func, ast.Attribute) or func.attr != "join":
        return False
    receiver = func.value
    if isinstance(receiver, ast.Constant | ast.JoinedStr):
        return True
    return (receiver.attr if isinstance(receiver, ast.Attribute) else getattr(receiver, "id", "")) in _JOINERS


def stand_in(reader: Interpreter, node: ast.Name) -> object:
    """What a name that nothing was bound to most likely means; an unknown value where nothing tells."""
    name = node.id
    uses = reader.uses
    if name in _MODULES and name in uses.indexed and name not in uses.called and not _is_table(reader, name):
        return _noted(reader, node, f"{_MODULES[name]}", reader.importing(_MODULES[name]))
    module = _ORIGIN.get(name)
    if module is not None:
        return _noted(reader, node, f"{module}.{name}", reader.module_attribute(reader.importing(module), name))
    if name == "z":
        # Zeppelin's: what a cell shows.
        shows = Native("z.show", lambda v=None, *a, **k: reader.displayed(v), True)
        return Module("z", {"show": shows})
    if name in uses.sessions and name not in uses.frames:
        reader.pass_over(node, f"{name} is not defined: it is taken for the session.")
        return reader.session
    if uses.is_frame(name):
        reader.pass_over(node, f"{name} is not defined: it is taken for a table of that name.")
        return reader.session.table(name)
    if name in uses.called:
        try:
            found = reader.module_attribute(reader.importing("pyspark.sql.functions"), name)
        except KeyError:
            found = None
        if found is not None:
            uses.lacks_functions = True
            return _noted(reader, node, f"pyspark.sql.functions.{name}", found)
    if name in uses.rdds:
        reader.pass_over(node, f"{name} is not defined: it is taken for an RDD.")
        return RDD(reader.session)
    reader.pass_over(node, f"{name} is not defined: it stands for a value that nobody knows.")
    return Unknown(name)


def _is_table(reader: Interpreter, name: str) -> bool:
    """One letter that is used as DataFrames are (f.select(...)) is one."""
    return name in reader.uses.frames and name not in ("F", "T", "functions", "types")


def _noted(reader: Interpreter, node: ast.Name, what: str, value: object) -> object:
    reader.pass_over(node, f"{node.id} is not imported: it is taken for {what}.")
    return value
