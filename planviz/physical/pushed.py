"""Filters as data sources take them (Spark: DataSourceStrategy.translateFilter)."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

from planviz.expressions.complex import GetStructField
from planviz.expressions.core import AttributeReference, Expression, Literal
from planviz.expressions.literals import literal_text
from planviz.expressions.patterns import StringPredicate
from planviz.expressions.predicates import (
    And,
    BinaryComparison,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InSet,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    Or,
)
from planviz.physical.subqueries import ScalarSubqueryExec
from planviz.types import (
    BOOLEAN,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DayTimeIntervalType,
    YearMonthIntervalType,
    quote_if_needed,
)

_MIRRORED: dict[type, type] = {
    GreaterThan: LessThan,
    LessThan: GreaterThan,
    GreaterThanOrEqual: LessThanOrEqual,
    LessThanOrEqual: GreaterThanOrEqual,
}


def pushed(e: Expression, by_text: bool = True, booleans: bool = True) -> str | None:
    """The filter as a scan prints it, or None where a data source cannot take it.

    `by_text`: the values of a list stand in the order of their texts, as since Spark 3.2; else as they came.
    `booleans`: a column of truth values is a filter, as since Spark 3.3.
    """
    match e:
        case BinaryComparison(left=a, right=Literal() | ScalarSubqueryExec() as v) if column := _name(a):
            return _comparison(type(e), column, v)
        case BinaryComparison(left=Literal() | ScalarSubqueryExec() as v, right=a) if column := _name(a):
            return _comparison(_MIRRORED.get(type(e), type(e)), column, v)
        case In(a, items) if column := _name(a):
            listed = [i for i in items if isinstance(i, Literal)]
            asked = [i for i in items if isinstance(i, ScalarSubqueryExec)]
            if asked and len(listed) + len(asked) == len(items):
                texts = sorted([*map(_value, listed), *map(_value, asked)])
                return f"In({column}, [{','.join(texts)}])"
            return f"In({column}, [{_values(listed, by_text)}])" if len(listed) == len(items) else None
        case InSet(a, values) if column := _name(a):
            return f"In({column}, [{_values(values, by_text)}])"
        case AttributeReference() | GetStructField() if booleans and e.data_type == BOOLEAN and (column := _name(e)):
            return f"EqualTo({column},true)"
        case IsNull(a) | IsNotNull(a) if column := _name(a):
            return f"{type(e).__name__}({column})"
        case StringPredicate(left=a, right=Literal() as v) if column := _name(a):
            return f"String{e.kind}({column},{_value(v)})"
        case And(left, right) | Or(left, right):
            parts = pushed(left, by_text, booleans), pushed(right, by_text, booleans)
            return f"{type(e).__name__}({','.join(map(str, parts))})" if all(parts) else None
        case Not(child):
            inner = pushed(child, by_text, booleans)
            return f"Not({inner})" if inner else None
    return None


def _comparison(cls: type, column: str, v: Literal | ScalarSubqueryExec) -> str | None:
    if isinstance(v, Literal) and v.value is None and cls is not EqualNullSafe:
        return None
    known = (EqualTo, EqualNullSafe, LessThan, LessThanOrEqual, GreaterThan, GreaterThanOrEqual)
    return f"{cls.__name__}({column},{_value(v)})" if cls in known else None


def _name(e: Expression) -> str | None:
    """The column, or the field of a column with the names that lead to it; None for another expression."""
    match e:
        case AttributeReference():
            return quote_if_needed(e.name)
        case GetStructField():
            above = _name(e.child)
            return None if above is None else f"{above}.{quote_if_needed(e.field.name)}"
    return None


def _value(v: Literal | ScalarSubqueryExec) -> str:
    if isinstance(v, ScalarSubqueryExec):
        return f"ScalarSubquery#{v.expr_id}"
    text = literal_text(v.value, v.type)
    if v.value is None:
        return text
    if v.type == TIMESTAMP:
        # Sources get Java's values, and java.sql.Timestamp always shows a fraction, java.time leaves out zeros.
        return text if "." in text else f"{text}.0"
    if isinstance(v.value, bytes):
        return _array(v.value)
    if isinstance(v.type, DayTimeIntervalType):
        return _duration(v.value)
    if isinstance(v.type, YearMonthIntervalType):
        return _period(v.value)
    return _local(text) if v.type == TIMESTAMP_NTZ else text


def _array(value: bytes) -> str:
    """An array of bytes as Java prints it: by a number that is another one in every run, here made of the bytes."""
    return f"[B@{crc32(value) | 0x10000000:x}"


def _local(text: str) -> str:
    """A moment as java.time.LocalDateTime prints it: no seconds where they are zero, fractions in groups of three."""
    whole, _, fraction = text.replace(" ", "T").partition(".")
    if fraction:
        return f"{whole}.{fraction.ljust(3 if len(fraction) <= 3 else 6, '0')}"
    return whole.removesuffix(":00")


def _period(months: int) -> str:
    """java.time.Period.toString: years and months, each with the sign of the whole."""
    sign = "-" if months < 0 else ""
    years, rest = divmod(abs(months), 12)
    parts = [f"{sign}{years}Y" if years else "", f"{sign}{rest}M" if rest else ""]
    return f"P{''.join(parts) or '0D'}"


def _duration(micros: int) -> str:
    """java.time.Duration.toString: whole hours, minutes and seconds, each with the sign of the whole."""
    whole = abs(micros)
    sign = "-" if micros < 0 else ""
    minutes, rest = divmod(whole, 60_000_000)
    hours, minutes = divmod(minutes, 60)
    seconds, fraction = divmod(rest, 1_000_000)
    parts = [f"{sign}{hours}H" if hours else "", f"{sign}{minutes}M" if minutes else ""]
    if rest:
        parts.append(f"{sign}{seconds}{f'.{fraction:06}'.rstrip('0') if fraction else ''}S")
    return f"PT{''.join(parts) or '0S'}"


def _values(values: Iterable[Literal], by_text: bool) -> str:
    texts = map(_value, values)
    return ",".join(sorted(texts) if by_text else texts)
