"""Operators over several plans: joins, set operations, CTEs."""

from __future__ import annotations

from typing import ClassVar

from planviz.expressions.core import (
    AttributeReference,
    Expression,
)
from planviz.expressions.subqueries import LateralSubquery
from planviz.logical.plan import BinaryNode, LogicalPlan, UnaryNode, argument
from planviz.trees.node import always, lazy, node
from planviz.types import BOOLEAN, UNKNOWN, ArrayType, DataType, MapType, StructField, StructType, equal_structurally


@node
class Join(BinaryNode):
    """A join. `kind` is Inner, Cross, LeftOuter, RightOuter, FullOuter, LeftSemi, LeftAnti, ExistenceJoin, LeftSingle
    (LeftOuter that fails on a second match: a scalar subquery) or before analysis NaturalJoin(...) / UsingJoin(...);
    `using` are the columns of USING; hints say a strategy per side.
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
    done: object = None

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
        if kind in ("LeftOuter", "LeftSingle", "FullOuter"):
            right = tuple([a.with_nullability(True) for a in right])
        return (*left, *right)

    @lazy
    def duplicate_resolved(self) -> bool:
        """Whether the sides share no id."""
        return not self.left.output_set & self.right.output_set

    @lazy
    def resolved(self) -> bool:
        """Bound, boolean, no shared ids, an ordinary kind."""
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
        if self.kind in ("LeftSemi", "LeftAnti", "ExistenceJoin", "LeftSingle"):
            return left
        if left is None or right is None:
            return None
        least = {"LeftOuter": left, "RightOuter": right, "FullOuter": left + right}.get(self.kind, 0)
        return max(left * right, least)

    @lazy
    def simple_string(self) -> str:
        """Join Inner, (condition), leftHint=(...)."""
        prefix = self.mark()
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
    right: LateralSubquery
    kind: str
    condition: Expression | None = None

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The left columns and the subquery's."""
        right = self.right.plan.output
        if self.kind == "LeftOuter":
            right = tuple(a.with_nullability(True) for a in right)
        return (*self.child.output, *right)

    @lazy
    def produced(self) -> frozenset[int]:
        """The subquery's columns, which the condition may read."""
        found: frozenset[int] = self.right.plan.output_set
        return found


@node
class NearestByJoin(BinaryNode):
    """Each row of the left side with the `count` rows of the right one that `ranking` puts first; Inner or LeftOuter.

    `approximate` allows a source to find them by an index; `direction` is NearestByDistance (the least first) or
    NearestBySimilarity (the greatest first). Source: JOIN ... [APPROX|EXACT] NEAREST of Spark 4.3.
    """

    left: LogicalPlan
    right: LogicalPlan
    kind: str
    approximate: bool
    count: int
    ranking: Expression
    direction: str

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Both sides' columns, all nullable: they come out of an aggregate and a generator."""
        return tuple([a.with_nullability(True) for a in (*self.left.output, *self.right.output)])

    @lazy
    def resolved(self) -> bool:
        """Bound, with no id on both sides."""
        return self.children_resolved and self.ranking.resolved and not self.left.output_set & self.right.output_set

    def arguments(self) -> list[str]:
        """kind, whether approximate, count, ranking, direction."""
        return [self.kind, str(self.approximate).lower(), str(self.count), argument(self.ranking), self.direction]


@node
class DomainJoin(UnaryNode):
    """A subquery's plan joined with the values that outer attributes have: `domains` stand for them.

    Only between decorrelation and the rewriting of the subquery into a join.
    """

    domains: tuple[AttributeReference, ...]
    child: LogicalPlan
    kind: str = "Inner"
    condition: Expression | None = None

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The domains and the child's columns."""
        columns = self.child.output
        if self.kind == "LeftOuter":
            columns = tuple(a.with_nullability(True) for a in columns)
        return (*self.domains, *columns)

    @lazy
    def produced(self) -> frozenset[int]:
        """The domains."""
        return frozenset(a.expr_id for a in self.domains)

    @lazy
    def expressions(self) -> tuple[Expression, ...]:
        """The condition; the domains are its own."""
        return () if self.condition is None else (self.condition,)


