"""What the expressions of a Jinja template give, as far as its text tells: jinja2 reads them, and nothing is executed.

Known are constants, lists, tuples and dictionaries of such, what `set` and `for` named, the common filters, tests and
methods of texts and lists, `range`, `namespace`, `ref`, `source`, `var` with its default, and the macros of dbt whose
SQL for Spark is one expression. Everything else is `UNKNOWN`, and so is what is made of it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from jinja2 import Environment, TemplateError, nodes

from planviz.document.opening.dbt_macros import MACROS

#: Characters of a tag, items of a list with those in them, characters of a text and a number that are looked at; more
#: is unknown.
LONGEST_TAG = 4_000
MOST_ITEMS = 2_000
LONGEST_TEXT = 100_000
LARGEST = 10**18

T = TypeVar("T")

_ENVIRONMENT = Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])


class Unknown:
    """A value that the text does not tell."""


UNKNOWN: Final = Unknown()


@dataclass(frozen=True)
class Relation:
    """A table by `ref` or `source`: its name."""

    name: str

    def __str__(self) -> str:
        return self.name


@lru_cache(maxsize=1_000)
def tag_of(text: str) -> nodes.Node | None:
    """A tag's tree, of `{{ ... }}` or of a statement with its own end; None for what jinja2 cannot read."""
    if len(text) > LONGEST_TAG:
        return None
    try:
        body = _ENVIRONMENT.parse(text).body
    except (TemplateError, RecursionError):
        return None
    if len(body) != 1:
        return None
    (node,) = body
    if isinstance(node, nodes.Output):
        return node.nodes[0] if len(node.nodes) == 1 else None
    return node


