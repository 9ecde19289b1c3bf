"""What grows while a query is only planned: Spark computes every constant part of it then, whatever that takes.

Bounds are read off the parsed query, without computing anything. A name counts as a constant where the statement itself
gives it one (VALUES, `AS`); what comes out of a table is not computed before the query runs. Names are looked up
without regard to scope, which can only refuse more; what no parser can see is left to the limits of time and memory.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planviz.expressions.arithmetic import Divide, IntegralDivide, Multiply
from planviz.expressions.calls import Concat
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, Expression, Literal
from planviz.expressions.lambdas import LambdaFunction, UnresolvedLambdaVariable
from planviz.expressions.patterns import Like, MultiLike, RLike
from planviz.expressions.subqueries import QueryPlan, SubqueryExpression
from planviz.expressions.unresolved import GroupingSets, UnresolvedAttribute, UnresolvedFunction
from planviz.logical.operators import Aggregate
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.logical.unresolved import (
    UnresolvedInlineTable,
    UnresolvedRelation,
    UnresolvedSubqueryColumnAliases,
    UnresolvedWith,
)
from planviz.spark.jvm import JavaObject
from planviz.types import is_numeric

#: Values, characters or steps that a constant may take.
LARGEST = 1_000_000
#: Operators of a query once every name of WITH stands for its definition, and sets of GROUP BY.
OPERATORS = 2_000
SETS = 4_096
#: Steps of a regular expression over a constant, and of comparing all with all.
_STEPS = 1e8
#: Functions whose result is as long as an argument says, and which argument; None: all.
_COUNTS = {"repeat": 1, "array_repeat": 1, "space": 0, "lpad": 1, "rpad": 1, "array_insert": 1, "format_number": 1,
           "randstr": 0, "sequence": None, "round": 1, "bround": 1, "ceil": 1, "ceiling": 1, "floor": 1}  # fmt: skip
#: Functions whose result is as long as two arguments multiplied.
_PRODUCTS = {"replace": (0, 2), "regexp_replace": (0, 2), "array_join": (0, 1), "overlay": (0, 1)}
#: Functions that compare every character of one text with every one of another.
_PAIRS = frozenset({"levenshtein", "jaro_winkler_similarity"})
#: Functions that make a small number of anything.
_SMALL = frozenset({"length", "char_length", "character_length", "len", "size", "cardinality", "array_size", "year",
                    "month", "day", "dayofmonth", "dayofweek", "dayofyear", "quarter", "hour", "minute", "second",
                    "weekofyear", "datediff", "date_diff", "months_between", "ascii", "instr", "locate", "sign",
                    "levenshtein", "rank", "row_number"})  # fmt: skip
#: Functions whose number is none larger than those that they are given.
_AS_GIVEN = frozenset({"least", "greatest", "coalesce", "if", "nvl", "ifnull", "abs", "floor", "ceil", "ceiling",
                       "round", "int", "bigint", "smallint", "tinyint", "mod", "pmod", "cast", "array", "max", "min",
                       "sequence", "negative", "positive", "float", "double", "decimal", "first"})  # fmt: skip
_REGULAR = frozenset({"rlike", "regexp", "regexp_like", "regexp_extract", "regexp_extract_all", "regexp_replace",
                      "regexp_count", "regexp_instr", "regexp_substr", "split"})  # fmt: skip
_FORMATS = frozenset({"format_string", "printf"})
_WIDTH = re.compile(r"%[-#+ 0,(]*(\d+)?(?:\.(\d+))?")
#: A repeated group that repeats or chooses inside: tried in ways without number.
_NESTED = re.compile(r"\((?:[^()\\+*}|]|\\.)*+[+*}|](?:[^()\\]|\\.)*+\)[+*{]")
_UNBOUNDED = re.compile(r"(?<!\\)(?:[+*]|\{\d+,\})")


@dataclass(frozen=True)
class _Bound:
    """What a constant is at most: its number (or the largest in it), its length, and the steps to compute it."""

    number: float = 0.0
    size: float = 1.0
    work: float = 0.0


class TooMuch(Exception):
    """A part of a query grows beyond the limit; its text says what, `part` is where."""

    def __init__(self, reason: str, part: object) -> None:
        super().__init__(reason)
        self.part = part


def check_growth(plan: LogicalPlan, parts: list[LogicalPlan]) -> None:
    """Raise TooMuch for what grows beyond the limits; `parts` are all operators of the plan, subqueries included."""
    constants = _Constants(parts)
    for part in parts:
        for expression in part.expressions:
            if isinstance(expression, Expression):
                for inner in expression.walk():
                    constants.bound(inner)
        if isinstance(part, Aggregate):
            _check_sets(part)
    if _operators(plan, {}) > OPERATORS:
        reason = f"With every name of WITH written out this query has more than {OPERATORS:,} operators to plan."
        raise TooMuch(reason, plan)


def _check_sets(plan: Aggregate) -> None:
    sets = 1.0
    for group in plan.grouping:
        if isinstance(group, GroupingSets):
            count = len(group.sets)
            sets *= {"cube": 2.0 ** min(count, 60), "rollup": count + 1}.get(group.kind, count)
    if sets > SETS:
        raise TooMuch(f"GROUP BY stands for {sets:,.0f} grouping sets; at most {SETS:,} are planned.", plan.grouping[0])


def _operators(plan: LogicalPlan, known: dict[str, float]) -> float:
    """Operators of a plan when every name of WITH stands for its definition, as Spark writes them out."""
    if isinstance(plan, UnresolvedWith):
        known = dict(known)
        for name, definition in zip(plan.names, plan.plans, strict=True):
            known[name.lower()] = _operators(definition, known)
        return _operators(plan.child, known)
    if isinstance(plan, UnresolvedRelation) and len(plan.parts) == 1:
        return known.get(plan.parts[0].lower(), 1.0)
    held = [s.plan for e in plan.expressions if isinstance(e, Expression) for s in e.collect(SubqueryExpression)]
    inner = [p for p in (*plan.inner_children, *held) if isinstance(p, LogicalPlan)]
    return 1.0 + sum(_operators(child, known) for child in [*plan.children, *inner])


class _Constants:
    """The constants of one statement and what they are at most."""

    def __init__(self, parts: list[LogicalPlan]) -> None:
        self._given: dict[str, list[object]] = {}
        self._bounds: dict[int, _Bound | None] = {}
        self._under_way: set[int] = set()
        for part in parts:
            for name, value in _named(part):
                self._given.setdefault(name.lower(), []).append(value)

    def bound(self, e: object) -> _Bound | None:
        """What an expression is at most, None where rows of a table decide. Raises TooMuch beyond the limits."""
        if not isinstance(e, Expression):
            return _of_value(e)
        if id(e) in self._under_way:
            return None
        if id(e) not in self._bounds:
            self._under_way.add(id(e))
            try:
                self._bounds[id(e)] = found = self._find(e)
            finally:
                self._under_way.discard(id(e))
            if found is not None and max(found.size, found.work) > LARGEST:
                raise TooMuch(f"{_shown(e)} is computed while the query is planned, and grows beyond {LARGEST:,}.", e)
        return self._bounds[id(e)]

    def _find(self, e: Expression) -> _Bound | None:
        if isinstance(e, Literal):
            return _of_value(e.value)
        if isinstance(e, UnresolvedAttribute | UnresolvedLambdaVariable):
            return _largest([self.bound(value) for value in self._given.get(e.parts[-1].lower(), ())])
        if isinstance(e, SubqueryExpression):
            return self._subquery(e)
        if isinstance(e, UnresolvedFunction):
            return self._function(e)
        inner = [self.bound(child) for child in e.children]
        if isinstance(e, RLike | Like | MultiLike):
            self._check_pattern(e, e.children, isinstance(e, RLike))
        known = [b for b in inner if b is not None]
        if len(known) < len(inner):
            return None
        return _Bound(_number(e, known), sum(b.size for b in known) or 1.0, sum(b.work for b in known))

    def _subquery(self, e: SubqueryExpression) -> _Bound | None:
        plans: list[QueryPlan] = [e.plan]
        found: list[_Bound | None] = []
        while plans:
            plan = plans.pop()
            if isinstance(plan, UnresolvedRelation):
                return None
            found += [self.bound(x) for x in plan.expressions if isinstance(x, Expression)]
            plans += [*plan.children, *plan.inner_children]
        return _largest(found) or _Bound(math.inf)

    def _function(self, e: UnresolvedFunction) -> _Bound | None:
        name = e.parts[-1].lower()
        lambdas = [a for a in e.arguments if isinstance(a, LambdaFunction)]
        inner = [self.bound(a) for a in e.arguments if not isinstance(a, LambdaFunction)]
        if name in _COUNTS:
            self._check_count(e, name, inner)
        if name in _REGULAR:
            self._check_pattern(e, e.arguments, True)
        known = [b for b in inner if b is not None]
        if len(known) < len(inner):
            return None
        sizes, work = [b.size for b in known], sum(b.work for b in known)
        if lambdas and known:
            return self._higher(name, lambdas[0], known)
        size = sum(sizes) or 1.0
        if name in _PAIRS and size**2 > _STEPS:
            raise TooMuch(
                f"{name}() would compare {size:,.0f} characters with each other while the query is planned.", e
            )
        if name == "sequence" and len(known) > 1:
            size = _length(e.arguments, known)
        elif name in _COUNTS and (at := _COUNTS[name]) is not None and len(known) > at:
            size = max(known[at].number, 1.0) * (max(known[0].size, 1.0) if name in ("repeat", "array_repeat") else 1.0)
        elif name in _PRODUCTS and len(known) > max(_PRODUCTS[name]):
            one, other = _PRODUCTS[name]
            size = sizes[one] * max(sizes[other], 1.0)
        elif name in _FORMATS and e.arguments and isinstance(e.arguments[0], Literal):
            size += sum(float(n) for pair in _WIDTH.findall(str(e.arguments[0].value)) for n in pair if n)
        numbers = [b.number for b in known]
        number = max(numbers, default=0.0) if name in _AS_GIVEN else LARGEST if name in _SMALL else math.inf
        return _Bound(number, size, work + size)

    def _check_count(self, e: UnresolvedFunction, name: str, inner: list[_Bound | None]) -> None:
        at = _COUNTS[name]
        if at is None or len(inner) <= at or (count := inner[at]) is None or count.number <= LARGEST:
            return
        told = f"{count.number:,.0f}" if count.number < math.inf else "a number that planviz cannot tell"
        raise TooMuch(f"{name}() up to {told} is computed while the query is planned; at most {LARGEST:,} is taken.", e)

    def _higher(self, called: str, function: LambdaFunction, given: list[_Bound]) -> _Bound | None:
        """transform, filter, aggregate ...: once for every element of the first argument."""
        array = given[0]
        outer = dict(self._given)
        for argument in function.arguments:
            name = str(argument.parts[-1] if isinstance(argument, UnresolvedLambdaVariable) else argument).lower()
            self._given[name] = [_Known(b) for b in given]
        try:
            body = self.bound(function.body)
        finally:
            self._given = outer
        if body is None:
            return None
        grown = array.size * max(body.size, 1.0)
        if called in ("aggregate", "reduce") and any(
            isinstance(x, UnresolvedFunction | Concat) for x in function.body.walk()
        ):
            # What has been gathered may double with every element.
            again = sum(str(x) == str(function.arguments[0]) for x in function.body.walk())
            grown = max(grown, float(again) ** min(array.size, 64.0))
        return _Bound(max(body.number, array.number), grown, array.work + array.size * (1.0 + body.work))

    def _check_pattern(self, e: Expression, arguments: Sequence[Expression], regular: bool) -> None:
        """Refuse patterns over a constant that are tried in too many ways."""
        if len(arguments) < 2 or (subject := self.bound(arguments[0])) is None:
            return
        for pattern in arguments[1:]:
            text = pattern.value if isinstance(pattern, Literal) else None
            if not isinstance(text, str):
                continue
            repeats = len(_UNBOUNDED.findall(text)) if regular else text.count("%")
            if (regular and _NESTED.search(text)) or (repeats > 1 and subject.size ** min(repeats, 20) > _STEPS):
                raise TooMuch(f"The pattern “{text[:40]}” over a constant may keep Spark planning without end.", e)


@dataclass(frozen=True)
class _Known:
    """A lambda's argument, as large as what it is taken from."""

    bound: _Bound


