"""What every logical operator is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Context
from typing import Protocol, Self, cast

from typing_extensions import override

from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.expressions.subqueries import QueryPlan, SubqueryExpression
from planviz.trees.memo import Memo, place
from planviz.trees.node import N, Settled, TreeNode, always, lazy
from planviz.trees.text import tree_string

#: Under which an operator remembers that analysis is done with it and all beneath it (Spark: setAnalyzed).
ANALYZED: Memo[bool] = Memo("analyzed")


class LogicalPlan(QueryPlan["LogicalPlan"]):
    """A relational operator.

    `output` are its columns, `references` the ids it reads, `max_rows` the most rows it can give (None: unknown).
    """

    #: An operator that has no meaning before analysis.
    UNRESOLVED = False
    #: Made by a rule, it stands where its condition was written (`planviz.trees.origin`).
    PLACED_BY_CONDITION = False

    @override
    def rebuilt(self, new: N) -> N:
        """`new` with this operator's origin, and all that was made together with it but what its condition places."""
        origin = self.origin
        made: list[TreeNode] = [new] if origin is not None and new.origin is None else []
        while made:
            node = made.pop()
            if node is new or not (isinstance(node, LogicalPlan) and node.PLACED_BY_CONDITION):
                place(node, origin)
            made += [child for child in node.children if child.origin is None]
        return new

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns, in order."""
        return ()

    @lazy
    def output_set(self) -> frozenset[int]:
        """The ids of the columns."""
        return frozenset([a.expr_id for a in self.output])

    def own_operator(self, below: Callable[[LogicalPlan], QueryPlan]) -> QueryPlan | None:
        """The physical operator for a plan that no strategy knows, inputs planned by `below`; or None."""
        return None

    @lazy
    def input_set(self) -> frozenset[int]:
        """The ids of the children's columns."""
        return frozenset[int]().union(*[c.output_set for c in self.children])

    @lazy
    def references(self) -> frozenset[int]:
        """The ids of the attributes that the expressions read."""
        return frozenset[int]().union(*[e.references for e in self.expressions])

    @lazy
    def produced(self) -> frozenset[int]:
        """Ids that the operator makes itself (not its children's)."""
        return frozenset()

    @lazy
    def missing_input(self) -> frozenset[int]:
        """Ids that the expressions read and no child gives."""
        return self.references - self.input_set - self.produced

    @lazy
    def children_resolved(self) -> bool:
        """Whether every child is resolved."""
        return all([c.resolved for c in self.children])

    @lazy
    def resolved(self) -> bool:
        """Whether the expressions and the children are."""
        return not self.UNRESOLVED and all(e.resolved for e in self.expressions) and self.children_resolved

    @lazy
    def max_rows(self) -> int | None:
        """The most rows it can give, None when unknown."""
        return None

    @lazy
    def deterministic(self) -> bool:
        """Whether every expression is."""
        return all(e.deterministic for e in self.expressions) and all(c.deterministic for c in self.children)

    @lazy
    def subqueries(self) -> tuple[SubqueryExpression, ...]:
        """The subquery expressions of this operator, in order."""
        bit = SubqueryExpression.BIT
        return tuple(s for e in self.expressions if e.bits & bit for s in e.collect(SubqueryExpression))

    @lazy
    def canonicalized(self) -> LogicalPlan:
        """A form that is equal for plans that give the same rows in the same order of columns: ids are positions among
        the inputs' columns, names are gone (Spark: QueryPlan.canonicalized).
        """
        return self.canonical_form()

    def canonical_form(self) -> LogicalPlan:
        """What `canonicalized` is for an operator that does not say otherwise."""
        positions = positions_of([a for c in self.children for a in c.output])
        own = itertools.count()

        def normal(e: Expression) -> Expression:
            if isinstance(e, Alias):
                return Alias(positioned(e.child, positions).canonicalized, "", next(own))
            if isinstance(e, AttributeReference) and e.expr_id not in positions:
                return e.with_id(next(own)).canonicalized
            return positioned(e, positions).canonicalized

        return self.map_expressions(normal).map_children(lambda c: c.canonicalized)

    @property
    def inner_children(self) -> tuple[QueryPlan, ...]:
        """The plans of the subqueries."""
        return self.subquery_plans

    @property
    def subquery_plans(self) -> tuple[LogicalPlan, ...]:
        """The plans of the subqueries in this operator's expressions, which are logical as it is."""
        return tuple([cast(LogicalPlan, s.plan) for s in self.subqueries])

    # -------------------------------------------------------------------------------------------- rewriting

    def transform_expressions_up(
        self, f: Callable[[Expression], Expression], mask: int = -1, settled: Settled | None = None
    ) -> LogicalPlan:
        """This operator with `f` applied to every node of its expressions, children first."""
        return self.map_expressions(lambda e: e.transform_up(f, mask, settled), mask) if self.own_bits & mask else self

    def transform_expressions_down(
        self, f: Callable[[Expression], Expression], mask: int = -1, settled: Settled | None = None
    ) -> LogicalPlan:
        """This operator with `f` applied to every node of its expressions, parents first."""
        return (
            self.map_expressions(lambda e: e.transform_down(f, mask, settled), mask) if self.own_bits & mask else self
        )

    def transform_all_expressions(
        self, f: Callable[[Expression], Expression], mask: int = -1, settled: Settled | None = None
    ) -> LogicalPlan:
        """The whole tree with `f` applied to every node of every expression, children first; not inside subqueries."""
        return self.transform_up(lambda p: p.transform_expressions_up(f, mask, settled), mask, settled)

    def resolve_operators_up(self, f: Callable[[LogicalPlan], LogicalPlan], mask: int = -1) -> LogicalPlan:
        """As `transform_up`, without what was analyzed before: a DataFrame's plan in one derived from it, a view's plan
        in a query (Spark: resolveOperatorsUp)."""
        return self.transform_up(f, mask, kept=ANALYZED.key)

    def resolve_operators_down(self, f: Callable[[LogicalPlan], LogicalPlan], mask: int = -1) -> LogicalPlan:
        """As `transform_down`, without what was analyzed before (Spark: resolveOperatorsDown)."""
        return self.transform_down(f, mask, kept=ANALYZED.key)

    def resolve_expressions(self, f: Callable[[Expression], Expression], mask: int = -1) -> LogicalPlan:
        """As `transform_all_expressions`, without what was analyzed before (Spark: resolveExpressions)."""
        return self.transform_up(lambda p: p.transform_expressions_up(f, mask), mask, kept=ANALYZED.key)

    def transform_with_subqueries(self, f: Callable[[LogicalPlan], LogicalPlan], mask: int = -1) -> LogicalPlan:
        """The whole tree with `f` applied to every operator, those inside subqueries too, children first."""

        def inner(e: Expression) -> Expression:
            if isinstance(e, SubqueryExpression):
                return e.with_plan(cast(LogicalPlan, e.plan).transform_with_subqueries(f, mask))
            return e

        def step(plan: LogicalPlan) -> LogicalPlan:
            return f(plan.transform_expressions_up(inner, SubqueryExpression.BIT))

        return self.transform_up(step, mask)

    # -------------------------------------------------------------------------------------------- text

    def arguments(self) -> list[str]:
        """What stands behind the name: every field that is no child, empty ones left out."""
        return arguments_of(self, LogicalPlan)

    @property
    def is_streaming(self) -> bool:
        """Whether rows keep coming: somewhere beneath, a stream is read."""
        return bool(self.bits & StreamingSource.BIT)

    def mark(self, checked: bool = True) -> str:
        """What its line begins with: ' for unresolved, ! for columns that are missing where these are looked for, ~ for
        a stream."""
        if not self.resolved:
            return "'"
        if checked and self.missing_input:
            return "!"
        return "~" if self.is_streaming and not self.bits & UnmarkedSource.BIT else ""

    @lazy
    def simple_string(self) -> str:
        """The operator's line of a plan text."""
        prefix = self.mark(bool(self.children))
        text = f"{self.node_name} {', '.join(self.arguments())}".rstrip(" ")
        return prefix + text

    @property
    def tree_string(self) -> str:
        """The tree as Spark prints it."""
        return tree_string(self)

    def __str__(self) -> str:
        return self.tree_string


