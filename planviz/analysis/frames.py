"""Operators that only DataFrame methods write: columns added, renamed and dropped, unions by name, deduplication."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule, same_name
from planviz.analysis.names import unresolved_column
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, alias
from planviz.expressions.pipes import UnresolvedStarExceptOrReplace
from planviz.expressions.unresolved import (
    UnresolvedAttribute,
    UnresolvedStarWithColumns,
    UnresolvedStarWithColumnsRenames,
)
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import Union
from planviz.logical.operators import Deduplicate, Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import DataFrameDropColumns, UnresolvedDeduplicate


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
        new = c.name
        for old, name in zip(star.names, star.new_names, strict=True):
            new = name if same_name(new, old) else new
        out.append(c if new == c.name else alias(c, new))
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
        if node.names is None:
            return Deduplicate(columns, node.child)
        keys = []
        for n in dict.fromkeys(node.names):
            found = [a for a in columns if same_name(a.name, n)]
            if not found:
                raise no_such_field(n, columns, node)
            keys += found
        return Deduplicate(tuple(keys), node.child)


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
        if not node.by_name or not node.children_resolved or not _apart(node):
            return node
        left = node.inputs[0]
        for right in node.inputs[1:]:
            left = self._two(left, right, node)
        return left

    @staticmethod
    def _two(left: LogicalPlan, right: LogicalPlan, node: Union) -> LogicalPlan:
        items: list[Expression] = []
        for a in left.output:
            found = next((b for b in right.output if same_name(a.name, b.name)), None)
            if found is None and not node.allow_missing:
                raise no_such_field(a.name, right.output, node)
            items.append(found if found is not None else alias(Literal(None, a.type), a.name))
        rest = [b for b in right.output if b not in items]
        missing = [alias(Literal(None, b.type), b.name) for b in rest] if node.allow_missing else []
        first = Project((*left.output, *missing), left) if missing else left
        inputs = first.inputs if isinstance(first, Union) and not first.by_name else (first,)
        return Union((*inputs, Project((*items, *rest), right)))


def _apart(node: Union) -> bool:
    ids = [i for c in node.inputs for i in c.output_set]
    return len(ids) == len(set(ids))
