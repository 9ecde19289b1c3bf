"""Window expressions: specifications, frames, functions."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.aggregates import AggregateFunction
from planviz.expressions.core import Expression, LeafExpression, Literal, TypeMismatch
from planviz.expressions.unresolved import Unresolved
from planviz.trees.node import lazy, node
from planviz.types import DOUBLE, INT, DataType, is_numeric


class WindowFrame(Expression):
    """Base of frames."""

    @lazy
    def foldable(self) -> bool:
        """Not a value."""
        return False

    @lazy
    def nullable(self) -> bool:
        """Never."""
        return False


@node
class UnspecifiedFrame(WindowFrame, LeafExpression):
    """No frame written: analysis puts in the default."""

    def to_string(self) -> str:
        """As Spark prints the object."""
        return "unspecifiedframe$()"

    def render(self, r: Callable[[Expression], str]) -> str:
        """As Spark prints the object."""
        return "unspecifiedframe$()"


@node
class FrameBoundary(LeafExpression):
    """unboundedpreceding, currentrow or unboundedfollowing."""

    kind: str

    @property
    def data_type(self) -> DataType:
        """Not a value."""
        from planviz.types import NULL

        return NULL

    @lazy
    def foldable(self) -> bool:
        """Not a value."""
        return False

    @lazy
    def nullable(self) -> bool:
        """Not a value."""
        return False

    def to_string(self) -> str:
        """As Spark prints the object."""
        return f"{self.kind}$()"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The words."""
        words = {"unboundedpreceding": "UNBOUNDED PRECEDING", "unboundedfollowing": "UNBOUNDED FOLLOWING"}
        return words.get(self.kind, "CURRENT ROW")


UNBOUNDED_PRECEDING = FrameBoundary("unboundedpreceding")
UNBOUNDED_FOLLOWING = FrameBoundary("unboundedfollowing")
CURRENT_ROW = FrameBoundary("currentrow")


@node
class SpecifiedWindowFrame(WindowFrame):
    """A frame: `kind` RowFrame or RangeFrame, from `lower` to `upper`."""

    kind: str
    lower: Expression
    upper: Expression

    def render(self, r: Callable[[Expression], str]) -> str:
        """ROWS BETWEEN lower AND upper."""
        unit = "ROWS" if self.kind == "RowFrame" else "RANGE"
        return f"{unit} BETWEEN {self._bound(r, self.lower)} AND {self._bound(r, self.upper)}"

    @staticmethod
    def _bound(r: Callable[[Expression], str], bound: Expression) -> str:
        from planviz.expressions.arithmetic import UnaryMinus

        if isinstance(bound, FrameBoundary):
            return r(bound)
        if isinstance(bound, UnaryMinus):
            return f"{r(bound.child)} PRECEDING"
        return f"{r(bound)} FOLLOWING"


DEFAULT_ORDERED = SpecifiedWindowFrame("RangeFrame", UNBOUNDED_PRECEDING, CURRENT_ROW)
WHOLE_PARTITION = SpecifiedWindowFrame("RowFrame", UNBOUNDED_PRECEDING, UNBOUNDED_FOLLOWING)
RUNNING_ROWS = SpecifiedWindowFrame("RowFrame", UNBOUNDED_PRECEDING, CURRENT_ROW)


@node
class WindowSpec(Expression):
    """PARTITION BY, ORDER BY and frame (Spark: WindowSpecDefinition)."""

    partition: tuple[Expression, ...]
    order: tuple[Expression, ...]
    frame: Expression
    NAME = "windowspecdefinition"

    @lazy
    def resolved(self) -> bool:
        """When the parts are, the frame is known and fits the order."""
        known = self.children_resolved and not isinstance(self.frame, UnspecifiedFrame)
        return known and self._bounds_fit() and self.check_input_types() is None

    def check_input_types(self) -> TypeMismatch | None:
        """A frame by distance needs an order to measure it in, unless it is the whole partition."""
        frame = self.frame
        if self.order or not isinstance(frame, SpecifiedWindowFrame) or frame.kind != "RangeFrame":
            return None
        if (frame.lower, frame.upper) == (UNBOUNDED_PRECEDING, UNBOUNDED_FOLLOWING):
            return None
        return TypeMismatch(
            "RANGE_FRAME_WITHOUT_ORDER", "A range window frame cannot be used in an unordered window specification."
        )

    def _bounds_fit(self) -> bool:
        """Whether the bounds of a RANGE frame have the type of the sort key."""
        frame = self.frame
        if not isinstance(frame, SpecifiedWindowFrame) or frame.kind != "RangeFrame" or len(self.order) != 1:
            return True
        t = self.order[0].data_type
        bounds = [b for b in (frame.lower, frame.upper) if not isinstance(b, FrameBoundary)]
        return not is_numeric(t) or all(b.data_type == t for b in bounds)

    @lazy
    def nullable(self) -> bool:
        """Not a value."""
        return True

    @lazy
    def foldable(self) -> bool:
        """Not a value."""
        return False

    def to_string(self) -> str:
        """windowspecdefinition(keys, orders, frame)."""
        return f"windowspecdefinition({', '.join(map(str, self.children))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(PARTITION BY a ORDER BY b ROWS ...)."""
        parts = []
        if self.partition:
            parts.append("PARTITION BY " + ", ".join(r(p) for p in self.partition))
        if self.order:
            parts.append("ORDER BY " + ", ".join(r(o) for o in self.order))
        parts.append(r(self.frame))
        return f"({' '.join(parts)})"