def positions_of(attributes: Sequence[AttributeReference]) -> dict[int, int]:
    """Where each id stands first."""
    positions: dict[int, int] = {}
    for i, a in enumerate(attributes):
        positions.setdefault(a.expr_id, i)
    return positions


def positioned(e: Expression, positions: dict[int, int]) -> Expression:
    """The expression reading its inputs' columns by their positions."""
    return e.transform_up(
        lambda x: x.with_id(positions[x.expr_id]) if type(x) is AttributeReference and x.expr_id in positions else x,
        AttributeReference.BIT,
    )


def arguments_of(plan: QueryPlan, kind: type[QueryPlan]) -> list[str]:
    """The fields of a plan as its line prints them: those that are no plan of this kind, empty ones left out."""
    out: list[str] = []
    # Of a plan that is planned in part, the children may be of another kind.
    children = {id(child) for child in plan.children}
    for field, role in zip(plan.FIELDS, plan.ROLES, strict=True):
        value = getattr(plan, field)
        if isinstance(value, kind) or value is None or id(value) in children:
            continue
        if isinstance(value, tuple):
            if value and not isinstance(value[0], kind) and id(value[0]) not in children:
                out.append(bracketed(value) if role != "nested" else f"[{', '.join(map(bracketed, value))}]")
        else:
            out.append(argument(value))
    return out


