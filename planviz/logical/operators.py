"""The operators that analysis and optimization work with."""

from __future__ import annotations

from typing import Any

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.calls import Explode
from planviz.expressions.core import (
    Alias,
    AttributeReference,
    Expression,
    GeneratorMark,
    Literal,
    NamedExpression,
    occurs,
)
from planviz.expressions.unresolved import OuterReference
from planviz.expressions.windows import WindowExpression
from planviz.logical.plan import BinaryNode, LeafNode, LogicalPlan, UnaryNode, bracketed
from planviz.trees.node import lazy, node
from planviz.types import LONG, ArrayType, DataType, MapType, StructField, StructType


@node
class OneRowRelation(LeafNode):
    """One row without columns: a query without FROM."""

    @lazy
    def max_rows(self) -> int | None:
        """One."""
        return 1


@node
class LogicalRelation(LeafNode):
    """A table. `name` is its qualified name (empty for a path), `table` the catalogue's entry."""

    attributes: tuple[AttributeReference, ...]
    name: tuple[str, ...]
    table: Any = None
    provider: str = "parquet"

    @lazy
    def expressions(self) -> tuple[Any, ...]:
        """None: the columns are its own."""
        return ()

    def map_expressions(self, f):  # type: ignore[no-untyped-def]
        """Itself."""
        return self

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Its columns."""
        return self.attributes

    def new_instance(self) -> LogicalRelation:
        """The same table under fresh ids."""
        return LogicalRelation(tuple(a.new_instance() for a in self.attributes), self.name, self.table, self.provider)

    @lazy
    def simple_string(self) -> str:
        """Relation name[columns] provider."""
        return f"Relation {'.'.join(self.name)}[{','.join(map(str, self.attributes))}] {self.provider}"


@node
class LocalRelation(LeafNode):
    """Rows known while planning."""

    attributes: tuple[AttributeReference, ...]
    rows: tuple[tuple[Any, ...], ...] = ()

    @lazy
    def expressions(self) -> tuple[Any, ...]:
        """None."""
        return ()

    def map_expressions(self, f):  # type: ignore[no-untyped-def]
        """Itself."""
        return self

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Its columns."""
        return self.attributes

    @lazy
    def max_rows(self) -> int | None:
        """The number of rows."""
        return len(self.rows)

    def new_instance(self) -> LocalRelation:
        """The same rows under fresh ids."""
        return LocalRelation(tuple(a.new_instance() for a in self.attributes), self.rows)

    def arguments(self) -> list[str]:
        """<empty>, [columns]."""
        columns = [bracketed(self.attributes)] if self.attributes else []
        return columns if self.rows else ["<empty>", *columns]


