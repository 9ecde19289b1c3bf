"""AWS Glue: dynamic frames as the DataFrames that they stand for, and what is read and written through its context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planviz.dataframe.frame import DataFrame
from planviz.dataframe.functions import col
from planviz.programs.values import Described, Module, Native, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

#: Transforms that leave the columns as they are, and those after which nobody knows them.
_SAME = """filter resolveChoice resolve_choice repartition coalesce unnest union spigot mergeDynamicFrame
dropNullFields drop_nulls errorsAsDynamicFrame stageThreshold"""
_LOSING = "map split_rows split_fields relationalize unbox pivot flatMap"
_TYPES = {"long": "bigint", "short": "smallint", "byte": "tinyint", "choice": "string", "null": "string"}


class DynamicFrame(Described):
    """A dynamic frame: a DataFrame whose types may be open."""

    def __init__(self, reader: Interpreter, frame: DataFrame) -> None:
        self.reader, self.frame = reader, frame

    def attribute(self, name: str) -> Value:
        """A method or property."""
        own = {
            "toDF": lambda *a, **k: self.frame, "count": self.frame.count, "show": self.frame.show,
            "printSchema": self.frame.printSchema, "schema": lambda: self.frame.schema,
            "select_fields": lambda paths=(), *a, **k: self._select(paths),
            "drop_fields": lambda paths=(), *a, **k: self._drop(paths),
            "rename_field": lambda *a, **k: self._rename(*a, *k.values()),
            "apply_mapping": lambda mappings=(), *a, **k: self._mapped(mappings),
            "applyMapping": lambda mappings=(), *a, **k: self._mapped(mappings),
            "join": lambda paths1=(), paths2=(), frame2=None, *a, **k: self._join(paths1, paths2, frame2),
            "write": lambda *a, **k: self._write(),
        }  # fmt: skip
        if name in own:
            return Native(name, own[name], True)
        if name in _SAME.split():
            return Native(name, lambda *a, **k: self, True)
        if name in _LOSING.split():
            return Native(name, lambda *a, **k: self._lost(name), True)
        return Unknown(f"DynamicFrame.{name}")

    def _of(self, frame: DataFrame) -> DynamicFrame:
        return DynamicFrame(self.reader, frame)

    def _select(self, paths: object) -> object:
        names = _names(paths)
        return self._of(self.frame.select(*names)) if names else self

    def _drop(self, paths: object) -> DynamicFrame:
        return self._of(self.frame.drop(*_names(paths)))

    def _rename(self, old: object, new: object) -> DynamicFrame:
        if not isinstance(old, str) or not isinstance(new, str):
            return self
        self.reader.learn(self.frame, old)
        return self._of(self.frame.withColumnRenamed(old, new))

    def _mapped(self, mappings: Value) -> Value:
        rows = [m for m in mappings if isinstance(m, tuple | list) and len(m) >= 2] if mappings else []
        if not rows or not all(isinstance(x, str) for m in rows for x in m):
            return self
        items = []
        for m in rows:
            new, kind = (m[2], m[3]) if len(m) >= 4 else (m[1], "")
            self.reader.learn(self.frame, m[0])
            # Of a struct that is guessed only the query asks for the field.
            column = self.frame[m[0]] if "." not in m[0] or m[0] in self.frame.columns else col(m[0])
            items.append((column.cast(_TYPES.get(kind, kind)) if len(m) >= 4 and m[1] != kind else column).alias(new))
        return self._of(self.frame.select(*items))

    def _join(self, one: object, other: object, frame: DynamicFrame) -> DynamicFrame:
        if not isinstance(frame, DynamicFrame):
            return self
        pairs = list(zip(_names(one), _names(other), strict=False))
        for a, b in pairs:
            self.reader.learn(self.frame, a)
            self.reader.learn(frame.frame, b)
        # Glue calls what both sides have of the second one by its name behind a point.
        mine = {name.lower() for name in self.frame.columns}
        names = {n.lower(): f".{n}" if n.lower() in mine else n for n in frame.frame.columns}
        right = frame.frame
        if any(n.startswith(".") for n in names.values()):
            right = right.select(*[right[n].alias(names[n.lower()]) for n in right.columns])
        condition = None
        for a, b in pairs:
            part = self.frame[a] == right[f"`{names.get(b.lower(), b)}`"]
            condition = part if condition is None else condition & part
        return self._of(self.frame.join(right, condition))

    def _lost(self, name: str) -> object:
        return self._of(self.reader.session.guessed_rows(f"{name} of a dynamic frame"))

    def _write(self) -> object:
        self.reader.act("write", self.frame)
        return self


def glue_module(reader: Interpreter, name: str) -> Module:
    """awsglue's modules."""
    if name == "awsglue.context":
        return Module(name, {"GlueContext": Native("GlueContext", lambda *a, **k: context(reader), True)})
    if name == "awsglue.dynamicframe":
        return Module(name, {"DynamicFrame": _frame_class(reader), "DynamicFrameCollection": Unknown("collection")})
    if name == "awsglue.transforms":
        return Module(name, transforms(), closed=False)
    if name == "awsglue.utils":
        made = Native("getResolvedOptions", lambda argv=None, names=(), *a: _options(names), True)
        return Module(name, {"getResolvedOptions": made})
    return Module(name)


