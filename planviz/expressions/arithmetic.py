"""Arithmetic and bitwise operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from planviz.expressions.core import BinaryExpression, Expression, Literal, TypeMismatch, UnaryExpression
from planviz.trees.node import always, lazy, lazy_alone, node
from planviz.types import (
    CALENDAR_INTERVAL,
    DOUBLE,
    INT,
    LONG,
    NULL,
    UNKNOWN,
    DataType,
    DecimalType,
    decimal_result,
    is_ansi_interval,
    is_integral,
    is_interval,
    is_numeric,
)

NUMERIC_OR_INTERVAL = '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")'


class BinaryOperator(BinaryExpression):
    """An operator between two inputs of one type, printed `(left op right)`."""

    SYMBOL: ClassVar[str] = "?"
    #: What the operator takes, in words for the error message.
    ACCEPTS: ClassVar[str] = '"NUMERIC"'

    def accepts(self, t: DataType) -> bool:
        """Whether the operator is defined on this type."""
        return is_numeric(t)

    def check_input_types(self) -> TypeMismatch | None:
        """Both sides of one accepted type."""
        a, b = self.left.data_type, self.right.data_type
        if UNKNOWN in (a, b):
            return None
        if a != b and not self.same_kind(a, b):
            return TypeMismatch(
                "BINARY_OP_DIFF_TYPES",
                f'the left and right operands of the binary operator have incompatible types ("{a.sql}" and "{b.sql}")'
                f"{_unquoted_date(self.left) or _unquoted_date(self.right)}",
            )
        if a != NULL and not self.accepts(a):
            return TypeMismatch(
                "BINARY_OP_WRONG_TYPE",
                f'the binary operator requires the input type {self.ACCEPTS}, not "{a.sql}"',
            )
        return None

    def same_kind(self, a: DataType, b: DataType) -> bool:
        """Whether two different types count as the same here (decimals of any precision in arithmetic)."""
        return False

    def to_string(self) -> str:
        """(left op right)."""
        return f"({self.left} {self.SYMBOL} {self.right})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The same with the sides' SQL."""
        return f"({r(self.left)} {self.SYMBOL} {r(self.right)})"


def _unquoted_date(e: Expression) -> str:
    """What is meant where 2024-01-31 stands without quotes, a subtraction; "" for anything else."""
    match e:
        case Subtract(Subtract(Literal(int() as year), Literal(int() as month)), Literal(int() as day)):
            if 1000 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= 31:
                shown = f"{year}-{month:02}-{day:02}"
                return f"; {shown} without quotes is a subtraction, the date is DATE '{shown}'"
    return ""


#: The mode of arithmetic whose decimals are not promoted yet, as in Spark before 3.4: both sides must be of one type,
#: and until then the result is of the left side's.
UNPROMOTED = "UNPROMOTED"


class BinaryArithmetic(BinaryOperator):
    """+ - * / % and div. `mode` is "ANSI", "LEGACY" or "TRY", or UNPROMOTED."""

    mode: str

    @lazy
    def data_type(self) -> DataType:
        """Decimals by the rules of precision, the rest the type of the sides."""
        a, b = self.left.data_type, self.right.data_type
        if isinstance(a, DecimalType) and isinstance(b, DecimalType) and self.mode != UNPROMOTED:
            return decimal_result(self.SYMBOL, a, b)
        return a if a != UNKNOWN else b

    @lazy
    def nullable(self) -> bool:
        """As the sides; ANSI mode fails instead of giving null, other modes may overflow to null."""
        if self.left.nullable or self.right.nullable or self.mode == "TRY":
            return True
        return self.mode == "LEGACY" and isinstance(self.left.data_type, DecimalType)

    null_intolerant = always(True)

    @lazy_alone
    def canonicalized(self) -> Expression:
        """The sides' forms; what is no operation on decimals has nothing to be promoted."""
        new: Expression = self.promoted_if_plain.map_children(lambda c: c.canonicalized)
        return new

    @property
    def promoted_if_plain(self) -> BinaryArithmetic:
        """The same in LEGACY mode where it is UNPROMOTED for no decimal's sake."""
        plain = self.mode == UNPROMOTED and self.resolved and not isinstance(self.data_type, DecimalType)
        return self.replace(mode="LEGACY") if plain else self

    def same_kind(self, a: DataType, b: DataType) -> bool:
        """Decimals of any precision."""
        return isinstance(a, DecimalType) and isinstance(b, DecimalType) and self.mode != UNPROMOTED


