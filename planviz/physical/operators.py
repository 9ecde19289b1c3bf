"""Physical operators over rows that stay where they are, limits, unions and leaves."""

from __future__ import annotations

from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Alias, AttributeReference, Expression, SortOrder
from planviz.expressions.generators import GeneratorCall
from planviz.expressions.literals import java_double
from planviz.expressions.predicates import IsNotNull, split_conjunction
from planviz.logical.plan import LogicalPlan, bracketed
from planviz.physical.codegen import gathers, generated
from planviz.physical.distribution import (
    UNSPECIFIED,
    AllTuples,
    ClusteredDistribution,
    Distribution,
    HashPartitioning,
    OrderedDistribution,
    OutputOrder,
    Partitioning,
    SinglePartition,
    UnknownPartitioning,
    ascending,
    canonical_partitioning,
    flattened,
    given_order,
)
from planviz.physical.plan import SparkPlan, UnaryExec
from planviz.physical.projection import Projection
from planviz.trees.node import Held, always, lazy, node


def null_intolerant(e: Expression) -> bool:
    """Whether the value is null as soon as one of its columns is."""
    return isinstance(e, AttributeReference) or (e.null_intolerant and all(map(null_intolerant, e.children)))


@node
class ProjectExec(UnaryExec):
    """Computes columns."""

    projects: tuple[Expression, ...]
    child: SparkPlan
    CODEGEN = True

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The projected columns."""
        return tuple([e.to_attribute() for e in self.projects])

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The child's, as far as its columns are still there."""
        return Projection(self.projects).partitioning(self.child.output_partitioning)

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """The child's, as far as its columns are still there."""
        return Projection(self.projects).ordering(self.child.output_ordering)


