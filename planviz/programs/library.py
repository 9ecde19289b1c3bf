"""Python's built-in names and the modules that programs use, as far as plans need them. None of them is imported.

What is not known here gives unknown values: a program may import anything.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import itertools
import json
import math
import os.path
import re
import string
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.programs import frames
from planviz.programs.signals import Ended, LimitReached, Raised, raised
from planviz.programs.type_objects import type_of
from planviz.programs.values import (
    Class,
    ErrorClass,
    Function,
    Instance,
    Method,
    Module,
    Native,
    Super,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

_MOST = 1_000_000
_NOW = ("now", "today", "utcnow", "fromtimestamp", "combine")
_ERRORS = """ArithmeticError AssertionError AttributeError BaseException Exception FileNotFoundError IOError ImportError
IndexError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError
OverflowError PermissionError RecursionError RuntimeError StopIteration SystemExit TimeoutError TypeError
UnicodeDecodeError ValueError ZeroDivisionError ConnectionError Warning DeprecationWarning UserWarning"""


def _items(reader: Interpreter, value: object) -> list[Value]:
    return list(reader.iterate(value))


def _range(*bounds: Value) -> range:
    return range(*bounds)


def _sorted(reader: Interpreter, value: object, key: object = None, reverse: object = False) -> object:
    items = _items(reader, value)
    if any(isinstance(i, Unknown) for i in items) or isinstance(reverse, Unknown):
        return items
    keys = [reader.call(key, [i], {}, None) for i in items] if key is not None else items
    if any(isinstance(k, Unknown) for k in keys):
        return items
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


def _reduce(reader: Interpreter, function: object, value: object, *start: object) -> object:
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
        items = _items(reader, values[0]) if len(values) == 1 else list(values)
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
    return len(_items(reader, value))


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


def _dict(reader: Interpreter, *given: object, **named: object) -> object:
    made: dict[Value, Value] = {}
    if given:
        made = dict(given[0]) if isinstance(given[0], dict) else {}
        if not isinstance(given[0], dict):
            for pair in reader.iterate(given[0]):
                k, v = reader.iterate(pair) if not isinstance(pair, Unknown) else (str(pair), pair)
                made[k] = v
    made.update(named)
    return made


def _sequence(kind: Callable[..., object]) -> Callable[..., object]:
    def made(reader: Interpreter, *given: object) -> Value:
        if given and isinstance(given[0], Unknown):
            return given[0]
        return kind(_items(reader, given[0])) if given else kind()

    return made


def _exit(reader: Interpreter, *given: object) -> None:
    raise Ended


def _enumerate(reader: Interpreter, value: object, start: int = 0) -> object:
    return [(i, v) for i, v in enumerate(reader.rounds(value), start)]


def _zip(reader: Interpreter, *several: Value, strict: bool = False) -> object:
    if any(isinstance(s, Unknown) for s in several):
        known = [s for s in several if not isinstance(s, Unknown)]
        if not known:
            return [tuple(Unknown(f"{s.what}[...]") for s in several)]
        size = min(len(_items(reader, s)) for s in known)
        several = tuple([Unknown(f"{s.what}[...]")] * size if isinstance(s, Unknown) else s for s in several)
    return list(zip(*(_items(reader, s) for s in several), strict=False))


def _iter(reader: Interpreter, value: object, *rest: object) -> Value:
    return value if isinstance(value, Unknown) else _items(reader, value)


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
        "setattr": _setattr, "isinstance": _isinstance, "type": _type, "super": _super, "str": _str, "dict": _dict,
        "list": _sequence(list), "tuple": _sequence(tuple), "set": _sequence(set), "frozenset": _sequence(frozenset),
        "enumerate": _enumerate, "zip": _zip, "iter": _iter, "next": _next, "any": _some(True), "all": _some(False),
        "max": _extreme("max", max), "min": _extreme("min", min), "sum": _sum, "exit": _exit, "quit": _exit,
        "reversed": lambda r, v: _items(r, v)[::-1] if not isinstance(v, Unknown) else v, "display": None,
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
    for name in ("open", "input", "globals", "locals", "compile", "eval", "exec", "breakpoint", "help"):
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
    return import_module(reader, name if wanted else name.partition(".")[0])


def native(name: str, function: Any) -> Native:
    """A function of plain values."""
    return Native(name, function)


def reads(name: str, function: Any) -> Native:
    """A function that is given the interpreter first, and copes with unknown values."""
    return Native(name, function, True, True)


def _pool() -> Module:
    """Workers that call functions of the program (ThreadPoolExecutor, multiprocessing.Pool): called at once."""

    def submit(reader: Interpreter, function: Value, *given: Value, **named: Value) -> Module:
        made = reader.call(function, list(given), named, None)
        return Module("future", {"result": Native("result", lambda *a, **k: made, True)})

    def each(reader: Interpreter, function: Value, *several: Value, **named: Value) -> list[Value]:
        rounds = [list(reader.rounds(s)) for s in several if not isinstance(s, int)]
        return [reader.call(function, list(given), {}, None) for given in zip(*rounds, strict=False)]

    names: dict[str, Value] = dict.fromkeys(("map", "imap", "imap_unordered"), reads("map", each))
    names["starmap"] = reads(
        "starmap", lambda r, f, rows, *a: [r.call(f, list(r.iterate(x)), {}, None) for x in r.rounds(rows)]
    )
    names |= dict.fromkeys(("submit", "apply", "apply_async"), reads("submit", submit))
    names |= dict.fromkeys(("shutdown", "close", "join", "terminate"), _unknown_call("close"))
    return Module("pool", names)


def _thread(reader: Interpreter, *given: Value, target: Value = None, args: Value = (), **named: Value) -> Module:
    """threading.Thread(target=f, args=(...)): it runs where it starts."""

    def start(r: Interpreter) -> Value:
        return None if target is None else r.call(target, list(r.iterate(args)), named.get("kwargs") or {}, None)

    return Module("thread", {"start": reads("start", start), "run": reads("run", start), "join": _unknown_call("join")})


def _unknown_call(name: str) -> Native:
    return Native(name, lambda *a, **k: Unknown(f"{name}(...)"), True)


def _module(reader: Interpreter, name: str) -> Module | None:
    names: dict[str, Value]
    match name:
        case "functools":
            names = {"reduce": reads("reduce", _reduce), "partial": reads("partial", _partial)}
        case "pandas" | "numpy":
            return frames.module(name)
        case "concurrent.futures" | "multiprocessing" | "multiprocessing.pool" | "multiprocessing.dummy":
            pool = Native("pool", lambda *a, **k: _pool(), True)
            names = dict.fromkeys(("ThreadPoolExecutor", "ProcessPoolExecutor", "ThreadPool", "Pool"), pool)
            names["as_completed"] = reads("as_completed", lambda r, futures, **k: list(r.rounds(futures)))
        case "threading":
            names = {"Thread": reads("Thread", _thread)}
        case "operator":
            names = {}
            for n in ("add", "sub", "mul", "truediv", "and_", "or_", "xor", "eq", "ne", "lt", "le", "gt", "ge", "mod"):
                names[n] = reads(n, _operator(n))
            names["itemgetter"] = reads("itemgetter", _itemgetter)
            names["attrgetter"] = reads("attrgetter", _attrgetter)
        case "itertools":
            names = {
                "chain": reads("chain", lambda r, *several: [x for s in several for x in r.rounds(s)]),
                "product": reads("product", _product),
                "combinations": reads("combinations", _combinations),
                "repeat": native("repeat", lambda v, n: [v] * min(n, _MOST)),
                "zip_longest": reads(
                    "zip_longest", lambda r, *s, fillvalue=None: list(
                        itertools.zip_longest(*(_items(r, v) for v in s), fillvalue=fillvalue)
                    ),
                ),
            }  # fmt: skip
        case "datetime":
            names = {
                "date": Module("datetime.date", {
                    "__call__": native("date", datetime.date), "today": _unknown_call("date.today"),
                    "fromisoformat": native("fromisoformat", datetime.date.fromisoformat),
                }),
                "datetime": Module("datetime.datetime", {
                    **{n: _unknown_call(f"datetime.{n}") for n in _NOW}, "strptime": native("strptime", _strptime),
                    "__call__": native("datetime", datetime.datetime),
                    "fromisoformat": native("fromisoformat", datetime.datetime.fromisoformat),
                }),
                "timedelta": native("timedelta", datetime.timedelta),
                "time": native("time", datetime.time), "timezone": Module("timezone", {"utc": Unknown("utc")}),
            }  # fmt: skip
        case "decimal":
            names = {"Decimal": native("Decimal", lambda v=0: _decimal(v))}
        case "math":
            names = {n: native(n, getattr(math, n)) for n in ("ceil", "floor", "sqrt", "log", "log10", "log2", "exp",
                     "sin", "cos", "tan", "isnan", "fabs", "radians", "degrees")}  # fmt: skip
            names |= {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
        case "os":
            return Module("os", {
                "path": import_module(reader, "os.path"), "environ": Module("os.environ", {"get": native(
                    "get", lambda n, d=None: Unknown(f"environ.{n}") if d is None else d)}),
                "getenv": native("getenv", lambda n, d=None: Unknown(f"environ.{n}") if d is None else d),
                "sep": "/",
            })  # fmt: skip
        case "os.path":
            names = {
                "join": Native("join", lambda *p: os.path.join(*map(str, p)), True),
                "basename": native("basename", os.path.basename), "dirname": native("dirname", os.path.dirname),
                "splitext": native("splitext", os.path.splitext),
            }  # fmt: skip
        case "sys":
            names = {"maxsize": 2**63 - 1, "exit": reads("exit", _exit), "argv": Unknown("sys.argv"),
                     "version_info": (3, 12, 0), "platform": "linux", "path": [], "version": "3.12"}  # fmt: skip
        case "json":
            names = {"loads": native("loads", _loads), "dumps": Native("dumps", _dumps, True)}
        case "re":
            names = {n: Native(n, _regex(n)) for n in ("sub", "match", "search", "findall", "split", "fullmatch")}
            names |= dict.fromkeys(("IGNORECASE", "I", "MULTILINE", "M", "DOTALL", "S"), 0)
            names["escape"] = Native("escape", lambda t: _escaped(t))
        case "collections":
            names = {
                "OrderedDict": reads("OrderedDict", _dict), "Counter": _unknown_call("Counter"),
                "defaultdict": reads("defaultdict", lambda r, *a, **k: DefaultDict(r, a[0] if a else None)),
                "namedtuple": reads("namedtuple", _namedtuple), "deque": reads("deque", _sequence(list)),
            }  # fmt: skip
        case "dataclasses":
            names = {"field": reads("field", _field), "dataclass": Native("dataclass", lambda c=None, **k: c, True)}
        case "argparse":
            names = {"ArgumentParser": Native("ArgumentParser", lambda *a, **k: _parser(reader), True)}
        case "copy":
            names = {n: Native(n, lambda v: v, True) for n in ("copy", "deepcopy")}
        case "textwrap":
            names = {"dedent": native("dedent", textwrap.dedent)}
        case "string":
            names = {n: getattr(string, n) for n in ("ascii_lowercase", "ascii_uppercase", "digits", "ascii_letters")}
            names["Template"] = reads("Template", lambda r, text="": _template(r, text))
        case "typing" | "abc" | "enum" | "__future__" | "types":
            return Module(name)
        case _:
            return None
    return Module(name, names)


def _template(reader: Interpreter, text: Value) -> Value:
    """string.Template: `$name` and `${name}` are filled in; what no value is given for stays."""
    if not isinstance(text, str):
        return Unknown("Template(...)")

    def filled(given: Value = None, **named: Value) -> Value:
        values = {**(given if isinstance(given, dict) else {}), **named}
        texts = {k: reader.text(v) for k, v in values.items()}
        if sum(map(len, texts.values())) * (text.count("$") + 1) > _MOST:
            raise LimitReached("a value grows too large")
        return string.Template(text).safe_substitute(texts)

    names = dict.fromkeys(("substitute", "safe_substitute"), Native("substitute", filled, True))
    return Module("template", {**names, "template": text})


def _escaped(text: str) -> str:
    return re.escape(text)


class DefaultDict(dict[Value, Value]):
    """collections.defaultdict over a function of the program."""

    def __init__(self, reader: Interpreter, factory: object) -> None:
        super().__init__()
        self.reader, self.factory = reader, factory

    def __missing__(self, key: object) -> object:
        if self.factory is None:
            raise KeyError(key)
        self[key] = made = self.reader.call(self.factory, [], {}, None)
        return made


def _partial(reader: Interpreter, function: object, *bound: object, **kept: object) -> object:
    return Native("partial", lambda *a, **k: reader.call(function, [*bound, *a], {**kept, **k}, None), True)


def _operator(name: str) -> Value:
    operators: dict[str, Value] = {
        "add": ast.Add(), "sub": ast.Sub(), "mul": ast.Mult(), "truediv": ast.Div(), "and_": ast.BitAnd(),
        "or_": ast.BitOr(), "xor": ast.BitXor(), "mod": ast.Mod(),
    }  # fmt: skip
    comparisons: dict[str, object] = {
        "eq": ast.Eq(),
        "ne": ast.NotEq(),
        "lt": ast.Lt(),
        "le": ast.LtE(),
        "gt": ast.Gt(),
        "ge": ast.GtE(),
    }
    if name in operators:
        return lambda reader, a, b: reader.operate(operators[name], a, b)
    return lambda reader, a, b: reader.compare(comparisons[name], a, b)


def _itemgetter(reader: Interpreter, *keys: object) -> object:
    return Native(
        "itemgetter",
        lambda v: reader.item(v, keys[0]) if len(keys) == 1 else tuple(reader.item(v, k) for k in keys),
        True,
    )


def _attrgetter(reader: Interpreter, name: str) -> object:
    return Native("attrgetter", lambda v: reader.attribute(v, name), True)


def _bounded(values: Value) -> list[object]:
    made = list(itertools.islice(values, 100_000))
    if len(made) == 100_000:
        raise LimitReached("a value grows too large")
    return made


def _combinations(reader: Interpreter, value: object, size: int) -> object:
    return _bounded(itertools.combinations(_items(reader, value), size))


def _product(reader: Interpreter, *several: object, repeat: int = 1) -> Value:
    lists = [_items(reader, s) for s in several] * min(repeat, 10)
    if math.prod(len(part) for part in lists) > 100_000:
        raise LimitReached("a value grows too large")
    return list(itertools.product(*lists))


def _strptime(text: str, pattern: str) -> object:
    return datetime.datetime.strptime(text[:100], pattern[:100])


def _decimal(value: Value) -> Value:
    if isinstance(value, str) and len(value) > 100:
        return Unknown("Decimal")
    try:
        return decimal.Decimal(value)
    except decimal.InvalidOperation:
        raise raised("InvalidOperation", "no number") from None


def _loads(text: object, *rest: object, **named: object) -> object:
    return json.loads(text) if isinstance(text, str) and len(text) < _MOST else Unknown("json")


def _dumps(value: object, **named: object) -> object:
    """The text of plain values, written as json does by default."""
    parts: list[str] = []
    try:
        for part in json.JSONEncoder().iterencode(value) if not named else ():
            parts.append(part)
            if len(parts) > _MOST:
                return Unknown("json")
    except (TypeError, ValueError, RecursionError):
        return Unknown("json")
    text = "".join(parts)
    return text if text and len(text) < _MOST else Unknown("json")


def _regex(name: str) -> Value:
    """Functions of `re`, by RE2: time in proportion to the text. What RE2 cannot read is unknown."""

    def apply(pattern: object, *given: object, **named: object) -> Value:
        import re2

        if not isinstance(pattern, str) or not all(isinstance(g, str | int) for g in given):
            return Unknown(f"re.{name}")
        try:
            options = re2.Options()
            options.log_errors = False
            compiled = re2.compile(pattern, options)
            found = getattr(compiled, name)(*given)
        except (re2.error, TypeError, ValueError):
            return Unknown(f"re.{name}")
        if name in ("match", "search", "fullmatch"):
            return None if found is None else _Match(found)
        return found

    return apply


class _Match(Instance):
    def __init__(self, found: Value) -> None:
        groups = {"group": Native("group", found.group), "groups": Native("groups", found.groups)}
        super().__init__(Class("Match", [], groups), dict(groups))


def _namedtuple(reader: Interpreter, name: str, fields: object, **named: object) -> object:
    from planviz.programs.values import MISSING

    parts = fields.replace(",", " ").split() if isinstance(fields, str) else _items(reader, fields)
    defaults = reader.iterate(named.get("defaults") or ())
    fields_of: dict[str, Value] = {str(p): MISSING for p in parts}
    fields_of |= dict(zip([*fields_of][::-1], [*defaults][::-1], strict=False))
    return Class(str(name), [], {}, fields_of, of_tuples=True)


def _field(
    reader: Interpreter, *given: object, default: object = None, default_factory: object = None, **named: object
) -> Value:
    if default_factory is not None:
        return Factory(default_factory)
    return default


class Factory:
    """A dataclass's field that a function gives."""

    def __init__(self, function: object) -> None:
        self.function = function


