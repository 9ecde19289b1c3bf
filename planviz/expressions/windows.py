"""Window expressions: specifications, frames, functions."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.aggregates import AggregateFunction
from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression, LeafExpression, Literal, SortOrder, TypeMismatch
from planviz.expressions.unresolved import Unresolved
from planviz.trees.node import always, lazy, node
from planviz.types import (
    DATE,
    DOUBLE,
    INT,
    NULL,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    DataType,
    DayTimeIntervalType,
    YearMonthIntervalType,
    is_interval,
    is_numeric,
)


class WindowFrame(Expression):
    """Base of frames."""

    foldable = always(False)  # not a value
    nullable = always(False)


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
        return NULL

    foldable = always(False)  # not a value
    nullable = always(False)  # not a value

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

    @property
    def unbounded(self) -> bool:
        """Whether it is the whole partition."""
        return (self.lower, self.upper) == (UNBOUNDED_PRECEDING, UNBOUNDED_FOLLOWING)

    @lazy
    def bounds(self) -> tuple[Expression, ...]:
        """The ends that are values."""
        return tuple(b for b in (self.lower, self.upper) if not isinstance(b, FrameBoundary))

    def check_input_types(self) -> TypeMismatch | None:
        """Ends are constants of the right type, and in order."""
        for place, b in (("lower", self.lower), ("upper", self.upper)):
            mismatch = self._check_bound(place, b)
            if mismatch is not None:
                return mismatch
        if self.lower == UNBOUNDED_FOLLOWING or self.upper == UNBOUNDED_PRECEDING:
            return TypeMismatch(
                "SPECIFIED_WINDOW_FRAME_INVALID_BOUND",
                f'Window frame upper bound "{self.upper.sql}" does not follow the lower bound "{self.lower.sql}"',
            )
        if len(self.bounds) < 2:
            return None
        if self.lower.data_type != self.upper.data_type:
            return TypeMismatch(
                "SPECIFIED_WINDOW_FRAME_DIFF_TYPES",
                f'Window frame bounds "{self.lower.sql}" and "{self.upper.sql}" do not have the same type',
            )
        low, high = _constant(self.lower), _constant(self.upper)
        if low is not None and high is not None and low > high:
            return TypeMismatch(
                "SPECIFIED_WINDOW_FRAME_WRONG_COMPARISON",
                "The lower bound of a window frame must be less than or equal to the upper bound",
            )
        return None

    def _check_bound(self, place: str, b: Expression) -> TypeMismatch | None:
        if isinstance(b, FrameBoundary):
            return None
        if not b.foldable:
            return TypeMismatch(
                "SPECIFIED_WINDOW_FRAME_WITHOUT_FOLDABLE", f'Window frame {place} bound "{b.sql}" is not a literal'
            )
        t = b.data_type
        rows = self.kind == "RowFrame"
        if t == UNKNOWN or (t == INT if rows else is_numeric(t) or is_interval(t)):
            return None
        wanted = (
            '"INT"' if rows else '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")'
        )
        return TypeMismatch(
            "SPECIFIED_WINDOW_FRAME_UNACCEPTED_TYPE",
            f'The data type of the {place} bound "{t.sql}" does not match the expected data type {wanted}',
        )

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


def _constant(e: Expression) -> int | float | None:
    """The number that a bound is, where it is written as one; an interval's months or microseconds."""
    from planviz.expressions.arithmetic import UnaryMinus

    if isinstance(e, UnaryMinus):
        value = _constant(e.child)
        return None if value is None else -value
    if isinstance(e, Cast):
        return _constant(e.child) if is_numeric(e.data_type) else None
    return e.value if isinstance(e, Literal) and isinstance(e.value, int | float) else None


DEFAULT_ORDERED = SpecifiedWindowFrame("RangeFrame", UNBOUNDED_PRECEDING, CURRENT_ROW)
WHOLE_PARTITION = SpecifiedWindowFrame("RowFrame", UNBOUNDED_PRECEDING, UNBOUNDED_FOLLOWING)
RUNNING_ROWS = SpecifiedWindowFrame("RowFrame", UNBOUNDED_PRECEDING, CURRENT_ROW)


def _measures(key: DataType, bound: DataType) -> bool:
    """Whether a distance of type `bound` can be taken from a sort key."""
    if UNKNOWN in (key, bound) or key == bound:
        return True
    if key == DATE:
        days = isinstance(bound, DayTimeIntervalType) and bound.end == 0
        return days or bound == INT or isinstance(bound, YearMonthIntervalType)
    return key in (TIMESTAMP, TIMESTAMP_NTZ, TIME) and is_interval(bound)


