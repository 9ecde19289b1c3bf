"""pyspark.ml: what is fitted runs queries, what a model makes of a DataFrame is its columns and further ones.

No stage is computed: of a stage only the names of the columns that it adds are known, and those that are used later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.dataframe.frame import DataFrame
from planviz.programs.values import Described, Module, Native, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

_OUTPUTS = ("outputCol", "outputCols", "predictionCol", "probabilityCol", "rawPredictionCol")
_PREDICTING = ("Classifi", "Regress", "KMeans", "Mixture", "ALS", "SVC", "Bayes", "Perceptron", "Boost")


class Stage(Described):
    """An estimator, transformer, model or evaluator by its class's name, with the columns that it adds."""

    def __init__(self, reader: Interpreter, name: str, given: tuple[object, ...], named: dict[str, object]) -> None:
        self.reader, self.name = reader, name
        self.outputs: list[str] = []
        self._note(named)
        for inner in (*named.values(), *given):
            for one in inner if isinstance(inner, list) else [inner]:
                if isinstance(one, Stage):
                    self.outputs += one.outputs
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
            return Native(name, lambda stages=(), *a: self._with(Stage(self.reader, "", (stages,), {}).outputs), True)
        if name.startswith("set"):
            key = name[3:4].lower() + name[4:]
            return Native(name, lambda value=None, *a, **k: self._set(key, value), True)
        return Unknown(f"{self.name}.{name}")

    def _with(self, outputs: list[str]) -> Stage:
        self.outputs += outputs
        return self

    def _set(self, key: str, value: object) -> Stage:
        self._note({key: value})
        return self

    def _fit(self, frame: object = None, *given: object, **named: object) -> Stage:
        if isinstance(frame, DataFrame):
            self.reader.act("fit", frame)
        return self

    def _transform(self, frame: object = None, *given: object, **named: object) -> object:
        if not isinstance(frame, DataFrame):
            return Unknown(f"{self.name}.transform(...)")
        return self.reader.session.transformed(frame, self.name, self.outputs)

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

    if name.endswith((".linalg", ".stat", ".functions", ".util", ".param")):
        return Module(name)
    return Module(name, {}, get)