@node
class FilterExec(UnaryExec):
    """Keeps the rows for which the condition holds."""

    condition: Expression
    child: SparkPlan
    CODEGEN = True

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns, those never null that the condition says are not."""
        parts = [c.child for c in split_conjunction(self.condition) if isinstance(c, IsNotNull)]
        never = frozenset[int]().union(*[e.references for e in parts if null_intolerant(e)])
        return tuple([a.with_nullability(False) if a.expr_id in never else a for a in self.child.output])

    @lazy
    def simple_string(self) -> str:
        """Filter (condition)."""
        return f"Filter {self.condition.simple_string}"


@node
class SortExec(UnaryExec):
    """Sorts each partition; `whole` says that the partitions must be in order, too."""

    order: tuple[SortOrder, ...]
    whole: bool
    child: SparkPlan
    CODEGEN = True

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """Ranges for a whole order."""
        return (OrderedDistribution(self.order) if self.whole else UNSPECIFIED,)

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """Its own."""
        return given_order(self.order)

    @lazy
    def simple_string(self) -> str:
        """Sort [keys], whole, 0 (the last is a switch of Spark's own tests)."""
        return f"Sort {bracketed(self.order)}, {str(self.whole).lower()}, 0"


@node
class LocalLimitExec(UnaryExec):
    """The first rows of each partition."""

    limit: int
    child: SparkPlan
    CODEGEN = True


@node
class GlobalLimitExec(UnaryExec):
    """The first rows of all, after `offset` of them."""

    limit: int
    child: SparkPlan
    offset: int = 0
    CODEGEN = True

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """All rows together."""
        return (AllTuples(),)


class CollectedExec(UnaryExec):
    """Base of the operators that end with all rows in one partition."""

    @lazy
    def output_partitioning(self) -> Partitioning:
        """One."""
        return SinglePartition()


@node
class CollectLimitExec(CollectedExec):
    """The first rows of a whole query; offset 0 is not printed."""

    limit: int
    child: SparkPlan
    offset: int = 0

    @lazy
    def simple_string(self) -> str:
        """CollectLimit 10."""
        return f"CollectLimit {self.limit}" + (f", {self.offset}" if self.offset else "")


@node
class TakeOrderedAndProjectExec(CollectedExec):
    """The first rows by an order, projected: sort, limit and projection in one."""

    limit: int
    order: tuple[SortOrder, ...]
    projects: tuple[Expression, ...]
    child: SparkPlan
    offset: int = 0

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The projected columns."""
        return tuple([e.to_attribute() for e in self.projects])

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """Its own, as far as its keys are among the columns."""
        return Projection(self.projects).ordering(given_order(self.order))

    @lazy
    def simple_string(self) -> str:
        """TakeOrderedAndProject(limit=100, orderBy=[...], output=[...])."""
        order, output = (",".join(map(str, x)) for x in (self.order, self.output))
        skipped = f"offset={self.offset}, " if self.offset else ""
        return f"TakeOrderedAndProject(limit={self.limit}, {skipped}orderBy=[{order}], output=[{output}])"


class WindowBase(UnaryExec):
    """Base of the operators that need the rows of a group together and in order."""

    partition: tuple[Expression, ...]
    order: tuple[SortOrder, ...]

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """By group; all rows together where there is none."""
        return (ClusteredDistribution(self.partition) if self.partition else AllTuples(),)

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """By group, then by the order within it."""
        return ((*ascending(self.partition), *self.order),)


@node
class WindowExec(WindowBase):
    """Window functions that share partitioning and order."""

    functions: tuple[Expression, ...]
    partition: tuple[Expression, ...]
    order: tuple[SortOrder, ...]
    child: SparkPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns and the functions."""
        return (*self.child.output, *[e.to_attribute() for e in self.functions])


@node
class WindowGroupLimitExec(WindowBase):
    """The rows of each group whose rank is at most `limit`; `mode` Partial needs no shuffle, Final gives the result."""

    partition: tuple[Expression, ...]
    order: tuple[SortOrder, ...]
    rank: Expression
    limit: int
    mode: str
    child: SparkPlan

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """None for Partial."""
        return super().required_distribution if self.mode == "Final" else (UNSPECIFIED,)


@node
class ExpandExec(UnaryExec):
    """Every row once per projection."""

    projections: tuple[tuple[Expression, ...], ...]
    columns: tuple[AttributeReference, ...]
    child: SparkPlan
    CODEGEN = True

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Its columns."""
        return self.columns

    @lazy
    def output_partitioning(self) -> Partitioning:
        """Nothing is known: keys may have become null."""
        return UnknownPartitioning(0)

    output_ordering = always(())


@node
class GenerateExec(UnaryExec):
    """A generator's rows beside the child's `required` columns."""

    generator: Expression
    required: tuple[AttributeReference, ...]
    outer: bool
    columns: tuple[AttributeReference, ...]
    child: SparkPlan
    CODEGEN = True
    output_ordering = always(())

    @property
    def supports_codegen(self) -> bool:
        """Where the generator has code of its own: lists of Spark's own words and collations have none."""
        return self.CODEGEN and not (
            isinstance(self.generator, GeneratorCall) and self.generator.name in ("collations", "sql_keywords")
        )

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The kept columns and the generator's."""
        return (*self.required, *self.columns)

    @lazy
    def simple_string(self) -> str:
        """Generate generator, [kept], outer, [columns]."""
        kept = f", {bracketed(self.required)}" if self.required else ""
        return f"Generate {self.generator}{kept}, {str(self.outer).lower()}, {bracketed(self.columns)}"


@node
class CollectMetricsExec(UnaryExec):
    """Aggregates of all rows that pass, which are handed on as they are."""

    name: str
    metrics: tuple[Expression, ...]
    child: SparkPlan

    @lazy
    def simple_string(self) -> str:
        """CollectMetrics name, [count(1) AS n#2L]."""
        return f"CollectMetrics {self.name}, {bracketed(self.metrics)}"


@node
class SampleExec(UnaryExec):
    """A share of the rows between two bounds."""

    lower: float
    upper: float
    with_replacement: bool
    seed: int | None
    child: SparkPlan
    CODEGEN = True
    output_ordering = always(())  # Spark promises no order, though the rows keep theirs

    @lazy
    def simple_string(self) -> str:
        """Sample 0.0, 0.1, false, seed; no seed where the query names none."""
        bounds = f"{java_double(self.lower)}, {java_double(self.upper)}"
        seed = "" if self.seed is None else f", {self.seed}"
        return f"Sample {bounds}, {str(self.with_replacement).lower()}{seed}"


@node
class CoalesceExec(UnaryExec):
    """Fewer partitions without a shuffle."""

    number: int
    child: SparkPlan

    @lazy
    def output_partitioning(self) -> Partitioning:
        """Nothing is known but one partition of one."""
        return SinglePartition() if self.number == 1 else UnknownPartitioning(self.number)

    output_ordering = always(())


def _begins_anew(e: Expression) -> bool:
    """Whether a function of an expression starts with the number of its partition, as random ones do."""
    return any(f.name in _OF_PARTITIONS for f in e.collect(FunctionCall))


_OF_PARTITIONS = frozenset(
    ("rand", "random", "randn", "randstr", "uuid", "shuffle", "monotonically_increasing_id", "spark_partition_id")
)


@node
class UnionExec(SparkPlan):
    """The rows of every child; `columns` are its own, in the first child's names."""

    inputs: tuple[SparkPlan, ...]
    columns: tuple[AttributeReference, ...]
    #: Whether code is generated for it, and whether it tells how its rows are spread.
    coded: bool = True
    tells_spread: bool = True

    expressions = always(())  # the columns are the children's

    def map_expressions(self, f: object, mask: int = -1) -> UnionExec:
        """Itself."""
        return self

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns."""
        return self.columns

    @property
    def supports_codegen(self) -> bool:
        """Where the spread of the children does not matter above, and nothing beneath reads several inputs at once."""
        return bool(self._fusible)

    @lazy
    def _fusible(self) -> bool:
        if not self.coded or self.columnar or not isinstance(self.output_partitioning, UnknownPartitioning):
            return False
        # Code that begins anew with every partition is not written into one stage for several inputs.
        if any(_begins_anew(e) for c in self.inputs for p in c.walk() for e in p.expressions if not e.deterministic):
            return False
        # One code reads all rows: what may be null inside a value has to be the same.
        if any(a.type != b.type for c in self.inputs for a, b in zip(c.output, self.inputs[0].output, strict=True)):
            return False
        # Seen in plans of Spark 4.3: a join of shuffled rows or any union counts even beneath an exchange.
        below = (p for c in self.inputs for p in c.walk())
        return not any(isinstance(p, UnionExec) or (generated(p) and gathers(p)) for p in below)

    @property
    def columnar(self) -> bool:
        """Where every child is."""
        return all(c.columnar for c in self.inputs)

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The children's where they all are spread alike, position by position."""
        if not self.tells_spread:
            return UnknownPartitioning(0)
        spreads = [self._spread(c) for c in self.inputs]
        first = spreads[0]
        alike = not isinstance(first, UnknownPartitioning) and all(s == first for s in spreads)
        return first if alike and self._first_is_plain else UnknownPartitioning(0)

    @property
    def _first_is_plain(self) -> bool:
        """Whether the first child is spread by its columns as it gives them.

        The others' spreads are told in the first child's columns, and Spark compares columns with their qualifiers:
        `t.a` of a projection over a join is not the `a` that its rows were shuffled by.
        """
        child = self.inputs[0]
        if not isinstance(child, ProjectExec):
            return True
        given = {a.expr_id: a for a in child.output}
        spread = flattened(child.child.output_partitioning)[0]
        keys = spread.keys if isinstance(spread, HashPartitioning) else ()
        shuffled = [a for e in keys for a in e.collect(AttributeReference)]
        found = [(a, given[a.expr_id]) for a in shuffled if a.expr_id in given]
        return all((a.qualifier, a.nullable) == (b.qualifier, b.nullable) for a, b in found)

    def _spread(self, child: SparkPlan) -> Partitioning:
        """How a child is spread, over the columns of the union."""
        names = zip(child.output, self.columns, strict=True)
        given = [Alias(a, b.name, b.expr_id) if a.expr_id != b.expr_id else a for a, b in names]
        found = Projection(given).partitioning(child.output_partitioning)
        return canonical_partitioning(found)

    @lazy
    def canonicalized(self) -> UnionExec:
        """Only the children count."""
        return UnionExec(tuple(c.canonicalized for c in self.inputs), ())

    @lazy
    def simple_string(self) -> str:
        """Union."""
        return "Union"


@node
class ScriptTransformationExec(UnaryExec):
    """Runs the child's rows through a script (Spark: SparkScriptTransformationExec)."""

    logical: Held[LogicalPlan]
    child: SparkPlan

    @property
    def node_name(self) -> str:
        """SparkScriptTransformation."""
        return "SparkScriptTransformation"

    expressions = always(())  # the script's columns are made here

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The script's columns."""
        columns: tuple[AttributeReference, ...] = self.logical.output
        return columns

    output_ordering = always(())

    @lazy
    def canonicalized(self) -> ScriptTransformationExec:
        """Itself: what a script does is not known."""
        return self

    @lazy
    def simple_string(self) -> str:
        """SparkScriptTransformation script, [columns], how rows are written and read."""
        script, columns, formats = self.logical.arguments()
        formats = formats.replace("ScriptInputOutputSchema", "ScriptTransformationIOSchema", 1)
        return f"SparkScriptTransformation {script}, {columns}, {formats}"
