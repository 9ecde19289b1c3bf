"""Reads a program from beginning to end: calls, limits, and what is noted on the way."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.dataframe.arguments import check as check_arguments
from planviz.dataframe.column import Column, LongNumber, call
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.grouped import GroupedData
from planviz.dataframe.python import UserDefinedFunction
from planviz.dataframe.python_tables import UserDefinedTableFunction
from planviz.dataframe.rdd import RDD
from planviz.dataframe.readers import DataFrameReader
from planviz.dataframe.services import Builder, RuntimeConfig, SessionCatalog, SparkContext
from planviz.errors import PlanvizError
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.programs import attributes, rdds, type_objects
from planviz.programs.catalogs import catalog_method
from planviz.programs.expressions import from_planviz
from planviz.programs.guesses import Again, Guesses
from planviz.programs.lakehouse import Utilities
from planviz.programs.library import DefaultDict, Factory, builtins, import_module
from planviz.programs.model import Action, Program, ProgramError
from planviz.programs.objects import groups_of_objects, made_of_objects
from planviz.programs.placeholders import filled_duration, filled_part, placeholder_names, untold_part
from planviz.programs.python_tables import is_untold, udtf
from planviz.programs.rest import argument, read_rest
from planviz.programs.scala_functions import scala_function
from planviz.programs.scala_imports import is_imported
from planviz.programs.scala_rows import local_rows, scala_names
from planviz.programs.scala_sequences import sequence_method
from planviz.programs.scala_values import scala_attribute, scala_names_of_values
from planviz.programs.session import ProgramSession
from planviz.programs.session_names import is_session
from planviz.programs.signals import LimitReached, Raised, Returned, raised
from planviz.programs.spark import RowClass
from planviz.programs.statements import Statements
from planviz.programs.undefined import Uses, stand_in
from planviz.programs.unknown_arguments import Instead, filled_in, is_unknown, placed
from planviz.programs.values import (
    MISSING,
    Class,
    ErrorClass,
    ErrorValue,
    Function,
    Held,
    Instance,
    Method,
    Module,
    Native,
    Place,
    Scope,
    Unknown,
    UnknownRows,
    Value,
    YieldedValues,
    named_values,
)

#: Steps (expressions and statements) that are read at most, and how deep calls of the program's functions may nest.
MOST_STEPS, DEEPEST = 1_000_000, 30
#: How many columns a guessed table is given at most because they all get names.
MOST_NAMES = 500
#: How many DataFrames that go to unknown functions are looked at.
MOST_HANDED_OVER = 40
#: Methods that change nothing that later statements see.
_LOOKS = frozenset(
    ["show", "count", "explain", "printSchema", "collect", "toPandas", "first", "head", "take", "display"]
)
#: Methods that keep rows, or let them go, and give their DataFrame.
_KEPT = ("cache", "persist", "unpersist")
#: What actions give of all rows, and the number that they were given.
_GIVE_ROWS: dict[str, Callable[[list[Value], int | None], Value]] = {
    "collect": lambda rows, n: rows, "toLocalIterator": lambda rows, n: rows, "count": lambda rows, n: len(rows),
    "isEmpty": lambda rows, n: not rows, "first": lambda rows, n: rows[0] if rows else None,
    "head": lambda rows, n: (rows[0] if rows else None) if n is None else rows[:n],
    "take": lambda rows, n: rows[:n], "tail": lambda rows, n: rows[-n:] if n else [],
}  # fmt: skip
_ROWS = ("collect", "take", "tail", "toLocalIterator")
#: Functions of Python whose result is of their own class.
_CONVERSIONS: dict[str, type] = {"int": int, "float": float, "bool": bool}
#: What gives a DataFrame of Spark of an object that nobody knows.
_TO_SPARK = ("to_spark", "toDF")
#: Functions that both Python and PySpark have.
_ALSO_OF_COLUMNS = ("sum", "max", "min", "abs", "round", "hex", "bin")
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


class Interpreter(Statements):
    """One reading of a program. `program` holds what was found."""

    def __init__(
        self,
        text: str,
        tree: ast.Module,
        catalog: Catalog | None,
        config: OptimizerConfig | None,
        guesses: Guesses,
        place: Callable[[int, int], Place],
        uses: Uses,
    ) -> None:
        self.starts = [0]
        for line in text.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.source, self.tree, self._place = text, tree, place
        self.program = Program(text)
        self.uses = uses
        self.guesses = guesses
        self.session = ProgramSession(catalog, config, guesses, self.act)
        self.modules: dict[str, object] = {}
        self.handling: list[Raised] = []
        #: What the generators that are being read have given so far.
        self.yielded: list[list[Value]] = []
        #: The functions of the program whose bodies were read, by identity.
        self.entered: set[int] = set()
        #: DataFrames that were given to what nobody knows (`model.fit(d)`): by which name, and where.
        self.handed_over: list[tuple[str, DataFrame, ast.AST]] = []
        self.variant = ""
        self.ended = self.open_star = False
        #: Scala: a value that is called gives an item, as in df("x").
        self.applies = False
        self.steps = self.depth = 0
        #: The function that is read although nothing calls it.
        self.uncalled: Function | None = None
        self.current: tuple[Function, Value] | None = None
        self.at: ast.AST | None = None
        self._told: set[tuple[int, str]] = set()
        self._at_top = {id(s) for s in tree.body}
        self.module = Scope(outer=Scope(self._given_names()))

    def _given_names(self) -> dict[str, object]:
        spark = self.session
        context = spark.sparkContext
        return builtins(self) | scala_names() | scala_names_of_values() | {
            "spark": spark, "sqlContext": spark, "sc": context,
            "display": Native("display", lambda v=None, *a, **k: self.displayed(v), True),
            "dbutils": Utilities(), "println": Native("println", lambda *a, **k: None, True),
        }  # fmt: skip

    def displayed(self, value: object) -> None:
        """Note what a notebook shows of a value."""
        if isinstance(value, DataFrame):
            self.act("display", value)

    def read(self) -> Program:
        """Read it all."""
        try:
            self.at_top(self.tree.body, self.module)
            read_rest(self, self._last)
        except LimitReached as e:
            if self.session.learning:
                raise Again from e
            line = e.line or getattr(self.at, "lineno", 1)
            self.program.not_understood.append((self._place(line, 0).line, f"Reading stopped here: {e}."))
        if self.session.learning:
            raise Again
        return self.program

    def goes_on_after(self, node: ast.stmt) -> bool:
        """Whether nothing but the names that a statement binds is lost when it is passed over.

        What the rest of the program tells of other tables saves a reading for each of them.
        """
        if self.uses.keeps_state:
            return False
        if isinstance(node, ast.Assign):
            return all(isinstance(t, ast.Name) for t in node.targets)
        call = node.value if isinstance(node, ast.Expr) else None
        return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _LOOKS

    _last: object = None

    def _do_Expr(self, node: ast.Expr, scope: Scope) -> None:
        self._last = value = self.value(node.value, scope)
        if isinstance(node.value, ast.Call) and getattr(node.value.func, "attr", "") in _KEPT:
            self._last = None  # nothing is shown of what is only kept for later
        elif self._shows(node) and scope is self.module and isinstance(value, DataFrame):
            self.at = node
            if not self.session.quiet(value):
                self.act("expression", value)

    def _shows(self, node: ast.Expr) -> bool:
        """Whether a prompt or a cell shows the value of a statement; that of the last one is shown at the end."""
        if not self.session.guesses.tables or not isinstance(node.value, ast.Call) or node is self.tree.body[-1]:
            return False
        return id(node) in self._at_top

    # ---------------------------------------------------------------------------------------- noting

    def _of_Yield(self, node: ast.Yield, scope: Scope) -> Unknown:
        value = None if node.value is None else self.value(node.value, scope)
        if self.yielded:
            self.yielded[-1].append(value)
        return Unknown("sent")

    def _of_YieldFrom(self, node: ast.YieldFrom, scope: Scope) -> object:
        if self.yielded:
            self.yielded[-1] += self.rounds(self.value(node.value, scope))
        return Unknown("sent")

    def step(self) -> None:
        """Count a step. Raises LimitReached."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise LimitReached("the program takes too many steps")

    def place(self, node: ast.AST) -> Place:
        """Where a call, or anything else, stands: a method's call at its name, as Python's tracebacks say."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        func = node.func if isinstance(node, ast.Call) else node
        if isinstance(func, ast.Attribute):
            line = func.end_lineno or line
            column = (func.end_col_offset or 0) - len(func.attr)
        return self._place(line, max(0, column))

    def pass_over(self, node: ast.AST, why: str) -> None:
        """Note what was not understood."""
        entry = (self._place(getattr(node, "lineno", 1), 0).line, why)
        if entry not in self._told and len(self._told) < 1_000:
            self._told.add(entry)
            self.program.not_understood.append(entry)

    def unplanned(self, name: str, node: ast.AST | None) -> None:
        """Note that PySpark has something that no plan here is made of."""
        self.pass_over(
            node or self.at or self.tree, f"{name} is PySpark's and not planned here: its value is not known."
        )

    def tell_error(self, error: Raised) -> None:
        """Note the error at which the program would end; of further ones only the lines are noted."""
        place = error.place or Place(1, 1)
        message = str(error.cause or error.value)
        if self.program.error is None and not self.variant and not self.ended:
            self.program.error = ProgramError(error.condition, message, place)
        else:
            self.program.not_understood.append((place.line, f"{error.condition}: {message[:300]}"))

    def act(self, name: str, frame: Any, number: int | None = None, command: LogicalPlan | None = None) -> object:
        """Note an action on a DataFrame; what it gives stands for rows that nobody knows, where nobody does.

        `command` writes its rows.
        """
        node = self.at or self.tree
        after = self.program.error is not None or self.ended
        source = self._written(node)
        query, other = frame.execution.apart(), _run_of(name, frame, number)
        run = None if other is None else other.execution.apart()
        written = None if command is None else query.run_by(command)
        self.program.actions.append(Action(name, self.place(node), query, source, after, self.variant, run, written))
        rows = self.session.rows_of(frame) if name in _GIVE_ROWS else None
        if rows is not None:
            return _GIVE_ROWS[name](rows, number)
        if name in _ROWS:
            return UnknownRows(f"{name}()")
        return (
            None
            if name in ("show", "display", "explain", "foreach") or name.startswith("write.")
            else Unknown(f"{name}()")
        )

    def _written(self, node: ast.AST) -> str:
        """The source of a call; ast.get_source_segment takes the whole text apart for each."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None) or 0
        lines = [self._line(n).encode("utf-8", "replace") for n in range(first, last + 1)] if first else []
        if not lines or len(lines) > 1_000:
            return ""
        lines[-1] = lines[-1][: getattr(node, "end_col_offset", None)]
        lines[0] = lines[0][getattr(node, "col_offset", 0) :]
        return b"\n".join(lines).decode("utf-8", "ignore")

    def _line(self, number: int) -> str:
        return self.source[self.starts[number - 1] : self.starts[number] - 1] if number < len(self.starts) else ""

    # ---------------------------------------------------------------------------------------- names and calls

    def missing_name(self, node: ast.Name) -> object:
        """A name that nothing was bound to: Python's NameError, or a table where tables are guessed."""
        if self.open_star:
            return Unknown(node.id)
        if self.session.guesses.tables:
            made = self.module.names[node.id] = stand_in(self, node)
            return made
        if self.applies and is_imported(node.id, self.source):
            if node.id == "DeltaTable":
                return self.module_attribute(self.importing("delta.tables"), node.id)
            return Unknown(node.id)
        raise raised("NameError", f"name '{node.id}' is not defined")

    def importing(self, name: str) -> object:
        """A module by name."""
        return import_module(self, name)

    def function(self, node: Any, scope: Scope) -> Function:
        """A function of the program, with the values of its defaults."""
        args = node.args
        named = [*args.posonlyargs, *args.args]
        defaults = {
            a.arg: self.value(d, scope)
            for a, d in zip(named[len(named) - len(args.defaults) :], args.defaults, strict=True)
        }
        for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            if d is not None:
                defaults[a.arg] = self.value(d, scope)
        return Function(self, node, scope, defaults)

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
            case DataFrame() | Column() | list() | dict() | tuple() if self.applies and len(arguments) == 1:
                return self.item(function, arguments[0])
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
        if name == "toDF" and self.applies and isinstance(receiver, DataFrame) and arguments:
            given = self.session.named_rows(receiver, [a for a in arguments if isinstance(a, str)])
            if given is not None:
                return given
        if name == "toDF" and self.applies and isinstance(receiver, RDD) and arguments:
            arguments = [[a for a in arguments if isinstance(a, str)]]
        if name == "transform" and arguments and isinstance(arguments[0], Native):
            arguments = [self._calling(arguments[0]), *arguments[1:]]
        typed = self.applies and name in ("filter", "where") and isinstance(receiver, DataFrame) and len(arguments) == 1
        if typed and isinstance(arguments[0], Function | Native):
            frame: Any = receiver
            return self.session.opaque(frame, name)
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
        if name == "fill" and self.applies and arguments and type(arguments[0]) is int:
            # PySpark makes a floating number of it, Scala a long one.
            arguments = [LongNumber(arguments[0]), *arguments[1:]]
        if name == "register" and is_untold(self.session, receiver, arguments):
            return arguments[1]
        if name not in _READS_UNKNOWN and any(is_unknown(a) for a in (*arguments, *named.values())):
            known = filled_in(self, name, receiver, arguments, named)
            if isinstance(known, Instead):
                return known.value
            if known is None:
                shown = getattr(self.at, "lineno", 1)
                if isinstance(receiver, DataFrame | GroupedData | ProgramSession):
                    self.pass_over(
                        self.at or self.tree, f"{name} takes a value that the text does not tell (line {shown})."
                    )
                return Unknown(f"{name}(...)")
            arguments, named = known.arguments, known.named
        if name in _PARTS_OF_QUERIES:
            arguments = [self._filled(a, _PARTS_OF_QUERIES[name]) for a in arguments]
        attributes.check_spelled(*arguments, *named.values())
        values = max(len(a) for a in (arguments, *arguments, *named.values()) if isinstance(a, list | tuple | set))
        if values > _MOST_VALUES and name not in ("createDataFrame", "parallelize"):
            raise raised(
                "PlanTooLarge",
                f"{name} is given {values:,} values; a plan is made of at most {_MOST_VALUES:,}. "
                "Put them into a table and join it.",
            )
        self._note_explain(name, receiver)
        self.session.origin = self.origin()
        if name == "explain":
            return None
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
            self.act("explain", receiver)

    # ---------------------------------------------------------------------------------------- the program's functions

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
            self.yielded.append(YieldedValues())
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

    def attribute(self, value: object, name: str, node: ast.AST | None = None) -> object:
        """value.name; a column that a guessed table may have begins the reading anew."""
        if self.applies and isinstance(value, ProgramSession) and name in ("createDataFrame", "createDataset"):
            return Native(name, lambda *a: self._of_sequence(*a), True)
        if self.applies and isinstance(value, list | tuple | range):
            found = sequence_method(self, list(value), name)
            if found is not None:
                return found
        if self.applies and isinstance(value, str) and name in ("length", "size"):
            return len(value)
        if self.applies:
            found = scala_attribute(self, value, name)
            if found is not NotImplemented:
                return found
        if self.applies and isinstance(value, DataFrameReader) and name == "textFile":
            name = "text"
        if isinstance(value, ProgramSession) and name == "sparkSession":
            return value
        if self.applies and isinstance(value, ProgramSession) and name == "emptyDataFrame":
            return DataFrame(value, LocalRelation(()))
        if isinstance(value, RuntimeConfig) and name == "get":
            return Native(name, lambda key, default=MISSING: self._setting(value, key, default), True)
        if isinstance(value, SessionCatalog) and (found := catalog_method(self.session, name)) is not None:
            return found
        if isinstance(value, SparkContext) and name == "textFile":
            return Native(name, lambda *a, **k: rdds.of_texts(self.session), True)
        if isinstance(value, SparkContext) and name in ("broadcast", "accumulator"):
            return Native(name, lambda v=None, *a, **k: Held(v), True)
        if isinstance(value, DataFrame):
            if self.applies and name in ("map", "flatMap", "mapPartitions", "as_"):
                return Native(name, lambda *a, **k: self.session.opaque(value, name), True)
            if self.applies and name == "groupByKey":
                return Native(name, lambda *a, **k: groups_of_objects(self), True)
            if self.applies and name == "joinWith":
                return made_of_objects(self, name, "_1", "_2")
            if name == "rdd":
                return rdds.of_frame(value, self.session.rows_of(value))
            if node is not None and isinstance(value.plan, object) and not hasattr(type(value), name):
                self.learn(value, name)
        if isinstance(value, Unknown) and name == "getOrCreate":
            return Native(name, lambda *a, **k: self._session_of(value), True)
        if isinstance(value, Unknown) and is_session(value, name):
            return self.attribute(self._session_of(value), name, node)
        if isinstance(value, Unknown) and name in _TO_SPARK:
            # A DataFrame of Glue or of the pandas API on Spark: rows that only its uses tell.
            return Native(name, lambda *given, **k: self._rows_of_unknown(value, given), True)
        if isinstance(value, RDD):
            if name in rdds.RUNS and isinstance(value.frame, DataFrame) and self.session.guesses.tables:
                before, self.at = self.at, node or self.at
                self.act(name, value.frame)
                self.at = before
            method = rdds.method(self, value, name)
            if method is not None:
                return method
        try:
            return super().attribute(value, name, node)
        except PlanvizError as e:
            raise from_planviz(e) from None

    def _setting(self, settings: RuntimeConfig, key: object, default: object) -> object:
        """spark.conf.get: of a setting that planviz does not read nobody knows the value."""
        found = settings.get(key) if isinstance(key, str) else None
        if found is not None:
            return found
        if default is not MISSING and isinstance(key, str):
            return default
        if isinstance(key, str) and not key.startswith("spark.") and not self.session.guesses.tables:
            raise raised("SparkNoSuchElementException", f"The SQL config {key} cannot be found.", "SQL_CONF_NOT_FOUND")
        return Unknown(f"conf.get({key})")

    def _session_of(self, value: Unknown) -> ProgramSession:
        """The session, where it comes from what the text does not show."""
        self.session.notes[f"{value.what} comes from what the text does not show: it is taken for the session."] = None
        return self.session

    def _rows_of_unknown(self, value: Unknown, given: tuple[Value, ...]) -> DataFrame:
        names = given[0] if len(given) == 1 and isinstance(given[0], list | tuple) else given
        key = f"{value.what} of line {getattr(self.at, 'lineno', 1)}"
        return self.session.guessed_rows(key, [n for n in names if isinstance(n, str)])

    def _of_sequence(self, rows: Value = None, *schema: Value) -> DataFrame:
        """Scala's createDataFrame and createDataset."""
        local = None if schema or not isinstance(rows, list) else local_rows(self.session, rows)
        return self.session.createDataFrame(rows, *schema) if local is None else local

    def item(self, value: object, key: object, node: ast.AST | None = None) -> Value:
        """value[key]"""
        if isinstance(value, DataFrame) and is_unknown(key):
            many = isinstance(key, list | tuple)
            key = self._api(value.select if many else value.__getitem__, [key], {}, "select" if many else "[]")
            if many or isinstance(key, Column):
                return key
        if isinstance(value, DataFrame) and isinstance(key, str):
            self.learn(value, key)
        if isinstance(value, DefaultDict) and not isinstance(key, Unknown):
            return value[key]
        if isinstance(value, dict) and isinstance(key, str) and key not in value and any(map(_is_untold, value)):
            return Unknown(key)
        return super().item(value, key, node)

    def learn(self, frame: DataFrame, name: str) -> None:
        """A DataFrame has to have a column of this name: a guessed table may be what it comes from."""
        from planviz.dataframe.api import _FRAME

        plain = name.strip("`")
        if plain in _FRAME.split() or plain.startswith("__") or "*" in plain:
            return
        first = plain.split(".")[0]
        if all(c.lower() not in (plain.lower(), first.lower()) for c in frame.columns):
            frame.plan = self.session.learn_column(frame.plan, first) or frame.plan


def _is_untold(key: Value) -> bool:
    """Whether a key of a dict stands for keys that nobody knows."""
    return isinstance(key, Unknown) or (isinstance(key, str) and key.startswith("<") and key.endswith(">"))


def _run_of(name: str, frame: DataFrame, number: int | None) -> DataFrame | None:
    """The rows that an action asks for, where they are others than those of its DataFrame (Spark: Dataset.count,
    Dataset.head)."""
    if name == "count":
        return frame.groupBy().count()
    return frame.limit(1 if number is None else number) if name in ("first", "head", "take") else None
