"""`type(x)`: the class of a value as a value of its own, which programs compare, look up and ask for its name."""

from __future__ import annotations

import datetime
import decimal

from planviz.dataframe import api
from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.programs.values import (
    Class,
    ErrorClass,
    ErrorValue,
    Function,
    Instance,
    Module,
    NamedValues,
    Native,
    NumberMember,
    TextMember,
    Unknown,
    Value,
)
from planviz.types import DataType, StructField

_PARENTS = {
    "AnalysisException": ("PySparkException", "CapturedException"), "ParseException": ("AnalysisException",),
    "PySparkException": ("Exception",), "PySparkValueError": ("PySparkException", "ValueError"),
    "PySparkTypeError": ("PySparkException", "TypeError"),
    "PySparkAttributeError": ("PySparkException", "AttributeError"),
    "PySparkKeyError": ("PySparkException", "KeyError"),
    "PySparkAssertionError": ("PySparkException", "AssertionError"),
    "CapturedException": ("PySparkException",), "Py4JJavaError": ("Py4JError",),
    "KeyError": ("LookupError",), "IndexError": ("LookupError",), "ZeroDivisionError": ("ArithmeticError",),
    "OverflowError": ("ArithmeticError",), "FileNotFoundError": ("OSError", "IOError"),
    "ModuleNotFoundError": ("ImportError",), "UnicodeDecodeError": ("ValueError",), "RecursionError": ("RuntimeError",),
    "NotImplementedError": ("RuntimeError",),
}  # fmt: skip
_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,), "int": (int,), "float": (float,), "bool": (bool,), "list": (list,), "dict": (dict,),
    "tuple": (tuple,), "set": (set,), "bytes": (bytes,), "date": (datetime.date,), "datetime": (datetime.datetime,),
    "Decimal": (decimal.Decimal,), "DataFrame": (DataFrame,), "Column": (Column,), "Iterable": (list, tuple, dict, set),
    "Sequence": (list, tuple), "Mapping": (dict,), "NoneType": (type(None),), "DataType": (DataType,),
    "StructField": (StructField,),
}  # fmt: skip
#: Classes whose objects pass for another's in isinstance, and are not of it by `type`.
_FINER: tuple[tuple[str, type], ...] = (("int", bool), ("date", datetime.datetime))


def ancestors(name: str) -> set[str]:
    """The names of an exception's class and of those it comes from."""
    found, todo = {"Exception", "BaseException"}, [name]
    while todo:
        n = todo.pop()
        if n not in found:
            found.add(n)
            todo += _PARENTS.get(n, ())
    return found


def type_name(value: object) -> str:
    """The name of a value's type as the program would see it."""
    match value:
        case Instance():
            return value.of.name
        case Function():
            return "function"
        case ErrorValue():
            return value.name
    return type(value).__name__


def is_of(value: object, cls: object) -> bool | None:
    """isinstance for classes of Python and of PySpark; None: nobody can know."""
    if isinstance(cls, Native):
        kinds = _KINDS.get(cls.name)
        if kinds is not None:
            return isinstance(value, kinds)
        return api.is_type(value, cls.name)
    if isinstance(cls, ErrorClass):
        return isinstance(value, ErrorValue) and cls.name in ancestors(value.name)
    if isinstance(cls, Module):
        kinds = _KINDS.get(cls.name.rpartition(".")[2])
        return None if kinds is None else isinstance(value, kinds)
    return None


class TypeObject(Native):
    """The class of a known value. Called it makes a value that nobody knows."""

    def __init__(self, value: Value) -> None:
        of_types = api.type_class(value)
        super().__init__(of_types or type_name(value), lambda *a, **k: Unknown("type"), True)
        self.value = value


def type_of(value: Value) -> Value:
    """`type(value)`: the class of an object of the program, of a plain value, or of one of PySpark's."""
    if isinstance(value, Unknown):
        return Unknown(f"type({value.what})")
    if isinstance(value, Instance | NamedValues | TextMember | NumberMember):
        return value.of
    if isinstance(value, Native | Module | Class | ErrorClass) and not isinstance(value, TypeObject):
        return Native("type", lambda *a, **k: Unknown("type"), True)
    return TypeObject(value)


def same_class(left: Value, right: Value) -> bool | None:
    """Whether two classes, of which one is a TypeObject, are the same; None: nobody can know."""
    if not isinstance(left, TypeObject):
        left, right = right, left
    if isinstance(right, Unknown):
        return None
    if isinstance(right, TypeObject):
        return bool(left.name == right.name)
    if isinstance(left.value, ErrorValue) and isinstance(right, ErrorClass):
        return bool(left.name == right.name)
    if not isinstance(right, Native | Module):
        return False
    name: str = right.name.rpartition(".")[2]
    if any(n == name and isinstance(left.value, kind) for n, kind in _FINER) or api.is_base_type(name):
        return False  # nothing is of a base class itself
    return is_of(left.value, right)


def found_by_class(keys: object, wanted: object) -> object:
    """The key of a dict that is the same class as `type(x)`; any other key, and one that is not there, as it is."""
    if not isinstance(wanted, TypeObject):
        return wanted
    for key in keys if isinstance(keys, dict) else ():
        if isinstance(key, Native | Module | ErrorClass) and same_class(wanted, key):
            return key
    return wanted
