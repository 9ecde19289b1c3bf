"""Calls in a program: of its own functions and classes, of libraries, and of the DataFrame API."""

from __future__ import annotations

import ast
import re
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

from planviz.dataframe.arguments import check as check_arguments
from planviz.dataframe.column import Column, LongNumber, call
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.grouped import GroupedData
from planviz.dataframe.maps import InOrder
from planviz.dataframe.python import UDFRegistration, UserDefinedFunction
from planviz.dataframe.python_tables import UserDefinedTableFunction
from planviz.dataframe.rdd import RDD
from planviz.dataframe.services import Builder
from planviz.errors import PlanvizError
from planviz.logical.plan import LogicalPlan
from planviz.programs import attributes, type_objects
from planviz.programs.core import from_planviz
from planviz.programs.library import Factory
from planviz.programs.model import Program
from planviz.programs.objects import typed_filter
from planviz.programs.placeholders import filled_duration, filled_part, placeholder_names, untold_part
from planviz.programs.python_tables import called, is_untold, udtf
from planviz.programs.rest import argument
from planviz.programs.scala_functions import registered, scala_function
from planviz.programs.scala_rows import Record
from planviz.programs.session import ProgramSession
from planviz.programs.signals import Broken, Continued, Raised, Returned, raised
from planviz.programs.spark import RowClass
from planviz.programs.statements import Statements
from planviz.programs.undefined import Uses
from planviz.programs.unknown_arguments import Instead, filled_in, is_unknown, placed
from planviz.programs.values import (
    MISSING,
    Class,
    ErrorClass,
    ErrorValue,
    Function,
    Instance,
    Method,
    Module,
    Native,
    Scope,
    Unknown,
    UnknownRows,
    Value,
    YieldedValues,
    named_values,
)

#: How deep calls of the program's functions may nest.
DEEPEST = 30
#: How many columns a guessed table is given at most because they all get names.
MOST_NAMES = 500
#: How many DataFrames that go to unknown functions are looked at.
MOST_HANDED_OVER = 40
#: Functions of Python whose result is of their own class.
_CONVERSIONS: dict[str, type] = {"int": int, "float": float, "bool": bool}
#: Functions that both Python and PySpark have.
_ALSO_OF_COLUMNS = ("sum", "max", "min", "abs", "round", "hex", "bin")
#: Methods that take texts as columns of the DataFrame in Scala.
_RESOLVED = ("groupBy", "cube", "rollup")
#: Functions of Python that only put elements in order.
_ORDERS = ("sorted", "reversed")
#: What puts a value into another one, or looks at its outside only.
_PUT = ("append", "extend", "insert", "update", "setdefault", "len", "isinstance", "list", "tuple", "dict", "zip",
        "print", "enumerate", "range", "map", "filter", "reversed", "iter", "next", "get", "join", "copy", "deepcopy",
        "any", "all")  # fmt: skip
#: Values that one call of the API is given at most: each is an expression of the plan.
_MOST_VALUES = 100_000
_WITH_DURATIONS = ("window", "session_window", "withWatermark")
#: Functions and methods that take SQL text, with what would stand before it in a query.
_PARTS_OF_QUERIES = {
    "filter": "SELECT * FROM t WHERE ", "where": "SELECT * FROM t WHERE ", "selectExpr": "SELECT ", "expr": "SELECT ",
}  # fmt: skip
#: Methods that cope with values that nobody knows.
_READS_UNKNOWN = ("createDataFrame", "toDF")


