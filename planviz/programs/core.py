"""What every part of the interpreter builds upon: what it asks of the others, and what Python makes of errors."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from planviz.dataframe import Column
from planviz.errors import PlanvizError
from planviz.expressions.objects import Placeholder
from planviz.programs import type_objects
from planviz.programs.signals import LimitReached, Raised, raised
from planviz.programs.values import (
    Class,
    ErrorClass,
    ErrorValue,
    Function,
    Instance,
    NamedValues,
    Place,
    Scope,
    Unknown,
    Value,
)
from planviz.types import BOOLEAN, DOUBLE, INT, STRING, DataType

if TYPE_CHECKING:
    pass


#: How long a text or list may become, and how large a number (bits).
LONGEST, WIDEST = 1_000_000, 4_000
PLAIN = (int, float, str, bytes, bool, type(None), complex)
#: The types of literals by the classes of their values.
_LITERALS: dict[type | None, DataType] = {int: INT, float: DOUBLE, bool: BOOLEAN}


class Core(ABC):
    """What the parts of the interpreter have in common."""

    # What Interpreter has, and its parts need.
    module: Scope
    handling: list[Raised]
    variant: str
    applies: bool
    ended: bool
    open_star: bool

    @abstractmethod
    def step(self) -> None:
        """Count one step of the program. Raises where it takes too many."""

    @abstractmethod
    def place(self, node: ast.AST) -> Place:
        """Where a node stands in the text."""

    @abstractmethod
    def pass_over(self, node: ast.AST, why: str) -> None:
        """Note what is not understood, and go on."""

    @abstractmethod
    def tell_error(self, error: Raised) -> None:
        """Note an error of the program."""

    @abstractmethod
    def call(self, function: object, arguments: list[object], named: dict[str, object], node: ast.AST | None) -> Value:
        """The value of a call."""

    @abstractmethod
    def function(self, node: object, scope: Scope) -> Function:
        """The function that a definition makes."""

    @abstractmethod
    def missing_name(self, node: ast.Name) -> object:
        """What a name stands for that the program does not define."""

    @abstractmethod
    def importing(self, name: str) -> Value:
        """The module of this name."""

    @abstractmethod
    def value(self, node: ast.expr, scope: Scope) -> Value:
        """What an expression stands for."""

    @abstractmethod
    def text(self, value: object) -> str:
        """What str() gives of a value."""

    @abstractmethod
    def iterate(self, value: object) -> Iterator[Value]:
        """The elements of a value."""

    @abstractmethod
    def truth(self, value: object) -> bool | None:
        """Whether a value counts as true; None: nobody can know."""

    def as_operand(self, value: object) -> object:
        """An operand of a column: an unknown value as one that is named."""
        return placeholder(value) if isinstance(value, Unknown) else value

    def checked(self, value: object) -> object:
        """A value that did not grow too large."""
        if isinstance(value, str | bytes | list | tuple) and len(value) > LONGEST:
            raise LimitReached("a value grows too large")
        return value

    def python(self, work: Callable[[], object]) -> Value:
        """What Python makes of known values; its errors become those of the program."""
        try:
            return work()
        except Raised:
            raise
        except PlanvizError as e:
            raise from_planviz(e) from None
        except KeyError as e:
            raise raised("KeyError", str(e)) from None
        except StopIteration:
            raise raised("StopIteration", "") from None
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, MemoryError) as e:
            raise raised(type(e).__name__, str(e)) from None

    def is_error_of(self, error: ErrorValue, cls: object) -> bool:
        """Whether `except cls` takes the error."""
        if isinstance(cls, Class):
            return isinstance(error.of, Class) and error.of.comes_from(cls.name)
        if not isinstance(cls, ErrorClass):
            return False
        names = type_objects.ancestors(error.name)
        if isinstance(error.of, Class):
            names = {*names, *(c for c in (cls.name,) if error.of.comes_from(c)), "Exception", "BaseException"}
        return cls.name in names

    def is_instance(self, value: object, cls: object) -> bool | None:
        """isinstance(value, cls); None: nobody can know."""
        if isinstance(cls, tuple | list):
            answers = [self.is_instance(value, c) for c in cls]
            return True if True in answers else None if None in answers else False
        if isinstance(value, Unknown) or isinstance(cls, Unknown):
            return None
        if isinstance(cls, Class):
            return isinstance(value, Instance | NamedValues) and value.of.comes_from(cls.name)
        return type_objects.is_of(value, cls)


def placeholder(value: Unknown) -> Column:
    """An unknown value as a column: of its class, else a text, which is converted to what it is compared with."""
    return Column(Placeholder(value.what, _LITERALS.get(value.kind, STRING)))


def from_planviz(error: PlanvizError) -> Raised:
    """An error of planning as the exception that PySpark would raise."""
    condition = getattr(error, "error_class", "")
    name = "ParseException" if type(error).__name__ == "ParseError" else "AnalysisException"
    name = getattr(error, "python_type", name)
    return Raised(ErrorValue(name, (str(error),)), condition or name, error)