def _options(names: object) -> object:
    given = names if isinstance(names, list | tuple) else ()
    return {str(n): Unknown(f"args.{n}") for n in given}


def _frame_class(reader: Interpreter) -> Module:
    made = Native("fromDF", lambda frame=None, *a, **k: _wrapped(reader, frame), True)
    return Module("DynamicFrame", {"fromDF": made, "__call__": made})


def _wrapped(reader: Interpreter, frame: object) -> object:
    return DynamicFrame(reader, frame) if isinstance(frame, DataFrame) else Unknown("DynamicFrame")


def transforms() -> dict[str, object]:
    """ApplyMapping.apply(frame = ...) and the other classes of transforms."""

    def of(method: str, *order: str) -> Module:
        def apply(*given: object, **named: object) -> Value:
            values = {**dict(zip(("frame", *order), given, strict=False)), **named}
            frame = next((values[k] for k in ("frame", "dynamicFrame", "frame1") if k in values), None)
            if not isinstance(frame, DynamicFrame):
                return frame if frame is not None else Unknown(method)
            return frame.attribute(method).function(*[values[k] for k in order if k in values])

        return Module(method, {"apply": Native(f"{method}.apply", apply, True)})

    def join(*given: object, **named: object) -> Value:
        values = {**dict(zip(("frame1", "frame2", "keys1", "keys2"), given, strict=False)), **named}
        one, other = values.get("frame1"), values.get("frame2")
        if not isinstance(one, DynamicFrame):
            return Unknown("Join.apply")
        return one.attribute("join").function(values.get("keys1"), values.get("keys2"), other)

    return {
        "ApplyMapping": of("apply_mapping", "mappings"), "SelectFields": of("select_fields", "paths"),
        "DropFields": of("drop_fields", "paths"), "RenameField": of("rename_field", "old_name", "new_name"),
        "ResolveChoice": of("resolveChoice"), "DropNullFields": of("dropNullFields"), "Filter": of("filter"),
        "Map": of("map"), "Relationalize": of("relationalize"), "Unbox": of("unbox"),
        "Join": Module("Join", {"apply": Native("Join.apply", join, True)}),
        "SelectFromCollection": Module("Select", {"apply": Native("apply", lambda dfc=None, *a, **k: dfc, True)}),
    }  # fmt: skip


def context(reader: Interpreter) -> Module:
    """A GlueContext: its session, and what it reads and writes."""

    def catalogued(*given: object, **named: object) -> DataFrame:
        values = {**dict(zip(("database", "table_name"), given, strict=False)), **named}
        parts = [str(values.get(k)) for k in ("database", "name_space", "table_name") if values.get(k) is not None]
        return reader.session.table(".".join(f"`{p}`" for p in parts))

    def options(*given: object, **named: object) -> Value:
        where = named.get("connection_options")
        found = where if isinstance(where, dict) else {}
        path = found.get("paths") or found.get("path") or found.get("dbtable") or named.get("connection_type", "source")
        return reader.session.from_source(str(named.get("format") or "json"), path, None)

    def reading(wrap: bool) -> Module:
        def made(read: Any) -> Native:
            return Native("read", lambda *a, **k: DynamicFrame(reader, read(*a, **k)) if wrap else read(*a, **k), True)

        rows = Native("from_rdd", lambda *a, **k: Unknown("DynamicFrame"), True)
        return Module("reader", {"from_catalog": made(catalogued), "from_options": made(options), "from_rdd": rows})

    def write(*given: object, **named: object) -> Value:
        frame = next((v for v in (*given, *named.values()) if isinstance(v, DynamicFrame | DataFrame)), None)
        if frame is not None:
            reader.act("write", frame.frame if isinstance(frame, DynamicFrame) else frame)
        return frame

    writer = Native("write", write, True)
    frames = dict.fromkeys(("from_options", "from_catalog", "from_jdbc_conf"), writer)
    made = {
        "spark_session": reader.session, "sparkSession": reader.session,
        "create_dynamic_frame": reading(True), "create_data_frame": reading(False),
        "create_dynamic_frame_from_catalog": reading(True).names["from_catalog"],
        "create_dynamic_frame_from_options": reading(True).names["from_options"],
        "create_data_frame_from_catalog": reading(False).names["from_catalog"],
        "write_dynamic_frame": Module("writer", {**frames, "__call__": writer}),
        "write_data_frame": Module("writer", {**frames, "__call__": writer}),
        "write_dynamic_frame_from_options": writer, "write_dynamic_frame_from_catalog": writer,
        "read": reader.session.read, "sql": reader.session.sql, "table": reader.session.table,
        "createDataFrame": reader.session.createDataFrame,
    }  # fmt: skip
    return Module("GlueContext", made)


def _names(paths: object) -> list[str]:
    given = paths if isinstance(paths, list | tuple) else [paths]
    return [p for p in given if isinstance(p, str)]
