"""One estimate, and the number arithmetic that all share (Spark: Statistics, ColumnStat, EstimationUtils)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import ROUND_CEILING, ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING

from planviz.catalog.statistics import ColumnStatistics
from planviz.decisions.estimates import Formula
from planviz.estimation.formulas import UNKNOWN_TABLE
from planviz.expressions.core import AttributeReference
from planviz.expressions.subqueries import QueryPlan
from planviz.logical.operators import Filter
from planviz.logical.plan import LogicalPlan, size_text
from planviz.logical.relations import LogicalRelation
from planviz.trees.text import Printable, tree_string
from planviz.types import BINARY, BOOLEAN, DATE, INTEGRAL, AtomicType, DataType, DecimalType, is_string
from planviz.types.values import Value

if TYPE_CHECKING:
    from planviz.expressions.core import Expression

#: Columns' statistics by the id of the column. Least and greatest values are numbers: dates are days, instants are
#: microseconds, both since 1970.
Columns = Mapping[int, ColumnStatistics]
#: Figures as Scala's BigDecimal computes them.
FIGURES = Context(prec=34)
_EPOCH = date(1970, 1, 1).toordinal()
_MICROSECONDS = 1_000_000
NO_COLUMNS: Columns = {}


#: Numbers that a formula took, by the names that it has for them; the rows and bytes of the inputs go without saying.
Given = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of an estimate: what was estimated, its number, the formula that gave it and the formula's inputs.

    `parts` are the operands of AND, OR and NOT.
    """

    about: Expression | tuple[Expression, Expression] | None
    value: float | int | None
    rule: Formula
    given: Given = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is thought of a plan's result: bytes, rows (None: unknown), statistics of columns.

    `rule` is the way it was estimated, `inputs` the estimates of what it was made of, `parts` the pieces in between
    (selectivities of conditions, join keys), `given` other numbers that the rule took.
    """

    size: int
    rows: int | None = None
    columns: Columns = field(default_factory=dict, compare=False)
    rule: Formula = field(default=UNKNOWN_TABLE, compare=False)
    inputs: tuple[Estimate, ...] = field(default=(), compare=False, repr=False)
    parts: tuple[Part, ...] = field(default=(), compare=False, repr=False)
    given: Given = field(default=(), compare=False, repr=False)

    @property
    def text(self) -> str:
        """As `explain cost` prints it: Statistics(sizeInBytes=8.0 GiB, rowCount=1.00E+3)."""
        rows = "" if self.rows is None else f", rowCount={count_text(self.rows)}"
        return f"Statistics(sizeInBytes={size_text(self.size)}{rows})"


def count_text(count: int) -> str:
    """A number of rows with three figures, as Spark prints it: 999, 1.00E+3."""
    return str(Context(prec=3, rounding=ROUND_HALF_UP).create_decimal(count))


def cost_string(
    plan: LogicalPlan, estimate: Callable[[LogicalPlan], Estimate], asked: Container[int] | None = None
) -> str:
    """The tree as `explain cost` prints it: the operators with their estimates, or those whose `id()` is in `asked`.

    A cache that fills another one stands in that one's physical plan, and has none.
    """
    filling = _beneath_caches(plan)

    def line(node: Printable) -> str:
        shown = node.simple_string
        known = isinstance(node, LogicalPlan) and (asked is None or id(node) in asked) and id(node) not in filling
        return f"{shown}, {estimate(node).text}" if isinstance(node, LogicalPlan) and known else shown

    return tree_string(plan, line)


def _beneath_caches(plan: LogicalPlan) -> set[int]:
    """The `id()` of the logical operators in the physical plans that fill the plan's caches."""
    found = set[int]()
    todo: list[tuple[QueryPlan, bool]] = [(plan, False)]
    while todo:
        node, physical = todo.pop()
        physical = physical or not isinstance(node, LogicalPlan)
        if physical and isinstance(node, LogicalPlan):
            found.add(id(node))
        todo += [(below, physical) for below in (*node.children, *node.inner_children)]
    return found


def ceiling(number: Decimal) -> int:
    """The next whole number."""
    return int(number.to_integral_value(ROUND_CEILING))


def share(count: int, part: float) -> int:
    """`part` of a count, rounded up; the fraction counts with the digits that it prints."""
    return ceiling(FIGURES.multiply(Decimal(count), Decimal(repr(part))))