class Calls(Statements):
    """Gives the value of calls."""

    program: Program
    uses: Uses
    source: str
    starts: list[int]
    tree: ast.Module
    at: ast.AST | None
    depth: int
    current: tuple[Function, Value] | None
    uncalled: Function | None
    entered: set[int]
    yielded: list[list[Value]]
    handed_over: list[tuple[str, DataFrame, ast.AST]]

    @abstractmethod
    def act(self, name: str, frame: DataFrame, number: int | None = None, command: LogicalPlan | None = None) -> object:
        """Note an action on a DataFrame."""

    @abstractmethod
    def learn(self, frame: DataFrame, name: str) -> None:
        """Let a guessed table of a DataFrame have a column."""

    def call(self, function: object, arguments: list[object], named: dict[str, object], node: ast.AST | None) -> Value:
        """function(*arguments, **named)"""
        self.step()
        before = self.at
        if node is not None:
            self.at = node
        try:
            return self._call(function, arguments, named)
        finally:
            self.at = before

    def _call(self, function: object, arguments: list[object], named: dict[str, object]) -> object:
        match function:
            case Unknown():
                self._hand_over(function, (*arguments, *named.values()))
                return Unknown(f"{function.what}(...)")
            case Function() | Method():
                made = function(*arguments, **named)
                # What a decorator of a library makes of a call (a task of a scheduler) is a value of its own.
                return Unknown("task(...)") if made is None and getattr(function, "wrapped", False) else made
            case Class():
                return self.instance(function, arguments, named)
            case ErrorClass():
                return ErrorValue(function.name, tuple(arguments))
            case Module():
                inner = function.names.get("__call__")
                return self._call(inner, arguments, named) if inner is not None else Unknown(f"{function.name}(...)")
            case Instance():
                return self.call_method(function, "__call__", arguments, Unknown(function.of.name))
            case RowClass():
                return function.function(*arguments, **named)
            case Native():
                meant = self._meant_for_columns(function, arguments)
                return self._native(function if meant is None else meant, arguments, named)
            case Factory():
                return self._call(function.function, [], {})
            case Builder():
                return function
            case str() | int() if self.applies and not arguments and not isinstance(function, bool):
                return function  # name.trim(), name.length(): empty parentheses say nothing
            case Record(members=members) if members is not None:
                return self._call(self.attribute(function, "apply"), arguments, named)
            case DataFrame() | Column() | list() | dict() | tuple() if self.applies and len(arguments) == 1:
                return self.item(function, arguments[0])
        if isinstance(function, UserDefinedTableFunction):
            rows = called(self, function, (*arguments, *named.values()))
            if rows is not None:
                return rows
        if callable(function) and (
            isinstance(function, UserDefinedFunction | UserDefinedTableFunction) or hasattr(function, "__self__")
        ):
            return self._api(function, arguments, named)
        if callable(function) and getattr(function, "__module__", "").startswith("planviz.dataframe"):
            return self._api(function, arguments, named)
        if isinstance(function, partial):
            return self._api(function, arguments, named, "tvf")
        raise raised("TypeError", f"'{type_objects.type_name(function)}' object is not callable")

    def _meant_for_columns(self, function: Native, arguments: list[object]) -> Native | None:
        """The function of columns, where Python has one of that name and the text imports no functions of columns, or
        not all that it calls: `sum("price")`, `abs(col("x"))`. None where Python's is meant."""
        if function.name not in _ALSO_OF_COLUMNS or not arguments or self.applies:
            return None
        if not self.uses.lacks_functions and (self.uses.imports_functions or not self.session.guesses.tables):
            return None
        first = arguments[0]
        if not isinstance(first, Column) and not (isinstance(first, str) and len(arguments) == 1):
            return None
        given = self.module.outer
        if given is None or given.names.get(function.name) is not function:
            return None
        made = self.module_attribute(self.importing("pyspark.sql.functions"), function.name)
        return made if isinstance(made, Native) else None

    def _hand_over(self, function: Unknown, arguments: tuple[object, ...]) -> None:
        name = re.split(r"[^\w]+", function.what.rstrip("(.)"))[-1] or "call"
        for frame in arguments:
            if isinstance(frame, DataFrame) and len(self.handed_over) < MOST_HANDED_OVER:
                self.handed_over.append((name, frame, self.at or self.tree))

    def _native(self, function: Native, arguments: list[object], named: dict[str, object]) -> object:
        unknown = next((a for a in (*arguments, *named.values()) if isinstance(a, Unknown)), None)
        if self.applies and function.name == "functions.udf" and arguments and isinstance(arguments[0], Function):
            return scala_function(self, arguments[0])
        if function.name == "functions.udtf":
            return self.python(lambda: udtf(self, *arguments, **named))
        if function.name.startswith(("functions.", "DataFrame.", "Column.")):
            return self._api(function.function, arguments, named, function.name.rpartition(".")[2])
        if unknown is not None and (not function.takes_unknown or function.name in _ORDERS):
            made = UnknownRows if function.name in _ORDERS else Unknown
            return made(f"{function.name}({unknown.what})", _CONVERSIONS.get(function.name))
        if function.name not in _PUT:
            attributes.check_spelled(*arguments, *named.values())
        first = [self] if function.reads else []
        return self.python(lambda: function.function(*first, *arguments, **named))

    def _filled(self, text: Value, before: str) -> Value:
        """SQL text of a condition or an expression without what nobody knows."""
        if not isinstance(text, str) or "<" not in text:
            return text
        self.session.writes_untold |= bool(untold_part(text))
        made = filled_part(text, before)
        if made != text:
            self.session.untold |= placeholder_names(text)
            told = (
                f"Line {getattr(self.at, 'lineno', 1)}: values that the text does not tell stand as names or 1 there."
            )
            self.session.notes[told] = None
        return made

    def _api(self, function: Any, arguments: list[Value], named: dict[str, object], name: str = "") -> Value:
        """A call of the DataFrame API."""
        name = name or getattr(function, "__name__", "")
        receiver = getattr(function, "__self__", None)
        instead = self._without_call(name, receiver, arguments)
        if instead is not None:
            return instead
        arguments = self._prepared(name, receiver, arguments)
        if name not in _READS_UNKNOWN and any(is_unknown(a) for a in (*arguments, *named.values())):
            known = filled_in(self, name, receiver, arguments, named)
            if isinstance(known, Instead):
                return known.value
            if known is None:
                shown = getattr(self.at, "lineno", 1)
                if isinstance(receiver, DataFrame | GroupedData | ProgramSession):
                    told = f"{name} takes a value that the text does not tell (line {shown})."
                    self.pass_over(self.at or self.tree, told)
                return Unknown(f"{name}(...)")
            arguments, named = known.arguments, known.named
        if name in _PARTS_OF_QUERIES:
            arguments = [self._filled(a, _PARTS_OF_QUERIES[name]) for a in arguments]
        _check_size(name, arguments, named)
        self._note_explain(name, receiver)
        self.session.origin = self.origin()
        return None if name == "explain" else self._applied(function, receiver, name, arguments, named)

    def _without_call(self, name: str, receiver: Any, arguments: list[Value]) -> Value | None:
        """What a call gives that nothing of the API answers; None for any other."""
        if name == "toDF" and self.applies and isinstance(receiver, DataFrame) and arguments:
            return self.session.named_rows(receiver, [a for a in arguments if isinstance(a, str)])
        typed = self.applies and name in ("filter", "where") and isinstance(receiver, DataFrame) and len(arguments) == 1
        if typed and isinstance(arguments[0], Function | Native):
            return typed_filter(self, receiver, name)
        if name == "register" and self.applies and isinstance(receiver, UDFRegistration):
            return registered(self, arguments)
        if name == "register" and is_untold(self.session, receiver, arguments):
            return arguments[1]
        return None

    def _prepared(self, name: str, receiver: object, arguments: list[Value]) -> list[Value]:
        """The arguments as the API takes them; what they tell of guessed tables is learned."""
        if name == "toDF" and self.applies and isinstance(receiver, RDD) and arguments:
            arguments = [[a for a in arguments if isinstance(a, str)]]
        if name == "transform" and arguments and isinstance(arguments[0], Native):
            arguments = [self._calling(arguments[0]), *arguments[1:]]
        if name == "agg" and isinstance(receiver, DataFrame | GroupedData):
            arguments = [self._aggregated(a) for a in arguments]
        if name in _WITH_DURATIONS:
            # Behind the column the window's length comes before how far it slides, which is no more.
            arguments = [
                filled_duration(str(a), i == 1) if i and isinstance(a, Unknown | str) else a
                for i, a in enumerate(arguments)
            ]
        if name == "toDF" and isinstance(receiver, DataFrame):
            arguments = [placed(a) for a in arguments]
            self.session.widen(receiver.plan, min(len(arguments), MOST_NAMES))
        if name == "withColumnRenamed" and isinstance(receiver, DataFrame) and arguments and type(arguments[0]) is str:
            # Where columns are guessed, what is renamed is there.
            self.learn(receiver, arguments[0])
        if name in _RESOLVED and self.applies and isinstance(receiver, DataFrame):
            # Scala's texts are columns of the DataFrame at once.
            arguments = [self.item(receiver, a) if type(a) is str else a for a in arguments]
        if name == "agg" and self.applies and len(arguments) == 1 and type(arguments[0]) is dict:
            arguments = [InOrder(arguments[0])]
        if name == "fill" and self.applies and arguments and type(arguments[0]) is int:
            # PySpark makes a floating number of it, Scala a long one.
            arguments = [LongNumber(arguments[0]), *arguments[1:]]
        return arguments

    def _applied(
        self,
        function: Callable[..., Value],
        receiver: object,
        name: str,
        arguments: list[Value],
        named: dict[str, object],
    ) -> Value:
        """What the API gives; its errors become those of the program."""
        try:
            if not self.applies:
                check_arguments(receiver, self._called_as(name), arguments, named)
            made = function(*arguments, **named)
            if isinstance(made, Column):
                self.session.mark(made.expr)
            return made
        except PlanvizError as e:
            raise from_planviz(e) from None
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, AssertionError) as e:
            raise raised(type(e).__name__, f"{name}: {e}") from None

    def _aggregated(self, value: Value) -> Value:
        """An aggregate; of an expression that the text does not tell the greatest value stands for it."""
        untold = isinstance(value, Column) and self.session.is_untold(value.expr)
        return call("max", value.expr).alias(value.expr.name) if untold else value

    def _called_as(self, name: str) -> str:
        """The name of a method in the program, where several have one body."""
        func = self.at.func if isinstance(self.at, ast.Call) else None
        return func.attr if name in ("make", "_same", "<lambda>") and isinstance(func, ast.Attribute) else name

    def _calling(self, native: Native) -> Callable[..., object]:
        return lambda *arguments: self.call(native, list(arguments), {}, None)

    def origin(self) -> tuple[str, int] | None:
        """The program's text and the character at which the call stands."""
        if self.at is None or not hasattr(self.at, "lineno"):
            return None
        place = self.place(self.at)
        return self.source, self.starts[place.line - 1] + place.column - 1

    def _note_explain(self, name: str, receiver: object) -> None:
        if name == "explain" and isinstance(receiver, DataFrame):
            try:
                self.session.act("explain", receiver)
            except PlanvizError as e:
                raise from_planviz(e) from None

    def call_function(self, function: Function, arguments: list[object], named: dict[str, object]) -> object:
        """What the body of a function of the program gives."""
        node = function.node
        self.entered.add(id(node))
        inner = Scope(outer=function.scope)
        self._bind(function, arguments, dict(named), inner)
        if self.depth >= DEEPEST:
            return Unknown(f"{function.__name__}(...)")
        if isinstance(node, ast.Lambda):
            return self._inside(function, arguments, lambda: self.value(node.body, inner))
        if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(node)):
            values = YieldedValues()
            if self.opens is not None and _opens_contexts(node):
                values.block, self.opens, values.outside = self.opens, None, self.current
            self.yielded.append(values)
            try:
                self._inside(function, arguments, lambda: self._body(node, inner))
            finally:
                made = self.yielded.pop()
            return made
        return self._inside(function, arguments, lambda: self._body(node, inner))

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef, inner: Scope) -> object:
        try:
            self.run(node.body, inner)
        except Returned as e:
            return e.value
        except (Broken, Continued):  # no loop of the function's own: Python has no such program, a snippet has
            return None
        return None

    def _inside(self, function: Function, arguments: list[object], work: Callable[[], object]) -> Value:
        before = self.current, self.at
        self.current = (function, arguments[0] if arguments else None)
        self.depth += 1
        try:
            return work()
        except Raised as e:
            if e.own and e.place is None and before[1] is not None:
                e.place = self.place(before[1])
            raise
        finally:
            self.depth -= 1
            self.current, self.at = before

    def _bind(self, function: Function, arguments: list[object], named: dict[str, object], scope: Scope) -> None:
        args = function.node.args
        names = [a.arg for a in (*args.posonlyargs, *args.args)]
        for name, value in zip(names, arguments, strict=False):
            if name in named:
                raise raised("TypeError", f"{function.__name__}() got multiple values for argument '{name}'")
            scope.names[name] = value
        if args.vararg is not None:
            scope.names[args.vararg.arg] = tuple(arguments[len(names) :])
        elif len(arguments) > len(names):
            raise raised(
                "TypeError",
                f"{function.__name__}() takes {len(names)} positional arguments but {len(arguments)} were given",
            )
        for parameter in (*args.posonlyargs, *args.args, *args.kwonlyargs):
            name = parameter.arg
            if name in named:
                scope.names[name] = named.pop(name)
            elif name not in scope.names:
                if name not in function.defaults and function.wrapped:
                    function.defaults[name] = argument(self, parameter)
                if name not in function.defaults:
                    raise raised("TypeError", f"{function.__name__}() missing 1 required positional argument: '{name}'")
                scope.names[name] = function.defaults[name]
        if args.kwarg is not None:
            unknown = self.uncalled is function and not named
            scope.names[args.kwarg.arg] = Unknown(args.kwarg.arg) if unknown else named
        elif named:
            raise raised("TypeError", f"{function.__name__}() got an unexpected keyword argument '{next(iter(named))}'")

    def instance(self, cls: Class, arguments: list[object], named: dict[str, object]) -> object:
        """An object of a class of the program; of an enumeration the member of that value."""
        if cls.members and len(arguments) == 1:
            found = [m for m in cls.members.values() if self.attribute(m, "value") == arguments[0]]
            return found[0] if found else Unknown(f"{cls.name}(...)")
        made = Instance(cls)
        if any(cls.comes_from(n) for n in ("Exception", "BaseException")):
            return ErrorValue(cls.name, tuple(arguments), cls)
        try:
            start = cls.find("__init__")
        except KeyError:
            start = None
        if isinstance(start, Function):
            start(made, *arguments, **named)
        elif cls.fields is not None:
            given = {**dict(zip(cls.fields, arguments, strict=False)), **named}
            for name, default in cls.fields.items():
                value = given.get(name, default)
                if isinstance(value, Factory):
                    value = self.call(value.function, [], {}, None)
                made.names[name] = Unknown(name) if value is MISSING else value
            if cls.of_tuples:
                return named_values(cls, made.names.values())
            after = cls.names.get("__post_init__")
            if isinstance(after, Function):
                after(made)
        elif any(not isinstance(b, Class) for b in cls.bases):
            # A class of a library: what it was given are its attributes.
            made.names.update(named)
        return made


def _check_size(name: str, arguments: list[Value], named: dict[str, object]) -> None:
    """Raise the program's error where a call is given more values than a plan can be made of."""
    attributes.check_spelled(*arguments, *named.values())
    values = max(len(a) for a in (arguments, *arguments, *named.values()) if isinstance(a, list | tuple | set))
    if values > _MOST_VALUES and name not in ("createDataFrame", "parallelize"):
        raise raised(
            "PlanTooLarge",
            f"{name} is given {values:,} values; a plan is made of at most {_MOST_VALUES:,}. "
            "Put them into a table and join it.",
        )


def _opens_contexts(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is a context manager by its decorator."""
    return any(
        ast.unparse(d).rpartition(".")[2] in ("contextmanager", "asynccontextmanager") for d in node.decorator_list
    )
