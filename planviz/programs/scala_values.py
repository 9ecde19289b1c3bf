"""Scala's match, Option, Map and sequences, as the reader of programs needs them: on values that Python has, too.

`Some(x)` stands as x and `None` as None, so that methods of Option are met on plain values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from planviz.dataframe.column import Column, LongNumber, literal
from planviz.dataframe.frame import DataFrame
from planviz.expressions.core import Literal
from planviz.programs.scala_rows import Record, type_of
from planviz.programs.scala_text import formatted, scala_text, without_margin
from planviz.programs.signals import Raised, raised
from planviz.programs.values import Native, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

Method = Callable[..., Value]
#: What an Option or a Try has that holds a DataFrame: it stands as the DataFrame itself.
_OF_OPTIONS: dict[str, Callable[[Value], Value]] = {
    "get": lambda value: value, "isDefined": lambda value: True, "isSuccess": lambda value: True,
    "toOption": lambda value: value,
    "getOrElse": lambda value: _gives(value), "orElse": lambda value: _gives(value),
    "recover": lambda value: _gives(value),
}  # fmt: skip


#: What texts have without parentheses.
_OF_TEXTS: dict[str, Callable[[str], Value]] = {
    "nonEmpty": bool, "trim": lambda text: text.strip(), "reverse": lambda text: text[::-1],
    "capitalize": lambda text: text[:1].upper() + text[1:],
    "head": lambda text: text[:1], "tail": lambda text: text[1:],
    "toInt": lambda text: _number(text, int), "toLong": lambda text: _number(text, LongNumber),
    "toDouble": lambda text: _number(text, float),
    "stripPrefix": lambda text: Native("stripPrefix", text.removeprefix),
    "stripSuffix": lambda text: Native("stripSuffix", text.removesuffix),
    "take": lambda text: Native("take", lambda n: text[:n]), "drop": lambda text: Native("drop", lambda n: text[n:]),
    "contains": lambda text: Native("contains", lambda part: part in text),
}  # fmt: skip


def _number(text: str, kind: Callable[[str], Value]) -> Value:
    try:
        return kind(text)
    except ValueError:
        raise raised("NumberFormatException", f'For input string: "{text}"') from None


def _gives(value: Value) -> Native:
    return Native("getOrElse", lambda *given: value, True)


def matched(reader: Interpreter, subject: Value, clauses: Value) -> Value:
    """What the first clause gives whose pattern the value fits.

    A clause has its pattern, a guard and a body as functions of what the pattern binds, and its text. Of clauses of
    which nobody knows whether they fit all are read, the first that has a value counts.
    """
    made: list[Value] = []
    before = reader.variant
    for pattern, guard, body, shown in clauses:
        bound: dict[str, Value] = {}
        fits = _fits(pattern, subject, bound)
        if fits is False:
            continue
        given = [bound.get(a.arg, Unknown(a.arg)) for a in body.node.args.args]
        holds = True if guard is None else reader.truth(reader.call(guard, given, {}, None))
        if holds is False:
            continue
        sure = fits is True and holds is True
        if sure and not made:
            return reader.call(body, given, {}, None)
        reader.variant = f"{subject} match {shown}"
        try:
            made.append(reader.call(body, given, {}, None))
        except Raised:
            if sure and not made:
                raise
        finally:
            reader.variant = before
        if sure:
            break
    return next((m for m in made if m is not None), None)


def _fits(pattern: Value, value: Value, bound: dict[str, Value]) -> bool | None:
    """Whether a value fits a pattern, None where nobody knows; what it binds goes into `bound`."""
    kind, *parts = pattern
    if kind == "any":
        return True
    if kind == "bind":
        bound[parts[0]] = value
        return True
    if kind == "or":
        found = [_fits(p, value, bound) for p in parts[0]]
        return True if True in found else None if None in found else False
    if kind == "class":
        return _fits_class(parts[0], parts[1], value, bound)
    unknown = isinstance(value, Unknown)
    if kind == "typed":
        _fits(parts[1], value, bound)
        return _fits_class(parts[0], [], value, bound)
    if kind == "is":
        return None if unknown or isinstance(parts[0], Unknown) else bool(value == parts[0])
    if kind == "nil":
        return None if unknown else isinstance(value, list | tuple) and not value
    if kind == "cons":
        first, rest = (Unknown(f"{value.what}[...]"), value) if unknown else (None, None)
        if not unknown:
            if not isinstance(value, list | tuple) or not value:
                return False
            first, rest = value[0], list(value[1:])
        return _all([_fits(parts[0], first, bound), _fits(parts[1], rest, bound), None if unknown else True])
    if unknown or not isinstance(value, list | tuple):
        found = [_fits(p, Unknown(f"{value}[{i}]"), bound) for i, p in enumerate(parts[0])]
        return None if unknown else False
    if len(value) != len(parts[0]):
        return False
    return _all([_fits(p, v, bound) for p, v in zip(parts[0], value, strict=True)])


def _fits_class(name: str, parts: Value, value: Value, bound: dict[str, Value]) -> bool | None:
    if name in ("Some", "Success", "Right"):
        if value is None:
            return False
        return _all([*(_fits(p, value, bound) for p in parts), None if isinstance(value, Unknown) else True])
    if name in ("Failure", "Left"):
        for p in parts:
            _fits(p, Unknown("error"), bound)
        return None if isinstance(value, Unknown) else False
    if name in ("Seq", "List", "Array", "Vector"):
        return _fits(("tuple", parts), value, bound)
    if isinstance(value, Unknown):
        for i, p in enumerate(parts):
            _fits(p, Unknown(f"{value.what}[{i}]"), bound)
        return None
    own = getattr(value, "kind", "")
    if own and own != name:
        return False
    if not own or not isinstance(value, tuple):
        plain = {str: "String", int: "Int", float: "Double", bool: "Boolean"}.get(type(value))
        for p in parts:
            _fits(p, value, bound)
        return plain == name if plain else None
    return _all([_fits(p, v, bound) for p, v in zip(parts, value, strict=False)])


def _all(answers: list[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True


def pairs_of(reader: Interpreter, value: Value) -> Value:
    """What a fold goes through: the pairs of a map."""
    return list(value.items()) if isinstance(value, dict) else value


def option_method(reader: Interpreter, value: Value, name: str) -> Native | None:
    """A method of Option on what stands for one; None for another name."""

    def apply(f: Value) -> Value:
        return reader.call(f, [value], {}, None)

    def given(default: Value) -> Value:
        return reader.call(default, [], {}, None) if callable(default) else default

    none, unknown = value is None, isinstance(value, Unknown)
    if unknown and name in ("map", "foreach", "flatMap", "exists", "forall"):
        return Native(name, lambda f: _of_elements(reader, value, name, f), True)
    if unknown and name == "filter":
        return Native(name, lambda f: value, True)
    methods: dict[str, Method] = {
        # Of a map that nobody knows, as the environment, it takes the key first.
        "getOrElse": lambda *default: given(default[-1]) if none or unknown else value,
        "orElse": lambda other: given(other) if none else value,
        "map": lambda f: None if none else apply(f),
        "flatMap": lambda f: None if none else apply(f),
        "foreach": lambda f: None if none else apply(f) and None,
        "filter": lambda f: None if none or reader.truth(apply(f)) is False else value,
        "exists": lambda f: False if none else apply(f),
    }
    if name in methods and not (unknown and name != "getOrElse"):
        return Native(name, methods[name], True)
    return None


def _of_elements(reader: Interpreter, value: Unknown, name: str, f: Value) -> Value:
    """A method of a sequence that nobody knows: one element stands for all."""
    made = reader.call(f, [Unknown(f"{value.what}[...]")], {}, None)
    if name == "foreach":
        return None
    if reader.session.incomplete:
        # It may be a Dataset whose statement was passed over in this reading.
        return Unknown(f"{value.what}.{name}(...)")
    return list(reader.rounds(made)) if name == "flatMap" else [made] if name == "map" else Unknown(name)


def option_part(value: Value, name: str) -> Value:
    """What Option has without parentheses: NotImplemented for another name."""
    if name in ("isDefined", "nonEmpty") and not (isinstance(value, str) and name == "nonEmpty"):
        return value is not None
    if name in ("get", "orNull"):
        return value
    if name in ("toSeq", "toList"):
        return [] if value is None else [value]
    return NotImplemented


def map_method(reader: Interpreter, value: dict[Value, Value], name: str) -> Value:
    """A method of Map, or what it has without parentheses; None for another name."""
    pairs = list(value.items())

    def each(f: Value) -> list[Value]:
        return [reader.call(f, [pair], {}, None) for pair in pairs]

    def missing(key: Value, default: Value) -> Value:
        return value[key] if not isinstance(key, Unknown) and key in value else default

    methods: dict[str, Method] = {
        "getOrElse": missing,
        "get": lambda key: missing(key, None),
        "contains": lambda key: key in value,
        "map": each,
        "foreach": lambda f: each(f) and None,
        "flatMap": lambda f: [y for x in each(f) for y in reader.rounds(x)],
        "filter": lambda f: {k: v for k, v in pairs if reader.truth(reader.call(f, [(k, v)], {}, None)) is not False},
        "mapValues": lambda f: {k: reader.call(f, [v], {}, None) for k, v in pairs},
        "updated": lambda key, new: {**value, key: new},
        "getOrElseUpdate": lambda key, default: value.setdefault(key, default),
        "put": lambda key, new: value.__setitem__(key, new),
        "filterKeys": lambda f: {k: v for k, v in pairs if reader.truth(reader.call(f, [k], {}, None)) is not False},
    }
    if name in methods:
        return Native(name, methods[name], True)
    parts: dict[str, Value] = {
        "toSeq": pairs, "toList": pairs, "toArray": pairs, "toMap": value, "keys": list(value),
        "keySet": list(value), "values": list(value.values()), "size": len(value), "nonEmpty": bool(value),
    }  # fmt: skip
    return parts.get(name)


def more_of_sequence(reader: Interpreter, xs: list[Value], name: str) -> Value:
    """Methods of sequences beside those that programs have most; None for another name."""

    def holds(f: Value, x: Value) -> bool:
        return reader.truth(reader.call(f, [x], {}, None)) is not False

    def keyed(f: Value) -> list[Value]:
        return [reader.call(f, [x], {}, None) for x in xs]

    def ordered(keys: list[Value]) -> list[Value]:
        if any(isinstance(k, Unknown) for k in keys):
            return xs
        return [xs[i] for i in sorted(range(len(xs)), key=lambda i: keys[i])]

    methods: dict[str, Method] = {
        "find": lambda f: next((x for x in xs if holds(f, x)), None),
        "exists": lambda f: any(holds(f, x) for x in xs),
        "forall": lambda f: all(holds(f, x) for x in xs),
        "take": lambda n: xs[:n], "drop": lambda n: xs[n:], "takeRight": lambda n: xs[-n:] if n else [],
        "diff": lambda other: [x for x in xs if x not in list(reader.iterate(other))],
        "intersect": lambda other: [x for x in xs if x in list(reader.iterate(other))],
        "union": lambda other: [*xs, *reader.iterate(other)],
        "sortBy": lambda f: ordered(keyed(f)),
        "partition": lambda f: ([x for x in xs if holds(f, x)], [x for x in xs if not holds(f, x)]),
        "reduceOption": lambda f: _reduced(reader, xs, f) if xs else None,
    }  # fmt: skip
    if name in methods:
        return Native(name, methods[name], True)
    if name == "toMap" and all(isinstance(x, tuple) and len(x) == 2 for x in xs):
        return dict(xs)
    parts: dict[str, Callable[[], Value]] = {
        "headOption": lambda: xs[0] if xs else None, "lastOption": lambda: xs[-1] if xs else None,
        "sorted": lambda: ordered(xs), "toSet": lambda: xs, "toVector": lambda: xs, "toIndexedSeq": lambda: xs,
        "sum": lambda: sum(xs), "max": lambda: max(xs), "min": lambda: min(xs), "flatten": lambda: [
            y for x in xs for y in reader.rounds(x)
        ],
    }  # fmt: skip
    return parts[name]() if name in parts else None


def _reduced(reader: Interpreter, xs: list[Value], f: Value) -> Value:
    made = xs[0]
    for x in xs[1:]:
        made = reader.call(f, [made, x], {}, None)
    return made


def scala_attribute(reader: Interpreter, value: Value, name: str) -> Value:
    """value.name for maps, objects of case classes, and what stands for an Option; NotImplemented for all else."""
    if isinstance(value, DataFrame) and name in _OF_OPTIONS:
        return _OF_OPTIONS[name](value)
    if isinstance(value, str) and name in _OF_TEXTS:
        return _OF_TEXTS[name](value)
    if isinstance(value, dict):
        found = map_method(reader, value, name)
        return NotImplemented if found is None else found
    if name == "copy" and hasattr(value, "declared"):
        return copied(value)
    if isinstance(value, Record) and value.members is not None and name not in value._fields:
        members = reader.call(value.members, list(value), {}, None)
        if isinstance(members, dict) and name in members:
            found = members[name]
            # A function without a list of parameters stands for what it gives.
            return reader.call(found[0], [], {}, None) if isinstance(found, tuple) else found
    if value is None or isinstance(value, Unknown | str | int | float) or hasattr(value, "declared"):
        if name in getattr(value, "_fields", ()):
            return NotImplemented
        method = option_method(reader, value, name)
        if method is not None:
            return method
        if value is None or not isinstance(value, Unknown):
            return option_part(value, name)
    return NotImplemented


def copied(record: Value) -> Native:
    """record.copy(field = value)"""

    def copy(**changes: Value) -> Value:
        made = type(record)(changes.get(n, v) for n, v in zip(record._fields, record, strict=True))
        made.__dict__.update(record.__dict__)
        return made

    return Native("copy", copy, True)


def _flattened(reader: Interpreter, several: Value) -> list[Value]:
    """What flatMap makes of the results of its function: their elements, those of an Option, too."""
    return [v for made in reader.rounds(several) if made is not None for v in reader.rounds(made)]


def typed_literal(value: Value) -> Value:
    """What typedLit gives: a sequence of plain values is one literal."""
    kind, _ = type_of(value)
    if isinstance(value, list) and value and all(isinstance(v, str | int | float) for v in value):
        return Column(Literal(list(value), kind))
    return value if isinstance(value, Column) else Column(literal(value))


def scala_names_of_values() -> dict[str, Native]:
    """What the translation calls."""
    return {
        "scala_match": Native("scala_match", matched, True, True),
        "scala_flattened": Native("scala_flattened", _flattened, True, True),
        "scala_pairs": Native("scala_pairs", pairs_of, True, True),
        "scala_shown": Native("scala_shown", scala_text, True),
        "scala_formatted": Native("scala_formatted", formatted, True),
        "scala_typed_literal": Native("scala_typed_literal", typed_literal, True),
        "scala_without_margin": Native("scala_without_margin", without_margin, True),
        "scala_unknown": Native("scala_unknown", lambda name: Unknown(str(name)), True),
        "Try": Native("Try", lambda value=None: value, True),
        "scala_folded": Native(
            "scala_folded",
            lambda reader, value, default, f: default if value is None else reader.call(f, [value], {}, None),
            True,
            True,
        ),
    }
