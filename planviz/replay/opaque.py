"""What could not be read: an expression or operator that is printed as it stood, and keeps the columns it reads."""

from __future__ import annotations

from typing import Any

from planviz.expressions.core import AttributeReference, Declared, Expression, Typed, UnaryExpression
from planviz.logical.operators import View
from planviz.logical.plan import LogicalPlan
from planviz.physical.printed import PrintedExec
from planviz.trees.node import always, lazy, node
from planviz.types import DataType


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
    #: Trees beneath that are no inputs, as they stand: `(line, trees)` each.
    inner: tuple[Any, ...] = ()
    #: Whether the line is that of a physical operator, which planning leaves as it stands.
    physical: bool = False
    #: Whether the physical operator gives batches of columns.
    columnar: bool = False

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
    def simple_string(self) -> Any:
        """The line, with the columns as they are now called."""
        return "".join(p + str(c) for p, c in zip(self.pieces, self.columns, strict=False)) + self.pieces[-1]

    def own_operator(self, below: Any) -> Any:
        """A physical line as it stands, over its inputs planned again."""
        if not self.physical:
            return None
        inputs = tuple(below(p) for p in self.inputs)
        inner = tuple(map(_printed, self.inner))
        return PrintedExec(self.simple_string, inputs, self.output, inner, self.columnar)


@node
class PrintedRelation(OpaqueOperator):
    """A leaf that no format of ours reads, such as a table of a data source: its line and the columns that it lists."""

    pieces: tuple[str, ...]
    columns: tuple[Expression, ...]
    inputs: tuple[LogicalPlan, ...]
    given: tuple[AttributeReference, ...] = ()
    own: frozenset[int] = frozenset()
    inner: tuple[Any, ...] = ()
    physical: bool = False
    columnar: bool = False


def _printed(tree: Any) -> PrintedExec:
    line, beneath = tree
    return PrintedExec(line, tuple(map(_printed, beneath)), ())
