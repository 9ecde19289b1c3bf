"""What a star stands for: columns, fields of a struct, arguments of a function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

from planviz.analysis.context import folded
from planviz.analysis.frames import columns_renamed, columns_replaced, columns_with
from planviz.analysis.hidden import hidden_output
from planviz.analysis.names import Scope, unresolved_column
from planviz.errors import AnalysisError
from planviz.expressions.complex import CreateNamedStruct, GetStructField, field_name
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, alias, lit
from planviz.expressions.pipes import UnresolvedStarExceptOrReplace
from planviz.expressions.predicates import In
from planviz.expressions.unresolved import (
    OuterReference,
    ResolvedStar,
    UnresolvedAttribute,
    UnresolvedFunction,
    UnresolvedRegex,
    UnresolvedStar,
    UnresolvedStarWithColumns,
    UnresolvedStarWithColumnsRenames,
)
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import LateralJoin
from planviz.logical.file_metadata import is_metadata, names_metadata
from planviz.logical.operators import Aggregate, Project
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.trees.depth import refuse_wide
from planviz.types import INT, STRING, UNKNOWN, DataType, StructType

Path = tuple[str, ...]
Column = AttributeReference | Alias
#: The operators around a subquery, the nearest first.
Outer = tuple[LogicalPlan, ...]

STARS = (
    UnresolvedStar.BIT
    | UnresolvedStarWithColumns.BIT
    | UnresolvedStarWithColumnsRenames.BIT
    | UnresolvedStarExceptOrReplace.BIT
)


def expanded(
    items: tuple[Expression, ...], plan: UnaryNode, outer: Outer = (), files: str = "none"
) -> list[Expression]:
    """The items of a select list over `plan` with every star replaced by what it stands for.

    `outer`: the query around this one; its tables may be named where a select list or a lateral join holds it.
    `files` says which `_metadata` tables of files have.
    """
    if not any(e.bits & STARS for e in items):
        return list(items)
    out: list[Expression] = []
    for e in items:
        if isinstance(e, UnresolvedStar):
            out += expand_star(e, plan, outer, files)
        elif isinstance(e, UnresolvedStarWithColumns):
            out += columns_with(e, plan.child.output)
        elif isinstance(e, UnresolvedStarExceptOrReplace):
            out += columns_replaced(e, plan.child.output)
        elif isinstance(e, UnresolvedStarWithColumnsRenames):
            out += columns_renamed(e, plan.child.output)
        elif e.bits & UnresolvedStar.BIT:
            out.append(e.transform_up(lambda x: star_arguments(x, plan, outer), UnresolvedStar.BIT))
        else:
            out.append(e)
        refuse_wide(len(out))
    return out


def expand_star(star: UnresolvedStar, plan: LogicalPlan, outer: Outer = (), files: str = "none") -> list[Expression]:
    """The columns that `*`, `t.*` or `struct.*` means, without those in EXCEPT; of `outer` where `plan` has none."""
    try:
        return _expand_star(star, plan, files)
    except AnalysisError:
        if not outer or not isinstance(outer[0], Project | Aggregate | LateralJoin):
            raise
        try:
            found = _expand_star(star, outer[0])
        except AnalysisError:
            found = []
        if not found:
            raise
    outers = [outer_column(c) for c in found]
    # A field of an outer struct keeps the field's name.
    return [alias(o, c.name) if isinstance(c, Alias) else o for o, c in zip(outers, found, strict=True)]


def outer_column(found: Expression) -> Expression:
    """A column of the surrounding query, as a subquery names it."""

    def wrap(x: Expression) -> Expression:
        return OuterReference(x) if isinstance(x, AttributeReference) else x

    made: Expression = (found.child if isinstance(found, Alias) else found).transform_up(wrap, AttributeReference.BIT)
    return made


def _expand_star(star: UnresolvedStar, plan: LogicalPlan, files: str = "none") -> list[Expression]:
    if isinstance(star, ResolvedStar):
        return list(star.columns)
    columns = [a for c in plan.children for a in c.output]
    if isinstance(star, UnresolvedRegex):
        return _matching(star, columns)
    if star.target:
        wanted = tuple(map(folded, star.target))
        # A table's own columns are also those that a USING join takes from the other table.
        every = [a for c in plan.children for a in hidden_output(c)] + columns
        named = [a for a in every if tuple(map(folded, a.qualifier[-len(wanted) :])) == wanted]
        if not named and names_metadata(star.target):
            columns += [a for c in plan.children for a in hidden_output(c, files) if is_metadata(a)]
        return _wanted(named or _struct_star(star, columns), star)
    return _wanted(columns, star)


def _wanted(columns: Sequence[Column], star: UnresolvedStar) -> list[Expression]:
    return _without(columns, star) if star.excepted else list(columns)


#: (X)?+R of Hive, "all but X": what X took is not given back to R. RE2 does not know it.
_POSSESSIVE = re.compile(r"(\([^()]*\))\?\+(.*)", re.DOTALL)


def _matching(star: UnresolvedRegex, columns: Sequence[AttributeReference]) -> list[Expression]:
    """The columns whose names match, in any case and without backtracking."""
    import re2

    table = star.target[-1].lower() if star.target else None
    all_but = _POSSESSIVE.fullmatch(star.pattern)
    first, rest = all_but.groups() if all_but else ("", star.pattern)
    try:
        taken, compiled = re2.compile(f"(?i){first}"), re2.compile(f"(?i){rest}")
    except re2.error:
        raise analysis_error(
            "INVALID_REGEXP", f"{star.pattern!r} is no regular expression that can be read.", star
        ) from None

    def matches(name: str) -> bool:
        begun = taken.match(name)
        return bool(compiled.fullmatch(name[begun.end() if begun else 0 :]))

    named = [c for c in columns if table is None or (c.qualifier and c.qualifier[-1].lower() == table)]
    return [c for c in named if matches(c.name)]


def _without(columns: Sequence[Column], star: UnresolvedStar) -> list[Expression]:
    """The columns without those in EXCEPT, and structs without the fields in it."""
    paths: dict[int, list[Path]] = {}
    for name in star.excepted:
        found = [(i, path) for i, c in enumerate(columns) for path in _path(c, name)]
        if not found:
            raise unresolved_column(star.rebuilt(UnresolvedAttribute(name)), columns)
        for i, path in found:
            paths.setdefault(i, []).append(path)
    if any(a == b[: len(a)] for ps in paths.values() for a, b in permutations(ps, 2)):
        names = ", ".join(".".join(n) for n in star.excepted)
        raise analysis_error(
            "EXCEPT_OVERLAPPING_COLUMNS",
            f"Columns in an EXCEPT list must be distinct and non-overlapping, but got ({names}).",
            star,
        )
    kept: list[Expression] = []
    for i, c in enumerate(columns):
        if i not in paths:
            kept.append(c)
        elif () not in paths[i]:
            kept.append(alias(_pruned(c.child if isinstance(c, Alias) else c, paths[i]), c.name))
    return kept


def _path(c: Column, name: tuple[str, ...]) -> Iterator[Path]:
    """The fields that a name means within a column: none for the whole column, no path where it means another."""
    qualifier = c.qualifier if isinstance(c, AttributeReference) else ()
    full = tuple(map(folded, (*qualifier, c.name)))
    for k in range(len(name), 0, -1):
        path: Path = tuple(map(folded, name[k:]))
        if full[-k:] == tuple(map(folded, name[:k])) and _leads_to_field(c.data_type, path):
            yield path
            return


def _leads_to_field(t: DataType, path: Path) -> bool:
    if not path:
        return True
    fields = t.fields if isinstance(t, StructType) else ()
    return any(folded(f.name) == path[0] and _leads_to_field(f.data_type, path[1:]) for f in fields)


def _pruned(value: Expression, paths: list[Path]) -> Expression:
    """A struct made anew without some of its fields."""
    parts: list[Expression] = []
    struct = value.data_type
    assert isinstance(struct, StructType)
    for i, f in enumerate(struct.fields):
        below = [p[1:] for p in paths if p[0] == folded(f.name)]
        if () not in below:
            field = GetStructField(value, i)
            parts += [lit(f.name), _pruned(field, below) if below else field]
    return CreateNamedStruct(tuple(parts))


def _struct_star(star: UnresolvedStar, columns: list[AttributeReference]) -> list[Alias]:
    found = Scope(columns).resolve(star.target, star)
    value = found.child if isinstance(found, Alias) else found
    if value is not None and value.data_type != UNKNOWN and not isinstance(value.data_type, StructType):
        shown = ", ".join(star.target)
        raise analysis_error(
            "_LEGACY_ERROR_TEMP_1050", f"Can only star expand struct data types. Attribute: `List({shown})`.", star
        )
    if value is None or not isinstance(value.data_type, StructType):
        qualifiers = sorted({".".join(a.qualifier) for a in columns if a.qualifier})
        raise analysis_error(
            "CANNOT_RESOLVE_STAR_EXPAND",
            f"Cannot resolve {'.'.join(star.target)}.* given input columns from {', '.join(qualifiers) or 'nothing'}.",
            star,
        )
    return [alias(GetStructField(value, i), f.name) for i, f in enumerate(value.data_type.fields)]


def _is_star(arguments: tuple[Expression, ...]) -> bool:
    return arguments == (UnresolvedStar(),) or (len(arguments) == 1 and isinstance(arguments[0], ResolvedStar))


def star_arguments(x: Expression, plan: LogicalPlan, outer: Outer = ()) -> Expression:
    """A star among the arguments of a function means all columns; count(*) counts rows."""
    if isinstance(x, In) and any(isinstance(v, UnresolvedStar) for v in x.items):
        items = [c for v in x.items for c in (expand_star(v, plan, outer) if isinstance(v, UnresolvedStar) else (v,))]
        return x.replace(items=tuple(items))
    if isinstance(x, CreateNamedStruct) and x.shown == "struct" and x.bits & UnresolvedStar.BIT:
        # A value without a name is col1, col2 ...: counted as they are written, a star as one.
        parts: list[Expression] = []
        for i, v in enumerate(x.values, 1):
            for c in expand_star(v, plan, outer) if isinstance(v, UnresolvedStar) else (v,):
                parts += [Literal(field_name(c, i), STRING), c]
        return x.rebuilt(CreateNamedStruct(tuple(parts), "struct"))
    if not isinstance(x, UnresolvedFunction) or not any(isinstance(a, UnresolvedStar) for a in x.arguments):
        return x
    if x.parts[-1].lower() == "count" and _is_star(x.arguments) and not x.distinct:
        return x.replace(arguments=(Literal(1, INT),))
    out: list[Expression] = []
    for a in x.arguments:
        if isinstance(a, UnresolvedStar):
            if x.parts[-1].lower() == "count" and a.target:
                raise analysis_error(
                    "INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT",
                    f"count({'.'.join(f'`{p}`' for p in a.target)}.*) is not allowed. "
                    "Use count(*) or expand the columns manually, e.g. count(col1, col2).",
                    x,
                )
            out += expand_star(a, plan, outer)
        else:
            out.append(a)
    return x.replace(arguments=tuple(out))
