"""Finding columns by name (Spark: AttributeSeq.resolve)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from planviz.analysis.context import folded, same_name, sql_text
from planviz.analysis.deduplication import DUPLICATE
from planviz.errors import AnalysisError
from planviz.expressions.complex import GetArrayItem, GetArrayStructFields, GetMapValue, GetStructField
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, lit
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import UnresolvedAttribute, UnresolvedExtractValue
from planviz.frontend.errors import analysis_error
from planviz.trees.depth import deep
from planviz.trees.node import TreeNode
from planviz.types import NULL, UNKNOWN, ArrayType, MapType, StructType, is_integral, is_string

#: What `bind` looks for in an expression.
UNBOUND = UnresolvedAttribute.BIT | UnresolvedExtractValue.BIT


class Scope:
    """Columns to look names up in: qualified names first, then plain ones, the rest of the parts are fields."""

    def __init__(self, attributes: Iterable[AttributeReference]) -> None:
        self.attributes = tuple(attributes)
        self.by_name: dict[str, list[AttributeReference]] = {}
        for a in self.attributes:
            self.by_name.setdefault(folded(a.name), []).append(a)

    def resolve(self, parts: tuple[str, ...], place: TreeNode | None = None) -> Expression | None:
        """The column that the parts mean, a field of it under an alias, or None.

        Raises AnalysisError AMBIGUOUS_REFERENCE when several columns fit.
        """
        for qualifiers in range(min(3, len(parts) - 1), -1, -1):
            named = self.by_name.get(folded(parts[qualifiers]))
            if not named:
                continue
            if qualifiers:
                wanted = tuple(map(folded, parts[:qualifiers]))
                found = [a for a in named if _qualified(a, wanted)]
            else:
                found = named
            if not found:
                continue
            distinct = list(dict.fromkeys(found))
            fields = parts[qualifiers + 1 :]
            if len(distinct) > 1:
                # An input of a union told one column apart in two: a name means the first of them.
                distinct = [a for a in distinct if DUPLICATE not in a.metadata] or distinct
            if len(distinct) > 1:
                raise _ambiguous(parts, distinct, place)
            column = distinct[0]
            if column.name != parts[qualifiers]:
                # The user's spelling stays visible, as in Spark.
                column = AttributeReference(
                    parts[qualifiers], column.type, column.is_nullable, column.expr_id, column.qualifier
                )
            if not fields:
                return column
            value: Expression = column
            for f in fields:
                value = extract_value(value, lit(f), place)
            return Alias(value, fields[-1], next_id())
        return None


def _qualified(a: AttributeReference, wanted: tuple[str, ...]) -> bool:
    own = a.qualifier
    return len(own) >= len(wanted) and tuple(map(folded, own[len(own) - len(wanted) :])) == wanted


def _ambiguous(parts: tuple[str, ...], found: list[AttributeReference], place: TreeNode | None) -> AnalysisError:
    options = ", ".join(sorted(sql_text((*a.qualifier, a.name)) for a in found))
    return analysis_error(
        "AMBIGUOUS_REFERENCE", f"Reference {sql_text(parts)} is ambiguous, could be: [{options}].", place
    )


def extract_value(child: Expression, extraction: Expression, place: TreeNode | None = None) -> Expression:
    """child[extraction] or child.extraction by the child's type (Spark: `ExtractValue.apply`).

    Raises AnalysisError when the type has no parts, or not this one.
    """
    t = child.data_type
    if t == NULL:
        return Literal(None, NULL)
    name = extraction.value if isinstance(extraction, Literal) and is_string(extraction.type) else None
    if isinstance(t, StructType) and name is not None:
        return GetStructField(child, _field(t, name, place), name)
    if isinstance(t, ArrayType) and isinstance(t.element, StructType) and name is not None:
        return GetArrayStructFields(child, _field(t.element, name, place))
    if isinstance(t, ArrayType):
        if not is_integral(extraction.data_type) and extraction.data_type != UNKNOWN:
            raise analysis_error(
                "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                f'Cannot resolve "{child.pretty}[{extraction.pretty}]" due to data type mismatch: The second parameter '
                f'requires the "INTEGRAL" type, however "{extraction.pretty}" has the type '
                f'"{extraction.data_type.sql}".',
                place or child,
            )
        return GetArrayItem(child, extraction)
    if isinstance(t, MapType):
        return GetMapValue(child, extraction)
    if t == UNKNOWN:
        return child
    if isinstance(t, StructType):
        raise analysis_error(
            "INVALID_EXTRACT_FIELD_TYPE",
            f'Field name should be a non-null string literal, but it\'s "{extraction.pretty}".',
            place or child,
        )
    raise analysis_error(
        "INVALID_EXTRACT_BASE_FIELD_TYPE",
        f'Can\'t extract a value from "{child.pretty}". Need a complex type [STRUCT, ARRAY, MAP] but got "{t.sql}".',
        place or child,
    )


def _field(t: StructType, name: str, place: TreeNode | None) -> int:
    found = [i for i, f in enumerate(t.fields) if same_name(f.name, name)]
    if len(found) == 1:
        return found[0]
    fields = ", ".join(sql_text((f.name,)) for f in t.fields)
    if found:
        raise analysis_error(
            "AMBIGUOUS_REFERENCE_TO_FIELDS", f"Ambiguous reference to the field {sql_text((name,))}.", place
        )
    raise analysis_error("FIELD_NOT_FOUND", f"No such struct field {sql_text((name,))} in {fields}.", place)


#: Letters of names that are compared: the time grows with their square, and a program may make names without end.
_COMPARED = 100


def unresolved_column(name: UnresolvedAttribute, candidates: Sequence[AttributeReference | Alias]) -> AnalysisError:
    """The error for a name that nothing fits, with the nearest names."""
    wanted = sql_text(name.parts)
    message = f"A column, variable, or function parameter with name {wanted} cannot be resolved."
    nearest = nearest_names(name.parts, candidates)
    if not nearest:
        return analysis_error("UNRESOLVED_COLUMN.WITHOUT_SUGGESTION", message, name)
    message += f" Did you mean one of the following? [{', '.join(nearest)}]."
    return analysis_error("UNRESOLVED_COLUMN.WITH_SUGGESTION", message, name)


def nearest_names(
    parts: tuple[str, ...], candidates: Sequence[AttributeReference | Alias], count: int = 5
) -> list[str]:
    """The candidates' names, most similar first; qualified as far as the wanted name is or where they would clash."""
    plain = {a.name for a in candidates}
    clash = len(plain) < len({a.expr_id for a in candidates}) or len(parts) > 1
    names = {}
    for a in candidates:
        shown = (*a.qualifier[-1:], a.name) if clash and a.qualifier else (a.name,)
        names[sql_text(shown)] = ".".join(shown)
    wanted = ".".join(parts)[:_COMPARED].lower()
    return sorted(names, key=lambda n: -_likeness(wanted, names[n][:_COMPARED].lower()))[:count]


@lru_cache(maxsize=10_000)
def _likeness(one: str, other: str) -> float:
    """How alike two names are, from 0 to 1; a program that is read line by line asks for the same ones many times."""
    return SequenceMatcher(None, one, other).ratio()


@deep
def bind(e: Expression, scope: Scope, top: bool = False) -> Expression:
    """The expression with its names bound in `scope`; `top` keeps the alias of a field that stands alone."""
    if not e.bits & UNBOUND:
        return e
    if isinstance(e, UnresolvedAttribute):
        found = scope.resolve(e.parts, e)
        if found is None:
            return e
        return found if top or not isinstance(found, Alias) else found.child
    new = e.map_children(lambda c: bind(c, scope))
    if isinstance(new, UnresolvedExtractValue) and new.child.resolved and new.extraction.resolved:
        return extract_value(new.child, new.extraction, new)
    return new


def bind_if_possible(e: Expression, scope: Scope) -> Expression:
    """The expression with its names bound, or itself where one is ambiguous or has no such part.

    ORDER BY and HAVING look further down for what the select list cannot give.
    """
    try:
        return bind(e, scope)
    except AnalysisError:
        return e