def quotient(a: int, b: int) -> Decimal:
    """a / b."""
    return FIGURES.divide(Decimal(a), Decimal(b))


def row_size(columns: Iterable[AttributeReference], known: Columns = NO_COLUMNS) -> int:
    """Bytes of one row: 8, and per column its average length where that is known, else what its type takes."""
    width = 8
    for a in columns:
        stats = known.get(a.expr_id) if known else None
        if stats is None or stats.avg_len is None:
            kind = a.type
            width += kind.size if isinstance(kind, AtomicType) else kind.default_size
        elif is_string(a.data_type):
            # A string's base, offset and length come on top of its bytes.
            width += stats.avg_len + 12
        else:
            width += stats.avg_len
    return width


def sized_output(plan: LogicalPlan) -> Sequence[AttributeReference]:
    """What a plan gives, with the types that bytes are counted by: of a table's structs the fields that are read."""
    below = plan
    while isinstance(below, Filter):
        below = below.child
    return below.read_output if isinstance(below, LogicalRelation) and below.read_types else plan.output


def output_size(columns: Iterable[AttributeReference], rows: int, known: Columns = NO_COLUMNS) -> int:
    """Bytes of so many rows; at least 1, because products over no bytes would tell nothing."""
    return row_size(columns, known) * rows if rows > 0 else 1


def counted(stats: ColumnStatistics | None) -> bool:
    """Whether distinct values and nulls are known."""
    return stats is not None and stats.distinct_count is not None and stats.null_count is not None


def ranged(stats: ColumnStatistics) -> bool:
    """Whether the least and the greatest value are known."""
    return stats.min is not None and stats.max is not None


def scaled(before: int, after: int, old: ColumnStatistics, new: ColumnStatistics | None = None) -> ColumnStatistics:
    """Statistics after the rows became fewer: counts shrink with them, from the old ones; `new` is the rest.

    A count that is 1 or 0 stays (Spark: ColumnStat.updateCountStats).
    """
    new = new or old

    def shrunk(was: int | None, now: int | None) -> int | None:
        if was is None or now is None or now <= 1 or after >= before:
            return now
        return ceiling(FIGURES.divide(FIGURES.multiply(Decimal(was), Decimal(after)), Decimal(before)))

    distinct = shrunk(old.distinct_count, new.distinct_count)
    return replace(new, distinct_count=distinct, null_count=shrunk(old.null_count, new.null_count))


def only_nulls(data_type: DataType, rows: int) -> ColumnStatistics:
    """The statistics of a column of nulls."""
    size = data_type.default_size
    return ColumnStatistics(0, None, None, rows, size, size)


def textual(data_type: DataType) -> bool:
    """Whether values have no range that statistics hold."""
    return is_string(data_type) or data_type == BINARY


def number(value: date | str | None, data_type: DataType) -> Value:
    """A value as a number: dates as days, instants as microseconds; None for what is none or cannot be read as one."""
    if value is None or textual(data_type):
        return None
    if isinstance(value, datetime):
        since = value.replace(tzinfo=None) - datetime(1970, 1, 1)
        return (since.days * 86_400 + since.seconds) * _MICROSECONDS + since.microseconds
    if isinstance(value, date):
        return value.toordinal() - _EPOCH
    if isinstance(value, str):
        return _read(value.strip(), data_type)
    return value if isinstance(value, int | float | Decimal) else None


def _read(text: str, data_type: DataType) -> Value:
    try:
        if data_type == BOOLEAN:
            return {"true": True, "false": False}.get(text.lower())
        if "-" in text[1:] and ":" not in text and "e" not in text.lower():
            return number(date.fromisoformat(text), data_type)
        if ":" in text:
            return number(datetime.fromisoformat(text), data_type)
        if isinstance(data_type, DecimalType):
            return Decimal(text)
        return int(text) if data_type in INTEGRAL or data_type == DATE else float(text)
    except (ValueError, ArithmeticError):
        return None


def from_double(value: float, data_type: DataType) -> Value:
    """A double as a value of the type (Spark: EstimationUtils.fromDouble)."""
    if data_type == BOOLEAN:
        return value == 1
    if isinstance(data_type, DecimalType):
        return Decimal(repr(value))
    return value if data_type.simple_string in ("double", "float") else int(value)