@node
class WindowExpression(Expression):
    """function OVER spec."""

    function: Expression
    spec: Expression

    @property
    def data_type(self) -> DataType:
        """The function's."""
        return self.function.data_type

    @lazy
    def nullable(self) -> bool:
        """The function's."""
        return self.function.nullable

    @lazy
    def foldable(self) -> bool:
        """Never."""
        return False

    def to_string(self) -> str:
        """function spec."""
        return f"{self.function} {self.spec}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """function OVER spec."""
        return f"{r(self.function)} OVER {r(self.spec)}"


@node
class UnresolvedWindowExpression(Unresolved):
    """function OVER name, the name defined in a WINDOW clause."""

    function: Expression
    name: str

    def to_string(self) -> str:
        """unresolvedwindowexpression(function, WindowSpecReference(name))."""
        return f"unresolvedwindowexpression({self.function}, WindowSpecReference({self.name}))"


class WindowFunction(Expression):
    """A function that needs a window."""

    @property
    def frame(self) -> Expression:
        """The frame the function asks for."""
        return UnspecifiedFrame()


@node
class RankLike(AggregateFunction, WindowFunction):
    """rank, dense_rank, percent_rank, row_number, cume_dist: `orders` are the sort keys analysis gives the ranks."""

    name: str
    orders: tuple[Expression, ...] = ()

    @property
    def frame(self) -> Expression:
        """Rows up to this one, whatever the user wrote is refused; cume_dist takes the peers too."""
        return DEFAULT_ORDERED if self.name == "cume_dist" else RUNNING_ROWS

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name

    @property
    def data_type(self) -> DataType:
        """int, double for fractions."""
        return DOUBLE if self.name in ("percent_rank", "cume_dist") else INT

    @lazy
    def nullable(self) -> bool:
        """Never."""
        return False

    def to_string(self) -> str:
        """rank(keys)."""
        return f"{self.name}({', '.join(map(str, self.orders))})"

    def distinct_text(self, distinct: bool, where: str) -> str:
        """As `to_string`."""
        return self.to_string()

    def render(self, r: Callable[[Expression], str]) -> str:
        """RANK(): the ranks in capitals, as in Spark."""
        upper = self.name in ("rank", "dense_rank", "percent_rank")
        return f"{self.name.upper() if upper else self.name}()"

    def render_call(self, r: Callable[[Expression], str], distinct: bool) -> str:
        """As `render`."""
        return self.render(r)


@node
class NTile(AggregateFunction, WindowFunction):
    """ntile(buckets)."""

    buckets: Expression

    @property
    def frame(self) -> Expression:
        """Rows up to this one."""
        return RUNNING_ROWS

    @property
    def data_type(self) -> DataType:
        """int."""
        return INT

    @lazy
    def nullable(self) -> bool:
        """Never."""
        return False


@node
class LagLead(WindowFunction):
    """lag or lead: the row `offset` away (negative for lag, as Spark keeps it), `default` beyond the ends."""

    name: str
    input: Expression
    offset: Expression
    default: Expression
    ignore_nulls: bool = False

    @property
    def frame(self) -> Expression:
        """The one row."""
        return SpecifiedWindowFrame("RowFrame", self.offset, self.offset)

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name

    @lazy
    def data_type(self) -> DataType:
        """The input's."""
        return self.input.data_type

    @lazy
    def nullable(self) -> bool:
        """When the default or the input is."""
        return self.default.nullable or self.input.nullable

    def to_string(self) -> str:
        """lag(input, offset, default)."""
        tail = " ignore nulls" if self.ignore_nulls else ""
        return f"{self.name}({self.input}, {self.offset}, {self.default}){tail}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """With the offset as it was written."""
        from planviz.expressions.arithmetic import UnaryMinus

        o = self.offset
        if self.name == "lag" and isinstance(o, Literal) and isinstance(o.value, int):
            o = Literal(-o.value, o.type)
        elif self.name == "lag" and isinstance(o, UnaryMinus):
            o = o.child
        tail = " IGNORE NULLS" if self.ignore_nulls else ""
        return f"{self.name}({r(self.input)}, {r(o)}, {r(self.default)}){tail}"


@node
class NthValue(AggregateFunction, WindowFunction):
    """nth_value(input, offset)."""

    input: Expression
    offset: Expression
    ignore_nulls: bool = False
    NAME = "nth_value"

    @lazy
    def data_type(self) -> DataType:
        """The input's."""
        return self.input.data_type

    @lazy
    def nullable(self) -> bool:
        """Always."""
        return True

    def flat_arguments(self) -> list[str]:
        """The arguments; the flag as well."""
        return [str(self.input), str(self.offset), "true" if self.ignore_nulls else "false"]


def has_window(e: Expression) -> bool:
    """Whether a window expression occurs anywhere in the expression."""
    return bool(e.bits & WindowExpression.BIT)
