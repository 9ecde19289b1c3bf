"""Operators that are known only as a text printed them."""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, Expression
from planviz.physical.plan import SparkPlan
from planviz.trees.node import Held, lazy, node


@node
class PrintedExec(SparkPlan):
    """An operator whose line stands in a text and that no strategy plans: its line, its inputs, its columns and the
    trees beneath it that are no inputs. It asks for nothing and promises nothing."""

    text: str
    inputs: tuple[SparkPlan, ...]
    columns: tuple[AttributeReference, ...]
    inner: tuple[Held[SparkPlan], ...] = ()
    #: Whether it gives batches of columns.
    batches: bool = False
    #: Whether it was part of a generated stage.
    coded: bool = False

    @property
    def supports_codegen(self) -> bool:
        """As the text has it."""
        return self.coded

    @property
    def columnar(self) -> bool:
        """Whether it gives batches of columns."""
        return self.batches

    @property
    def inner_children(self) -> tuple[SparkPlan, ...]:
        """The trees that are no inputs."""
        return self.inner

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns."""
        return self.columns

    @lazy
    def expressions(self) -> tuple[Expression, ...]:
        """None: the line stays as it stands."""
        return ()

    def map_expressions(self, f: object, mask: int = -1) -> PrintedExec:
        """Itself."""
        return self

    @property
    def node_name(self) -> str:
        """The first word of the line."""
        return self.text.split(" ")[0].split("(")[0]

    @lazy
    def simple_string(self) -> str:
        """The line."""
        return self.text