@node
class Range(LeafNode):
    """range(start, end, step)."""

    start: int
    end: int
    step: int
    slices: int | None
    column: AttributeReference

    @lazy
    def expressions(self) -> tuple[Any, ...]:
        """None."""
        return ()

    def map_expressions(self, f):  # type: ignore[no-untyped-def]
        """Itself."""
        return self

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """id."""
        return (self.column,)

    @lazy
    def max_rows(self) -> int | None:
        """The number of steps."""
        return max(0, -(-(self.end - self.start) // self.step)) if self.step > 0 else None

    def new_instance(self) -> Range:
        """The same numbers under a fresh id."""
        return Range(self.start, self.end, self.step, self.slices, self.column.new_instance())

    @lazy
    def simple_string(self) -> str:
        """Range (0, 10, step=1)."""
        slices = f", splits=Some({self.slices})" if self.slices is not None else ""
        return f"Range ({self.start}, {self.end}, step={self.step}{slices})"


@node
class Project(UnaryNode):
    """SELECT without aggregates."""

    projects: tuple[Expression, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The projected columns."""
        return tuple([e.to_attribute() for e in self.projects])

    @lazy
    def resolved(self) -> bool:
        """No aggregate, window or generator left, everything bound."""
        special = AggregateExpression.BIT | WindowExpression.BIT | GeneratorMark.BIT
        return (
            self.children_resolved
            and all(e.resolved for e in self.projects)
            and not any(occurs(e, special) for e in self.projects)
        )

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


class HiddenColumns:
    """Columns that a USING join leaves out of `*` but that still can be named (Spark: hiddenOutputTag)."""

    KEY = "hidden_columns"

    @classmethod
    def project(
        cls, projects: tuple[Expression, ...], child: LogicalPlan, hidden: tuple[AttributeReference, ...]
    ) -> Project:
        """A projection that remembers what it hides."""
        made = Project(projects, child)
        made.__dict__[cls.KEY] = hidden
        return made

    @classmethod
    def of(cls, plan: LogicalPlan) -> tuple[AttributeReference, ...]:
        """What a plan hides and can still give."""
        found: tuple[AttributeReference, ...] = plan.__dict__.get(cls.KEY, ())
        return found


@node
class Filter(UnaryNode):
    """WHERE."""

    condition: Expression
    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


@node
class Join(BinaryNode):
    """A join. `kind` is Inner, Cross, LeftOuter, RightOuter, FullOuter, LeftSemi, LeftAnti, ExistenceJoin, or before
    analysis NaturalJoin(...) / UsingJoin(...); `using` are the columns of USING; hints say a strategy per side.
    """

    left: LogicalPlan
    right: LogicalPlan
    kind: str
    condition: Expression | None = None
    using: tuple[str, ...] | None = None
    left_hint: str | None = None
    right_hint: str | None = None
    exists: AttributeReference | None = None
    #: The condition of which every side has got what it implies (see PushExtraPredicateThroughJoin).
    done: Any = None

    UNCOMPARED = ("done",)

    @lazy
    def produced(self) -> frozenset[int]:
        """The column that an ExistenceJoin makes."""
        return frozenset() if self.exists is None else frozenset((self.exists.expr_id,))

    @property
    def unresolved_kind(self) -> bool:
        """Whether it is still a natural or USING join."""
        return self.using is not None or self.kind.startswith("Natural")

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The sides' columns, nullable where the join fills with nulls."""
        left, right = self.left.output, self.right.output
        kind = self.kind
        if kind in ("LeftSemi", "LeftAnti"):
            out: tuple[AttributeReference, ...] = left
            return out
        if kind == "ExistenceJoin":
            assert self.exists is not None
            return (*left, self.exists)
        if kind in ("RightOuter", "FullOuter"):
            left = tuple([a.with_nullability(True) for a in left])
        if kind in ("LeftOuter", "FullOuter"):
            right = tuple([a.with_nullability(True) for a in right])
        return (*left, *right)

    @lazy
    def duplicate_resolved(self) -> bool:
        """Whether the sides share no id."""
        return not self.left.output_set & self.right.output_set

    @lazy
    def resolved(self) -> bool:
        """Bound, boolean, no shared ids, an ordinary kind."""
        from planviz.types import BOOLEAN, UNKNOWN

        condition = self.condition
        return (
            self.children_resolved
            and not self.unresolved_kind
            and (condition is None or (condition.resolved and condition.data_type in (BOOLEAN, UNKNOWN)))
            and self.duplicate_resolved
        )

    @lazy
    def max_rows(self) -> int | None:
        """The product for inner joins, the left side's for semi and anti joins."""
        left, right = self.left.max_rows, self.right.max_rows
        if self.kind in ("LeftSemi", "LeftAnti", "ExistenceJoin"):
            return left
        if left is None or right is None:
            return None
        least = {"LeftOuter": left, "RightOuter": right, "FullOuter": left + right}.get(self.kind, 0)
        return max(left * right, least)

    @lazy
    def simple_string(self) -> str:
        """Join Inner, (condition), leftHint=(...)."""
        prefix = "'" if not self.resolved else "!" if self.missing_input else ""
        kind = self.kind
        if self.using is not None:
            kind = f"UsingJoin({kind}, [{', '.join(self.using)}])"
        elif kind == "ExistenceJoin":
            kind = f"ExistenceJoin({self.exists})"
        parts = [kind]
        if self.condition is not None:
            parts.append(self.condition.simple_string)
        if self.left_hint:
            parts.append(f"leftHint=(strategy={self.left_hint})")
        if self.right_hint:
            parts.append(f"rightHint=(strategy={self.right_hint})")
        return f"{prefix}Join {', '.join(parts)}"


@node
class LateralJoin(UnaryNode):
    """A join whose right side reads the left: `right` is a LateralSubquery."""

    child: LogicalPlan
    right: Expression
    kind: str
    condition: Expression | None = None

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The left columns and the subquery's."""
        plan: Any = getattr(self.right, "plan")  # noqa: B009 (the field is typed as an expression)
        right = plan.output
        if self.kind == "LeftOuter":
            right = tuple(a.with_nullability(True) for a in right)
        return (*self.child.output, *right)

    @lazy
    def produced(self) -> frozenset[int]:
        """The subquery's columns, which the condition may read."""
        plan: Any = getattr(self.right, "plan")  # noqa: B009
        found: frozenset[int] = plan.output_set
        return found


@node
class Aggregate(UnaryNode):
    """GROUP BY: keys and results."""

    grouping: tuple[Expression, ...]
    aggregates: tuple[Expression, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The results."""
        return tuple([e.to_attribute() for e in self.aggregates])

    @lazy
    def resolved(self) -> bool:
        """Bound, no window or generator left."""
        special = WindowExpression.BIT | GeneratorMark.BIT
        return (
            self.children_resolved
            and all(e.resolved for e in self.aggregates)
            and not any(occurs(e, special) for e in self.aggregates)
            and all(e.resolved for e in self.grouping)
        )

    @lazy
    def max_rows(self) -> int | None:
        """One without keys, else the child's."""
        return self.child.max_rows if self.grouping else 1


@node
class Sort(UnaryNode):
    """ORDER BY (whole) or SORT BY (each partition)."""

    order: tuple[Expression, ...]
    whole: bool
    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


class Limit(UnaryNode):
    """Base of the two limits."""

    limit: Expression

    @lazy
    def max_rows(self) -> int | None:
        """The limit, or the child's where that is less."""
        own = self.limit.value if isinstance(self.limit, Literal) and isinstance(self.limit.value, int) else None
        below = self.child.max_rows
        if own is None or below is None:
            return own if below is None else below
        return min(own, below)


@node
class GlobalLimit(Limit):
    """The first rows of all partitions together."""

    limit: Expression
    child: LogicalPlan


@node
class LocalLimit(Limit):
    """The first rows of each partition."""

    limit: Expression
    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's: each partition may give `limit` rows."""
        return self.child.max_rows


@node
class Offset(UnaryNode):
    """All but the first rows."""

    offset: Expression
    child: LogicalPlan


@node
class Distinct(UnaryNode):
    """SELECT DISTINCT, UNION."""

    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


@node
class SubqueryAlias(UnaryNode):
    """A name for a relation: qualifies its columns."""

    name: tuple[str, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's under this qualifier."""
        return tuple([a.with_qualifier(self.name) for a in self.child.output])

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows

    def arguments(self) -> list[str]:
        """The dotted name."""
        return [".".join(self.name)]


@node
class View(UnaryNode):
    """A view's expansion."""

    name: tuple[str, ...]
    child: LogicalPlan
    temporary: bool = True

    @lazy
    def simple_string(self) -> str:
        """View (`name`, [columns])."""
        name = ".".join(f"`{p}`" for p in self.name)
        return f"View ({name}, {bracketed(self.output)})"


@node
class Union(LogicalPlan):
    """UNION ALL of two or more."""

    inputs: tuple[LogicalPlan, ...]
    by_name: bool = False
    allow_missing: bool = False

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The first input's columns, nullable where one of the inputs' is."""
        outputs = [c.output for c in self.inputs]
        if len({len(o) for o in outputs}) > 1:
            return outputs[0]
        return tuple([_merged(list(column)) for column in zip(*outputs, strict=True)])

    @lazy
    def resolved(self) -> bool:
        """As many columns of the same types in every input."""
        if not self.children_resolved or self.by_name:
            return False
        first = self.inputs[0].output
        return all(
            len(c.output) == len(first)
            and all(
                a.type is b.type or a.type.simple_string == b.type.simple_string
                for a, b in zip(c.output, first, strict=True)
            )
            for c in self.inputs[1:]
        )

    @lazy
    def max_rows(self) -> int | None:
        """The sum."""
        rows = [c.max_rows for c in self.inputs]
        return None if any(r is None for r in rows) else sum(r for r in rows if r is not None)

    def arguments(self) -> list[str]:
        """by name, allow missing columns."""
        return [str(self.by_name).lower(), str(self.allow_missing).lower()]


def _merged(column: list[AttributeReference]) -> AttributeReference:
    first = column[0]
    nullable = any(a.is_nullable for a in column)
    t = first.type
    for a in column[1:]:
        t = _null_merged(t, a.type)
    if t is first.type:
        return first.with_nullability(nullable)
    return AttributeReference(first.name, t, nullable, first.expr_id, first.qualifier)


def _null_merged(a: DataType, b: DataType) -> DataType:
    if a == b or a.simple_string != b.simple_string:
        return a
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return ArrayType(_null_merged(a.element, b.element), a.contains_null or b.contains_null)
    if isinstance(a, MapType) and isinstance(b, MapType):
        null = a.value_contains_null or b.value_contains_null
        return MapType(_null_merged(a.key, b.key), _null_merged(a.value, b.value), null)
    if isinstance(a, StructType) and isinstance(b, StructType):
        pairs = zip(a.fields, b.fields, strict=True)
        return StructType(
            tuple(
                StructField(x.name, _null_merged(x.data_type, y.data_type), x.nullable or y.nullable) for x, y in pairs
            )
        )
    return a


class SetOperation(BinaryNode):
    """Base of INTERSECT and EXCEPT."""

    is_all: bool

    @lazy
    def duplicate_resolved(self) -> bool:
        """Whether the sides share no id."""
        return not self.left.output_set & self.right.output_set

    @lazy
    def resolved(self) -> bool:
        """As many columns of the same types on both sides, no shared ids."""
        if not self.children_resolved or not self.duplicate_resolved:
            return False
        a, b = self.left.output, self.right.output
        return len(a) == len(b) and all(x.type.simple_string == y.type.simple_string for x, y in zip(a, b, strict=True))

    @lazy
    def simple_string(self) -> str:
        """Intersect false, Except All true."""
        prefix = "" if self.resolved else "'"
        return f"{prefix}{self.node_name}{' All' if self.is_all else ''} {str(self.is_all).lower()}"


@node
class Intersect(SetOperation):
    """INTERSECT."""

    left: LogicalPlan
    right: LogicalPlan
    is_all: bool

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The left columns, nullable where both are."""
        pairs = zip(self.left.output, self.right.output, strict=False)
        return tuple([a.with_nullability(a.is_nullable and b.is_nullable) for a, b in pairs])


@node
class Except(SetOperation):
    """EXCEPT."""

    left: LogicalPlan
    right: LogicalPlan
    is_all: bool

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The left columns."""
        out: tuple[AttributeReference, ...] = self.left.output
        return out


@node
class Window(UnaryNode):
    """Window functions that share partitioning and order."""

    functions: tuple[Expression, ...]
    partition: tuple[Expression, ...]
    order: tuple[Expression, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns and the functions."""
        return (*self.child.output, *[e.to_attribute() for e in self.functions])

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


@node
class WindowGroupLimit(UnaryNode):
    """The rows of each partition whose `rank` is at most `limit`."""

    partition: tuple[Expression, ...]
    order: tuple[Expression, ...]
    rank: Expression
    limit: int
    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


@node
class Expand(UnaryNode):
    """Every row once per projection."""

    projections: tuple[tuple[Expression, ...], ...]
    columns: tuple[AttributeReference, ...]
    child: LogicalPlan

    @lazy
    def expressions(self) -> tuple[Any, ...]:
        """The projections; the columns are its own."""
        return tuple(e for p in self.projections for e in p)

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Its columns."""
        return self.columns

    @lazy
    def produced(self) -> frozenset[int]:
        """The columns that the child does not give."""
        return frozenset([a.expr_id for a in self.columns]) - self.child.output_set


@node
class Generate(UnaryNode):
    """A generator's rows beside the child's. `needless` are positions of child columns that may be left out."""

    generator: Expression
    needless: tuple[int, ...]
    outer: bool
    qualifier: str | None
    columns: tuple[Expression, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns that are kept and the generator's."""
        skip = set(self.needless)
        kept = [a for i, a in enumerate(self.child.output) if i not in skip]
        return (*kept, *self.generator_output)

    @lazy
    def generator_output(self) -> tuple[AttributeReference, ...]:
        """The generator's columns under the qualifier, nullable for OUTER."""
        out = []
        for a in self.columns:
            if isinstance(a, AttributeReference):
                named = a.with_qualifier((self.qualifier,)) if self.qualifier else a
                out.append(named.with_nullability(True) if self.outer else named)
        return tuple(out)

    @lazy
    def references(self) -> frozenset[int]:
        """The generator's."""
        return self.generator.references

    @lazy
    def produced(self) -> frozenset[int]:
        """The generator's columns."""
        return frozenset([a.expr_id for a in self.generator_output])

    @lazy
    def resolved(self) -> bool:
        """Bound, with its columns made."""
        return (
            self.generator.resolved
            and self.children_resolved
            and bool(self.columns)
            and all(isinstance(c, AttributeReference) for c in self.columns)
        )

    def arguments(self) -> list[str]:
        """generator, [needless], outer, qualifier, [columns]."""
        out = [self.generator.simple_string]
        if self.needless:
            out.append(bracketed(self.needless))
        out.append(str(self.outer).lower())
        if self.qualifier:
            out.append(self.qualifier)
        return [*out, bracketed(self.columns)] if self.columns else out


@node
class Sample(UnaryNode):
    """TABLESAMPLE: a share of the rows between two bounds."""

    lower: float
    upper: float
    with_replacement: bool
    seed: int | None
    child: LogicalPlan

    def arguments(self) -> list[str]:
        """0.0, 0.1, false, seed, Bernoulli."""
        from planviz.expressions.literals import java_double

        seed = [] if self.seed is None else [str(self.seed)]
        bounds = [java_double(self.lower), java_double(self.upper), str(self.with_replacement).lower()]
        return [*bounds, *seed, "Bernoulli"]


@node
class Repartition(UnaryNode):
    """repartition(n) with a shuffle, coalesce(n) without."""

    number: int
    shuffle: bool
    child: LogicalPlan


@node
class RepartitionByExpression(UnaryNode):
    """DISTRIBUTE BY, CLUSTER BY, repartition by columns."""

    keys: tuple[Expression, ...]
    child: LogicalPlan
    number: int | None = None

    def arguments(self) -> list[str]:
        """[keys], number."""
        return [*([bracketed(self.keys)] if self.keys else []), *([] if self.number is None else [str(self.number)])]


@node
class RebalancePartitions(UnaryNode):
    """REBALANCE hint."""

    keys: tuple[Expression, ...]
    child: LogicalPlan
    number: int | None = None


@node
class ResolvedHint(UnaryNode):
    """A join strategy asked for the relation below."""

    strategy: str
    child: LogicalPlan

    def arguments(self) -> list[str]:
        """(strategy=broadcast)."""
        return [f"(strategy={self.strategy})"]


@node
class WithCTE(LogicalPlan):
    """A query with the CTE definitions it shares; `plan` comes last among the children."""

    definitions: tuple[LogicalPlan, ...]
    plan: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The query's."""
        out: tuple[AttributeReference, ...] = self.plan.output
        return out

    def arguments(self) -> list[str]:
        """None."""
        return []


@node
class CTERelationDef(UnaryNode):
    """One CTE definition under an id."""

    child: LogicalPlan
    id: int
    recursive: bool = False
    under_subquery: bool = False

    @lazy
    def max_rows(self) -> int | None:
        """The definition's."""
        return None if self.recursive else self.child.max_rows

    def arguments(self) -> list[str]:
        """id, false."""
        return [str(self.id), "false"]


@node
class CTERelationRef(LeafNode):
    """The use of a CTE definition."""

    id: int
    is_resolved: bool
    attributes: tuple[AttributeReference, ...]
    streaming: bool = False
    recursive: bool = False
    rows: int | None = None

    @lazy
    def max_rows(self) -> int | None:
        """The definition's."""
        return self.rows

    @lazy
    def expressions(self) -> tuple[Any, ...]:
        """None: the columns are its own."""
        return ()

    def map_expressions(self, f):  # type: ignore[no-untyped-def]
        """Itself."""
        return self

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Its columns."""
        return self.attributes

    @lazy
    def resolved(self) -> bool:
        """Once the definition is."""
        return self.is_resolved

    def new_instance(self) -> CTERelationRef:
        """The same definition under fresh ids."""
        fresh = tuple(a.new_instance() for a in self.attributes)
        return CTERelationRef(self.id, self.is_resolved, fresh, self.streaming, self.recursive, self.rows)

    def arguments(self) -> list[str]:
        """id, resolved, [columns], streaming, recursive, most rows."""
        columns = [bracketed(self.attributes)] if self.attributes else []
        flags = [str(self.streaming).lower(), str(self.recursive).lower()]
        rows = [] if self.rows is None else [str(self.rows)]
        return [str(self.id), str(self.is_resolved).lower(), *columns, *flags, *rows]


@node
class Deduplicate(UnaryNode):
    """dropDuplicates(keys)."""

    keys: tuple[Expression, ...]
    child: LogicalPlan


@node
class UnionLoop(BinaryNode):
    """A recursive CTE: the anchor and the recursion."""

    id: int
    left: LogicalPlan
    right: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The anchor's."""
        out: tuple[AttributeReference, ...] = self.left.output
        return out


@node
class Subquery(UnaryNode):
    """The root put over a subquery's plan while it is optimized on its own."""

    child: LogicalPlan
    correlated: bool

    def arguments(self) -> list[str]:
        """correlated."""
        return [str(self.correlated).lower()]


def generates(e: Expression) -> bool:
    """Whether a generator stands anywhere in the expression."""
    return bool(e.bits & GeneratorMark.BIT)


def outer_references(plan: LogicalPlan) -> list[NamedExpression]:
    """The outer attributes a plan reads, in order, as often as it reads them."""
    found: list[NamedExpression] = []
    if plan.bits & OuterReference.BIT:
        for operator in plan.walk():
            for e in operator.expressions:
                if e.bits & OuterReference.BIT:
                    found += [o.attribute for o in e.collect(OuterReference)]
    return found


__all_operators__ = (Alias, Explode, LONG)
