"""Python's built-in names as far as programs need them for plans."""

from __future__ import annotations

import ast
import decimal
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.programs.signals import Ended, Raised, raised
from planviz.programs.type_objects import type_of
from planviz.programs.values import (
    Class,
    ErrorClass,
    Function,
    Instance,
    Method,
    Native,
    Super,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter


_ERRORS = """ArithmeticError AssertionError AttributeError BaseException Exception FileNotFoundError IOError ImportError
IndexError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError
OverflowError PermissionError RecursionError RuntimeError StopIteration SystemExit TimeoutError TypeError
UnicodeDecodeError ValueError ZeroDivisionError ConnectionError Warning DeprecationWarning UserWarning"""


def items_of(reader: Interpreter, value: object) -> list[Value]:
    """The elements of a value."""
    return list(reader.iterate(value))


def _range(*bounds: Value) -> range:
    return range(*bounds)


def _sorted(reader: Interpreter, value: object, key: object = None, reverse: object = False) -> object:
    items = items_of(reader, value)
    if any(isinstance(i, Unknown) for i in items) or isinstance(reverse, Unknown):
        return items
    keys = [reader.call(key, [i], {}, None) for i in items] if key is not None else items
    if any(isinstance(k, Unknown) for k in keys):
        return items
    if any(isinstance(k, Instance) for k in keys):
        less = functools.cmp_to_key(lambda a, b: -1 if reader.truth(reader.compare(ast.Lt(), a, b)) else 1)
        order = sorted(range(len(items)), key=lambda i: less(keys[i]), reverse=bool(reverse))
        return [items[i] for i in order]
    order = sorted(range(len(items)), key=lambda i: keys[i], reverse=bool(reverse))
    return [items[i] for i in order]


def _map(reader: Interpreter, function: object, *several: object) -> object:
    return [reader.call(function, list(group), {}, None) for group in zip(*map(reader.iterate, several), strict=False)]


def _filter(reader: Interpreter, function: object, value: object) -> object:
    made = []
    for item in reader.iterate(value):
        kept = item if function is None else reader.call(function, [item], {}, None)
        if reader.truth(kept) is not False:
            made.append(item)
    return made


def reduced(reader: Interpreter, function: object, value: object, *start: object) -> object:
    """functools.reduce."""
    items = [*start, *reader.iterate(value)]
    if not items:
        raise raised("TypeError", "reduce() of empty iterable with no initial value")
    made = items[0]
    for item in items[1:]:
        reader.step()
        made = reader.call(function, [made, item], {}, None)
    return made


def _extreme(name: str, pick: Callable[..., Value]) -> object:
    def found(reader: Interpreter, *values: object, key: object = None, default: object = None) -> Value:
        items = items_of(reader, values[0]) if len(values) == 1 else list(values)
        if any(isinstance(i, Unknown | Column) for i in items):
            return Unknown(f"{name}(...)")
        if not items:
            if default is not None:
                return default
            raise raised("ValueError", f"{name}() arg is an empty sequence")
        keys = items if key is None else [reader.call(key, [i], {}, None) for i in items]
        if any(isinstance(k, Unknown) for k in keys):
            return Unknown(f"{name}(...)")
        return items[pick(range(len(items)), key=lambda i: keys[i])]

    return found


def _sum(reader: Interpreter, value: object, start: object = 0) -> object:
    made = start
    for item in reader.iterate(value):
        made = reader.operate(ast.Add(), made, item)
    return made


def _print(*given: object, **named: object) -> None:
    return None


def _len(reader: Interpreter, value: object) -> object:
    if isinstance(value, Unknown):
        return Unknown(f"len({value.what})")
    if isinstance(value, Instance):
        return reader.call_method(value, "__len__", [], Unknown("len"))
    if isinstance(value, str | bytes | list | tuple | dict | set | frozenset | range):
        return len(value)
    if isinstance(value, DataFrame | Column):
        raise raised("TypeError", f"object of type '{type(value).__name__}' has no len()")
    return len(items_of(reader, value))


def _getattr(reader: Interpreter, value: object, name: object, *default: object) -> object:
    if not isinstance(name, str):
        return Unknown(f"getattr({name})")
    try:
        return reader.attribute(value, name)
    except Raised:
        if default:
            return default[0]
        raise


def _hasattr(reader: Interpreter, value: object, name: object) -> object:
    if isinstance(value, Unknown) or not isinstance(name, str):
        return Unknown(f"hasattr({name})")
    if isinstance(value, Instance):
        return name in value.names or _has(value.of, name)
    try:
        found = reader.attribute(value, name)
    except Raised:
        return False
    return found if isinstance(found, Unknown) else True


def _has(cls: Class, name: str) -> bool:
    try:
        cls.find(name)
    except KeyError:
        return False
    return True


def _setattr(reader: Interpreter, value: object, name: object, given: object) -> None:
    if isinstance(name, str):
        reader.set_attribute(value, name, given)


def _isinstance(reader: Interpreter, value: object, cls: object) -> object:
    answer = reader.is_instance(value, cls)
    return Unknown("isinstance") if answer is None else answer


def _type(reader: Interpreter, value: object, *rest: object) -> object:
    return type_of(value) if not rest else Unknown("type")


def _super(reader: Interpreter, *given: object) -> object:
    if len(given) == 2 and isinstance(given[0], Class):
        return Super(given[0], given[1])
    call = reader.current
    if call is not None and call[0].owner is not None:
        return Super(call[0].owner, call[1])
    return Unknown("super()")


def _number(kind: Callable[..., object]) -> Callable[..., Value]:
    def made(value: object = 0, *rest: object) -> Value:
        if isinstance(value, str) and len(value) > 1000:
            return Unknown("number")
        return kind(value, *rest)

    return made


def _str(reader: Interpreter, value: object = "", *rest: object) -> object:
    return value if isinstance(value, Unknown) else reader.text(value)


def _round(value: object, digits: Value = None) -> object:
    return round(value, digits) if isinstance(value, int | float | decimal.Decimal) else Unknown("round")


def dict_of(reader: Interpreter, *given: object, **named: object) -> object:
    """dict(...)."""
    made: dict[Value, Value] = {}
    if given:
        made = dict(given[0]) if isinstance(given[0], dict) else {}
        if not isinstance(given[0], dict):
            for pair in reader.iterate(given[0]):
                k, v = reader.iterate(pair) if not isinstance(pair, Unknown) else (str(pair), pair)
                made[k] = v
    made.update(named)
    return made


def sequence(kind: Callable[..., object]) -> Callable[..., object]:
    """list(...), tuple(...), set(...)."""

    def made(reader: Interpreter, *given: object) -> Value:
        if given and isinstance(given[0], Unknown):
            return given[0]
        return kind(items_of(reader, given[0])) if given else kind()

    return made


def ended(reader: Interpreter, *given: object) -> None:
    """exit(): the program ends here."""
    raise Ended


def _enumerate(reader: Interpreter, value: object, start: int = 0) -> object:
    return [(i, v) for i, v in enumerate(reader.rounds(value), start)]


def _zip(reader: Interpreter, *several: Value, strict: bool = False) -> object:
    if any(isinstance(s, Unknown) for s in several):
        known = [s for s in several if not isinstance(s, Unknown)]
        if not known:
            return [tuple(Unknown(f"{s.what}[...]") for s in several)]
        size = min(len(items_of(reader, s)) for s in known)
        several = tuple([Unknown(f"{s.what}[...]")] * size if isinstance(s, Unknown) else s for s in several)
    return list(zip(*(items_of(reader, s) for s in several), strict=False))


def _iter(reader: Interpreter, value: object, *rest: object) -> Value:
    return value if isinstance(value, Unknown) else items_of(reader, value)


def _next(reader: Interpreter, value: object, *default: object) -> object:
    if isinstance(value, list):
        if value:
            return value.pop(0)
        if default:
            return default[0]
        raise raised("StopIteration", "")
    return Unknown("next")


def _some(wanted: bool) -> object:
    def found(reader: Interpreter, value: object) -> Value:
        answers = [reader.truth(v) for v in reader.rounds(value)]
        if wanted in answers:
            return wanted
        return Unknown("any" if wanted else "all") if None in answers else not wanted

    return found


def builtins(reader: Interpreter) -> dict[str, object]:
    """Python's built-in names."""
    made: dict[str, Value] = {n: ErrorClass(n) for n in _ERRORS.split()}
    reads: dict[str, Value] = {
        "sorted": _sorted, "map": _map, "filter": _filter, "len": _len, "getattr": _getattr, "hasattr": _hasattr,
        "setattr": _setattr, "isinstance": _isinstance, "type": _type, "super": _super, "str": _str, "dict": dict_of,
        "list": sequence(list), "tuple": sequence(tuple), "set": sequence(set), "frozenset": sequence(frozenset),
        "enumerate": _enumerate, "zip": _zip, "iter": _iter, "next": _next, "any": _some(True), "all": _some(False),
        "max": _extreme("max", max), "min": _extreme("min", min), "sum": _sum, "exit": ended, "quit": ended,
        "reversed": lambda r, v: items_of(r, v)[::-1] if not isinstance(v, Unknown) else v, "display": None,
    }  # fmt: skip
    made |= {n: Native(n, f, True, True) for n, f in reads.items() if f is not None}
    plain: dict[str, Value] = {
        "range": _range, "abs": abs, "round": _round, "int": _number(int), "float": _number(float), "bool": bool,
        "bytearray": lambda v=b"": bytearray(v) if isinstance(v, bytes | bytearray | list) else Unknown("bytearray"),
        "chr": chr, "ord": ord, "hex": hex, "bin": bin, "divmod": divmod, "slice": slice,
    }  # fmt: skip
    made |= {n: Native(n, f) for n, f in plain.items()}
    made["print"] = Native("print", _print, True)
    made["repr"] = Native("repr", lambda v="": v if isinstance(v, Unknown) else reader.text(v), True)
    made["callable"] = Native("callable", lambda v: isinstance(v, Function | Class | Method | Native), True)
    for name in ("object", "property", "staticmethod", "classmethod", "id", "hash", "vars", "dir", "format", "bytes"):
        made[name] = Native(name, lambda *a, name=name, **k: Unknown(name), True)
    made["__import__"] = Native("__import__", lambda name, *a, **k: _imported(reader, name, *a, **k), True)
    made["globals"] = Native("globals", lambda: reader.module.names, True)
    for name in ("open", "input", "locals", "compile", "eval", "exec", "breakpoint", "help"):
        made[name] = Native(name, lambda *a, name=name, **k: Unknown(f"{name}(...)"), True)
    made["Ellipsis"] = ...
    made["NotImplemented"] = Unknown("NotImplemented")
    made["__name__"], made["__file__"] = "__main__", Unknown("__file__")
    made["__doc__"] = None
    return made


def _imported(reader: Interpreter, name: object, *given: object, fromlist: object = (), **_: object) -> object:
    if not isinstance(name, str):
        return Unknown("__import__(...)")
    wanted = given[2] if len(given) > 2 else fromlist
    return reader.importing(name if wanted else name.partition(".")[0])
