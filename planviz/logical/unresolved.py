"""Operators that the parser writes and analysis resolves away."""

from __future__ import annotations

from planviz.expressions.core import Expression
from planviz.expressions.windows import WindowSpec
from planviz.logical.plan import LeafNode, LogicalPlan, UnaryNode, bracketed
from planviz.trees.node import lazy, lazy_alone, node
from planviz.types import DataType


@node
class UnresolvedRelation(LeafNode):
    """A table by name."""

    parts: tuple[str, ...]
    options: tuple[str, ...] = ()
    streaming: bool = False
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """[parts], [options], streaming."""
        return [f"[{', '.join(self.parts)}]", f"[{', '.join(self.options)}]", str(self.streaming).lower()]


@node
class PlanWithUnresolvedIdentifier(LeafNode):
    """A table whose name IDENTIFIER computes, from a session variable for one."""

    name_expression: Expression
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """What gives the name."""
        return [str(self.name_expression)]


@node
class RelationTimeTravel(LeafNode):
    """A table as it was at a time or in a version; exactly one of the two is given."""

    parts: tuple[str, ...]
    timestamp: Expression | None = None
    version: str | None = None
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """The relation, then the time or the version."""
        relation = f"'UnresolvedRelation [{', '.join(self.parts)}], [], false"
        return [relation, str(self.version if self.timestamp is None else self.timestamp)]


@node
class UnresolvedInlineTable(LeafNode):
    """VALUES with expressions that are not plain constants."""

    names: tuple[str, ...]
    rows: tuple[tuple[Expression, ...], ...]
    UNRESOLVED = True


@node
class UnresolvedTableValuedFunction(LeafNode):
    """A function in FROM."""

    parts: tuple[str, ...]
    args: tuple[Expression, ...]
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """[name], [args], false; no arguments are left out."""
        given = [f"[{', '.join(map(str, self.args))}]"] if self.args else []
        return [f"[{', '.join(self.parts)}]", *given, "false"]


@node
class UnresolvedTVFAliases(UnaryNode):
    """Column names for a function in FROM."""

    parts: tuple[str, ...]
    child: LogicalPlan
    names: tuple[str, ...]
    UNRESOLVED = True


@node
class UnresolvedSubqueryColumnAliases(UnaryNode):
    """Column names for a relation: `t(a, b)`."""

    names: tuple[str, ...]
    child: LogicalPlan
    UNRESOLVED = True


@node
class UnresolvedHaving(UnaryNode):
    """HAVING over the Aggregate below."""

    condition: Expression
    child: LogicalPlan
    UNRESOLVED = True


@node
class UnresolvedQualify(UnaryNode):
    """QUALIFY over the plan below."""

    condition: Expression
    child: LogicalPlan
    UNRESOLVED = True


@node
class UnresolvedHint(UnaryNode):
    """A hint as written."""

    name: str
    parameters: tuple[Expression, ...]
    child: LogicalPlan

    @lazy
    def resolved(self) -> bool:
        """When the child is: a hint that nobody knows must not stop the analysis."""
        found: bool = self.child.resolved
        return found

    def arguments(self) -> list[str]:
        """NAME, [parameters]."""
        return [self.name, *([f"[{', '.join(map(str, self.parameters))}]"] if self.parameters else [])]


@node
class UnresolvedWith(UnaryNode):
    """WITH: definitions over a query. `relations` pairs each name with its aliased plan."""

    child: LogicalPlan
    names: tuple[str, ...]
    plans: tuple[LogicalPlan, ...]
    recursive: bool = False
    depths: tuple[int | None, ...] = ()
    UNRESOLVED = True

    @lazy_alone
    def children(self) -> tuple[LogicalPlan, ...]:
        """Only the query; definitions are inner children."""
        return (self.child,)

    def map_children(self, f, mask=-1):  # type: ignore[no-untyped-def]
        """Only the query is mapped."""
        new = f(self.child) if self.child.bits & mask else self.child
        return self if new is self.child else self.rebuilt(self.replace(child=new))

    @property
    def inner_children(self) -> tuple[LogicalPlan, ...]:
        """The definitions."""
        return self.plans

    @lazy
    def simple_string(self) -> str:
        """CTE [names]."""
        return f"CTE [{', '.join(self.names)}]"