def _named(plan: LogicalPlan) -> Iterator[tuple[str, object]]:
    """Names that an operator gives to values, and the values."""
    for expression in plan.expressions:
        if isinstance(expression, Expression):
            for part in expression.walk():
                if isinstance(part, Alias):
                    yield part.name, part.child
    if isinstance(plan, LocalRelation):
        for row in plan.rows:
            yield from zip((a.name for a in plan.attributes), row, strict=False)
    if isinstance(plan, UnresolvedInlineTable):
        for values in plan.rows:
            yield from zip(plan.names, values, strict=False)
    if isinstance(plan, UnresolvedSubqueryColumnAliases):
        below: LogicalPlan = plan.child
        while not below.expressions and len(below.children) == 1 and not isinstance(below, LocalRelation):
            below = below.children[0]
        rows = below.rows if isinstance(below, LocalRelation | UnresolvedInlineTable) else (below.expressions,)
        for row in rows:
            yield from zip(plan.names, row, strict=False)


def _of_value(value: JavaObject) -> _Bound:
    if isinstance(value, _Known):
        return value.bound
    if isinstance(value, str):
        number = float(value) if re.fullmatch(r"\s*[-+]?\d+(\.\d+)?([eE]\d+)?\s*", value) else 0.0
        return _Bound(abs(number), float(len(value)))
    try:
        return _Bound(abs(float(value)))
    except (TypeError, ValueError, OverflowError):
        return _Bound()