def named_lists(rows: Sequence[Sequence[Expression]], word: str = "List") -> str:
    """Lists in a list as Spark before 3.2 prints them, by the class that they have: [List(a, b), List(c, d)]."""
    return f"[{', '.join(f'{word}({bracketed(row)[1:-1]})' for row in rows)}]"


def argument(value: Expression | int | str) -> str:
    """One argument of an operator as Spark prints it."""
    if isinstance(value, Expression):
        return value.simple_string
    if value is True:
        return "true"
    if value is False:
        return "false"
    return str(value)


_UNITS = (("EiB", 60), ("PiB", 50), ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10))


def size_text(size: int) -> str:
    """A number of bytes as Spark prints it: in a unit of which there are at least two (11.0 KiB, 1351.0 B), and with
    three figures and an exponent where none is large enough.
    """
    if size >= 1 << 71:
        return f"{Context(prec=3, rounding=ROUND_HALF_UP).create_decimal(size)} B"
    unit, power = next(((u, p) for u, p in _UNITS if size >= 2 << p), ("B", 0))
    # Half a tenth is rounded up, 6400 bytes are 6.3 KiB: to the nearest even digit, as floats go, would be 6.2.
    tenths = (size * 20 + (1 << power)) // (2 << power)
    return f"{tenths // 10}.{tenths % 10} {unit}"


def bracketed(values: Iterable[Expression | int | str]) -> str:
    """[a, b]."""
    return f"[{', '.join(str(v) if not isinstance(v, bool) else argument(v) for v in values)}]"


class Statistics(Protocol):
    """What is thought of a plan's result (Spark: Statistics): estimation makes it, a plan holds and prints it."""

    @property
    def text(self) -> str:
        """As `explain cost` prints it."""


class LeafNode(LogicalPlan):
    """An operator without children."""


class Source(LeafNode):
    """A leaf whose `attributes` are its own columns: no expression reads them, and every use can get fresh ids."""

    attributes: tuple[AttributeReference, ...]

    expressions = always(())  # the columns are its own

    def map_expressions(self, f: Callable[[Expression], Expression], mask: int = -1) -> Self:
        """Itself."""
        return self

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Its columns."""
        return self.attributes

    def canonical_form(self) -> Self:
        """With ids by position."""
        return self.replace(attributes=tuple(a.with_id(i).canonicalized for i, a in enumerate(self.attributes)))

    def new_instance(self) -> Self:
        """The same rows under fresh ids."""
        return self.replace(attributes=tuple(a.new_instance() for a in self.attributes))


class StreamingSource(Source):
    """A leaf whose rows keep coming."""


class UnmarkedSource(StreamingSource):
    """The same where plan texts do not mark what is above it (before Spark 4.0)."""


class UnaryNode(LogicalPlan):
    """An operator over one child."""

    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's."""
        out: tuple[AttributeReference, ...] = self.child.output
        return out


class BinaryNode(LogicalPlan):
    """An operator over `left` and `right`."""

    left: LogicalPlan
    right: LogicalPlan
