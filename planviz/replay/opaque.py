"""What could not be read: an expression or operator that is printed as it stood, and keeps the columns it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from planviz.errors import PlanvizError
from planviz.expressions.core import AttributeReference, Declared, Expression, Typed, UnaryExpression
from planviz.expressions.subqueries import QueryPlan, SubqueryExpression
from planviz.graph.kinds import kind_of
from planviz.logical.operators import View
from planviz.logical.plan import LogicalPlan
from planviz.physical.plan import SparkPlan
from planviz.physical.printed import PrintedExec
from planviz.trees.node import always, lazy, node
from planviz.types import LONG, UNKNOWN, DataType
from planviz.types.reading import parse_type


@dataclass(frozen=True)
class Beneath:
    """Trees beneath an operator that are no inputs, as they stand."""

    trees: tuple[PrintedExec, ...] = ()


NOTHING = Beneath()


@node
class OpaqueExpression(Declared):
    """A text that is no expression we know: `pieces` are what stands around and between its `columns`."""

    pieces: tuple[str, ...]
    columns: tuple[Expression, ...]
    type: DataType
    is_nullable: bool = True

    foldable = always(False)

    def to_string(self) -> str:
        """The text, with the columns as they are now called."""
        return "".join(p + str(c) for p, c in zip(self.pieces, self.columns, strict=False)) + self.pieces[-1]


@node
class Wrapped(Typed, UnaryExpression):
    """A call that changes no value and that newer Sparks do without: promote_precision, CheckOverflow of decimals."""

    child: Expression
    before: str
    after: str
    type: DataType

    foldable = always(False)

    def to_string(self) -> str:
        """The child between what stands around it."""
        return f"{self.before}{self.child}{self.after}"


@node
class OpenField(Typed, UnaryExpression):
    """A part of a value whose type nobody told: `child.name`, or `child[key]`."""

    child: Expression
    part: str
    type: DataType = UNKNOWN

    foldable = always(False)
    null_intolerant = always(True)

    def to_string(self) -> str:
        """The child with its part behind it."""
        return f"{self.child}{self.part}"


@node
class PrintedView(View):
    """A view whose line is not as we print it: shortened, or as older Sparks list columns."""

    text: str = ""

    @lazy
    def simple_string(self) -> str:
        """The line as it stood."""
        return self.text


@node
class OpaqueOperator(LogicalPlan):
    """An operator that we do not know: its line, the columns in it, its inputs and what it gives."""

    pieces: tuple[str, ...]
    columns: tuple[Expression, ...]
    inputs: tuple[LogicalPlan, ...]
    given: tuple[AttributeReference, ...] = ()
    own: frozenset[int] = frozenset()
    #: Trees beneath that are no inputs, as they stand.
    inner: Beneath = NOTHING
    #: Whether the line is that of a physical operator, which planning leaves as it stands.
    physical: bool = False
    #: Whether the physical operator gives batches of columns.
    columnar: bool = False
    #: Whether the physical operator is part of a generated stage.
    coded: bool = False

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """What the text says that it gives, or what its inputs give."""
        return self.given or tuple(a for p in self.inputs for a in p.output)

    @lazy
    def produced(self) -> frozenset[int]:
        """The columns that it makes itself."""
        return self.own

    @property
    def node_name(self) -> str:
        """The first word of the line."""
        return self.pieces[0].split(" ")[0]

    @lazy
    def simple_string(self) -> str:
        """The line, with the columns as they are now called."""
        return "".join(p + str(c) for p, c in zip(self.pieces, self.columns, strict=False)) + self.pieces[-1]

    def own_operator(self, below: Callable[[LogicalPlan], QueryPlan]) -> PrintedExec | None:
        """A physical line as it stands, over its inputs planned again."""
        if not self.physical:
            return None
        inputs = tuple([made for made in map(below, self.inputs) if isinstance(made, SparkPlan)])
        return PrintedExec(self.simple_string, inputs, self.output, self.inner.trees, self.columnar, self.coded)

    @property
    def inner_children(self) -> tuple[QueryPlan, ...]:
        """The trees that are no inputs."""
        return self.inner.trees


@node
class PrintedRelation(OpaqueOperator):
    """A leaf that no format of ours reads, such as a table of a data source: its line and the columns that it lists."""

    pieces: tuple[str, ...]
    columns: tuple[Expression, ...]
    inputs: tuple[LogicalPlan, ...]
    given: tuple[AttributeReference, ...] = ()
    own: frozenset[int] = frozenset()
    inner: Beneath = NOTHING
    physical: bool = False
    columnar: bool = False
    coded: bool = False


@node
class PrintedOperator(OpaqueOperator):
    """An operator that is known and that no rule or strategy here looks into, so that it is kept as it stands: a
    function of a Dataset, a command, a state store and the stages around it, and what was planned for those."""

    pieces: tuple[str, ...]
    columns: tuple[Expression, ...]
    inputs: tuple[LogicalPlan, ...]
    given: tuple[AttributeReference, ...] = ()
    own: frozenset[int] = frozenset()
    inner: Beneath = NOTHING
    physical: bool = False
    columnar: bool = False
    coded: bool = False

    @lazy
    def references(self) -> frozenset[int]:
        """The columns in its line; all of its input, where that is objects."""
        named = frozenset[int]().union(*[e.references for e in self.expressions])
        return named | self.input_set if _CONSUMER.match(self.node_name) else named


_DATASET = re.compile(
    r"(SerializeFromObject|DeserializeToObject|Map(Elements|Partitions|Groups)\w*|(FlatMap(Co)?|Co)Groups?\w*|TypedFilter"
    r"|AppendColumns\w*|(Python)?MapIn(Pandas|Arrow|Python)|(ArrowAggregate|AggregateIn|WindowIn|ArrowWindow)(Python|Pandas)"
    r"|MergeRows\w*|AttachDistributedSequence|CollectMetrics|ScriptTransformation)$"
)
_STREAM = re.compile(
    r"(SessionWindow)?StateStore\w+|EventTimeWatermark|Streaming\w+|(Merging|Updating)Sessions|TransformWith\w+"
)
_ALIAS = re.compile(r" AS ([^#]+)#(\d+)(L?)(?=, |\]$)")
#: A column that is the object itself, with its type and whether it may be null.
_READ = re.compile(r"(?:\[|, )input\[\d+, (\w+(?:\(\d+,\d+\))?), (true|false)\] AS [^#,]+#(\d+)")
#: Operators that read their input's objects, which their lines need not name (Spark: ObjectConsumer).
_CONSUMER = re.compile(r"(SerializeFromObject|MapElements|MapPartitions)\b")
_OBJECT = re.compile(r"\b(obj)#(\d+)(?=: [^#]*$)")


def kept_as_printed(op: str) -> bool:
    """Whether an operator of that name is known and stays as it stands."""
    op = op.split("[")[0]
    return bool(_DATASET.match(op) or _STREAM.match(op)) or kind_of(op) == "command"


def own_columns_of(op: str, text: str) -> tuple[AttributeReference, ...]:
    """The columns that a Dataset's operator gives instead of its input's; none for one that adds none."""
    m = _OBJECT.search(text)
    if m is not None and _DATASET.match(op):
        return (AttributeReference("obj", UNKNOWN, True, int(m.group(2))),)
    if op != "SerializeFromObject":
        return ()
    read = {int(number): (kind, nullable == "true") for kind, nullable, number in _READ.findall(text)}
    return tuple(
        AttributeReference(
            name,
            LONG if long else _type_of(read[int(number)][0]) if int(number) in read else UNKNOWN,
            read[int(number)][1] if int(number) in read else True,
            int(number),
        )
        for name, number, long in _ALIAS.findall(text)
    )


def _type_of(kind: str) -> DataType:
    try:
        return parse_type(kind)
    except PlanvizError:
        return UNKNOWN


def plans_in(plan: LogicalPlan) -> Iterator[LogicalPlan]:
    """A plan and those of all subqueries in it."""
    yield plan
    for operator in plan.walk():
        if operator.own_bits & SubqueryExpression.BIT:
            for s in operator.subqueries:
                inner: LogicalPlan = s.plan
                yield from plans_in(inner)


def nodes_of(plan: LogicalPlan) -> Iterator[LogicalPlan]:
    """All operators, those of subqueries too."""
    for part in plans_in(plan):
        yield from part.walk()


def reads_opaque(plan: LogicalPlan) -> bool:
    """Whether a plan reads a leaf that stands as it was printed: the size calculated for it means nothing."""
    found = plan.bits & OpaqueOperator.BIT
    return bool(found) and any(isinstance(n, OpaqueOperator) and not n.children for n in plan.walk())
