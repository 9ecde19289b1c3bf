"""Checks of arguments that must be constants of a kind: sizes of sketches, buckets of time, characters of masks.

They take and give what the checks of `checks` do. Spark: the `checkInputDataTypes` of the classes.
"""

from __future__ import annotations

from planviz.evaluation import DEFAULT_EVALUATOR
from planviz.expressions.arithmetic import unexpected_input
from planviz.expressions.core import Expression, TypeMismatch
from planviz.functions.signatures.checks import Arguments, Check, not_null, out_of_range, unordered
from planviz.types import (
    BINARY,
    NULL,
    UNKNOWN,
    VARIANT,
    ArrayType,
    DataType,
    MapType,
    StructType,
    is_interval,
    is_numeric,
    is_string,
)

_MODES = ("sum", "min", "max", "alwaysone")
_MOST_BEST = 100000


def _hint(message: str) -> TypeMismatch:
    return TypeMismatch("TYPE_CHECK_FAILURE_WITH_HINT", message)


def _unfoldable(what: str, e: Expression) -> TypeMismatch:
    return TypeMismatch(
        "NON_FOLDABLE_INPUT",
        f'the input `{what}` should be a foldable "{e.data_type.sql}" expression; however, got "{e.pretty}"',
    )


def _number(e: Expression) -> tuple[bool, int | float | None]:
    """Whether the value of a constant is known, and the number that it is (None: null)."""
    literal = DEFAULT_EVALUATOR.value_of(e) if e.foldable else None
    if literal is None:
        return False, None
    return True, literal.value if isinstance(literal.value, int | float) else None


def _within(e: Expression, what: str, least: int, most: int, name: str) -> TypeMismatch | None:
    """A constant that is not null and lies within bounds."""
    known, value = _number(e)
    if known and value is None:
        return not_null(what)
    if value is not None and not least <= value <= most:
        return _hint(f"For function `{name}`, the {what} parameter must be between {least} and {most}, not {value}")
    return None


def _kll(name: str, a: Arguments) -> TypeMismatch | None:
    """How large a KLL sketch is."""
    return _within(a[1], "k", 8, 65535, name) if len(a) > 1 else None


def _tuple(name: str, a: Arguments) -> TypeMismatch | None:
    """The number of entries of a tuple sketch, where it has one, and how values are put together."""
    for e in a[1:]:
        if is_string(e.data_type) or e.data_type == NULL:
            literal = DEFAULT_EVALUATOR.value_of(e) if e.foldable else None
            if literal is not None and literal.value is None:
                return not_null("mode" if is_string(e.data_type) else "lgNomEntries")
    if name in _WITH_ENTRIES and len(a) > _WITH_ENTRIES[name]:
        wrong = _within(a[_WITH_ENTRIES[name]], "lgNomEntries", 4, 26, name)
        if wrong is not None:
            return wrong
    mode = DEFAULT_EVALUATOR.value_of(a[-1]) if a[-1].foldable and is_string(a[-1].data_type) else None
    if mode is not None and isinstance(mode.value, str) and mode.value.lower() not in _MODES and name in _WITH_MODE:
        return _hint(f"Invalid call to `{name}`: the mode must be one of {', '.join(_MODES)}, not {mode.value!r}")
    return None


#: Where functions of tuple sketches take the number of entries, from 0.
_WITH_ENTRIES = {
    **{f"tuple_{what}_{kind}": 2 for what in ("sketch_agg", "union", "union_theta") for kind in ("double", "integer")},
    **{f"tuple_union_agg_{kind}": 1 for kind in ("double", "integer")},
}
_WITH_MODE = frozenset((
    *_WITH_ENTRIES,
    *(f"tuple_{what}_{kind}" for what in ("sketch_summary", "intersection", "intersection_theta", "intersection_agg")
      for kind in ("double", "integer")),
))  # fmt: skip


def _best(name: str, a: Arguments) -> TypeMismatch | None:
    """How many values max_by and min_by give."""
    known, value = _number(a[2]) if len(a) > 2 else (False, None)
    if known and not 1 <= (value or 0) <= _MOST_BEST:
        return out_of_range("`k`", f"[1, {_MOST_BEST}]", value or 0)
    return unordered(name, a[1].data_type)