def _parser(reader: Interpreter) -> Instance:
    """argparse: what has a default has that value, the rest is unknown."""
    values: dict[str, Value] = {}

    def add(*flags: object, **named: object) -> Value:
        texts = [f for f in flags if isinstance(f, str)]
        long = next((f for f in texts if f.startswith("--")), texts[0] if texts else "argument")
        name = str(named.get("dest") or long.lstrip("-").replace("-", "_"))
        value = named.get("default")
        if named.get("action") == "store_true":
            value = value or False
        kind = named.get("type")
        if isinstance(kind, Native) and isinstance(value, str):
            value = kind.function(value)
        of = {"int": int, "float": float}.get(getattr(kind, "name", ""))
        values[name] = Unknown(f"args.{name}", of) if value is None else value
        return None

    def parsed(*given: object, **named: object) -> Instance:
        return Instance(Class("args", [], {}), dict(values))

    inner: dict[str, Value] = {
        "add_argument": Native("add_argument", add, True),
        "parse_args": Native("parse_args", parsed, True),
        "parse_known_args": Native("parse_known_args", lambda *a, **k: (parsed(), []), True),
        "set_defaults": Native("set_defaults", lambda **k: values.update(k), True),
    }
    made = Instance(Class("ArgumentParser", [], {}), inner)
    for group in ("add_argument_group", "add_mutually_exclusive_group"):
        inner[group] = Native(group, lambda *a, **k: made, True)
    return made


def import_module(reader: Interpreter, name: str) -> Value:
    """A module by its dotted name; one that is not known holds nothing but unknown values."""
    if name in reader.modules:
        return reader.modules[name]
    from planviz.programs.spark import spark_module

    made = spark_module(reader, name) or _module(reader, name)
    if made is None:
        parent, _, last = name.rpartition(".")
        outer = import_module(reader, parent) if parent else None
        if isinstance(outer, Module) and last in outer.names:
            return outer.names[last]
        made = Module(name)
    reader.modules[name] = made
    return made