@node
class WithWindowDefinition(UnaryNode):
    """WINDOW clause: named specifications over a query."""

    names: tuple[str, ...]
    specs: tuple[WindowSpec, ...]
    child: LogicalPlan
    piped: bool = False
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """[w=spec], whether it stands in |> SELECT."""
        pairs = ", ".join(f"{n}={s}" for n, s in zip(self.names, self.specs, strict=True))
        return [f"[{pairs}]", str(self.piped).lower()]


@node
class UnresolvedCatalogRelation(LeafNode):
    """A table that the catalogue has, before it is read as a relation."""

    name: tuple[str, ...]
    table: object
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """`catalog`.`db`.`table`, [], false."""
        return [".".join(f"`{p}`" for p in self.name), "[]", "false"]


@node
class UnresolvedDeduplicate(UnaryNode):
    """dropDuplicates; `names` are the key columns, None for all."""

    names: tuple[str, ...] | None
    child: LogicalPlan
    within_watermark: bool = False
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """The keys, whether only within a watermark, true (checked against the columns)."""
        keys = (
            "DeduplicateAllColumnsAsKey"
            if self.names is None
            else f"DeduplicateKeyColumns(List({', '.join(self.names)}))"
        )
        return [keys, str(self.within_watermark).lower(), "true"]


@node
class DataFrameDropColumns(UnaryNode):
    """drop, with columns that are more than names."""

    drops: tuple[Expression, ...]
    child: LogicalPlan
    UNRESOLVED = True


@node
class Pivot(UnaryNode):
    """PIVOT as written. `grouped` tells that `groups` are the grouping columns (DataFrame.groupBy.pivot); in SQL they
    are all columns that the rest does not use.
    """

    column: Expression
    values: tuple[Expression, ...]
    aggregates: tuple[Expression, ...]
    child: LogicalPlan
    groups: tuple[Expression, ...] = ()
    grouped: bool = False
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """List(groups), column, [values], [aggregates]."""
        groups = [f"List({', '.join(map(str, self.groups))})"] if self.grouped else []
        return [*groups, self.column.simple_string, bracketed(self.values), bracketed(self.aggregates)]


@node
class Unpivot(UnaryNode):
    """UNPIVOT as written: groups of value columns with their aliases, the new columns' names."""

    groups: tuple[tuple[Expression, ...], ...]
    aliases: tuple[str | None, ...]
    name_column: str
    value_columns: tuple[str, ...]
    child: LogicalPlan
    value_types: tuple[DataType, ...] = ()
    #: The columns that stay (DataFrame.unpivot); in SQL all that are no values.
    ids: tuple[Expression, ...] = ()
    identified: bool = False
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """List(List('a), ...), aliases, name, [values]."""
        groups = ", ".join(f"List({', '.join(map(str, g))})" for g in self.groups)
        out = [f"List({groups})"]
        if self.identified:
            out = [f"ArraySeq({', '.join(map(str, self.ids))})", f"ArraySeq({groups})"]
        if any(a is not None for a in self.aliases):
            out.append(f"List({', '.join('None' if a is None else f'Some({a})' for a in self.aliases)})")
        return [*out, self.name_column, f"[{', '.join(self.value_columns)}]"]


@node
class LimitAll(UnaryNode):
    """LIMIT ALL."""

    child: LogicalPlan
    UNRESOLVED = False


@node
class PipeOperator(UnaryNode):
    """What is left of `|>` before WHERE, ORDER BY and LIMIT: names above it see its output only."""

    child: LogicalPlan


@node
class UnresolvedCommand(LogicalPlan):
    """A statement that is no query, known by its words only."""

    name: str
    UNRESOLVED = True
