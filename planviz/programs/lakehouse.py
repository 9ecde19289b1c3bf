"""Databricks: widgets, Delta's tables, declared pipelines; and what a model of dbt in Python is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.functions import expr
from planviz.programs.placeholders import filled_part, only_unknown
from planviz.programs.values import Described, Function, Module, Native, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.calls import Calls
    from planviz.programs.interpreter import Interpreter


class Widgets(Described):
    """dbutils.widgets: what has a default has that value."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}

    def attribute(self, name: str) -> Value:
        """text, dropdown and their kin define a value, get reads it."""
        if name in ("text", "dropdown", "combobox", "multiselect"):
            return Native(name, self._define, True)
        if name in ("get", "getArgument"):
            return Native(name, lambda key="", *a: self.values.get(str(key)) or Unknown(f"widgets.{key}"), True)
        return Native(name, lambda *a, **k: Unknown(f"widgets.{name}"), True)

    def _define(self, name: object = "", value: object = None, *given: object, **named: object) -> None:
        value = named.get("defaultValue", value)
        self.values[str(name)] = value if isinstance(value, str) and value else None


class Utilities(Described):
    """dbutils."""

    def __init__(self) -> None:
        self.widgets = Widgets()

    def attribute(self, name: str) -> object:
        """Its parts; all but the widgets are unknown."""
        return self.widgets if name == "widgets" else Unknown(f"dbutils.{name}")


class DbtModel(Described):
    """`dbt` of `def model(dbt, session)`: ref and source are tables, all else nobody knows."""

    def __init__(self, reader: Calls) -> None:
        self.reader = reader

    def attribute(self, name: str) -> object:
        """ref, source, and what only dbt knows."""
        if name in ("ref", "source"):
            return Native(name, lambda *names: self._table(names[-1:] if name == "ref" else names), True)
        return Unknown(f"dbt.{name}")

    def _table(self, names: tuple[object, ...]) -> Value:
        return self.reader.session.table(".".join(map(str, names)))


class DeltaTable(Described):
    """delta.tables.DeltaTable over the DataFrame of its rows."""

    def __init__(self, reader: Interpreter, frame: DataFrame) -> None:
        self.reader, self.frame = reader, frame

    def attribute(self, name: str) -> object:
        """toDF, merge, and what changes rows."""
        if name == "toDF":
            return Native(name, lambda *a: self.frame, True)
        if name in ("alias", "as_"):
            return Native(name, lambda n="", *a: DeltaTable(self.reader, self.frame.alias(str(n))), True)
        if name == "merge":
            return Native(name, self._merge, True)
        return Native(name, lambda *a, **k: Unknown(f"DeltaTable.{name}"), True)

    def _merge(self, source: object = None, condition: object = None) -> object:
        if not isinstance(source, DataFrame):
            return Unknown("DeltaTable.merge")
        return Merge(self.reader, self.frame, source, condition)


