"""Expressions: what the use of a column says of its type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from planviz.analysis.inference.guesses import ARITHMETIC, MOMENT, WHOLE, Guess
from planviz.analysis.inference.tables import Resolver, Scope
from planviz.expressions.arithmetic import BinaryArithmetic, Bitwise, BitwiseNot, UnaryMinus, UnaryPositive
from planviz.expressions.calls import Concat
from planviz.expressions.casts import Cast
from planviz.expressions.conditional import CaseWhen, Coalesce, If
from planviz.expressions.core import Alias, Expression, Literal
from planviz.expressions.lambdas import LambdaFunction, UnresolvedLambdaVariable
from planviz.expressions.patterns import Like, MultiLike, RLike, StringPredicate
from planviz.expressions.predicates import BinaryComparison, Connective, In, IsNotNull, IsNull, Not, Predicate
from planviz.expressions.specs import FunctionSpec
from planviz.expressions.subqueries import Exists, InSubquery, ListQuery, SubqueryExpression
from planviz.expressions.unresolved import (
    SemiStructuredExtract,
    UnresolvedAttribute,
    UnresolvedExtractValue,
    UnresolvedFunction,
)
from planviz.expressions.windows import SpecifiedWindowFrame, WindowSpec
from planviz.functions.signatures import SIGNATURES
from planviz.logical.file_metadata import field_type
from planviz.types import (
    BOOLEAN,
    DATE,
    INT,
    LONG,
    NULL,
    STRING,
    TIME,
    TIMESTAMP,
    UNKNOWN,
    VARIANT,
    DataType,
    is_integral,
    is_interval,
    is_numeric,
)

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

#: Functions whose value is one of their arguments', which therefore agree.
_SAME = frozenset(["coalesce", "nvl", "ifnull", "greatest", "least", "nullif"])
_FIRST = frozenset(
    ["max", "min", "first", "last", "any_value", "first_value", "last_value", "mode", "lag", "lead", "nth_value"]
)
_SUMS = frozenset(
    [
        "sum",
        "avg",
        "mean",
        "stddev",
        "stddev_samp",
        "stddev_pop",
        "variance",
        "var_samp",
        "var_pop",
        "abs",
        "percentile",
    ]
)
_DATES = frozenset(
    ["year", "month", "quarter", "day", "dayofmonth", "dayofweek", "dayofyear", "week", "weekofyear", "weekday",
     "last_day", "date_add", "date_sub", "dateadd", "datediff", "date_diff", "add_months", "months_between",
     "next_day", "trunc", "date_format", "extract", "date_part", "datepart"]
)  # fmt: skip
_TEXTS = frozenset(["substr", "substring", "trim", "ltrim", "rtrim", "btrim", "locate", "position", "upper", "lower"])
_COUNTS = frozenset(
    ["count", "count_if", "approx_count_distinct", "rank", "dense_rank", "row_number", "ntile", "grouping"]
)


_OF_MAPS = frozenset(["map_filter", "map_zip_with", "transform_keys", "transform_values"])
_AGGREGATES = _SUMS | {"max", "min", "count", "collect_list", "collect_set", "first", "last", "any_value"}


#: Names that mean a function where no column is known to have them.
_CALLED_BY_NAME = {
    "current_date": DATE, "current_timestamp": TIMESTAMP, "current_time": TIME, "grouping__id": LONG,
    **dict.fromkeys(("current_user", "user", "session_user"), STRING),
}  # fmt: skip


class Values:
    """Walks expressions in a scope. `query` walks a subquery and gives its columns; lambda arguments hide columns."""

    def __init__(self, resolver: Resolver, query: Callable[[LogicalPlan, Scope], list[tuple[str, Guess]]]) -> None:
        self.resolver = resolver
        self.query = query

    def of(self, e: Expression, scope: Scope, bound: dict[str, Guess] | None = None) -> Guess:
        """The guess for a value; on the way every column in it learns from its place."""

        def down(x: Expression) -> Guess:
            return self.of(x, scope, bound)

        if isinstance(e, Literal):
            return Guess(known=e.type, constant=e.value)
        if isinstance(e, UnresolvedAttribute | UnresolvedLambdaVariable):
            if bound and e.parts[0].lower() in bound:
                return bound[e.parts[0].lower()]
            return self._name(e.parts, scope)
        if isinstance(e, Alias):
            return down(e.child)
        if isinstance(e, Cast):
            return self._cast(e, down)
        if isinstance(e, SubqueryExpression | InSubquery):
            return self._subquery(e, scope, down)
        if isinstance(e, SemiStructuredExtract):
            down(e.child).note(VARIANT)
            return Guess()
        if isinstance(e, UnresolvedExtractValue):
            return _part(down(e.child), e.extraction, down)
        if isinstance(e, UnresolvedFunction):
            return self._call(e, scope, bound)
        if isinstance(e, CaseWhen | If | Coalesce):
            return self._choice(e, down)
        if isinstance(e, Predicate):
            return self._predicate(e, down)
        if isinstance(e, Bitwise):
            sides = [down(c) for c in e.children]
            for side in sides:
                side.note(WHOLE)
            return compare(sides)
        if isinstance(e, BinaryArithmetic):
            return _arithmetic([down(c) for c in e.children])
        children = [down(c) for c in e.children]
        if isinstance(e, WindowSpec):
            _measured(e, children)
        if isinstance(e, BitwiseNot):
            children[0].note(WHOLE)
            return children[0]
        if isinstance(e, UnaryMinus | UnaryPositive):
            children[0].note(ARITHMETIC)
            return children[0]
        if isinstance(e, Concat):
            _all(children, STRING)
            return Guess(known=STRING)
        return children[0] if len(children) == 1 else children[0] if _is_window(e) else Guess()

    def _name(self, parts: tuple[str, ...], scope: Scope) -> Guess:
        hidden = field_type(parts)
        if hidden is not None:
            return Guess(known=hidden)
        alone = parts[0].lower() if len(parts) == 1 else ""
        function, variable = _CALLED_BY_NAME.get(alone), alone in self.resolver.variables
        called = function is not None or variable
        known = self.resolver.known(parts[-1], scope) if called else self.resolver.column(parts, scope)
        return known or Guess(known=function)

    def condition(self, e: Expression, scope: Scope) -> None:
        """A condition: its value is boolean."""
        self.of(e, scope).note(BOOLEAN)

    def _cast(self, e: Cast, down: Callable[[Expression], Guess]) -> Guess:
        down(e.child)
        return Guess(known=e.data_type)

    def _subquery(self, e: InSubquery | SubqueryExpression, scope: Scope, down: Callable[[Expression], Guess]) -> Guess:
        if isinstance(e, InSubquery):
            assert isinstance(e.query, ListQuery)
            columns = self.query(e.query.plan, scope)
            for value, (_, column) in zip(e.values, columns, strict=False):
                compare([down(value), column])
            return Guess(known=BOOLEAN)
        columns = self.query(e.plan, scope)
        return Guess(known=BOOLEAN) if isinstance(e, Exists) or not columns else columns[0][1]

    def _predicate(self, e: Expression, down: Callable[[Expression], Guess]) -> Guess:
        if isinstance(e, In):
            compare([down(c) for c in e.children])
        elif isinstance(e, BinaryComparison):
            compare([down(e.left), down(e.right)])
        else:
            children = [down(c) for c in e.children]
            if isinstance(e, Connective | Not):
                _all(children, BOOLEAN)
            elif isinstance(e, Like | RLike | MultiLike | StringPredicate):
                _all(children, STRING)
            elif not isinstance(e, IsNull | IsNotNull):
                compare(children)
        return Guess(known=BOOLEAN)

    def _choice(self, e: Expression, down: Callable[[Expression], Guess]) -> Guess:
        if isinstance(e, If):
            conditions, values = [e.children[0]], list(e.children[1:])
        elif isinstance(e, Coalesce):
            conditions, values = [], list(e.children)
        else:
            pairs = list(e.children)
            count = len(pairs) // 2
            conditions = pairs[0 : 2 * count : 2]
            values = [*pairs[1 : 2 * count : 2], *pairs[2 * count :]]
        for c in conditions:
            down(c).note(BOOLEAN)
        return compare([down(v) for v in values])

    def _call(self, e: UnresolvedFunction, scope: Scope, bound: dict[str, Guess] | None) -> Guess:
        name = e.parts[-1].lower()
        if name in _AGGREGATES:
            # What an aggregate function reads was there before the select list.
            scope = replace(scope, aliases=None)
        plain = [a for a in e.arguments if not isinstance(a, LambdaFunction)]
        args = [self.of(a, scope, bound) for a in plain]
        if name in _OF_MAPS:
            for of_map in args:
                of_map.item()
                of_map.root.is_map = True
        for a in e.arguments:
            if isinstance(a, LambdaFunction):
                names = {str(getattr(x, "name", "")).lower(): Guess() for x in a.arguments}
                if args and names:
                    names[next(iter(names))] = args[0].item()
                self.of(a.body, scope, {**(bound or {}), **names})
        if e.where is not None:
            self.condition(e.where, scope)
        for o in e.order:
            self.of(o, scope, bound)
        return _value_of_call(name, args)


def compare(values: list[Guess]) -> Guess:
    """Values that are compared or chosen among: they agree; constants and known types only hint."""
    unknown = [v for v in values if v.root.known is None]
    for a, b in pairwise(unknown):
        a.agree(b)
    for v in values:
        if unknown and v.root.known is not None:
            _hint(unknown[0], v)
    return unknown[0] if unknown else next((v for v in values if v.type() not in (NULL, UNKNOWN)), Guess())


def _hint(guess: Guess, known: Guess) -> None:
    t = known.type()
    if known.constant is not None:
        guess.note_constant(known.constant, t)
    else:
        guess.note(t)


def _all(values: list[Guess], t: DataType) -> None:
    for v in values:
        if v.root.known is None:
            v.note(t)


def _arithmetic(sides: list[Guess]) -> Guess:
    known = [s.type() for s in sides if s.root.known is not None]
    if any(map(is_interval, known)):
        for s in sides:
            s.note(MOMENT)
        return next((s for s in sides if s.root.known is None or not is_interval(s.type())), sides[0])
    if any(t in (DATE, TIMESTAMP) for t in known):
        return Guess(known=next(t for t in known if t in (DATE, TIMESTAMP)))
    for s in sides:
        s.note(ARITHMETIC)
    result = Guess()
    result.note(ARITHMETIC)
    return result


def _part(child: Guess, extraction: Expression, down: Callable[[Expression], Guess]) -> Guess:
    """child[extraction] or child.name."""
    key = down(extraction)
    if isinstance(extraction, Literal) and extraction.type == STRING:
        item = child.item()
        child.root.is_map = True
        return item
    if key.root.known is not None and not is_integral(key.type()):
        child.root.is_map = True
    return child.item()


def _measured(spec: WindowSpec, children: list[Guess]) -> None:
    """A frame by distance: what the window is ordered by can be subtracted."""
    frame = spec.frame
    if isinstance(frame, SpecifiedWindowFrame) and frame.kind == "RangeFrame" and len(spec.order) == 1:
        types = [b.data_type for b in (frame.lower, frame.upper) if b.foldable and b.data_type != NULL]
        for t in types:
            children[len(spec.partition)].note(MOMENT if is_interval(t) else ARITHMETIC)


def _is_window(e: Expression) -> bool:
    return "Window" in type(e).__name__ and bool(e.children)


def _value_of_call(name: str, args: list[Guess]) -> Guess:
    first = args[0] if args else Guess()
    if name in _COUNTS:
        return Guess(known=LONG if name.startswith(("count", "approx")) else INT)
    if name == "between":
        compare(args)
        return Guess(known=BOOLEAN)
    if name in _SAME or name in ("if", "iff", "nvl2", "decode"):
        return compare(args if name in _SAME else args[1:])
    if name in _FIRST:
        return first
    if name in _SUMS:
        first.note(ARITHMETIC)
        result = Guess()
        result.note(ARITHMETIC)
        return first if name == "abs" else result
    if name in _DATES:
        moments = args[1:] if name in ("extract", "date_part", "datepart") else args[:1]
        for m in moments + (args[1:2] if name in ("datediff", "date_diff", "months_between") else []):
            m.note(MOMENT)
        return _result(name)
    if name in _TEXTS:
        _all(args[:1], STRING)
        return Guess(known=STRING)
    if name in ("explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer"):
        return first.item()
    if name == "arrays_zip":
        for a in args:
            a.item()
        return Guess()
    if name in ("array", "collect_list", "collect_set"):
        made = Guess()
        made.element = first
        return made
    return _by_signature(name, args)


def _by_signature(name: str, args: list[Guess]) -> Guess:
    spec = _signatures().get(name)
    if spec is None:
        return Guess()
    for i, a in enumerate(args):
        accepts = spec.inputs[min(i, len(spec.inputs) - 1)] if spec.inputs else None
        if accepts is None or a.root.known is not None:
            continue
        if accepts.word == '"ARRAY"':
            a.item()
        elif accepts.word == '"MAP"':
            a.item()
            a.root.is_map = True
        elif accepts.default is not None and not accepts.test(UNKNOWN):
            a.note(ARITHMETIC if is_numeric(accepts.default) else accepts.default)
    return _result(name)


@cache
def _signatures() -> dict[str, FunctionSpec]:
    return {name: signature.spec for name, signature in SIGNATURES.items()}


def _result(name: str) -> Guess:
    """The result of a function whose result does not depend on its arguments; otherwise nothing is known."""
    spec = _signatures().get(name)
    try:
        t = spec.result(()) if spec is not None else UNKNOWN
    except (IndexError, ValueError):
        t = UNKNOWN
    return Guess(known=t) if t not in (UNKNOWN, NULL) else Guess()