class Commutative(BinaryArithmetic):
    """An operator whose sides can change places."""

    @lazy_alone
    def canonicalized(self) -> Expression:
        """The sides, flattened, in the order of their hashes; decimals keep their order, it may change precision."""
        if isinstance(self.data_type, DecimalType) if self.resolved else False:
            return self.map_children(lambda c: c.canonicalized)
        parts = sorted((p.canonicalized for p in operands(self, type(self))), key=hash)
        result = parts[0]
        for p in parts[1:]:
            result = type(self)(result, p, self.promoted_if_plain.mode)  # type: ignore[call-arg]
        return result


def operands(e: Expression, cls: type[BinaryExpression]) -> list[Expression]:
    """The operands of a chain of one operator, left to right."""
    out: list[Expression] = []
    stack: list[Expression] = [e]
    while stack:
        top = stack.pop()
        if type(top) is cls:
            stack += [top.right, top.left]
        else:
            out.append(top)
    return out


@node
class Add(Commutative):
    """left + right."""

    left: Expression
    right: Expression
    mode: str = "ANSI"
    SYMBOL = "+"
    ACCEPTS = NUMERIC_OR_INTERVAL

    def accepts(self, t: DataType) -> bool:
        """Numbers and intervals."""
        return is_numeric(t) or is_interval(t)


@node
class Subtract(BinaryArithmetic):
    """left - right."""

    left: Expression
    right: Expression
    mode: str = "ANSI"
    SYMBOL = "-"
    ACCEPTS = NUMERIC_OR_INTERVAL

    def accepts(self, t: DataType) -> bool:
        """Numbers and intervals."""
        return is_numeric(t) or is_interval(t)


@node
class Multiply(Commutative):
    """left * right."""

    left: Expression
    right: Expression
    mode: str = "ANSI"
    SYMBOL = "*"


class DivModLike(BinaryArithmetic):
    """Operators undefined for a zero on the right."""

    #: In ANSI mode, too, where a zero is an error: Spark says so all the same.
    nullable = always(True)


@node
class Divide(DivModLike):
    """left / right: double or decimal."""

    left: Expression
    right: Expression
    mode: str = "ANSI"
    SYMBOL = "/"
    ACCEPTS = '("DOUBLE" or "DECIMAL")'

    def accepts(self, t: DataType) -> bool:
        """Doubles and decimals; coercion makes the rest so."""
        return t == DOUBLE or isinstance(t, DecimalType)


@node
class IntegralDivide(DivModLike):
    """left div right: bigint."""

    left: Expression
    right: Expression
    mode: str = "ANSI"
    SYMBOL = "div"
    ACCEPTS = '("BIGINT" or "DECIMAL" or "INTERVAL YEAR TO MONTH" or "INTERVAL DAY TO SECOND")'

    data_type = always(LONG)

    def accepts(self, t: DataType) -> bool:
        """bigint, decimals, intervals."""
        return t == LONG or isinstance(t, DecimalType) or is_ansi_interval(t)


@node
class Remainder(DivModLike):
    """left % right; `name` is mod when written as the function."""

    left: Expression
    right: Expression
    mode: str = "ANSI"
    name: str = "%"
    SYMBOL = "%"

    def to_string(self) -> str:
        """As it was written."""
        return f"mod({self.left}, {self.right})" if self.name == "mod" else f"({self.left} % {self.right})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """As it was written."""
        return f"mod({r(self.left)}, {r(self.right)})" if self.name == "mod" else f"({r(self.left)} % {r(self.right)})"


@node
class Pmod(DivModLike):
    """pmod(left, right): the positive remainder."""

    left: Expression
    right: Expression
    mode: str = "ANSI"
    SYMBOL = "pmod"

    def to_string(self) -> str:
        """A function."""
        return f"pmod({self.left}, {self.right})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """A function."""
        return f"pmod({r(self.left)}, {r(self.right)})"


class Bitwise(BinaryOperator):
    """& | ^ on integrals."""

    ACCEPTS = '"INTEGRAL"'

    @lazy
    def data_type(self) -> DataType:
        """The sides'."""
        return self.left.data_type

    null_intolerant = always(True)

    def accepts(self, t: DataType) -> bool:
        """Integrals."""
        return is_integral(t)


@node
class BitwiseAnd(Bitwise):
    """left & right."""

    left: Expression
    right: Expression
    SYMBOL = "&"


