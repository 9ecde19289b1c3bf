"""What the models and transformers of pyspark.ml make of a DataFrame: the columns that they add, as Spark plans them.

A transformer is known by its class's name and its parameters. What a model has learned from data is inside of its
functions, of which plans show no more than `UDF`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from planviz.dataframe.column import Column, column_or_name
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.functions import isnan, struct, when
from planviz.expressions.core import Expression, Literal
from planviz.expressions.objects import ScalaUDF
from planviz.types import BOOLEAN, DOUBLE, FLOAT, INT, STRING, ArrayType, AtomicType, DataType, is_numeric

#: The type of vectors, by the name that schemas show.
VECTOR = AtomicType("vector", "VectorUDT", 8)
_WORDS = ArrayType(STRING, True)
#: A vector of a vector, or of a list of words.
_ONE_TO_ONE: dict[str, DataType] = {
    **dict.fromkeys(
        (
            "StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Normalizer", "PCA",
            "PolynomialExpansion", "HashingTF", "CountVectorizer", "IDF", "VectorIndexer", "ElementwiseProduct",
            "VectorSlicer", "DCT", "Word2Vec",
        ),
        VECTOR,
    ),
    **dict.fromkeys(("Tokenizer", "RegexTokenizer", "StopWordsRemover", "NGram"), _WORDS),
}  # fmt: skip
_CLASSIFIERS = (
    "LogisticRegression", "RandomForestClassifier", "DecisionTreeClassifier", "GBTClassifier", "NaiveBayes",
    "MultilayerPerceptronClassifier", "FMClassifier",
)  # fmt: skip
_REGRESSORS = (
    "LinearRegression", "RandomForestRegressor", "DecisionTreeRegressor", "GBTRegressor", "FMRegressor",
)  # fmt: skip
_CLUSTERINGS = ("KMeans", "BisectingKMeans")

Parameters = Mapping[str, object]


def transformed(name: str, parameters: Parameters, frame: DataFrame) -> DataFrame | None:
    """What the transformer or the fitted estimator of this class makes of a DataFrame; None for one not known here.

    `name` may be that of the class of the model. Raises AnalysisError for a column that the DataFrame has not.
    """
    plain = name.removesuffix("Model")
    rows = _TRANSFORMERS.get(plain)
    if plain in _ONE_TO_ONE:
        return _one_to_one(frame, parameters, _ONE_TO_ONE[plain])
    if plain in _CLASSIFIERS and not {"threshold", "thresholds"} & set(parameters):
        return _classified(frame, parameters)
    if plain in _REGRESSORS or plain in _CLUSTERINGS:
        column = _text(parameters, "featuresCol", "features")
        kind = INT if plain in _CLUSTERINGS else DOUBLE
        return _with(frame, {_text(parameters, "predictionCol", "prediction"): _udf(kind, frame[column].expr)})
    return None if rows is None else rows(frame, parameters)


def _text(parameters: Parameters, name: str, otherwise: str) -> str:
    given = parameters.get(name)
    return given if isinstance(given, str) else otherwise


def _udf(kind: DataType, *arguments: Expression, varies: bool = False) -> Column:
    """The function of a model; numbers are never null. `varies`: Spark calls it not deterministic."""
    return Column(ScalaUDF(arguments, kind, is_nullable=kind not in (DOUBLE, INT), udf_deterministic=not varies))


def _with(frame: DataFrame, columns: dict[str, Column]) -> DataFrame:
    return frame.withColumns(columns)


def _pairs(parameters: Parameters) -> list[tuple[str, str]]:
    """The columns read and the columns made, one by one; none where they are not told."""
    found: list[tuple[str, str]] = []
    for reads, makes in (("inputCol", "outputCol"), ("inputCols", "outputCols")):
        given, made = parameters.get(reads), parameters.get(makes)
        if isinstance(given, str) and isinstance(made, str):
            found.append((given, made))
        if isinstance(given, list) and isinstance(made, list) and len(given) == len(made):
            found += [(g, m) for g, m in zip(given, made, strict=True) if isinstance(g, str) and isinstance(m, str)]
    return found


def _one_to_one(frame: DataFrame, parameters: Parameters, kind: DataType) -> DataFrame | None:
    pairs = _pairs(parameters)
    return _with(frame, {m: _udf(kind, frame[g].expr) for g, m in pairs}) if pairs else None


def _indexed(frame: DataFrame, parameters: Parameters) -> DataFrame | None:
    """StringIndexer: rows with other values are an error, or get an index; they are not left out here."""
    pairs = _pairs(parameters)
    if not pairs or parameters.get("handleInvalid") == "skip":
        return None
    return _with(frame, {m: _udf(DOUBLE, frame[g].cast("string").expr, varies=True) for g, m in pairs})


def _encoded(frame: DataFrame, parameters: Parameters) -> DataFrame | None:
    pairs = _pairs(parameters)
    made = {m: _udf(VECTOR, frame[g].cast("double").expr, Literal(i, INT)) for i, (g, m) in enumerate(pairs)}
    return _with(frame, made) if made else None


def _bucketed(frame: DataFrame, parameters: Parameters) -> DataFrame | None:
    pairs = _pairs(parameters)
    made = {
        m: Column(ScalaUDF((frame[g].cast("double").expr,), DOUBLE, f"bucketizer_{i}", False, (DOUBLE,), (True,)))
        for i, (g, m) in enumerate(pairs)
    }
    return _with(frame, made) if made else None


def _assembled(frame: DataFrame, parameters: Parameters) -> DataFrame | None:
    given, made = parameters.get("inputCols"), parameters.get("outputCol")
    if not isinstance(given, list) or not isinstance(made, str) or not all(isinstance(g, str) for g in given):
        return None
    if parameters.get("handleInvalid") == "skip":
        frame = frame.na.drop(subset=given)
    return _with(frame, {made: _udf(VECTOR, struct(*[_number(frame[g], g) for g in given]).expr, varies=True)})


def _number(column: Column, name: str) -> Column:
    """A number as a floating one, under the name that the assembler gives it; its own number is left out."""
    kind = column.expr.data_type
    if kind == DOUBLE or not (is_numeric(kind) or kind == BOOLEAN):
        return column
    return column.cast("double").alias(f"{name}_double_VectorAssembler")


def _classified(frame: DataFrame, parameters: Parameters) -> DataFrame:
    features = _text(parameters, "featuresCol", "features")
    raw = _text(parameters, "rawPredictionCol", "rawPrediction")
    likely = _text(parameters, "probabilityCol", "probability")
    found = _text(parameters, "predictionCol", "prediction")
    scored = _with(frame, {raw: _udf(VECTOR, frame[features].expr)})
    judged = _with(scored, {likely: _udf(VECTOR, scored[raw].expr)})
    return _with(judged, {found: _udf(DOUBLE, judged[raw].expr)})


def _queried(frame: DataFrame, parameters: Parameters) -> DataFrame | None:
    statement = parameters.get("statement")
    if not isinstance(statement, str) or "<" in statement.replace("<>", ""):
        return None
    frame.createOrReplaceTempView("__this__")
    return frame.session.sql(statement.replace("__THIS__", "__this__"))


def _halved(frame: DataFrame, parameters: Parameters) -> DataFrame | None:
    """Binarizer: 1 above the threshold, else 0, computed by an expression of Spark's own."""
    pairs, given = _pairs(parameters), parameters.get("thresholds") or parameters.get("threshold", 0.0)
    limits = given if isinstance(given, list) else [given] * len(pairs)
    if not pairs or len(limits) != len(pairs) or not all(isinstance(n, int | float) for n in limits):
        return None
    if any(frame[g].expr.data_type == VECTOR for g, _ in pairs):
        return _one_to_one(frame, parameters, VECTOR)
    made = {}
    for (name, column), limit in zip(pairs, limits, strict=True):
        number = frame[name] if frame[name].expr.data_type == DOUBLE else frame[name].cast("double")
        made[column] = when(~isnan(number) & (number > float(limit)), 1.0).otherwise(0.0)
    return _with(frame, made)


def of_vector(col: Column | str, dtype: str = "float64") -> Column:
    """pyspark.ml.functions.vector_to_array: the numbers of a vector as an array."""
    return Column(ScalaUDF((column_or_name(col),), ArrayType(FLOAT if dtype == "float32" else DOUBLE, False)))


def to_vector(col: Column | str) -> Column:
    """pyspark.ml.functions.array_to_vector: an array of numbers as a vector."""
    return Column(ScalaUDF((column_or_name(col),), VECTOR))


_TRANSFORMERS: dict[str, Callable[[DataFrame, Parameters], DataFrame | None]] = {
    "StringIndexer": _indexed, "OneHotEncoder": _encoded, "Bucketizer": _bucketed, "QuantileDiscretizer": _bucketed,
    "VectorAssembler": _assembled, "SQLTransformer": _queried,
    "Binarizer": _halved,
}  # fmt: skip
