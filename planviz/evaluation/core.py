"""The registry of what can be computed while planning, and how an expression's value is put together from it.

Values are those of `Literal`: None, bool, int, float, Decimal, str, bytes, date, datetime (timestamps are the session's
wall clock), int for ANSI intervals, (months, days, microseconds) for calendar intervals, tuples for arrays and structs,
tuples of pairs for maps.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context
from typing import Any

from planviz.evaluation.collation_order import order_key
from planviz.evaluation.errors import AlwaysFailsError, FailsError, UnknownValueError
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Alias, Expression, Literal
from planviz.expressions.specs import ALIKE_FUNCTIONS, SignatureCall
from planviz.types import FLOAT, STRING, DataType, StringType
from planviz.types.collations import COLLATED
from planviz.types.values import Value

#: How decimals are computed: wide enough for what two of 38 digits give.
WIDE = Context(prec=80, rounding=ROUND_HALF_UP)
#: Values by attribute id.
Row = dict[int, Value]
#: How many characters, bytes or items a value may have that is computed while planning, and how many comparisons and
#: calls of lambdas one expression may take. What needs more is left as it is written; Spark would compute it.
LARGEST = 10_000
LONGEST = 500_000


#: What Python raises where a value is out of reach of its types. TypeError and AttributeError are not among them: they
#: are mistakes of this evaluator (`EvaluatorWarning`).
OUT_OF_REACH = (ArithmeticError, ValueError, OverflowError, IndexError, LookupError)


#: Functions that look for one text in another, which under a collation is not modelled.
_SEARCHING = ALIKE_FUNCTIONS - {"concat_ws", "elt", "lpad", "mask", "rpad", "to_number", "try_to_number"}


@dataclass(frozen=True)
class Function:
    """How a function is computed: from the values, or with the call itself first; with nulls or null for any null."""

    compute: Callable[..., Value]
    typed: bool
    nulls: bool


class CollatedText(str):
    """Text that is compared by a collation."""

    collation: str

    @classmethod
    def of(cls, value: object, t: DataType) -> Value:
        """The value as its type says: text under a collation, or itself."""
        if t is STRING or not isinstance(t, StringType) or value is None:
            return value
        made = cls(value)
        made.collation = t.collation
        return made


_EXPRESSIONS: dict[type, Callable[[Any, Row], Value]] = {}
_FUNCTIONS: dict[str, Function] = {}
_DEFERRED: dict[str, Callable[[tuple[Value, ...], Row], Value]] = {}


@dataclass
class Run:
    """What holds while an expression is computed: what an `Evaluator` says, how many steps are left (None: any)."""

    zone: str = "Etc/UTC"
    legacy_patterns: bool = False
    steps: int | None = None
    #: A map keeps the last value of a key that it gets twice (spark.sql.mapKeyDedupPolicy).
    last_wins: bool = False
    #: How bytes become texts (spark.sql.binaryOutputStyle); empty: HEX_DISCRETE.
    bytes_style: str = ""


_OUTSIDE = Run()
#: The one under way, for the functions of the families: they get values, and no evaluator. Only `Evaluator` sets it.
_under_way: ContextVar[Run] = ContextVar("run", default=_OUTSIDE)


@contextmanager
def under_way(run: Run) -> Iterator[None]:
    """Compute within the block as this run says."""
    token = _under_way.set(run)
    try:
        yield
    finally:
        _under_way.reset(token)


def shown_bytes(value: bytes) -> str:
    """Bytes as a text in the style of the session, for rows of CSV and XML."""
    style = _under_way.get().bytes_style
    if style == "UTF8":
        return value.decode("utf-8", "replace")
    if style == "BASIC":
        return f"[{', '.join(str(b - 256 if b > 127 else b) for b in value)}]"
    if style == "BASE64":
        return base64.b64encode(value).decode("ascii").rstrip("=")
    return value.hex().upper() if style == "HEX" else f"[{value.hex(' ').upper()}]"


def last_value_wins() -> bool:
    """Whether a map keeps the last value of a key that it gets twice (mapKeyDedupPolicy LAST_WIN)."""
    return _under_way.get().last_wins


def has_legacy_patterns() -> bool:
    """Whether patterns of dates are those of SimpleDateFormat (timeParserPolicy LEGACY)."""
    return _under_way.get().legacy_patterns


def zone() -> str:
    """The session's time zone."""
    return _under_way.get().zone


Compute = Callable[..., Value]


def expression(*classes: type) -> Callable[[Compute], Compute]:
    """Register a function of the expression and the row."""

    def register(f: Compute) -> Compute:
        for c in classes:
            _EXPRESSIONS[c] = f
        return f

    return register


def strict(*classes: type) -> Callable[[Compute], Compute]:
    """Register a function of the expression and its children's values; it is null when one of them is."""

    def register(f: Compute) -> Compute:
        def compute(e: Expression, row: Row) -> int | None:
            values = [evaluate(c, row) for c in e.children]
            return None if any(v is None for v in values) else f(e, *values)

        expression(*classes)(compute)
        return f

    return register


