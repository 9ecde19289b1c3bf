"""Reads a program from beginning to end: calls, limits, and what is noted on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.dataframe.api import _FRAME
from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.rdd import RDD
from planviz.dataframe.readers import DataFrameReader
from planviz.dataframe.services import RuntimeConfig, SessionCatalog, SparkContext
from planviz.errors import PlanvizError
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.logical.writes import InsertIntoStatement
from planviz.programs import rdds
from planviz.programs.builtin_names import builtins
from planviz.programs.calls import Calls
from planviz.programs.catalogs import catalog_method
from planviz.programs.containers import Counter, DefaultDict
from planviz.programs.core import from_planviz
from planviz.programs.guesses import Again, Guesses
from planviz.programs.lakehouse import Merge, Utilities
from planviz.programs.library import import_module
from planviz.programs.model import Action, Program, ProgramError
from planviz.programs.objects import WrittenEncoder, as_class, named_as, typed_method
from planviz.programs.python_tables import TableArgument, transposed
from planviz.programs.rest import read_rest
from planviz.programs.scala_imports import is_imported
from planviz.programs.scala_rows import local_rows, scala_names
from planviz.programs.scala_sequences import sequence_method
from planviz.programs.scala_values import scala_attribute, scala_names_of_values
from planviz.programs.session import ProgramSession
from planviz.programs.session_names import is_session
from planviz.programs.signals import LimitReached, Raised, raised
from planviz.programs.undefined import Uses, stand_in
from planviz.programs.unknown_arguments import is_unknown
from planviz.programs.values import (
    MISSING,
    Function,
    Held,
    Native,
    OpenDict,
    Place,
    Scope,
    Unknown,
    UnknownRows,
    Value,
    YieldedValues,
)
from planviz.types import StructType

#: Steps (expressions and statements) that are read at most.
MOST_STEPS = 1_000_000
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
#: What gives a DataFrame of Spark of an object that nobody knows.
_TO_SPARK = ("to_spark", "toDF")


class Interpreter(Calls):
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
            "java_as": Native("java_as", lambda value, given: named_as(self, value, given), True),
            "scala_encoder": Native("scala_encoder", lambda written: WrittenEncoder(str(written)), True),
            "scala_as": Native("scala_as", lambda value, written: as_class(self, value, str(written)), True),
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
            own = self.yielded[-1]
            own.append(value)
            if isinstance(own, YieldedValues) and own.block is not None:
                self._run_block(own, value)
        return Unknown("sent")

    def _run_block(self, own: YieldedValues, value: Value) -> None:
        """The body of a `with`, at the yield of its context manager: as it stands outside of the generator."""
        block, own.block = own.block, None
        self.yielded.pop()
        inside, self.current = self.current, own.outside
        try:
            if block is not None:
                block(value)
        finally:
            self.current = inside
            self.yielded.append(own)

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
        if written is not None:
            # The table may have come to be after the DataFrame.
            written.catalog, written.analyzer = self.session.catalog, self.session.analyzer
        if isinstance(command, InsertIntoStatement) and written is not None and not query.reads_guesses:
            # Spark runs the command that the statement is when it is analyzed, and tells of that one.
            written = written if written.error_until("analyzed") is not None else written.run_by(written.analyzed)
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

    def attribute(self, value: object, name: str, node: ast.AST | None = None) -> object:
        """value.name; a column that a guessed table may have begins the reading anew."""
        if self.applies:
            found = self._of_scala(value, name)
            if found is not NotImplemented:
                return found
            name = "text" if isinstance(value, DataFrameReader) and name == "textFile" else name
        found = self._of_services(value, name)
        if found is NotImplemented and isinstance(value, DataFrame):
            found = self._of_frame(value, name, node)
        if found is NotImplemented and isinstance(value, Unknown):
            found = self._of_untold(value, name, node)
        if found is NotImplemented and isinstance(value, RDD):
            found = self._of_rdd(value, name, node)
        if found is not NotImplemented:
            return found
        try:
            return super().attribute(value, name, node)
        except PlanvizError as e:
            raise from_planviz(e) from None

    def _of_scala(self, value: object, name: str) -> Value:
        """What Scala's values have beside Python's; NotImplemented for anything else."""
        if isinstance(value, ProgramSession) and name in ("createDataFrame", "createDataset"):
            return Native(name, lambda *a: self._of_sequence(*a), True)
        if isinstance(value, list | tuple | range):
            found = sequence_method(self, list(value), name)
            if found is not None:
                return found
        if isinstance(value, str) and name in ("length", "size"):
            return len(value)
        found = scala_attribute(self, value, name)
        if found is not NotImplemented:
            return found
        if isinstance(value, ProgramSession) and name == "emptyDataFrame":
            return DataFrame(value, LocalRelation(()))
        if not isinstance(value, DataFrame):
            return NotImplemented
        if name == "as_":
            return Native(name, lambda *a, **k: value, True)
        return typed_method(self, value, name)

    def _of_services(self, value: object, name: str) -> Value:
        """What hangs on a session: its settings, its catalogue, its context; NotImplemented for anything else."""
        if isinstance(value, ProgramSession) and name == "sparkSession":
            return value
        if isinstance(value, RuntimeConfig) and name == "get":
            return Native(name, lambda key, default=MISSING: self._setting(value, key, default), True)
        if isinstance(value, SessionCatalog) and (found := catalog_method(self.session, name)) is not None:
            return found
        if isinstance(value, SparkContext) and name == "textFile":
            return Native(name, lambda *a, **k: rdds.of_texts(self.session), True)
        if isinstance(value, SparkContext) and name in ("broadcast", "accumulator"):
            return Native(name, lambda v=None, *a, **k: Held(v), True)
        return NotImplemented

    def _of_frame(self, value: DataFrame, name: str, node: ast.AST | None) -> Value:
        """The rows of a DataFrame as an RDD; a name that may be one of a guessed column is learned."""
        if name == "mergeInto":
            return Native(name, lambda table, on=None: Merge(self, self.session.table(str(table)), value, on), True)
        if name == "asTable":
            return Native(name, lambda: TableArgument(), True)
        if name == "transpose":
            return Native(name, lambda index=None: transposed(self, value, index), True)
        if name == "rdd":
            return rdds.of_frame(value, self.session.rows_of(value))
        if node is not None and isinstance(value.plan, object) and not hasattr(type(value), name):
            self.learn(value, name)
        return NotImplemented

    def _of_untold(self, value: Unknown, name: str, node: ast.AST | None) -> Value:
        """A session, or rows, that a value which nobody knows gives; NotImplemented for anything else."""
        if name == "getOrCreate":
            return Native(name, lambda *a, **k: self._session_of(value), True)
        if is_session(value, name):
            return self.attribute(self._session_of(value), name, node)
        if name in _TO_SPARK:
            # A DataFrame of Glue or of the pandas API on Spark: rows that only its uses tell.
            return Native(name, lambda *given, **k: self._rows_of_unknown(value, given), True)
        return NotImplemented

    def _of_rdd(self, value: RDD, name: str, node: ast.AST | None) -> Value:
        """A method of an RDD; one that runs shows the DataFrame that it is of."""
        if name == "rdd" and self.applies:  # toJavaRDD
            return value
        if name in rdds.RUNS and isinstance(value.frame, DataFrame) and self.session.guesses.tables:
            before, self.at = self.at, node or self.at
            self.act(name, value.frame)
            self.at = before
        method = rdds.method(self, value, name)
        return NotImplemented if method is None else method

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
        """Scala's createDataFrame and createDataset; a list of rows with its schema is java.util's."""
        told = schema[0] if len(schema) == 1 and isinstance(schema[0], StructType) else None
        local = None
        if isinstance(rows, list) and (told is not None or not schema):
            local = local_rows(self.session, rows, told)
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
        if isinstance(value, Counter | DefaultDict | OpenDict) and not isinstance(key, Unknown):
            return self.python(lambda: value[key])
        if isinstance(value, dict) and isinstance(key, str) and key not in value and any(map(_is_untold, value)):
            return Unknown(key)
        return super().item(value, key, node)

    def learn(self, frame: DataFrame, name: str) -> None:
        """A DataFrame has to have a column of this name: a guessed table may be what it comes from."""
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
