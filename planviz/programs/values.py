"""What names stand for while a program is read: unknown values, functions, classes, modules of the program.

Plain values (numbers, text, lists, dicts ...) are Python's own; DataFrames and columns are planviz.dataframe's.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

#: A value that the text of a program computes: of Python itself, or one of the classes of this room. Only the program
#: that is read says which.
Value: TypeAlias = Any


#: In the names of unknown values, whose own brackets must be the only ones.
_BRACKETS = str.maketrans("<>`\n", "‹›' ")


class Unknown:
    """A value that the text does not tell; `what` names it as the program does (`args.date`), in angle brackets.

    `kind` is its class where that is known: int, float or bool.
    """

    __slots__ = ("kind", "what")

    def __init__(self, what: str, kind: type | None = None) -> None:
        self.what, self.kind = what[:60].translate(_BRACKETS), kind

    def __repr__(self) -> str:
        return f"<{self.what}>"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)


class UnknownRows(Unknown):
    """Rows that only running the query would tell: a list of unknown length of unknown rows."""


class OpenDict(dict[Value, Value]):
    """A dict of which the text does not tell the keys: what a later line asks for is made then."""

    def __init__(self, known: dict[Value, Value], make: Callable[[Value], Value]) -> None:
        super().__init__(known)
        self.make = make

    def __missing__(self, key: Value) -> Value:
        """The value of a key that nothing was asked of yet."""
        if len(self) > 1_000:
            return Unknown(str(key))
        self[key] = made = self.make(key)
        return made


class UnknownList(Unknown):
    """Several values of which nobody knows how many there are: `*columns`."""


@dataclass(eq=False)
class Scope:
    """Names and what they stand for, inside a function with those around it."""

    names: dict[str, Value] = field(default_factory=dict)
    outer: Scope | None = None
    #: The names of this function that belong to the module or to a function around it.
    elsewhere: dict[str, Scope] = field(default_factory=dict)

    def find(self, name: str) -> object:
        """The value of a name; raises KeyError."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise KeyError(name)

    def set(self, name: str, value: object) -> None:
        """Let a name stand for a value here, or where `global` and `nonlocal` say."""
        self.elsewhere.get(name, self).names[name] = value


