"""Signatures: what a function accepts, what it gives, how it prints; the base of calls that need no more than that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

from planviz.expressions.core import Expression, TypeMismatch
from planviz.trees.node import lazy
from planviz.types import NULL, UNKNOWN, ArrayType, DataType, is_string
from planviz.types.collations import COLLATED, mixed_collations


class OpenZone(str):
    """The session's time zone among the things that an expression prints, before ResolveTimeZone fills it in."""


ZONE = OpenZone("None")


class AnsiFlag(str):
    """What an expression prints for a flag that spark.sql.ansi.enabled sets, as it is with ANSI on."""

    @property
    def off(self) -> str:
        """The same with ANSI off."""
        return "false" if self == "true" else "true"


@dataclass(frozen=True)
class Accepts:
    """What an argument may be: a word for messages, a test, and the type others are cast to (None: never cast).

    `alternatives` are the members of a collection; `family` tells for a family of types what other types are cast to;
    `null` is the type that a NULL gets where nothing is cast. Spark: `AbstractDataType`, `TypeCollection`.
    """

    word: str
    test: Callable[[DataType], bool] = field(compare=False)
    default: DataType | None = None
    alternatives: tuple[Accepts, ...] = ()
    family: dict[DataType, DataType] | None = field(default=None, compare=False)
    null: DataType | None = None

    @classmethod
    def exactly(cls, t: DataType) -> Accepts:
        """One type; of arrays the elements' nullability does not matter."""
        if isinstance(t, ArrayType):
            return cls(f'"{t.sql}"', lambda x: isinstance(x, ArrayType) and _same(x.element, t.element), t)
        if is_string(t):
            return cls(f'"{t.sql}"', is_string, t)
        return cls(f'"{t.sql}"', lambda x: x == t, t)

    def as_it_is(self) -> Accepts:
        """The same without implicit casts; NULL becomes one of the type (Spark: ExpectsInputTypes)."""
        if self.test(NULL) or self.default is None:
            return Accepts(self.word, lambda t: t == NULL or self.test(t))
        return Accepts(self.word, self.test, null=self.default)

    def strictly(self) -> Accepts:
        """The same without implicit casts, of NULL neither."""
        return Accepts(self.word, self.test)

    def alike(self, test: Callable[[DataType], bool]) -> Accepts:
        """The same that takes what passes a test, too."""
        return replace(self, test=lambda t: test(t) or self.test(t))

    @classmethod
    def one_of(cls, *members: Accepts) -> Accepts:
        """Any of several."""
        word = f"({' or '.join(m.word for m in members)})"
        return cls(word, lambda t: any(m.test(t) for m in members), members[0].default, members)


@dataclass(frozen=True, eq=False)
class FunctionSpec:
    """A function's signature.

    `inputs` are what the arguments accept (the last one again for further arguments); `result` gives the type from
    the resolved arguments; `null` is "any" (null when an argument is), "first", True or False; `hidden` counts the
    last arguments that SQL text leaves out; `tail` is what `str` prints behind the arguments; `sql_name` names it
    in SQL text; `option` is the number of the parameter that prints as Some or None (0: none does); `folded` are
    the numbers of the arguments that must be constant; `check` is what the arguments must fulfil together, before
    the types of each where `check_first` says so; `folded_first`: what must be constant is asked before the types;
    `overflow` is "fails" with ANSI on, "wraps" without, of functions that do not print which ("": it has none); `sql`
    is what SQL text has in the place of the whole call.
    """

    name: str
    inputs: tuple[Accepts, ...] = ()
    result: Callable[[tuple[Expression, ...]], DataType] = lambda args: UNKNOWN
    null: str | bool = "any"
    deterministic: bool = True
    tail: tuple[str, ...] = ()
    hidden: int = 0
    sql_name: str = ""
    null_intolerant: bool = True
    foldable: bool = True
    option: int = 0
    folded: tuple[int, ...] = ()
    check: Callable[[str, tuple[Expression, ...]], TypeMismatch | None] | None = None
    check_first: bool = False
    folded_first: bool = False
    overflow: str = ""
    sql: str = ""


#: Functions whose texts must have one collation.
ALIKE_FUNCTIONS = frozenset((
    "concat_ws", "mask", "replace", "translate", "find_in_set", "instr", "to_number", "try_to_number", "str_to_map",
    "levenshtein", "split_part", "regexp_replace", "lpad", "rpad", "elt", "substring_index", "stringsplitsql",
))  # fmt: skip