def value_of(node: nodes.Node | None, names: Mapping[str, object]) -> object:
    """The value of an expression with these names known; `UNKNOWN` where the text does not tell it."""
    try:
        return _bounded(_value(node, names)) if node is not None else UNKNOWN
    except (ArithmeticError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
        return UNKNOWN


def text_of(value: object) -> str | None:
    """What a template prints for a value; None for one that the text does not tell."""
    if isinstance(value, list | tuple | dict):
        try:
            return str(_told(_weighed(value)))
        except _NotKnownError:
            return None
    return None if value is UNKNOWN else str(value)


def items_of(value: object) -> list[object] | None:
    """What a loop over a value goes through; None where that is unknown."""
    if isinstance(value, list | tuple | dict):
        return [*value]
    return None


def _bounded(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else UNKNOWN
    return UNKNOWN if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST else value


def _weighed(value: T, more: object = None) -> T:
    """A list, tuple or dictionary, once it is known to be small: it may hold itself, or the same list in all its items.

    Raises _NotKnownError for one that is not small together with `more`.
    """
    left, waiting = MOST_ITEMS, [value, more]
    while waiting:
        one = waiting.pop()
        left -= 1 + (len(one) // 50 if isinstance(one, str) else 0)
        if left < 0:
            raise _NotKnownError
        if isinstance(one, dict):
            waiting += [*one.keys(), *one.values()][: left + 1]
        elif isinstance(one, list | tuple):
            waiting += one[: left + 1]
    return value


def _value(node: nodes.Node, names: Mapping[str, object]) -> object:
    def of(part: nodes.Node) -> object:
        return _bounded(_value(part, names))

    match node:
        case nodes.TemplateData(data=text):
            return text
        case nodes.Const(value=constant):
            return constant
        case nodes.Name(name=name):
            return names.get(name, UNKNOWN)
        case nodes.List(items=items):
            return _weighed([of(item) for item in items])
        case nodes.Tuple(items=items):
            return _weighed(tuple(of(item) for item in items))
        case nodes.Dict(items=pairs):
            return _weighed({_known(of(pair.key)): of(pair.value) for pair in pairs})
        case nodes.And(left=left, right=right):
            return _both(of(left), lambda: of(right), stops=False)
        case nodes.Or(left=left, right=right):
            return _both(of(left), lambda: of(right), stops=True)
        case nodes.Not(node=inner):
            return not _known(of(inner))
        case nodes.CondExpr(test=test, expr1=yes, expr2=no):
            chosen = yes if _known(of(test)) else no
            return "" if chosen is None else of(chosen)
        case nodes.Compare(expr=first, ops=ops):
            return _compared(of(first), [(one.op, of(one.expr)) for one in ops])
        case nodes.Concat(nodes=parts):
            return "".join(str(_known(of(part))) for part in parts)
        case nodes.BinExpr(left=left, right=right) if type(node) in _ARITHMETIC:
            return _calculated(_ARITHMETIC[type(node)], _known(of(left)), _known(of(right)))
        case nodes.Neg(node=inner):
            return -_number(of(inner))
        case nodes.Getitem(node=inner, arg=at):
            return _item(_known(of(inner)), _known(of(at)))
        case nodes.Getattr(node=inner, attr=attr):
            owner = of(inner)
            return owner[attr] if isinstance(owner, dict) else UNKNOWN
        case nodes.Filter(node=inner, name=name, args=args) if inner is not None:
            return _filtered(name, of(inner), [of(a) for a in args])
        case nodes.Test(node=inner, name=name, args=args):
            return _tested(name, of(inner), [of(a) for a in args])
        case nodes.Call(node=callee, args=args, kwargs=pairs):
            given = {pair.key: of(pair.value) for pair in pairs}
            return _called(callee, [of(a) for a in args], given, names)
    return UNKNOWN


class _NotKnownError(ValueError):
    """Something is made of a value that nobody knows."""


def _known(value: object) -> object:
    if value is UNKNOWN:
        raise _NotKnownError
    return value


def _number(value: object) -> int | float:
    if not isinstance(value, int | float):
        raise _NotKnownError
    return value


def _both(left: object, right: Callable[[], object], *, stops: bool) -> object:
    """AND and OR: the left value decides alone where it may; an unknown one leaves only that."""
    if left is not UNKNOWN:
        return left if bool(left) is stops else right()
    other = right()
    return other if other is not UNKNOWN and bool(other) is stops else UNKNOWN


_ARITHMETIC: Mapping[type[nodes.Node], Callable[..., object]] = {
    nodes.Add: operator.add, nodes.Sub: operator.sub, nodes.Mul: operator.mul, nodes.Div: operator.truediv,
    nodes.FloorDiv: operator.floordiv, nodes.Mod: operator.mod,
}  # fmt: skip

_COMPARISONS: Mapping[str, Callable[..., object]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "lteq": operator.le, "gt": operator.gt,
    "gteq": operator.ge, "in": lambda a, b: a in b, "notin": lambda a, b: a not in b,
}  # fmt: skip


def _calculated(function: Callable[..., object], left: object, right: object) -> object:
    if isinstance(left, int | float) and isinstance(right, int | float):
        return function(left, right)
    # A text or a list: joined, and never repeated or formatted, which may be endless.
    return function(_weighed(left, right), right) if function is operator.add else UNKNOWN


def _compared(first: object, others: list[tuple[str, object]]) -> object:
    left = _known(first)
    for op, right in others:
        if not _COMPARISONS[op](left, _known(right)):
            return False
        left = right
    return True


def _item(owner: object, at: object) -> object:
    if isinstance(owner, dict):
        return owner[at]
    return owner[at] if isinstance(owner, list | tuple | str) and isinstance(at, int) else UNKNOWN


def _text(value: object) -> str:
    if isinstance(value, list | tuple | dict):
        _told(_weighed(value))
    return str(_known(value))


def _listed(value: object) -> list[object]:
    found = items_of(value)
    if found is None:
        raise _NotKnownError
    return found


def _joined(items: object, between: object = "") -> str:
    texts = [_text(item) for item in _listed(items)]
    if sum(map(len, texts)) + len(texts) * len(_text(between)) > LONGEST_TEXT:
        raise _NotKnownError
    return _text(between).join(texts)


def _replaced(value: object, old: object, new: object) -> str:
    text, old, new = _text(value), _text(old), _text(new)
    if len(text) * max(1, len(new)) > LONGEST_TEXT * 10:
        raise _NotKnownError
    return text.replace(old, new)


def _unique(items: object) -> list[object]:
    found: list[object] = []
    for item in _listed(items)[:1_000]:
        if item not in found:
            found.append(item)
    return found


_FILTERS: Mapping[str, Callable[..., object]] = {
    "upper": lambda v: _text(v).upper(), "lower": lambda v: _text(v).lower(), "trim": lambda v: _text(v).strip(),
    "title": lambda v: _text(v).title(), "capitalize": lambda v: _text(v).capitalize(), "string": _text,
    "safe": _known, "list": _listed, "join": _joined, "replace": _replaced, "unique": _unique,
    "length": lambda v: len(_listed(v)) if not isinstance(v, str) else len(v),
    "count": lambda v: len(_listed(v)) if not isinstance(v, str) else len(v),
    "first": lambda v: _listed(v)[0], "last": lambda v: _listed(v)[-1], "sort": lambda v: sorted(_listed(v), key=_text),
    "reverse": lambda v: _listed(v)[::-1], "int": lambda v: int(_text(v)), "float": lambda v: float(_text(v)),
    "abs": lambda v: abs(_number(v)), "round": lambda v, n=0: round(float(_number(v)), n),
    "sum": lambda v: sum(map(_number, _listed(v))), "as_text": _known, "as_number": _known, "as_native": _known,
    "as_bool": _known,
}  # fmt: skip


def _filtered(name: str, value: object, args: list[object]) -> object:
    if name in ("default", "d"):
        return args[0] if value is UNKNOWN and args else value
    return _FILTERS[name](value, *args)


_TESTS: Mapping[str, Callable[..., object]] = {
    "none": lambda v: v is None, "string": lambda v: isinstance(v, str), "number": lambda v: isinstance(v, int | float),
    "mapping": lambda v: isinstance(v, dict), "sequence": lambda v: isinstance(v, list | tuple | str | dict),
    "iterable": lambda v: isinstance(v, list | tuple | str | dict), "even": lambda v: _number(v) % 2 == 0,
    "odd": lambda v: _number(v) % 2 == 1, "divisibleby": lambda v, n: _number(v) % n == 0, "true": lambda v: v is True,
    "false": lambda v: v is False, "in": lambda v, c: v in _listed(c), "eq": operator.eq, "equalto": operator.eq,
    "sameas": operator.eq, "defined": lambda v: True, "undefined": lambda v: False,
}  # fmt: skip


def _tested(name: str, value: object, args: list[object]) -> object:
    return _TESTS[name](_known(value), *map(_known, args))


_METHODS: Mapping[str, Callable[..., object]] = {
    "upper": lambda v: _text(v).upper(), "lower": lambda v: _text(v).lower(), "strip": lambda v: _text(v).strip(),
    "title": lambda v: _text(v).title(), "replace": _replaced, "join": lambda v, items: _joined(items, v),
    "split": lambda v, at=None: _text(v).split(at), "startswith": lambda v, x: _text(v).startswith(x),
    "endswith": lambda v, x: _text(v).endswith(x), "items": lambda v: [*v.items()], "keys": lambda v: [*v],
    "values": lambda v: [*v.values()], "get": lambda v, k, d=None: v.get(k, d),
}  # fmt: skip


def _called(callee: nodes.Node, args: list[object], given: dict[str, object], names: Mapping[str, object]) -> object:
    match callee:
        case nodes.Name(name="ref") if args:
            return Relation(_text(args[-1]))
        case nodes.Name(name="source") if args:
            return Relation(_joined(args, "."))
        case nodes.Name(name="var" | "env_var"):
            return args[1] if len(args) > 1 else UNKNOWN
        case nodes.Name(name="config" | "depends_on"):
            return ""
        case nodes.Name(name="range"):
            return _range([int(_number(a)) for a in args])
        case nodes.Name(name="namespace" | "dict"):
            return _weighed(given)
        case nodes.Name(name="return") if args:
            return args[0]
        case nodes.Getattr(node=nodes.Name(name="dbt" | "dbt_utils"), attr=name) if name in MACROS:
            return MACROS[name](*map(_told, args), **{key: _told(v) for key, v in given.items()})
        case nodes.Getattr(node=inner, attr=name):
            return _method(_known(_value(inner, names)), name, args)
    return UNKNOWN


def _told(value: object) -> object:
    """A known value, down to the items of a list."""
    if isinstance(value, list | tuple | dict):
        for item in value:
            _told(item if not isinstance(value, dict) else value[item])
    return _known(value)


def _method(owner: object, name: str, args: list[object]) -> object:
    if name in ("append", "extend", "update"):
        return _added(owner, name, args[0])
    if not isinstance(owner, str | dict) or not all(_is_plain(a) for a in args):
        return UNKNOWN
    return _METHODS[name](owner, *args)


def _added(owner: object, name: str, more: object) -> object:
    """Put something into a list or dictionary that the template made."""
    if isinstance(owner, list):
        _weighed(owner, more).extend(_listed(more) if name == "extend" else [more])
    elif isinstance(owner, dict) and isinstance(more, dict):
        _weighed(owner, more).update(more)
    else:
        raise _NotKnownError
    return ""


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool | list | tuple)


def _range(bounds: Iterable[int]) -> list[object]:
    numbers = range(*bounds)
    if len(numbers) >= MOST_ITEMS:
        raise _NotKnownError
    return [*numbers]