def _number(e: Expression, inner: list[_Bound]) -> float:
    """The largest number of an operator of no special kind: its operands' sum, or product."""
    numbers = [b.number for b in inner]
    if isinstance(e, Multiply):
        return math.prod(numbers)
    if isinstance(e, Divide | IntegralDivide):
        return numbers[0] if numbers[1] >= 1 else math.inf
    if type(e).__name__ == "Shift":
        return math.inf
    return numbers[0] if isinstance(e, Cast) and numbers else sum(numbers)


def _length(arguments: Sequence[Expression], inner: list[_Bound]) -> float:
    """Elements of a sequence of numbers. One of dates counts as short: Spark stops those that are too long itself."""
    literals = [a for a in arguments if isinstance(a, Literal) and a.value is not None]
    if not all(is_numeric(a.data_type) or isinstance(a.value, str) for a in literals):
        return 1.0
    span = inner[0].number + inner[1].number
    if len(literals) == len(arguments) and all(is_numeric(a.data_type) for a in literals):
        span = abs(float(literals[1].value) - float(literals[0].value)) + 1.0
    return span / max(inner[2].number if len(inner) > 2 else 1.0, 1.0)


def _largest(found: list[_Bound | None]) -> _Bound | None:
    """The most of several, None where one is not known or there is none."""
    known = [b for b in found if b is not None]
    if not known or len(known) < len(found):
        return None
    return _Bound(max(b.number for b in known), max(b.size for b in known), max(b.work for b in known))


def _shown(e: Expression) -> str:
    text = f"{e.parts[-1]}()" if isinstance(e, UnresolvedFunction) else str(e)
    return text if len(text) <= 40 else text[:39] + "…"
