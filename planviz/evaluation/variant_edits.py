"""Functions that change a variant: variant_set, variant_insert, variant_array_append, variant_strip_nulls."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from planviz.evaluation.core import function, type_of
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.evaluation.variants import Json, json_of, read, steps_of, written
from planviz.expressions.calls import FunctionCall
from planviz.types.values import Value

_MOST_PADDING = 1_000  # elements
_MISMATCH = "VARIANT_PATH_TYPE_MISMATCH"


class _NotThereError(FailsError):
    """The path leads into a value that has no such parts, to a key that stands already, or to what is no array."""


#: Changes the place of a key or a position in an object or an array.
_Change = Callable[["dict[str, Json] | list[Json]", "int | str"], None]


def _changed(text: str, path: str, create: bool, change: _Change) -> str:
    """A variant's text after a change at the end of a path; missing objects and arrays on the way are made on `create`.

    Raises _NotThereError where the path cannot be followed.
    """
    value = read(text)
    steps = list(steps_of(path))
    if not steps:
        raise FailsError(path, "INVALID_VARIANT_PATH")
    at = value
    for step, following in pairwise(steps):
        if not _has(at, step):
            if not create:
                return written(value)
            _put(at, step, [] if isinstance(following, int) else {})
        at = at[step]  # type: ignore[index]  # what a step leads into is an object or an array: `_has`
    if not _has(at, steps[-1]) and not create:
        return written(value)
    assert isinstance(at, dict | list)
    change(at, steps[-1])
    return written(value)


def _has(value: Json, step: int | str) -> bool:
    """Whether a step leads to a value. Raises _NotThereError where there can be none."""
    if isinstance(value, list) and isinstance(step, int):
        return step < len(value)
    if isinstance(value, dict) and isinstance(step, str):
        return step in value
    raise _NotThereError(str(step), _MISMATCH)


def _put(value: Json, step: int | str, new: Json) -> None:
    if isinstance(value, dict) and isinstance(step, str):
        value[step] = new
    elif isinstance(value, list) and isinstance(step, int):
        if step > len(value) + _MOST_PADDING:
            raise UnknownValueError("a position far behind the end of an array")
        value += [None] * (step + 1 - len(value))
        value[step] = new


def _insert(value: Json, step: int | str, new: Json) -> None:
    if _has(value, step) and isinstance(value, dict):
        raise _NotThereError(str(step), "VARIANT_DUPLICATE_KEY")
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        value.insert(step, new)
    else:
        _put(value, step, new)


def _append(value: Json, step: int | str, new: Json) -> None:
    target = value[step]  # type: ignore[index]  # the path was followed to here
    if not isinstance(target, list):
        raise _NotThereError(str(step), _MISMATCH)
    target.append(new)


def _tried(e: FunctionCall, change: Callable[[], str]) -> Value:
    """The changed variant; where the path cannot be followed an error, or NULL of a function that begins with try_."""
    try:
        return change()
    except _NotThereError:
        if str(e).startswith("try_"):
            return None
        raise


@function("variant_set", "try_variant_set", typed=True)
def _variant_set(e: FunctionCall, text: str, path: str, new: Value, create: bool) -> Value:
    made = json_of(new, type_of(e, 2))
    return _tried(e, lambda: _changed(text, path, create, lambda at, step: _put(at, step, made)))


@function("variant_insert", "try_variant_insert", typed=True)
def _variant_insert(e: FunctionCall, text: str, path: str, new: Value) -> Value:
    made = json_of(new, type_of(e, 2))
    return _tried(e, lambda: _changed(text, path, True, lambda at, step: _insert(at, step, made)))


@function("variant_array_append", "try_variant_array_append", typed=True)
def _variant_array_append(e: FunctionCall, text: str, path: str, new: Value) -> Value:
    made = json_of(new, type_of(e, 2))
    if path == "$":
        value = read(text)
        if isinstance(value, list):
            return written([*value, made])
        return _tried(e, _no_array)
    return _tried(e, lambda: _changed(text, path, False, lambda at, step: _append(at, step, made)))


def _no_array() -> str:
    raise _NotThereError("$", _MISMATCH)


@function("variant_strip_nulls")
def _variant_strip_nulls(text: str, arrays: bool) -> str:
    return written(_stripped(read(text), arrays))


def _stripped(value: Json, arrays: bool) -> Json:
    if isinstance(value, dict):
        return {k: _stripped(v, arrays) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_stripped(v, arrays) for v in value if v is not None or not arrays]
    return value
