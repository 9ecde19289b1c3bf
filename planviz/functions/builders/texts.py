"""Strings, patterns, conversions between strings and binaries."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from planviz.expressions.arithmetic import unexpected_input
from planviz.expressions.calls import Concat, FunctionCall, RegexpForm, Replaced, StringForm
from planviz.expressions.collations import Collate, ResolvedCollation
from planviz.expressions.conditional import CaseWhen
from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.patterns import Like, RLike, StringPredicate
from planviz.expressions.predicates import EqualNullSafe
from planviz.expressions.specs import FunctionSpec
from planviz.frontend.errors import analysis_error
from planviz.frontend.naming import constant_text
from planviz.functions.builders.base import Args, Builder, Entry, plain_call, signed, spec_of, string_of
from planviz.functions.number_formats import check_number_format
from planviz.types import BINARY, BOOLEAN, DATE, INT, NULL, STRING, TIME, TIMESTAMP, TIMESTAMP_NTZ, collated, is_string


def _locate(name: str) -> Builder:
    return lambda a: StringForm(name, (*a, lit(1)) if len(a) == 2 else a)


def _substring(name: str) -> Builder:
    return lambda a: StringForm(name, (*a, Literal(2147483647, INT)) if len(a) == 2 else a)


def _trim(name: str) -> Builder:
    # trim(what, text): the text comes last when both are given.
    return lambda a: StringForm(name, a if len(a) == 1 else (a[1], a[0]))


def _predicate(name: str, form: str) -> Builder:
    """contains and its like; of two binaries it is another function of the same name."""
    spec = FunctionSpec(name, (), lambda _: BOOLEAN)

    def make(a: Args) -> Expression:
        if a[0].data_type == a[1].data_type == BINARY:
            return FunctionCall(name, a, spec, (), (name,))
        return StringPredicate(a[0], a[1], form)

    return make


def _escape(a: Args) -> str:
    return (string_of(a[2]) if len(a) > 2 else None) or "\\"


def _decode(a: Args) -> Expression:
    """decode(value, search, result, ..., default) compares; decode(binary, charset) converts."""
    if len(a) == 2:
        return Replaced("decode", a, signed("decode", a))
    pairs, rest = a[1:], a[1:][len(a[1:]) // 2 * 2 :]
    branches: list[Expression] = []
    for i in range(0, len(pairs) // 2 * 2, 2):
        branches += [EqualNullSafe(a[0], pairs[i]), pairs[i + 1]]
    return Replaced("decode", a, CaseWhen(tuple(branches), rest[0] if rest else Literal(None, NULL)))


_TO_CHARACTER = replace(spec_of("to_char", "DEC S", STRING), folded=(2,))


def _to_char(name: str) -> Builder:
    """Dates and times by a pattern, binaries by an encoding, the rest as numbers."""

    def make(a: Args) -> Expression:
        t = a[0].data_type
        if t in (DATE, TIME, TIMESTAMP, TIMESTAMP_NTZ):
            return signed("date_format", a)
        if t == BINARY:
            how = (string_of(a[1]) or "").lower().strip()
            if isinstance(a[1], Literal) and how not in ("base64", "hex", "utf-8", "utf8"):
                wrong = "NULL" if a[1].value is None else "BINARY_FORMAT"
                raise analysis_error(
                    f"INVALID_PARAMETER_VALUE.{wrong}", f"{name} takes one of base64, hex and utf-8, not {a[1]}.", a[1]
                )
            made = signed(how, a[:1]) if how in ("base64", "hex") else signed("decode", a)
            return made.replace(spec=_named(made.spec, name)) if name == "to_varchar" else made
        check_number_format(a[1], name)
        return FunctionCall("to_char", a, _TO_CHARACTER)

    return make


@cache
def _named(spec: FunctionSpec, name: str) -> FunctionSpec:
    """The signature under which another function prints its name."""
    return replace(spec, sql_name=name)


def _to_binary(a: Args) -> Expression:
    how = ((string_of(a[1]) if len(a) > 1 else "hex") or "").lower()
    if how in ("utf-8", "utf8"):
        made: Expression = signed("encode", (a[0], lit("UTF-8")))
    else:
        if len(a) > 1 and isinstance(a[1], Literal) and a[1].value is not None and how not in ("hex", "base64"):
            raise analysis_error(
                "DATATYPE_MISMATCH.INVALID_ARG_VALUE",
                f'Cannot resolve "to_binary({a[0].pretty}, {a[1].pretty})" due to data type mismatch: the format is '
                "one of 'hex', 'utf-8', 'utf8' and 'base64'.",
                a[1],
            )
        made = signed({"base64": "unbase64"}.get(how, "unhex"), a[:1]).replace(tail=("true",))
    shown = f"Some({a[1]})" if len(a) > 1 else "None"
    return Replaced("to_binary", (a[0], shown, "false"), made, "", a)


def _pad(name: str) -> Builder:
    """lpad and rpad; of a binary value by zeros, or by another one, they are another function of that name."""
    binary = replace(spec_of(name, "X I X", BINARY), sql_name=name)

    def make(a: Args) -> Expression:
        full = a if len(a) > 2 else (*a, Literal(b"\0", BINARY) if a[0].data_type == BINARY else lit(" "))
        if full[0].data_type == full[2].data_type == BINARY:
            return FunctionCall(name, full, binary, (), (name,))
        return signed(name, full)

    return make


def _instr(a: Args) -> Expression:
    """instr(text, part), or with the place to start and which one of the places found."""
    return signed("instr", (*a, lit(1)) if len(a) == 3 else a)


def _collate(a: Args) -> Expression:
    """collate(text, name): the name is a constant."""
    name = a[1]
    if not name.foldable:
        raise analysis_error("NON_FOLDABLE_ARGUMENT", "The function `collate` requires a constant collation.", name)
    if not is_string(name.data_type):
        wrong = unexpected_input(2, name, '"STRING"')
        raise analysis_error(wrong.subclass, f"Cannot resolve `collate`: {wrong.message}", name)
    text = constant_text(name)
    if text is None:
        raise analysis_error("DATATYPE_MISMATCH.UNEXPECTED_NULL", "The collation must not be null.", name)
    collated(text)
    return Collate(a[0], ResolvedCollation(text))


BUILDERS: dict[str, Entry] = {
    "concat": (0, -1, Concat),
    "like": (2, 3, lambda a: Like(a[0], a[1], _escape(a))),
    "ilike": (2, 3, lambda a: RegexpForm("ilike", a[:2], _escape(a))),
    "rlike": (2, 2, lambda a: RLike(a[0], a[1])),
    "regexp": (2, 2, lambda a: RLike(a[0], a[1], "REGEXP")),
    "regexp_like": (2, 2, lambda a: RLike(a[0], a[1], "REGEXP_LIKE")),
    "startswith": (2, 2, _predicate("startswith", "StartsWith")),
    "endswith": (2, 2, _predicate("endswith", "EndsWith")),
    "contains": (2, 2, _predicate("contains", "Contains")),
    "substring": (2, 3, _substring("substring")),
    "substr": (2, 3, _substring("substr")),
    "trim": (1, 2, _trim("trim")),
    "ltrim": (1, 2, _trim("ltrim")),
    "rtrim": (1, 2, _trim("rtrim")),
    "btrim": (1, 2, lambda a: Replaced("btrim", a, StringForm("trim", a))),
    "locate": (2, 3, _locate("locate")),
    "position": (2, 3, _locate("position")),
    "overlay": (3, 4, lambda a: StringForm("overlay", a if len(a) == 4 else (*a, lit(-1)))),
    "decode": (2, -1, _decode),
    "to_char": (2, 2, _to_char("to_char")),
    "to_varchar": (2, 2, _to_char("to_varchar")),
    "to_binary": (1, 2, _to_binary),
    "try_to_binary": (1, 2, plain_call("try_to_binary", BINARY, True)),
    "try_url_decode": (1, 1, lambda a: Replaced("try_url_decode", a, signed("try_url_decode", a))),
    "instr": (2, 4, _instr),
    "lpad": (2, 3, _pad("lpad")),
    "rpad": (2, 3, _pad("rpad")),
    "collate": (2, 2, _collate),
}
