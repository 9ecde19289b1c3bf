"""Parts of values: attributes and items of what a program has, its own objects among them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from planviz.dataframe.unplanned import FUNCTIONS, is_unplanned
from planviz.programs import attributes
from planviz.programs.core import Core
from planviz.programs.frames import PandasFrame, Values
from planviz.programs.schema_json import of_struct_class
from planviz.programs.signals import raised
from planviz.programs.type_objects import TypeObject, found_by_class
from planviz.programs.values import (
    Class,
    Described,
    ErrorClass,
    ErrorValue,
    Function,
    Instance,
    Method,
    Module,
    NamedValues,
    Native,
    NumberMember,
    Super,
    TextMember,
    Unknown,
    UnknownRows,
    Value,
    named_values,
)

if TYPE_CHECKING:
    pass


class Members(Core):
    """Gives and sets attributes and items."""

    def attribute(self, value: object, name: str, node: ast.AST | None = None) -> Value:
        """value.name"""
        if isinstance(value, PandasFrame) and name not in PandasFrame.LOOKS:
            value.columns = None
        if isinstance(value, PandasFrame) and name == "columns" and value.columns is not None:
            return list(value.columns)
        match value:
            case Unknown():
                return attributes.of_unknown(value, name)
            case Described():
                return value.attribute(name)
            case Instance():
                return self._of_instance(value, name)
            case Class():
                return self._of_class(value, name)
            case Super():
                return self._of_super(value, name)
            case Module():
                return self._of_module(value, name, node)
            case TextMember() | NumberMember():
                return self._of_member(value, name)
            case NamedValues():
                return self._of_named(value, name)
            case ErrorValue():
                return value.arguments if name == "args" else Unknown(f"{value.name}.{name}")
            case Native(name="str" | "dict" | "list" | "chain" as kind):
                return self._unbound(kind, name)
            case Native(name="StructType") if name in ("fromJson", "fromDDL"):
                return of_struct_class(name)
            case ErrorClass() | Function() | Method() | Native():
                shown = getattr(value, "name", getattr(value, "__name__", "function"))
                return shown.rpartition(".")[2] if name in ("__name__", "__qualname__") else Unknown(f"{shown}.{name}")
        if is_unplanned(value, name):
            self.unplanned(f"{type(value).__name__}.{name}", node)
            return Unknown(name)
        return attributes.of_object(self, value, name)

    def _of_class(self, value: Class, name: str) -> Value:
        try:
            found = value.find(name)
        except KeyError:
            if name == "__name__":
                return value.name
            if name in ("_fields", "_make") and value.of_tuples:
                fields = tuple(value.fields or ())
                made = Native(name, lambda values: named_values(value, self.iterate(values)), True)
                return fields if name == "_fields" else made
            return Unknown(f"{value.name}.{name}")
        if isinstance(found, Function) and found.decorated == "classmethod":
            return Method(found, value)
        return found

    def _of_super(self, value: Super, name: str) -> Value:
        for base in value.owner.bases:
            if isinstance(base, Class):
                try:
                    found = base.find(name)
                except KeyError:
                    continue
                return Method(found, value.receiver) if isinstance(found, Function) else found
        return Native(f"super().{name}", lambda *_, **__: None, True)

    def _of_module(self, value: Module, name: str, node: ast.AST | None) -> Value:
        try:
            return self.module_attribute(value, name)  # type: ignore[attr-defined]
        except KeyError:
            if name in FUNCTIONS and value.name.endswith("functions"):
                self.unplanned(f"functions.{name}", node)
                return Unknown(name)
            raise raised("AttributeError", f"module '{value.name}' has no attribute '{name}'") from None

    def _unbound(self, kind: str, name: str) -> Value:
        """A method by its class: `str.lower` to be mapped, `dict.fromkeys`."""
        if (kind, name) == ("dict", "fromkeys"):
            return Native("dict.fromkeys", lambda keys, value=None: dict.fromkeys(self.iterate(keys), value))
        if (kind, name) == ("chain", "from_iterable"):
            return Native(name, lambda several: [x for s in self.iterate(several) for x in self.iterate(s)])
        if kind == "chain" or name.startswith("_"):
            return kind if name in ("__name__", "__qualname__") else Unknown(f"{kind}.{name}")
        return Native(f"{kind}.{name}", lambda value, *a: self.call(self.attribute(value, name), [*a], {}, None))

    def _of_instance(self, value: Instance, name: str) -> Value:
        if name in value.names:
            return value.names[name]
        if name == "__class__":
            return value.of
        if name == "__dict__":
            return value.names
        try:
            found = value.of.find(name)
        except KeyError:
            own = self.call_method(value, "__getattr__", [name], None)
            return Unknown(f"{value.of.name}.{name}") if own is None else own
        if isinstance(found, Function):
            if found.decorated == "staticmethod":
                return found
            if found.decorated == "property":
                return found(value)
            return Method(found, value.of if found.decorated == "classmethod" else value)
        return found

    def _of_member(self, value: TextMember | NumberMember, name: str) -> object:
        if name in ("value", "_value_"):
            return str(value) if isinstance(value, TextMember) else int(value)
        if name == "name":
            return value.member
        try:
            found = value.of.find(name)
        except KeyError:
            return attributes.of_object(self, value, name)
        if isinstance(found, Function):
            return found(value) if found.decorated == "property" else Method(found, value)
        return found

    def _of_named(self, value: NamedValues, name: str) -> object:
        if name == "_fields":
            return value._fields
        if name == "__class__":
            return value.of
        if name == "_replace":
            kept = dict(zip(value._fields, value, strict=True))
            return Native(name, lambda **new: named_values(value.of, {**kept, **new}.values()), True)
        try:
            found = None if name in value._fields else value.of.find(name)
        except KeyError:
            found = None
        if isinstance(found, Function):
            return found(value) if found.decorated == "property" else Method(found, value)
        return attributes.of_object(self, value, name) if found is None else found

    def call_method(self, value: Instance, name: str, arguments: list[object], otherwise: object) -> object:
        """A method of an object of the program, or `otherwise` where its class has none of that name."""
        try:
            found = value.of.find(name)
        except KeyError:
            return otherwise
        if isinstance(found, Native):
            return self.python(lambda: found.function(*arguments))
        return found(value, *arguments) if isinstance(found, Function) else otherwise

    def unplanned(self, name: str, node: ast.AST | None) -> None:
        """Note that PySpark has something that no plan here is made of."""
        raise NotImplementedError

    def set_attribute(self, value: object, name: str, given: object) -> None:
        """value.name = given"""
        if isinstance(value, PandasFrame):
            value.columns = None
        if isinstance(value, Instance | Class) or (isinstance(value, Module) and not value.closed):
            value.names[name] = given
        # An attribute set on anything else (df.createdBy = ...) changes no plan.

    def item(self, value: Value, key: Value, node: ast.AST | None = None) -> Value:
        """value[key]"""
        if isinstance(key, TypeObject):
            key = found_by_class(value, key)
        if isinstance(value, PandasFrame) and (part := value.part(key)) is not None:
            return part
        if isinstance(value, Values) and isinstance(key, int):
            return self.python(lambda: value.elements[key])
        if isinstance(value, Unknown):
            return UnknownRows(f"{value.what}[...]") if isinstance(key, slice) else Unknown(f"{value.what}[{key}]")
        if isinstance(value, Instance):
            return self.call_method(value, "__getitem__", [key], Unknown(value.of.name))
        if isinstance(key, Unknown):
            return attributes.item_unknown(self, value, key)
        if isinstance(value, Class) and value.members:
            return self.python(lambda: value.members[key])
        if isinstance(value, str | bytes | list | tuple | dict | range):
            return self.python(lambda: value[key])
        return attributes.item_of_object(self, value, key)

    def set_item(self, value: object, key: Value, given: object) -> None:
        """value[key] = given"""
        if isinstance(value, PandasFrame):
            value.columns = None
        if isinstance(value, Instance):
            self.call_method(value, "__setitem__", [key, given], None)
        elif isinstance(value, list | dict) and not isinstance(key, Unknown):
            attributes.check_spelled(key)
            self.python(lambda: value.__setitem__(key, given))
        elif not isinstance(value, Unknown | list | dict):
            attributes.set_item_of_object(self, value, key, given)
