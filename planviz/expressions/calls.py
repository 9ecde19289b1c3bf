"""Functions: the general call, functions that stand for another expression, generators, shared subexpressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from planviz.expressions.core import (
    Expression,
    Literal,
    Typed,
    TypeMismatch,
)
from planviz.expressions.specs import (
    ZONE,
    Accepts,
    FunctionSpec,
    OpenZone,
    SignatureCall,
    differing_collations,
    wrong_input,
)
from planviz.trees.node import always, lazy, lazy_alone, node
from planviz.types import (
    BINARY,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    INT,
    STRING,
    UNKNOWN,
    VARIANT,
    DataType,
    MapType,
    StringType,
    StructType,
    is_string,
)
from planviz.types.collations import COLLATED, mixed_collations


@node
class FunctionCall(SignatureCall):
    """A function that the engine needs to know no more about than its signature.

    `lead` is what `str` prints before the arguments: a schema, options. `unshown`: how many of the first and of the
    last of its tail an older version does not print.
    """

    name: str
    arguments: tuple[Expression, ...]
    spec: FunctionSpec
    tail: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()
    unshown: tuple[int, int] = (0, 0)

    @lazy
    def null_intolerant(self) -> bool:
        """By the signature."""
        return self.spec.null_intolerant and self.spec.null in ("any", True)

    @lazy
    def deterministic(self) -> bool:
        """By the signature and the arguments."""
        return self.spec.deterministic and all(a.deterministic for a in self.arguments)

    @lazy
    def foldable(self) -> bool:
        """When the arguments are and the function is deterministic."""
        return self.spec.foldable and self.spec.deterministic and all(a.foldable for a in self.arguments)

    def flat_arguments(self) -> list[str]:
        """What leads, arguments and tail."""
        shown = super().flat_arguments()
        if self.unshown != (0, 0):
            front = len(shown) - len(self.tail)
            tail = self.tail[self.unshown[0] : max(len(self.tail) - self.unshown[1], 0)]
            shown = [*shown[:front], *tail]
        return [*self.lead, *shown]

    def render(self, r: Callable[[Expression], str]) -> str:
        """Without the hidden arguments."""
        if self.spec.sql:
            return self.spec.sql
        shown = self.arguments[: len(self.arguments) - self.spec.hidden] if self.spec.hidden else self.arguments
        return f"{self.pretty_name}({', '.join(r(a) for a in shown)})"


class RuntimeReplaceable(Expression):
    """An expression that another one replaces before optimization; two are the same when those are."""

    replacement: Expression

    @lazy
    def canonicalized(self) -> Expression:
        """The replacement's."""
        return self.replacement.canonicalized


@node
class ReplaceableCall(FunctionCall, RuntimeReplaceable):
    """A function with parameters of its own that another expression replaces: `made` builds it from the arguments."""

    name: str
    arguments: tuple[Expression, ...]
    spec: FunctionSpec
    tail: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()
    unshown: tuple[int, int] = (0, 0)
    made: Callable[[tuple[Expression, ...]], Expression] | None = None

    UNCOMPARED = ("made",)

    @lazy
    def nullable(self) -> bool:
        """The replacement's, where what the arguments are decides."""
        return self.replacement.nullable if self.spec.null == "any" else super().nullable

    @lazy
    def replacement(self) -> Expression:
        """What it stands for."""
        assert self.made is not None
        zone = next((t for t in self.tail if t.startswith("Some(")), ZONE)

        def zoned(e: Expression) -> Expression:
            if not isinstance(e, FunctionCall) or ZONE not in e.tail or isinstance(e, ReplaceableCall):
                return e
            return e.replace(tail=tuple(zone if isinstance(t, OpenZone) else t for t in e.tail))

        made: Expression = self.made(self.arguments).transform_up(zoned, FunctionCall.BIT)
        return made


