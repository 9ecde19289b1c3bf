"""Operators that only DataFrame methods write: columns added, renamed and dropped, unions by name, deduplication."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule, same_name, sql_text
from planviz.analysis.names import unresolved_column
from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.conditional import If
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, alias
from planviz.expressions.ids import next_id
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.expressions.pipes import UnresolvedStarExceptOrReplace
from planviz.expressions.predicates import IsNull
from planviz.expressions.unresolved import (
    UnresolvedAttribute,
    UnresolvedStarWithColumns,
    UnresolvedStarWithColumnsRenames,
)
from planviz.frontend.errors import analysis_error
from planviz.functions.registry import build
from planviz.logical.combining import Union
from planviz.logical.operators import Deduplicate, Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.streams import DeduplicateWithinWatermark
from planviz.logical.unresolved import DataFrameDropColumns, UnresolvedDeduplicate
from planviz.types import STRING, ArrayType, DataType, StructType


def columns_with(star: UnresolvedStarWithColumns, columns: tuple[AttributeReference, ...]) -> list[Expression]:
    """The columns of withColumns: those of a given name replaced where they stand, new ones at the end."""
    given = dict(zip(star.names, star.values, strict=True))
    out: list[Expression] = []
    for c in columns:
        name = next((n for n in given if same_name(n, c.name)), None)
        out.append(c if name is None else alias(given[name], name))
    known = [c.name for c in columns]
    return out + [alias(v, n) for n, v in given.items() if not any(same_name(n, k) for k in known)]


def columns_replaced(
    star: UnresolvedStarExceptOrReplace, columns: tuple[AttributeReference, ...]
) -> Sequence[Expression]:
    """The columns of |> SET: each of a replacement's name replaced where it stands; AnalysisError where none is."""
    out: list[Alias | AttributeReference] = list(columns)
    for new in star.replacements:
        assert isinstance(new, Alias)
        if not any(same_name(new.name, c.name) for c in columns):
            raise unresolved_column(new.rebuilt(UnresolvedAttribute((new.name,))), list(columns))
        out = [new if same_name(new.name, c.name) else c for c in out]
    return out


def columns_renamed(
    star: UnresolvedStarWithColumnsRenames, columns: tuple[AttributeReference, ...]
) -> list[Expression]:
    """The columns of withColumnsRenamed; names that no column has change nothing."""
    out: list[Expression] = []
    for c in columns:
        new, renamed = c.name, False
        for old, name in zip(star.names, star.new_names, strict=True):
            if same_name(new, old):
                new, renamed = name, True
        # Under its own name it is another column all the same.
        out.append(alias(c, new) if renamed else c)
    return out


class ResolveDataFrameDropColumns(AnalyzerRule[DataFrameDropColumns]):
    """Keep the columns that are not dropped.

    DataFrameDropColumns [b]  =>  Project [a, c]
    """

    matches = (DataFrameDropColumns,)
    package = "org.apache.spark.sql.catalyst.analysis"

    def rewrite(self, node: DataFrameDropColumns) -> LogicalPlan:
        """The plan without the columns; a name that no column has drops nothing."""
        if not node.children_resolved:
            return node
        names = [e.parts[-1] for e in node.drops if isinstance(e, UnresolvedAttribute)]
        kept = tuple(
            a
            for a in node.child.output
            if not any(same_name(n, a.name) for n in names) and not any(a.semantic_equals(d) for d in node.drops)
        )
        return Project(kept, node.child)