class Merge(Described):
    """A merge that is being described. Executed it joins its target with its source, as its clauses say.

    `kinds` are the clauses' so far: matched, source (NOT MATCHED) and target (NOT MATCHED BY SOURCE).
    """

    def __init__(
        self, reader: Interpreter, target: DataFrame, source: DataFrame, condition: object, kinds: tuple[str, ...] = ()
    ) -> None:
        self.reader, self.target, self.source, self.condition, self.kinds = reader, target, source, condition, kinds

    def attribute(self, name: str) -> object:
        """The clauses, of Python (`whenMatchedUpdate(set=...)`) and of Scala (`whenMatched().updateExpr(...)`)."""
        if name in ("execute", "merge"):
            return Native(name, lambda *a: self._execute(), True)
        kind = next((kind for words, kind in _CLAUSES if name.startswith(words)), None)
        kinds = self.kinds if kind is None else (*self.kinds, kind)
        made = Merge(self.reader, self.target, self.source, self.condition, kinds)
        return Native(name, lambda *given, **named: made._reading((*given, *named.values())), True)

    def _reading(self, given: Sequence[object]) -> Merge:
        """The merge, after what its last clause names was looked for: in the rows that the clause is for."""
        kind = self.kinds[-1] if self.kinds else ""
        rows = {"matched": self._joined("inner"), "source": self.source, "target": self.target}.get(kind)
        values = [v for one in given for v in (one.values() if isinstance(one, dict) else [one])]
        columns = [c for one in given if isinstance(one, dict) for c in one]
        for frame, names in ((rows, values), (self.target, columns)):
            asked = [column for one in names if (column := _column(one)) is not None]
            if frame is not None and asked:
                frame.select(*asked)
        return self

    def _execute(self) -> None:
        if set(self.kinds) == {"source"}:
            joined = self._joined("left_anti", self.source, self.target)
        else:
            joined = self._joined(_MERGED["source" in self.kinds, "target" in self.kinds])
        self.reader.act("merge", self.source if joined is None else joined)

    def _joined(self, how: str, left: DataFrame | None = None, right: DataFrame | None = None) -> DataFrame | None:
        """Target and source joined; None where the text does not tell the condition."""
        condition = _column(self.condition)
        return None if condition is None else (left or self.target).join(right or self.source, condition, how)


#: How the names of a merge's clauses begin, the longer first.
_CLAUSES = (("whenNotMatchedBySource", "target"), ("whenNotMatched", "source"), ("whenMatched", "matched"))
#: How Spark joins target and source, by whether there are clauses for rows of the source alone and of the target alone.
_MERGED = {(False, False): "inner", (True, False): "right", (False, True): "left", (True, True): "full"}


def _column(value: object) -> Column | None:
    """What is given as SQL or as a column; None for what the text does not tell."""
    if isinstance(value, str):
        return None if only_unknown(value) or not value.strip() else expr(filled_part(value, "SELECT "))
    return value if isinstance(value, Column) else None


def delta_module(reader: Interpreter, name: str) -> Module:
    """delta.tables."""

    def path(session: object = None, where: object = "", *given: object) -> DeltaTable:
        return DeltaTable(reader, reader.session.read.format("delta").load(where))

    def table(session: object = None, where: object = "", *given: object) -> DeltaTable:
        one = where if isinstance(where, str) and where else session
        return DeltaTable(reader, reader.session.table(str(one)))

    made = Module("DeltaTable", {"forPath": Native("forPath", path, True), "forName": Native("forName", table, True)})
    configure = Native("configure_spark_with_delta_pip", lambda builder=None, *a, **k: builder, True)
    names = {"DeltaTable": made, "configure_spark_with_delta_pip": configure}
    return Module(name, {**names, "tables": Module("delta.tables", {"DeltaTable": made}, closed=True)}, closed=True)


def pipeline_module(reader: Interpreter, name: str) -> Module:
    """dlt: functions whose DataFrames are tables of a pipeline."""
    tables: dict[str, Function] = {}

    def declare(*given: object, **named: object) -> object:
        if given and isinstance(given[0], Function):
            tables[str(named.get("name") or given[0].__name__)] = given[0]
            return given[0]
        return Native("table", lambda f=None, *a: declare(f, **named) if isinstance(f, Function) else f, True)

    def read(which: object = "", *given: object) -> Value:
        known = tables.get(str(which))
        made = reader.call(known, [], {}, None) if known is not None else None
        return made if isinstance(made, DataFrame) else reader.session.table(str(which).removeprefix("LIVE."))

    keeping = Native("expect", lambda *a, **k: Native("expect", lambda f=None, *b: f, True), True)
    names: dict[str, Value] = dict.fromkeys(("table", "view", "materialized_view", "temporary_view", "append_flow"),
                                          Native("table", declare, True))  # fmt: skip
    names |= dict.fromkeys(("expect", "expect_or_drop", "expect_or_fail", "expect_all", "expect_all_or_drop",
                            "expect_all_or_fail"), keeping)  # fmt: skip
    names |= dict.fromkeys(("read", "read_stream", "readStream"), Native("read", read, True))
    return Module(name, names)
