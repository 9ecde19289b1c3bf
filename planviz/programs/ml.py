"""pyspark.ml: what is fitted runs queries, what a model makes of a DataFrame is its columns and further ones.

Nothing is learned. `transformers` knows the columns that stages of the common classes add; of others only their names
are known, and those that are used later.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from planviz.dataframe.frame import DataFrame
from planviz.errors import AnalysisError
from planviz.programs.transformers import of_vector, to_vector, transformed
from planviz.programs.values import Described, Module, Native, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

_OUTPUTS = ("outputCol", "outputCols", "predictionCol", "probabilityCol", "rawPredictionCol")
_PREDICTING = ("Classifi", "Regress", "KMeans", "Mixture", "ALS", "SVC", "Bayes", "Perceptron", "Boost")
#: The classes of modules, as `from module import *` brings them; models apart.
_CLASSES = {
    "feature": """Binarizer BucketedRandomProjectionLSH Bucketizer ChiSqSelector CountVectorizer DCT ElementwiseProduct
        FeatureHasher HashingTF IDF Imputer IndexToString Interaction MaxAbsScaler MinHashLSH MinMaxScaler NGram
        Normalizer OneHotEncoder PCA PolynomialExpansion QuantileDiscretizer RobustScaler RegexTokenizer RFormula
        SQLTransformer StandardScaler StopWordsRemover StringIndexer TargetEncoder Tokenizer UnivariateFeatureSelector
        VarianceThresholdSelector VectorAssembler VectorIndexer VectorSizeHint VectorSlicer Word2Vec""",
    "classification": """LinearSVC LogisticRegression DecisionTreeClassifier GBTClassifier RandomForestClassifier
        NaiveBayes MultilayerPerceptronClassifier OneVsRest FMClassifier""",
    "regression": """AFTSurvivalRegression DecisionTreeRegressor GBTRegressor GeneralizedLinearRegression
        IsotonicRegression LinearRegression RandomForestRegressor FMRegressor""",
    "clustering": "BisectingKMeans KMeans GaussianMixture LDA PowerIterationClustering",
    "recommendation": "ALS",
    "evaluation": """Evaluator BinaryClassificationEvaluator RegressionEvaluator MulticlassClassificationEvaluator
        MultilabelClassificationEvaluator ClusteringEvaluator RankingEvaluator""",
    "tuning": "ParamGridBuilder CrossValidator TrainValidationSplit",
}  # fmt: skip


class Stage(Described):
    """An estimator, transformer, model or evaluator by its class's name, with the columns that it adds."""

    def __init__(self, reader: Interpreter, name: str, given: tuple[object, ...], named: dict[str, object]) -> None:
        self.reader, self.name = reader, name
        self.outputs: list[str] = []
        #: The parameters by name, as far as the text tells them, and the stages of a pipeline.
        self.parameters: dict[str, Value] = dict(named)
        self.stages: list[Stage] = []
        self._note(named)
        for inner in (*named.values(), *given):
            for one in inner if isinstance(inner, list) else [inner]:
                if isinstance(one, Stage):
                    self.outputs += one.outputs
                    self.stages.append(one)
        if not self.outputs and any(word in name for word in _PREDICTING):
            self.outputs = ["prediction"]

    def _note(self, named: dict[str, object]) -> None:
        for key in _OUTPUTS:
            value = named.get(key)
            self.outputs += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)]

    def attribute(self, name: str) -> object:
        """A method or parameter of the stage."""
        if name == "fit":
            return Native("fit", self._fit, True)
        if name == "transform":
            return Native("transform", self._transform, True)
        if name == "evaluate":
            return Native("evaluate", self._evaluate, True)
        if name in ("bestModel", "copy", "write", "read", "overwrite", "load"):
            return self if name == "bestModel" else Native(name, lambda *a, **k: self, True)
        if name == "setStages":
            return Native(name, lambda stages=(), *a: self._with(Stage(self.reader, "", (stages,), {})), True)
        if name.startswith("set"):
            key = name[3:4].lower() + name[4:]
            return Native(name, lambda value=None, *a, **k: self._set(key, value), True)
        return Unknown(f"{self.name}.{name}")

    def _with(self, inner: Stage) -> Stage:
        self.outputs += inner.outputs
        self.stages = inner.stages
        return self

    def _set(self, key: str, value: object) -> Stage:
        self.parameters[key] = value
        self._note({key: value})
        return self

    def _fit(self, frame: object = None, *given: object, **named: object) -> Stage:
        if isinstance(frame, DataFrame):
            if self.reader.session.guesses.tables:
                self._ask(frame)
            self.reader.act("fit", frame)
        return self

    def _ask(self, frame: DataFrame) -> None:
        """Use the columns that the stages read, from which those of a guessed table are learned."""
        made = self._made(frame)
        for stage in [self, *self.stages]:
            label = stage.parameters.get("labelCol")
            if isinstance(label, str):
                with suppress(AnalysisError):
                    made.select(label)

    def _transform(self, frame: object = None, *given: object, **named: object) -> object:
        if not isinstance(frame, DataFrame):
            return Unknown(f"{self.name}.transform(...)")
        return self._made(frame)

    def _made(self, frame: DataFrame) -> DataFrame:
        """The DataFrame with the columns of this stage, or of all of a pipeline's or a tuned estimator's."""
        if self.stages and not self.name.endswith("OneVsRest"):
            for stage in self.stages:
                if not stage.name.endswith("Evaluator"):
                    frame = stage._made(frame)
            return frame
        try:
            made = transformed(self.name, self.parameters, frame)
        except AnalysisError:
            # A column of a guess, or of an earlier stage that is not known.
            made = None
        return self.reader.session.transformed(frame, self.name, self.outputs) if made is None else made

    def _evaluate(self, frame: object = None, *given: object, **named: object) -> Unknown:
        if isinstance(frame, DataFrame):
            self.reader.act("evaluate", frame)
        return Unknown(f"{self.name}.evaluate(...)")


def ml_module(reader: Interpreter, name: str) -> Module:
    """A module of pyspark.ml: every class is a stage."""

    def get(attribute: str) -> Value:
        if attribute[:1].isupper():
            made = Native(attribute, lambda *a, **k: Stage(reader, attribute, a, k), True)
            load = Native("load", lambda *a, **k: Stage(reader, attribute, (), {}), True)
            return Module(attribute, {"__call__": made, "load": load, "read": load})
        if attribute in ("functions", "feature", "classification", "regression", "clustering", "evaluation", "tuning",
                         "recommendation", "linalg", "stat", "pipeline"):  # fmt: skip
            return reader.importing(f"{name}.{attribute}")
        return Unknown(f"{name}.{attribute}")

    def exported() -> dict[str, object]:
        return {n: get(n) for n in _CLASSES.get(name.removeprefix("pyspark.ml."), "").split()}

    if name.endswith(".functions"):
        known = {"vector_to_array": of_vector, "array_to_vector": to_vector}
        return Module(name, {n: Native(f"functions.{n}", f) for n, f in known.items()})
    if name.endswith((".linalg", ".stat", ".util", ".param")):
        return Module(name)
    return Module(name, {}, get, exported=exported)
