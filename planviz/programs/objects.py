"""What Scala's typed operations give: rows that functions of objects make, so that only their uses tell the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.programs.values import Module, Native

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

_OF_GROUPS = "mapGroups flatMapGroups agg reduceGroups cogroup mapGroupsWithState flatMapGroupsWithState keys"


def made_of_objects(reader: Interpreter, name: str, *columns: str) -> Native:
    """A method whose result has these columns, as far as they are known."""

    def rows(*given: object, **named: object) -> object:
        return reader.session.guessed_rows(f"{name} of line {getattr(reader.at, 'lineno', 1)}", columns)

    return Native(name, rows, True)


def groups_of_objects(reader: Interpreter) -> Module:
    """What groupByKey gives."""
    made = Module("groupByKey", {name: made_of_objects(reader, name) for name in _OF_GROUPS.split()})
    made.names["count"] = made_of_objects(reader, "count", "key", "count(1)")
    made.names["mapValues"] = Native("mapValues", lambda *given: made, True)
    return made