@node
class Replaced(RuntimeReplaceable):
    """A function whose analysis is its replacement's: `parameters` only serve to print it.

    Spark: InheritAnalysisRules.

    `form` is how it prints: call, or the name of a special form.
    """

    name: str
    parameters: tuple[object, ...]
    replacement: Expression
    sql_name: str = ""
    sql_parameters: tuple[object, ...] = ()

    @lazy_alone
    def children(self) -> tuple[Expression, ...]:
        """Only the replacement."""
        return (self.replacement,)

    def map_children(self, f: Callable[[Expression], Expression], mask: int = -1) -> Replaced:
        """Only the replacement is mapped."""
        new = f(self.replacement) if self.replacement.bits & mask else self.replacement
        return self if new is self.replacement else self.rebuilt(self.replace(replacement=new))

    @lazy
    def data_type(self) -> DataType:
        """The replacement's."""
        return self.replacement.data_type

    @lazy
    def nullable(self) -> bool:
        """The replacement's."""
        return self.replacement.nullable

    @lazy
    def foldable(self) -> bool:
        """The replacement's."""
        return self.replacement.foldable

    @lazy
    def canonicalized(self) -> Expression:
        """The replacement's."""
        return self.replacement.canonicalized

    def to_string(self) -> str:
        """name(parameters)."""
        return f"{self.name}({', '.join(map(str, self.parameters))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """name(parameters)."""
        shown = self.sql_parameters or self.parameters
        return (
            f"{self.sql_name or self.name}({', '.join(r(p) if isinstance(p, Expression) else str(p) for p in shown)})"
        )

    def render_pretty(self) -> str:
        """name(parameters)."""
        return self.render(lambda e: e.pretty)


class TemporalOperation(Typed):
    """An operation on two values of which one is a date, a time or an interval; `inputs` are what it takes of each.

    Where nothing stands in `inputs` nothing is checked: a plan that was read back has been.
    """

    left: Expression
    right: Expression
    inputs: tuple[Accepts, ...]

    UNCOMPARED: ClassVar[tuple[str, ...]] = ("inputs",)

    def check_input_types(self) -> TypeMismatch | None:
        """Each side must be what the operation takes."""
        return wrong_input(self.inputs, (self.left, self.right))


@node
class DatetimePlus(TemporalOperation):
    """A date or timestamp plus or minus an interval: `left + right`, printed without parentheses.

    `sign` is + or -; `type` the result.
    """

    left: Expression
    right: Expression
    sign: str
    type: DataType
    inputs: tuple[Accepts, ...] = ()

    null_intolerant = always(True)

    def to_string(self) -> str:
        """left + right."""
        return f"{self.left} {self.sign} {self.right}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """left + right."""
        return f"{r(self.left)} {self.sign} {r(self.right)}"


@node
class DatetimeMinus(TemporalOperation):
    """The time between two dates or timestamps: `(left - right)`; a function where it is of the one type of interval
    that there was before Spark 3.2."""

    left: Expression
    right: Expression
    type: DataType
    inputs: tuple[Accepts, ...] = ()
    SYMBOL: ClassVar[str] = "-"

    null_intolerant = always(True)

    def to_string(self) -> str:
        """(left - right), subtractdates(left, right)."""
        return self._shown(str)

    def render(self, r: Callable[[Expression], str]) -> str:
        """The same with the SQL of both."""
        return self._shown(r)

    def _shown(self, r: Callable[[Expression], str]) -> str:
        left, right = r(self.left), r(self.right)
        if self.type != CALENDAR_INTERVAL:
            return f"({left} - {right})"
        name = "subtractdates" if self.left.data_type == DATE else "subtracttimestamps"
        return f"{name}({left}, {right})"


def string_of(e: Expression) -> str | None:
    """The text of a string literal, or None."""
    return e.value if isinstance(e, Literal) and is_string(e.type) else None


@node
class Concat(Expression):
    """concat(items): strings, binaries or arrays; a chain of || nests."""

    items: tuple[Expression, ...]

    @lazy
    def data_type(self) -> DataType:
        """The items'."""
        from planviz.expressions.conditional import merged_type

        return merged_type(list(self.items)) if self.items else STRING

    @lazy
    def foldable(self) -> bool:
        """When all items are."""
        return all(i.foldable for i in self.items)

    def check_input_types(self) -> TypeMismatch | None:
        """All of one type: string, binary or array."""
        from planviz.expressions.arithmetic import unexpected_input
        from planviz.expressions.conditional import same_types

        for at, item in enumerate(self.items, 1):
            t = item.data_type
            if isinstance(t, MapType | StructType) or t == VARIANT:
                return unexpected_input(at, item, '("STRING" or "BINARY" or "ARRAY")')
        return same_types(list(self.items), "concat") if self.items else None