@node
class Union(LogicalPlan):
    """UNION ALL of two or more."""

    inputs: tuple[LogicalPlan, ...]
    by_name: bool = False
    allow_missing: bool = False
    #: Whether its line shows these two (since Spark 3.1).
    shows_flags: bool = True

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
                a.type is b.type or equal_structurally(a.type, b.type) for a, b in zip(c.output, first, strict=True)
            )
            for c in self.inputs[1:]
        )

    @lazy
    def repeats_ids(self) -> bool:
        """Whether an input has one id twice, as `SELECT a, a` gives it (Spark: not duplicatesResolvedPerBranch)."""
        return any(len(c.output_set) != len(c.output) for c in self.inputs)

    @lazy
    def max_rows(self) -> int | None:
        """The sum."""
        rows = [c.max_rows for c in self.inputs]
        return None if any(r is None for r in rows) else sum(r for r in rows if r is not None)

    def arguments(self) -> list[str]:
        """by name, allow missing columns."""
        return [str(self.by_name).lower(), str(self.allow_missing).lower()] if self.shows_flags else []


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
    if a == b or not equal_structurally(a, b):
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
    """Base of INTERSECT and EXCEPT; `ALL` is what the name of one that keeps repeated rows goes on with."""

    ALL: ClassVar[str] = " All"

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
        return f"{self.mark(False)}{self.node_name}{self.ALL if self.is_all else ''} {str(self.is_all).lower()}"


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
class CTERelationDef(UnaryNode):
    """One CTE definition under an id."""

    child: LogicalPlan
    id: int
    recursive: bool = False
    #: None: no, and Spark's version does not say (before 3.3).
    under_subquery: bool | None = False
    #: While predicates are pushed into it: the plan without them and those pushed so far.
    original: tuple[LogicalPlan, tuple[Expression, ...]] | None = None
    #: The deepest recursion, where MAX RECURSION LEVEL names one.
    depth: int | None = None

    @lazy
    def max_rows(self) -> int | None:
        """The definition's."""
        return None if self.recursive else self.child.max_rows

    def arguments(self) -> list[str]:
        """id, whether a subquery was made of it, the deepest recursion."""
        flag = [] if self.under_subquery is None else [str(self.under_subquery).lower()]
        return [str(self.id), *flag, *([] if self.depth is None else [str(self.depth)])]


@node
class WithCTE(LogicalPlan):
    """A query with the CTE definitions it shares; `plan` comes last among the children."""

    definitions: tuple[CTERelationDef, ...]
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
class UnionLoop(BinaryNode):
    """A recursive CTE: the anchor and the recursion, under columns of its own once the anchor is resolved."""

    id: int
    left: LogicalPlan
    right: LogicalPlan
    attributes: tuple[AttributeReference, ...] = ()
    depth: int | None = None
    limit: int | None = None

    @lazy
    def references(self) -> frozenset[int]:
        """All columns of both sides: they are told apart by place."""
        return frozenset(a.expr_id for c in self.children for a in c.output)

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The anchor's columns under ids of their own."""
        return self.attributes or self.left.output

    @lazy
    def produced(self) -> frozenset[int]:
        """See output."""
        return frozenset(a.expr_id for a in self.attributes)

    expressions = always(())

    @lazy
    def resolved(self) -> bool:
        """With its columns made."""
        return bool(self.attributes) and self.children_resolved

    def arguments(self) -> list[str]:
        """id, deepest recursion, limit."""
        return [str(self.id), *(str(n) for n in (self.depth, self.limit) if n is not None)]


@node
class IntersectInOneWord(Intersect):
    """An Intersect as Spark printed it before 3.4: IntersectAll true."""

    node_name = "Intersect"
    ALL = "All"


@node
class ExceptInOneWord(Except):
    """An Except as Spark printed it before 3.4: ExceptAll true."""

    node_name = "Except"
    ALL = "All"
