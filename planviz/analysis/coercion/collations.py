"""One collation for texts that meet in an expression (Spark: CollationTypeCoercion).

COLLATE asks for a collation explicitly; a column, a cast of text or a subquery carries one implicitly; a constant has
it by default. What is meant more firmly wins; where two are meant equally firmly, explicit ones are refused and others
give text of no known collation, which may be passed on but not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce

from planviz.expressions.calls import Concat, FunctionCall, StringForm
from planviz.expressions.casts import Cast
from planviz.expressions.collations import Collate
from planviz.expressions.common_expressions import CommonExpressionRef
from planviz.expressions.complex import CreateArray, CreateMap, CreateNamedStruct, GetMapValue, GetStructField
from planviz.expressions.conditional import CaseWhen, Coalesce, Extremum, If
from planviz.expressions.core import Expression, Literal, NamedExpression, alias
from planviz.expressions.patterns import StringPredicate
from planviz.expressions.predicates import BinaryComparison, In
from planviz.expressions.specs import ALIKE_FUNCTIONS
from planviz.expressions.subqueries import InSubquery, SubqueryExpression
from planviz.expressions.variables import VariableReference
from planviz.expressions.windows import LagLead
from planviz.frontend.errors import analysis_error
from planviz.logical.operators import Aggregate, Project
from planviz.types import (
    STRING,
    ArrayType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
    has_string,
    indeterminate,
    is_collated,
    is_string,
)
from planviz.types.collations import BINARY_TEXT, any_leaf


class Strength(IntEnum):
    """How firmly a collation is meant, the firmest first."""

    EXPLICIT = 0
    INDETERMINATE = 1
    IMPLICIT = 2
    DEFAULT = 3


@dataclass(frozen=True)
class RankedText(DataType):
    """Text within the type of an expression, with how firmly its collation is meant."""

    text: StringType
    strength: Strength


Leaf = Callable[[DataType, DataType], DataType | None]

#: Expressions whose texts are brought to one collation.
_ALIKE = (
    In | InSubquery | CreateArray | Concat | Extremum | Coalesce | BinaryComparison | StringPredicate | If | LagLead
)
_ALIKE_FUNCTIONS = ALIKE_FUNCTIONS | {
    "array_join", "array_contains", "array_except", "array_append", "array_intersect", "array_position",
    "array_remove", "array_union", "arrays_overlap", "levenshtein",
}  # fmt: skip
#: Expressions that compare texts, which they cannot where the collation is not known.
_COMPARING = In | InSubquery | BinaryComparison | StringPredicate
_COMPARING_FUNCTIONS = frozenset((
    "upper", "lower", "initcap", "ucase", "lcase", "find_in_set", "instr", "replace", "substring_index",
    "translate", "stringsplitsql",
))  # fmt: skip


def one_collation(e: Expression) -> Expression:
    """An expression with its texts in one collation; itself where they are or need not be.

    Raises AnalysisError where two collations are asked for, or an unknown one is to be compared by.
    """
    alike = _is_alike(e)
    if not alike and not isinstance(e, CaseWhen | CreateMap | GetMapValue) and not _compares(e):
        return e
    types = [c.data_type for c in e.children]
    if not any(map(is_collated, types)):
        return e
    for t in types:
        _refuse_unknown(e, t)
    if isinstance(e, CaseWhen):
        return _case(e)
    if isinstance(e, CreateMap):
        return _map(e)
    if isinstance(e, GetMapValue):
        return _map_value(e)
    return _changed(e, e.children) if alike else e


def _is_alike(e: Expression) -> bool:
    if isinstance(e, StringForm):
        return not e.name.startswith("substr")
    return isinstance(e, _ALIKE) or (isinstance(e, FunctionCall) and e.name in _ALIKE_FUNCTIONS)


def _changed(e: Expression, among: Iterable[Expression]) -> Expression:
    """The expression with these of its children in the collation that wins among them."""
    texts = [c for c in among if has_string(c.data_type)]
    won = _winner_of(texts, e)
    if won is None:
        return e
    _refuse_unknown(e, won)
    wanted = {id(c) for c in texts}
    return e.map_children(lambda c: _with_text(c, won) if id(c) in wanted else c)


def _case(e: CaseWhen) -> Expression:
    results = tuple(e.results)
    return e if len({r.data_type for r in results}) < 2 else _changed(e, results)


def _map(e: CreateMap) -> Expression:
    if len(e.parts) % 2:
        return e
    keys, values = (_changed(e, e.parts[at::2]).children[at::2] for at in (0, 1))
    parts = tuple([p for pair in zip(keys, values, strict=True) for p in pair])
    return e if all(a is b for a, b in zip(parts, e.parts, strict=True)) else e.replace(parts=parts)


def _map_value(e: GetMapValue) -> Expression:
    t = e.child.data_type
    if not isinstance(t, MapType) or not isinstance(e.key, Literal) or not is_string(e.key.type):
        return e
    return e if t.key == e.key.type else e.replace(key=Cast(e.key, t.key))


def _compares(e: Expression) -> bool:
    if isinstance(e, StringForm):
        return "trim" in e.name or e.name in ("locate", "position")
    return isinstance(e, _COMPARING) or (isinstance(e, FunctionCall) and e.name in _COMPARING_FUNCTIONS)


def _refuse_unknown(e: Expression, t: DataType) -> None:
    if _compares(e) and _is_unknown(t):
        raise analysis_error(
            "INDETERMINATE_COLLATION_IN_EXPRESSION",
            f'Data type of "{e.pretty}" has indeterminate collation. Use COLLATE to set the collation explicitly.',
            e,
        )


def _is_unknown(t: DataType) -> bool:
    def unknown(leaf: DataType) -> bool:
        return leaf is indeterminate() or (isinstance(leaf, RankedText) and leaf.strength == Strength.INDETERMINATE)

    return any_leaf(t, unknown)


# ------------------------------------------------------------------------------------------------ what is meant


def _winner_of(texts: list[Expression], place: Expression) -> DataType | None:
    """The type with ranked texts that wins; None where nothing is collated or the types do not go together."""
    if not any(is_collated(c.data_type) for c in texts):
        return None
    return _all_merged(_meant(texts[0], place), [_meant(c, place) for c in texts[1:]], place)


def _all_merged(first: DataType | None, rest: Iterable[DataType | None], place: Expression) -> DataType | None:
    def both(a: DataType | None, b: DataType | None) -> DataType | None:
        return None if a is None or b is None else _merged(a, b, place)

    return reduce(both, rest, first)


def _meant(e: Expression, place: Expression) -> DataType | None:
    """The type of an expression with its texts ranked, or None where it has none."""
    t = e.data_type
    if not has_string(t):
        return None
    if isinstance(e, Collate):
        return _ranked(t, Strength.EXPLICIT)
    if isinstance(e, Cast):
        return _ranked(t, Strength.IMPLICIT if has_string(e.child.data_type) else Strength.DEFAULT)
    if isinstance(e, NamedExpression | SubqueryExpression | VariableReference | CommonExpressionRef):
        return _ranked(t, Strength.IMPLICIT)
    if not any(has_string(c.data_type) for c in e.children):
        return _ranked(t, Strength.DEFAULT)
    return _meant_by_parts(e, t, place)


def _meant_by_parts(e: Expression, t: DataType, place: Expression) -> DataType | None:
    if isinstance(e, GetStructField):
        whole = _meant(e.child, place)
        return whole.fields[e.ordinal].data_type if isinstance(whole, StructType) else None
    if isinstance(e, GetMapValue):
        whole = _meant(e.child, place)
        return _merged(t, whole.value, place) if isinstance(whole, MapType) else None
    if isinstance(e, CreateNamedStruct) and isinstance(t, StructType):
        meant = [_meant(v, place) or v.data_type for v in e.values]
        pairs = zip(t.fields, meant, strict=True)
        return StructType(tuple(StructField(f.name, m, f.nullable) for f, m in pairs))
    if isinstance(e, CreateMap) and isinstance(t, MapType):
        key = _all_merged(t.key, [_meant(k, place) or k.data_type for k in e.parts[::2]], place)
        value = _all_merged(t.value, [_meant(v, place) or v.data_type for v in e.parts[1::2]], place)
        return None if key is None or value is None else MapType(key, value)
    found = [m for m in (_meant(c, place) for c in e.children) if m is not None]
    return _all_merged(t, found, place)


def _ranked(t: DataType, strength: Strength) -> DataType:
    if isinstance(t, StringType):
        return RankedText(t, strength)
    if isinstance(t, ArrayType):
        return ArrayType(_ranked(t.element, strength), t.contains_null)
    if isinstance(t, MapType):
        return MapType(_ranked(t.key, strength), _ranked(t.value, strength), t.value_contains_null)
    if isinstance(t, StructType):
        return StructType(tuple(StructField(f.name, _ranked(f.data_type, strength), f.nullable) for f in t.fields))
    return t


def _merged(a: DataType, b: DataType, place: Expression) -> DataType | None:
    """Two types in one, the firmer collation at every place."""

    def leaf(x: DataType, y: DataType) -> DataType | None:
        if not isinstance(y, RankedText):
            return None
        return _firmer(x, y, place) if isinstance(x, RankedText) else y if is_string(x) else None

    return _paired(a, b, leaf)


def _firmer(a: RankedText, b: RankedText, place: Expression) -> RankedText:
    if a.strength != b.strength:
        return min(a, b, key=lambda x: x.strength)
    if a.text is b.text:
        return a
    if a.strength == Strength.EXPLICIT:
        raise analysis_error(
            "COLLATION_MISMATCH.EXPLICIT",
            "Could not determine which collation to use for string functions and operators. Error occurred due to the "
            f'mismatch between explicit collations: ["{a.text.sql}", "{b.text.sql}"]. Decide on a single explicit '
            "collation and remove others.",
            place,
        )
    return RankedText(indeterminate(), Strength.INDETERMINATE)


def _paired(a: DataType, b: DataType, leaf: Leaf) -> DataType | None:
    """The structure of `a` filled by `leaf` from both; an array goes with what its elements go with."""
    found = leaf(a, b)
    if found is not None or a == b:
        return found or a
    if isinstance(a, MapType) and isinstance(b, MapType):
        key, value = _paired(a.key, b.key, leaf), _paired(a.value, b.value, leaf)
        return None if key is None or value is None else MapType(key, value, a.value_contains_null)
    if isinstance(a, StructType) and isinstance(b, StructType) and len(a.fields) == len(b.fields):
        parts = [_paired(x.data_type, y.data_type, leaf) for x, y in zip(a.fields, b.fields, strict=True)]
        fields = [StructField(f.name, t, f.nullable) for f, t in zip(a.fields, parts, strict=True) if t is not None]
        return StructType(tuple(fields)) if len(fields) == len(parts) else None
    if isinstance(a, ArrayType):
        element = _paired(a.element, b.element if isinstance(b, ArrayType) else b, leaf)
        return None if element is None else ArrayType(element, a.contains_null)
    return _paired(a, b.element, leaf) if isinstance(b, ArrayType) else None


# ------------------------------------------------------------------------------------------------ what is done


def _with_text(e: Expression, won: DataType) -> Expression:
    """An expression in the collation that won: a constant or a cast of another type, else under a cast."""

    def leaf(x: DataType, y: DataType) -> DataType | None:
        return y.text if is_string(x) and isinstance(y, RankedText) else None

    t = _paired(e.data_type, won, leaf)
    if t is None or t == e.data_type:
        return e
    if isinstance(e, Literal | Cast):
        return e.rebuilt(e.replace(type=t))
    if isinstance(e, SubqueryExpression):
        return _in_query(e, won)
    return Cast(e, BINARY_TEXT if t is STRING else t)


def _in_query(e: SubqueryExpression, won: DataType) -> SubqueryExpression:
    def item(x: Expression) -> Expression:
        new = _with_text(x, won)
        return new if isinstance(new, NamedExpression) else alias(new, x.to_attribute().name)

    plan = e.plan
    if isinstance(plan, Project):
        plan = plan.replace(projects=tuple(map(item, plan.projects)))
    elif isinstance(plan, Aggregate):
        plan = plan.replace(aggregates=tuple(map(item, plan.aggregates)))
    result: SubqueryExpression = e.with_plan(plan)
    return result