class Function:
    """A function of the program. Calling it reads its body with the interpreter that met its definition."""

    def __init__(
        self,
        interpreter: Interpreter,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        scope: Scope,
        defaults: dict[str, object],
    ) -> None:
        self.interpreter, self.node, self.scope, self.defaults = interpreter, node, scope, defaults
        #: PySpark shows a lambda by this name, too.
        self.__name__ = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        #: The class whose method it is, for super().
        self.owner: Class | None = None
        self.decorated = ""
        #: Whether a decorator of a library stands before it, which may give it arguments.
        self.wrapped = False
        parameters = [
            inspect.Parameter(a.arg, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for a in (*node.args.posonlyargs, *node.args.args)
        ]
        returns = getattr(node, "returns", None)
        hint = ast.unparse(returns).strip("'\"") if returns is not None else inspect.Signature.empty
        names = {p.name for p in parameters}
        self.__signature__ = (
            inspect.Signature(parameters, return_annotation=hint) if len(names) == len(parameters) else None
        )

    def __call__(self, *arguments: object, **named: object) -> object:
        """Read the body with these arguments."""
        return self.interpreter.call_function(self, list(arguments), named)


@dataclass(eq=False)
class Class:
    """A class of the program."""

    name: str
    bases: list[str]
    names: dict[str, Value]
    #: The fields of a dataclass in order, with what they are when not given (MISSING: they must be).
    fields: dict[str, Value] | None = None
    #: Whether its objects are tuples of the fields (NamedTuple, namedtuple).
    of_tuples: bool = False
    #: The members of an enumeration in order, by name.
    members: dict[str, object] = field(default_factory=dict)

    def find(self, name: str) -> Value:
        """A method or a value of the class, or of those it comes from; raises KeyError."""
        if name in self.names:
            return self.names[name]
        for base in self.bases:
            if isinstance(base, Class):
                try:
                    return base.find(name)
                except KeyError:
                    continue
        raise KeyError(name)

    def comes_from(self, other: str) -> bool:
        """Whether it is the class of that name or comes from one of that name."""
        if self.name == other:
            return True
        return any(b.comes_from(other) if isinstance(b, Class) else getattr(b, "name", "") == other for b in self.bases)


MISSING = object()


@dataclass(eq=False)
class Instance:
    """An object of a class of the program."""

    of: Class
    names: dict[str, Value] = field(default_factory=dict)


class YieldedValues(list[Value]):
    """What a generator yields; `block` is what a `with` runs at its first yield, where it is a context manager."""

    block: Callable[[Value], None] | None = None
    #: The call around the `with`.
    outside: tuple[Function, Value] | None = None


class NamedValues(tuple[Value, ...]):
    """An object of a class of named tuples: a tuple whose values have the names of the class's fields."""

    of: Class
    _fields: tuple[str, ...]


class TextMember(str):
    """A member of an enumeration of texts (`class Layer(str, Enum)`): the text itself, with a name and a class."""

    of: Class
    member: str


class NumberMember(int):
    """A member of an enumeration of whole numbers (IntEnum): the number itself, with a name and a class."""

    of: Class
    member: str


def named_values(cls: Class, values: Iterable[Value]) -> NamedValues:
    """An object of a class of named tuples."""
    made = NamedValues(values)
    made.of, made._fields = cls, tuple(cls.fields or ())
    return made


_TEXTS, _NUMBERS = ("str", "StrEnum"), ("int", "IntEnum", "IntFlag")
_ENUMERATIONS = ("Enum", "StrEnum", "IntEnum", "Flag", "IntFlag")


def enumerate_members(cls: Class) -> None:
    """Where a class is an enumeration, let its names stand for members that have a name and a value."""
    bases = base_names(cls)
    if not any(b in _ENUMERATIONS for b in bases):
        return
    for name, given in list(cls.names.items()):
        if name.startswith("_") or isinstance(given, Function | Class | Method):
            continue
        value = given
        if isinstance(given, Unknown) and "auto" in given.what:
            value = name.lower() if "StrEnum" in bases else len(cls.members) + 1
        member: Instance | TextMember | NumberMember = Instance(cls, {"name": name, "value": value})
        if isinstance(value, str) and any(b in _TEXTS for b in bases):
            member = TextMember(value)
        elif isinstance(value, int) and any(b in _NUMBERS for b in bases):
            member = NumberMember(value)
        if not isinstance(member, Instance):
            member.of, member.member = cls, name
        cls.names[name] = cls.members[name] = member


def base_names(cls: Class) -> list[str]:
    """The names of the classes that a class comes from, without their modules."""
    return [str(getattr(b, "what", getattr(b, "name", ""))).rpartition(".")[2] for b in _all_bases(cls)]


def _all_bases(cls: Class) -> list[object]:
    return [x for b in cls.bases for x in ([b, *_all_bases(b)] if isinstance(b, Class) else [b])]


@dataclass(eq=False)
class Method:
    """A function of the program with the object or class whose method it is."""

    function: Function
    receiver: object

    def __call__(self, *arguments: object, **named: object) -> object:
        """Read the body."""
        return self.function(self.receiver, *arguments, **named)


@dataclass(eq=False)
class Super:
    """super() within a method: looks names up in the classes that `owner` comes from."""

    owner: Class
    receiver: object


@dataclass(eq=False)
class Module:
    """A module by its dotted name and what it holds; what it does not hold is unknown, or no name of it when closed."""

    name: str
    names: dict[str, Value] = field(default_factory=dict)
    #: Gives the value of a name that `names` does not hold; raises KeyError.
    get: Callable[[str], Value] | None = None
    closed: bool = False
    #: What `from module import *` brings; None: all of `names`.
    exported: Callable[[], dict[str, object]] | None = None


class Described:
    """An object of a library that says itself what its attributes are."""

    def attribute(self, name: str) -> Value:
        """The value of an attribute, Unknown where nothing is known of it."""
        return Unknown(name)


class Held(Described):
    """A broadcast variable or an accumulator: what it was given is its value."""

    def __init__(self, value: object) -> None:
        self.value = value

    def attribute(self, name: str) -> object:
        """The value; methods give nothing."""
        return self.value if name == "value" else Native(name, lambda *a, **k: None, True)


@dataclass(eq=False)
class ErrorClass:
    """An exception's class by its name, with the names of those it comes from."""

    name: str
    parents: tuple[str, ...] = ("Exception",)


@dataclass(eq=False)
class ErrorValue:
    """An exception as a value of the program."""

    name: str
    arguments: tuple[Value, ...] = ()
    of: Value = None

    def __str__(self) -> str:
        return str(self.arguments[0]) if len(self.arguments) == 1 else str(self.arguments) if self.arguments else ""


@dataclass(eq=False)
class Native:
    """A function of a library that the interpreter knows; `takes_unknown` says that it copes with unknown values."""

    name: str
    function: Callable[..., Value]
    takes_unknown: bool = False
    #: Whether the function is given the interpreter as its first argument.
    reads: bool = False


@dataclass(frozen=True)
class Place:
    """Where something stands in the program: line and column from 1."""

    line: int
    column: int