_PLACES = ("locate", "position")
#: Forms that do not look for one text in another.
_CUT = ("substring", "substr", "overlay")
_SECOND_IS_TEXT = (*_PLACES, "overlay")


@node
class StringForm(Expression):
    """substring, trim, ltrim, rtrim, locate or overlay, resolved as soon as its arguments are."""

    name: str
    arguments: tuple[Expression, ...]

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name

    @property
    def data_type(self) -> DataType:
        """int for positions, else the text's."""
        if self.name in _PLACES:
            return INT
        return self.arguments[0].data_type

    @lazy
    def null_intolerant(self) -> bool:
        """All but locate and those that trim."""
        return self.name not in _PLACES and "trim" not in self.name

    def check_input_types(self) -> TypeMismatch | None:
        """Text first, positions as ints."""
        from planviz.expressions.arithmetic import unexpected_input

        if COLLATED and mixed_collations([a.data_type for a in self.arguments]):
            return differing_collations(self.arguments)
        for i, a in enumerate(self.arguments):
            text = i == 0 or "trim" in self.name or (self.name in _SECOND_IS_TEXT and i == 1)
            wanted: tuple[DataType, ...] = (BINARY, UNKNOWN) if text else (INT, UNKNOWN)
            if a.data_type not in wanted and not (text and self._takes(a.data_type)):
                return unexpected_input(i + 1, a, '"STRING"' if text else '"INT"')
        return None

    def _takes(self, t: DataType) -> bool:
        """Text; where it is searched not under a collation that tells capitals apart and accents not."""
        if not isinstance(t, StringType):
            return False
        return self.name in _CUT or "_AI" not in t.collation or "_CI" in t.collation

    def to_string(self) -> str:
        """trim(a, Some(b)); the rest as calls."""
        if "trim" in self.name:
            what = f"Some({self.arguments[1]})" if len(self.arguments) > 1 else "None"
            return f"{self.name}({self.arguments[0]}, {what})"
        return f"{self.name}({', '.join(map(str, self.arguments))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """TRIM(BOTH b FROM a); the rest as calls."""
        if "trim" in self.name and len(self.arguments) > 1:
            side = {"trim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}[self.name]
            return f"TRIM({side} {r(self.arguments[1])} FROM {r(self.arguments[0])})"
        return f"{self.name}({', '.join(r(a) for a in self.arguments)})"


@node
class RegexpForm(Expression):
    """ilike(text, pattern, escape)."""

    name: str
    arguments: tuple[Expression, ...]
    escape: str = "\\"

    @property
    def data_type(self) -> DataType:
        """boolean."""
        return BOOLEAN

    def to_string(self) -> str:
        """ilike(text, pattern, escape)."""
        return f"{self.name}({', '.join(map(str, self.arguments))}, {self.escape})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """ilike(text, pattern)."""
        return f"{self.name}({', '.join(r(a) for a in self.arguments)})"


_TRIED = FunctionSpec("tryeval", (), lambda arguments: arguments[0].data_type, True)


def try_eval(e: Expression) -> FunctionCall:
    """What gives null where the expression fails (Spark: TryEval)."""
    return FunctionCall("tryeval", (e,), _TRIED)


@node
class IntervalScale(TemporalOperation):
    """An interval times or divided by a number: `(left * right)`; with mode TRY null where that fails."""

    left: Expression
    right: Expression
    sign: str
    type: DataType
    mode: str = "ANSI"
    inputs: tuple[Accepts, ...] = ()

    null_intolerant = always(True)

    def to_string(self) -> str:
        """(left * right)."""
        return f"({self.left} {self.sign} {self.right})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(left * right)."""
        return f"({r(self.left)} {self.sign} {r(self.right)})"