def _bucket(name: str, a: Arguments) -> TypeMismatch | None:
    """A constant size above zero, a constant origin of the timestamp's type."""
    size, stamp, origin = a
    for what, e in (("bucketSize", size), ("origin", origin)):
        if not e.foldable:
            return _unfoldable(what, e)
    if origin.data_type != stamp.data_type and NULL not in (origin.data_type, stamp.data_type):
        return unexpected_input(3, origin, f'"{stamp.data_type.sql}"')
    known, value = _number(size)
    if known and value is not None and value <= 0:
        return out_of_range("`bucketSize`", "(0, inf)", size.pretty)
    return None


def _mask(name: str, a: Arguments) -> TypeMismatch | None:
    """Characters, one each; nothing for those that stay."""
    for what, e in zip(("upperChar", "lowerChar", "digitChar", "otherChar"), a[1:], strict=False):
        literal = DEFAULT_EVALUATOR.value_of(e) if e.foldable else None
        if literal is not None and isinstance(literal.value, str) and len(literal.value) != 1:
            return TypeMismatch("INPUT_SIZE_NOT_ONE", f"Length of {what} should be 1")
    return None


def _bins(name: str, a: Arguments) -> TypeMismatch | None:
    """Two bins of a histogram at least."""
    known, value = _number(a[1])
    if known and value is None:
        return not_null("nb")
    if value is not None and value < 2:
        return out_of_range("nb", "[2, 2147483647]", value)
    return None


def _frequent(name: str, a: Arguments) -> TypeMismatch | None:
    """Values that can be counted."""
    t: DataType = a[0].data_type
    if t in (NULL, BINARY, VARIANT) or is_interval(t) or isinstance(t, ArrayType | MapType | StructType):
        return _hint(f"{'void' if t == NULL else t.simple_string.split('<')[0]} columns are not supported")
    return None


def _state(name: str, a: Arguments) -> TypeMismatch | None:
    """What approx_top_k_accumulate gives."""
    t = a[0].data_type
    return (
        None
        if (isinstance(t, StructType) and len(t.fields) == 4) or t == UNKNOWN
        else _hint("State must be a struct with 4 fields, as approx_top_k_accumulate makes it")
    )


def _object(name: str, a: Arguments) -> TypeMismatch | None:
    """Only what has parts becomes an object."""
    t = a[0].data_type
    if isinstance(t, ArrayType | MapType | StructType) or t == UNKNOWN:
        return None
    return TypeMismatch("CAST_WITHOUT_SUGGESTION", f'cannot cast "{t.sql}" to "VARIANT"')


def _range(name: str, a: Arguments) -> TypeMismatch | None:
    """An interval between intervals of its kind, a number between numbers."""
    kinds = {type(x.data_type) if is_interval(x.data_type) else None for x in a[:3] if x.data_type != NULL}
    if len(kinds) < 2:
        return None
    told = ", ".join(f'"{x.data_type.sql}"' for x in a[:3])
    return TypeMismatch("DATA_DIFF_TYPES", f"Input to `{name}` should all be the same type, but it's [{told}]")


def _sequence(name: str, a: Arguments) -> TypeMismatch | None:
    """Whole numbers, or dates and timestamps with an interval as their step."""
    start, stop, *step = (x.data_type for x in a)
    if UNKNOWN in (start, stop, *step):
        return None
    by = step[0] if step else None
    numbers = is_numeric(start) and start.simple_string in ("tinyint", "smallint", "int", "bigint")
    times = start.simple_string in ("date", "timestamp", "timestamp_ntz")
    fits = start == stop and (
        (numbers and by in (None, start)) or (times and (by is None or by.simple_string.startswith("interval")))
    )
    if fits:
        return None
    return TypeMismatch(
        "SEQUENCE_WRONG_INPUT_TYPES",
        "`sequence` takes whole numbers, or dates and timestamps with an interval, all of one type",
    )


def _schema(name: str, a: Arguments) -> TypeMismatch | None:
    """A constant text."""
    literal = DEFAULT_EVALUATOR.value_of(a[0]) if a[0].foldable else None
    return not_null(name.rpartition("_")[2]) if literal is not None and literal.value is None else None


CHECKS: dict[str, Check] = {
    "kll": _kll,
    "tuple": _tuple,
    "best": _best,
    "bucket": _bucket,
    "mask": _mask,
    "bins": _bins,
    "frequent": _frequent,
    "state": _state,
    "object": _object,
    "range": _range,
    "sequence": _sequence,
    "schema": _schema,
}
