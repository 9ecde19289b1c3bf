"""Databricks: widgets, Delta's tables, declared pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.dataframe.frame import DataFrame
from planviz.programs.values import Described, Function, Module, Native, Unknown, Value

if TYPE_CHECKING:
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
            return Native(name, lambda source=None, *a, **k: Merge(self.reader, source or k.get("source")), True)
        return Native(name, lambda *a, **k: Unknown(f"DeltaTable.{name}"), True)


class Merge(Described):
    """A merge that is being described; executed it computes its source."""

    def __init__(self, reader: Interpreter, source: object) -> None:
        self.reader, self.source = reader, source

    def attribute(self, name: str) -> object:
        """The clauses give the same merge."""
        if name == "execute":
            return Native(name, lambda *a: self._execute(), True)
        return Native(name, lambda *a, **k: self, True)

    def _execute(self) -> None:
        if isinstance(self.source, DataFrame):
            self.reader.act("merge", self.source)


def delta_module(reader: Interpreter, name: str) -> Module:
    """delta.tables."""

    def path(session: object = None, where: object = "", *given: object) -> DeltaTable:
        return DeltaTable(reader, reader.session.read.format("delta").load(where))

    def table(session: object = None, where: object = "", *given: object) -> DeltaTable:
        one = where if isinstance(where, str) and where else session
        return DeltaTable(reader, reader.session.table(str(one)))

    made = Module("DeltaTable", {"forPath": Native("forPath", path, True), "forName": Native("forName", table, True)})
    return Module(name, {"DeltaTable": made, "tables": Module("delta.tables", {"DeltaTable": made})})


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
