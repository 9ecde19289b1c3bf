"""Operators over one plan."""

from __future__ import annotations

from typing import ClassVar

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.casts import Cast
from planviz.expressions.core import (
    Alias,
    AttributeReference,
    Expression,
    GeneratorMark,
    Literal,
    SortOrder,
    id_of,
    occurs,
)
from planviz.expressions.literals import java_double
from planviz.expressions.windows import WindowExpression
from planviz.logical.plan import LogicalPlan, UnaryNode, bracketed, named_lists
from planviz.trees.memo import Memo
from planviz.trees.node import lazy, node
from planviz.types import quote_if_needed


@node
class Project(UnaryNode):
    """SELECT without aggregates."""

    projects: tuple[Expression, ...]
    child: LogicalPlan

    TAGS = ("hidden_columns",)

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The projected columns."""
        return tuple([e if type(e) is AttributeReference else e.to_attribute() for e in self.projects])

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

    @lazy
    def canonicalized(self) -> LogicalPlan:
        """The child's where its columns stay as they are, in their order."""
        same = [a.expr_id for a in self.child.output]
        if [e.expr_id if type(e) is AttributeReference else None for e in self.projects] == same:
            return self.child.canonicalized
        return super().canonical_form()


class HiddenColumns:
    """Columns that a USING join leaves out of `*` but that still can be named (Spark: hiddenOutputTag)."""

    MEMO: Memo[tuple[AttributeReference, ...]] = Memo(*Project.TAGS)

    @classmethod
    def project(
        cls, projects: tuple[Expression, ...], child: LogicalPlan, hidden: tuple[AttributeReference, ...]
    ) -> Project:
        """A projection that remembers what it hides."""
        made = Project(projects, child)
        cls.MEMO.set(made, hidden)
        return made

    @classmethod
    def of(cls, plan: LogicalPlan) -> tuple[AttributeReference, ...]:
        """What a plan hides and can still give."""
        return cls.MEMO.get(plan, ())


@node
class Filter(UnaryNode):
    """WHERE."""

    PLACED_BY_CONDITION = True

    condition: Expression
    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's; none where the condition is false."""
        false = isinstance(self.condition, Literal) and self.condition.value is False
        return 0 if false else self.child.max_rows


