"""Leaves: rows that are there before the query, and recursion."""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, SortOrder
from planviz.expressions.subqueries import QueryPlan
from planviz.logical.plan import LogicalPlan, bracketed
from planviz.physical.distribution import (
    OutputOrder,
    Partitioning,
    RangePartitioning,
    SinglePartition,
    UnknownPartitioning,
)
from planviz.physical.plan import LeafExec
from planviz.trees.node import Held, always, lazy, node
from planviz.types.values import Value


class SourceExec(LeafExec):
    """A leaf whose `columns` are its own."""

    columns: tuple[AttributeReference, ...]

    expressions = always(())  # the columns are its own

    def map_expressions(self, f: object, mask: int = -1) -> SourceExec:
        """Itself."""
        return self

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Its columns."""
        return self.columns

    @lazy
    def canonicalized(self) -> SourceExec:
        """With ids by position."""
        return self.replace(columns=tuple(a.with_id(i).canonicalized for i, a in enumerate(self.columns)))


@node
class LocalTableScanExec(SourceExec):
    """Rows known while planning."""

    columns: tuple[AttributeReference, ...]
    rows: tuple[tuple[Value, ...], ...] = ()
    CODEGEN = True

    @lazy
    def simple_string(self) -> str:
        """LocalTableScan <empty>, [columns]."""
        shown = [*([] if self.rows else ["<empty>"]), *([bracketed(self.columns)] if self.columns else [])]
        return " ".join(["LocalTableScan", ", ".join(shown)]).rstrip()


@node
class CommandTextExec(LeafExec):
    """The operator of a command, or the command beneath it, as a plan prints it."""

    text: str
    inner: tuple[Held[LogicalPlan], ...] = ()

    @property
    def inner_children(self) -> tuple[QueryPlan, ...]:
        """The command."""
        return self.inner

    @property
    def node_name(self) -> str:
        """The first words of the line."""
        return " ".join(self.text.split(" ")[: 2 if self.text.startswith("Execute ") else 1])

    @lazy
    def simple_string(self) -> str:
        """The line."""
        return self.text


@node
class CommandResultExec(SourceExec):
    """The rows that a command gave (Spark: CommandResultExec)."""

    columns: tuple[AttributeReference, ...]
    command: Held[CommandTextExec]
    CODEGEN = True

    @property
    def inner_children(self) -> tuple[QueryPlan, ...]:
        """The command's operator."""
        return (self.command,)

    @lazy
    def simple_string(self) -> str:
        """CommandResult [columns]."""
        return f"CommandResult {bracketed(self.columns)}"


@node
class OneRowRelationExec(LeafExec):
    """One row without columns."""

    CODEGEN = True

    @lazy
    def simple_string(self) -> str:
        """Scan OneRowRelation[]."""
        return "Scan OneRowRelation[]"


@node
class RangeExec(SourceExec):
    """range(start, end, step) in `splits` partitions."""

    start: int
    end: int
    step: int
    splits: int
    columns: tuple[AttributeReference, ...]
    CODEGEN = True

    @lazy
    def output_partitioning(self) -> Partitioning:
        """Ranges; one partition of one; nothing is known of no rows."""
        if not range(self.start, self.end, self.step):
            return UnknownPartitioning(0)
        if self.splits == 1:
            return SinglePartition()
        o = self.output_ordering[0]
        return RangePartitioning(self.splits, (SortOrder(o.child, o.direction, o.null_order),))

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """By its column, downwards for a negative step."""
        down = OutputOrder(self.columns[0], "DESC", "NULLS LAST")
        return (OutputOrder(self.columns[0]) if self.step > 0 else down,)

    @lazy
    def simple_string(self) -> str:
        """Range (0, 10, step=1, splits=2)."""
        return f"Range ({self.start}, {self.end}, step={self.step}, splits={self.splits})"


@node
class RDDScanExec(SourceExec):
    """Rows that a program handed over; `rdd` as in LogicalRDD."""

    columns: tuple[AttributeReference, ...]
    rdd: int = 0
    CODEGEN = True

    @lazy
    def simple_string(self) -> str:
        """Scan ExistingRDD[columns]."""
        return f"Scan ExistingRDD[{','.join(map(str, self.columns))}]"

    @property
    def detail(self) -> str:
        """The arguments in formatted mode; the number of the RDD is not known."""
        rows = "MapPartitionsRDD[0] at applySchemaToPythonRDD at NativeMethodAccessorImpl.java:0"
        return f"{bracketed(self.columns)}, {rows}, ExistingRDD, UnknownPartitioning(0)"


@node
class UnionLoopExec(SourceExec):
    """A recursive CTE: the `anchor` and the `recursion` are planned anew for every step, so they stay logical plans."""

    loop_id: int
    anchor: Held[LogicalPlan]
    recursion: Held[LogicalPlan]
    columns: tuple[AttributeReference, ...]
    limit: int | None = None
    depth: int | None = None

    @property
    def inner_children(self) -> tuple[LogicalPlan, ...]:
        """The logical plans."""
        return (self.anchor, self.recursion)

    @lazy
    def canonicalized(self) -> SourceExec:
        """With ids by position, in what is repeated, too: two readers of one definition are equal."""
        form = super().canonicalized
        return form.replace(anchor=self.anchor.canonicalized, recursion=self.recursion.canonicalized)

    @lazy
    def simple_string(self) -> str:
        """UnionLoop 0, [columns], limit, deepest recursion."""
        bounds = [str(n) for n in (self.limit, self.depth) if n is not None]
        return f"UnionLoop {', '.join([str(self.loop_id), bracketed(self.columns), *bounds])}"