@node
class BitwiseOr(Bitwise):
    """left | right."""

    left: Expression
    right: Expression
    SYMBOL = "|"


@node
class BitwiseXor(Bitwise):
    """left ^ right."""

    left: Expression
    right: Expression
    SYMBOL = "^"


@node
class Shift(BinaryExpression):
    """left << right, >> or >>>; `name` is the operator or the function it was written as."""

    left: Expression
    right: Expression
    name: str = "<<"

    def check_input_types(self) -> TypeMismatch | None:
        """int or bigint by int."""
        for i, (side, wanted) in enumerate(((self.left, (INT, LONG)), (self.right, (INT,))), 1):
            if side.data_type not in (*wanted, UNKNOWN):
                return unexpected_input(i, side, '("INT" or "BIGINT")' if i == 1 else '"INT"')
        return None

    @lazy
    def data_type(self) -> DataType:
        """The left side's."""
        return self.left.data_type

    null_intolerant = always(True)

    def to_string(self) -> str:
        """As it was written."""
        return self._write(str(self.left), str(self.right))

    def render(self, r: Callable[[Expression], str]) -> str:
        """As it was written."""
        return self._write(r(self.left), r(self.right))

    def _write(self, a: str, b: str) -> str:
        return f"{self.name}({a}, {b})" if self.name.isalpha() else f"({a} {self.name} {b})"


@node
class UnaryMinus(UnaryExpression):
    """-child; `function` tells that it was written negative(child)."""

    child: Expression
    mode: str = "ANSI"
    function: bool = False

    UNCOMPARED = ("function",)

    @lazy
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    null_intolerant = always(True)

    def check_input_types(self) -> TypeMismatch | None:
        """Numbers and intervals."""
        return _requires(
            self, 1, self.child, '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")'
        )

    def to_string(self) -> str:
        """-child."""
        return f"-{self.child}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(- child), or negative(child)."""
        return f"negative({r(self.child)})" if self.function else f"(- {r(self.child)})"


@node
class UnaryPositive(UnaryExpression):
    """+child."""

    child: Expression
    NAME = "positive"

    def check_input_types(self) -> TypeMismatch | None:
        """Numbers and intervals."""
        return _requires(
            self, 1, self.child, '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH" or "INTERVAL")'
        )

    @lazy
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    def render(self, r: Callable[[Expression], str]) -> str:
        """(+ child)."""
        return f"(+ {r(self.child)})"


@node
class BitwiseNot(UnaryExpression):
    """~child."""

    child: Expression

    null_intolerant = always(True)

    @lazy
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    def check_input_types(self) -> TypeMismatch | None:
        """Whole numbers."""
        t = self.child.data_type
        return None if is_integral(t) or t in (NULL, UNKNOWN) else unexpected_input(1, self.child, '"INTEGRAL"')

    def to_string(self) -> str:
        """~child."""
        return f"~{self.child}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """~child."""
        return f"~{r(self.child)}"


@node
class Abs(UnaryExpression):
    """abs(child)."""

    child: Expression
    mode: str = "ANSI"
    #: Whether its text tells if it fails where the value has no opposite (Spark 3.1 and 3.2).
    tells: bool = False

    UNCOMPARED = ("tells",)

    @lazy
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    null_intolerant = always(True)

    def check_input_types(self) -> TypeMismatch | None:
        """Numbers and intervals."""
        return _requires(self, 1, self.child, '("NUMERIC" or "INTERVAL DAY TO SECOND" or "INTERVAL YEAR TO MONTH")')

    def flat_arguments(self) -> list[str]:
        """The child; where it tells, whether it fails."""
        return [str(self.child), *([str(self.mode == "ANSI").lower()] if self.tells else [])]


def _requires(e: Expression, position: int, child: Expression, accepts: str) -> TypeMismatch | None:
    t = child.data_type
    if is_numeric(t) or (is_interval(t) and t != CALENDAR_INTERVAL) or t in (UNKNOWN, CALENDAR_INTERVAL):
        return None
    return unexpected_input(position, child, accepts)


def unexpected_input(position: int, child: Expression, accepts: str) -> TypeMismatch:
    """The mismatch of one argument, counted from 1; `accepts` names the types it should have."""
    ordinal = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}.get(position, f"{position}th")
    return TypeMismatch(
        "UNEXPECTED_INPUT_TYPE",
        f'The {ordinal} parameter requires the {accepts} type, however "{child.pretty}" has the type '
        f'"{child.data_type.sql}"',
    )