class ResolveDeduplicate(AnalyzerRule[UnresolvedDeduplicate]):
    """Find the columns by which rows count as equal.

    UnresolvedDeduplicate DeduplicateKeyColumns(List(a))  =>  Deduplicate [a#1]
    """

    matches = (UnresolvedDeduplicate,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def rewrite(self, node: UnresolvedDeduplicate) -> LogicalPlan:
        if not node.children_resolved:
            return node
        columns = node.child.output
        made = DeduplicateWithinWatermark if node.within_watermark else Deduplicate
        if node.names is None:
            return made(columns, node.child)
        keys = []
        for n in dict.fromkeys(node.names):
            found = [a for a in columns if same_name(a.name, n)]
            if not found:
                raise no_such_field(n, columns, node)
            keys += found
        return made(tuple(keys), node.child)


def no_such_field(name: str, columns: tuple[AttributeReference, ...], place: LogicalPlan) -> Exception:
    """The error for a name that is none of the columns'."""
    known = ", ".join(a.name for a in columns)
    return analysis_error(
        "UNRESOLVED_COLUMN_AMONG_FIELD_NAMES", f'Cannot resolve column name "{name}" among ({known}).', place
    )


class ResolveUnion(AnalyzerRule[Union]):
    """Put the columns of a union by name into the order of the first input.

    Union by name of t[a, b], u[b, a]  =>  Union of t, Project [a, b] over u
    """

    matches = (Union,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def rewrite(self, node: Union) -> LogicalPlan:
        if not node.by_name or not node.children_resolved or not (node.is_streaming or _apart(node)):
            # Streams that are read twice keep their ids: the union gives them others behind this.
            return node
        left = node.inputs[0]
        for right in node.inputs[1:]:
            left = self._two(left, right, node)
        return left

    @staticmethod
    def _two(left: LogicalPlan, right: LogicalPlan, node: Union) -> LogicalPlan:
        for side in (left, right):
            names = [a.name.lower() for a in side.output]
            twice = next((n for i, n in enumerate(names) if n in names[:i]), None)
            if twice is not None:
                told = "already exists. Choose another name or rename the existing column."
                raise analysis_error("COLUMN_ALREADY_EXISTS", f"The column {sql_text((twice,))} {told}", node)
        second = Project(_matched(left.output, right.output, node), right)
        first = left
        if node.allow_missing:
            items = _matched(second.output, left.output, node)
            if any(isinstance(i, Alias) for i in items):
                first = Project(items, left)
        inputs = first.inputs if isinstance(first, Union) and not first.by_name else (first,)
        return Union((*inputs, second))


def _matched(
    wanted: tuple[AttributeReference, ...], columns: tuple[AttributeReference, ...], node: Union
) -> tuple[Expression, ...]:
    """The columns in the order of the wanted ones, nulls for those that are missing, and the other columns behind."""
    items: list[Expression] = []
    used = []
    for a in wanted:
        found = next((b for b in columns if same_name(a.name, b.name)), None)
        if found is None and not node.allow_missing:
            raise no_such_field(a.name, columns, node)
        if found is None:
            items.append(alias(Literal(None, a.type), a.name))
            continue
        used.append(found)
        fitted = _fitted(found, a.type, node)
        items.append(found if fitted is found else alias(fitted, found.name))
    return (*items, *(b for b in columns if b not in used))


def _fitted(e: Expression, wanted: DataType, node: Union) -> Expression:
    """The expression with the fields of its structs in the order of the wanted type's (Spark: ResolveUnion.addFields).

    Fields that it lacks are null where the union allows that, others come behind. Raises AnalysisError FIELD_NOT_FOUND.
    """
    own = e.data_type
    if own.simple_string == wanted.simple_string:
        return e
    if isinstance(own, StructType) and isinstance(wanted, StructType):
        return _fitted_struct(e, own, wanted, node)
    if isinstance(own, ArrayType) and isinstance(wanted, ArrayType) and isinstance(wanted.element, StructType):
        element = NamedLambdaVariable("x_0", own.element, own.contains_null, next_id())
        fitted = _fitted(element, wanted.element, node)
        if fitted is not element:
            return build(("transform",), (e, LambdaFunction(fitted, (element,))), None) or e
    return e


def _fitted_struct(e: Expression, own: StructType, wanted: StructType, node: Union) -> Expression:
    left = dict(enumerate(own.fields))
    parts: list[Expression] = []
    for f in wanted.fields:
        place = next((i for i, o in left.items() if same_name(o.name, f.name)), None)
        if place is None and not node.allow_missing:
            known = ", ".join(f"`{o.name}`" for o in own.fields)
            raise analysis_error("FIELD_NOT_FOUND", f"No such struct field `{f.name}` in {known}.", node)
        if place is not None:
            del left[place]
        value = Literal(None, f.data_type) if place is None else GetStructField(e, place)
        parts += [Literal(f.name, STRING), _fitted(value, f.data_type, node)]
    for place, f in left.items():
        parts += [Literal(f.name, STRING), GetStructField(e, place)]
    made = CreateNamedStruct(tuple(parts))
    return If(IsNull(e), Literal(None, made.data_type), made) if e.nullable else made


def _apart(node: Union) -> bool:
    ids = [i for c in node.inputs for i in c.output_set]
    return len(ids) == len(set(ids))
