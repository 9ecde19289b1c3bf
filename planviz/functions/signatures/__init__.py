"""Signatures of the functions that need no class of their own: one line each, by family.

A line is `name | parameters | result | remarks`. Parameters are codes (see `accepts`); `?` marks an optional one with
its default behind `=`, `...` repeats the last. Remarks:

- `null=` when the result is null (any: when an argument is; first: when the first is; yes, no),
  `tolerant` a null argument need not make it so,
  `unfolded` constants do not make it one,
  `random` a new value per row,
- `as=` and `sql=` the name in plans and in SQL text, `tail=` what plans print behind the arguments (ZONE: the session's
  time zone, `!` behind a flag: the opposite with ANSI off), `zone` the time zone alone,
- `option` the last parameter prints as Scala's Some or None, `plain` arguments are neither checked nor cast (the
  function stands for another expression), `fold=` numbers of the arguments that must be constant, with `early` before
  their types are looked at, `most=` the most arguments that `...` allows, `check=` what the arguments must fulfil
  together (see `checks` and `constants`), `time` the function is about the TIME type, which Spark does not enable.

Source: Spark's FunctionRegistry and the expression classes; the printed forms are those of real plans.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.specs import ZONE, AnsiFlag, FunctionSpec
from planviz.functions.signatures import (
    aggregates,
    collections,
    constants,
    datetimes,
    numbers,
    session,
    sketches,
    texts,
)
from planviz.functions.signatures.accepts import accepts
from planviz.functions.signatures.checks import CHECKS as RELATIONS
from planviz.functions.signatures.checks import FIRST
from planviz.functions.signatures.results import result_of
from planviz.types import FLOAT, LONG, NULL, DecimalType

#: Every check by the name that the remark `check=` gives.
CHECKS = {**RELATIONS, **constants.CHECKS}


@dataclass(frozen=True, eq=False)
class Signature:
    """A row of the table: how a call is read, and the spec of what it makes.

    `most` is -1 for any number of arguments; `defaults` belong to the last parameters (None: left out).
    """

    spec: FunctionSpec
    fewest: int
    most: int
    defaults: tuple[Expression | None, ...]
    time: bool = False


def read_table(text: str) -> dict[str, Signature]:
    """name -> signature."""
    rows = [line.strip() for line in text.strip().splitlines()]
    return dict(_row(r) for r in rows if r)


_NULL: dict[str, str | bool] = {"yes": True, "no": False, "first": "first"}


def _row(line: str) -> tuple[str, Signature]:
    name, parameters, result, marks = [c.strip() for c in [*re.split(r" \|(?= |$)", line), "", ""][:4]]
    remarks = dict(r.partition("=")[::2] for r in marks.split(" ") if r)
    words = _joined(parameters.split(" "))
    inputs, defaults, fewest, many = [], [], 0, False
    for word in words:
        many = many or word.endswith("...")
        code, optional, default = word.removesuffix("...").partition("?")
        inputs.append(accepts(code))
        if optional:
            defaults.append(_default(default.removeprefix("=")) if default else None)
        elif not word.endswith("..."):
            fewest += 1
    most = int(remarks.get("most", -1)) if many else len(inputs)
    zone = (ZONE,) if "zone" in remarks else ()
    tail = tuple(_printed(x) for x in remarks.get("tail", "").split(",") if x)
    spec = FunctionSpec(
        remarks.get("as", name),
        () if "plain" in remarks else tuple(inputs),
        result_of(result),
        _NULL.get(remarks.get("null", "any"), "any"),
        "random" not in remarks,
        (*tail, *zone),
        sql_name=remarks.get("sql", ""),
        null_intolerant="tolerant" not in remarks,
        foldable="unfolded" not in remarks,
        option=len(inputs) if "option" in remarks else 0,
        folded=tuple(int(n) for n in remarks.get("fold", "").split(",") if n),
        check=CHECKS[remarks["check"]] if "check" in remarks else None,
        check_first=remarks.get("check") in FIRST,
        folded_first="early" in remarks,
        overflow="fails" if "overflow" in remarks else "",
    )
    return name, Signature(spec, max(fewest, 1) if many else fewest, most, tuple(defaults), "time" in remarks)


def _printed(word: str) -> str:
    if word == "ZONE":
        return ZONE
    return AnsiFlag(word.removesuffix("!")) if word.endswith("!") else word


def _joined(words: list[str]) -> list[str]:
    """Put `' '` defaults that the split broke together again."""
    out: list[str] = []
    for w in words:
        if out and out[-1].count("'") % 2:
            out[-1] += " " + w
        elif w:
            out.append(w)
    return out


def _default(text: str) -> Expression:
    if text.startswith("'"):
        return lit(text[1:-1])
    if text in ("true", "false"):
        return lit(text == "true")
    if text == "None":
        return Literal(None, NULL)
    if text.endswith("F"):
        return Literal(float(text[:-1]), FLOAT)
    if text.endswith("L"):
        return Literal(int(text[:-1]), LONG)
    if "." in text:
        return Literal(Decimal(text), DecimalType(18, 6))
    return lit(int(text))


SIGNATURES: dict[str, Signature] = {
    name: signature
    for family in (texts, numbers, datetimes, collections, session, sketches)
    for name, signature in read_table(family.TABLE).items()
}
AGGREGATE_SIGNATURES = read_table(aggregates.TABLE)

__all__ = ["AGGREGATE_SIGNATURES", "CHECKS", "SIGNATURES", "Signature", "accepts"]
