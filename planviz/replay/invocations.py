"""Calls of Java's methods, by which some functions are printed: `static_invoke(StringDecode.decode(b#1, utf-8))`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from planviz.expressions.core import Expression
from planviz.expressions.earlier import LongStaticInvoke
from planviz.expressions.objects import (
    FunctionObject,
    Invoke,
    StaticInvoke,
)
from planviz.replay.scala_types import scala_type
from planviz.replay.term import Term
from planviz.types import (
    BINARY,
    BOOLEAN,
    LONG,
    STRING,
    UNKNOWN,
    DataType,
)

if TYPE_CHECKING:
    from planviz.replay.expressions import Elaborator

#: What methods of Java give, by class and method; STRING where none is named.
_GIVES: dict[tuple[str, str], DataType] = {
    ("Encode", "encode"): BINARY,
    ("ExpressionImplUtils", "aesEncrypt"): BINARY,
    ("ExpressionImplUtils", "aesDecrypt"): BINARY,
    ("ExpressionImplUtils", "isLuhnNumber"): BOOLEAN,
    ("BitmapExpressionUtils", "bitmapBitPosition"): LONG,
    ("BitmapExpressionUtils", "bitmapBucketNumber"): LONG,
    ("BitmapExpressionUtils", "bitmapCount"): LONG,
}
_TEXTS = frozenset({"CharVarcharCodegenUtils", "Base64", "StringDecode", "UrlCodec"})
_CLASS = re.compile(r"class (?:[\w]+\.)*(\w+)\$?")


def _gives(owner: str, method: str) -> DataType:
    return STRING if owner in _TEXTS else _GIVES.get((owner, method), UNKNOWN)


def _static_invoke(e: Elaborator, t: Term) -> Expression | None:
    """static_invoke(Owner.method(arguments)): a method of Java."""
    if len(t.children) != 1 or t.children[0].kind != "call":
        return None
    called = t.children[0]
    owner, _, method = called.value[0].rpartition(".")
    arguments = tuple(e.expression(c) for c in called.children)
    made = StaticInvoke(owner, method, _gives(owner, method), arguments)
    return made if owner and made.text == t.text else None


def _long_static_invoke(e: Elaborator, t: Term) -> Expression | None:
    """staticinvoke(class name, type, method, arguments, what types it takes, three flags): that before Spark 4.0."""
    if len(t.children) < 6 or (owner := _CLASS.fullmatch(t.children[0].text)) is None:
        return None
    kind, method, arguments = scala_type(t.children[1].text), t.children[2].text, t.children[3:-3]
    for count in range(len(arguments), 0, -1):
        given = tuple(e.expression(c) for c in arguments[:count])
        made = LongStaticInvoke(owner[1], method, kind, given, True, False)
        if made.text == t.text:
            return made
    return None


def _invoke(e: Elaborator, t: Term) -> Expression | None:
    """invoke(object.method(arguments)): what a function prepares once, such as the writer of to_json."""
    _, target, method = t.value
    kind = BOOLEAN if target.startswith("XPathBoolean") else STRING if target.startswith(_WRITERS) else UNKNOWN
    made = Invoke(FunctionObject(target, kind), method, kind, tuple(e.expression(c) for c in t.children))
    return made if made.text == t.text else None


_WRITERS = ("StructsToJsonEvaluator", "StructsToCsvEvaluator", "StructsToXmlEvaluator", "ParseUrlEvaluator")


#: How the call of a function is made, by its name.
FORMS: dict[str, Callable[[Elaborator, Term], Expression | None]] = {
    "static_invoke": _static_invoke,
    "staticinvoke": _long_static_invoke,
    "invoke": _invoke,
}