@node
class WindowSpec(Expression):
    """PARTITION BY, ORDER BY and frame (Spark: WindowSpecDefinition)."""

    partition: tuple[Expression, ...]
    order: tuple[SortOrder, ...]
    frame: Expression
    NAME = "windowspecdefinition"

    @lazy
    def resolved(self) -> bool:
        """When the parts are, the frame is known and fits the order."""
        known = self.children_resolved and not isinstance(self.frame, UnspecifiedFrame)
        return known and self.check_input_types() is None

    def check_input_types(self) -> TypeMismatch | None:
        """A frame by distance needs an order to measure it in, unless it is the whole partition."""
        frame = self.frame
        if not isinstance(frame, SpecifiedWindowFrame) or frame.kind != "RangeFrame":
            return None
        if not self.order and not frame.unbounded:
            return TypeMismatch(
                "RANGE_FRAME_WITHOUT_ORDER", "A range window frame cannot be used in an unordered window specification"
            )
        if frame.bounds and len(self.order) > 1:
            return TypeMismatch(
                "RANGE_FRAME_MULTI_ORDER",
                "A range window frame with value boundaries cannot be used in a window specification with multiple "
                f"order by expressions: {', '.join(o.sql for o in self.order)}",
            )
        if frame.bounds and not _measures(self.order[0].data_type, frame.bounds[0].data_type):
            return TypeMismatch(
                "RANGE_FRAME_INVALID_TYPE",
                f'The data type "{self.order[0].data_type.sql}" used in the order specification does not support the '
                f'data type "{frame.bounds[0].data_type.sql}" which is used in the range frame',
            )
        return None

    nullable = always(True)  # not a value
    foldable = always(False)  # not a value

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
    spec: WindowSpec

    @property
    def data_type(self) -> DataType:
        """The function's."""
        return self.function.data_type

    @lazy
    def nullable(self) -> bool:
        """The function's."""
        return self.function.nullable

    foldable = always(False)

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
    is_nullable: bool = False

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

    @property
    def nullable(self) -> bool:
        """Never; before Spark 3.2 as if it could be."""
        return self.is_nullable

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
    is_nullable: bool = False

    def check_input_types(self) -> TypeMismatch | None:
        """A constant number of buckets above 0."""
        return constant_position(self.buckets, "buckets", INT, "(0, 2147483647]", "")

    @property
    def frame(self) -> Expression:
        """Rows up to this one."""
        return RUNNING_ROWS

    data_type = always(INT)

    def flat_arguments(self) -> list[str]:
        """The number of buckets."""
        return [str(self.buckets)]

    @property
    def nullable(self) -> bool:
        """As with RankLike."""
        return self.is_nullable


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

    def check_input_types(self) -> TypeMismatch | None:
        """A constant offset."""
        return None if self.offset.foldable else not_constant(self.offset, "offset")

    def to_string(self) -> str:
        """lag(input, offset, default)."""
        return f"{self.name}({self.input}, {self.offset}, {self.default})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """With the offset as it was written."""
        from planviz.expressions.arithmetic import UnaryMinus

        o = self.offset
        if self.name == "lag" and isinstance(o, Literal) and isinstance(o.value, int):
            o = Literal(-o.value, o.type)
        elif self.name == "lag" and isinstance(o, UnaryMinus):
            o = o.child
        return f"{self.name}({r(self.input)}, {r(o)}, {r(self.default)})"


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

    nullable = always(True)

    def check_input_types(self) -> TypeMismatch | None:
        """A constant offset above 0."""
        return constant_position(self.offset, "offset", None, "(0, 9223372036854775807]", "L")

    def flat_arguments(self) -> list[str]:
        """The arguments; the flag as well."""
        return [str(self.input), str(self.offset), "true" if self.ignore_nulls else "false"]

    def render(self, r: Callable[[Expression], str]) -> str:
        """nth_value(input, offset) ignore nulls."""
        return f"nth_value({r(self.input)}, {r(self.offset)}){' ignore nulls' if self.ignore_nulls else ''}"


def constant_position(
    e: Expression, what: str, wanted: DataType | None, bounds: str, suffix: str
) -> TypeMismatch | None:
    """The mismatch of a number that must be constant, of a type (None: any) and above 0, or None."""
    from planviz.expressions.arithmetic import unexpected_input

    if not e.foldable:
        return not_constant(e, what)
    if wanted is not None and e.data_type not in (wanted, UNKNOWN):
        return unexpected_input(1, e, f'"{wanted.sql}"')
    value = literal_number(e)
    if value is None or value > 0:
        return None
    return TypeMismatch("VALUE_OUT_OF_RANGE", f"The {what} must be between {bounds} (current value = {value}{suffix})")


def not_constant(e: Expression, what: str) -> TypeMismatch:
    """The mismatch of a number that must be constant and is not."""
    return TypeMismatch(
        "NON_FOLDABLE_INPUT", f'the input `{what}` should be a foldable "INT" expression; however, got "{e.sql}"'
    )


def literal_number(e: Expression) -> int | None:
    """The whole number that a literal is, behind its sign and casts."""
    from planviz.expressions.arithmetic import UnaryMinus

    if isinstance(e, UnaryMinus | Cast):
        value = literal_number(e.child)
        return -value if value is not None and isinstance(e, UnaryMinus) else value
    return e.value if isinstance(e, Literal) and isinstance(e.value, int) else None
