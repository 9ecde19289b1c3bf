"""Python's built-in names and the modules that programs use, as far as plans need them. None of them is imported.

What is not known here gives unknown values: a program may import anything.
"""

from __future__ import annotations

import ast
import datetime
import decimal
import json
import math
import os.path
import string
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from planviz.programs import frames, iterations, regular_expressions
from planviz.programs.builtin_names import dict_of, ended, items_of, reduced
from planviz.programs.containers import Counter, DefaultDict, Deque
from planviz.programs.signals import LimitReached, raised
from planviz.programs.spark import spark_module
from planviz.programs.values import (
    MISSING,
    Class,
    Instance,
    Module,
    Native,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from planviz.programs.interpreter import Interpreter

_MOST = 1_000_000
_NOW = ("now", "today", "utcnow", "fromtimestamp", "combine")


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


def _counted(reader: Interpreter, values: Value = ()) -> Value:
    items = items_of(reader, values)
    if any(isinstance(v, Unknown) for v in items):
        return Unknown("Counter(...)")
    made = Counter()
    for value in items:
        made[value] = made.get(value, 0) + 1
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


def _namedtuple(reader: Interpreter, name: str, fields: object, **named: object) -> object:
    parts = fields.replace(",", " ").split() if isinstance(fields, str) else items_of(reader, fields)
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


def _functools(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {"reduce": reads("reduce", reduced), "partial": reads("partial", _partial)}
    return names


def _pools(reader: Interpreter) -> dict[str, Value]:
    pool = Native("pool", lambda *a, **k: _pool(), True)
    names = dict.fromkeys(("ThreadPoolExecutor", "ProcessPoolExecutor", "ThreadPool", "Pool"), pool)
    names["as_completed"] = reads("as_completed", lambda r, futures, **k: list(r.rounds(futures)))
    return names


def _threading(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {"Thread": reads("Thread", _thread)}
    return names


def _operators(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {}
    for n in ("add", "sub", "mul", "truediv", "and_", "or_", "xor", "eq", "ne", "lt", "le", "gt", "ge", "mod"):
        names[n] = reads(n, _operator(n))
    names["itemgetter"] = reads("itemgetter", _itemgetter)
    names["attrgetter"] = reads("attrgetter", _attrgetter)
    return names


def _datetime(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {
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
    return names


def _decimals(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {"Decimal": native("Decimal", lambda v=0: _decimal(v))}
    return names


def _of_math(reader: Interpreter) -> dict[str, Value]:
    known = "ceil floor sqrt log log10 log2 exp sin cos tan isnan fabs radians degrees"
    names: dict[str, Value] = {n: native(n, getattr(math, n)) for n in known.split()}
    names |= {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
    return names


def _of_os(reader: Interpreter) -> dict[str, Value]:
    return {
        "path": import_module(reader, "os.path"), "environ": Module("os.environ", {"get": native(
            "get", lambda n, d=None: Unknown(f"environ.{n}") if d is None else d)}),
        "getenv": native("getenv", lambda n, d=None: Unknown(f"environ.{n}") if d is None else d),
        "sep": "/",
    }  # fmt: skip


def _paths(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {
        "join": Native("join", lambda *p: os.path.join(*map(str, p)), True),
        "basename": native("basename", os.path.basename), "dirname": native("dirname", os.path.dirname),
        "splitext": native("splitext", os.path.splitext),
    }  # fmt: skip
    return names


def _of_sys(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {"maxsize": 2**63 - 1, "exit": reads("exit", ended), "argv": Unknown("sys.argv"),
             "version_info": (3, 12, 0), "platform": "linux", "path": [], "version": "3.12"}  # fmt: skip
    return names


def _of_json(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {"loads": native("loads", _loads), "dumps": Native("dumps", _dumps, True)}
    return names


def _collections(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {
        "OrderedDict": reads("OrderedDict", dict_of), "Counter": reads("Counter", _counted),
        "defaultdict": reads("defaultdict", lambda r, *a, **k: DefaultDict(r, a[0] if a else None)),
        "namedtuple": reads("namedtuple", _namedtuple),
        "deque": reads("deque", lambda r, v=(), maxlen=None: Deque(items_of(r, v))),
        "ChainMap": reads("ChainMap", lambda r, *maps: {k: v for m in reversed(maps) for k, v in m.items()}),
    }  # fmt: skip
    return names


def _replaced(reader: Interpreter, value: Value, **changes: Value) -> Value:
    """dataclasses.replace: another object of the class with some fields changed."""
    if not isinstance(value, Instance) or value.of.fields is None:
        return Unknown("replace(...)")
    given = {name: value.names.get(name) for name in value.of.fields}
    return reader.instance(value.of, [], {**given, **changes})


def _fields_of(value: Value) -> list[str]:
    cls = value if isinstance(value, Class) else getattr(value, "of", None)
    return list(cls.fields or ()) if isinstance(cls, Class) else []


def _as_dict(reader: Interpreter, value: Value, **named: Value) -> Value:
    """dataclasses.asdict, of objects within objects, too."""
    if not isinstance(value, Instance) or value.of.fields is None:
        return value
    return {name: _as_dict(reader, value.names.get(name)) for name in value.of.fields}


def _dataclasses(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {
        "field": reads("field", _field),
        "replace": reads("replace", _replaced),
        "asdict": reads("asdict", _as_dict),
        "astuple": reads("astuple", lambda r, v: tuple(_as_dict(r, v).values())),
        "fields": reads("fields", lambda r, v: [Module("field", {"name": n}) for n in _fields_of(v)]),
        "dataclass": Native("dataclass", lambda c=None, **k: c, True),
    }
    return names


def _of_argparse(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {"ArgumentParser": Native("ArgumentParser", lambda *a, **k: _parser(reader), True)}
    return names


def _copying(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {n: Native(n, lambda v: v, True) for n in ("copy", "deepcopy")}
    return names


def _of_textwrap(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {"dedent": native("dedent", textwrap.dedent)}
    return names


def _strings(reader: Interpreter) -> dict[str, Value]:
    names: dict[str, Value] = {
        n: getattr(string, n) for n in ("ascii_lowercase", "ascii_uppercase", "digits", "ascii_letters")
    }
    names["Template"] = reads("Template", lambda r, text="": _template(r, text))
    return names


_MODULES: dict[str, Callable[[Interpreter], dict[str, Value]]] = {
    "functools": _functools,
    "concurrent.futures": _pools,
    "multiprocessing": _pools,
    "multiprocessing.pool": _pools,
    "multiprocessing.dummy": _pools,
    "threading": _threading,
    "operator": _operators,
    "itertools": iterations.names_of,
    "datetime": _datetime,
    "decimal": _decimals,
    "math": _of_math,
    "os": _of_os,
    "os.path": _paths,
    "sys": _of_sys,
    "json": _of_json,
    "re": regular_expressions.names_of,
    "collections": _collections,
    "dataclasses": _dataclasses,
    "argparse": _of_argparse,
    "copy": _copying,
    "textwrap": _of_textwrap,
    "string": _strings,
}
#: Modules of types and marks, of which any name may be read.
_OF_TYPES = ("typing", "abc", "enum", "__future__", "types")


def _module(reader: Interpreter, name: str) -> Module | None:
    if name in ("pandas", "numpy"):
        return frames.module(name)
    if name in _OF_TYPES:
        return Module(name, {"cast": Native("cast", lambda kind, value: value, True)} if name == "typing" else {})
    names = _MODULES.get(name)
    return None if names is None else Module(name, names(reader))


def import_module(reader: Interpreter, name: str) -> Value:
    """A module by its dotted name; one that is not known holds nothing but unknown values."""
    if name in reader.modules:
        return reader.modules[name]
    made = spark_module(reader, name) or _module(reader, name)
    if made is None:
        parent, _, last = name.rpartition(".")
        outer = import_module(reader, parent) if parent else None
        if isinstance(outer, Module) and last in outer.names:
            return outer.names[last]
        made = Module(name)
    reader.modules[name] = made
    return made
