"""Filters as data sources take them (Spark: DataSourceStrategy.translateFilter)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from planviz.expressions.core import AttributeReference, Literal
from planviz.expressions.literals import literal_text
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
    StringPredicate,
)
from planviz.physical.exchanges import ScalarSubqueryExec
from planviz.types import quote_if_needed

_MIRRORED: dict[type, type] = {
    GreaterThan: LessThan,
    LessThan: GreaterThan,
    GreaterThanOrEqual: LessThanOrEqual,
    LessThanOrEqual: GreaterThanOrEqual,
}


def pushed(e: Any) -> str | None:
    """The filter as a scan prints it, or None where a data source cannot take it."""
    match e:
        case BinaryComparison(left=AttributeReference() as a, right=Literal() | ScalarSubqueryExec() as v):
            return _comparison(type(e), a, v)
        case BinaryComparison(left=Literal() | ScalarSubqueryExec() as v, right=AttributeReference() as a):
            return _comparison(_MIRRORED.get(type(e), type(e)), a, v)
        case In(AttributeReference() as a, items) if all(isinstance(i, Literal) for i in items):
            return f"In({_name(a)}, [{_values(items)}])"
        case InSet(AttributeReference() as a, values):
            return f"In({_name(a)}, [{_values(values)}])"
        case IsNull(AttributeReference() as a) | IsNotNull(AttributeReference() as a):
            return f"{type(e).__name__}({_name(a)})"
        case StringPredicate(left=AttributeReference() as a, right=Literal() as v):
            return f"String{e.kind}({_name(a)},{_value(v)})"
        case And(left, right) | Or(left, right):
            parts = pushed(left), pushed(right)
            return f"{type(e).__name__}({','.join(map(str, parts))})" if all(parts) else None
        case Not(child):
            inner = pushed(child)
            return f"Not({inner})" if inner else None
    return None


def _comparison(cls: type, a: AttributeReference, v: Literal | ScalarSubqueryExec) -> str | None:
    if isinstance(v, Literal) and v.value is None and cls is not EqualNullSafe:
        return None
    known = (EqualTo, EqualNullSafe, LessThan, LessThanOrEqual, GreaterThan, GreaterThanOrEqual)
    return f"{cls.__name__}({_name(a)},{_value(v)})" if cls in known else None


def _name(a: AttributeReference) -> str:
    return quote_if_needed(a.name)


def _value(v: Literal | ScalarSubqueryExec) -> str:
    if isinstance(v, ScalarSubqueryExec):
        return f"ScalarSubquery#{v.expr_id}"
    return literal_text(v.value, v.type)


def _values(values: Iterable[Any]) -> str:
    """The values of a list, in the order of their texts."""
    return ",".join(sorted(map(_value, values)))