@node
class Aggregate(UnaryNode):
    """GROUP BY: keys and results."""

    grouping: tuple[Expression, ...]
    aggregates: tuple[Expression, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The results; what functions of a stream's groups give may be null."""
        results = tuple([e.to_attribute() for e in self.aggregates])
        if not self.is_streaming:
            return results
        pairs = zip(self.aggregates, results, strict=True)
        return tuple([a.with_nullability(True) if e.bits & AggregateExpression.BIT else a for e, a in pairs])

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

    @lazy
    def group_only(self) -> bool:
        """Whether nothing but keys and constants is asked of the groups (Spark: groupOnly)."""
        items = [e.child if isinstance(e, Alias) else e for e in self.aggregates]
        keys = {g.canonicalized for g in self.grouping}
        return bool(keys) and all(e.foldable or e.canonicalized in keys for e in items)


@node
class Sort(UnaryNode):
    """ORDER BY (whole) or SORT BY (each partition)."""

    order: tuple[SortOrder, ...]
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

    @lazy
    def max_rows(self) -> int | None:
        """The child's less those that are skipped."""
        below = self.child.max_rows
        if below is None or not isinstance(self.offset, Literal) or not isinstance(self.offset.value, int):
            return None
        return max(below - self.offset.value, 0)


@node
class Distinct(UnaryNode):
    """SELECT DISTINCT, UNION."""

    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


def _renames(e: Expression, column: AttributeReference) -> bool:
    """Whether an expression is this column, if under another name."""
    if isinstance(e, Alias):
        e = e.child
    if isinstance(e, Cast) and e.child.data_type == e.type:
        e = e.child
    return isinstance(e, AttributeReference) and e.expr_id == column.expr_id


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

    @lazy
    def canonicalized(self) -> LogicalPlan:
        """The child's."""
        return self.child.canonicalized

    def arguments(self) -> list[str]:
        """The dotted name, its parts quoted where they are no plain ones."""
        return [".".join([quote_if_needed(part) for part in self.name])]


@node
class SQLFunctionNode(UnaryNode):
    """The query that a call of a SQL table function stands for, under the function's name."""

    name: str
    child: LogicalPlan

    @property
    def simple_string(self) -> str:
        """SQLFunctionNode name."""
        return f"SQLFunctionNode {self.name}"


@node
class View(UnaryNode):
    """A view's expansion; `columns` are the names that it gives its query's columns (none: their own).

    Resolved once `projected`: its query's columns are cast to the view's.
    """

    name: tuple[str, ...]
    child: LogicalPlan
    temporary: bool = True
    columns: tuple[str, ...] = ()
    projected: bool = False
    #: Whether its columns are shown with spaces between.
    spaced: bool = True

    @lazy
    def resolved(self) -> bool:
        """See LogicalPlan."""
        return self.projected and self.children_resolved

    @lazy
    def canonicalized(self) -> LogicalPlan:
        """The query's: casts to the types that its columns have do not count."""
        below = self.child
        if isinstance(below, Project) and len(below.projects) == len(below.child.output):
            pairs = zip(below.projects, below.child.output, strict=True)
            if all(_renames(e, a) for e, a in pairs):
                return below.child.canonicalized
        return below.canonicalized

    @lazy
    def simple_string(self) -> str:
        """View (`name`, [columns])."""
        name = ".".join(f"`{p}`" for p in self.name)
        shown = bracketed(self.output if self.child.resolved else ())
        return f"{self.mark(False)}View ({name}, {shown if self.spaced else shown.replace(', ', ',')})"


@node
class ViewColumns(Project):
    """The columns of a view under ids of its own, which before Spark 3.2 the View itself has: it is not printed.

    As other nodes that are not printed it has a `codegen_stage`, none (`planviz.trees.text`).
    """

    codegen_stage: ClassVar[None] = None

    projects: tuple[Expression, ...]
    child: LogicalPlan


@node
class Window(UnaryNode):
    """Window functions that share partitioning and order."""

    functions: tuple[Expression, ...]
    partition: tuple[Expression, ...]
    order: tuple[SortOrder, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns and the functions."""
        return (*self.child.output, *[e.to_attribute() for e in self.functions])

    @lazy
    def produced(self) -> frozenset[int]:
        """The functions."""
        return frozenset(id_of(e) for e in self.functions)

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


@node
class WindowGroupLimit(UnaryNode):
    """The rows of each partition whose `rank` is at most `limit`."""

    partition: tuple[Expression, ...]
    order: tuple[SortOrder, ...]
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
    def expressions(self) -> tuple[Expression, ...]:
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

    def in_lists(self, word: str = "List") -> Expand:
        """The same with its projections shown as List(a, b), as before Spark 3.2; `word` is Scala's class."""
        return ExpandInLists(self.projections, self.columns, self.child, word)


@node
class ExpandInLists(Expand):
    """An Expand that shows its projections as Scala's lists."""

    projections: tuple[tuple[Expression, ...], ...]
    columns: tuple[AttributeReference, ...]
    child: LogicalPlan
    word: str = "List"

    @property
    def node_name(self) -> str:
        """As if it were the other."""
        return "Expand"

    def arguments(self) -> list[str]:
        """[List(a, b), List(a, null)], [columns]."""
        return [named_lists(self.projections, self.word), bracketed(self.columns)]


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
    """TABLESAMPLE: a share of the rows between two bounds; `method` is Bernoulli or System, "" where none is shown."""

    lower: float
    upper: float
    with_replacement: bool
    seed: int | None
    child: LogicalPlan
    method: str = "Bernoulli"

    def arguments(self) -> list[str]:
        """0.0, 0.1, false, seed, Bernoulli."""
        seed = [] if self.seed is None else [str(self.seed)]
        bounds = [java_double(self.lower), java_double(self.upper), str(self.with_replacement).lower()]
        return [*bounds, *seed, *([self.method] if self.method else [])]


@node
class CollectMetrics(UnaryNode):
    """DataFrame.observe: aggregates of all rows that pass, which stay; `frame` is the DataFrame's id."""

    name: str
    metrics: tuple[Expression, ...]
    frame: int
    child: LogicalPlan

    def arguments(self) -> list[str]:
        """The name, the metrics, the DataFrame's id."""
        return [self.name, bracketed(self.metrics), str(self.frame)]


@node
class Repartition(UnaryNode):
    """repartition(n) with a shuffle, coalesce(n) without."""

    number: int
    shuffle: bool
    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


@node
class RepartitionByExpression(UnaryNode):
    """DISTRIBUTE BY, CLUSTER BY, repartition by columns."""

    keys: tuple[Expression, ...]
    child: LogicalPlan
    number: int | None = None

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows

    def arguments(self) -> list[str]:
        """[keys], number."""
        return [*([bracketed(self.keys)] if self.keys else []), *([] if self.number is None else [str(self.number)])]


@node
class RebalancePartitions(UnaryNode):
    """REBALANCE hint."""

    keys: tuple[Expression, ...]
    child: LogicalPlan
    number: int | None = None

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


@node
class ResolvedHint(UnaryNode):
    """A join strategy asked for the relation below."""

    strategy: str
    child: LogicalPlan

    @lazy
    def canonicalized(self) -> LogicalPlan:
        """The child's: a hint changes no row."""
        return self.child.canonicalized

    def arguments(self) -> list[str]:
        """(strategy=broadcast)."""
        return [f"(strategy={self.strategy})"]


@node
class Deduplicate(UnaryNode):
    """dropDuplicates(keys)."""

    keys: tuple[Expression, ...]
    child: LogicalPlan


@node
class Subquery(UnaryNode):
    """The root put over a subquery's plan while it is optimized on its own."""

    child: LogicalPlan
    correlated: bool

    def arguments(self) -> list[str]:
        """correlated."""
        return [str(self.correlated).lower()]
