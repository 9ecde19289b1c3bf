"""Methods of Scala's sequences, by the Python that means the same; more of them in scala_values.py."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from planviz.programs.scala_rows import local_rows
from planviz.programs.scala_values import more_of_sequence
from planviz.programs.values import Native, Value

#: A place of a tuple, which has 22 at most.
_PLACE = re.compile(r"_(?:[1-9]|1\d|2[0-2])")
#: Methods of sequences, by the Python that means the same.
_SEQUENCES: dict[str, Callable[[Value, list[Value]], Value]] = {
    "map": lambda reader, xs: lambda f: [reader.call(f, [x], {}, None) for x in xs],
    "flatMap": lambda reader, xs: lambda f: [y for x in xs for y in reader.rounds(reader.call(f, [x], {}, None))],
    "foreach": lambda reader, xs: lambda f: [reader.call(f, [x], {}, None) for x in xs] and None,
    "filter": lambda reader, xs: lambda f: [x for x in xs if reader.truth(reader.call(f, [x], {}, None)) is not False],
    "filterNot": lambda reader, xs: (
        lambda f: [x for x in xs if reader.truth(reader.call(f, [x], {}, None)) is not True]
    ),
    "reduce": lambda reader, xs: lambda f: functools.reduce(lambda a, b: reader.call(f, [a, b], {}, None), xs),
    "reduceLeft": lambda reader, xs: lambda f: functools.reduce(lambda a, b: reader.call(f, [a, b], {}, None), xs),
    "mkString": lambda reader, xs: lambda *a: (a[1] if len(a) > 2 else a[0] if a else "").join(map(str, xs)),
    "zip": lambda reader, xs: lambda ys: list(zip(xs, ys, strict=False)),
    "contains": lambda reader, xs: lambda x: x in xs,
    "toDF": lambda reader, xs: lambda *names: _rows(reader, xs, list(names)),
    "toDS": lambda reader, xs: lambda: _rows(reader, xs, []),
}
_PARTS: dict[str, Callable[[list[Value]], Value]] = {
    "head": lambda xs: xs[0] if xs else None, "last": lambda xs: xs[-1] if xs else None, "tail": lambda xs: xs[1:],
    "length": len, "size": len, "isEmpty": lambda xs: not xs, "nonEmpty": bool, "toSeq": list, "toArray": list,
    "toList": list, "distinct": lambda xs: list(dict.fromkeys(xs)), "reverse": lambda xs: xs[::-1],
    "zipWithIndex": lambda xs: [(x, i) for i, x in enumerate(xs)], "indices": lambda xs: list(range(len(xs))),
    "init": lambda xs: xs[:-1],
}  # fmt: skip


def _rows(reader: Value, values: list[Value], names: list[Value]) -> Value:
    local = local_rows(reader.session, values)
    if local is not None:
        return local.toDF(*names) if names else local
    given = [values, names] if names else [values]
    return reader.call(reader.attribute(reader.session, "createDataFrame"), given, {}, None)


def sequence_method(reader: Value, values: list[Value], name: str) -> Value:
    """A method of a Scala sequence, or what it gives where it takes nothing; None for one that is not known."""
    if _PLACE.fullmatch(name) and int(name[1:]) <= len(values):
        return values[int(name[1:]) - 1]
    if name in _SEQUENCES:
        return Native(name, _SEQUENCES[name](reader, values), True)
    if name in ("head", "isEmpty", "distinct"):
        # Written without parentheses they were given some.
        return Native(name, lambda *a: _PARTS[name](values), True)
    return _PARTS[name](values) if name in _PARTS else more_of_sequence(reader, values, name)