def function(*names: str, typed: bool = False, nulls: bool = False) -> Callable[[Compute], Compute]:
    """Register a built-in by its names: a function of the values, with `typed` of the call and the values.

    Without `nulls` it is null when one of the values is.
    """

    def register(f: Compute) -> Compute:
        for n in names:
            _FUNCTIONS[n] = Function(f, typed, nulls)
        return f

    return register


def deferred(name: str) -> Callable[[Compute], Compute]:
    """Register a built-in that need not compute all its arguments: a function of the arguments and the row."""

    def register(f: Compute) -> Compute:
        _DEFERRED[name] = f
        return f

    return register


def bounded(size: int) -> None:
    """Raise UnknownValueError for a value of so many characters, bytes or items that it is not computed."""
    if size > LARGEST:
        raise UnknownValueError(f"a value of {size:,} items")


def step(count: int = 1) -> None:
    """Take steps of the expression under way. Raises UnknownValueError when none is left."""
    run = _under_way.get()
    if run.steps is not None:
        run.steps -= count
        if run.steps < 0:
            raise UnknownValueError(f"more than {LONGEST:,} steps")


def _size(value: object) -> int:
    """Characters, bytes or items of a value, with those of its items; not exact beyond LARGEST."""
    if not isinstance(value, tuple):
        return len(value) if isinstance(value, str | bytes) else 1
    size = len(value)
    for item in value if size <= LARGEST else ():
        if isinstance(item, tuple | str | bytes):
            size += _size(item)
            if size > LARGEST:
                break
    return size


def evaluate(e: Expression, row: Row) -> Value:
    """The value for one row. Raises UnknownValueError, FailsError and what OUT_OF_REACH names."""
    if isinstance(e, Literal):
        return CollatedText.of(e.value, e.type) if COLLATED else e.value
    try:
        value = _evaluate(e, row)
    except FailsError as error:
        if error.at is None:
            error.at = e
        raise
    if isinstance(value, tuple | str | bytes):
        bounded(_size(value))
    return value


def _evaluate(e: Expression, row: Row) -> object:
    if isinstance(e, Alias):
        return evaluate(e.child, row)
    expr_id = getattr(e, "expr_id", None)
    if expr_id is not None:
        if expr_id in row:
            return row[expr_id]
        raise UnknownValueError(str(e))
    f = _EXPRESSIONS.get(type(e))
    if f is not None:
        return f(e, row)
    if isinstance(e, FunctionCall):
        return call(e, e.name, e.arguments, row)
    if e.null_intolerant and any(evaluate(c, row) is None for c in e.children):
        return None
    raise UnknownValueError(str(e))


def call(e: Expression, name: str, arguments: tuple[Expression, ...], row: Row) -> Value:
    """The value of a built-in by name; `e` is the expression that stands for it."""
    if name in _DEFERRED:
        return _DEFERRED[name](arguments, row)
    known = _FUNCTIONS.get(name)
    values = [evaluate(a, row) for a in arguments]
    if known is None:
        if e.null_intolerant and any(v is None for v in values):
            return None
        raise UnknownValueError(name)
    if not known.nulls and any(v is None for v in values):
        return None
    if COLLATED and name in _SEARCHING and any(isinstance(v, CollatedText) for v in values):
        raise UnknownValueError(name)
    try:
        value = known.compute(e, *values) if known.typed else known.compute(*values)
    except AlwaysFailsError:
        raise
    except FailsError:
        # Its flag for failing, which ANSI sets, is off.
        if isinstance(e, FunctionCall) and "false" in e.tail and e.name != "array_insert":
            return None
        raise
    return single(value) if value is not None and e.data_type == FLOAT else value


def single(value: float) -> float:
    """The nearest number that a FLOAT can hold; beyond its range infinity."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


def _order_keys(a: str, b: str) -> tuple[object, object]:
    collation = a.collation if isinstance(a, CollatedText) else b.collation  # type: ignore[attr-defined]
    return order_key(a, collation), order_key(b, collation)


def compare(a: Value, b: Value) -> int:
    """Negative, 0 or positive as `a` is less than, equal to or greater than `b`.

    Null is least, NaN greatest and equal to itself; arrays and structs compare item by item.
    """
    step()
    if a is None or b is None:
        return (a is not None) - (b is not None)
    if isinstance(a, tuple) and isinstance(b, tuple):
        for x, y in zip(a, b, strict=False):
            order = compare(x, y)
            if order:
                return order
        return len(a) - len(b)
    if a != a or b != b:
        return int(a != a) - int(b != b)
    if isinstance(a, CollatedText) or isinstance(b, CollatedText):
        a, b = _order_keys(a, b)
    elif isinstance(a, str):
        a, b = a.encode("utf-8"), b.encode("utf-8")
    return int(a > b) - int(a < b)


def type_of(e: SignatureCall, index: int) -> DataType:
    """The type of a call's argument."""
    return e.arguments[index].data_type