def _same(a: DataType, b: DataType) -> bool:
    """Whether two types are one; of text the collation does not matter."""
    return a == b or (is_string(a) and is_string(b))


class SignatureCall(Expression):
    """Base of calls known by their signature alone: a name, arguments, the signature, what prints behind them."""

    name: str
    arguments: tuple[Expression, ...]
    spec: FunctionSpec
    tail: tuple[str, ...]

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.spec.sql_name or self.name

    @lazy
    def data_type(self) -> DataType:
        """By the signature."""
        return self.spec.result(self.arguments)

    @lazy
    def nullable(self) -> bool:
        """By the signature."""
        null = self.spec.null
        if null == "first":
            return self.arguments[0].nullable
        return any(a.nullable for a in self.arguments) if null == "any" else bool(null)

    def check_input_types(self) -> TypeMismatch | None:
        """Every argument must be what the signature accepts, and constant where it says so."""
        if COLLATED and self.name in ALIKE_FUNCTIONS and mixed_collations([a.data_type for a in self.arguments]):
            return differing_collations(self.arguments)
        check = self.spec.check
        first = check(self.name, self.arguments) if check is not None and self.spec.check_first else None
        inputs = wrong_input(self.spec.inputs, self.arguments)
        wrong = first or (self._unfolded() or inputs if self.spec.folded_first else inputs or self._unfolded())
        if wrong is not None:
            return wrong
        return None if check is None or self.spec.check_first else check(self.name, self.arguments)

    def _unfolded(self) -> TypeMismatch | None:
        """The mismatch of the first argument that must be constant and is not."""
        for n in self.spec.folded:
            if len(self.arguments) >= n and not self.arguments[n - 1].foldable:
                given = self.arguments[n - 1]
                return TypeMismatch(
                    "NON_FOLDABLE_INPUT",
                    f'the input {n} should be a foldable "{given.data_type.sql}" expression; however, got '
                    f'"{given.pretty}"',
                )
        return None

    def without_failures(self) -> SignatureCall:
        """The call with ANSI off: where it failed it gives null."""
        if self.spec.overflow == "fails":
            return self.replace(spec=_wrapping(self.spec))
        if not any(isinstance(t, AnsiFlag) for t in self.tail):
            return self
        tail = tuple(t.off if isinstance(t, AnsiFlag) else t for t in self.tail)
        fails = any(isinstance(t, AnsiFlag) and t == "true" for t in self.tail)
        return self.replace(tail=tail, spec=_without_failures(self.spec, fails))

    def flat_arguments(self) -> list[str]:
        """Arguments and tail; the optional one as Some or None."""
        shown = [str(a) for a in self.arguments]
        n = self.spec.option
        if n:
            shown[n - 1 :] = [f"Some({shown[n - 1]})" if len(shown) >= n else "None"]
        return [*shown, *self.tail]


@cache
def _wrapping(spec: FunctionSpec) -> FunctionSpec:
    """The same signature for every call, so that GROUP BY knows the calls of the select list."""
    return replace(spec, overflow="wraps")


@cache
def _without_failures(spec: FunctionSpec, fails: bool) -> FunctionSpec:
    """A flag that is true with ANSI on makes the function fail; size's is not, and tells that it takes null for -1."""
    return replace(spec, null=fails)


def differing_collations(arguments: tuple[Expression, ...]) -> TypeMismatch:
    """What to say where texts of different collations meet that nothing brings together."""
    kinds = ", ".join(f'"{a.data_type.sql}"' for a in arguments)
    return TypeMismatch("DATA_DIFF_TYPES", f"Input should all be the same type, but it's [{kinds}]")


def wrong_input(inputs: tuple[Accepts, ...], arguments: tuple[Expression, ...]) -> TypeMismatch | None:
    """The mismatch of the first argument that is not what its parameter accepts; the last parameter serves all more."""
    from planviz.expressions.arithmetic import unexpected_input

    for i, a in enumerate(arguments if inputs else ()):
        wanted = inputs[min(i, len(inputs) - 1)]
        if not wanted.test(a.data_type) and a.data_type != UNKNOWN:
            return unexpected_input(i + 1, a, wanted.word)
    return None
