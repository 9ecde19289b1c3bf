"""Functions of `itertools` over known values; what is endless there has an end here."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from planviz.programs.builtin_names import items_of
from planviz.programs.signals import LimitReached
from planviz.programs.values import Native, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

_MOST = 100_000
#: How many values stand for `count()` and `cycle()`.
_ENDLESS = 10_000


def names_of(reader: Interpreter) -> dict[str, Value]:
    """The names of the module."""
    names: dict[str, Value] = {
        n: Native(n, _bound(reader, f), True)
        for n, f in {
            "product": _product, "groupby": _groupby, "accumulate": _accumulate, "islice": _islice, "cycle": _cycle,
            "starmap": _starmap, "takewhile": _takewhile, "dropwhile": _dropwhile, "filterfalse": _filterfalse,
            "zip_longest": _zip_longest, "chain": _chain,
        }.items()
    }  # fmt: skip
    for name in ("combinations", "permutations", "combinations_with_replacement"):
        names[name] = Native(name, _bound(reader, _choices(name)), True)
    names["pairwise"] = Native("pairwise", lambda v: list(itertools.pairwise(items_of(reader, v))), True)
    names["repeat"] = Native("repeat", lambda v, n=_ENDLESS: [v] * min(n, _MOST), True)
    names["count"] = Native("count", lambda start=0, step=1: [start + step * i for i in range(_ENDLESS)])
    return names


def _bound(reader: Interpreter, function: Value) -> Value:
    return lambda *given, **named: function(reader, *given, **named)


def _bounded(values: Iterable[Value]) -> list[Value]:
    made = list(itertools.islice(values, _MOST))
    if len(made) == _MOST:
        raise LimitReached("a value grows too large")
    return made


def _choices(name: str) -> Value:
    def chosen(reader: Interpreter, value: Value, size: Value = None) -> list[Value]:
        return _bounded(getattr(itertools, name)(items_of(reader, value), *([] if size is None else [size])))

    return chosen


def _product(reader: Interpreter, *several: Value, repeat: int = 1) -> Value:
    lists = [items_of(reader, s) for s in several] * min(repeat, 10)
    if math.prod(len(part) for part in lists) > _MOST:
        raise LimitReached("a value grows too large")
    return list(itertools.product(*lists))


def _chain(reader: Interpreter, *several: Value) -> list[Value]:
    return [x for s in several for x in reader.rounds(s)]


def _zip_longest(reader: Interpreter, *several: Value, fillvalue: Value = None) -> list[Value]:
    return list(itertools.zip_longest(*(items_of(reader, v) for v in several), fillvalue=fillvalue))


def _groupby(reader: Interpreter, values: Value, key: Value = None) -> Value:
    """Neighbours of the same key."""
    groups: list[tuple[Value, list[Value]]] = []
    for item in items_of(reader, values):
        of = item if key is None else reader.call(key, [item], {}, None)
        if isinstance(of, Unknown):
            return Unknown("groupby(...)")
        if groups and groups[-1][0] == of:
            groups[-1][1].append(item)
        else:
            groups.append((of, [item]))
    return groups


def _accumulate(reader: Interpreter, values: Value, func: Value = None, *, initial: Value = None) -> list[Value]:
    made = [] if initial is None else [initial]
    for item in items_of(reader, values):
        if not made:
            made.append(item)
        elif func is None:
            made.append(reader.operate(ast.Add(), made[-1], item))
        else:
            made.append(reader.call(func, [made[-1], item], {}, None))
    return made


def _islice(reader: Interpreter, values: Value, *bounds: Value) -> list[Value]:
    return list(itertools.islice(items_of(reader, values), *bounds))


def _cycle(reader: Interpreter, values: Value) -> list[Value]:
    items = items_of(reader, values)
    return list(itertools.islice(itertools.cycle(items), _ENDLESS))


def _starmap(reader: Interpreter, function: Value, values: Value) -> list[Value]:
    return [reader.call(function, items_of(reader, item), {}, None) for item in reader.rounds(values)]


def _kept(reader: Interpreter, test: Value, item: Value) -> bool:
    return reader.truth(item if test is None else reader.call(test, [item], {}, None)) is not False


def _takewhile(reader: Interpreter, test: Value, values: Value) -> list[Value]:
    return list(itertools.takewhile(lambda item: _kept(reader, test, item), items_of(reader, values)))


def _dropwhile(reader: Interpreter, test: Value, values: Value) -> list[Value]:
    return list(itertools.dropwhile(lambda item: _kept(reader, test, item), items_of(reader, values)))


def _filterfalse(reader: Interpreter, test: Value, values: Value) -> list[Value]:
    return [item for item in items_of(reader, values) if not _kept(reader, test, item)]
